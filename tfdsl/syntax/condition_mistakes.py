"""Conditions in the wrong place, with another word, or where there can be none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.syntax import lexer, repairs
from tfdsl.syntax.brackets import ENDS, around, item_end, item_start, opening
from tfdsl.syntax.lexer import (
    ARROW,
    AT,
    COMMA,
    EQUAL,
    INCLUDE,
    ITEM_STARTS,
    MOUNT,
    ON,
    OUTPUT,
    PLAIN_BLOCKS,
    ROLE,
    STEPS,
    TARGET,
    TEMPLATE,
    USE,
    WHEN,
    is_word,
)
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery


# What other languages write for it. Python's choice, `1 if x else 2`, has a message of its own.
WORDS = {"if", "unless", "where", "only_if", "only"}

# Blocks that can have a condition, and what comes before theirs.
NAMED = {ROLE, *STEPS}
WITH_BLOCK = {*NAMED, MOUNT, OUTPUT, lexer.JOB}

# Blocks of attributes, which can have conditions; those of other entries cannot.
OF_ATTRIBUTES = {lexer.JOB, ROLE, *STEPS, TEMPLATE, TARGET}

# What must come before a condition, where both are possible.
EARLIER = {lexer.KEYWORDS[word] for word in ("readonly", "unchecked", "on", "from", "after")}

CHOICE = "choose a value with condition ? a : b"


def condition_word(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``gpu = 1 if prod``; also where the word was read as an event: ``on failed if prod => …``."""
    lexed = recovery.lexed
    types = lexed.types
    if lexed.text(at) in WORDS and WHEN in acceptable:
        place = at
    elif (
        recovery.before
        and lexed.text(at - 1) in WORDS
        and types[at - 2] not in ITEM_STARTS
        and repairs.fits(recovery.before.states, WHEN)
    ):
        place = at - 1
    else:
        return False
    count = 2 if lexed.text(place) == "only" and lexed.text(place + 1) == "if" else 1
    if lexed.text(place) == "only" and count == 1:
        return False
    end = item_end(types, place, (lexer.LBRACE, ARROW))
    if end == place + count:
        return False
    span = recovery.spanning(place, place + count)
    if place < at:
        recovery.step_back()
    other = next((i for i in range(place, end) if lexed.text(i) == "else"), None)
    diagnostic = rules.CONDITION_WORD(span, found=span.text)
    if other is not None:
        recovery.report(diagnostic.help(CHOICE))
        recovery.delete(place, end - place)
        return True
    edits = [Edit(span, "when")]
    if span.text == "unless":
        edits = [Edit(Span(span.source, span.start, lexed.starts[place + 1]), "when !(")]
        edits.append(Edit(Span(span.source, lexed.ends[end - 1], lexed.ends[end - 1]), ")"))
    recovery.report(diagnostic.fix("write when", *edits, safe=True))
    recovery.replace(place, WHEN, count)
    return True


