"""The smallest change to the tokens that lets the parser continue.

Tried on bare stacks of states, without building anything: insert, remove or replace a token, at the error or one token
before it. A change is accepted only if the tokens after it fit too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.diagnostics.suggest import distance
from tfdsl.syntax import _tables as tables, lexer, wording
from tfdsl.syntax.brackets import item_start
from tfdsl.syntax.driver import ENDS, find_action, jump, row
from tfdsl.syntax.lexer import ARROW, AT, COLON, COMMA, EQUAL, EQUALS, NAMED_BLOCKS, NUMBER, PLAIN_BLOCKS, is_word
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span
from tfdsl.vocabulary import foreign

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery


# --- similar keywords ---
#
# Words that probably mean a keyword: misspelt, or the word of another language for the same thing.

# Words of other languages, and names of fields in targets, with the statement that is meant.
FOREIGN_WORDS = {
    "import": "include",
    "const": "let",
    "local": "let",
    "variable": "param",
    "input": "param",
    "task": "role",
    "replica": "role",
    "volume": "mount",
    **dict.fromkeys(("remove", "delete", "del", "drop"), "unset"),
}


def resembling(recovery: Recovery, at: int) -> list[int]:
    """The keywords that the word at token ``at`` may be meant as."""
    if recovery.types[at] != lexer.NAME:
        return []
    word = recovery.text(at)
    foreign = FOREIGN_WORDS.get(word)
    if foreign is not None:
        return [lexer.KEYWORDS[foreign]]
    return [number for text, number in lexer.KEYWORDS.items() if _is_near(word.lower(), text)]


def _is_near(word: str, keyword: str) -> bool:
    """Whether one letter is missing, added, wrong or swapped; two in a keyword of six letters or more."""
    limit = 2 if len(keyword) >= 6 else 1
    return len(keyword) >= 3 and distance(word, keyword, limit) <= limit


# How many tokens after the change must fit, unless the line ends earlier: then those and the first of the next line.
LOOK_AHEAD = 4

BRACKETS = {lexer.LBRACE, lexer.RBRACE, lexer.LSQB, lexer.RSQB, lexer.LPAR, lexer.RPAR}
FIXED = BRACKETS | {lexer.NEWLINE, lexer.END}

# What can be inserted, and how unlikely each is. Apart from an empty block there are no brackets: ``brackets`` has
# already made them match.
INSERTIONS: tuple[tuple[tuple[int, ...], float], ...] = (
    ((EQUAL,), 1.0),
    ((COMMA,), 1.0),
    ((lexer.NEWLINE,), 1.05),
    ((lexer.ERROR,), 1.2),
    ((COLON,), 1.2),
    ((ARROW,), 1.2),
    ((AT,), 1.2),
    ((lexer.KEYWORDS["to"],), 1.2),
    ((lexer.NAME,), 1.3),
    ((lexer.STRING,), 1.35),
    ((NUMBER,), 1.35),
    ((lexer.LBRACE, lexer.RBRACE), 1.4),
    ((EQUAL, lexer.ERROR), 1.6),
    ((lexer.ERROR, COLON), 1.9),
    ((COLON, lexer.ERROR), 1.9),
    ((lexer.NAME, EQUAL), 1.9),
    ((AT, lexer.ERROR), 1.8),
    ((lexer.KEYWORDS["to"], lexer.ERROR), 1.8),
    ((ARROW, lexer.NAME), 1.8),
    ((COLON, lexer.NAME), 1.8),
    ((COLON, lexer.NAME, EQUAL, lexer.ERROR), 2.6),
)
SUBSTITUTES: tuple[tuple[int, float], ...] = (
    (EQUAL, 1.5),
    (COMMA, 1.5),
    (COLON, 1.6),
    (ARROW, 1.5),
    (lexer.ERROR, 1.6),
    (AT, 1.5),
    (lexer.KEYWORDS["to"], 1.5),
    (lexer.NAME, 1.7),
    (lexer.STRING, 1.7),
    (NUMBER, 1.7),
)
LEAVE_OUT = 1.1
LEAVE_OUT_TWO = 2.2
ALIKE = 0.9
ONE_BACK = 0.35


class Repair(NamedTuple):
    """Remove ``out`` tokens, starting ``back`` tokens before the error, and insert tokens of ``types`` there."""

    cost: float
    back: int
    out: int
    types: tuple[int, ...]


def advance(states: list[int], type_: int, *, exactly: bool = False) -> bool:
    """Read one token on a stack of states; False, with the stack unusable, when it does not fit.

    ``exactly``: a keyword does not count as a name.
    """
    while True:
        actions = row(states[-1])
        action = actions.get(type_) if exactly else find_action(actions, type_)
        if action is None:
            return type_ == lexer.END and states[-1] in ENDS
        if action >= 0:
            states.append(action)
            return True
        size, origin = tables.RULES[-1 - action][:2]
        del states[-size:]
        states.append(jump(states[-1])[origin])


def fits(states: list[int], *types: int) -> bool:
    """Whether tokens of these types may come next."""
    trial = states.copy()
    return all(advance(trial, type_) for type_ in types)


def acceptable(states: list[int]) -> set[int]:
    """The types of all tokens that may come next."""
    return {type_ for type_ in row(states[-1]) if fits(states, type_)}


def _goes_on(states: list[int], types: Sequence[int], at: int) -> int:
    """How many of the tokens from ``at`` on fit after ``states`` (consumed); at most twice the look-ahead."""
    taken = 0
    while taken < 2 * LOOK_AHEAD and at + taken < len(types):
        if not advance(states, types[at + taken]):
            break
        taken += 1
    return taken


def goes_on(states: list[int], types: Sequence[int], at: int) -> bool:
    """Whether enough of the tokens from ``at`` on fit after ``states`` (consumed)."""
    return _enough(types, at, _goes_on(states, types, at))


def _enough(types: Sequence[int], at: int, taken: int) -> bool:
    if taken >= LOOK_AHEAD or at + taken >= len(types):
        return True
    return lexer.NEWLINE in types[at : at + taken]


def find(stacks: Sequence[list[int]], types: Sequence[int], at: int, alike: Sequence[Sequence[int]]) -> Repair | None:
    """The cheapest repair of an error at token ``at``.

    ``stacks`` has the stack of states before that token, and the one before the previous token if there is one;
    ``alike`` has the keywords that the two tokens resemble.
    """
    best: tuple[float, int, Repair] | None = None
    for repair in _candidates(stacks, types, at, alike):
        if best is not None and repair.cost > best[0]:
            continue
        states = stacks[repair.back].copy()
        if not all(advance(states, type_, exactly=True) for type_ in repair.types):
            continue
        next_ = at - repair.back + repair.out
        taken = _goes_on(states, types, next_)
        if _enough(types, next_, taken) and next_ + taken > at:
            key = (repair.cost, -taken, repair)
            if best is None or key < best:
                best = key
    return best[2] if best else None


def _candidates(
    stacks: Sequence[list[int]], types: Sequence[int], at: int, alike: Sequence[Sequence[int]]
) -> Iterator[Repair]:
    for back in range(len(stacks)):
        place = at - back
        extra = ONE_BACK * back
        here = types[place]
        for put, cost in INSERTIONS:
            yield Repair(cost + extra, back, 0, put)
        if here in FIXED:
            continue
        yield Repair(LEAVE_OUT + extra, back, 1, ())
        for type_ in alike[back]:
            yield Repair(ALIKE, back, 1, (type_,))
        if here == EQUAL:
            yield Repair(LEAVE_OUT + 0.1, back, 1, (EQUALS,))
        for type_, cost in SUBSTITUTES:
            yield Repair(cost + extra, back, 1, (type_,))
        if back == 0 and types[at + 1] not in FIXED:
            yield Repair(LEAVE_OUT_TWO, 0, 2, ())
            yield Repair(LEAVE_OUT_TWO + 0.3, 0, 2, (lexer.ERROR,))
            yield Repair(LEAVE_OUT_TWO + 0.4, 0, 2, (EQUAL,))


# --- repair messages ---
#
# The messages for errors that a small repair fixes.

KEYWORD_TEXTS = {number: text for text, number in lexer.KEYWORDS.items()}

# Tokens with a fixed text, which a fix can write.
_WRITTEN = {EQUAL: "=", COMMA: ",", ARROW: "=>", COLON: ":", EQUALS: "==", **KEYWORD_TEXTS}


def explain(recovery: Recovery, repair: Repair) -> Diagnostic:
    """The diagnostic for the error at the next token; ``repair`` is what was probably meant."""
    at = recovery.machine.at - repair.back
    if repair.out == 0:
        return _insertion(recovery, repair, at)
    if not repair.types:
        return _removal(recovery, repair, at)
    return _replacement(recovery, repair, at)


def _insertion(recovery: Recovery, repair: Repair, at: int) -> Diagnostic:
    lexed = recovery.lexed
    span = recovery.span(at)
    put = repair.types[0]
    token = wording.found(lexed, at)
    previous = recovery.spanning(at - 1, at) if at else span
    if put == EQUAL and len(repair.types) == 1:
        return rules.MISSING_EQUALS(span, key=shortened(previous.text)).fix("add =", _edit(previous, span, "="))
    if put in (COMMA, lexer.NEWLINE):
        text = ", " if put == COMMA else "\n"
        result = rules.MISSING_SEPARATOR(span, found=token)
        return result.fix("add a comma" if put == COMMA else "start a new line", _between(previous, span, text))
    if put == lexer.ERROR and lexed.types[at - 1] == EQUAL and repair.back == 0:
        key = recovery.spanning(at - 2, at - 1)
        return rules.MISSING_VALUE(span, key=shortened(key.text))
    if put == lexer.LBRACE:
        head = at - 1 if lexed.types[at - 1] in PLAIN_BLOCKS or lexed.types[at - 2] not in NAMED_BLOCKS else at - 2
        what = lexed.source.text[lexed.starts[head] : lexed.ends[at - 1]]
        return rules.MISSING_BLOCK(span, what=shortened(what)).fix("add an empty block", _edit(previous, span, "{ }"))
    result = rules.UNEXPECTED(span, expected=wording.put_in(put, recovery.text_before(at)), found=token)
    text_of = _WRITTEN.get(put)
    if text_of is not None and len(repair.types) == 1:
        result = result.fix(f"add {text_of}", _edit(previous, span, text_of))
    return result


def _edit(previous: Span, span: Span, text: str) -> Edit:
    """Insert ``text`` between two tokens, with a space on each side where there is room for one."""
    return _between(previous, span, f" {text} " if span.start < span.end else f" {text}")


def _between(previous: Span, span: Span, text: str) -> Edit:
    end = span.start if span.start < span.end else previous.end
    return Edit(Span(span.source, previous.end, max(end, previous.end)), text)


def _removal(recovery: Recovery, repair: Repair, at: int) -> Diagnostic:
    lexed = recovery.lexed
    span = recovery.spanning(at, at + repair.out)
    if at and repair.out == 1 and lexed.text(at) == lexed.text(at - 1):
        result = rules.REPEATED_WORD(span, found=wording.found(lexed, at))
    else:
        expected = recovery.acceptable() if repair.back == 0 else recovery.acceptable_before()
        result = rules.UNEXPECTED(
            span, expected=wording.expected(expected, recovery.text_before(at)), found=wording.found(lexed, at)
        )
        if not is_punctuation(span.text):
            return in_head(recovery, at, at + repair.out) or result
    edit = Edit(span, "") if repair.out > 1 else recovery.removal(at)
    return result.fix("remove it", edit)


def in_head(recovery: Recovery, at: int, stop: int) -> Diagnostic | None:
    """The diagnostic for tokens that the head of a statement, up to its block or value, cannot have."""
    lexed = recovery.lexed
    types = lexed.types
    start = item_start(types, at)
    word = lexed.text(start)
    form = wording.form_of(lexed, start)
    if form is None or not start < at or types[at] in FIXED - {lexer.LSQB, lexer.LPAR} or stop > len(types):
        return None
    if {EQUAL, lexer.LBRACE, ARROW} & set(types[start:at]) or at == start + 1:
        return None
    span = recovery.spanning(at, stop)
    diagnostic = rules.STATEMENT_FORM(span, found=shortened(span.text), word=word)
    advice = foreign.advice(lexed.text(at)) if is_word(types[at]) else None
    return diagnostic.help(advice or f"for example: {form}")


def is_punctuation(text: str) -> bool:
    """Whether a token has no content of its own, so that it can be changed without losing anything."""
    return not any(character.isalnum() or character in "\"'_" for character in text)


def _replacement(recovery: Recovery, repair: Repair, at: int) -> Diagnostic:
    lexed = recovery.lexed
    span = recovery.spanning(at, at + repair.out)
    put = repair.types[0]
    if put in KEYWORD_TEXTS and not is_punctuation(span.text):
        word = KEYWORD_TEXTS[put]
        return rules.MISSPELT_KEYWORD(span, found=shortened(span.text), keyword=word).fix(
            f"write {word}", Edit(span, word)
        )
    if put == EQUALS:
        return rules.SINGLE_EQUALS(span).fix("write ==", Edit(span, "=="))
    result = rules.UNEXPECTED(
        span, expected=wording.put_in(put, recovery.text_before(at)), found=wording.found(lexed, at)
    )
    text = _WRITTEN.get(put)
    if text is None or put in KEYWORD_TEXTS or not is_punctuation(span.text):
        return in_head(recovery, at, at + repair.out) or result
    return result.fix(f"write {text}", Edit(span, text))
