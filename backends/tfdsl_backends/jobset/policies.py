"""What the policies of a job become: how the Job of each role restarts its pods, and what a failed Job does to the job.

A Job says only that it has failed and why: BackoffLimitExceeded, or PodFailurePolicy with a message that names the rule
and the pod. So whatever ends or restarts the whole job is a failure of the Job, told apart by the rule of the
``podFailurePolicy`` that has matched, and the ``failurePolicy`` of the JobSet has the action. What restarts a pod stays
in the Job. Seen on JobSet 0.12 and Kubernetes 1.34: under ``OnFailure`` a Job fails when its restarts reach
``backoffLimit``, under ``Never`` when more pods than that have failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.backend import Unit
from tfdsl.emit.located import Data
from tfdsl.ir.policies import covering, exit_policies, on_eviction, on_failure
from tfdsl.record import Record
from tfdsl.vocabulary.attributes import BOARD
from tfdsl_backends.podspec.batch import action, decides, restarts_in_place
from tfdsl_backends.podspec.plan import PolicyAction, disrupted, exited, watched

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role


LABELS: Final = "jobset.sigs.k8s.io"


def job_name(unit: Unit, role: Role) -> str:
    """The name of the replicated Job of ``role``: that of the role, unless the option says otherwise."""
    return str(unit.entries("job_names").get(role.name, role.name))


def jobs_of(unit: Unit, role: Role) -> int:
    """How many Jobs share the replicas of ``role``."""
    number = unit.entries("jobs").get(role.name, 1)
    return number if isinstance(number, int) else 1


def pods_of(unit: Unit, role: Role) -> int:
    """How many replicas each Job of ``role`` has."""
    return max(role.replicas // jobs_of(unit, role), 1)


def hostname(unit: Unit, role: Role, index: int) -> str:
    """The hostname of a replica, with which the name of its pod begins: with the number of its Job, and its own."""
    job, pod = divmod(index, pods_of(unit, role))
    return f"{unit.job.name}-{job_name(unit, role)}-{job}-{pod}"


def subdomain(unit: Unit) -> str:
    """The name of the Service: the job's, unless the option says otherwise."""
    return unit.text("subdomain") or unit.job.name


def host(unit: Unit, role: Role, index: int) -> str:
    """The name under which a replica is reached inside its namespace."""
    return f"{hostname(unit, role, index)}.{subdomain(unit)}"


def pod_labels(unit: Unit, role: Role) -> dict[str, str]:
    """The labels that JobSet gives to the pods of ``role`` and to no others."""
    return {f"{LABELS}/jobset-name": unit.job.name, f"{LABELS}/replicatedjob-name": job_name(unit, role)}


NO_LIMIT: Final = 2**31 - 1
"""The ``backoffLimit`` of a Job that restarts for ever."""

FAILURES: Final = ("failed", "exit", "evicted")
"""The events that are about the failure of one replica."""

Act: TypeAlias = Literal["fail job", "restart job", "restart pod"]
"""What is done about a failure in a role whose containers do not restart in place."""

_ACTS: Final[Mapping[str, Act]] = {
    "restart job": "restart job",
    "restart pod": "restart pod",
    "restart container": "restart pod",
}


class Case(Record):
    """One kind of failure in a role: ``statuses``, or ``evicted``; neither for all others.

    ``act``: what is done. ``own``: index of a replica → what is done about it, where that is something else.
    """

    act: Act
    own: Mapping[int, Act]
    statuses: tuple[int, ...] = ()
    evicted: bool = False

    @property
    def does(self) -> tuple[Act, tuple[tuple[int, Act], ...]]:
        """What is done, whatever the failure is."""
        return self.act, tuple(sorted(self.own.items()))


