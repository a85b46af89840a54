"""Reading YAML and JSON into documents."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from yaml import Event, MarkedYAMLError, ScalarEvent, YAMLError, events as of

from tfdsl.diagnostics import Diagnostic, Report, command_rules
from tfdsl.diagnostics.command_rules import READ_DIFFERENTLY
from tfdsl.gc_pause import without_gc
from tfdsl.manifest import json, scalars, templates
from tfdsl.manifest.json import DEEPEST, set_twice
from tfdsl.manifest.nodes import Comment, Document, Entry, Mapping, Node, Scalar, Sequence
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    import yaml
    from yaml import Mark

    class EventParser(Protocol):
        """What both parsers of PyYAML have."""

        def get_event(self) -> yaml.Event | None:
            """The next event; ``None`` after the last one."""
            ...


# --- events ---
#
# The events of a YAML text, from libyaml or, where PyYAML was built without it, from PyYAML's own parser.
#
# Offsets of events are characters, whatever is in the text; both parsers count so.

FORBIDDEN = regex("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that YAML does not allow in a text."""


def parser() -> Callable[[str], EventParser]:
    """The parser that there is."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        from yaml.loader import SafeLoader

        return SafeLoader
    return CParser


def events(text: str) -> Iterator[yaml.Event]:
    """All events of ``text``, which has no :data:`FORBIDDEN` character.

    Raises:
        yaml.MarkedYAMLError: From here on it is not YAML.
    """
    following = parser()(text).get_event
    event = following()
    while event is not None:
        yield event
        event = following()


def start_of(event: yaml.Event) -> int:
    """The offset at which ``event`` begins."""
    return event.start_mark.index if event.start_mark is not None else 0


def end_of(event: yaml.Event) -> int:
    """The offset after ``event``."""
    return event.end_mark.index if event.end_mark is not None else 0


# --- comments ---
#
# The comments of a YAML text: every ``#`` outside of its values.

_COMMENT = regex("#[^\r\n\x85\u2028\u2029]*")
_BEFORE = frozenset(" \t\r\n\x85\u2028\u2029,[]{}\"'")
"""After these, a ``#`` is no part of an anchor or a tag."""


def comments(source: Source, values: list[tuple[int, int]], end: int) -> Iterator[Comment]:
    """The comments of ``source`` up to ``end``.

    ``values``: where those values begin and end that may have a ``#`` in them, in order.
    """
    text = source.text
    starts = [start for start, _ in values]
    last = 0  # where the last comment ends: nothing before it is looked at again
    at = text.find("#", 0, end)
    while at >= 0:
        before = bisect_right(starts, at) - 1
        if before >= 0 and at < values[before][1]:
            at = text.find("#", values[before][1], end)
            continue
        if at and text[at - 1] not in _BEFORE:
            at = text.find("#", at + 1, end)
            continue
        match = _COMMENT.match(text, at, end)
        stop = match.end() if match is not None else end
        line = text.rfind("\n", last, at) + 1 or last
        line = text.rfind("\r", line, at) + 1 or line
        words = text[at:stop].lstrip("#").rstrip()
        yield Comment(words.removeprefix(" "), Span(source, at, stop), not text[line:at].strip())
        last = stop
        at = text.find("#", stop, end)


# --- compose ---
#
# Trees from the events of a YAML text, without recursion: aliases, merge keys, keys that are set twice.
#
# What the server reads is the measure (:mod:`tfdsl.manifest.scalars`): the last of two equal keys wins, and so does a
# ``<<`` over the keys before it. What it refuses is told, and null stands in its place.

MOST_ALIASED: Final = 100_000
"""The most values of one document that are written as aliases, each counted as often as it is used."""
FEW_ALIASED, MOST_OF_ONE = 1_000, 99
"""So many values from aliases, and so many for each other value so far, may always be: Go's YAML, which clients of the
API server read with, refuses a document of more than 1,000 values of which more than 99 % come from aliases."""

