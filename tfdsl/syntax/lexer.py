"""Text to tokens: one pass with one pattern; ``bad_tokens`` handles what the pattern does not match.

A token is three numbers in three parallel lists, because creating an object would take longer than reading the token.
Words have the number of their keyword; the parser falls back to NAME where the keyword does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Set

from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.syntax import _tables as tables
from tfdsl.text import Source

index = tables.TERMINALS.index
NAME, JOB_NAME, STRING, NEWLINE, END, ERROR = map(index, ("NAME", "JOB_NAME", "STRING", "_NEWLINE", "$END", "ERROR"))
LBRACE, RBRACE, LSQB, RSQB, LPAR, RPAR = map(index, ("LBRACE", "RBRACE", "LSQB", "RSQB", "LPAR", "RPAR"))
TEXT, RAW, NUMBER, UNIT = map(index, ("TEXT", "RAW", "NUMBER", "UNIT"))
KEYWORDS = dict(tables.KEYWORDS)
OPERATORS = dict(tables.OPERATORS)
COMMA, COLON, EQUAL, ARROW, DOT, UPTO = map(OPERATORS.__getitem__, (",", ":", "=", "=>", ".", ".."))
PLUS, MINUS, SLASH, BANG, AND, OR = map(OPERATORS.__getitem__, ("+", "-", "/", "!", "&&", "||"))
EQUALS, LESS, MORE, AT_LEAST = map(OPERATORS.__getitem__, ("==", "<", ">", ">="))
JOB, FLOW, ROLE, TARGET, TEMPLATE, PARAM, LET, INCLUDE = map(
    KEYWORDS.__getitem__, ("job", "flow", "role", "target", "template", "param", "let", "include")
)
MATRIX, PREPARE, SIDECAR, USE, UNSET = map(KEYWORDS.__getitem__, ("matrix", "prepare", "sidecar", "use", "unset"))
MOUNT, OUTPUT, ON, AFTER, WHEN, AT = map(KEYWORDS.__getitem__, ("mount", "output", "on", "after", "when", "at"))
CLOSERS = {LBRACE: RBRACE, LSQB: RSQB, LPAR: RPAR}
OPENERS = {closer: opener for opener, closer in CLOSERS.items()}
DECLARATION_WORDS = ("edition", "include", "param", "let", "template", "profile", "job", "flow")
DECLARATIONS = {KEYWORDS[word] for word in DECLARATION_WORDS}
STEPS = {PREPARE, SIDECAR}
NAMED_BLOCKS = {TEMPLATE, KEYWORDS["profile"], JOB, FLOW, ROLE, TARGET, *STEPS}
PLAIN_BLOCKS = {KEYWORDS["cluster"], KEYWORDS["build"], MATRIX}
ITEM_STARTS = {NEWLINE, COMMA, LBRACE}
INFIX = {OPERATORS[text] for text in ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||")}

# The most brackets that can be open in one place; deeper texts are refused because later stages are recursive.
MAX_NESTING = 100

# The most reports from one kind of reader: after this many errors, further ones help nobody.
MAX_REPORTS = 1000

# Operators of other languages, with a message of their own: their characters are valid one by one but never together.
FOREIGN_OPERATORS = r"->|//|/\*|<<|:="

_KINDS = [type_ for type_, _ in tables.LEXED]
_MASTER = regex(
    r"[ \t]*+(?:"
    f"({tables.NAME_PATTERN})|({tables.NEWLINE_PATTERN})|({FOREIGN_OPERATORS})|"
    f"({'|'.join(re.escape(text) for text, _ in tables.OPERATORS)})|"
    f"{'|'.join(f'({pattern})' for _, pattern in tables.LEXED)}|"
    r"(#[^\n]*+)|(?s:(.))|\Z)"
)
_WORD, _LINE, _FOREIGN, _OPERATOR, _FIRST_KIND = 1, 2, 3, 4, 5
_REMARK = _FIRST_KIND + len(_KINDS)
_JOB_NAME = regex(tables.JOB_NAME_PATTERN)
_NAMED_JOB = regex(rf"[ \t]++({tables.JOB_NAME_PATTERN})")

# What is not allowed anywhere in a text: control characters except tab and line end, a lone carriage return, and the
# surrogates for undecodable bytes.
_FORBIDDEN = regex("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]|\r(?!\n)")
_FORBIDDEN_RUN = regex(f"(?:{_FORBIDDEN.pattern})++")


def is_job_name(text: str) -> bool:
    """Whether ``text`` can name a job without quotes."""
    return _JOB_NAME.fullmatch(text) is not None


def is_word(type_: int) -> bool:
    """Whether tokens of this type are words."""
    return type_ == NAME or (type_ >= tables.FIRST_KEYWORD and type_ != END)


def skip_forbidden(text: str, at: int, stop: int) -> int:
    """The offset after the forbidden characters at ``at``."""
    match = _FORBIDDEN_RUN.match(text, at, stop)
    return match.end() if match else at + 1


def is_forbidden(character: str) -> bool:
    """Whether the character is not allowed anywhere in a text."""
    return _FORBIDDEN.match(character) is not None


class Lexed:
    """The tokens of one text or of a part of it, the last one ``$END``; token ``i`` is ``text[starts[i]:ends[i]]``.

    ``remarks`` are the places of comments that no newline token covers (at the very end, or written as ``//``);
    ``unclosed`` has the starts of strings without a closing quote; ``meant`` says how to read words that are not names,
    by their starts (empty: unknown).
    """

    __slots__ = ("diagnostics", "ends", "meant", "remarks", "source", "starts", "types", "unclosed")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.types: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.remarks: list[tuple[int, int]] = []
        self.unclosed: set[int] = set()
        self.meant: dict[int, str] = {}
        self.diagnostics: list[Diagnostic] = []

    def add(self, type_: int, start: int, end: int) -> None:
        """Append the token of ``type_`` from ``start`` to ``end``."""
        self.types.append(type_)
        self.starts.append(start)
        self.ends.append(end)

    def text(self, i: int) -> str:
        """The characters of token ``i``."""
        return self.source.text[self.starts[i] : self.ends[i]]


class Token(Record):
    """One token as tools see it; ``type`` is a terminal of the grammar, or ``COMMENT``."""

    type: str
    text: str
    start: int
    end: int


def lex(
    source: Source, start: int = 0, end: int | None = None, *, inside: bool = False, unclosed: Set[int] = frozenset()
) -> Lexed:
    """All tokens of ``source``, whatever it contains.

    With ``end``: of the part from ``start`` to ``end``; ``inside`` says that the part is in a string. ``unclosed`` has
    the starts of text blocks whose closing mark belongs to another block.
    """
    text = source.text
    whole = not inside
    stop = len(text) if end is None else end
    lexed = Lexed(source)
    if whole and text.startswith("\ufeff"):
        start = 1
    if whole and _FORBIDDEN.search(text):
        from tfdsl.syntax.bad_tokens import report_forbidden

        report_forbidden(lexed, _FORBIDDEN)
    at = start
    for place in (*sorted(unclosed), stop):
        while at < place:
            at = _run(lexed, at, place, inside=inside)
        if at == place < stop:
            from tfdsl.syntax.bad_tokens import unclosed_block

            at = unclosed_block(lexed, at, stop)
    lexed.add(END, stop, stop)
    _limit_nesting(lexed)
    return lexed


def _run(lexed: Lexed, at: int, stop: int, *, inside: bool) -> int:
    """Append tokens until something needs a closer look; returns the offset to continue from."""
    text = lexed.source.text
    types, starts, ends = lexed.types, lexed.starts, lexed.ends
    keyword, operator = KEYWORDS.get, OPERATORS.__getitem__
    for match in _MASTER.finditer(text, at, stop):
        group = match.lastindex
        if group is None:
            return stop
        begin, finish = match.span(group)
        if group == _WORD:
            types.append(keyword(match[group], NAME))
        elif group == _OPERATOR:
            types.append(operator(match[group]))
        elif group == _LINE:
            types.append(NEWLINE)
        elif _FIRST_KIND <= group < _REMARK:
            types.append(_KINDS[group - _FIRST_KIND])
        elif group == _REMARK and not inside:
            lexed.remarks.append((begin, finish))
            continue
        else:
            from tfdsl.syntax.bad_tokens import recover_token

            return recover_token(lexed, begin, stop)
        starts.append(begin)
        ends.append(finish)
        if types[-1] in (JOB, FLOW) and (name := _NAMED_JOB.match(text, finish, stop)):
            lexed.add(keyword(name[1], NAME), *name.span(1))
            return name.end()
    return stop


def _limit_nesting(lexed: Lexed) -> None:
    """Empty every bracket that is nested too deep, and report it."""
    depth = 0
    steps = {LBRACE: 1, LSQB: 1, LPAR: 1, RBRACE: -1, RSQB: -1, RPAR: -1}
    for type_ in lexed.types:
        if type_ in steps:
            depth = max(0, depth + steps[type_])
            if depth > MAX_NESTING:
                from tfdsl.syntax.bad_tokens import empty_deep_brackets

                empty_deep_brackets(lexed)
                return


def comment_places(lexed: Lexed) -> list[tuple[int, int]]:
    """Start and end of all comments in order; the carriage return of a line end is not part of one."""
    text = lexed.source.text
    places: list[tuple[int, int]] = []
    if "#" in text:
        for i, type_ in enumerate(lexed.types):
            if type_ == NEWLINE:
                places.extend(_comments_within(text, lexed.starts[i], lexed.ends[i]))
    if lexed.remarks:
        places = sorted([*places, *lexed.remarks])
    return places


def _comments_within(text: str, start: int, end: int) -> list[tuple[int, int]]:
    places: list[tuple[int, int]] = []
    at = text.find("#", start, end)
    while at >= 0:
        finish = text.find("\n", at, end)
        places.append((at, finish - 1 if text[finish - 1] == "\r" else finish))
        at = text.find("#", finish, end)
    return places


def tokenize(source: Source) -> tuple[Token, ...]:
    """The tokens of a text for formatters, highlighters and tests.

    A line end is a ``_NEWLINE`` whose text may contain several line ends; comments are tokens between them. Keywords
    have their own type even where they are used as names.
    """
    lexed = lex(source)
    text = source.text
    tokens: list[Token] = []
    for type_, start, end in zip(lexed.types, lexed.starts, lexed.ends, strict=True):
        at = start
        if type_ == NEWLINE:
            for begin, finish in _comments_within(text, start, end):
                if at < begin:
                    tokens.append(Token("_NEWLINE", text[at:begin], at, begin))
                tokens.append(Token("COMMENT", text[begin:finish], begin, finish))
                at = finish
        tokens.append(Token(tables.TERMINALS[type_], text[at:end], at, end))
    tokens.extend(Token("COMMENT", text[begin:finish], begin, finish) for begin, finish in lexed.remarks)
    tokens.sort(key=lambda token: (token.start, token.end))
    return tuple(tokens)
