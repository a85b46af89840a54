"""Why something cannot be done on a cluster."""

from __future__ import annotations

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.text import Span


class ProblemError(Exception):
    """``rule`` and its ``values`` say what is wrong; ``advice`` what to do; ``status``: with which the command ends."""

    def __init__(self, rule: Rule, *advice: str, **values: object) -> None:
        super().__init__(rule.message.format_map(values))
        self.rule = rule
        self.help = advice
        self.status = 1
        self.values = values

    def with_help(self, *advice: str) -> ProblemError:
        """The same with other advice."""
        other = ProblemError(self.rule, *advice, **self.values)
        other.status = self.status
        return other

    def at(self, place: Span) -> Diagnostic:
        """The same as a message."""
        diagnostic = self.rule(place, **self.values)
        for line in self.help:
            diagnostic = diagnostic.help(line)
        return diagnostic
