"""Slips that people make who know another language: each is told by its own rule and read as what was meant.

A slip looks at the token that does not fit, changes the tokens so that the parser can go on, and reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import foreign, lexer, repairs, value_slips, wording
from tfdsl.syntax.brackets import CLOSERS, DECLARATIONS, OPENERS
from tfdsl.syntax.indented import indented_map, yaml_block, yaml_list, yaml_separator
from tfdsl.syntax.likeness import resembling
from tfdsl.syntax.unfinished import dangling, unfinished
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.syntax.recovery import Recovery

Slip: TypeAlias = "Callable[[Recovery, int, set[int]], bool]"

EQUAL, EQUALS, COLON = map(lexer.OPERATORS.__getitem__, ("=", "==", ":"))
LBRACE = lexer.LBRACE

# The first words of all actions.
ACTION_WORDS = {"complete", "fail", "abort", "restart", "ignore"}
ON, AFTER, ARROW = lexer.KEYWORDS["on"], lexer.KEYWORDS["after"], lexer.OPERATORS["=>"]

# What stands behind the type of a param.
TYPED = {EQUAL, lexer.OPERATORS["<"], lexer.LSQB, lexer.NEWLINE, lexer.END}


def mend(at_work: Recovery) -> bool:
    """Whether the next token, which does not fit, is a known slip; if so the tokens are changed and it is reported."""
    at = at_work.machine.at
    acceptable = at_work.acceptable()
    return any(slip(at_work, at, acceptable) for slip in SLIPS)


def _set_with(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """``key: value`` and ``key == value``."""
    lexed = at_work.lexed
    type_ = lexed.types[at]
    if type_ not in (COLON, EQUALS) or EQUAL not in acceptable or not at:
        return False
    span = at_work.span(at)
    found = rules.COLON_FOR_EQUALS(span, found=":") if type_ == COLON else rules.DOUBLE_EQUALS(span)
    blank = "" if lexed.ends[at - 1] < span.start else " "
    if not _is_type(at_work, at):
        found = found.fix("write =", Edit(span, f"{blank}="), safe=True)
    at_work.report(found)
    at_work.replace(at, EQUAL)
    return True


def _is_type(at_work: Recovery, at: int) -> bool:
    """Whether the colon at ``at`` is that of a type: ``let n: int = 4``."""
    types = at_work.lexed.types
    behind = types[at + 1 : at + 3]
    return (
        types[at] == COLON and types[at - 2] == lexer.KEYWORDS["let"] and behind[0] == lexer.NAME and behind[1] in TYPED
    )


def _repeated_word(at_work: Recovery, at: int, _: set[int]) -> bool:
    """``role role ps``, where the second word was taken for the name."""
    lexed, before = at_work.lexed, at_work.before
    if before is None or at < 2 or lexed.types[at - 1] < tables.FIRST_KEYWORD:
        return False
    if lexed.types[at - 1] != lexed.types[at - 2] or not repairs.goes_on(before.states.copy(), lexed.types, at):
        return False
    span = Span(lexed.source, lexed.starts[at - 1], lexed.ends[at - 1])
    at_work.report(
        rules.REPEATED_WORD(span, found=shortened(span.text)).fix("remove it", at_work.removal(at - 1), safe=True)
    )
    at_work.step_back()
    at_work.delete(at - 1)
    return True


def _missing_arrow(at_work: Recovery, at: int, _: set[int]) -> bool:
    """``on failed restart job``, where ``failed`` was taken for a role and ``restart`` for the event."""
    lexed = at_work.lexed
    on = _policy_start(at_work, at)
    if on is None or ARROW in lexed.types[on:at]:
        return False
    action = next((i for i in range(on + 2, at + 1) if lexed.text(i) in ACTION_WORDS), None)
    if action is None or not at_work.cut_behind(on):
        return False
    span = at_work.span(action)
    edit = Edit(Span(span.source, span.start, span.start), "=> ")
    at_work.report(rules.UNEXPECTED(span, expected="=>", found=span.text).fix("add =>", edit))
    at_work.insert(action, ARROW)
    return True


def _policy_start(at_work: Recovery, at: int) -> int | None:
    """The ``on`` before token ``at`` in its line."""
    types = at_work.lexed.types
    return next((i for i in range(at - 1, at_work.line_start(at) - 1, -1) if types[i] == ON), None)


def _late_delay(at_work: Recovery, at: int, _: set[int]) -> bool:
    """``on failed => restart job after 3m``, where ``after`` was taken for a word of the action."""
    lexed = at_work.lexed
    on = _policy_start(at_work, at)
    if on is None or ARROW not in lexed.types[on:at] or lexed.text(at - 1) != "after":
        return False
    arrow = lexed.types.index(ARROW, on)
    action = at_work.span(arrow + 1).to(at_work.span(at - 2))
    if lexed.types[at] not in value_slips.NUMBERS or arrow + 2 >= at or not at_work.cut_behind(on):
        return False
    late = Span(lexed.source, lexed.starts[at - 1], lexed.ends[at])
    found = rules.LATE_DELAY(late, delay=lexed.text(at), action=action.text)
    if AFTER not in lexed.types[on:arrow]:
        place = lexed.starts[arrow]
        moved = Edit(Span(lexed.source, place, place), f"{late.text} ")
        found = found.fix("move it", moved, Edit(Span(lexed.source, action.end, late.end), ""), safe=True)
    at_work.report(found)
    at_work.delete(at - 1, 2)
    if AFTER not in lexed.types[on:arrow]:
        at_work.insert(arrow, lexer.ERROR)
        at_work.insert(arrow, AFTER)
    return True


def _quoted_key(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """``"image" = …`` among the items of a block."""
    lexed = at_work.lexed
    if lexed.types[at] != lexer.STRING or lexer.NAME not in acceptable or lexed.types[at + 1] not in (EQUAL, COLON):
        return False
    span = at_work.span(at)
    name = span.text.strip('"')
    found = rules.QUOTED_KEY(span)
    at_work.report(found.fix("remove the quotes", Edit(span, name), safe=True) if name.isidentifier() else found)
    at_work.replace(at, lexer.NAME if name.isidentifier() and name.isascii() else lexer.ERROR)
    return lexed.types[at] == lexer.NAME or _drop_item(at_work, at)


def _drop_item(at_work: Recovery, at: int) -> bool:
    """Leave out everything up to the end of the item."""
    types = at_work.lexed.types
    end, depth = at, 0
    while types[end] != lexer.END:
        if types[end] in CLOSERS:
            depth += 1
        elif types[end] in OPENERS:
            depth -= 1
        if depth < 0 or (depth == 0 and types[end] in (lexer.NEWLINE, lexer.OPERATORS[","])):
            break
        end += 1
    if types[end] in (lexer.NEWLINE, lexer.OPERATORS[","]):
        end += 1
    at_work.delete(at, end - at)
    return end > at


def _job_name(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """``job my.job {`` and ``job 2nd {``: a name that must be quoted."""
    lexed = at_work.lexed
    if lexed.types[at - 1] == lexer.JOB and lexer.JOB_NAME in acceptable:
        first = at
    elif at > 1 and lexed.types[at - 2] == lexer.JOB and lexed.ends[at - 1] == lexed.starts[at] and at_work.before:
        first = at - 1
    else:
        return False
    end = first
    while lexed.types[end] not in repairs.FIXED and (end == first or lexed.ends[end - 1] == lexed.starts[end]):
        end += 1
    if lexed.types[first] in repairs.FIXED or lexed.types[end] != LBRACE or lexed.types[first] == lexer.STRING:
        return False
    if first < at:
        at_work.step_back()
    span = Span(lexed.source, lexed.starts[first], lexed.ends[end - 1])
    found = rules.JOB_NAME(span)
    at_work.report(
        found.fix("quote the name", Edit(span, f'"{span.text}"'), safe=True) if '"' not in span.text else found
    )
    at_work.replace(first, lexer.NAME, end - first)
    return True


def _line_break(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """A statement that goes on in the next line; also the ``{`` there."""
    lexed = at_work.lexed
    types = lexed.types
    if types[at] != lexer.NEWLINE or types[at + 1] not in acceptable or not at:
        return False
    states = at_work.machine.states.copy()
    deeper = at_work.column(at + 1) > at_work.column(at_work.line_start(at - 1))
    if types[at + 1] == LBRACE and repairs.fits(states, LBRACE):
        span = at_work.span(at + 1)
        gap = Span(lexed.source, lexed.ends[at - 1], span.start)
        found = rules.BRACE_ON_NEXT_LINE(span)
        at_work.report(found if "#" in gap.text else found.fix("move it up", Edit(gap, " "), safe=True))
    elif deeper and repairs.goes_on(states, types, at + 1):
        at_work.report(rules.BROKEN_LINE(at_work.span(at), expected=at_work.expected()))
    else:
        return False
    at_work.delete(at)
    return True


def _declares(at_work: Recovery, at: int) -> bool:
    """Whether a declaration begins behind the line end ``at``."""
    types = at_work.lexed.types
    if types[at] != lexer.NEWLINE or types[at + 1] not in DECLARATIONS:
        return False
    start = [tables.START_FILE]
    return at_work.column(at + 1) == 1 or repairs.fits(start, types[at + 1], types[at + 2])


def _outside_job(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """Something at file level that is no declaration: skip to the next one, and say so once."""
    lexed = at_work.lexed
    types = lexed.types
    if lexer.JOB not in acceptable or types[at] in (lexer.NEWLINE, lexer.END):
        return False
    if any(repairs.fits(at_work.machine.states, word, types[at + 1]) for word in resembling(at_work, at)):
        return False
    span = at_work.span(at)
    is_item = types[at] == lexer.NAME and types[at + 1] in (EQUAL, COLON)
    if is_item or (types[at] in lexer.KEYWORDS.values() and types[at] not in DECLARATIONS):
        found = rules.OUTSIDE_JOB(span, found=shortened(span.text)).help(
            "a job is written job mnist { … }; this goes inside"
        )
    else:
        found = rules.UNEXPECTED(span, expected=at_work.expected(), found=wording.found(lexed, at))
    at_work.report(found)
    end = at
    while types[end] != lexer.END and not _declares(at_work, end):
        end += 1
    if types[end] == lexer.NEWLINE and at:
        end += 1
    at_work.delete(at, end - at)
    return True


SLIPS: tuple[Slip, ...] = (
    value_slips.split_comparison,
    foreign.typed_let,
    foreign.type_brackets,
    yaml_block,
    _set_with,
    yaml_separator,
    yaml_list,
    indented_map,
    value_slips.word_operator,
    value_slips.chained_comparison,
    value_slips.split_unit,
    dangling,
    foreign.string_prefix,
    foreign.declaration_inside,
    foreign.unknown_statement,
    foreign.quoted_name,
    foreign.unquoted_key,
    foreign.param_block,
    foreign.target_version,
    _missing_arrow,
    _late_delay,
    _line_break,
    unfinished,
    value_slips.leading_dot,
    value_slips.unquoted_path,
    value_slips.unquoted_value,
    _repeated_word,
    _quoted_key,
    _job_name,
    _outside_job,
)