_PROPERTIES = regex(r"(?:(?:&[0-9A-Za-z_-]+|!\S*)(?:\s+(?:#[^\r\n]*\s*)*)?)+")
"""Anchor and tag of a value, with what separates them from it."""
_LINE_END = regex("[\r\n\x85\u2028\u2029]")
_BLOCK_STYLES = frozenset("|>")


class TooDeepError(Exception):
    """Reading ends here; why has been reported."""


class _Key(Record):
    """The key that a value is awaited for. ``name``: ``None`` where it was none, so the value is left out."""

    name: str | None
    span: Span
    merge: bool = False


class _Anchor(Record):
    """A value with a name. ``size``: the values in it and itself; ``height``: the most maps and lists in each other."""

    node: Node
    size: int
    height: int


class _List:
    """A list that is being read."""

    def __init__(self, event: of.CollectionStartEvent) -> None:
        self.event = event
        self.items: list[Node] = []
        self.size = 1
        self.height = 1

    def node(self, span: Span) -> Node:
        return Sequence(tuple(self.items), span)


class _Map:
    """A map that is being read. ``written``: the keys of the map itself, without those of merged maps."""

    def __init__(self, event: of.CollectionStartEvent) -> None:
        self.event = event
        self.entries: dict[str, Entry] = {}
        self.written: dict[str, Span] = {}
        self.key: _Key | None = None
        self.size = 1
        self.height = 1

    def node(self, span: Span) -> Node:
        return Mapping(self.entries, span)


_Open: TypeAlias = _List | _Map


