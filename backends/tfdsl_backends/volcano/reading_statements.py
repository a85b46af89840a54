"""Policies of a Volcano job on the way to ``on … => …``: what a manifest says, and the statements to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.backend import Unit
from tfdsl.record import Record
from tfdsl.vocabulary.quantities import duration
from tfdsl.vocabulary.statements import ACTIONS_OF
from tfdsl_backends.volcano import policies
from tfdsl_backends.volcano.controller_policies import (
    MAX_RETRY,
    NOTHING,
    Decided,
    Reaction,
    Reactions,
    Task,
    Trigger,
    decided,
)

if TYPE_CHECKING:
    from tfdsl.draft import Patch
    from tfdsl.ir import model
    from tfdsl.manifest.view import View
    from tfdsl.text import Span

WORDS: Final = {**{action: word for word, action in policies.ACTIONS.items()}, NOTHING: "ignore"}
"""Volcano's action → ours."""

EVENTS: Final = {
    "PodFailed": "failed",
    "PodEvicted": "evicted",
    "PodPending": "pending",
    "Unknown": "unknown",
    "TaskCompleted": "completed",
    "TaskFailed": "restarted",
}
"""Volcano's event → ours."""

BOARD: Final = "tensorboard"
_TIMED: Final = ("failed", "evicted", "pending")
_HIGHEST_STATUS: Final = 255
RESTARTS_IN_PLACE: Final = "restart container"


class RoleTask(Record):
    """A task that is a role: its replicas, and ``maxRetry`` of the task."""

    role: str
    task: Task
    replicas: int
    max_retry: int = MAX_RETRY


class JobPolicies(Record):
    """What a manifest says about failures and ends.

    ``job``: what its own policies say. ``max_retry``: how often it may start. ``retries`` and ``restart_policy``: where
    that is written. ``unit``: what the compiler would work on, of a job and the option ``policies``. ``lists``: where
    the policies are, and the numbers that they need, as a patch would name the place.
    """

    tasks: Sequence[RoleTask]
    job: Reactions
    max_retry: int
    unit: Callable[[model.Job, str], Unit]
    lists: Sequence[tuple[str, View]]
    retries: Span | None = None
    restart_policy: Span | None = None

    @property
    def trainers(self) -> list[RoleTask]:
        """All but tensorboard, which policies of the job do not cover and which restarts by itself."""
        return [one for one in self.tasks if one.role != BOARD]

    @property
    def decided(self) -> Decided:
        """What follows what in each task."""
        return decided([one.task for one in self.tasks], self.job)


class Said(Record):
    """A statement to be: its subject (``None``: the job), event, action, delay in milliseconds, count and place."""

    role: str | None
    event: str
    action: str
    delay: int = 0
    count: int = 0
    codes: tuple[int, ...] = ()
    span: Span | None = None

    @property
    def meaning(self) -> tuple[object, ...]:
        """What it says, of whomever and wherever."""
        return self.event, self.action, self.delay, self.count, self.codes

    @property
    def has_word(self) -> bool:
        """Whether the language can say it."""
        if self.action not in ACTIONS_OF[self.event] or not all(1 <= code <= _HIGHEST_STATUS for code in self.codes):
            return False
        return not self.delay or self.event in _TIMED

    @property
    def words(self) -> str:
        """The event as it is written after ``on``."""
        if self.event == "exit":
            return f"exit {_statuses(self.codes)}"
        if self.event == "restarted":
            return f"restarted {self.count}"
        return f"{self.event} after {duration(self.delay).text}" if self.delay else self.event


class Statements(Record):
    """The policies of a job in the language. ``retries``: ``None`` where nothing is written."""

    said: tuple[Said, ...]
    retries: int | None
    restart_policy: str = ""
    as_written: bool = False
    patches: tuple[Patch, ...] = ()


def said_of(role: str | None, trigger: Trigger, one: Reaction, count: int = 0) -> Said:
    """What follows ``trigger`` as a statement; ``count``: of the restarts that TaskFailed counts."""
    action = WORDS.get(one.action, one.action)
    if isinstance(trigger, int):
        return Said(role, "exit", action, one.timeout, codes=(trigger,), span=one.span)
    event = EVENTS[trigger]
    return Said(role, event, action, one.timeout, count if event == "restarted" else 0, span=one.span)


def merged(said: Iterable[Said]) -> Iterator[Said]:
    """Statuses with one action in one statement."""
    groups: dict[tuple[str | None, str, int], list[Said]] = {}
    for one in said:
        if one.event == "exit":
            groups.setdefault((one.role, one.action, one.delay), []).append(one)
        else:
            yield one
    for (role, action, delay), members in groups.items():
        codes = tuple(sorted(code for one in members for code in one.codes))
        yield Said(role, "exit", action, delay, codes=codes, span=members[0].span)


def _statuses(codes: Sequence[int]) -> str:
    """Statuses as ``exit`` takes them: ``3``, ``1..127`` or a list."""
    if len(codes) == 1:
        return str(codes[0])
    if len(codes) > 2 and codes[-1] - codes[0] == len(codes) - 1:
        return f"{codes[0]}..{codes[-1]}"
    return f"[{', '.join(map(str, codes))}]"


def default_retries(said: Sequence[Said]) -> int:
    """``retries`` where nothing is written."""
    return 3 if any(one.action.startswith("restart") for one in said) else 0