class RoleDecisions(Record):
    """What is done about the failures of one role.

    ``in_place``: whether its containers restart in their pods, ``limit`` times in all; ``end``: what follows then.
    Otherwise ``statuses`` are the exit statuses with an act of their own, ``evicted`` evictions if any policy is about
    them, ``others`` every other failure; ``limit``: how many pods may be replaced. ``mixed``: the indexes whose own
    policies a Job cannot tell from those of the role.
    """

    role: Role
    in_place: bool
    limit: int
    end: Act
    others: Case
    statuses: tuple[Case, ...] = ()
    evicted: Case | None = None
    mixed: frozenset[int] = frozenset()

    @property
    def cases(self) -> tuple[Case, ...]:
        """All kinds of failures."""
        return (*((self.evicted,) if self.evicted is not None else ()), *self.statuses, self.others)

    @property
    def restarts(self) -> bool:
        """Whether the Job itself restarts anything that it counts."""
        return self.in_place or any(case.act == "restart pod" for case in (*self.statuses, self.others))

    @property
    def restarts_job(self) -> bool:
        """Whether any failure restarts the whole job."""
        acts = {self.end, *(act for case in self.cases for act in (case.act, *case.own.values()))}
        return "restart job" in acts


class Decisions(Record):
    """What the policies of a job decide.

    ``deciding``: ``id`` of a policy on a failure → the roles for which it decides anything.
    """

    roles: Mapping[str, RoleDecisions]
    deciding: Mapping[int, Sequence[RoleDecisions]]

    @property
    def restarts_job(self) -> bool:
        """Whether anything restarts the whole job."""
        return any(role.restarts_job for role in self.roles.values())

    @property
    def restarting(self) -> list[RoleDecisions]:
        """The roles whose Jobs restart pods or containers, TensorBoard apart."""
        return [role for role in self.roles.values() if role.restarts and not role.role.is_board]


def decisions(unit: Unit) -> Decisions:
    """What the policies of the job decide, worked out once for each unit."""
    return unit.once(_decide)


def _decide(unit: Unit) -> Decisions:
    job = unit.job
    roles: dict[str, RoleDecisions] = {role.name: _of_role(job, role) for role in job.roles}
    deciding = {
        id(policy): [role for role in roles.values() if decides(job, role.role, policy)]
        for policy in job.policies
        if policy.event in FAILURES
    }
    return Decisions(roles, deciding)


def _of_role(job: Job, role: Role) -> RoleDecisions:
    if role.is_board:
        return RoleDecisions(role, in_place=True, limit=NO_LIMIT, end="fail job", others=Case("restart pod", {}))
    indexes = _own_indexes(job, role)
    if restarts_in_place(job, role) and not indexes:
        return _in_place(job, role)
    others = _case(role, {index: on_failure(job, role, index) for index in (None, *indexes)})
    statuses = tuple(case for case in _statuses(job, role, indexes) if case.does != others.does)
    evicted = _evicted(job, role, indexes)
    cases = [case for case in (evicted, *statuses, others) if case is not None]
    counts = any(case.act == "restart pod" for case in (*statuses, others))
    mixed = {
        index
        for case in cases
        for index, act in case.own.items()
        if act != case.act and "restart pod" in (act, case.act)
    }
    end: Act = "fail job" if counts else others.act
    return RoleDecisions(
        role,
        in_place=False,
        limit=job.retries if counts else 0,
        end=end,
        others=others,
        statuses=statuses,
        evicted=evicted,
        mixed=frozenset(mixed),
    )


def _in_place(job: Job, role: Role) -> RoleDecisions:
    """A role whose containers restart in their pods: its Job fails when there have been ``limit`` restarts."""
    restarted = next((policy for policy in covering(job, role) if policy.event == "restarted"), None)
    limit, end = job.retries + 1, "fail job"
    if restarted is not None and restarted.count is not None and restarted.count <= job.retries:
        limit, end = restarted.count, restarted.action
    return RoleDecisions(
        role,
        in_place=True,
        limit=limit,
        end="restart job" if end == "restart job" else "fail job",
        others=Case("restart pod", {}),
    )


def _own_indexes(job: Job, role: Role) -> list[int]:
    """The replicas that have a policy of their own about failures."""
    own = {policy.index for policy in job.policies if policy.role == role.name and policy.event in FAILURES}
    return sorted(index for index in own if index is not None)