class Composer:
    """Makes the documents of ``source``; one for each text."""

    def __init__(self, source: Source, report: Report) -> None:
        self._source = source
        self._report = report
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchor | None] = {}  # None: its value has only begun
        self._aliased = self._written = 0
        self._last = 0  # where the last value ends
        self.hashed: list[tuple[int, int]] = []
        """Where values begin and end that may have a ``#`` in them, in order."""
        self._root: Node | None = None
        self._words: dict[str, scalars.Value] = {}
        self._actions: dict[type[of.Event], Callable[..., None]] = {
            of.ScalarEvent: self._scalar,
            of.AliasEvent: self._alias,
            of.MappingStartEvent: self._start,
            of.SequenceStartEvent: self._start,
            of.MappingEndEvent: self._end,
            of.SequenceEndEvent: self._end,
        }

    def documents(self, events: Iterable[of.Event]) -> Iterator[Node]:
        """The root of each document, as soon as it is whole. Documents without a value are left out.

        Raises:
            TooDeepError: More than :data:`DEEPEST` maps and lists are in each other.
            yaml.MarkedYAMLError: From ``events``.
        """
        actions = self._actions
        for event in events:
            action = actions.get(type(event))
            if action is not None:
                self._written += 1
                action(event)
            elif isinstance(event, of.DocumentStartEvent):
                self._root = None
                self._anchors.clear()
                self._aliased = self._written = 0
            elif isinstance(event, of.DocumentEndEvent):
                root = self._root
                if root is not None and not (isinstance(root, Scalar) and root.value is None):
                    yield root

    # --- values

    def _scalar(self, event: of.ScalarEvent) -> None:
        span = self._span(event)
        self._last = span.end
        if "#" in event.value:
            self.hashed.append((self._after_header(span) if event.style in _BLOCK_STYLES else span.start, span.end))
        top = self._open[-1] if self._open else None
        if isinstance(top, _Map) and top.key is None:
            top.key = self._key(event, span)
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchor(Scalar(self._sent(event, span), span), 1, 0)
            return
        node = Scalar(self._sent(event, span), span)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchor(node, 1, 0)
        self._place(node, 1, 0)

    def _after_header(self, span: Span) -> int:
        """Where the lines of a block begin: its first line can have a comment."""
        line_end = _LINE_END.search(self._source.text, span.start, span.end)
        return line_end.start() if line_end is not None else span.start

    def _span(self, event: of.ScalarEvent) -> Span:
        """The place of the word alone: without anchor and tag, and without the line ends after a block."""
        start, end = start_of(event), end_of(event)
        if event.anchor is not None or event.tag is not None:
            properties = _PROPERTIES.match(self._source.text, start, end)
            start = properties.end() if properties is not None else start
        if event.style in _BLOCK_STYLES:
            end = start + len(self._source.text[start:end].rstrip())
        return Span(self._source, start, end)

    def _value(self, event: of.ScalarEvent) -> scalars.Value:
        """What go-yaml makes of the word. Raises :class:`scalars.UnreadableError`."""
        tag, text = event.tag, event.value
        if tag is None:
            if not event.implicit[0]:
                return text
            words = self._words
            if text not in words:
                words[text] = scalars.plain(text)
            return words[text]
        return text if tag in ("!", scalars.STR) else scalars.tagged(tag, text)

    def _tagged(self, event: of.ScalarEvent | of.CollectionStartEvent, span: Span) -> None:
        """Tell a tag of an application."""
        if event.tag is not None and event.tag != "!" and not event.tag.startswith(scalars.PREFIX):
            what, reason = f"a value of {event.tag}", "clients of the server pass over a tag that is not of YAML"
            self._report(READ_DIFFERENTLY(span, what=what, word="one without it", difference=reason))

    def _sent(self, event: of.ScalarEvent, span: Span) -> scalars.Value:
        self._tagged(event, span)
        try:
            value = self._value(event)
            return value if isinstance(value, str) else scalars.sent(value)
        except scalars.UnreadableError as error:
            self._refuse(span, error)
            return None

    def _key(self, event: of.ScalarEvent, span: Span) -> _Key:
        if event.value == "<<" and (event.implicit[0] if event.tag in (None, "!") else event.tag == scalars.MERGE):
            return _Key(None, span, merge=True)
        try:
            return _Key(scalars.key(self._value(event)), span)
        except scalars.UnreadableError as error:
            self._refuse(span, error)
            return _Key(None, span)

    def _refuse(self, span: Span, error: scalars.UnreadableError) -> None:
        what = span.text or "an empty value"
        self._report(command_rules.MANIFEST_VALUE(span, what=what, reason=str(error)))

    # --- maps and lists

    def _start(self, event: of.CollectionStartEvent) -> None:
        if len(self._open) == DEEPEST:
            start = start_of(event)
            self._report(command_rules.MANIFEST_TOO_DEEP(Span(self._source, start, start + 1), limit=DEEPEST))
            raise TooDeepError
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._last = end_of(event)
        self._tagged(event, Span(self._source, start_of(event), max(start_of(event) + 1, self._last)))
        self._open.append(_Map(event) if isinstance(event, of.MappingStartEvent) else _List(event))

    def _end(self, event: of.CollectionEndEvent) -> None:
        closed = self._open.pop()
        if closed.event.flow_style:
            self._last = max(self._last, end_of(event))
        start = start_of(closed.event)
        if closed.event.anchor is not None or closed.event.tag is not None:
            properties = _PROPERTIES.match(self._source.text, start)
            start = properties.end() if properties is not None else start
        node = closed.node(Span(self._source, start, max(start, self._last)))
        if closed.event.anchor is not None:
            self._anchors[closed.event.anchor] = _Anchor(node, closed.size, closed.height)
        self._place(node, closed.size, closed.height)

    def _place(self, node: Node, size: int, height: int) -> None:
        """Put a whole value where it belongs."""
        if not self._open:
            self._root = node
            return
        top = self._open[-1]
        top.size += size
        if height >= top.height:
            top.height = height + 1
        if isinstance(top, _List):
            top.items.append(node)
        elif top.key is None:
            top.key = self._key_of(node)
        else:
            self._enter(top, top.key, node)
            top.key = None

    def _key_of(self, node: Node) -> _Key:
        """The key that is an alias, a map or a list."""
        if isinstance(node, Scalar):
            try:
                return _Key(scalars.key(node.value), node.span)
            except scalars.UnreadableError as error:
                self._refuse(node.span, error)
                return _Key(None, node.span)
        what = "a map" if isinstance(node, Mapping) else "a list"
        self._report(command_rules.MANIFEST_VALUE(node.span, what=what, reason="a key must be a single word"))
        return _Key(None, node.span)

    def _enter(self, top: _Map, key: _Key, node: Node) -> None:
        if key.merge:
            self._merge(top, key, node)
        if key.name is None:
            return
        first = top.written.setdefault(key.name, key.span)
        if first is not key.span:
            self._report(set_twice(key.name, key.span, first))
        top.entries[key.name] = Entry(key.name, key.span, node)

    def _merge(self, top: _Map, key: _Key, node: Node) -> None:
        """Enter what ``<<`` brings; of a list, the first map wins."""
        maps = list(node.items) if isinstance(node, Sequence) else [node]
        for one in reversed(maps):
            if isinstance(one, Mapping):
                top.entries.update(one.entries)
            else:
                reason = "it takes a map or a list of maps, most often an alias of one"
                self._report(command_rules.MANIFEST_VALUE(key.span, what="<<", reason=reason))
                return

    # --- aliases

    def _alias(self, event: of.AliasEvent) -> None:
        span = Span(self._source, start_of(event), end_of(event))
        self._last = span.end
        anchor = self._anchored(event.anchor or "", span)
        self._place(anchor.node, anchor.size, anchor.height)

    def _anchored(self, name: str, span: Span) -> _Anchor:
        nothing = _Anchor(Scalar(None, span), 1, 0)
        if name not in self._anchors:
            diagnostic = command_rules.MANIFEST_ALIAS(span, alias=f"*{name}", reason=f"has no anchor &{name} before it")
            self._report(diagnostic.help(f'if it is a text, put it in quotes: "{span.text}"'))
            return nothing
        anchor = self._anchors[name]
        if anchor is None:
            self._report(
                command_rules.MANIFEST_ALIAS(span, alias=f"*{name}", reason="is within the value that it stands for")
            )
            return nothing
        if len(self._open) + anchor.height > DEEPEST:
            self._report(command_rules.MANIFEST_TOO_DEEP(span, limit=DEEPEST))
            return nothing
        told = self._aliased > MOST_ALIASED
        most = min(MOST_ALIASED, max(FEW_ALIASED, MOST_OF_ONE * self._written))
        self._aliased += anchor.size
        if self._aliased > most:
            if not told:
                reason = f"brings the document to more than {most:,} values from aliases"
                self._report(command_rules.MANIFEST_ALIAS(span, alias=f"*{name}", reason=reason))
            self._aliased = MOST_ALIASED + 1  # no further one is taken, and none is told
            return nothing
        return anchor


