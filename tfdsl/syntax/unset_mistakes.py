"""What people write behind ``unset``: a dot for brackets, a value, several names, what cannot be unset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.syntax import lexer
from tfdsl.syntax.items import item_end, item_start
from tfdsl.syntax.odd_words import is_word
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

UNSET, MOUNT, ON, WHEN, AT = map(lexer.KEYWORDS.__getitem__, ("unset", "mount", "on", "when", "at"))
DOT, COMMA, EQUAL, ARROW, COLON = map(lexer.OPERATORS.__getitem__, (".", ",", "=", "=>", ":"))
MAPS = {"labels", "annotations", "env", "node_selector", "ports", "resources"}

# What cannot be unset, with what to do.
KINDS = {
    "role": "give the role a condition instead: role ps when … { }",
    "use": "give the use a condition instead: use gpu_node when …",
    "patch": "give the patch a condition instead, or remove what it adds with unpatch",
    "unpatch": "give the unpatch a condition instead",
    "target": "give the items of the target block conditions instead",
    "template": "give the use of the template a condition instead: use gpu_node when …",
    "let": "change its value instead",
    "param": "change its value instead",
}
KIND_WORDS = {lexer.KEYWORDS[word]: word for word in KINDS}


def unset_form(recovery: Recovery, at: int, _: set[int]) -> bool:
    """Anything that does not fit behind ``unset`` and the first word after it."""
    types = recovery.lexed.types
    start = item_start(types, at)
    if types[start] != UNSET:
        return _next_name(recovery, at)
    if at < start + 2:
        return _policy_word(recovery, at) if at == start + 1 else False
    kind = KIND_WORDS.get(types[start + 1])
    if types[at] == DOT and recovery.lexed.text(start + 1) == "roles":
        kind = "role"
    if kind is not None:
        return _impossible(recovery, start, kind)
    if types[start + 1] == MOUNT:
        return _mount(recovery, start, at)
    if _policy_word(recovery, start + 1) or _extra(recovery, start, at):
        return True
    return at == start + 2 and (_entry(recovery, at) or _second_name(recovery, at))


def _impossible(recovery: Recovery, start: int, kind: str) -> bool:
    """``unset role ps``."""
    end = item_end(recovery.lexed.types, start)
    span = recovery.spanning(start, end)
    if not recovery.cut_behind(start):
        return False
    what = "an unpatch" if kind == "unpatch" else f"a {kind}"
    recovery.report(rules.UNSET_KIND(span, what=what).help(KINDS[kind]))
    _forget(recovery, start + 1, end)
    return True


def _report_form(recovery: Recovery, span: Span, wanted: str) -> None:
    """Report a statement that is written in another form, with that form as the fix."""
    diagnostic = rules.UNSET_FORM(span, wanted=shortened(wanted))
    recovery.report(diagnostic.fix(f"write {shortened(wanted)}", Edit(span, wanted)))


def _forget(recovery: Recovery, at: int, end: int) -> None:
    """Read the tokens as a name that nobody wrote, so that the statement is left out."""
    recovery.delete(at, end - at)
    recovery.insert(at, lexer.NAME)


def _mount(recovery: Recovery, start: int, at: int) -> bool:
    """``unset mount pvc "data" at "/data"``: a mount is known by its path."""
    lexed = recovery.lexed
    types = lexed.types
    end = item_end(types, start, (WHEN,))
    path = next((i + 1 for i in range(start + 2, end) if types[i] == AT), None)
    if at >= end or not (types[at] == lexer.STRING or types[at] == AT):
        return False
    span = recovery.spanning(start, end)
    if path is None or path >= end:
        diagnostic = rules.UNSET_FORM(span, wanted='unset mount "/data", with the path')
        if not recovery.cut_behind(start + 1):
            return False
        recovery.report(diagnostic)
        recovery.delete(start + 2, end - start - 2)
        recovery.insert(start + 2, lexer.ERROR)
        return True
    path_end = item_end(types, path, (WHEN, lexer.LBRACE, lexer.KEYWORDS["readonly"]))
    wanted = f"unset mount {recovery.spanning(path, path_end).text}"
    if not recovery.cut_behind(start + 1):
        return False
    _report_form(recovery, span, wanted)
    recovery.delete(path_end, end - path_end)
    recovery.delete(start + 2, path - start - 2)
    return True


def _policy_word(recovery: Recovery, at: int) -> bool:
    """``unset policy on failed`` and ``unset policy failed``."""
    lexed = recovery.lexed
    types = lexed.types
    if lexed.text(at) != "policy":
        return False
    end = item_end(types, at, (WHEN,))
    rest = at + 2 if types[at + 1] == ON else at + 1
    if rest >= end or (recovery.machine.at > at and not recovery.cut_behind(at - 1)):
        return False
    span = recovery.spanning(at - 1, end)
    wanted = f"unset on {recovery.spanning(rest, end).text}"
    _report_form(recovery, span, wanted)
    recovery.replace(at, ON, rest - at)
    return True


def _extra(recovery: Recovery, start: int, at: int) -> bool:
    """``unset image = 3``, ``unset on failed => restart job``, ``unset prepare fetch { }``."""
    lexed = recovery.lexed
    types = lexed.types
    policy = types[start + 1] == ON
    what = {
        EQUAL: "a value",
        COLON: "a value",
        ARROW: "an action",
        lexer.KEYWORDS["after"]: "a delay",
        lexer.LBRACE: "a block",
    }.get(types[at])
    if what is None and policy and lexed.text(at - 1) == "restarted":
        what = "a number of restarts"
    if what is None or (types[at] == lexer.KEYWORDS["after"] and not policy):
        return False
    end = item_end(types, at, (WHEN,))
    span = recovery.spanning(at, end)
    removed = Edit(Span(span.source, lexed.ends[at - 1], span.end), "")
    recovery.report(rules.UNSET_EXTRA(span, what=what).fix("remove it", removed))
    recovery.delete(at, end - at)
    return True


def _entry(recovery: Recovery, at: int) -> bool:
    """``unset env.A``, ``unset env "A"`` and ``unset env A``."""
    lexed = recovery.lexed
    types = lexed.types
    name = lexed.text(at - 1)
    if types[at] != DOT and name not in MAPS:
        return False
    end = item_end(types, at, (WHEN,))
    if types[at] == DOT and end - at < 2:
        return False
    key = recovery.spanning(at + (types[at] == DOT), end).text
    quoted = key if key.startswith('"') else f'"{key}"'
    span = recovery.spanning(at - 2, end)
    wanted = f"unset {name}[{quoted}]"
    _report_form(recovery, span, wanted)
    recovery.delete(at, end - at)
    for offset, type_ in enumerate((lexer.LSQB, lexer.ERROR, lexer.RSQB)):
        recovery.insert(at + offset, type_)
    return True


def _second_name(recovery: Recovery, at: int) -> bool:
    """``unset image command``."""
    lexed = recovery.lexed
    if not is_word(lexed.types[at]) or (lexed.types[at] == UNSET and is_word(lexed.types[at + 1])):
        return False  # the latter lacks only a separator
    between = Span(lexed.source, lexed.ends[at - 1], lexed.starts[at])
    wanted = f"unset {lexed.text(at - 1)}, unset {lexed.text(at)}"
    diagnostic = rules.UNSET_FORM(recovery.span(at), wanted=shortened(wanted))
    recovery.report(diagnostic.fix("add unset", Edit(between, ", unset ")))
    recovery.insert(at, UNSET)
    recovery.insert(at, COMMA)
    return True


def _next_name(recovery: Recovery, at: int) -> bool:
    """``unset image, command``, where ``command`` was read as an attribute."""
    lexed = recovery.lexed
    types = lexed.types
    if at < 4 or not is_word(types[at - 1]) or types[at - 2] != COMMA or recovery.before is None:
        return False
    start = item_start(types, at - 2)
    if types[start] != UNSET or start + 2 != at - 2 or types[at] not in (lexer.NEWLINE, COMMA, lexer.RBRACE):
        return False
    span = Span(lexed.source, lexed.starts[at - 1], lexed.ends[at - 1])
    wanted = f"unset {lexed.text(start + 1)}, unset {span.text}"
    place = Span(span.source, span.start, span.start)
    recovery.report(rules.UNSET_FORM(span, wanted=shortened(wanted)).fix("add unset", Edit(place, "unset ")))
    recovery.step_back()
    recovery.insert(at - 1, UNSET)
    return True
