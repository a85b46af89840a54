"""The subjects of outputs and policies: a role, or one replica of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic
from tfdsl.rules import policies

if TYPE_CHECKING:
    from tfdsl.semantics.resolve import Resolver
    from tfdsl.syntax import ast
    from tfdsl.text import Span


def exists(resolver: Resolver, name: ast.Name, present: tuple[str, ...], item: str) -> bool:
    """Whether role ``name`` has replicas; reported if not (as info when ``item`` is just left out)."""
    if name.text in present:
        return True
    if name.text in resolver.role_names():
        from tfdsl.semantics.absent_items import dropped

        resolver.report(dropped(resolver, name.span, item, name.text))
    else:
        resolver.report(no_such_role(resolver, name.text, name.span))
    return False


def no_such_role(resolver: Resolver, name: str, span: Span) -> Diagnostic:
    """The diagnostic for ``name``, which is not a role of this job."""
    return policies.no_such_role(resolver.name, name, resolver.role_names()).at(span)


def index_of(index: ast.Number) -> int | None:
    """The written index, or ``None`` when no replica can have it."""
    return int(index.text) if index.text.isdigit() and len(index.text) < 10 else None


def index_exists(resolver: Resolver, role: str, index: ast.Number) -> bool:
    """Whether ``role`` has a replica ``index``; reported if not."""
    replicas = resolver.replicas(role)
    if not isinstance(replicas, int):
        return True
    broken = policies.replica(role, replicas, index.text, index_of(index))
    if broken is not None:
        resolver.report(broken.at(index.span))
    return broken is None
