"""The messages for errors that a small repair fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.syntax import lexer, wording
from tfdsl.syntax.brackets import NAMED_BLOCKS, PLAIN_BLOCKS
from tfdsl.syntax.repairs import ARROW, COLON, COMMA, EQUAL, EQUALS, Repair
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

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
    previous = Span(lexed.source, lexed.starts[at - 1], lexed.ends[at - 1]) if at else span
    if put == EQUAL and len(repair.types) == 1:
        return rules.MISSING_EQUALS(span, key=shortened(previous.text)).fix("add =", _edit(previous, span, "="))
    if put in (COMMA, lexer.NEWLINE):
        text = ", " if put == COMMA else "\n"
        result = rules.MISSING_SEPARATOR(span, found=token)
        return result.fix("add a comma" if put == COMMA else "start a new line", _between(previous, span, text))
    if put == lexer.ERROR and lexed.types[at - 1] == EQUAL and repair.back == 0:
        key = Span(lexed.source, lexed.starts[at - 2], lexed.ends[at - 2])
        return rules.MISSING_VALUE(span, key=shortened(key.text))
    if put == lexer.LBRACE:
        head = at - 1 if lexed.types[at - 1] in PLAIN_BLOCKS or lexed.types[at - 2] not in NAMED_BLOCKS else at - 2
        what = lexed.source.text[lexed.starts[head] : lexed.ends[at - 1]]
        return rules.MISSING_BLOCK(span, what=shortened(what)).fix("add an empty block", _edit(previous, span, "{ }"))
    words = wording.put_in(put, recovery.text_before(at))
    result = rules.UNEXPECTED(span, expected=words, found=token)
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
    span = Span(lexed.source, lexed.starts[at], lexed.ends[at + repair.out - 1])
    if at and repair.out == 1 and lexed.text(at) == lexed.text(at - 1):
        result = rules.REPEATED_WORD(span, found=wording.found(lexed, at))
    else:
        expected = recovery.acceptable() if repair.back == 0 else recovery.acceptable_before()
        result = rules.UNEXPECTED(
            span, expected=wording.expected(expected, recovery.text_before(at)), found=wording.found(lexed, at)
        )
        if not is_punctuation(span.text):
            return result
    edit = Edit(span, "") if repair.out > 1 else recovery.removal(at)
    return result.fix("remove it", edit)


def is_punctuation(text: str) -> bool:
    """Whether a token has no content of its own, so that it can be changed without losing anything."""
    return not any(character.isalnum() or character in "\"'_" for character in text)


def _replacement(recovery: Recovery, repair: Repair, at: int) -> Diagnostic:
    lexed = recovery.lexed
    span = Span(lexed.source, lexed.starts[at], lexed.ends[at + repair.out - 1])
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
        return result
    return result.fix(f"write {text}", Edit(span, text))
