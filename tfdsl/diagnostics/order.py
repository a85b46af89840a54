"""The order in which diagnostics are shown, without duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.diagnostics.diagnostic import Diagnostic

_RANK = {"error": 0, "warning": 1, "info": 2}


def in_file_order(diagnostics: Iterable[Diagnostic], paths: Iterable[str] = ()) -> list[Diagnostic]:
    """Sorted by file, then by place, then by level; the same message at the same place only once.

    Files are in the order of ``paths``; other files follow in the order in which they first appear.
    """
    order = {path: index for index, path in enumerate(dict.fromkeys(paths))}
    once: dict[tuple[str, int, int, str, str], Diagnostic] = {}
    for diagnostic in diagnostics:
        span = diagnostic.span
        order.setdefault(span.source.path, len(order))
        once.setdefault((span.source.path, span.start, span.end, diagnostic.rule.code, diagnostic.message), diagnostic)
    return sorted(
        once.values(),
        key=lambda each: (order[each.span.source.path], each.span.start, _RANK[each.level], each.span.end),
    )


def worst(diagnostics: Sequence[Diagnostic], most: int) -> Sequence[Diagnostic]:
    """At most ``most`` of ``diagnostics``, preferring errors to warnings to infos, in their order."""
    if len(diagnostics) <= most:
        return diagnostics
    by_rank = sorted(range(len(diagnostics)), key=lambda at: _RANK[diagnostics[at].level])
    return [diagnostics[at] for at in sorted(by_rank[:most])]


def count(diagnostics: Iterable[Diagnostic]) -> tuple[int, int]:
    """The number of errors and of warnings."""
    levels = [diagnostic.level for diagnostic in diagnostics]
    return levels.count("error"), levels.count("warning")


def count_infos(diagnostics: Iterable[Diagnostic]) -> int:
    """The number of infos."""
    return sum(diagnostic.level == "info" for diagnostic in diagnostics)
