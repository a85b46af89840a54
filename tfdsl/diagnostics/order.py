"""The order in which diagnostics are shown, and that each is shown once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.diagnostics.diagnostic import Diagnostic

_RANK = {"error": 0, "warning": 1, "info": 2}


def in_file_order(diagnostics: Iterable[Diagnostic], paths: Iterable[str] = ()) -> list[Diagnostic]:
    """By file, then by place, then by level; the same message at the same place only once.

    Files come in the order of ``paths``, files that are not among them after those, in the order they are met.
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
    """At most ``most`` of ``diagnostics``, errors before warnings before infos, in the order they are in."""
    if len(diagnostics) <= most:
        return diagnostics
    by_rank = sorted(range(len(diagnostics)), key=lambda at: _RANK[diagnostics[at].level])
    return [diagnostics[at] for at in sorted(by_rank[:most])]


def count(diagnostics: Iterable[Diagnostic]) -> tuple[int, int]:
    """How many errors and how many warnings there are."""
    levels = [diagnostic.level for diagnostic in diagnostics]
    return levels.count("error"), levels.count("warning")


def count_infos(diagnostics: Iterable[Diagnostic]) -> int:
    """How many infos there are."""
    return sum(diagnostic.level == "info" for diagnostic in diagnostics)
