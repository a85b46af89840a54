"""The policies of a Volcano job as ``on … => …``; the inverse of :mod:`.policies`.

Two ways are tried. If the language with its defaults says what the manifest does, only what differs from the defaults
is written; whether it does is worked out as the compiler does it. Otherwise each policy becomes one statement, beside
the option ``policies = "written"``. If one of them has no word (a status above 255, an action that the language does
not allow on an event), all are patches, for a list of policies cannot be half a patch.
"""

from __future__ import annotations

from typing import Final

from tfdsl.draft import Attribute, Bare, Draft, Patch, Policy, Value
from tfdsl.emit import numbers
from tfdsl.emit.located import Plain
from tfdsl.manifest.nodes import plain
from tfdsl_backends.volcano.controller_policies import MAX_RETRY, Decided, Reactions, common
from tfdsl_backends.volcano.reading_compared import is_same, job_of
from tfdsl_backends.volcano.reading_defaults import beside_defaults
from tfdsl_backends.volcano.reading_statements import (
    RESTARTS_IN_PLACE,
    JobPolicies,
    Said,
    Statements,
    default_retries,
    merged,
    said_of,
)

_ORDER: Final = ("completed", "exit", "failed", "evicted", "pending", "restarted", "unknown")


def read_policies(draft: Draft, read: JobPolicies) -> None:
    """Write to ``draft`` what ``read`` says about failures, completion and retries."""
    found = beside_defaults(read) or _as_written(read) or _as_patches(read)
    for one in sorted(found.said, key=lambda one: _ORDER.index(one.event)):
        block = draft.job if one.role is None else draft.role(one.role)
        block.add(Policy(one.words, one.action, one.span))
    draft.job.set("retries", found.retries, read.retries)
    if found.as_written:
        draft.options.add(Attribute("policies", "written"))
    if found.restart_policy:
        draft.options.add(Attribute("restart_policy", found.restart_policy, read.restart_policy))
    for patch in found.patches:
        draft.options.add(patch)


# --- each policy as it is ----------------------------------------------------------------------------------------


def _as_written(read: JobPolicies) -> Statements | None:
    """One statement for each policy; ``None`` where one has no word."""
    wanted = read.decided
    shared = _for_the_job(read, wanted)
    said = [said_of(None, trigger, one, read.tasks[0].max_retry) for trigger, one in shared.items()]
    for task in read.tasks:
        own = wanted.tasks[task.task.name]
        said += [
            said_of(task.role, trigger, one, task.max_retry) for trigger, one in own.items() if trigger not in shared
        ]
    in_place = _in_place(read, wanted)
    said += _restarts_in_place(read, in_place)
    said = list(merged(said))
    if not all(one.has_word for one in said):
        return None
    retries = _written_retries(read, wanted)
    made = job_of(read, said, default_retries(said) if retries is None else retries)
    if made is None or not is_same(read.unit(made, "written"), read, wanted, as_written=True):
        return None
    restart_policy = "" if in_place is not None else _one_restart_policy(read)
    return Statements(tuple(said), retries, restart_policy, as_written=True)


def _for_the_job(read: JobPolicies, wanted: Decided) -> Reactions:
    """What is said once: what follows in every role, if the job says it or there are several roles."""
    every = common(wanted.tasks[one.task.name] for one in read.trainers)
    counts = {task.max_retry for task in read.trainers}
    shared = {
        trigger: one
        for trigger, one in every.items()
        if (trigger in read.job or len(read.trainers) > 1)
        and trigger != "TaskCompleted"
        and (trigger != "TaskFailed" or len(counts) == 1)
    }
    return shared | {trigger: one for trigger, one in wanted.job.items() if trigger == "Unknown"}


def _in_place(read: JobPolicies, wanted: Decided) -> frozenset[str] | None:
    """The roles that ``failed => restart container`` is for; ``None`` where an option has to say the restartPolicy.

    A pod that is lost fires PodFailed too, and a role for which that has an action cannot say both.
    """
    tasks = [one for one in read.trainers if one.task.restart_policy == "OnFailure"]
    others = {one.task.restart_policy for one in read.trainers} - {"OnFailure", "Never"}
    lost = any("PodFailed" in wanted.tasks[one.task.name] for one in tasks)
    return None if lost or others else frozenset(one.role for one in tasks)


def _restarts_in_place(read: JobPolicies, roles: frozenset[str] | None) -> list[Said]:
    if not roles:
        return []
    subjects = [None] if len(roles) == len(read.trainers) else [one.role for one in read.tasks if one.role in roles]
    return [Said(subject, "failed", RESTARTS_IN_PLACE, span=read.restart_policy) for subject in subjects]


def _one_restart_policy(read: JobPolicies) -> str:
    """The restartPolicy of all pods; empty where they have several, which are patches of the roles."""
    kinds = {one.task.restart_policy for one in read.trainers}
    return kinds.pop() if len(kinds) == 1 else ""


def _written_retries(read: JobPolicies, wanted: Decided) -> int | None:
    """``retries``, where it is not the default and something restarts pods; no restart at all cannot be said."""
    retries = read.max_retry - 1
    return retries if wanted.restarts and retries not in (0, MAX_RETRY) else None


# --- as patches --------------------------------------------------------------------------------------------------


def _as_patches(read: JobPolicies) -> Statements:
    """The lists of policies as they are."""
    patches: list[Patch] = []
    for path, place in read.lists:
        value = _value(plain(place.node) if place.node is not None else None)
        if value:
            why = "" if patches else "The language has no words for these policies."
            patches.append(Patch(path, "=", value, why=why, span=place.span))
    return Statements((), None, _one_restart_policy(read), as_written=True, patches=tuple(patches))


def _value(data: Plain | None) -> Value:
    """Data of a manifest as a value of the language."""
    if isinstance(data, dict):
        return {key: _value(one) for key, one in data.items()}
    if isinstance(data, list):
        return [_value(one) for one in data]
    if isinstance(data, float):
        return Bare(numbers.without_exponent(data))
    return "" if data is None else data
