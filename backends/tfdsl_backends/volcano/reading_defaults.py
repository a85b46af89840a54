"""The policies of a manifest beside the defaults of the language, where those and a few lines say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl_backends.volcano import policies
from tfdsl_backends.volcano.controller_policies import Decided, Reactions
from tfdsl_backends.volcano.reading_compared import is_same, job_of
from tfdsl_backends.volcano.reading_statements import (
    RESTARTS_IN_PLACE,
    JobPolicies,
    RoleTask,
    Said,
    Statements,
    default_retries,
    merged,
    said_of,
)

_DECIDERS: Final = ("chief", "master", "worker")
_ENDS: Final = ("TerminateJob", 0)


def beside_defaults(read: JobPolicies) -> Statements | None:
    """The statements that give the manifest's policies beside the defaults; ``None`` where there are none."""
    if any(one.task.restart_policy not in ("Never", "OnFailure") for one in read.trainers):
        return None
    wanted = read.decided
    said = [one for task in read.trainers for one in _of_role(task, wanted.tasks[task.task.name])]
    if "Unknown" in wanted.job:
        said.append(said_of(None, "Unknown", wanted.job["Unknown"]))
    said = _without_completion(read, [*_for_all(read, [*merged(said)])])
    if not all(one.has_word and (one.event, one.action) != ("evicted", "ignore") for one in said):
        return None  # nobody would ask to ignore evictions: the manifest is silent about them
    retries = _retries(read, wanted, said)
    made = job_of(read, said, retries)
    if made is None or not is_same(read.unit(made, "all"), read, wanted):
        return None
    return Statements(tuple(said), None if retries == default_retries(said) else retries)


def _of_role(task: RoleTask, does: Reactions) -> Iterator[Said]:
    """What a role says if the language adds the rest."""
    for trigger in ("TaskCompleted", "PodPending"):
        if trigger in does:
            yield said_of(task.role, trigger, does[trigger])
    yield from _in_its_pod(task, does) if task.task.restart_policy == "OnFailure" else _with_new_pods(task, does)


def _in_its_pod(task: RoleTask, does: Reactions) -> Iterator[Said]:
    """The same of a role whose containers restart in place."""
    yield Said(task.role, "failed", RESTARTS_IN_PLACE)
    evicted, restarted = does.get("PodEvicted"), does.get("TaskFailed")
    if evicted is not None and evicted.does != _ENDS:
        yield said_of(task.role, "PodEvicted", evicted)
    if restarted is not None and restarted.does != _ENDS:
        yield said_of(task.role, "TaskFailed", restarted, task.max_retry)


def _with_new_pods(task: RoleTask, does: Reactions) -> Iterator[Said]:
    """The same of a role whose pods do not restart."""
    failed, evicted = does.get("PodFailed"), does.get("PodEvicted")
    yield Said(task.role, "failed", "ignore") if failed is None else said_of(task.role, "PodFailed", failed)
    differs = (None if evicted is None else evicted.does) != (None if failed is None else failed.does)
    if differs:
        yield Said(task.role, "evicted", "ignore") if evicted is None else said_of(task.role, "PodEvicted", evicted)
    for trigger, one in does.items():
        is_eviction = differs and evicted is not None and one.action == evicted.action
        if isinstance(trigger, int) and not (is_eviction and trigger in (policies.KILLED, policies.TERMINATED)):
            yield said_of(task.role, trigger, one)


def _for_all(read: JobPolicies, said: Sequence[Said]) -> Iterator[Said]:
    """What every role says in the same way, said once; a failure that ends the job is the default."""
    for one in said:
        same = [other for other in said if other.meaning == one.meaning]
        if one.event in ("completed", "unknown") or len(same) < len(read.trainers):
            yield one
        elif same[0] is one and one.meaning != ("failed", "fail job", 0, 0, ()):
            yield Said(None, one.event, one.action, one.delay, one.count, one.codes, one.span)


def _without_completion(read: JobPolicies, said: Sequence[Said]) -> list[Said]:
    """Without the completion that the language adds: that of the chief, else of the workers."""
    ends = [one for one in said if one.event == "completed" and one.action == "complete job"]
    roles = {one.role for one in read.tasks}
    decider = next((name for name in _DECIDERS if name in roles), None)
    is_default = len(ends) == 1 and ends[0].role == decider
    return [one for one in said if not (is_default and one is ends[0])]


def _retries(read: JobPolicies, wanted: Decided, said: Sequence[Said]) -> int:
    """The restarts that are allowed: those that the job counts, else those in place."""
    if wanted.restarts:
        return read.max_retry - 1
    counted = {one.max_retry for one in read.trainers if one.task.restart_policy == "OnFailure"}
    if counted and not any(one.event == "restarted" for one in said):
        return max(counted) - 1
    return default_retries(said)
