"""The context of a place, by the tokens around it: available for broken text too, and at once.

The tokens before the place are read into a stack of brackets, each with the statements in it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from tfdsl.lsp.snapshot import Snapshot
from tfdsl.syntax import _tables as tables, lexer
from tfdsl.syntax.lexer import CLOSERS, Lexed, comment_places, lex


def open_interpolation(text: str, start: int, offset: int) -> int | None:
    """Where the expression begins that ``offset`` is inside of, in the string that begins at ``start``, if any."""
    block = text.startswith('"""', start)
    at = start + (3 if block else 1)
    while at < offset:
        if text[at] == '"' and not block:
            return None
        if text[at] == "\\":
            at += 2
        elif text.startswith("${", at):
            begin = at + 2
            if begin > offset:
                return None
            at = _closing(text, begin, offset)
            if at >= offset:
                return begin
            at += 1
        else:
            at += 1
    return None


def _closing(text: str, at: int, offset: int) -> int:
    """The offset of the brace that closes an interpolation; ``offset`` if it is not closed before it."""
    depth = 0
    quoted = False
    while at < offset:
        char = text[at]
        if quoted:
            at += char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char == "{":
            depth += 1
        elif char == "}":
            if depth == 0:
                return at
            depth -= 1
        at += 1
    return offset


Kind: TypeAlias = Literal[
    "file", "job", "role", "target", "template", "profile", "cluster", "build", "matrix", "prepare", "sidecar",
    "param", "mount", "output", "flow", "map", "list", "call", "group", "index",
]  # fmt: skip
Where: TypeAlias = Literal["code", "string", "interpolation", "comment"]

BLOCKS = (
    *("file", "job", "role", "target", "template", "profile", "cluster", "build", "matrix", "prepare", "sidecar"),
    *("param", "mount", "output", "flow"),
)
"""Frames that hold statements; in the others stand values."""

_STRINGS = ("STRING", "TEXT", "RAW")
_HEADS: dict[str, Kind] = {
    "JOB": "job",
    "ROLE": "role",
    "TARGET": "target",
    "TEMPLATE": "template",
    "PROFILE": "profile",
    "CLUSTER": "cluster",
    "BUILD": "build",
    "MATRIX": "matrix",
    "PREPARE": "prepare",
    "SIDECAR": "sidecar",
    "PARAM": "param",
    "MOUNT": "mount",
    "OUTPUT": "output",
    "FLOW": "flow",
}
_OPENERS = {lexer.LBRACE, lexer.LSQB, lexer.LPAR}
_CLOSERS = {lexer.RBRACE, lexer.RSQB, lexer.RPAR}
_COMMA = lexer.OPERATORS[","]
_EQUAL = "EQUAL"
_HEAD = 6
"""Tokens that are kept of a statement behind the place."""


class Tok(NamedTuple):
    """One token; ``type`` is a terminal of the grammar."""

    type: str
    text: str
    start: int
    end: int


class Frame:
    """An open bracket. ``head``: the statement before it; ``statements``: those in it, the last one is going on."""

    __slots__ = ("bracket", "head", "kind", "open", "statements")

    def __init__(self, kind: Kind, head: tuple[Tok, ...], open_: int, bracket: int = lexer.END) -> None:
        self.bracket = bracket
        self.kind: Kind = kind
        self.head = head
        self.open = open_
        self.statements: list[list[Tok]] = [[]]

    @property
    def name(self) -> str:
        """The word behind the keyword of a block: the role, the target …"""
        return self.head[1].text if len(self.head) > 1 else ""