def late_condition(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``on failed => restart job when n > 4``, where ``when`` was read as a word of the action."""
    lexed = recovery.lexed
    types = lexed.types
    on = item_start(types, at)
    if types[on] != ON or ARROW not in types[on:at]:
        return False
    arrow = types.index(ARROW, on)
    word = next((i for i in range(arrow + 2, at + 1) if lexed.text(i) in {"when", *WORDS}), None)
    if word is None or word + 1 >= item_end(types, word) or not recovery.cut_behind(on):
        return False
    end = item_end(types, word)
    moved = recovery.spanning(word, end)
    recovery.report(misplaced_in_policy(moved, recovery.spanning(arrow + 1, word), lexed.starts[arrow]))
    recovery.delete(word, end - word)
    if WHEN not in types[on:arrow]:
        recovery.insert(arrow, lexer.ERROR)
        recovery.insert(arrow, WHEN)
    return True


def misplaced_in_policy(condition: Span, action: Span, arrow: int) -> Diagnostic:
    """The report for a condition behind the action of a policy whose arrow is at the offset ``arrow``."""
    word, _, value = condition.text.partition(" ")
    text = f"when {value.strip() or '…'}"
    diagnostic = rules.CONDITION_PLACE(condition, where=f"before the arrow: {shortened(text)} => {action.text}")
    if not value.strip() or word not in ("when", "if"):
        return diagnostic
    place = Span(condition.source, arrow, arrow)
    removed = Span(condition.source, action.end, condition.end)
    return diagnostic.fix("move it", Edit(place, f"{text} "), Edit(removed, ""), safe=True)


def condition_behind_block(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``role ps { } when prod``."""
    lexed = recovery.lexed
    types = lexed.types
    if not at or types[at - 1] != lexer.RBRACE or not (types[at] == WHEN or lexed.text(at) in WORDS):
        return False
    block = opening(types, at - 1)
    start = item_start(types, block)
    end = item_end(types, at)
    span = recovery.spanning(at, end)
    if types[start] not in WITH_BLOCK:
        return _impossible(recovery, start, at, end)
    diagnostic = rules.CONDITION_PLACE(span, where="before the block")
    if WHEN not in types[start:block] and lexed.text(at) in ("when", "if") and end > at + 1:
        place = Span(span.source, lexed.starts[block], lexed.starts[block])
        removed = Edit(Span(span.source, lexed.ends[at - 1], span.end), "")
        condition = recovery.spanning(at + 1, end).text
        diagnostic = diagnostic.fix("move it", Edit(place, f"when {condition} "), removed, safe=True)
    recovery.report(diagnostic)
    recovery.delete(at, end - at)
    return True


def condition_before_the_rest(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``mount pvc "d" when prod at "/d"``, ``… when prod readonly`` and ``gpu when prod = 1``."""
    lexed = recovery.lexed
    types = lexed.types
    start = item_start(types, at)
    if types[at] in EARLIER:
        when = next((i for i in range(start + 1, at) if types[i] == WHEN), None)
        if when is None:
            return False
        end = item_end(types, at, (WHEN, lexer.LBRACE, ARROW))
        later = recovery.spanning(at, end)
        condition = recovery.spanning(when, at)
        diagnostic = rules.CONDITION_PLACE(condition, where=f'after "{shortened(later.text)}"')
        removed = Edit(Span(later.source, lexed.ends[at - 1], later.end), "")
        place = Span(later.source, condition.start, condition.start)
        recovery.report(diagnostic.fix("move it", Edit(place, f"{later.text} "), removed, safe=True))
        recovery.delete(at, end - at)
        return True
    if types[at] != WHEN or types[start] in (ON, WHEN):
        return False
    return _condition_too_early(recovery, start, at)


def _condition_too_early(recovery: Recovery, start: int, at: int) -> bool:
    """A condition before ``at``, ``to`` or the sign of a value; any other one is where none is possible."""
    types = recovery.types
    links = {
        MOUNT: ((AT,), "after the path"),
        OUTPUT: ((lexer.KEYWORDS["to"],), "after the destination"),
        lexer.KEYWORDS["patch"]: ((EQUAL, lexer.OPERATORS["+="]), "after the value"),
    }.get(types[start])
    if links is None and at == start + 1 and _is_attribute(types, start):
        links = ((EQUAL,), "after the value")
    link = None if links is None else item_end(types, at, links[0])
    if links is None or link is None or types[link] not in links[0]:
        end = item_end(types, at, (lexer.LBRACE, EQUAL))
        return _impossible(recovery, start, at, end)
    end = item_end(types, link, (lexer.LBRACE,) if types[start] in (MOUNT, OUTPUT) else ())
    _move(recovery, at, link, end, links[1])
    recovery.delete(at, link - at)
    return True


def _is_attribute(types: Sequence[int], start: int) -> bool:
    """Whether the entry that begins at ``start`` is in a block of attributes."""
    block = around(types, start)
    return block is not None and types[item_start(types, block)] in OF_ATTRIBUTES


def _move(recovery: Recovery, first: int, stop: int, end: int, where: str) -> None:
    """Report that the condition in the tokens from ``first`` to ``stop`` belongs behind the token before ``end``."""
    lexed = recovery.lexed
    span = recovery.spanning(first, stop if lexed.types[stop - 1] != lexer.NEWLINE else stop - 1)
    place = Span(span.source, lexed.ends[end - 1], lexed.ends[end - 1])
    removed = Edit(Span(span.source, span.start, lexed.starts[stop]), "")
    diagnostic = rules.CONDITION_PLACE(span, where=where)
    recovery.report(diagnostic.fix("move it", removed, Edit(place, f" {span.text}"), safe=True))


def _impossible(recovery: Recovery, start: int, at: int, end: int) -> bool:
    """Report a condition of something that cannot have one, and leave it out."""
    types = recovery.types
    keyword = types[start] in lexer.KEYWORDS.values() and types[start + 1] != EQUAL
    what = ("an " if types[start] == INCLUDE else "a ") + recovery.text(start) if keyword else "an entry"
    if keyword and types[start] in PLAIN_BLOCKS:
        what += " block"
    diagnostic = rules.NO_CONDITION(recovery.spanning(at, end), what=what)
    if keyword and types[start] == INCLUDE:
        recovery.report(diagnostic.help("write when after what uses the templates of that file"))
    else:
        items = keyword and types[start] in (TARGET, TEMPLATE, lexer.KEYWORDS["flow"])
        recovery.report(diagnostic.help("write when after the items in it" if items else CHOICE))
    recovery.delete(at, end - at)
    return True


def condition_first(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``when prod gpu = 1`` and ``role when prod ps { }``, where ``when`` was read as a name."""
    types = recovery.types
    if at < 2 or types[at - 1] != WHEN or recovery.before is None or types[at] in ENDS or types[at] == EQUAL:
        return False
    if types[at - 2] in {*NAMED, USE}:
        return _before_name(recovery, at)
    if types[at - 2] not in ITEM_STARTS or not repairs.fits(recovery.before.states, ROLE, lexer.NAME):
        return False
    end = item_end(types, at)
    head = item_end(types, at, (lexer.LBRACE,))
    item = next((i for i in range(at + 1, head) if _begins_item(recovery, i)), None)
    if item is None and head == end and _goes_with_next_line(recovery, at, end):
        item = end + 1
        end = item_end(types, item)
    if item is not None:
        behind = item_end(types, item, (ARROW,) if types[item] == ON else ())
        block = item_end(types, item, (lexer.LBRACE,))
        if types[item] in WITH_BLOCK and types[block] == lexer.LBRACE:
            behind = block
        where = "before the block" if behind == block < end else "after the item"
        where = "before the arrow" if types[item] == ON else where
        _move(recovery, at - 1, item, behind, where)
        recovery.step_back()
        recovery.delete(at - 1, item - at + 1)
        return True
    _alone(recovery, at, end)
    return True


def _begins_item(recovery: Recovery, at: int) -> bool:
    """Whether an item begins at token ``at``, behind a condition."""
    types = recovery.types
    if types[at + 1] == EQUAL and is_word(types[at]):
        return True
    statements = {ON, ROLE, USE, MOUNT, OUTPUT, *STEPS, lexer.KEYWORDS["patch"], lexer.KEYWORDS["unpatch"]}
    return types[at] in statements or types[at] == lexer.KEYWORDS["unset"]


def _goes_with_next_line(recovery: Recovery, at: int, end: int) -> bool:
    """Whether a condition on a line of its own, up to the token ``end``, has an item right below it."""
    types = recovery.types
    if types[end] != lexer.NEWLINE or types[at - 2] not in (lexer.NEWLINE, lexer.LBRACE):
        return False
    plain = not recovery.text(end).strip()
    return plain and recovery.column(end + 1) == recovery.column(at - 1) and _begins_item(recovery, end + 1)


def _before_name(recovery: Recovery, at: int) -> bool:
    """``role when prod ps { }``."""
    types = recovery.types
    end = item_end(types, at, (lexer.LBRACE,))
    name = end - 1
    if name <= at or not (is_word(types[name]) or types[name] == lexer.STRING):
        return False
    _move(recovery, at - 1, name, end, "after the name")
    recovery.step_back()
    recovery.delete(at - 1, name - at + 1)
    return True


def _alone(recovery: Recovery, at: int, end: int) -> None:
    """A condition with a block, or on a line of its own: it belongs to the item before it if it is deeper."""
    lexed = recovery.lexed
    types = lexed.types
    has_block = lexer.LBRACE in types[at:end]
    span = recovery.spanning(at - 1, item_end(types, at, (lexer.LBRACE,)))
    diagnostic = rules.CONDITION_PLACE(span, where="after each item" if has_block else "on the line of its item")
    if has_block:
        diagnostic = diagnostic.help("for example: gpu = 1 when prod")
    elif types[at - 2] == lexer.NEWLINE and recovery.column(at - 1) > recovery.column(recovery.line_start(at - 2)):
        gap = Span(lexed.source, lexed.ends[at - 3], lexed.starts[at - 1])
        if "#" not in gap.text and types[at - 3] not in (lexer.LBRACE, lexer.RBRACE):
            diagnostic = diagnostic.fix("move it up", Edit(gap, " "), safe=True)
    recovery.report(diagnostic)
    recovery.step_back()
    stop = end + 1 if types[end] in (lexer.NEWLINE, COMMA) else end
    recovery.delete(at - 1, stop - at + 1)
