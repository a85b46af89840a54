"""Messages about the jobs of a matrix: each is reported once, however many combinations cause it.

A message that not all of them cause says which is the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics.derived import Derived
    from tfdsl.semantics.matrix import Combination

    Report = Callable[[Diagnostic], None]

_Place: TypeAlias = "tuple[str, str, int, int]"


class Reports:
    """Takes messages about jobs; those about the jobs of a matrix wait for :meth:`end`."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._matrices: dict[int, _Matrix] = {}

    def about(self, job: Derived) -> Report:
        """Takes messages about ``job``."""
        if job.combination is None:
            return self.report
        return self._matrices.setdefault(id(job.node), _Matrix()).about(job, job.combination)

    def end(self) -> None:
        """Pass on what has waited, in the order in which it came."""
        for matrix in self._matrices.values():
            matrix.end(self.report)
        self._matrices = {}


class _Message:
    """The first message of a rule at a place, what it is about, and which combinations cause it, and in these words."""

    __slots__ = ("caused", "combination", "diagnostic", "job", "same")

    def __init__(self, diagnostic: Diagnostic, job: Derived, combination: Combination) -> None:
        self.diagnostic = diagnostic
        self.job = job
        self.combination = combination
        self.caused = {combination.index}
        self.same = {combination.index}

    def shown(self, asked: int) -> Diagnostic:
        """The message; with its job, if not all of the ``asked`` jobs cause it and it does not name one itself."""
        diagnostic, first = self.diagnostic, self.combination
        of_all = len(self.caused) == asked
        if of_all and (len(self.same) == asked or self.job.name in diagnostic.message):
            return diagnostic
        return diagnostic.note(first.matrix, f"job {self.job.name}, where {first.shown()}")


class _Matrix:
    """The messages about the jobs of one matrix."""

    def __init__(self) -> None:
        self._messages: dict[_Place, _Message] = {}
        self._asked: set[int] = set()

    def about(self, job: Derived, combination: Combination) -> Report:
        self._asked.add(combination.index)

        def take(diagnostic: Diagnostic) -> None:
            span = diagnostic.span
            place = diagnostic.rule.code, span.source.path, span.start, span.end
            known = self._messages.get(place)
            if known is None:
                self._messages[place] = _Message(diagnostic, job, combination)
                return
            known.caused.add(combination.index)
            if known.diagnostic.message == diagnostic.message:
                known.same.add(combination.index)

        return take

    def end(self, report: Report) -> None:
        for message in self._messages.values():
            report(message.shown(len(self._asked)))
