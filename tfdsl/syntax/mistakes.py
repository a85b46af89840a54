"""Mistakes carried over from other languages, each with its own message.

Each function looks at the token that does not fit. If it recognizes its mistake, it changes the tokens so that the
parser can continue, and reports it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.syntax import (
    _tables as tables,
    condition_mistakes,
    expression_mistakes,
    lexer,
    repairs,
    statement_mistakes,
    value_mistakes,
    wording,
)
from tfdsl.syntax.brackets import around, block_end, item_end, item_start
from tfdsl.syntax.lexer import (
    AFTER,
    ARROW,
    AT,
    CLOSERS,
    COLON,
    COMMA,
    DECLARATIONS,
    DOT,
    EQUAL,
    EQUALS,
    ITEM_STARTS,
    MINUS,
    MORE,
    NUMBER,
    ON,
    OPENERS,
    PLUS,
    SLASH,
    WHEN,
    is_word,
)
from tfdsl.syntax.repairs import resembling
from tfdsl.syntax.value_mistakes import indented_map, yaml_block, yaml_list, yaml_separator
from tfdsl.syntax.values_mistakes import not_a_value
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span
from tfdsl.vocabulary import foreign
from tfdsl.vocabulary.attributes import ROLE_NAMES
from tfdsl.vocabulary.statements import ACTIONS

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery


# --- unfinished ---
#
# Statements that are not complete, as in an editor while somebody is typing.
#
# The parser then stops at the end of an item. The tables show which tokens would complete the statement: they are
# inserted as empty tokens, one message names the first of them, and the next statement is read normally.

# What can end an item.
ENDS = {lexer.NEWLINE, lexer.END, COMMA, *OPENERS}

# Signs after which a line end does not end the item.
LINKS = {COLON, EQUAL, ARROW}
APPEND = lexer.OPERATORS["+="]

# What can be inserted where no value fits; a value is always an error value.
BLOCK = (lexer.LBRACE, lexer.RBRACE)
PARTS: tuple[tuple[int, ...], ...] = (
    (lexer.NAME,),
    (lexer.JOB_NAME,),
    (lexer.STRING,),
    (NUMBER,),
    (EQUAL,),
    (ARROW,),
    (COLON,),
    (AT,),
    (lexer.KEYWORDS["to"],),
    (MORE,),
    BLOCK,
)
LONGEST = 7


def unfinished(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``mount pvc`` and nothing more, or ``n > 1 ? 2`` before a closing bracket."""
    types = recovery.types
    if types[at] == ARROW and at and types[at - 1] == WHEN:
        return _complete(recovery, at, (lexer.ERROR,))
    if types[at] not in ENDS or not at or types[at - 1] in ITEM_STARTS:
        return False
    if types[at] == COMMA and types[at - 1] in OPENERS:
        return False
    put = _completion(recovery.machine.states, types[at : at + 2], _first(recovery, at))
    return put is not None and _complete(recovery, at, put)


def dangling(recovery: Recovery, at: int, _: set[int]) -> bool:
    """The same before a line end where a value can continue: the next item was read as the missing part."""
    types, before = recovery.types, recovery.before_line_end
    if before is None or not 1 <= at - before.at <= 2 or not before.at or types[before.at - 1] in ITEM_STARTS:
        return False
    put = _completion(before.states, [*types[before.at : at], EQUAL if types[at] == COLON else types[at]], ())
    if put is None:
        return False
    end = before.at
    recovery.back_to_line_end()
    return _complete(recovery, end, put)


def _first(recovery: Recovery, at: int) -> tuple[int, ...]:
    """What must come next even if something else is shorter: after ``on worker`` an event, which it is not itself."""
    after_role = at > 1 and recovery.types[at - 2] == ON and recovery.text(at - 1) in ROLE_NAMES
    return (lexer.NAME,) if after_role else ()