class Cursor(NamedTuple):
    """A place and what is around it.

    ``frames``: the open brackets, outermost first. ``before``: the tokens of the statement (in a call: of all
    arguments, in an interpolation: of its expression) before the word at the place; ``prefix`` is that word up to the
    place and begins at ``start``. ``string``: the string that the place is in. ``after``: the first token behind.
    """

    where: Where
    frames: tuple[Frame, ...]
    before: tuple[Tok, ...]
    prefix: str
    start: int
    string: Tok | None
    after: Tok | None

    @property
    def frame(self) -> Frame:
        """The innermost bracket that is open at the place."""
        return self.frames[-1]

    @property
    def block(self) -> Frame:
        """The innermost bracket that holds statements."""
        return next(frame for frame in reversed(self.frames) if frame.kind in BLOCKS)

    @property
    def statement(self) -> tuple[Tok, ...]:
        """The statement of the innermost block up to the place."""
        block = self.frames.index(self.block)
        if block + 1 < len(self.frames):
            return self.frames[block + 1].head
        return self.before if self.where != "interpolation" else tuple(block_statement(self.block))

    def inside(self, kind: Kind) -> Frame | None:
        """The innermost open bracket of a kind."""
        return next((frame for frame in reversed(self.frames) if frame.kind == kind), None)


def block_statement(frame: Frame) -> list[Tok]:
    """The statement that is going on in a block."""
    return frame.statements[-1]


def cursor_at(snapshot: Snapshot, offset: int) -> Cursor:
    """What is around ``offset``."""
    lexed = snapshot.lexed
    frames = [Frame("file", (), 0)]
    word: Tok | None = None
    string: Tok | None = None
    at = 0
    for at, type_ in enumerate(lexed.types):
        start, end = lexed.starts[at], lexed.ends[at]
        if start >= offset or type_ == lexer.END:
            break
        token = Tok(tables.TERMINALS[type_], lexed.text(at), start, end)
        if token.type in _STRINGS and (offset < end or _reaches(lexed, token, offset)):
            string = token
            break
        if offset <= end and _is_word(token):
            word = token
            break
        _step(frames, type_, token)
    where: Where = "string" if string is not None else "comment" if _in_comment(lexed, offset) else "code"
    begin = word.start if word is not None else offset
    behind = _complete(frames, lexed, at, offset)
    before = tuple(frames[-1].statements[-1])
    if string is not None:
        inner = None if string.type == "RAW" else open_interpolation(snapshot.source.text, string.start, offset)
        if inner is not None:
            return _interpolation(snapshot, frames, string, inner, offset)
        begin = min(string.start + (1 if string.type == "STRING" else 3), offset)
    return Cursor(where, tuple(frames), before, snapshot.source.text[begin:offset], begin, string, behind)


def _reaches(lexed: Lexed, string: Tok, offset: int) -> bool:
    """Whether an unfinished string goes on to the place: the lexer ends it where it thinks best."""
    text = lexed.source.text
    if string.start in lexed.unclosed and offset == string.end:
        return True
    same_line = string.type == "STRING" and "\n" not in text[string.start : offset]
    return same_line and open_interpolation(text, string.start, offset) is not None


def _is_word(token: Tok) -> bool:
    return token.text[:1].isalnum() or token.text[:1] == "_"


def _in_comment(lexed: Lexed, offset: int) -> bool:
    return any(start < offset <= end for start, end in comment_places(lexed))


def _step(frames: list[Frame], type_: int, token: Tok) -> None:
    frame = frames[-1]
    if type_ in _OPENERS:
        frames.append(Frame(_kind(frame, type_), tuple(frame.statements[-1]), token.start, type_))
    elif type_ in _CLOSERS:
        closed = _closed(frames, type_)
        if closed is not None:
            text = "{}" if closed.kind in BLOCKS or closed.kind == "map" else "()"
            frames[-1].statements[-1].append(Tok("GROUP", text, closed.open, token.end))
    elif type_ == lexer.NEWLINE or type_ == _COMMA:
        if frame.kind in ("call", "group", "index"):
            if type_ == _COMMA:
                frame.statements[-1].append(token)
        elif not (type_ == lexer.NEWLINE and _goes_on(frame)):
            frame.statements.append([])
    else:
        frame.statements[-1].append(token)


