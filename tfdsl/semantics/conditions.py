"""Conditions: whether an item with ``when`` is in the job.

A condition sees params, lets and matrix values, inside a job its
name, and where the item belongs to one role, that role's name. It never depends on the target. A condition that is
wrong is reported once and counts as true, as if it were not written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.record import Record, replace
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.project import every_item
from tfdsl.semantics.scope import Scope, references
from tfdsl.semantics.values import ListData, MapData, Poison, Value, a_kind, is_number
from tfdsl.syntax import ast
from tfdsl.text import Span

_RESERVED = ("job", "role", "roles", "task", "env")
_DIFFERENT = (*_RESERVED, "matrix")
_LOGIC = ("&&", "||")


class Conditions:
    """The conditions of the items of one job.

    ``scope``: the names in it; ``everywhere``: what is known of conditions that are the same in every job and role.
    """

    def __init__(self, scope: Scope, everywhere: dict[int, bool] | None = None) -> None:
        self._scope = scope
        self._everywhere = {} if everywhere is None else everywhere
        self._profiles = scope.globals.program.profiles
        self._known: dict[tuple[int, str | None], bool | None] = {}

    def holds(self, condition: ast.Condition, role: str | None) -> bool:
        """Whether the item of ``condition`` is there, in ``role`` if it belongs to one."""
        return self.value(condition, role) is not False

    def is_same(self, condition: ast.Condition) -> bool:
        """Whether ``condition``, which has been evaluated, is the same in every job and role."""
        return id(condition) in self._everywhere

    def value(self, condition: ast.Condition, role: str | None) -> bool | None:
        """What ``condition`` evaluates to; ``None``, with a report, when it is wrong."""
        same = self._everywhere.get(id(condition))
        if same is not None:
            return same
        key = id(condition), role
        if key not in self._known:
            value = self._known[key] = self._evaluated(condition, role)
            held = self._scope.globals.conditions
            held[condition.span] = held.get(condition.span, False) or value is not False
            if value is not None and not references((condition.value,), _DIFFERENT):
                self._everywhere[id(condition)] = value
        return self._known[key]

    def _evaluated(self, condition: ast.Condition, role: str | None) -> bool | None:
        def report(diagnostic: Diagnostic) -> None:
            self._scope.report(self._advised(diagnostic, condition, role))

        scope = replace(self._scope, role=role, report=report)
        hidden = [_hidden(member, scope) for member in members(condition.value) if not _is_visible(member, scope)]
        for diagnostic in hidden:
            scope.report(diagnostic)
        value = None if hidden else evaluate(condition.value, scope)
        if value is None or isinstance(value.data, bool):
            return None if value is None else value.data is True
        if not isinstance(value.data, Poison):
            scope.report(_wrong_type(condition.value, value, scope))
        return None

    def _advised(self, diagnostic: Diagnostic, condition: ast.Condition, role: str | None) -> Diagnostic:
        """``diagnostic`` with what to write instead of a name that no condition has."""
        if diagnostic.rule is not name_rules.UNKNOWN_NAME:
            return diagnostic
        name = diagnostic.span.text
        if name == "target" or name in targets.names():
            target = name if name != "target" else targets.names()[0]
            advice = f"a condition does not depend on the target: put the item in target {target} {{ … }}"
        elif name == "profile" or name in self._profiles:
            param = name if name != "profile" else next(iter(self._profiles), "prod")
            advice = f"declare param {param}: bool = false, and write {param} = true in profile {param}"
        elif diagnostic.span in _bools(condition.value) and any(fix.title == "quote it" for fix in diagnostic.fixes):
            advice = f"declare param {name}: bool = false"
        elif name in _RESERVED:
            advice = _visible(replace(self._scope, role=role))
        else:
            return diagnostic
        return replace(diagnostic, helps=(), fixes=()).help(advice)


def has_conditions(node: ast.Job, templates: Mapping[str, ast.Template]) -> bool:
    """Whether an item of a job, or of a template that it uses, has a condition."""
    return any(getattr(item, "condition", None) is not None for item in every_item((node,), templates))


def members(expr: ast.Expr) -> Iterator[ast.Member]:
    """The members of reserved words in ``expr``, such as ``job.name``, in no order."""
    todo: list[object] = [expr]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Member) and _root(node) in _RESERVED:
            yield node
        elif isinstance(node, tuple):
            todo.extend(node)  # pyright: ignore[reportUnknownArgumentType]  (children of any kind)
        elif isinstance(node, Record) and not isinstance(node, ast.Name | ast.Number | ast.Bool | ast.Unit):
            todo.extend(getattr(node, field) for field in type(node).__fields__ if field != "span")


def _root(member: ast.Member) -> str | None:
    """The name that a chain of members starts with."""
    base: ast.Expr = member
    while isinstance(base, ast.Member):
        base = base.base
    return base.name if isinstance(base, ast.Ref) else None


def _is_visible(member: ast.Member, scope: Scope) -> bool:
    if not isinstance(member.base, ast.Ref):
        return False
    whole = (member.base.name, member.name.text)
    return (whole == ("job", "name") and scope.job is not None) or (
        whole == ("role", "name") and scope.role is not None
    )


def _hidden(member: ast.Member, scope: Scope) -> Diagnostic:
    diagnostic = name_rules.CONDITION_NAME(member.span, name=member.span.text)
    if member.span.text == "role.name":
        return diagnostic.help("put the item in a role block; at job level, only a mount, output or step has a role")
    return diagnostic.help(_visible(scope))


def _visible(scope: Scope) -> str:
    seen = ["params", "lets", "matrix values"]
    if scope.job is not None:
        seen.append("job.name")
    if scope.role is not None:
        seen.append("role.name")
    return f"a condition can use {enumeration(seen)}"


def _bools(expr: ast.Expr) -> Iterator[Span]:
    """The places in ``expr`` that must be true or false for the whole to be."""
    todo = [expr]
    while todo:
        node = todo.pop()
        yield node.span
        if isinstance(node, ast.Unary):
            todo.append(node.operand)
        elif isinstance(node, ast.Binary) and node.op in _LOGIC:
            todo += [node.left, node.right]


def _wrong_type(expr: ast.Expr, value: Value, scope: Scope) -> Diagnostic:
    """That ``value`` is neither true nor false, with what was probably meant."""
    data, text = value.data, expr.span.text
    diagnostic = name_rules.CONDITION_TYPE(expr.span, what="a condition", given=a_kind(data))
    if isinstance(expr, ast.Str) and isinstance(data, str):
        return _of_text(diagnostic, data, scope)
    if isinstance(expr, ast.Number) and text in ("0", "1"):
        word = ("false", "true")[int(text)]
        return diagnostic.help(f"write {word}").replacing(f"write {word}", word, safe=True)
    if not isinstance(expr, ast.Ref | ast.Member | ast.Index | ast.Call):
        return diagnostic
    if isinstance(data, str):
        return diagnostic.help(f'compare it: {text} == "…"')
    if isinstance(data, ListData | MapData):
        return _instead(diagnostic, f"len({text}) > 0")
    if is_number(data):
        return _instead(diagnostic, f"{text} > 0")
    return diagnostic.help(f"compare it: {text} == …")


def _of_text(diagnostic: Diagnostic, text: str, scope: Scope) -> Diagnostic:
    if text in ("true", "false"):
        return diagnostic.help(f"write {text} without quotes").replacing(f"write {text}", text, safe=True)
    known = scope.globals.lookup(text) if text in scope.globals.names() else None
    if known is not None and isinstance(known.data, bool):
        return diagnostic.help(f"write {text} without quotes").replacing(f"write {text}", text, safe=True)
    return diagnostic


def _instead(diagnostic: Diagnostic, text: str) -> Diagnostic:
    return diagnostic.help(f"compare it: {text}").replacing(f"write {text}", text)