def _completion(states: list[int], following: Sequence[int], first: tuple[int, ...]) -> tuple[int, ...] | None:
    """The fewest tokens that complete what was read, so that the tokens ``following`` fit."""
    start = states.copy()
    if not all(repairs.advance(start, type_, exactly=True) for type_ in first):
        return None
    waiting = [(start, first)]
    for stack, put in waiting:
        if put and put[-1] not in LINKS and repairs.fits(stack, *following):
            return put
        if len(put) >= LONGEST:
            continue
        # An optional source is asked for, too: which kinds have none is not known here.
        for part in ((lexer.ERROR,),) if repairs.fits(stack, lexer.ERROR) else PARTS:
            if part == (MORE,) and repairs.fits(stack, PLUS):
                continue  # after a value it compares; it closes only in a type
            trial = stack.copy()
            if all(repairs.advance(trial, type_, exactly=True) for type_ in part):
                waiting.append((trial, put + part))
    return None


def _complete(recovery: Recovery, at: int, put: tuple[int, ...]) -> bool:
    recovery.report(_message(recovery, at, put))
    for offset, type_ in enumerate(put):
        recovery.insert(at + offset, type_)
    return True


def _message(recovery: Recovery, at: int, put: tuple[int, ...]) -> Diagnostic:
    lexed = recovery.lexed
    span = recovery.span(at)
    start = item_start(lexed.types, at)
    before = lexed.text(at - 1)
    if put == BLOCK:
        end = lexed.ends[at - 1]
        head = Span(lexed.source, lexed.starts[start], end)
        edit = Edit(Span(lexed.source, end, end), " { }")
        return rules.MISSING_BLOCK(span, what=shortened(head.text)).fix("add an empty block", edit)
    statement = lexed.text(start) if lexed.types[start] >= tables.FIRST_KEYWORD else ""
    if lexed.types[at - 1] == EQUAL and at > 1:
        key = start + 1 if statement in ("param", "let") else at - 2
        return rules.MISSING_VALUE(span, key=shortened(lexed.text(key)))
    if before in foreign.BLOCKS and start == at - 1 and lexed.types[start] == lexer.NAME:
        lexed.meant[lexed.starts[start]] = ""
        return rules.UNKNOWN_STATEMENT(recovery.span(start), found=before).help(foreign.BLOCKS[before])
    diagnostic = rules.UNFINISHED(span, expected=wording.missing(put, before, statement), before=shortened(before))
    first = item_start(lexed.types, start - 2) if start > 1 and lexed.types[start - 1] == COMMA else start
    if lexed.types[first] == lexer.KEYWORDS["run"] and lexer.AFTER in lexed.types[first:start]:
        return diagnostic.help("several jobs are in brackets: run train after [fetch, prepare]")
    form = wording.form_of(lexed, start) if statement else None
    return diagnostic if form is None else diagnostic.help(f"for example: {form}")


Mistake: TypeAlias = "Callable[[Recovery, int, set[int]], bool]"


# The first words of all actions.
ACTION_WORDS = {action.name.partition(" ")[0] for action in ACTIONS}

# What can follow the type of a param.
TYPED = {EQUAL, lexer.OPERATORS["<"], lexer.LSQB, lexer.NEWLINE, lexer.END}


def recognize(recovery: Recovery) -> bool:
    """Whether the next token, which does not fit, is a known mistake; if so, report it and change the tokens."""
    at = recovery.machine.at
    acceptable = recovery.acceptable()
    return any(mistake(recovery, at, acceptable) for mistake in MISTAKES)


