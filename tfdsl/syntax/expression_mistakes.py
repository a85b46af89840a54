"""Expressions of other languages: comprehensions, slices, methods, ranges, templates.

Each is reported as a whole, and its value is left out: nobody needs to hear what is wrong with the pieces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.syntax import lexer
from tfdsl.syntax.brackets import around, block_end, item_end, item_start
from tfdsl.syntax.lexer import CLOSERS, COLON, COMMA, DOT, EQUAL, NUMBER, OPENERS, UPTO, WHEN, is_word
from tfdsl.syntax.wording import shortened
from tfdsl.vocabulary import foreign, functions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tfdsl.syntax.recovery import Recovery

STAR, QUESTION = lexer.OPERATORS["*"], lexer.OPERATORS["?"]
TEXTS = {lexer.STRING, lexer.TEXT, lexer.RAW}
VALUE_ENDS = {lexer.RSQB, lexer.RPAR, *TEXTS}
MOST_ELEMENTS = 20

_BEFORE_VALUE = {EQUAL, COMMA, WHEN, lexer.NEWLINE, *(lexer.KEYWORDS[word] for word in ("at", "to", "run", "copy"))}
_AFTER_VALUE = {COMMA, WHEN, lexer.NEWLINE, lexer.END, *OPENERS}


class Found(NamedTuple):
    """``what`` it is, from the token ``first`` up to ``stop``; ``help``: what to write, ``fixed``: instead of it."""

    what: str
    first: int
    stop: int
    help: str
    fixed: str = ""


def foreign_expression(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``[x for x in xs]``, ``"{}".format(n)``, ``xs[1:]``, ``1..4``, ``{{ .Values.n }}``."""
    found = next((found for read in _READERS if (found := read(recovery, at)) is not None), None)
    if found is None:
        return False
    types = recovery.types
    first = _value_start(types, found.first)
    stop = min(max(found.stop, _value_end(types, at)), len(types) - 1)
    span = recovery.spanning(found.first, min(found.stop, stop))
    if not recovery.cut_from(first):
        return False
    diagnostic = rules.FOREIGN_EXPRESSION(span, what=found.what).help(found.help)
    recovery.report(diagnostic.replacing(f"write {shortened(found.fixed)}", found.fixed) if found.fixed else diagnostic)
    recovery.replace(first, lexer.ERROR, stop - first)
    return True


def _value_start(types: Sequence[int], at: int) -> int:
    """The first token of the value or element that token ``at`` is in."""
    depth = 0
    while at:
        type_ = types[at - 1]
        if depth == 0 and (type_ in _BEFORE_VALUE or type_ in CLOSERS):
            break
        depth += (type_ in OPENERS) - (type_ in CLOSERS)
        at -= 1
    return at


def _value_end(types: Sequence[int], at: int) -> int:
    """The token after the value or element that token ``at`` is in."""
    depth = 0
    while types[at] != lexer.END and (depth or types[at] not in _AFTER_VALUE):
        depth += (types[at] in CLOSERS) - (types[at] in OPENERS)
        at += 1
    return at


def _template(recovery: Recovery, at: int) -> Found | None:
    """``{{ .Values.n }}``."""
    types, lexed = recovery.types, recovery.lexed
    if types[at] != lexer.LBRACE or not at or types[at - 1] != lexer.LBRACE or lexed.ends[at - 1] != lexed.starts[at]:
        return None
    end = block_end(types, at) + 1
    help_ = "write the name of a param, and set it with --set, --params or a profile"
    return Found("{{ … }}", at - 1, min(end, len(types) - 1), help_)


def _comprehension(recovery: Recovery, at: int) -> Found | None:
    """``[x for x in xs]`` and ``{ k: v for k, v in m }``."""
    types = recovery.types
    bracket = around(types, at) if recovery.text(at) == "for" or types[at] == COLON else None
    if bracket is None or at < bracket + 2:
        return None
    end = block_end(types, at)
    if types[at] == COLON and all(recovery.text(place) != "for" for place in range(at, end)):
        return None
    return Found("a comprehension", bracket, end + 1, foreign.NO_LOOP)


def _named_argument(recovery: Recovery, at: int) -> Found | None:
    """``dict(A = "x")``."""
    types = recovery.types
    bracket = around(types, at)
    if (
        types[at] not in (EQUAL, COLON)
        or not bracket
        or types[bracket] != lexer.LPAR
        or not is_word(types[bracket - 1])
    ):
        return None
    end = block_end(types, at)
    name = recovery.text(bracket - 1)
    if name.lower() in foreign.MAP_FUNCTIONS and types[at] == EQUAL:
        text = f"{{ {recovery.spanning(bracket + 1, end).text.strip()} }}"
        return Found(f"{name}(…)", bracket - 1, end + 1, f"write {shortened(text)}", text)
    row = functions.BY_NAME.get(name)
    help_ = "arguments have no names" if row is None else f"arguments have no names: {row.signature}"
    return Found("a named argument", bracket - 1, end + 1, help_)


def _method(recovery: Recovery, at: int) -> Found | None:
    """``"{}".format(n)`` and ``os.getenv("X")``."""
    types = recovery.types
    if types[at] != lexer.LPAR or at < 2:
        return None
    name, end = recovery.text(at - 1), block_end(types, at + 1) + 1
    if not is_word(types[at - 1]) or types[at - 2] != DOT:
        return (
            Found("a call of a value", at, end, "only functions can be called") if types[at - 1] in VALUE_ENDS else None
        )
    base = recovery.text(_value_start(types, at))
    row = functions.BY_NAME.get(name.lower())
    if base in foreign.MEMBERS:
        help_ = foreign.MEMBERS[base]
    elif name == "format" or row is None:
        help_ = foreign.IN_TEXT
    else:
        help_ = f"write a function: {row.signature}"
    return Found(f".{name}()", at - 2, end, help_)