def _statuses(job: Job, role: Role, indexes: Sequence[int]) -> list[Case]:
    """The exit statuses that a policy names, those with one act together, by their first status."""
    of_index = {index: exit_policies(job, role, index) for index in (None, *indexes)}
    by_status = {
        index: {status: policy for statuses, policy in groups for status in statuses}
        for index, groups in of_index.items()
    }
    named = sorted({status for policies in by_status.values() for status in policies})
    cases: dict[object, Case] = {}
    for status in named:
        decided = {index: policies.get(status) or on_failure(job, role, index) for index, policies in by_status.items()}
        case = _case(role, decided)
        known = cases.get(case.does)
        statuses = (*known.statuses, status) if known is not None else (status,)
        cases[case.does] = Case(case.act, case.own, statuses)
    return list(cases.values())


def _evicted(job: Job, role: Role, indexes: Sequence[int]) -> Case | None:
    """Evictions, where a policy is about them."""
    decided = {index: on_eviction(job, role, index) for index in (None, *indexes)}
    if not any(policy is not None and policy.event == "evicted" for policy in decided.values()):
        return None
    case = _case(role, decided)
    return Case(case.act, case.own, evicted=True)


def _case(role: Role, decided: Mapping[int | None, Policy | None]) -> Case:
    """What the policies do that decide for the role (``None``) and for replicas with their own."""
    acts: dict[int | None, Act] = {index: _ACTS.get(action(policy), "fail job") for index, policy in decided.items()}
    own: dict[int, Act] = {index: act for index, act in acts.items() if index is not None and act != acts[None]}
    return Case(acts[None], own)


# --- the rules of the Jobs (podFailurePolicy) and of the JobSet (failurePolicy), made of what is decided ---
#
# A rule of a Job that fails it leaves its number and the pod in the message of the Job, by which a rule of the JobSet
# finds out what to do:
# "... for pod ns/mnist-worker-0-1-x7k2p failed with exit code 42 matching FailJob rule at index 0".

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
        SetRule(act, f"[Pp]od [^ ]*/{hostname(unit, role.role, index)}-[a-z0-9]{{5}} .*{_at(numbers)}")
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


def reads_messages(unit: Unit) -> bool:
    """Whether a rule of the JobSet looks at the message of a Job."""
    decided = decisions(unit)
    return decided.restarts_job and any(rule.pattern for role in _roles(unit) for rule in set_rules(unit, role))


def jobset_rules(unit: Unit) -> list[Data]:
    """``failurePolicy.rules``; none where nothing restarts the job, or every failure does."""
    if not decisions(unit).restarts_job:
        return []
    taken: set[str] = set()

    def free(wanted: str) -> str:
        """``wanted``, with a number where another rule has it."""
        numbered = (f"{wanted}_{number}" for number in range(2, len(taken) + 2))
        name = next(name for name in (wanted, *numbered) if name not in taken)
        taken.add(name)
        return name

    rules: list[Data] = []
    if unit.job.deadline is not None:
        rules.append({"name": free("deadline"), "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]})
    roles = _roles(unit)
    if len({tuple(_does(unit, role)) for role in roles}) == 1:
        rules += [_written(rule, free(_WORDS[rule.act]), None) for rule in set_rules(unit, roles[0])]
    else:
        for role in roles:
            name = f"{role.role.name}_"
            rules += [
                _written(rule, free(name + _WORDS[rule.act]), [job_name(unit, role.role)])
                for rule in set_rules(unit, role)
            ]
    ending = [role for role in roles if role.end == "fail job"]
    if ending:
        targets = [job_name(unit, role.role) for role in ending] if len(ending) < len(roles) else None
        rules.append(_written(SetRule("fail job"), free("fail"), targets))
    return rules


def _roles(unit: Unit) -> list[RoleDecisions]:
    """The roles whose failure matters."""
    return [role for name, role in decisions(unit).roles.items() if name != BOARD]


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