def _set_with(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``key: value``, ``key == value``, ``key => value`` and ``key += value``."""
    lexed = recovery.lexed
    type_ = lexed.types[at]
    if type_ not in (COLON, EQUALS, ARROW, APPEND) or EQUAL not in acceptable or not at:
        return False
    span = recovery.span(at)
    if type_ == COLON and lexed.types[at + 1 : at + 3] == [lexer.NEWLINE, MINUS]:
        recovery.replace(at, EQUAL)
        return True  # the list is reported
    nested = type_ == COLON and is_word(lexed.types[at + 1]) and lexed.types[at + 2] == COLON
    if nested and lexed.ends[at + 2] < lexed.starts[at + 3]:  # env: A: x
        recovery.report(rules.YAML_MAP(span, key=lexed.text(at - 1)))
        recovery.replace(at, EQUAL)
        recovery.replace(at + 1, lexer.ERROR, item_end(lexed.types, at + 1) - at - 1)
        return True
    sign = lexed.text(at)
    diagnostic = rules.DOUBLE_EQUALS(span) if type_ == EQUALS else rules.COLON_FOR_EQUALS(span, found=sign)
    blank = "" if lexed.ends[at - 1] < span.start else " "
    behind = "" if span.end < lexed.starts[at + 1] else " "
    if type_ == COLON and _yaml_text(recovery, at, diagnostic):
        return True
    if type_ == APPEND:
        diagnostic = diagnostic.help("the attribute of a later layer replaces the earlier one").replacing(
            "write =", "="
        )
    elif not _is_type(recovery, at):
        others = _others_in_map(recovery, at) if type_ in (COLON, ARROW) else []
        edits = [Edit(recovery.span(other), " =") for other in others]
        diagnostic = diagnostic.fix("write =", Edit(span, f"{blank}={behind}"), *edits, safe=True)
        for other in others:
            recovery.replace(other, EQUAL)
    recovery.report(diagnostic)
    recovery.replace(at, EQUAL)
    return True


def _others_in_map(recovery: Recovery, at: int) -> list[int]:
    """The other signs of the same kind in the map that token ``at`` is in."""
    types = recovery.types
    bracket = around(types, at)
    if bracket is None or lexer.STRING not in recovery.acceptable_before():
        return []
    others: list[int] = []
    depth = 0
    for place in range(at + 1, block_end(types, at)):
        depth += (types[place] in CLOSERS) - (types[place] in OPENERS)
        if depth == 0 and types[place] == types[at] and types[place - 2] in ITEM_STARTS:
            others.append(place)
    return others


def _yaml_text(recovery: Recovery, at: int, diagnostic: Diagnostic) -> bool:
    """``image: nginx:1.4`` and ``image: nginx``: the text is a part of the same mistake."""
    lexed = recovery.lexed
    types = lexed.types
    end = item_end(types, at + 1)
    inside = set(types[at + 1 : end])
    if (
        not inside
        or types[at + 1] not in (lexer.NAME, SLASH, DOT)
        or inside & {*CLOSERS, *OPENERS, lexer.STRING, EQUAL, lexer.ERROR}
    ):
        return False
    if end > at + 2 and not inside & {COLON, SLASH, DOT, MINUS}:
        return False
    value = recovery.spanning(at + 1, end)
    if end > at + 2:
        edit = Edit(Span(value.source, lexed.ends[at - 1], value.end), f' = "{value.text}"')
        diagnostic = diagnostic.fix("write = and quotes", edit)
        recovery.replace(at + 1, lexer.ERROR, end - at - 1)
    else:
        sign = recovery.span(at)
        blank = "" if lexed.ends[at - 1] < sign.start else " "
        diagnostic = diagnostic.fix("write =", Edit(sign, f"{blank}="), safe=True)
        recovery.builder.doubtful.append(value.start)
    recovery.report(diagnostic)
    recovery.replace(at, EQUAL)
    return True


def _is_type(recovery: Recovery, at: int) -> bool:
    """Whether the colon at ``at`` is that of a type: ``let n: int = 4``."""
    types = recovery.types
    behind = types[at + 1 : at + 3]
    return (
        types[at] == COLON and types[at - 2] == lexer.KEYWORDS["let"] and behind[0] == lexer.NAME and behind[1] in TYPED
    )


def _repeated_word(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``role role ps``, where the second word was read as the name."""
    lexed, before = recovery.lexed, recovery.before
    if before is None or at < 2 or lexed.types[at - 1] < tables.FIRST_KEYWORD:
        return False
    if lexed.types[at - 1] != lexed.types[at - 2] or not repairs.goes_on(before.states.copy(), lexed.types, at):
        return False
    span = recovery.spanning(at - 1, at)
    recovery.report(
        rules.REPEATED_WORD(span, found=shortened(span.text)).fix("remove it", recovery.removal(at - 1), safe=True)
    )
    recovery.step_back()
    recovery.delete(at - 1)
    return True


def _missing_arrow(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``on failed restart job``, where ``failed`` was read as a role and ``restart`` as the event."""
    on = _policy_start(recovery, at)
    if on is None or ARROW in recovery.types[on:at]:
        return False
    if recovery.types[at] == lexer.LBRACE:
        return _action_in_braces(recovery, at)
    action = next((i for i in range(on + 2, at + 1) if recovery.text(i) in ACTION_WORDS), None)
    if action is None or not recovery.cut_behind(on):
        return False
    span = recovery.span(action)
    edit = Edit(Span(span.source, span.start, span.start), "=> ")
    recovery.report(rules.UNEXPECTED(span, expected="=>", found=span.text).fix("add =>", edit))
    recovery.insert(action, ARROW)
    return True


def _action_in_braces(recovery: Recovery, at: int) -> bool:
    """``on failed { restart pod }``."""
    types = recovery.types
    if not repairs.fits(recovery.machine.states, ARROW) or recovery.text(at + 1) not in ACTION_WORDS:
        return False
    end = next(i for i in range(at + 1, len(types)) if not is_word(types[i]))
    if types[end] != lexer.RBRACE:
        return False
    span = recovery.spanning(at, end + 1)
    text = f"=> {recovery.spanning(at + 1, end).text}"
    recovery.report(
        rules.UNEXPECTED(recovery.span(at), expected="=>", found="{").fix(f"write {text}", Edit(span, text))
    )
    recovery.delete(end)
    recovery.replace(at, ARROW)
    return True


def _policy_start(recovery: Recovery, at: int) -> int | None:
    """The ``on`` before token ``at`` on its line."""
    types = recovery.types
    return next((i for i in range(at - 1, recovery.line_start(at) - 1, -1) if types[i] == ON), None)


def _late_delay(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``on failed => restart job after 3m``, where ``after`` was read as a word of the action."""
    lexed = recovery.lexed
    on = _policy_start(recovery, at)
    if on is None or ARROW not in lexed.types[on:at] or lexed.text(at - 1) != "after":
        return False
    arrow = lexed.types.index(ARROW, on)
    action = recovery.span(arrow + 1).to(recovery.span(at - 2))
    if lexed.types[at] not in value_mistakes.NUMBERS or arrow + 2 >= at or not recovery.cut_behind(on):
        return False
    late = recovery.spanning(at - 1, at + 1)
    diagnostic = rules.LATE_DELAY(late, delay=lexed.text(at), action=action.text)
    if AFTER not in lexed.types[on:arrow]:
        place = lexed.starts[arrow]
        moved = Edit(Span(lexed.source, place, place), f"{late.text} ")
        diagnostic = diagnostic.fix("move it", moved, Edit(Span(lexed.source, action.end, late.end), ""), safe=True)
    recovery.report(diagnostic)
    recovery.delete(at - 1, 2)
    if AFTER not in lexed.types[on:arrow]:
        recovery.insert(arrow, lexer.ERROR)
        recovery.insert(arrow, AFTER)
    return True


def _quoted_key(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``"image" = …`` and ``"role" worker { }`` among the items of a block."""
    keyword = lexer.KEYWORDS.get(recovery.text(at).strip('"'), lexer.END)
    is_keyword = recovery.types[at] == lexer.STRING and keyword != lexer.END and keyword in acceptable
    if is_keyword and _is_word_or_text(recovery, at + 1):
        span = recovery.span(at)
        edit = Edit(span, span.text.strip('"'))
        recovery.report(rules.QUOTED_NAME(span).fix("remove the quotes", edit, safe=True))
        recovery.lexed.starts[at], recovery.lexed.ends[at] = span.start + 1, span.end - 1
        recovery.replace(at, keyword)
        return True
    if (
        recovery.types[at] != lexer.STRING
        or lexer.NAME not in acceptable
        or recovery.types[at + 1] not in (EQUAL, COLON)
    ):
        return False
    span = recovery.span(at)
    name = span.text.strip('"')
    diagnostic = rules.QUOTED_KEY(span)
    recovery.report(
        diagnostic.fix("remove the quotes", Edit(span, name), safe=True) if name.isidentifier() else diagnostic
    )
    recovery.replace(at, lexer.NAME if name.isidentifier() and name.isascii() else lexer.ERROR)
    return recovery.types[at] == lexer.NAME or recovery.drop_item(at)


def _is_word_or_text(recovery: Recovery, at: int) -> bool:
    return is_word(recovery.types[at]) or recovery.types[at] == lexer.STRING


def _job_with_sign(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``job: hello`` and ``job = hello { }``."""
    types = recovery.types
    if types[at] not in (COLON, EQUAL) or types[at - 1] != lexer.JOB or lexer.JOB_NAME not in acceptable:
        return False
    diagnostic = rules.BLOCK_FORM(recovery.span(at), word="job", form="job NAME { … }")
    recovery.report(diagnostic.help(f"for example: {wording.FORMS['job']}"))
    end = recovery.line_end(at)
    if lexer.LBRACE in types[at:end]:
        recovery.delete(at)
        return True
    recovery.delete(at, end - at)
    for type_ in (lexer.RBRACE, lexer.LBRACE, lexer.NAME):
        recovery.insert(at, type_)
    return True


def _job_name(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``job my.job {`` and ``job 2nd {``: a name that must be quoted."""
    lexed = recovery.lexed
    if lexed.types[at - 1] == lexer.JOB and lexer.JOB_NAME in acceptable:
        first = at
    elif at > 1 and lexed.types[at - 2] == lexer.JOB and lexed.ends[at - 1] == lexed.starts[at] and recovery.before:
        first = at - 1
    else:
        return False
    end = first
    while lexed.types[end] not in repairs.FIXED and (end == first or lexed.ends[end - 1] == lexed.starts[end]):
        end += 1
    if lexed.types[first] in repairs.FIXED or lexed.types[end] != lexer.LBRACE or lexed.types[first] == lexer.STRING:
        return False
    if first < at:
        recovery.step_back()
    span = recovery.spanning(first, end)
    diagnostic = rules.JOB_NAME(span)
    recovery.report(
        diagnostic.fix("quote the name", Edit(span, f'"{span.text}"'), safe=True)
        if '"' not in span.text
        else diagnostic
    )
    recovery.replace(first, lexer.NAME, end - first)
    return True


def _line_break(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """A statement that continues on the next line, or a ``{`` there."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at] != lexer.NEWLINE or types[at + 1] not in acceptable or not at:
        return False
    states = recovery.machine.states.copy()
    deeper = recovery.column(at + 1) > recovery.column(recovery.line_start(at - 1))
    if types[at + 1] == lexer.LBRACE and repairs.fits(states, lexer.LBRACE):
        span = recovery.span(at + 1)
        gap = Span(lexed.source, lexed.ends[at - 1], span.start)
        diagnostic = rules.BRACE_ON_NEXT_LINE(span)
        recovery.report(diagnostic if "#" in gap.text else diagnostic.fix("move it up", Edit(gap, " "), safe=True))
    elif (deeper or types[at + 1] in _LITERALS) and repairs.goes_on(states, types, at + 1):
        recovery.report(rules.BROKEN_LINE(recovery.span(at), expected=recovery.expected()))
    else:
        return False
    recovery.delete(at)
    return True


_LITERALS = {lexer.STRING, lexer.UNIT, NUMBER, lexer.LSQB, lexer.TEXT, lexer.RAW}


def _declares(recovery: Recovery, at: int) -> bool:
    """Whether a declaration begins after the line end ``at``."""
    types = recovery.types
    if types[at] != lexer.NEWLINE or types[at + 1] not in DECLARATIONS:
        return False
    return recovery.column(at + 1) == 1 or repairs.fits([tables.START_FILE], types[at + 1], types[at + 2])


def _outside_job(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """Something at file level that is not a declaration: skip to the next one, with one report."""
    lexed = recovery.lexed
    types = lexed.types
    if lexer.JOB not in acceptable or types[at] in (lexer.NEWLINE, lexer.END):
        return False
    if any(repairs.fits(recovery.machine.states, word, types[at + 1]) for word in resembling(recovery, at)):
        return False
    span = recovery.span(at)
    is_item = types[at] == lexer.NAME and types[at + 1] in (EQUAL, COLON)
    is_statement = types[at] == lexer.NAME and not is_item
    if not is_item and span.text in foreign.BLOCKS:
        diagnostic = rules.UNKNOWN_STATEMENT(span, found=shortened(span.text)).help(foreign.BLOCKS[span.text])
    elif is_item or (types[at] in lexer.KEYWORDS.values() and types[at] not in DECLARATIONS):
        diagnostic = rules.OUTSIDE_JOB(span, found=shortened(span.text)).help("write it inside a job: job mnist { … }")
    elif is_statement:
        diagnostic = rules.UNKNOWN_STATEMENT(span, found=shortened(span.text))
        diagnostic = diagnostic.help(foreign.advice(span.text) or foreign.DECLARATIONS)
    else:
        diagnostic = rules.UNEXPECTED(span, expected=recovery.expected(), found=wording.found(lexed, at))
    recovery.report(diagnostic)
    end = at
    while types[end] != lexer.END and not _declares(recovery, end):
        end += 1
    if types[end] == lexer.NEWLINE and at:
        end += 1
    recovery.delete(at, end - at)
    return True


def _semicolon_between_declarations(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``let a = 1; let b = 2``, where a comma does not do."""
    if recovery.types[at] != COMMA or recovery.text(at) != ";" or lexer.NEWLINE not in acceptable:
        return False
    recovery.replace(at, lexer.NEWLINE)
    return True


MISTAKES: tuple[Mistake, ...] = (
    value_mistakes.split_comparison,
    statement_mistakes.typed_let,
    statement_mistakes.type_brackets,
    statement_mistakes.yaml_steps,
    yaml_block,
    not_a_value,
    expression_mistakes.foreign_expression,
    expression_mistakes.list_in_other_brackets,
    statement_mistakes.block_with_equals,
    statement_mistakes.names_in_head,
    statement_mistakes.unquoted_include,
    _semicolon_between_declarations,
    condition_mistakes.condition_word,
    statement_mistakes.unset_form,
    _set_with,
    yaml_separator,
    statement_mistakes.command_line_option,
    yaml_list,
    value_mistakes.folded_text,
    indented_map,
    value_mistakes.word_operator,
    value_mistakes.chained_comparison,
    value_mistakes.split_unit,
    dangling,
    condition_mistakes.condition_behind_block,
    condition_mistakes.condition_before_the_rest,
    condition_mistakes.condition_first,
    statement_mistakes.matrix_axis,
    statement_mistakes.statement_without_name,
    statement_mistakes.untyped_param,
    statement_mistakes.item_among_settings,
    statement_mistakes.entry_of_map,
    value_mistakes.split_value,
    statement_mistakes.string_prefix,
    statement_mistakes.declaration_inside,
    statement_mistakes.unknown_statement,
    statement_mistakes.quoted_name,
    statement_mistakes.unquoted_key,
    statement_mistakes.param_block,
    statement_mistakes.target_version,
    statement_mistakes.run_with_block,
    _missing_arrow,
    _late_delay,
    condition_mistakes.late_condition,
    _line_break,
    unfinished,
    value_mistakes.leading_dot,
    value_mistakes.unquoted_address,
    value_mistakes.unquoted_path,
    value_mistakes.unquoted_value,
    _repeated_word,
    _quoted_key,
    _job_with_sign,
    _job_name,
    _outside_job,
)
