"""Which source text each IR field came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.text import Span


class Origins:
    """IR path → span, and which paths were written in the source (the others are defaults).

    A default has the span of what it belongs to: the role's or the job's name. ``named_at``: the place of messages
    about the job's own name, which a command line may have given.
    """

    __slots__ = ("_spans", "job", "named_at")

    def __init__(self, job: Span, named_at: Span | None = None) -> None:
        self.job = job
        self.named_at = named_at or job
        self._spans: dict[str, Span] = {}

    def record(self, path: str, span: Span) -> None:
        """Say that ``path`` was written at ``span``."""
        self._spans[path] = span

    def with_name_at(self, place: Span) -> Origins:
        """The same for a job that got its name at ``place``."""
        other = Origins(self.job, place)
        other._spans = self._spans
        return other

    def written(self, path: str) -> Span | None:
        """The span where ``path`` itself was written, or ``None`` when it is a default."""
        return self._spans.get(path)

    def span(self, path: str) -> Span:
        """The best place for ``path``: its own, else that of the nearest thing that holds it, else the job's name."""
        while path:
            found = self._spans.get(path)
            if found is not None:
                return found
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.job

    def paths(self) -> list[str]:
        """All written paths, in the order they were recorded."""
        return list(self._spans)
