"""Names that are not attributes here: what was probably meant, including words of other tools."""

from __future__ import annotations

from collections.abc import Iterable

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, Edit, Report, name_rules
from tfdsl.diagnostics.suggest import closest, fold, folded, offering, proposing, words_of
from tfdsl.record import Record
from tfdsl.rules.job import misplaced
from tfdsl.semantics import misplaced_names
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, foreign
from tfdsl.vocabulary.types import (
    BoolType,
    DurationType,
    IntType,
    ListType,
    MapType,
    NumberType,
    QuantityType,
    StringType,
    Type,
    UnionType,
)


class Around(Record):
    """The surroundings of a name, which decide what to suggest.

    ``targets``: the targets with pods for which a patch could be written. ``block``: the target of the enclosing target
    block, ``role``: the role of the enclosing role block, if any.
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
_BY_VALUE = {(fold(word), fold(value)): help_ for (word, value), help_ in foreign.BY_VALUE.items()}


def is_legal(key: ast.Name, where: str, report: Report) -> bool:
    """Whether the existing attribute ``key`` can be set in a ``where``."""
    row = attributes.BY_NAME[key.text]
    if where == "role" and not row.in_role:
        diagnostic = name_rules.MISPLACED_ATTRIBUTE(key.span, name=key.text, where="role")
        report(diagnostic.help(f"{key.text} applies to the whole job: put it in the job block"))
        return False
    if where != "role" and not row.in_job:
        diagnostic = name_rules.MISPLACED_ATTRIBUTE(key.span, name=key.text, where=where)
        report(diagnostic.help(f"{key.text} applies to one role: put it in a role block"))
        return False
    return True


def unknown(item: ast.Assign, where: str, options: Iterable[str], around: Around, report: Report) -> str | None:
    """Report that the attribute of ``item`` does not exist; returns the name that was probably meant."""
    key = item.key
    what = "attribute or option" if where == "target" else "attribute"
    diagnostic = name_rules.UNKNOWN_ATTRIBUTE(key.span, where=where, what=what, name=key.text)
    here = [*_CANDIDATES.get(where, _CANDIDATES["job"]), *options]
    close = closest(key.text, options) if where == "target" else None
    instead = None if close is not None else _instead(item, here, around)
    if instead is not None:
        report(diagnostic.help(instead))
        return None
    field = foreign.find(key.text)
    if field is not None and where != "template":
        report(_with_patch(diagnostic, field, around))
        return None
    near = closest(key.text, here, _ALIASES) or closest(key.text, attributes.BY_NAME)
    if near is not None and near not in here:  # written here, it would be the next error
        block = "role block" if attributes.BY_NAME[near].in_role else "job block"
        report(diagnostic.help(f"did you mean {near}? It goes in a {block}"))
        return None
    if near is not None:
        fits = near not in attributes.BY_NAME or may_be(item.value, attributes.BY_NAME[near].type)
        seconds = _seconds(item, near)
        if seconds is not None:
            text = f"{near} = {seconds}"
            edits = (Edit(key.span, near), Edit(item.value.span, seconds))
            diagnostic = diagnostic.help(f"write {text}").fix(
                f"write {text}", *edits, safe=_ALIASES.mean_same(key.text)
            )
        elif near == "retries" and _ALIASES.mean_same(key.text):
            diagnostic = _with_restart(proposing(diagnostic, near), item)
        else:
            diagnostic = (
                offering(diagnostic, near, here, _ALIASES) if fits else diagnostic.help(f"did you mean {near}?")
            )
    elif key.text in foreign.BLOCKS:
        diagnostic = diagnostic.help(foreign.BLOCKS[key.text])
    report(diagnostic)
    return near


def _seconds(item: ast.Assign, near: str) -> str | None:
    """The value of ``item``, a number of seconds by its name, as the duration ``near``."""
    row = attributes.BY_NAME.get(near)
    if row is None or not isinstance(row.type, DurationType) or "seconds" not in fold(item.key.text):
        return None
    text = item.value.span.text
    if isinstance(item.value, ast.Number) and text.isdecimal():
        return f"{text}s"
    return f"{text} * 1s" if isinstance(item.value, ast.Ref) else None


def _with_restart(diagnostic: Diagnostic, item: ast.Assign) -> Diagnostic:
    """``diagnostic``, about a word such as ``backoffLimit``: alone it restarts in other tools, ``retries`` does not."""
    source = item.span.source
    line = source.line(source.position(item.span.start)[0])
    indent = line[: len(line) - len(line.lstrip())]
    alone = line.strip() == item.span.text
    policy = "on failed => restart pod"
    more = Edit(Span(source, item.span.end, item.span.end), f"\n{indent}{policy}" if alone else f", {policy}")
    diagnostic = diagnostic.help(f"only policies restart: add {policy}")
    return diagnostic.fix(f"write retries, and {policy}", Edit(item.key.span, "retries"), more)


def _instead(item: ast.Assign, here: Iterable[str], around: Around) -> str | None:
    """What to write if the name of ``item`` is a word of another tool, or one of ours that belongs elsewhere.

    ``here``: the names that are valid in its place.
    """
    word = fold(item.key.text)
    if word in _FOREIGN:
        return _BY_VALUE.get((word, fold(item.value.span.text.strip('"'))), _FOREIGN[word])
    if word in _ALIASES or word in map(fold, here):
        return None
    return misplaced_names.place_of(item, around.block)


def may_be(value: ast.Expr, type_: Type) -> bool:
    """Whether ``value`` can have a type: a literal shows its type, anything else can have any."""
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
"""Type → its literals."""

_ALL_LITERALS = (ast.Str, ast.Number, ast.Unit, ast.Bool, ast.ListExpr, ast.MapExpr)


def _with_patch(diagnostic: Diagnostic, field: foreign.PodField, around: Around) -> Diagnostic:
    """``diagnostic``, about a field of pods without an attribute, with the patch that sets it."""
    if field.instead:
        diagnostic = diagnostic.help(field.instead)
    line = field.line
    if around.block is not None and not around.targets:
        patch = f"target {targets.with_pods()[0]} {{ {line} }}"
        return diagnostic.help(f"{around.block} does not start pods; for other targets, patch it: {patch}")
    if around.block is not None:
        return diagnostic.help(f"write a patch: {line}")
    line = line if around.role is None else f"role {around.role} {{ {line} }}"
    for target in around.targets or targets.with_pods()[:1]:
        diagnostic = diagnostic.help(f"write a patch: target {target} {{ {line} }}")
    return diagnostic


def check_role_only(role: str, keys: Iterable[ast.Name], report: Report) -> None:
    """Report attributes that other roles can have, but not ``role``."""
    for key in keys:
        broken = misplaced(key.text, role)
        if broken is not None:
            report(broken.at(key.span))
