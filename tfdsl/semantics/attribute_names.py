"""Names that are no attribute here: what was probably meant, also where another tool's word was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics import name_rules
from tfdsl.diagnostics.suggest import closest, fold, folded, listing, offering, proposing, words_of
from tfdsl.record import Record
from tfdsl.semantics import misplaced_names
from tfdsl.syntax import ast
from tfdsl.vocabulary import attributes, foreign, pod_fields
from tfdsl.vocabulary.types import (
    BoolType,
    DurationType,
    IntType,
    ListType,
    MapType,
    NumberType,
    QuantityType,
    StringType,
    UnionType,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.vocabulary.types import Type

    Report = Callable[[Diagnostic], None]


class Around(Record):
    """Where a name stands: for which targets with pods a patch could be written.

    ``targets``: that of the target block around it, or those at hand. ``block``: of that block, if it stands in one.
    ``role``: of the role block around it.
    """

    targets: tuple[str, ...] = ()
    block: str | None = None
    role: str | None = None


_CANDIDATES = {
    "job": [row.name for row in attributes.ATTRIBUTES if row.in_job],
    "role": [row.name for row in attributes.ATTRIBUTES if row.in_role],
    "template": [row.name for row in attributes.ATTRIBUTES],
}
_ALIASES = words_of(attributes.ATTRIBUTES)
_FOREIGN = folded(foreign.ATTRIBUTES)


def is_legal(key: ast.Name, where: str, report: Report) -> bool:
    """Whether the attribute ``key``, which there is, may stand in a ``where``."""
    row = attributes.BY_NAME[key.text]
    if where == "role" and not row.in_role:
        diagnostic = name_rules.MISPLACED_ATTRIBUTE(key.span, name=key.text, where="role")
        report(diagnostic.help(f"{key.text} is about the whole job: put it into the job block"))
        return False
    if where != "role" and not row.in_job:
        diagnostic = name_rules.MISPLACED_ATTRIBUTE(key.span, name=key.text, where=where)
        report(diagnostic.help(f"{key.text} is about one role: put it into a role block"))
        return False
    return True


def unknown(item: ast.Assign, where: str, options: Iterable[str], around: Around, report: Report) -> str | None:
    """Report that there is no attribute of the name of ``item`` and give the name that was probably meant."""
    key = item.key
    what = "attribute or option" if where == "target" else "attribute"
    diagnostic = name_rules.UNKNOWN_ATTRIBUTE(key.span, where=where, what=what, name=key.text)
    here = [*_CANDIDATES.get(where, _CANDIDATES["job"]), *options]
    instead = _instead(item, here, around)
    if instead is not None:
        report(diagnostic.help(instead))
        return None
    field = pod_fields.find(key.text)
    if field is not None and where != "template":
        report(_with_patch(diagnostic, field, around))
        return None
    near = closest(key.text, here, _ALIASES) or closest(key.text, attributes.BY_NAME)
    if near is not None and near not in here:  # to write it here would only be the next error
        block = "role block" if attributes.BY_NAME[near].in_role else "job block"
        report(diagnostic.help(f"did you mean {near}? It goes in a {block}"))
        return None
    if near is not None:
        fits = near not in attributes.BY_NAME or may_be(item.value, attributes.BY_NAME[near].type)
        diagnostic = offering(diagnostic, near, here, _ALIASES) if fits else proposing(diagnostic, near)
    report(diagnostic)
    return near


def _instead(item: ast.Assign, here: Iterable[str], around: Around) -> str | None:
    """What to write where the name of ``item`` is another tool's word, or one of ours that goes elsewhere.

    ``here``: the names that could stand in its place.
    """
    word = fold(item.key.text)
    if word in _FOREIGN:
        return _FOREIGN[word]
    if word in _ALIASES or word in map(fold, here):
        return None
    return misplaced_names.place_of(item, around.block)


def may_be(value: ast.Expr, type_: Type) -> bool:
    """Whether ``value``, as it is written, may be of a type: a literal tells what it is, the rest may be anything."""
    if isinstance(type_, UnionType):
        return any(may_be(value, member) for member in type_.of)
    kinds = next((kinds for each, kinds in _LITERALS.items() if isinstance(type_, each)), None)
    return kinds is None or not isinstance(value, _ALL_LITERALS) or isinstance(value, kinds)


_LITERALS: dict[type, tuple[type, ...]] = {
    IntType: (ast.Number,),
    NumberType: (ast.Number,),
    StringType: (ast.Str,),
    BoolType: (ast.Bool,),
    QuantityType: (ast.Number, ast.Unit),
    DurationType: (ast.Unit,),
    ListType: (ast.ListExpr,),
    MapType: (ast.MapExpr,),
}
"""Type → the literals that are of it."""

_ALL_LITERALS = (ast.Str, ast.Number, ast.Unit, ast.Bool, ast.ListExpr, ast.MapExpr)


def _with_patch(diagnostic: Diagnostic, field: pod_fields.PodField, around: Around) -> Diagnostic:
    """``diagnostic``, about a field of pods without an attribute, with the patch that sets it."""
    if field.instead:
        diagnostic = diagnostic.help(field.instead)
    line = field.line
    if around.block is not None and not around.targets:
        patch = f"target {targets.with_pods()[0]} {{ {line} }}"
        return diagnostic.help(f"{around.block} starts no pods; elsewhere it is a patch: {patch}")
    if around.block is not None:
        return diagnostic.help(f"write a patch: {line}")
    line = line if around.role is None else f"role {around.role} {{ {line} }}"
    for target in around.targets or targets.with_pods()[:1]:
        diagnostic = diagnostic.help(f"write a patch: target {target} {{ {line} }}")
    return diagnostic


def check_role_only(role: str, keys: Iterable[ast.Name], report: Report) -> None:
    """Report attributes that ``role`` does not take although others do."""
    for key in keys:
        only = attributes.BY_NAME[key.text].roles
        if only and role not in only:
            diagnostic = name_rules.MISPLACED_ATTRIBUTE(key.span, name=key.text, where=f"role {role}")
            report(diagnostic.help(f"{key.text} is for {listing(only)}"))
