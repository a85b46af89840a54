"""Trees from the events of a YAML text, without recursion: aliases, merge keys, keys that are set twice.

What the server reads is the measure (:mod:`tfdsl.manifest.scalars`): the last of two equal keys wins, and so does a
``<<`` over the keys before it. What it refuses is told, and null stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from yaml import events as of

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics import import_rules as rules
from tfdsl.manifest import scalars
from tfdsl.manifest.events import end_of, start_of
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence
from tfdsl.manifest.reports import DEEPEST, set_twice
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Source, Span

MOST_ALIASED: Final = 400_000
"""The most values of one document that are written as aliases, each counted as often as it is used."""

_PROPERTIES = regex(r"(?:(?:&[0-9A-Za-z_-]+|!\S*)(?:\s+(?:#[^\r\n]*\s*)*)?)+")
"""Anchor and tag of a value, with what separates them from it."""
_LINE_END = regex("[\r\n\x85\u2028\u2029]")
_BLOCK_STYLES = frozenset("|>")


class TooDeepError(Exception):
    """Reading ends here; it has been told."""


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
    """A map that is being read. ``written``: the keys that stand in the text, apart from those of merged maps."""

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

    def __init__(self, source: Source, report: Callable[[Diagnostic], None]) -> None:
        self._source = source
        self._report = report
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchor | None] = {}  # None: its value has only begun
        self._aliased = 0
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
                action(event)
            elif isinstance(event, of.DocumentStartEvent):
                self._root = None
                self._anchors.clear()
                self._aliased = 0
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

    def _sent(self, event: of.ScalarEvent, span: Span) -> scalars.Value:
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
        self._report(rules.MANIFEST_VALUE(span, what=what, reason=str(error)))

    # --- maps and lists

    def _start(self, event: of.CollectionStartEvent) -> None:
        if len(self._open) == DEEPEST:
            start = start_of(event)
            self._report(rules.MANIFEST_TOO_DEEP(Span(self._source, start, start + 1), limit=DEEPEST))
            raise TooDeepError
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._last = end_of(event)
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
        self._report(rules.MANIFEST_VALUE(node.span, what=what, reason="a key must be a single word"))
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
                self._report(rules.MANIFEST_VALUE(key.span, what="<<", reason=reason))
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
            diagnostic = rules.MANIFEST_ALIAS(span, alias=f"*{name}", reason=f"has no anchor &{name} before it")
            self._report(diagnostic.help(f'if it is a text, put it in quotes: "{span.text}"'))
            return nothing
        anchor = self._anchors[name]
        if anchor is None:
            self._report(rules.MANIFEST_ALIAS(span, alias=f"*{name}", reason="is within the value that it stands for"))
            return nothing
        if len(self._open) + anchor.height > DEEPEST:
            self._report(rules.MANIFEST_TOO_DEEP(span, limit=DEEPEST))
            return nothing
        told = self._aliased > MOST_ALIASED
        self._aliased += anchor.size
        if self._aliased > MOST_ALIASED:
            if not told:
                reason = f"brings the document to more than {MOST_ALIASED:,} values from aliases"
                self._report(rules.MANIFEST_ALIAS(span, alias=f"*{name}", reason=reason))
            return nothing
        return anchor
