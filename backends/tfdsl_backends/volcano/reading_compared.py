"""Whether the compiler writes for statements what a manifest says: the job is made, and its policies are decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfdsl.backend import Unit
from tfdsl.ir import model
from tfdsl.vocabulary.quantities import duration
from tfdsl_backends.volcano import policies
from tfdsl_backends.volcano.controller_policies import Decided, Reaction, Reactions, Task, Trigger, decided
from tfdsl_backends.volcano.reading_statements import BOARD, JobPolicies, RoleTask, Said


def job_of(read: JobPolicies, said: Sequence[Said], retries: int) -> model.Job | None:
    """A job of these roles and policies; ``None`` where the language has no such job."""
    try:
        return model.Job(
            name="job",
            roles=tuple(_role(one) for one in read.tasks),
            policies=tuple(_policy(one) for one in said),
            retries=retries,
            cluster=model.Cluster(discovery="none"),
        )
    except ValueError:  # what pydantic raises is one
        return None


def _role(one: RoleTask) -> model.Role:
    fields: dict[str, object] = {"name": one.role, "replicas": one.replicas, "image": "image", "command": ("command",)}
    return model.Role.model_validate(fields | ({"logdir": "/logs"} if one.role == BOARD else {}))


def _policy(one: Said) -> model.Policy:
    fields: dict[str, object] = {"role": one.role, "event": one.event, "codes": one.codes, "action": one.action}
    if one.count:
        fields["count"] = one.count
    if one.delay:
        fields["delay"] = duration(one.delay)
    return model.Policy.model_validate(fields)


def is_same(unit: Unit, read: JobPolicies, wanted: Decided, *, as_written: bool = False) -> bool:
    """Whether the compiler writes what the manifest says.

    With each policy ``as_written``, an option or a patch says how containers restart and how often the job starts.
    """
    if not as_written and wanted.restarts and policies.job_max_retry(unit) != read.max_retry:
        return False
    written: list[Task] = []
    for one in read.tasks:
        role = next(role for role in unit.job.roles if role.name == one.role)
        restart_policy = policies.decisions(unit).roles[one.role].restart_policy
        counted = "TaskFailed" in wanted.tasks[one.task.name]
        if as_written:
            restart_policy = one.task.restart_policy
        if restart_policy != one.task.restart_policy:
            return False
        if counted and policies.task_max_retry(unit, role) != one.max_retry:
            return False
        written.append(Task(one.task.name, _reactions(policies.task_entries(unit, role)), restart_policy))
    return _does(decided(written, _reactions(policies.job_entries(unit)))) == _does(wanted)


def _does(found: Decided) -> list[object]:
    """What follows what; that the job is complete when its one task is needs no policy."""
    alone = ("TaskCompleted", ("CompleteJob", 0)) if len(found.tasks) == 1 else None
    tasks = [
        {(trigger, one.does) for trigger, one in reactions.items() if (trigger, one.does) != alone}
        for reactions in found.tasks.values()
    ]
    unknown = found.job.get("Unknown")
    return [*tasks, unknown.does if unknown is not None else None]


def _reactions(entries: Iterable[policies.Entry]) -> Reactions:
    """What entries of the compiler say, the first for a trigger."""
    said: Reactions = {}
    for entry in entries:
        trigger: Trigger = entry.event if entry.code is None else entry.code
        if isinstance(trigger, int) and "PodFailed" in said:
            continue
        delay = entry.policy.delay.ms if entry.policy.delay is not None else 0
        said.setdefault(trigger, Reaction(entry.written_action, delay))
    return said
