"""The rules of the Jobs (``podFailurePolicy``) and of the JobSet (``failurePolicy``), made of what is decided.

A rule of a Job that fails it leaves its number and the pod in the message of the Job, by which a rule of the JobSet
finds out what to do: ``… for pod ns/mnist-worker-0-1-x7k2p failed with exit code 42 matching FailJob rule at index 0``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tfdsl.backend import Unit
from tfdsl.emit.located import Data
from tfdsl.record import Record
from tfdsl_backends.jobset.names import hostname, job_name
from tfdsl_backends.jobset.policies import TENSORBOARD, Act, Case, RoleDecisions, decisions
from tfdsl_backends.podspec.plan import PolicyAction, disrupted, exited, watched

ACTIONS: Final[Mapping[Act, str]] = {"fail job": "FailJobSet", "restart job": "RestartJobSet"}
_WORDS: Final[Mapping[Act, str]] = {"fail job": "fail", "restart job": "restart"}
_OF_EVICTED: Final = (137, 143)
"""128 + SIGKILL and 128 + SIGTERM, with which the container of an evicted pod mostly ends."""
_ANY_STATUS: Final = (0,)
"""With NotIn: all statuses of a container that has failed."""


class PodRules(Record):
    """The rules of a Job: ``rules`` in their order, and which of them, by number, fail the Job in each case."""

    rules: tuple[Data, ...]
    failing: tuple[tuple[Case, tuple[int, ...]], ...]


class SetRule(Record):
    """A rule of the JobSet for one role. ``pattern``: of the message; ``by_policy``: only if a rule failed the Job."""

    act: Act
    pattern: str = ""
    by_policy: bool = False


def pod_rules(role: RoleDecisions) -> PodRules:
    """The rules of the Job of ``role``; what is about evictions comes before statuses, which evicted pods have too."""
    if role.in_place:
        return PodRules((), ())
    rules: list[Data] = []
    failing: dict[int, tuple[Case, list[int]]] = {}
    for case, rule in _rules(role):
        if case.act != "restart pod":
            failing.setdefault(id(case), (case, []))[1].append(len(rules))
        rules.append(rule)
    return PodRules(tuple(rules), tuple((case, tuple(numbers)) for case, numbers in failing.values()))


def _rules(role: RoleDecisions) -> Iterator[tuple[Case, Data]]:
    """Each rule with the case that it is for."""
    others, containers = role.others, watched(role.role)
    restarts = any(case.act == "restart pod" for case in (*role.statuses, others))
    looks = [case for case in role.statuses if case.act != "restart pod" or others.act != "restart pod"]
    catches_all = others.act != "restart pod" and (restarts or bool(others.own))
    hidden = any(status in _OF_EVICTED for case in looks for status in case.statuses)
    if role.evicted is not None:
        if role.evicted.act == "restart pod":
            yield role.evicted, disrupted("Ignore")
        elif restarts or hidden or role.evicted.does != others.does or role.evicted.own:
            yield role.evicted, disrupted("FailJob")
    for case in looks:
        action: PolicyAction = "Count" if case.act == "restart pod" else "FailJob"
        for rule in exited(action, "In", case.statuses, containers):
            yield case, rule
    if catches_all:
        named = sorted(status for case in role.statuses for status in case.statuses)
        for rule in exited("FailJob", "NotIn", named or _ANY_STATUS, containers):
            yield others, rule
        if role.evicted is None:
            yield others, disrupted("FailJob")  # a pod that was lost without a status


def set_rules(unit: Unit, role: RoleDecisions) -> list[SetRule]:
    """What the JobSet does about a failed Job of ``role``, before ``role.end`` is done about all else."""
    failing = pod_rules(role).failing
    rules = [
        SetRule(act, _of_pod(hostname(unit, role.role, index), numbers))
        for case, numbers in failing
        for index, act in sorted(case.own.items())
    ]
    acts = {case.act for case, _ in failing}
    other: Act = "fail job" if role.end == "restart job" else "restart job"
    if acts == {other}:
        rules.append(SetRule(other, by_policy=True))
    elif other in acts:
        numbers = [number for case, own in failing if case.act == other for number in own]
        rules.append(SetRule(other, _at(numbers)))
    return rules


def _at(numbers: Sequence[int]) -> str:
    found = "|".join(map(str, numbers))
    return f"matching FailJob rule at index {f'({found})' if len(numbers) > 1 else found}$"


def _of_pod(host: str, numbers: Sequence[int]) -> str:
    return f"[Pp]od [^ ]*/{host}-[a-z0-9]{{5}} .*{_at(numbers)}"


def reads_messages(unit: Unit) -> bool:
    """Whether a rule of the JobSet looks at the message of a Job."""
    decided = decisions(unit)
    return decided.restarts_job and any(rule.pattern for role in _roles(unit) for rule in set_rules(unit, role))


def jobset_rules(unit: Unit) -> list[Data]:
    """``failurePolicy.rules``; none where nothing restarts the job, or every failure does."""
    decided = decisions(unit)
    if not decided.restarts_job:
        return []
    names = _Names()
    rules: list[Data] = []
    if unit.job.deadline is not None:
        rules.append(
            {"name": names.free("deadline"), "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]}
        )
    roles = _roles(unit)
    if len({tuple(_does(unit, role)) for role in roles}) == 1:
        rules += [_written(rule, names.free(_WORDS[rule.act]), None) for rule in set_rules(unit, roles[0])]
    else:
        for role in roles:
            name = f"{role.role.name}_"
            rules += [
                _written(rule, names.free(name + _WORDS[rule.act]), [job_name(unit, role.role)])
                for rule in set_rules(unit, role)
            ]
    ending = [role for role in roles if role.end == "fail job"]
    if ending:
        targets = [job_name(unit, role.role) for role in ending] if len(ending) < len(roles) else None
        rules.append(_written(SetRule("fail job"), names.free("fail"), targets))
    return rules


def _roles(unit: Unit) -> list[RoleDecisions]:
    """The roles whose failure matters."""
    return [role for name, role in decisions(unit).roles.items() if name != TENSORBOARD]


def _does(unit: Unit, role: RoleDecisions) -> list[object]:
    return [role.end, *((rule.act, rule.pattern, rule.by_policy) for rule in set_rules(unit, role))]


def _written(rule: SetRule, name: str, targets: list[str] | None) -> Data:
    by_policy = rule.by_policy or bool(rule.pattern)
    return {
        "name": name,
        "action": ACTIONS[rule.act],
        "onJobFailureReasons": ["PodFailurePolicy"] if by_policy else None,
        "onJobFailureMessagePatterns": [rule.pattern] if rule.pattern else None,
        "targetReplicatedJobs": list(targets) if targets is not None else None,
    }


class _Names:
    """The names of rules, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, wanted: str) -> str:
        """``wanted``, with a number where it is taken."""
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name
