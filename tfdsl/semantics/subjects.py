"""The subjects of outputs and policies: a role, or one replica of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.diagnostics.suggest import listing

if TYPE_CHECKING:
    from tfdsl.semantics.resolve import Resolver
    from tfdsl.syntax import ast
    from tfdsl.text import Span


def exists(resolver: Resolver, name: ast.Name, present: tuple[str, ...], item: str) -> bool:
    """Whether role ``name`` has replicas; if not, that is reported (as info when ``item`` is only left out)."""
    if name.text in present:
        return True
    if name.text in resolver.role_names():
        resolver.report(value_rules.DROPPED_ITEM(name.span, item=item, role=name.text))
    else:
        resolver.report(no_such_role(resolver, name.text, name.span))
    return False


def no_such_role(resolver: Resolver, name: str, span: Span) -> Diagnostic:
    """``name`` is no role of this job."""
    known = resolver.role_names()
    diagnostic = name_rules.ROLE_NOT_IN_JOB(span, job=resolver.name, name=name)
    return diagnostic.help(f"its roles are {listing(known)}" if known else f"add role {name} {{ }}")


def index_of(index: ast.Number) -> int | None:
    """The index that is written, or ``None`` when no replica can have it."""
    return int(index.text) if index.text.isdigit() and len(index.text) < 10 else None


def index_exists(resolver: Resolver, role: str, index: ast.Number) -> bool:
    """Whether ``role`` has a replica ``index``; reported if not."""
    replicas = resolver.replicas(role)
    number = index_of(index)
    if not isinstance(replicas, int) or (number is not None and number < replicas):
        return True
    shown = "0" if replicas == 1 else f"0 to {replicas - 1}"
    resolver.report(value_rules.OUTPUT_INDEX(index.span, role=role, index=index.text, range=shown))
    return False