def _closed(frames: list[Frame], type_: int) -> Frame | None:
    """The frame that a bracket closes, taken off with those inside it; a bracket that fits nothing closes nothing.

    A brace closes what was left open inside it, the other brackets close nothing beyond a brace.
    """
    for at in range(len(frames) - 1, 0, -1):
        if CLOSERS[frames[at].bracket] == type_:
            closed = frames[at]
            del frames[at:]
            return closed
        if frames[at].bracket == lexer.LBRACE:
            return None
    return None


def _goes_on(frame: Frame) -> bool:
    """Whether a line end follows an operator, so that the value continues."""
    last = frame.statements[-1][-1:]
    return bool(last) and last[0].type in _CONTINUES


_CONTINUES = {tables.TERMINALS[type_] for type_ in lexer.INFIX} | {"QMARK", "COLON"}


def _kind(frame: Frame, type_: int) -> Kind:
    """What kind of bracket opens behind the tokens of the statement."""
    words = frame.statements[-1]
    last = words[-1].type if words else ""
    if type_ == lexer.LPAR:
        return "call" if words and _is_word(words[-1]) else "group"
    if type_ == lexer.LSQB:
        return "index" if words and (_is_word(words[-1]) or last == "GROUP") and words[0].type != "ON" else "list"
    if frame.kind not in BLOCKS or any(word.type in (_EQUAL, "APPEND") for word in words):
        return "param" if _closes_param(words) else "map"
    return _HEADS.get(words[0].type, "map") if words else "map"


def _closes_param(words: list[Tok]) -> bool:
    """Whether braces behind ``param NAME: TYPE = DEFAULT`` are its settings: the ``=`` has a value."""
    return bool(words) and words[0].type == "PARAM" and words[-1].type not in (_EQUAL, *_CONTINUES)


def _complete(frames: list[Frame], lexed: Lexed, at: int, offset: int) -> Tok | None:
    """Add to each frame the beginnings of the statements behind the place; gives the first token behind it."""
    depth, level = 0, len(frames) - 1
    first: Tok | None = None
    later: list[list[Tok]] = [[]] if "\n" in lexed.source.text[offset : max(lexed.starts[at], offset)] else []
    for i in range(at, len(lexed.types)):
        type_ = lexed.types[i]
        if lexed.ends[i] <= offset or type_ == lexer.END:
            continue
        if lexed.starts[i] >= offset and first is None:
            first = Tok(tables.TERMINALS[type_], lexed.text(i), lexed.starts[i], lexed.ends[i])
        if type_ in _OPENERS:
            depth += 1
        elif type_ in _CLOSERS:
            depth -= 1
            if depth < 0 and level > 0:
                frames[level].statements[-1:-1] = later
                level, depth, later = level - 1, 0, []
        elif depth == 0 and (type_ == lexer.NEWLINE or type_ == _COMMA):
            later.append([])
        elif depth == 0 and later and len(later[-1]) < _HEAD:
            later[-1].append(Tok(tables.TERMINALS[type_], lexed.text(i), lexed.starts[i], lexed.ends[i]))
    frames[level].statements[-1:-1] = later
    return first


def _interpolation(snapshot: Snapshot, frames: list[Frame], string: Tok, start: int, offset: int) -> Cursor:
    """The expression of ``${…}`` from ``start`` up to the place."""
    lexed = lex(snapshot.source, start, offset, inside=True)
    inner = [*frames, Frame("group", tuple(frames[-1].statements[-1]), start, lexer.LPAR)]
    word: Tok | None = None
    for i, type_ in enumerate(lexed.types):
        token = Tok(tables.TERMINALS[type_], lexed.text(i), lexed.starts[i], lexed.ends[i])
        if type_ == lexer.END:
            break
        if token.end == offset and _is_word(token):
            word = token
            break
        _step(inner, type_, token)
    begin = word.start if word is not None else offset
    before = tuple(inner[-1].statements[-1])
    return Cursor("interpolation", tuple(inner), before, snapshot.source.text[begin:offset], begin, string, None)
