"""What the policies of a Volcano job do, as the controller works it out: for each task, what follows which event.

Volcano tries the policies of the task in order, then those of the job; the first that matches acts, and of one policy
the events are looked at before the exit status (pkg/controllers/job, ``applyPolicies``). So a status after PodFailed
never decides. The other things that never act:

- an exit status of a task whose containers restart in place, which are never seen to end;
- TaskFailed of a task whose containers do not, because it counts restarts in place;
- PodPending without a timeout; the events of the controller's own, and JobUpdated, which nothing fires;
- Unknown on a task: it is an event of the whole job;
- ResumeJob, which acts on an aborted job only: it hides the policies after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from tfdsl.manifest.nodes import View
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Span

Trigger: TypeAlias = "str | int"
"""An event, or an exit status."""

ANY: Final = "*"
EVENTS: Final = ("PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed")
"""The events that something fires and that a policy may name; ``*`` is all of them."""

NOTHING: Final = "ResumeJob"
RESTARTS: Final = ("RestartJob", "RestartTask", "RestartPod", "RestartPartition")
"""The actions that ``maxRetry`` of the job counts."""

MAX_RETRY: Final = 3
"""``maxRetry`` of a job or task that has none, or 0 (the mutating webhook)."""

_PART: Final = regex(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_NANOSECONDS: Final = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_LONGEST: Final = 60


class Reaction(Record):
    """What follows a trigger. ``timeout``: in milliseconds, 0 for at once. ``span``: of the policy."""

    action: str
    timeout: int
    span: Span | None = None

    @property
    def does(self) -> tuple[str, int]:
        """What it does, wherever it is written."""
        return self.action, self.timeout


Reactions: TypeAlias = "dict[Trigger, Reaction]"


class Task(Record):
    """What is known of a task: its own ``reactions`` and how its containers are restarted (``Never``, …)."""

    name: str
    reactions: Mapping[Trigger, Reaction]
    restart_policy: str


class Decided(Record):
    """``tasks``: task → what follows what, by any policy. ``job``: the job's own policies about itself."""

    tasks: Mapping[str, Reactions]
    job: Reactions

    @property
    def restarts(self) -> bool:
        """Whether anything is counted by ``maxRetry`` of the job."""
        every = [self.job, *self.tasks.values()]
        return any(reaction.action in RESTARTS for reactions in every for reaction in reactions.values())


def _nanoseconds(text: str) -> Fraction | None:
    """A length of time as Go reads it (``time.ParseDuration``); ``None`` for anything else."""
    parts = [*_PART.finditer(text)] if len(text) <= _LONGEST else []
    if not parts or "".join(part[0] for part in parts) != text.removeprefix("+"):
        return None
    total = Fraction()
    for number, unit in (part.groups() for part in parts):
        total += Fraction(f"0{number}".rstrip(".")) * _NANOSECONDS[re.sub("[µμ]", "u", unit)]
    return total


def milliseconds(text: str | None) -> int | None:
    """The same in whole milliseconds, 0 where there is none."""
    fraction = Fraction() if text is None or text == "0" else _nanoseconds(text)
    return None if fraction is None else int(fraction // 10**6)


def canonical_duration(written: object) -> str | None:
    """Go's duration in the largest unit that is whole; ``None`` if ``written`` is not a duration."""
    total = _nanoseconds(written) if isinstance(written, str) else None
    if total is None or total.denominator != 1:
        return None
    unit = next((unit for unit, size in _NANOSECONDS.items() if total % size == 0), "") if total else "s"
    return f"{total // _NANOSECONDS[unit]}{unit}"


def reactions(policies: View) -> Reactions:
    """What a list of policies says, the first for a trigger, in the order in which they are tried."""
    said: Reactions = {}
    for policy in policies.items():
        action, timeout = policy["action"].text, milliseconds(policy["timeout"].text)
        if action is None or timeout is None:
            continue
        for trigger in triggers(policy):
            if isinstance(trigger, int) and "PodFailed" in said:
                continue
            if trigger == "PodPending" and not timeout:
                continue
            said.setdefault(trigger, Reaction(action, timeout, policy.span))
    return said


def triggers(policy: View) -> Iterator[Trigger]:
    """What a policy is for, ``*`` as the events that it is."""
    events = [policy["event"].text, *(view.text for view in policy["events"].items())]
    for event in events:
        if event == ANY:
            yield from EVENTS
        elif event is not None and event in EVENTS:
            yield event
    status = policy["exitCode"].number
    if status and not any(events):
        yield status


def decided(tasks: Sequence[Task], job: Mapping[Trigger, Reaction]) -> Decided:
    """What follows what in each task, with the policies of the ``job`` where the task has none."""
    by_task = {task.name: dict(_of_task(task, job)) for task in tasks}
    acting = [reaction for each in by_task.values() for reaction in each.values()]
    acting += [reaction for trigger, reaction in job.items() if trigger == "Unknown"]
    aborts = any(reaction.action == "AbortJob" for reaction in acting)
    return Decided(
        {name: _without_nothing(each, aborts=aborts) for name, each in by_task.items()},
        _without_nothing(dict(job), aborts=aborts),
    )


def common(tasks: Iterable[Mapping[Trigger, Reaction]]) -> Reactions:
    """What follows what in the same way in every one of ``tasks``."""
    first, *others = [*tasks] or [{}]
    return {
        trigger: reaction
        for trigger, reaction in first.items()
        if all((other := rest.get(trigger)) is not None and other.does == reaction.does for rest in others)
    }


def _of_task(task: Task, job: Mapping[Trigger, Reaction]) -> Iterator[tuple[Trigger, Reaction]]:
    in_place = task.restart_policy != "Never"
    hidden = "PodFailed" in task.reactions
    both = {**{trigger: reaction for trigger, reaction in job.items() if not (hidden and isinstance(trigger, int))}}
    both.update(task.reactions)
    for trigger, reaction in both.items():
        if (
            trigger == "Unknown"
            or (isinstance(trigger, int) and in_place)
            or (trigger == "TaskFailed" and not in_place)
        ):
            continue
        yield trigger, reaction


def _without_nothing(said: Reactions, *, aborts: bool) -> Reactions:
    """Without ResumeJob where it does nothing: on an event, and on a status that nothing else would act on."""
    if aborts:
        return said
    fails = said.get("PodFailed")
    acts = fails is not None and fails.action != NOTHING
    return {
        trigger: reaction
        for trigger, reaction in said.items()
        if reaction.action != NOTHING or (isinstance(trigger, int) and acts)
    }


class Minimums(Record):
    """``job``: ``spec.minAvailable``; ``tasks``: the same of each task, by its name."""

    job: int
    tasks: Mapping[str, int]


def minimums(spec: View) -> Minimums:
    """The minimums of a job: of a task its replicas, of the job the sum (pkg/webhooks/admission/jobs/mutate)."""
    tasks: dict[str, int] = {}
    for position, task in enumerate(spec["tasks"].items()):
        tasks.setdefault(task["name"].words or f"default{position}", of_task(task))
    return Minimums(spec["minAvailable"].number or sum(tasks.values()) or 1, tasks)


def of_task(task: View) -> int:
    """The minimum of a task: what it says, that of its partitions, or all replicas."""
    own = task["minAvailable"].number
    if own is not None:
        return own
    parts, size = task["partitionPolicy"]["minPartitions"].number, task["partitionPolicy"]["partitionSize"].number
    return parts * size if parts and size else task["replicas"].number or 0
