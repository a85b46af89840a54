"""A draft as the text of a job, with the statement that each part of the text came from.

The text is in the language's order and not laid out; :func:`tfdsl.syntax.format.format_source` does that.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.backend.draft import (
    Attribute,
    Bare,
    Block,
    Draft,
    Mount,
    Output,
    Param,
    Patch,
    Policy,
    Statement,
    Step,
    Text,
    Value,
)
from tfdsl.emit.header import stated
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.semantics.request import Given
from tfdsl.text import Source, Span
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.attributes import ROLE_NAMES

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Comment


# --- values ------------------------------------------------------------------------------------------------------


_NAME: Final = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# What a string cannot hold as it is: other control characters, and those that change the writing direction.
_HIDDEN: Final = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_LONG: Final = 88


def literal(value: Value) -> str:
    """``value`` as an expression."""
    if isinstance(value, Bare):
        return value.words
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Text):
        return _pieces(value)
    if isinstance(value, Mapping):
        return map_of({name: literal(entry) for name, entry in value.items()})
    return list_of([literal(item) for item in value])


def text(value: str) -> str:
    """A string; one of several lines as a text block."""
    if "\n" in value[:-1] and not _HIDDEN.search(value):
        block = _raw_block(value) if "'''" not in value else _text_block(_escaped_block(value))
        if block is not None:
            return block
    return f'"{_escaped(value)}"'


def key(name: str) -> str:
    """The key of a map or the name of a step."""
    return name if _NAME.fullmatch(name) else f'"{_escaped(name)}"'


def map_of(entries: Mapping[str, str]) -> str:
    """A map of expressions, on one line where it fits."""
    items = [f"{key(name)} = {value}" for name, value in entries.items()]
    if _fits(items):
        return f"{{ {', '.join(items)} }}" if items else "{}"
    return "{\n" + "\n".join(items) + "\n}"


def list_of(items: list[str]) -> str:
    """A list of expressions, on one line where it fits."""
    if _fits(items):
        return f"[{', '.join(items)}]"
    return "[\n" + "".join(f"{item},\n" for item in items) + "]"


def _fits(items: list[str]) -> bool:
    return sum(len(item) + 2 for item in items) <= _LONG and not any("\n" in item for item in items)


def _escaped(value: str) -> str:
    plain = "".join(_ESCAPES.get(char, char) for char in value).replace("${", "\\${")
    return _HIDDEN.sub(lambda found: f"\\u{{{ord(found.group()):X}}}", plain)


def _escaped_block(value: str) -> str:
    return value.replace("\\", "\\\\").replace("${", "\\${").replace('"""', '\\"""').replace("\r", "\\r")


def _raw_block(value: str) -> str | None:
    """``value`` between ``'''``; ``None`` where its last line would be taken for indentation."""
    if value.endswith("\n"):
        return f"'''\n{value}'''"
    last = value[value.rfind("\n") + 1 :]
    if last[:1] in (" ", "\t") or last.endswith("'"):
        return _text_block(_escaped_block(value))
    return f"'''\n{value}'''"


def _text_block(escaped: str) -> str | None:
    """Text that is escaped already between triple quotes; a backslash takes away the last line end if it has none."""
    if escaped.endswith("\n"):
        return f'"""\n{escaped}"""'
    if escaped.endswith((" ", "\t", "\\", '"')):  # the formatter may drop blanks, and a mark could not be told apart
        return None
    return f'"""\n{escaped}\\\n"""'


def _pieces(value: Text) -> str:
    """A string with ``${}`` in it."""

    def joined(escape: Callable[[str], str]) -> str:
        return "".join(escape(part) if isinstance(part, str) else f"${{{part.words}}}" for part in value.parts)

    whole = "".join(part for part in value.parts if isinstance(part, str))
    if "\n" in whole[:-1] and not _HIDDEN.search(whole):
        block = _text_block(joined(_escaped_block))
        if block is not None:
            return block
    return f'"{joined(_escaped)}"'


# --- jobs --------------------------------------------------------------------------------------------------------


_FIRST: Final = ("replicas", "min_available", "after", "server", "logdir",
                 "image", "image_pull_policy", "image_pull_secrets", "command", "args", "workdir", "env", "env_from",
                 "namespace", "common_labels", "labels", "annotations")  # fmt: skip
_ORDER: Final = {name: number for number, name in enumerate(dict.fromkeys((*_FIRST, *attributes.BY_NAME)))}
_JOB_NAME: Final = regex(r"[A-Za-z_][A-Za-z0-9_-]*")
_LINE: Final = 100
_FEW: Final = 5


class Part(Record):
    """Characters ``start`` to ``end`` of a written text, and the statement that they are."""

    start: int
    end: int
    statement: Statement


class Draught(Record):
    """A written text. ``parts``: those of statements, in order; a part of a map is inside the part of no other."""

    text: str
    parts: tuple[Part, ...]

    def statement_at(self, offset: int) -> Statement | None:
        """The statement that stands at ``offset``."""
        following = bisect_right(self.parts, offset, key=lambda part: part.start)
        part = self.parts[following - 1] if following else None
        return part.statement if part is not None and offset < part.end else None


class Let(Record):
    """``let NAME = VALUE``."""

    name: str
    value: Value


def write(drafts: Sequence[Draft], lets: Sequence[Let] = (), comments: Mapping[int, Sequence[str]] | None = None,
          head: Sequence[str] = ()) -> Draught:  # fmt: skip
    """The text of ``drafts``.

    ``comments``: those above a statement, by its ``id``, and above a role or a job, by that of its block. ``head``:
    those of the file.
    """
    out = _Out(comments or {})
    for line in head:
        out.line(f"# {line}".rstrip())
    for param in _params(drafts):
        out.line(_declaration(param))
    for let in lets:
        out.line(f"let {let.name} = {literal(let.value)}")
    for draft in drafts:
        if out.size:
            out.line("")
        _job(out, draft)
    return Draught("".join(out.pieces), tuple(out.parts))


def _params(drafts: Sequence[Draft]) -> list[Param]:
    """The params of ``drafts``, each once."""
    return list({param.name: param for draft in drafts for param in draft.params}.values())


def _declaration(param: Param) -> str:
    default = "" if param.default is None else f" = {literal(param.default)}"
    return f"param {param.name}: {param.type}{default} {{ description = {literal(param.description)} }}"


def examples(drafts: Sequence[Draft]) -> tuple[Given, ...]:
    """Values for the params of ``drafts`` that have no default."""
    without = [param for param in _params(drafts) if param.default is None]
    return tuple(Given(param.name, Source("param", param.example)) for param in without)


class _Out:
    """The text so far."""

    def __init__(self, comments: Mapping[int, Sequence[str]]) -> None:
        self.comments = comments
        self.pieces: list[str] = []
        self.size = 0
        self.parts: list[Part] = []

    def put(self, text: str, statement: Statement | None = None) -> None:
        """Append ``text``, which is ``statement``."""
        if statement is not None:
            self.parts.append(Part(self.size, self.size + len(text), statement))
        self.pieces.append(text)
        self.size += len(text)

    def line(self, text: str, statement: Statement | None = None) -> None:
        """Append ``text`` and a line end."""
        self.put(text, statement)
        self.put("\n")

    def comment(self, above: Statement | Block) -> None:
        """Append the comments above a statement, a role or a job."""
        lines = list(self.comments.get(id(above), ()))
        if isinstance(above, Patch) and above.why:
            lines += above.why.split("\n")
        for line in lines:
            self.line(f"# {line}".rstrip())


def _job(out: _Out, draft: Draft) -> None:
    title = draft.name if draft.title is None else draft.title
    name = title if isinstance(title, str) and _JOB_NAME.fullmatch(title) else literal(title)
    out.comment(draft.job)
    out.line(f"job {name} {{")
    attributes_, others = _split(draft.job)
    _attributes(out, attributes_)
    _group(out, [one for one in others if isinstance(one, Mount | Output)])
    _group(out, [one for one in others if isinstance(one, Step)])
    out.line("")
    for role in ROLE_NAMES:
        if role in draft.roles:
            _role(out, role, draft.roles[role])
    _group(out, [one for one in others if isinstance(one, Policy)])
    if draft.cluster:
        out.line("")
        settings = ", ".join(f"{name} = {literal(value)}" for name, value in draft.cluster.items())
        out.line(f"cluster {{ {settings} }}")
    _target(out, draft)
    out.line("}")


def _target(out: _Out, draft: Draft) -> None:
    roles = {name: block for name, block in draft.role_options.items() if block.statements}
    if not (draft.options.statements or roles or draft.version):
        return
    out.line("")
    out.line(f"target {draft.target} {{")
    if draft.version:
        out.line(f"version = {literal(draft.version)}")
    settings, others = _split(draft.options)
    _attributes(out, settings)
    patches = [one for one in others if isinstance(one, Patch)]
    for other in others:
        if not isinstance(other, Patch):
            _statement(out, other)
    for role in ROLE_NAMES:
        if role in roles:
            _role(out, role, roles[role])
    for patch in patches:
        _statement(out, patch)
    out.line("}")


def _role(out: _Out, name: str, block: Block) -> None:
    settings, others = _split(block)
    out.comment(block)
    if not block.statements:
        out.line(f"role {name} {{ }}")
        return
    if not others and _is_short(out, settings):
        out.put(f"role {name} {{ ")
        for number, one in enumerate(settings):
            out.put(", " if number else "")
            out.put(_assignment(one), one)
        out.line(" }")
        return
    out.line(f"role {name} {{")
    _attributes(out, settings)
    for other in others:
        _statement(out, other)
    out.line("}")


def _is_short(out: _Out, settings: Sequence[Attribute]) -> bool:
    if len(settings) > _FEW or any(setting.key is not None or out.comments.get(id(setting)) for setting in settings):
        return False
    words = [_assignment(setting) for setting in settings]
    return not any("\n" in word for word in words) and sum(len(word) + 2 for word in words) < _LINE - 20


def _split(block: Block) -> tuple[list[Attribute], list[Statement]]:
    """The attributes in the language's order, and the rest as it was added."""
    settings = [statement for statement in block.statements if isinstance(statement, Attribute)]
    settings.sort(key=lambda setting: _ORDER.get(setting.name, len(_ORDER)))
    return settings, [statement for statement in block.statements if not isinstance(statement, Attribute)]


def _group(out: _Out, statements: Iterable[Statement]) -> None:
    """Statements of one kind, set apart from what is above them."""
    for number, statement in enumerate(statements):
        if not number:
            out.line("")
        _statement(out, statement)


def _attributes(out: _Out, settings: Sequence[Attribute]) -> None:
    number = 0
    while number < len(settings):
        one = settings[number]
        if one.key is None:
            out.comment(one)
            out.line(_assignment(one), one)
            number += 1
            continue
        entries = [each for each in settings[number:] if each.name == one.name and each.key is not None]
        _map(out, one.name, entries)
        number += len(entries)


def _map(out: _Out, name: str, entries: Sequence[Attribute]) -> None:
    words = [_entry(entry) for entry in entries]
    short = sum(len(word) + 2 for word in words) + len(name) < _LINE - 12 and not any("\n" in word for word in words)
    if short and not any(out.comments.get(id(entry)) for entry in entries):
        out.put(f"{name} = {{ ")
        for number, (one, word) in enumerate(zip(entries, words, strict=True)):
            out.put(", " if number else "")
            out.put(word, one)
        out.line(" }")
        return
    out.line(f"{name} = {{")
    for one, word in zip(entries, words, strict=True):
        out.comment(one)
        out.line(word, one)
    out.line("}")


def _assignment(attribute: Attribute) -> str:
    return f"{attribute.name} = {literal(attribute.value)}"


def _entry(attribute: Attribute) -> str:
    assert attribute.key is not None
    return f"{key(attribute.key)} = {literal(attribute.value)}"


def _statement(out: _Out, statement: Statement) -> None:
    out.comment(statement)
    out.line(_words(statement), statement)


def _words(statement: Statement) -> str:
    if isinstance(statement, Mount):
        source = f" {literal(statement.source)}" if statement.source is not None else ""
        readonly = " readonly" if statement.readonly else ""
        return f"mount {statement.kind}{source} at {literal(statement.at)}{readonly}{_block(statement.options)}"
    if isinstance(statement, Output):
        when = f" on {statement.when}" if statement.when != "success" else ""
        overwrite: tuple[tuple[str, Value], ...] = (("overwrite", True),) if statement.overwrite else ()
        of = f" from {statement.of}" if statement.of else ""
        return f"output {literal(statement.source)} to {literal(statement.destination)}{when}{of}{_block(overwrite)}"
    if isinstance(statement, Policy):
        return f"on {statement.event} => {statement.action}"
    if isinstance(statement, Step):
        return _step(statement)
    if isinstance(statement, Patch):
        return _patch(statement)
    return _assignment(statement)


def _block(options: Sequence[tuple[str, Value]]) -> str:
    words = [f"{name} = {literal(value)}" for name, value in options]
    return f" {{ {', '.join(words)} }}" if words else ""


def _step(step: Step) -> str:
    settings = sorted(step.statements, key=lambda each: _ORDER.get(each.name, len(_ORDER)))
    lines: list[str] = []
    for name in dict.fromkeys(each.name for each in settings):
        same = [each for each in settings if each.name == name]
        if same[0].key is None:
            lines.append(_assignment(same[0]))
        else:
            entries = ", ".join(map(_entry, same))
            lines.append(f"{name} = {{ {entries} }}" if len(entries) < _LINE - 20 and "\n" not in entries
                         else "\n".join((f"{name} = {{", *map(_entry, same), "}")))  # fmt: skip
    name = key(step.name)
    if not any("\n" in line for line in lines) and sum(len(line) + 2 for line in lines) < _LINE - 20:
        return f"{step.kind} {name} {{ {', '.join(lines)} }}" if lines else f"{step.kind} {name} {{ }}"
    return "\n".join((f"{step.kind} {name} {{", *lines, "}"))


def _patch(patch: Patch) -> str:
    pod = "pod " if patch.pod else ""
    path = literal(patch.path if patch.written is None else patch.written)
    if not patch.operator:
        return f"unpatch {pod}{path}"
    unchecked = " unchecked" if patch.unchecked else ""
    return f"patch {pod}{path} {patch.operator} {literal(patch.value)}{unchecked}"


# --- comments of a manifest: they move to the statements that were read from the lines they are about ------------


# A key whose value begins on the next line, or the name of an item whose value is there.
_BEGINS: Final = regex(r":\s*(?:[|>&!]\S*\s*)?$|^\s*-\s+(?:name|key)\s*:")


def remarks(drafts: Sequence[Draft], comments: Mapping[Source, Sequence[Comment]]) -> dict[int, list[str]]:
    """The comments above each statement, by its ``id``, and above each role and job, by that of its block.

    A comment alone on its line belongs to what the next line begins, another one to what is on its own line; where
    nothing begins there, to the statement that was read from what is around it. What belongs to nothing that is kept
    is dropped.
    """
    found: dict[int, list[str]] = {}
    for source, those in comments.items():
        lines = _Lines(drafts, source)
        above: dict[int, Statement | Block | None] = {}
        numbers = range(len(source.line_starts), 0, -1)
        last = next((number for number in numbers if source.line(number).strip()[:1] not in ("", "#")), 1)
        for following, text in _with_lines(source, those):
            line = min(following, last)  # a comment behind everything stands above the end of it
            if line not in above:
                above[line] = lines.said_at(line)
            one = above[line]
            if one is not None:
                found.setdefault(id(one), []).append(text)
    return found


def opening(source: Source, comments: Sequence[Comment]) -> list[str]:
    """The comments before everything else. The header of a generated file is no remark of an author."""
    return [comment.text for comment in _before_all(source, comments) if stated(comment.text) is None]


def _before_all(source: Source, comments: Sequence[Comment]) -> list[Comment]:
    found: list[Comment] = []
    end = 0
    for comment in comments:
        if source.text[end : comment.span.start].strip("- \t\r\n"):
            break
        found.append(comment)
        end = comment.span.end
    return found


def _with_lines(source: Source, comments: Sequence[Comment]) -> Iterator[tuple[int, str]]:
    """Each comment with the line that it is about; those of the head of the file are left out."""
    waiting: list[str] = []
    skipped = len(_before_all(source, comments))
    following = [source.position(comment.span.start)[0] for comment in comments]
    for number, comment in enumerate(comments):
        if number < skipped:
            continue
        line = following[number]
        if not comment.alone:
            yield line, comment.text
            continue
        waiting += [comment.text] if stated(comment.text) is None else []  # the header of a file that was joined
        if number + 1 < len(comments) and comments[number + 1].alone and following[number + 1] == line + 1:
            continue
        for text in waiting:
            yield line + 1, text
        waiting = []


class _Lines:
    """What was read from each line of ``source``: a statement, or the block of a role or a job."""

    def __init__(self, drafts: Iterable[Draft], source: Source) -> None:
        self._source = source
        self._begin: dict[int, tuple[int, Statement]] = {}
        self._around: dict[int, tuple[int, Statement]] = {}
        self._blocks: dict[int, Block] = {}
        for draft in drafts:
            for span, statement in _about_own_lines(draft, source):
                size, (first, _), (last, _) = (
                    span.end - span.start,
                    source.position(span.start),
                    source.position(span.end),
                )
                for line in range(first, last + 1):
                    for lines in (self._around, self._begin) if line == first else (self._around,):
                        if line not in lines or size < lines[line][0]:
                            lines[line] = (size, statement)
            for place, block in [
                (draft.span, draft.job),
                *((at, draft.roles[role]) for role, at in draft.places.items()),
            ]:
                if place.source is source:
                    self._blocks.setdefault(source.position(place.start)[0], block)

    def said_at(self, line: int) -> Statement | Block | None:
        """What a comment about ``line`` is about; ``None`` where nothing of it is kept."""
        if line in self._begin:
            return self._begin[line][1]
        if line in self._blocks:
            return self._blocks[line]
        if _BEGINS.search(self._source.line(line).partition("#")[0]) is not None:
            numbers = range(line + 1, len(self._source.line_starts) + 1)
            below = next((number for number in numbers if self._source.line(number).strip()[:1] not in ("", "#")), 0)
            if below in self._blocks:
                return self._blocks[below]
            if below in self._begin:
                return self._begin[below][1]
        return self._around[line][1] if line in self._around else None


def _about_own_lines(draft: Draft, source: Source) -> Iterator[tuple[Span, Statement]]:
    """The statements that were read from ``source``, without those that follow from what is around others."""
    own: list[tuple[Span, Statement]] = []
    for statement in (statement for block in draft.blocks() for statement in block.statements):
        parts = (statement, *(statement.statements if isinstance(statement, Step) else ()))
        own += [(part.span, statement) for part in parts if part.span is not None and part.span.source is source]
    starts = sorted((span.start, id(one)) for span, one in own)
    for span, one in own:
        inside = starts[bisect_left(starts, (span.start + 1, 0)) : bisect_left(starts, (span.end, 0))]
        if all(other == id(one) for _, other in inside):
            yield span, one
