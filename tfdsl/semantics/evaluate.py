"""Expressions to values.

An error is reported once, at the operand that causes it, and the result is poison; whatever is computed from poison is
poison, without another report. Chains of operators are evaluated without recursion and nesting is bounded, so that no
text can overflow the stack.
"""

from __future__ import annotations

from collections.abc import Callable

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.diagnostics.suggest import enumeration, proposing
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.semantics import literals, operators
from tfdsl.semantics.members import members_help, role_member, special_member
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.values import (
    CONTAINERS,
    ELEMENT,
    POISON,
    Data,
    Entry,
    ListData,
    MapData,
    Poison,
    RunTime,
    RunTimeText,
    Value,
    a_kind,
    is_number,
    joined,
    kind_of,
    list_data,
    map_data,
    show,
)
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary.statements import RESERVED_NAMES

DEEPEST = 150
"""The most levels of nesting in an expression."""


def evaluate(expr: ast.Expr, scope: Scope, depth: int = 0) -> Value:
    """The value of ``expr``; its span is that of ``expr``."""
    if depth > DEEPEST:
        scope.report(value_rules.TOO_LARGE(expr.span, reason=f"expressions can be nested at most {DEEPEST} deep"))
        return Value(POISON, expr.span)
    if scope.globals.exhausted:
        return Value(POISON, expr.span)
    result = _EVALUATORS[type(expr)](expr, scope, depth + 1)
    if isinstance(result, Diagnostic):
        scope.report(result)
        result = POISON
    return Value(result, expr.span)


def _string(expr: ast.Str, scope: Scope, depth: int) -> Data | Diagnostic:
    parts = expr.parts
    if not parts:
        return ""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    pieces: list[str | RunTime | RunTimeText] = []
    poisoned = False
    length = 0
    for part in parts:
        piece = part if isinstance(part, str) else _interpolated(part, scope, depth)
        if isinstance(piece, Poison):
            poisoned = True
            continue
        length += len(piece) if isinstance(piece, str) else 0
        if length <= operators.LONGEST_TEXT:
            pieces.append(piece)
    if poisoned:
        return POISON
    if length > operators.LONGEST_TEXT:
        return operators.text_too_long(expr.span)
    return _kept(joined(*pieces), expr.span, scope)


def _kept(data: Data | Diagnostic, span: Span, scope: Scope) -> Data | Diagnostic:
    """``data`` if it is within bounds; the work to create it is accounted for."""
    if isinstance(data, Diagnostic):
        return data
    result = operators.bounded(data, span)
    return result if isinstance(result, Diagnostic) or spent(data, scope) else operators.exhausted(span)