def _slice(recovery: Recovery, at: int) -> Found | None:
    """``xs[0:1]``; also ``["a": 1]``, a map of Swift."""
    types = recovery.types
    bracket = around(types, at)
    if types[at] != COLON or bracket is None or types[bracket] != lexer.LSQB:
        return None
    end = block_end(types, at) + 1
    if bracket and (is_word(types[bracket - 1]) or types[bracket - 1] in VALUE_ENDS):
        return Found("a slice", bracket, end, "list the elements: [a, b]")
    return Found("a list with keys", bracket, end, "write a map in braces: { a = 1 }")


def _range(recovery: Recovery, at: int) -> Found | None:
    """``1..4`` and ``[1..4]``."""
    types = recovery.types
    if types[at] != UPTO or not at or types[at - 1] in (COMMA, *CLOSERS):  # the latter is the ... of JavaScript
        return None
    bracket = around(types, at)
    whole = bracket is not None and types[bracket] == lexer.LSQB and types[at + 2] == lexer.RSQB and bracket == at - 2
    first, stop = (at - 2, at + 3) if whole else (at - 1, _value_end(types, at))
    low, high = recovery.text(at - 1), recovery.text(at + 1)
    numbers = range(int(low), int(high) + 1) if low.isdecimal() and high.isdecimal() and len(low + high) < 20 else ()
    if 0 < len(numbers) <= MOST_ELEMENTS:
        text = f"[{', '.join(map(str, numbers))}]"
        return Found(f"{low}..{high}", first, stop, f"write {text}", text)
    return Found("a range", first, stop, foreign.NO_LOOP)


def _choice(recovery: Recovery, at: int) -> Found | None:
    """``1 when prod else 2``."""
    types = recovery.types
    if recovery.text(at) != "else":
        return None
    when = next((i for i in range(item_start(types, at), at) if types[i] == WHEN), None)
    if when is None:
        return None
    first, stop = _value_start(types, when), item_end(types, at)
    value, condition, other = (
        recovery.spanning(start, end).text if start < end else "…"
        for start, end in ((first, when), (when + 1, at), (at + 1, stop))
    )
    text = f"{condition} ? {value} : {other}"
    return Found("else", first, stop, f"write {shortened(text)}", text if "…" not in text else "")


def _operator(recovery: Recovery, at: int) -> Found | None:
    """``x in xs``, ``a is b``, ``2 ** 3``, ``a ?? b``, ``lambda x: x``."""
    types = recovery.types
    word, previous = recovery.text(at), recovery.text(at - 1) if at else ""
    if types[at] in (STAR, UPTO) and at and types[at - 1] in (COMMA, *CLOSERS):
        bracket = around(types, at)
        if bracket and types[bracket - 1 : bracket + 1] == [EQUAL, lexer.LBRACE]:  # no value can stand where a key does
            return Found(word, bracket, block_end(types, at) + 1, foreign.JOINED)
        return Found(word, at, _value_end(types, at), foreign.JOINED)
    if previous + word in ("**", "??", "?:"):
        word = previous + word
    elif previous in ("lambda", "if", "new", "await") and _is_alone(types, at - 1):
        word = previous
    elif (
        word == "if" or not at or not (is_word(types[at - 1]) or types[at - 1] in VALUE_ENDS or types[at - 1] == NUMBER)
    ):
        return None
    help_ = foreign.OPERATORS.get(word)
    if help_ is None or _value_start(types, at) == item_start(types, at):
        return None
    return Found(word, _value_start(types, at), _value_end(types, at), help_)


def _is_alone(types: Sequence[int], at: int) -> bool:
    """Whether a value begins with the word at token ``at``."""
    return _value_start(types, at) == at


_READERS: tuple[Callable[[Recovery, int], Found | None], ...] = (
    _template,
    _comprehension,
    _named_argument,
    _method,
    _slice,
    _range,
    _choice,
    _operator,
)


def list_in_other_brackets(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``("a", "b")`` and ``{"a", "b"}``."""
    types = recovery.types
    bracket = around(types, at)
    if bracket is None or types[bracket] == lexer.LSQB or types[at] not in (COMMA, lexer.RBRACE):
        return False
    if types[at] == lexer.RBRACE and types[at - 1] not in TEXTS:
        return False
    before = types[bracket - 1] if bracket else lexer.NEWLINE
    if before not in (EQUAL, COMMA, lexer.LSQB, lexer.LPAR) or (types[bracket] == lexer.LBRACE and types[at] == before):
        return False
    close = block_end(types, at)
    inside = types[bracket + 1 : close]
    if types[bracket] == lexer.LBRACE and (EQUAL in inside or COLON in inside or inside[0] not in (*TEXTS, NUMBER)):
        return False
    if types[close] == lexer.END or not recovery.cut_from(bracket):
        return False
    edits = (Edit(recovery.span(bracket), "["), Edit(recovery.span(close), "]"))
    span = recovery.spanning(bracket, close + 1)
    recovery.report(rules.YAML_LIST(span).fix("write brackets", *edits, safe=True))
    types[bracket], types[close] = lexer.LSQB, lexer.RSQB
    return True
