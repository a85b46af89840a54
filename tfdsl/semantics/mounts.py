"""Mounts: trees to typed values (language reference, "Statements": mount).

What is wrong with a single mount is reported here; the resolver reports mounts at the same path.
"""

from __future__ import annotations

from collections.abc import Callable

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration, fold, folded, offering, words_of
from tfdsl.rules import mounts
from tfdsl.rules.broken import Broken
from tfdsl.semantics import resolved
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.statements import settings
from tfdsl.semantics.values import POISON, ListData, MapData, Poison, Value
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import foreign, statements
from tfdsl.vocabulary.statements import SOURCE_TYPES, MountKind
from tfdsl.vocabulary.types import STRING

_ALIASES = words_of(statements.MOUNT_KINDS)


def mount(node: ast.Mount, scope: Scope) -> resolved.Mount | None:
    """``node`` as a typed mount; ``None``, with a report, when its path or kind is not known."""
    kind = mount_kind(node, scope.report)
    source = None if node.source is None else evaluate(node.source, scope)
    at = conform(evaluate(node.path, scope), STRING, "the path of a mount", scope.report)
    options: dict[str, resolved.Setting] = {}
    if kind is None:
        kind = _any_kind(node, scope)
    else:
        options = settings(node.options, kind.options, f"mount {kind.name}", scope)
        _check_options(kind, options, scope)
        source = _source(node, kind, source, scope)
    if isinstance(at.data, Poison):
        return None
    path = str(at.data)
    broken = mounts.path(path)
    if broken is not None:
        scope.report(broken.at(at.span))
        return None
    head = node.kind.span if node.source is None else node.kind.span.to(node.source.span)
    clean = path.rstrip("/") or "/"
    return resolved.Mount(kind, source, clean, at.span, node.readonly, options, head, node.span)


def _any_kind(node: ast.Mount, scope: Scope) -> MountKind:
    """A placeholder for an unknown kind, so that the rest of the job can be checked as if the mount were lasting.

    The values of its options are evaluated to report what is wrong with them.
    """
    for option in node.options:
        evaluate(option.value, scope)
    return MountKind(node.kind.text, "name", "", "", "", optional=True, durable=True)


def mount_kind(node: ast.Mount, report: Callable[[Diagnostic], None]) -> MountKind | None:
    """The kind of ``node``; ``None``, with a report, when it does not exist."""
    name = node.kind
    kinds = statements.MOUNTS_BY_NAME
    if name.text in kinds:
        return kinds[name.text]
    diagnostic = name_rules.UNKNOWN_MOUNT_KIND(name.span, name=name.text)
    near = closest(name.text, kinds, _ALIASES)
    instead = folded(foreign.MOUNTS).get(fold(name.text))
    if instead is not None:
        report(diagnostic.help(instead))
    elif near is not None:
        report(offering(diagnostic, near, kinds, _ALIASES))
    else:
        report(diagnostic.help(f"mount kinds are {enumeration(kinds)}"))
    return None


def _source(node: ast.Mount, kind: MountKind, source: Value | None, scope: Scope) -> Value | None:
    if source is None:
        if not kind.optional:
            problem = f"needs a source: the {kind.source_doc}"
            scope.report(value_rules.MOUNT_SOURCE(node.kind.span, kind=kind.name, problem=problem))
            return Value(POISON, node.kind.span)
        return None
    value = conform(source, SOURCE_TYPES[kind.source], f"the source of mount {kind.name}", scope.report)
    broken = mounts.source(kind.name, value.data)
    if broken is None:
        return value
    scope.report(broken.at(value.span))
    return Value(POISON, value.span)


def _check_options(kind: MountKind, options: dict[str, resolved.Setting], scope: Scope) -> None:
    """``sub_path`` and the file names of ``items`` must stay inside the volume (Kubernetes, validation of volumes)."""
    places = [options["sub_path"].value] if "sub_path" in options else []
    items = options["items"].value.data if "items" in options else None
    if isinstance(items, MapData):
        places += [entry.value for entry in items.entries.values()]
    for value in places:
        _report(mounts.inside(kind.name, value.data), value.span, scope)
    modes = options["access_modes"].value if "access_modes" in options else None
    if modes is not None and isinstance(modes.data, ListData):
        _report(mounts.access_modes([item.data for item in modes.data.items]), modes.span, scope)


def _report(broken: Broken | None, span: Span, scope: Scope) -> None:
    if broken is not None:
        scope.report(broken.at(span))
