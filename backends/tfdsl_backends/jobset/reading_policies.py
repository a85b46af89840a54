"""When a JobSet ends and what it does about failures, as policies of the language.

Its rules can say the same in many ways, so they are not read one by one: what happens to a failed pod of each role is
worked out as the controllers do (:mod:`.controllers`), and that is written as policies. What compiles otherwise than it
was becomes a patch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.draft import Draft, Policy
from tfdsl.record import Record
from tfdsl_backends.jobset.controllers import BY_LIMIT, FAIL, Failure, Job, Manifest, read
from tfdsl_backends.jobset.reading_roles import RoleOf, named
from tfdsl_backends.jobset.reading_settings import BOARD
from tfdsl_backends.podspec.reading.values import LARGEST_RETRIES, STATUSES, on_exit

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View
    from tfdsl.text import Span

Done: TypeAlias = Literal["fail job", "restart job", "restart pod", "restart container"]

USUAL_RETRIES: Final = 3
"""``retries`` where a policy restarts anything and nothing is written."""

_DECIDING: Final = ("chief", "master", "worker")
_TERMINATED: Final = 143
_MOST_APART: Final = 64
"""Replicas of a role that are asked for one by one."""


class _Read(Record):
    """What one role does about failures.

    ``failed``, ``evicted``: what is done; ``exits``: policies about statuses; ``more``: about single replicas, and
    restarts in place that are used up. ``retries``: how often it restarts, ``None`` where nothing counts. The places
    are those of the limit and of the rules.
    """

    failed: Done
    evicted: Done
    limit: Span
    rules: Span
    exits: tuple[Policy, ...] = ()
    more: tuple[Policy, ...] = ()
    retries: int | None = None


def read_policies(draft: Draft, root: View, found: Sequence[RoleOf]) -> None:
    """Policies of the job where most roles have them, else of each role; ``retries``."""
    _read_end(draft, root, found)
    manifest = read(root, named(found))
    jobs = [(one, manifest.jobs[one.role]) for one in found if one.role in manifest.jobs and one.role != BOARD]
    roles = {one.role: _role(manifest, job, one) for one, job in jobs}
    if not roles:
        return
    every = list(roles.values())
    usual = _most([one.failed for one in every])
    if usual != "fail job":
        draft.job.add(Policy("failed", usual, next(one.limit for one in every if one.failed == usual)))
    _read_evicted(draft, roles)
    same = all(_said(one.exits) == _said(every[0].exits) and one.failed == usual for one in every)
    for role, one in roles.items():
        block = draft.role(role)
        if one.failed != usual:
            block.add(Policy("failed", one.failed, one.limit))
        for policy in one.exits if not same or one is every[0] else ():
            (draft.job if same else block).add(policy)
        for policy in one.more:
            draft.job.add(policy)
    _read_retries(draft, root, manifest, every)


def _read_evicted(draft: Draft, roles: Mapping[str, _Read]) -> None:
    """``evicted``, where it is not what a failure is."""
    if all(one.evicted == one.failed for one in roles.values()):
        return
    actions = {one.evicted for one in roles.values()}
    if len(actions) == 1:
        one = next(one for one in roles.values() if one.evicted != one.failed)
        draft.job.add(Policy("evicted", one.evicted, one.rules))
        return
    for role, one in roles.items():
        if one.evicted != one.failed:
            draft.role(role).add(Policy("evicted", one.evicted, one.rules))


def _most(actions: Sequence[Done]) -> Done:
    """The action of most; of equally many the first."""
    return max(actions, key=actions.count)


def _said(policies: Sequence[Policy]) -> list[tuple[str, str]]:
    return [(policy.event, policy.action) for policy in policies]


def _read_retries(draft: Draft, root: View, manifest: Manifest, roles: Sequence[_Read]) -> None:
    said = {policy.action for one in roles for policy in (*one.exits, *one.more)}
    actions = said | {one.failed for one in roles} | {one.evicted for one in roles}
    counts = [(one.retries, one.limit) for one in roles if one.retries is not None]
    if "restart job" in actions:
        counts = [(manifest.restarts, root["spec"]["failurePolicy"]["maxRestarts"].span), *counts]
    if counts:
        retries, span = counts[0]
        if retries != USUAL_RETRIES and retries > 0:
            draft.job.set("retries", min(retries, LARGEST_RETRIES), span)


# --- the end -----------------------------------------------------------------------------------------------------


def _read_end(draft: Draft, root: View, found: Sequence[RoleOf]) -> None:
    """Whose end is the end of the job, unless that is what the language does by itself."""
    policy = root["spec"]["successPolicy"]
    targets = {target.text for target in policy["targetReplicatedJobs"].items()}
    roles = [one for one in found if one.name in targets or (not targets and one.role != BOARD)]
    if len(roles) != 1 and policy["operator"].text != "Any":
        return
    usual = next((role for role in _DECIDING if any(one.role == role for one in found)), "")
    single = {one.role: _single(one) for one in roles}
    if [one.role for one in roles] == [usual] and not single[usual]:
        return
    for one in roles:
        for index in single[one.role]:
            draft.job.add(Policy(f"{one.role}[{index}] completed", "complete job", policy.span))
        if not single[one.role]:
            draft.job.add(Policy(f"{one.role} completed", "complete job", policy.span))


def _single(one: RoleOf) -> list[int]:
    """The replicas each of which completes the Job, if it says no more than that."""
    indexes: list[int] = []
    for rule in one.spec["successPolicy"]["rules"].items():
        text = rule["succeededIndexes"].text
        if text is None or not text.isdecimal() or rule["succeededCount"].present or int(text) >= one.replicas:
            return []
        indexes.append(int(text))
    return indexes if one.replicas > 1 else []


# --- failures ----------------------------------------------------------------------------------------------------


def _role(manifest: Manifest, job: Job, one: RoleOf) -> _Read:
    """What ``job`` and the JobSet do about a failed pod of the role."""
    limit, rules = one.spec["backoffLimit"].span, one.spec["podFailurePolicy"].span
    if job.controlled.in_place:
        return _in_place(manifest, job, one.role, limit, rules)
    named_ = sorted({status for rule in job.controlled.rules for status in rule.statuses if status in STATUSES})
    other = next((status for status in STATUSES if status not in named_), 0)
    several = 1 < one.replicas <= _MOST_APART and any(rule.patterns for rule in manifest.rules)
    table = [_Acts(manifest, job, [*named_, other], index) for index in range(one.replicas if several else 1)]
    usual: dict[int, Done] = {status: _most([acts.of[status] for acts in table]) for status in (*named_, other)}
    evicted, counted = _evicted(manifest, job, usual[other])
    differs = evicted == "restart pod" and not counted and usual[other] == "restart pod"
    more = [policy for index, acts in enumerate(table) for policy in _own(one.role, index, acts, usual, other, rules)]
    if differs:
        more.append(Policy(f"{one.role} evicted", evicted, rules))
    exits = _exits(usual, usual[other], rules)
    counts = "restart pod" in usual.values()
    return _Read(
        usual[other], evicted, limit, rules, tuple(exits), tuple(more), job.controlled.limit if counts else None
    )


def _evicted(manifest: Manifest, job: Job, usual: Done) -> tuple[Done, bool]:
    """What is done about an evicted pod, and whether a limit counts that; ``usual`` where its status decides."""
    found = job.controlled.rule_for(_TERMINATED, disrupted=True)
    if found is None or not found[1].disrupted or any(not rule.disrupted for rule in job.controlled.rules[: found[0]]):
        return usual, True
    return _failed(manifest, job, _TERMINATED, 0, evicted=True)


class _Acts:
    """What is done about one replica. ``of``: by the status of its container."""

    def __init__(self, manifest: Manifest, job: Job, statuses: Sequence[int], index: int) -> None:
        self.of: dict[int, Done] = {
            status: _failed(manifest, job, status, index, evicted=False)[0] for status in statuses
        }


def _exits(acts: Mapping[int, Done], usual: Done, span: Span, of: str = "") -> list[Policy]:
    """Policies for the statuses about which something else is done than ``usual``."""
    return _by_status({status: act for status, act in acts.items() if act != usual}, span, of)


def _by_status(acts: Mapping[int, Done], span: Span, of: str) -> list[Policy]:
    """Policies for each of these statuses."""
    statuses: dict[Done, set[int]] = {}
    for status, act in acts.items():
        statuses.setdefault(act, set()).add(status)
    return [policy for act, found in statuses.items() for policy in on_exit(found, act, span, of)]


def _own(role: str, index: int, acts: _Acts, usual: Mapping[int, Done], other: int, span: Span) -> Iterator[Policy]:
    """Policies of one replica, where something else is done about it than about most of its role."""
    of = f"{role}[{index}] "
    if acts.of[other] != usual[other]:
        yield Policy(f"{of}failed", acts.of[other], span)
        yield from _exits(acts.of, acts.of[other], span, of)
        return
    yield from _by_status({status: act for status, act in acts.of.items() if act != usual[status]}, span, of)


def _in_place(manifest: Manifest, job: Job, role: str, limit: Span, rules: Span) -> _Read:
    retries, used_up = max(job.controlled.limit - 1, 1), max(job.controlled.limit, 1)
    more: tuple[Policy, ...] = ()
    if _by_set(manifest, Failure(job.name, BY_LIMIT, "")) == "restart job":
        more = (Policy(f"{role} restarted {used_up}", "restart job", limit),)
        retries = max(manifest.restarts, used_up)
    return _Read("restart container", "restart container", limit, rules, (), more, retries)


def _failed(manifest: Manifest, job: Job, status: int, index: int, *, evicted: bool) -> tuple[Done, bool]:
    found = job.controlled.rule_for(status, disrupted=evicted)
    if found is not None:
        number, rule = found
        if rule.action == "FailJob":
            return _by_set(manifest, job.failed_by(number, rule, index, status)), False
        if rule.action == "Ignore":
            return "restart pod", False
    if job.controlled.limit > 0:
        return "restart pod", True
    return _by_set(manifest, Failure(job.name, BY_LIMIT, "")), False


def _by_set(manifest: Manifest, failure: Failure) -> Done:
    """What the JobSet does about a failed Job: a restart of which none is left is a failure."""
    action = manifest.action(failure)
    counted = action == "RestartJobSet"
    return "fail job" if action == FAIL or (counted and not manifest.restarts) else "restart job"