# --- syntax errors ---
#
# What the parser says about a text that is not YAML, in words that name the user's mistake.


class _Words(Record):
    """``reason``: what is wrong. ``advice``: what to write. ``within``: what the label at the parser's context says.

    ``at_context``: the mistake is where the parser's context begins, not where it gave up.
    """

    reason: str
    advice: str = ""
    within: str = ""
    at_context: bool = False


_TAB = _Words("a tab is part of the indentation", "indent with spaces")
_UNCLOSED = _Words("this text has no closing quote", at_context=True)
_QUOTE = "put the text in quotes"
# What the two parsers of PyYAML say, and where: the first line whose words are in theirs.
_KNOWN: Final[tuple[tuple[str, str, _Words], ...]] = (
    ("", "found a tab character", _TAB),
    ("", "found character '\\t' that cannot start", _TAB),
    ("quoted scalar", "found unexpected end of stream", _UNCLOSED),
    ("quoted scalar", "found unexpected document", _UNCLOSED),
    ("quoted scalar", "found unknown escape character", _Words("this is not an escape", "write \\\\ for a backslash")),
    ("quoted scalar", "did not find expected hexdecimal number", _Words("an escape lacks hexadecimal digits")),
    ("quoted scalar", "expected escape sequence", _Words("an escape lacks hexadecimal digits")),
    ("quoted scalar", "found invalid Unicode character", _Words("this escape is not a character")),
    (
        "",
        "mapping values are not allowed",
        _Words(
            "a key and its colon cannot follow here", f"{_QUOTE}, or indent the line like the keys that it belongs to"
        ),
    ),
    (
        "simple key",
        "could not find expected ':'",
        _Words(
            "this line is neither a key with a value nor a list item",
            "write key: value, with a blank after the colon",
            at_context=True,
        ),
    ),
    (
        "",
        "block sequence entries are not allowed",
        _Words("a list item cannot begin here", "begin each item on a line of its own"),
    ),
    (
        "",
        "sequence entries are not allowed",
        _Words("a list item cannot begin here", "begin each item on a line of its own"),
    ),
    ("", "mapping keys are not allowed", _Words("a key cannot begin here")),
    (
        "block mapping",
        "",
        _Words(
            "this does not continue the map that it is indented for",
            "indent all keys of a map alike",
            "the map begins here",
        ),
    ),
    (
        "block collection",
        "",
        _Words(
            "this does not continue the list that it is indented for",
            "indent all items of a list alike",
            "the list begins here",
        ),
    ),
    ("flow mapping", "", _Words("expected a comma or }", within="this { is still open")),
    ("flow sequence", "", _Words("expected a comma or ]", within="this [ is still open")),
    ("scanning an alias", "", _Words("* begins the name of an alias", _QUOTE, at_context=True)),
    ("scanning an anchor", "", _Words("& begins the name of an anchor", _QUOTE, at_context=True)),
    ("", "found undefined tag handle", _Words("no %TAG line declares this tag")),
    ("tag", "", _Words("! begins the name of a tag", _QUOTE, at_context=True)),
    ("block scalar", "", _Words("a line end must follow | or >", at_context=True)),
    ("directive", "", _Words("% begins a directive of YAML", _QUOTE, at_context=True)),
    ("", "found incompatible YAML document", _Words("its version of YAML is not 1.1 or 1.2")),
    ("", "nesting depth", _Words("values are nested too deep")),
    ("", "<document start>", _Words("the document ends before this", "check the indentation of this line")),
    ("", "expected node content", _Words("a value is missing here")),
    ("", "expected the node content", _Words("a value is missing here")),
)


