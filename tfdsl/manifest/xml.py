"""XML as nodes with places.

An element with children is a map of them, by name; a child that is there several times is a list. An attribute is an
entry ``@name``, before the children. An element with neither is its text without the blanks around it, and of one that
has more the text, if any, is the entry ``#text``. Names keep their prefix (``xi:include``), comments are those of the
document, and CDATA is text.

Nothing is fetched and nothing is expanded: an entity that the file declares, or that only its DTD could, is an error at
its place.
"""

from __future__ import annotations

from typing import Final
from xml.parsers import expat

from tfdsl.diagnostics import Report, command_rules
from tfdsl.manifest.nodes import Comment, Document, Entry, Mapping, Node, Scalar, Sequence
from tfdsl.patterns import regex
from tfdsl.text import Source, Span

DEEPEST: Final = 100
"""Elements within each other. What people write has eight."""

MOST: Final = 1_000_000
"""Elements of one file."""

_TAG: Final = regex(r"""<[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>""")
_ATTRIBUTE: Final = regex(r"""([^\s=<>"'/]+)\s*=\s*("[^"]*"|'[^']*')""")


def read_xml(source: Source, report: Report) -> Document | None:
    """The document in ``source``: a map of its root element alone; ``None``, and a report, if there is none."""
    reader = _Reader(source)
    try:
        root = reader.read()
    except _RefusedError as refused:
        report(command_rules.BAD_XML(refused.span, problem=refused.problem))
        return None
    return Document(source, root, "xml", comments=tuple(reader.comments))


class _RefusedError(Exception):
    """Why the text is not read."""

    def __init__(self, problem: str, span: Span) -> None:
        super().__init__(problem)
        self.problem = problem
        self.span = span


class _Element:
    """An element that is being read. ``start``: of its tag; ``inner``: where what is in it starts."""

    def __init__(self, name: str, start: int, inner: int, attributes: list[Entry]) -> None:
        self.name = name
        self.start = start
        self.inner = inner
        self.attributes = attributes
        self.texts: list[str] = []
        self.children: dict[str, list[tuple[Span, Node]]] = {}


class _Reader:
    """One run over a source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.comments: list[Comment] = []
        self.open: list[_Element] = []
        self.root: Node | None = None
        self.elements = 0
        self.bytes = source.text.encode("utf-8", "surrogatepass")
        self.known = (0, 0)
        self.plain = len(self.bytes) == len(source.text)
        self.parser = expat.ParserCreate("utf-8")  # the text is decoded, whatever its declaration says
        self.parser.ordered_attributes = True
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.started
        self.parser.EndElementHandler = self.ended
        self.parser.CharacterDataHandler = self.text
        self.parser.CommentHandler = self.comment
        self.parser.EntityDeclHandler = self.entity
        self.parser.SkippedEntityHandler = self.skipped

    def read(self) -> Node:
        try:
            self.parser.Parse(self.bytes, True)
        except expat.ExpatError as error:
            problem = expat.ErrorString(error.code) or "it is not well formed"
            at = self.source.offset(error.lineno, error.offset + 1)
            raise _RefusedError(problem, Span(self.source, at, at + 1)) from None
        assert self.root is not None, "expat refuses a text without an element"
        return self.root

    # --- what expat reports ------------------------------------------------------------------------------------------

    def started(self, name: str, attributes: list[str]) -> None:
        start = self.here()
        self.elements += 1
        if len(self.open) >= DEEPEST or self.elements > MOST:
            limit = f"more than {DEEPEST} elements are inside each other"
            limit = limit if len(self.open) >= DEEPEST else f"it has more than {MOST} elements"
            raise _RefusedError(limit, Span(self.source, start, start + 1 + len(name)))
        end = self.tag_end(start)
        self.open.append(_Element(name, start, end, self.attributes(start, end, attributes)))

    def ended(self, name: str) -> None:
        element = self.open.pop()
        node = self.node(element, self.here())
        tag = Span(self.source, element.start + 1, element.start + 1 + len(name))
        if self.open:
            self.open[-1].children.setdefault(name, []).append((tag, node))
        else:
            self.root = Mapping({name: Entry(name, tag, node)}, tag.to(node.span))

    def text(self, text: str) -> None:
        self.open[-1].texts.append(text)

    def comment(self, text: str) -> None:
        start = self.here()
        span = Span(self.source, start, start + len(text) + len("<!---->"))
        line, column = self.source.position(start)
        before = self.source.line(line)[: column - 1]
        after = self.source.text[span.end : span.end + 200].partition("\n")[0]
        self.comments.append(Comment(text.strip(), span, not before.strip() and not after.strip()))

    def entity(self, name: str, *_: object) -> None:
        start = max(self.source.text.rfind("<!ENTITY", 0, self.here() + 1), 0)
        raise _RefusedError(f"it declares the entity {name}", Span(self.source, start, start + len("<!ENTITY")))

    def skipped(self, name: str, parameter: bool) -> None:
        start = self.here()
        if not parameter:
            problem = f"only its DTD, which is not read, could say what &{name}; is"
            raise _RefusedError(problem, Span(self.source, start, start + len(name) + 2))

    # --- nodes -------------------------------------------------------------------------------------------------------

    def node(self, element: _Element, end: int) -> Node:
        text = "".join(element.texts).strip()
        at = self.source.text.find(text[:40], element.inner, max(element.inner, end)) if text else -1
        start = at if at >= 0 else element.inner
        closed = self.source.text[element.inner : end].rstrip()
        place = Span(self.source, start, max(start, element.inner + len(closed)))
        if not element.children and not element.attributes:
            return Scalar(text, place)
        entries = {entry.key: entry for entry in element.attributes}
        if text:
            entries["#text"] = Entry("#text", place, Scalar(text, place))
        for name, found in element.children.items():
            nodes = tuple(node for _, node in found)
            value = nodes[0] if len(nodes) == 1 else Sequence(nodes, nodes[0].span.to(nodes[-1].span))
            entries[name] = Entry(name, found[0][0], value)
        spans = [span for entry in entries.values() for span in (entry.key_span, entry.value.span)]
        first, last = min(span.start for span in spans), max(span.end for span in spans)
        return Mapping(entries, Span(self.source, first, last))

    def attributes(self, start: int, end: int, given: list[str]) -> list[Entry]:
        """The attributes of the tag at ``start``: expat reports their values without places."""
        if not given:
            return []
        places = {match[1]: match for match in _ATTRIBUTE.finditer(self.source.text[start:end])}
        entries: list[Entry] = []
        for name, value in zip(given[::2], given[1::2], strict=True):
            match = places.get(name)
            key = Span(self.source, start + match.start(1), start + match.end(1)) if match else self.span(start, end)
            span = Span(self.source, start + match.start(2) + 1, start + match.end(2) - 1) if match else key
            entries.append(Entry(f"@{name}", key, Scalar(value, span)))
        return entries

    def tag_end(self, start: int) -> int:
        """The offset after the ``>`` of the tag at ``start``: a ``>`` in the value of an attribute does not end it."""
        match = _TAG.match(self.source.text, start)
        return match.end() if match else len(self.source.text)

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def here(self) -> int:
        """The offset in characters of what expat is at; it counts bytes, and only forward."""
        at = self.parser.CurrentByteIndex
        if self.plain:
            return at
        before, count = self.known
        if at < before:
            before, count = 0, 0
        count += len(self.bytes[before:at].decode("utf-8", "surrogatepass"))
        self.known = (at, count)
        return count
