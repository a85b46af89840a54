"""A policy of the IR (language reference, "Statements": on). Which one decides is in :mod:`tfdsl.ir.policies`."""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, PrivateAttr, model_validator

from tfdsl.ir.amounts import TimeLimit
from tfdsl.ir.part import After, Node, refuse
from tfdsl.ir.role import Index, RoleName
from tfdsl.rules import policies as rules
from tfdsl.vocabulary.policies import EVENTS

EventName: TypeAlias = Literal["completed", "failed", "exit", "evicted", "pending", "restarted", "unknown"]
ActionName: TypeAlias = Literal[
    "complete job",
    "fail job",
    "abort job",
    "restart container",
    "restart pod",
    "restart role",
    "restart job",
    "ignore",
]
_EVENTS = {event.name: event for event in EVENTS}


class Policy(Node):
    """What happens on an event. ``role`` is ``None`` for a policy without subject.

    ``codes``: the exit statuses of an ``exit`` event, ascending. ``count``: of ``restarted N``. ``delay``: ``after``.
    """

    role: RoleName | None = None
    index: Index | None = None
    event: EventName
    codes: Annotated[tuple[int, ...], After(lambda codes: tuple(sorted(codes)))] = ()
    count: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    delay: TimeLimit | None = None
    action: ActionName
    _written: bool = PrivateAttr(default=True)

    @property
    def written(self) -> bool:
        """Whether it is not one of the defaults that the language adds."""
        return self._written

    @classmethod
    def default(cls, **fields: object) -> Self:
        """One of these."""
        made = cls.model_validate(fields)
        made._written = False
        return made

    @model_validator(mode="after")
    def _check(self) -> Self:
        subject, delay = self.role is not None, self.delay is not None
        fits = rules.fits(_EVENTS[self.event], self.action, subject=subject, delay=delay)
        refuse("Policy", self, (*fits, *rules.shape(self, self.count)))
        return self