def diagnostic(source: Source, error: MarkedYAMLError) -> Diagnostic:
    """The message for ``error``."""
    context, problem = error.context or "", error.problem or ""
    words = _words(source, context, problem, error.problem_mark)
    context_mark = error.context_mark if context else None
    mark = context_mark if words.at_context and context_mark is not None else error.problem_mark
    found = command_rules.MANIFEST_SYNTAX(_span(source, mark), form="YAML", reason=words.reason)
    if words.within and context_mark is not None:
        found = found.note(_span(source, context_mark), words.within)
    return found.help(words.advice) if words.advice else found


def _words(source: Source, context: str, problem: str, mark: Mark | None) -> _Words:
    text = source.text
    at = mark.index if mark is not None else 0
    if "cannot start any token" in problem:
        character = text[at : at + 1]
        return _TAB if character == "\t" else _Words(f"a text without quotes cannot begin with {character}", _QUOTE)
    if "flow" in context and not text[at:].strip():
        return _Words("it ends before the last bracket is closed", within="this bracket is still open")
    if "parsing a block" in context and text[text.rfind("\n", 0, at) + 1 : at].strip(" -"):
        return _Words("the value ends before this", _QUOTE)
    for where, what, words in _KNOWN:
        if where in context and what in problem:
            return words
    return _Words(problem or "it has no form")


def _span(source: Source, mark: Mark | None) -> Span:
    """The character at ``mark``; where only blanks follow, the last one before them."""
    at = mark.index if mark is not None else 0
    if source.text[at:].strip():
        return Span(source, at, at + 1)
    end = len(source.text.rstrip())
    return Span(source, max(0, end - 1), end)