def spent(data: Data, scope: Scope) -> bool:
    """Account for handling ``data``; false when that is too much for one program."""
    if isinstance(data, str):
        return scope.globals.spend(1 + len(data) // 128)
    if isinstance(data, CONTAINERS):
        return scope.globals.spend(1 + data.weight // ELEMENT)
    return True


def _interpolated(expr: ast.Expr, scope: Scope, depth: int) -> str | RunTime | RunTimeText | Poison:
    run_time = _run_time(expr, scope)
    if run_time is not None:
        return run_time
    value = evaluate(expr, scope, depth)
    if isinstance(value.data, Poison | RunTimeText):
        return value.data
    text = show(value.data)
    if text is None:
        diagnostic = name_rules.NOT_IN_TEXT(expr.span, given=a_kind(value.data))
        scope.report(diagnostic.help("use join() for a list") if isinstance(value.data, ListData) else diagnostic)
        return POISON
    return text


def _run_time(expr: ast.Expr, scope: Scope) -> RunTime | Poison | None:
    """``task.index``, ``env.NAME`` or ``job.user`` alone, else ``None``."""
    if not isinstance(expr, ast.Member) or not isinstance(expr.base, ast.Ref):
        return None
    base, member = expr.base.name, expr.name.text
    if base not in ("task", "env") and (base, member) != ("job", "user"):
        return None
    if scope.job is None:
        scope.report(name_rules.NOT_IN_JOB(expr.span, name=f"{base}.{member}"))
        return POISON
    if base == "env":
        return RunTime("env", member)
    if base == "job":
        if scope.job.knows_submitter(expr.span):
            return RunTime("job.user")
        known = enumeration(target.name for target in targets.every() if target.knows_submitter)
        scope.report(name_rules.JOB_USER_HERE(expr.span, targets=known).help("pass the user as a param"))
        return POISON
    if member != "index":
        scope.report(name_rules.UNKNOWN_MEMBER(expr.name.span, base="task", name=member).help("write task.index"))
        return POISON
    return RunTime("task.index")


def _bool(expr: ast.Bool, scope: Scope, depth: int) -> Data:
    return expr.value


def _ref(expr: ast.Ref, scope: Scope, depth: int) -> Data | Diagnostic:
    value = scope.globals.lookup(expr.name)
    if value is not None:
        return value.data
    if expr.name in RESERVED_NAMES:
        return name_rules.UNKNOWN_NAME(expr.span, name=expr.name).help(members_help(expr.name))
    diagnostic = name_rules.UNKNOWN_NAME(expr.span, name=expr.name)
    words = {"yes": "true", "on": "true", "True": "true", "no": "false", "off": "false", "False": "false"}
    if expr.name in words:
        word = words[expr.name]
        return diagnostic.help(f"write {word}").replacing(f"write {word}", word, safe=True)
    if expr.name in ("null", "None", "nil", "undefined"):
        return diagnostic.help("there is no null: leave the attribute out")
    near = scope.globals.closest(expr.name, scope.globals.names())
    if near is not None:
        return proposing(diagnostic, near)
    if _is_inside_text(expr):
        return diagnostic.help(
            f"write ${{env.{expr.name}}} for an environment variable, or \\${{{expr.name}}} for the literal text"
        )
    literal = _INTERPOLATED.match(expr.span.source.text, max(expr.span.start - 2, 0))
    if literal is not None:
        return diagnostic.help(f"write \\{literal[0]} to keep it as literal text")
    return diagnostic.help(f'write "{expr.name}" for a text').replacing("quote it", f'"{expr.name}"')


# A path of names and nothing more, as in the templates of other programs.
_INTERPOLATED = regex(r"\$\{\w[\w.]*+\}")


def _is_inside_text(expr: ast.Ref) -> bool:
    """Whether the name is alone in ``${}`` inside a text."""
    text, span = expr.span.source.text, expr.span
    return text[max(span.start - 2, 0) : span.start] == "${" and text[span.end : span.end + 1] == "}"


def _list(expr: ast.ListExpr, scope: Scope, depth: int) -> Data | Diagnostic:
    return _kept(list_data(tuple(evaluate(item, scope, depth) for item in expr.items)), expr.span, scope)


def _map(expr: ast.MapExpr, scope: Scope, depth: int) -> Data | Diagnostic:
    """The entries of a map. A repeated key is reported, and its first value is kept."""
    entries: dict[str, Entry] = {}
    for assign in expr.entries:
        value = evaluate(assign.value, scope, depth)
        key = assign.key.text
        if key in entries:
            diagnostic = name_rules.DUPLICATE_KEY(assign.key.span, name=key).marked("set again here")
            scope.report(diagnostic.note(entries[key].key_span, "first set here"))
            continue
        entries[key] = Entry(key, assign.key.span, value)
    return _kept(map_data(entries), expr.span, scope)


def _unary(expr: ast.Unary, scope: Scope, depth: int) -> Data | Diagnostic:
    value = evaluate(expr.operand, scope, depth).data
    if isinstance(value, Poison):
        return POISON
    if expr.op == "!":
        if isinstance(value, bool):
            return not value
        return name_rules.CONDITION_TYPE(expr.operand.span, what="the operand of !", given=a_kind(value))
    if is_number(value):
        return operators.binary("-", 0, value, expr.span)
    return name_rules.ARGUMENT_TYPE(expr.operand.span, name="-", expected="a number", given=a_kind(value))


def _binary(expr: ast.Binary, scope: Scope, depth: int) -> Data | Diagnostic:
    chain: list[ast.Binary] = []
    leftmost: ast.Expr = expr
    while isinstance(leftmost, ast.Binary):
        chain.append(leftmost)
        leftmost = leftmost.left
    left = evaluate(leftmost, scope, depth)
    for node in reversed(chain):
        result = _operate(node, left, scope, depth)
        if isinstance(result, Diagnostic):
            scope.report(result)
            result = POISON
        left = Value(result, node.span)
    return left.data


def _operate(node: ast.Binary, left: Value, scope: Scope, depth: int) -> Data | Diagnostic:
    if node.op not in ("&&", "||"):
        right = evaluate(node.right, scope, depth)
        if node.op in ("==", "!=") and not (spent(left.data, scope) and spent(right.data, scope)):
            return operators.exhausted(node.span)
        result = operators.binary(node.op, left.data, right.data, node.span)
        if isinstance(result, Diagnostic) and result.rule is value_rules.DIVISION_BY_ZERO:
            return replace(result, span=right.span)
        return _kept(result, node.span, scope)
    decided = left.data is (node.op == "||")
    right = evaluate(node.right, _hypothetical(scope) if decided else scope, depth)
    for side in (left, right):
        if not isinstance(side.data, bool | Poison):
            return name_rules.CONDITION_TYPE(side.span, what=f"the operand of {node.op}", given=a_kind(side.data))
    if isinstance(left.data, Poison) or (isinstance(right.data, Poison) and not decided):
        return POISON
    return left.data if decided else right.data


def _choice(expr: ast.Choice, scope: Scope, depth: int) -> Data | Diagnostic:
    condition = evaluate(expr.condition, scope, depth)
    truth = condition.data
    if not isinstance(truth, bool | Poison):
        scope.report(name_rules.CONDITION_TYPE(condition.span, what="the condition of ?:", given=a_kind(truth)))
    yes = evaluate(expr.yes, scope if truth is not False else _hypothetical(scope), depth).data
    no = evaluate(expr.no, scope if truth is not True else _hypothetical(scope), depth).data
    if not isinstance(truth, bool):
        return POISON
    if not isinstance(yes, Poison) and not isinstance(no, Poison):
        yes, no = operators.settle(yes, no)
        if not _alike(yes, no):
            return name_rules.BRANCH_TYPES(expr.span, left=kind_of(yes), right=kind_of(no))
    return yes if truth else no


def _alike(left: Data, right: Data) -> bool:
    kinds = {kind_of(left), kind_of(right)}
    return len(kinds) == 1 or kinds == {"int", "number"}


def _hypothetical(scope: Scope) -> Scope:
    """``scope`` for a branch that is not taken: wrong names and types are errors there too, wrong values are not."""
    report = scope.report

    def only_names(diagnostic: Diagnostic) -> None:
        if diagnostic.rule.code.startswith("TFJ1"):
            report(diagnostic)

    return replace(scope, report=only_names)


def _index(expr: ast.Index, scope: Scope, depth: int) -> Data | Diagnostic:
    base = evaluate(expr.base, scope, depth).data
    at = evaluate(expr.index, scope, depth)
    index = at.data
    if isinstance(base, Poison) or isinstance(index, Poison):
        return POISON
    if isinstance(base, ListData):
        if not isinstance(index, int) or isinstance(index, bool):
            return name_rules.INDEX_TYPE(at.span, base="a list", expected="an int", given=a_kind(index))
        if not 0 <= index < len(base.items):
            return value_rules.INDEX_RANGE(at.span, index=index, length=len(base.items))
        return base.items[index].data
    if isinstance(base, MapData):
        if not isinstance(index, str):
            return name_rules.INDEX_TYPE(at.span, base="a map", expected="a string", given=a_kind(index))
        return _entry(base, index, at.span, scope)
    return name_rules.NOT_INDEXABLE(expr.base.span, given=a_kind(base))


def _entry(base: MapData, key: str, span: Span, scope: Scope) -> Data | Diagnostic:
    if key in base.entries:
        return base.entries[key].value.data
    diagnostic = value_rules.MISSING_KEY(span, key=key)
    near = scope.globals.closest(key, base.entries)
    return diagnostic.help(f"did you mean {near}?") if near else diagnostic


def _member(expr: ast.Member, scope: Scope, depth: int) -> Data | Diagnostic:
    base, name = expr.base, expr.name
    if isinstance(base, ast.Ref) and scope.globals.lookup(base.name) is None:
        special = special_member(expr, base.name, name, scope)
        if special is not None:
            return special
    if isinstance(base, ast.Member) and isinstance(base.base, ast.Ref) and base.base.name == "roles":
        return role_member(base.name, name, scope)
    data = evaluate(base, scope, depth).data
    if isinstance(data, Poison):
        return POISON
    if isinstance(data, MapData):
        return _entry(data, name.text, name.span, scope)
    return name_rules.UNKNOWN_MEMBER(name.span, base=a_kind(data), name=name.text)


def _call(expr: ast.Call, scope: Scope, depth: int) -> Data | Diagnostic:
    from tfdsl.semantics.functions import call

    arguments = [evaluate(argument, scope, depth) for argument in expr.arguments]
    if not all(spent(argument.data, scope) for argument in arguments):
        return operators.exhausted(expr.span)
    return _kept(call(expr.name, arguments, scope, expr.span), expr.span, scope)


def _error(expr: ast.ErrorExpr, scope: Scope, depth: int) -> Data:
    return POISON


_EVALUATORS: dict[type, Callable[..., Data | Diagnostic]] = {
    ast.Str: _string,
    ast.Number: literals.number,
    ast.Unit: literals.unit,
    ast.Bool: _bool,
    ast.Ref: _ref,
    ast.ListExpr: _list,
    ast.MapExpr: _map,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.Choice: _choice,
    ast.Index: _index,
    ast.Member: _member,
    ast.Call: _call,
    ast.ErrorExpr: _error,
}
