"""What happens to a job, and what has to be done about it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from tfdsl.record import Record


class Task(Record):
    """One replica."""

    role: str
    index: int

    def __hash__(self) -> int:
        return hash((self.role, self.index))  # thousands of them are looked up at each step

    def __str__(self) -> str:
        """``worker[1]``."""
        return f"{self.role}[{self.index}]"


TERMINATED: Final = 143
"""128 + SIGTERM: with which a command ends that does not handle the signal."""


# --- what happens ----------------------------------------------------------------------------------------------------


class Started(Record):
    """The command of ``task`` runs."""

    task: Task


class Exited(Record):
    """The command of ``task`` has ended with ``status`` (0–255). ``oom``: the kernel has killed it, for its memory."""

    task: Task
    status: int
    oom: bool = False


class Lost(Record):
    """``task`` was evicted or preempted, or its node was lost.

    ``status``: with which its command ends on SIGTERM; ``deleted``: its pod was deleted, as by a drain; ``with_node``:
    its node was lost.
    """

    task: Task
    status: int = TERMINATED
    deleted: bool = False
    with_node: bool = False


class Split(Record):
    """Part of the gang runs and part cannot be placed."""


class Due(Record):
    """A timer that was asked for is due."""

    timer: str


Event: TypeAlias = Started | Exited | Lost | Split | Due


# --- what is to be done ----------------------------------------------------------------------------------------------

Way: TypeAlias = Literal["first", "container", "pod"]
"""How a replica is started: for the first time, again in place, or in a new pod."""


class Start(Record):
    """Start ``task``."""

    task: Task
    way: Way


class Stop(Record):
    """End ``task`` politely. ``gone``: nothing of it is left, as of a pod that is deleted."""

    task: Task
    gone: bool


class SetTimer(Record):
    """Say :class:`Due` of ``timer`` in ``ms`` milliseconds."""

    timer: str
    ms: int


class ClearTimer(Record):
    """Forget ``timer``."""

    timer: str


Outcome: TypeAlias = Literal["succeeded", "failed", "aborted"]


class Finish(Record):
    """The job has ended, or one ``part`` of it. ``cause``: in words, which task or policy ended it."""

    outcome: Outcome
    cause: str
    task: Task | None = None
    part: str = ""


Order: TypeAlias = Start | Stop | SetTimer | ClearTimer | Finish