MOST_MESSAGES: Final = 100
"""The most messages about one text."""


@without_gc
def read(source: Source, report: Report) -> list[Document]:
    """The documents of ``source``, YAML or JSON, in order; empty ones are left out.

    What is wrong goes to ``report``. Where the text ends to be YAML, the documents before that are given.
    """
    if templates.is_of_simpletfjob(source.text):
        return read_template(source, report)
    diagnostics: list[Diagnostic] = []
    documents = _documents(source, diagnostics.append)
    template = None
    if diagnostics or templates.HELM.search(source.text) is not None:
        template = templates.diagnostic(source)
    if template is not None:
        documents = []  # what is no YAML there becomes YAML when the template is rendered
        wrong: list[Diagnostic] = []
        if templates.has_values_alone(source.text):
            documents = read_template(source, wrong.append)
        diagnostics = [] if documents and not wrong else [template]
        documents = documents if not diagnostics else []
    elif not documents and not diagnostics:
        diagnostics = [command_rules.MANIFEST_EMPTY(Span(source, 0, 0), path=source.path)]
    for diagnostic in diagnostics[:MOST_MESSAGES]:
        report(diagnostic)
    return documents


def read_template(source: Source, report: Report) -> list[Document]:
    """Like :func:`read`, for YAML in which ``{{…}}`` is part of a word, wherever it stands."""
    return _of_yaml(source, report, templates.hidden(source.text), hidden=True)


def _documents(source: Source, report: Report) -> list[Document]:
    """The documents of ``source``. What begins like JSON but is not JSON is read as YAML, as kubectl does."""
    if not json.is_likely(source.text):
        return _of_yaml(source, report, source.text)
    diagnostics: list[Diagnostic] = []
    nodes = json.read(source, diagnostics.append)
    documents = [Document(source, node, "json") for node in nodes or ()]
    if nodes is None:
        of_yaml: list[Diagnostic] = []
        documents = _of_yaml(source, of_yaml.append, source.text)
        # If it is neither, the error is that of the form that its name says, or of the one that was right for longer.
        if not of_yaml or not (source.path.endswith(".json") or diagnostics[-1].span.start >= of_yaml[-1].span.start):
            diagnostics = of_yaml
        else:
            documents = []
    for diagnostic in diagnostics:
        report(diagnostic)
    return documents


def _of_yaml(source: Source, report: Report, text: str, *, hidden: bool = False) -> list[Document]:
    """The documents of ``text``, which has the places of ``source``. ``hidden``: it has hidden braces."""
    if text.startswith("\ufeff"):  # which only one of the two parsers counts
        text = f"\n{text[1:]}"
    forbidden = FORBIDDEN.search(text)
    if forbidden is not None:
        at = forbidden.start()
        reason = f"it contains the character U+{ord(forbidden[0]):04X}"
        report(command_rules.MANIFEST_SYNTAX(Span(source, at, at + 1), form="YAML", reason=reason))
        text = text[: text.rfind("\n---", 0, at) + 1]
    composer = Composer(source, report)
    nodes: list[Node] = []
    end = len(text)
    try:
        for node in composer.documents(_with_braces(events(text)) if hidden else events(text)):
            nodes.append(node)  # noqa: PERF402 - those before an error are kept
    except MarkedYAMLError as error:
        report(diagnostic(source, error))
        end = error.problem_mark.index if error.problem_mark is not None else 0
    except TooDeepError:
        end = 0
    except YAMLError as error:  # pragma: no cover - libyaml's reader, which is given no text that it refuses
        report(command_rules.MANIFEST_SYNTAX(Span(source, 0, 0), form="YAML", reason=str(error)))
    remarks = tuple(comments(source, composer.hashed, end)) if nodes else ()
    return [Document(source, node, comments=remarks) for node in nodes]


def _with_braces(hidden: Iterator[Event]) -> Iterator[Event]:
    for event in hidden:
        if isinstance(event, ScalarEvent):
            event.value = templates.shown(event.value)
        yield event
