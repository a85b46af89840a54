"""How a job lives and ends as a JobSet: what the controllers of the JobSet and of its Jobs make of the manifest.

A Job that fails ends its own pods; then the JobSet fails or makes all Jobs anew, and deletes the Jobs that are active,
with their pods. Pods of Jobs that have ended stay. All of it was watched in the runs that ``tests/lifecycle`` has.
Source: `pkg/controllers/{failure_policy,success_policy}.go` of JobSet 0.12. What a Job's own controller does is in
:mod:`tfdsl_backends.podspec.job_controller`; its messages are those that were seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfdsl.backend import Document, Unit
from tfdsl.ir.model import Role
from tfdsl.lifecycle.behaviour import DEADLINE_PASSED, Behaviour, Decision, Outcome, Replica, State, Task
from tfdsl.manifest.nodes import View, tree, view
from tfdsl.record import Record
from tfdsl.vocabulary.quantities import Duration, duration
from tfdsl_backends.jobset.policies import job_name
from tfdsl_backends.podspec.job_controller import ControlledJob, PodRule, controlled
from tfdsl_backends.podspec.plan import CONTAINER

BY_LIMIT: Final = "BackoffLimitExceeded"
BY_POLICY: Final = "PodFailurePolicy"
BY_DEADLINE: Final = "DeadlineExceeded"
FAIL: Final = "FailJobSet"
RESTART: Final = "RestartJobSet"
RESTART_UNCOUNTED: Final = "RestartJobSetAndIgnoreMaxRestarts"

_POD: Final = "x7k2p"
"""The random end of a pod's name; which letters makes no difference."""


class Failure(Record):
    """A failed Job: of which role, why, and with which message."""

    job: str
    reason: str
    message: str


class Job(Record):
    """One replicated Job.

    ``host``: what the names of its pods begin with; ``pods``: how many each of its Jobs has. ``waits_for``: other Jobs,
    and the state in which they must be.
    """

    name: str
    host: str
    pods: int
    controlled: ControlledJob
    waits_for: Sequence[tuple[str, str]]

    def number(self, index: int) -> int:
        """Of which of its Jobs a replica is."""
        return index // self.pods

    def failed_by(self, number: int, rule: PodRule, index: int, status: int, step: str) -> Failure:
        """The failure that a rule causes."""
        pod = f"default/{self.host}{self.number(index)}-{index % self.pods}-{_POD}"
        what = f"Pod {pod} has condition DisruptionTarget"
        if not rule.disrupted:
            what = f"Container {step or CONTAINER} for pod {pod} failed with exit code {status}"
        return Failure(self.name, BY_POLICY, f"{what} matching FailJob rule at index {number}")


class SetRule(Record):
    """A rule of a ``failurePolicy``; what is empty is not looked at."""

    action: str
    reasons: frozenset[str]
    patterns: Sequence[re.Pattern[str]]
    targets: frozenset[str]

    def matches(self, failure: Failure) -> bool:
        """Whether it is for a failed Job."""
        return (
            (not self.reasons or failure.reason in self.reasons)
            and (not self.targets or failure.job in self.targets)
            and (not self.patterns or any(pattern.search(failure.message) for pattern in self.patterns))
        )


class Manifest(Record):
    """The JobSet: its Jobs by role, when it has succeeded, and what it does about a failed Job."""

    jobs: Mapping[str, Job]
    restarts: int
    rules: Sequence[SetRule]
    fails_at_once: bool
    any_of: bool
    targets: frozenset[str]
    ttl: int | None

    def action(self, failure: Failure) -> str:
        """What is done about a failed Job: the first rule decides, and without one it is a restart."""
        if self.fails_at_once:
            return FAIL
        return next((rule.action for rule in self.rules if rule.matches(failure)), RESTART)


def read_manifest(root: View, named: Mapping[str, str]) -> Manifest:
    """What the JobSet ``root`` says. ``named``: role → the name of its replicated Job."""
    spec = root["spec"]
    by_name = {entry["name"].text: entry for entry in spec["replicatedJobs"].items()}
    jobs: dict[str, Job] = {role: _job(root, name, by_name[name]) for role, name in named.items() if name in by_name}
    failure, success = spec["failurePolicy"], spec["successPolicy"]
    return Manifest(
        jobs,
        failure["maxRestarts"].number or 0,
        tuple(_set_rules(failure)),
        not failure.present,
        success["operator"].text == "Any",
        _texts(success["targetReplicatedJobs"]) or frozenset(job.name for job in jobs.values()),
        spec["ttlSecondsAfterFinished"].number,
    )


def _job(root: View, name: str, entry: View) -> Job:
    return Job(
        name,
        f"{root['metadata']['name'].text}-{name}-",
        pods_of(entry["template"]["spec"]),
        controlled(entry["template"]["spec"]),
        tuple((other["name"].text or "", other["status"].text or "") for other in entry["dependsOn"].items()),
    )


def pods_of(spec: View) -> int:
    """How many pods a Job has."""
    return max(1, spec["completions"].number or 0, spec["parallelism"].number or 0)


def _set_rules(policy: View) -> Iterator[SetRule]:
    for rule in policy["rules"].items():
        patterns = [_compiled(entry.text or "") for entry in rule["onJobFailureMessagePatterns"].items()]
        yield SetRule(
            rule["action"].text or "",
            _texts(rule["onJobFailureReasons"]),
            [pattern for pattern in patterns if pattern is not None] or ([_NEVER] if patterns else []),
            _texts(rule["targetReplicatedJobs"]),
        )


_NEVER: Final = re.compile(r"(?!)")


def _compiled(text: str) -> re.Pattern[str] | None:
    """A pattern; an invalid one matches nothing and is not reported (seen)."""
    try:
        return re.compile(text)
    except re.error:
        return None


def _texts(node: View) -> frozenset[str]:
    return frozenset(text for entry in node.items() if (text := entry.text))


_IN_PLACE: Final = "restart container"
_DONE: Final = "completed before its pod was deleted: "
_DEADLINE: Final = "deadline"


def behaviour(unit: Unit, documents: Sequence[Document]) -> Behaviour:
    """How the job of ``unit`` lives; the JobSet is the first of ``documents``."""
    return JobSet(unit, documents[0])


class JobSet(Behaviour):
    """The JobSet of one job, and its Jobs."""

    limits_time = False

    def __init__(self, unit: Unit, document: Document) -> None:
        super().__init__(unit.job)
        named: dict[str, str] = {role.name: job_name(unit, role) for role in unit.job.roles}
        self._set = read_manifest(view(tree(document.data, unit.origins.span)), named)

    # --- a pod fails ---

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        """The kubelet starts a container again, or the Job looks at its rules."""
        return self.on_prepare_exit(task, "", status, state)

    def on_prepare_exit(self, task: Task, step: str, status: int, state: State) -> Decision:
        """The same; rules may be about the status of one container."""
        job, what = self._set.jobs[task.role], f"{f'step {step} of ' if step else ''}{task} exited {status}"
        if job.controlled.in_place:
            state.count(_restarts(job, task))
            return Decision(_IN_PLACE, what, counted=False)
        return self._failed(job, task, status, what, state, evicted=False, step=step)

    def on_sidecar_exit(self, task: Task, state: State) -> Decision | None:
        """Its restart is one of the pod's containers, which count where they restart in place."""
        job = self._set.jobs[task.role]
        if not job.controlled.in_place:
            return None
        state.count(_restarts(job, task))
        return self.on_restarted(task, state)

    def on_success(self, task: Task, state: State) -> Decision | None:
        """It has completed, TensorBoard too."""
        return None

    def on_preemption(self, task: Task, status: int, state: State) -> Decision:
        """The same as below, unless the Job looks when the command has ended and succeeded (seen in 4 of 4 runs)."""
        job = self._set.jobs[task.role]
        failed = state.counts.get(_failed_pods(job, task), 0)
        if status or not job.controlled.sees_the_end(failed, self._running_beside(task, state)):
            return self.on_loss(task, status, state)
        state.count(f"{_DONE}{task}")
        state.count(f"{_DONE}{task.role}")
        return self.on_completion(state) or Decision("ignore", f"{task} completed while its pod was deleted")

    def _running_beside(self, task: Task, state: State) -> int:
        """How many pods run of the Job that ``task``, whose own pod is gone, is of."""
        job, replicas = self._set.jobs[task.role], state.of(task.role)
        running = state.number(task.role, "running")
        if not running or len(replicas) <= job.pods:
            return running
        start = job.number(task.index) * job.pods
        return sum(replica.phase == "running" for _, replica in replicas[start : start + job.pods])

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """An evicted pod has failed, and has the condition DisruptionTarget."""
        return self._failed(self._set.jobs[task.role], task, status, f"{task} was lost", state, evicted=True)

    def on_restarted(self, task: Task, state: State) -> Decision | None:
        """The restart by which a Job reaches its limit is cut off, and the Job fails."""
        job = self._set.jobs[task.role]
        count = state.counts.get(_restarts(job, task), 0)
        if count < max(job.controlled.limit, 1):
            return None
        why = f"the containers of {task.role} were restarted {count} times"
        return self._job_failed(Failure(job.name, BY_LIMIT, ""), why, state)

    def _failed(
        self, job: Job, task: Task, status: int, what: str, state: State, *, evicted: bool, step: str = ""
    ) -> Decision:
        numbered = job.controlled.rule_for(status, step, disrupted=evicted)
        if numbered is not None:
            number, rule = numbered
            if rule.action == "FailJob":
                return self._job_failed(job.failed_by(number, rule, task.index, status, step), what, state)
            if rule.action == "Ignore":
                return Decision("restart pod", what, counted=False)
        if state.count(_failed_pods(job, task)) > job.controlled.limit:
            return self._job_failed(Failure(job.name, BY_LIMIT, ""), what, state)
        return Decision("restart pod", what, counted=False)

    # --- a Job fails ---

    def _job_failed(self, failure: Failure, what: str, state: State) -> Decision:
        """The rules of the JobSet, and its one counter."""
        action = self._set.action(failure)
        if action == FAIL:
            return Decision("fail job", what)
        if action != RESTART_UNCOUNTED:
            if state.retries >= self._set.restarts:
                left = "and no restart is left" if self._set.restarts else "and nothing restarts the job"
                return Decision("fail job", f"{what}, {left}")
            state.retries += 1
        state.counts.clear()  # all Jobs are new
        return Decision("restart job", what, counted=False)

    def restarted_by(self, decision: Decision, task: Task, state: State) -> Iterable[Task]:
        """A JobSet makes all Jobs anew, TensorBoard's too."""
        return list(state.replicas) if decision.action == "restart job" else [task]

    # --- order and time ---

    def may_start(self, role: Role, state: State) -> bool:
        """Whether the Jobs that it depends on are ready: every pod runs or has ended."""
        roles = {job.name: name for name, job in self._set.jobs.items()}
        for name, status in self._set.jobs[role.name].waits_for:
            other = roles.get(name, "")
            if state.number(other, "waiting", "pending"):
                return False
            if status == "Complete" and not state.all_in(other, "succeeded"):
                return False
        return True

    def deadline(self) -> Duration | None:
        """Of the Job that has the shortest, where no restart begins anew."""
        seconds = [job.controlled.deadline for job in self._set.jobs.values() if job.controlled.deadline is not None]
        return duration(min(seconds) * 1000) if seconds and not self._set.restarts else None

    def deadline_of(self, task: Task) -> Duration | None:
        """Of each Job, from its own start, where the job restarts."""
        seconds = self._set.jobs[task.role].controlled.deadline
        return duration(seconds * 1000) if self._set.restarts and seconds is not None else None

    def on_job_deadline(self, state: State) -> Iterable[Decision]:
        """The first Job to reach it fails."""
        job = next(job for job in self._set.jobs.values() if job.controlled.deadline is not None)
        return (self._too_long(job, DEADLINE_PASSED, state),)

    def on_deadline(self, task: Task, state: State) -> Decision:
        """The deadline of a role is that of its Job, which fails."""
        return self._too_long(self._set.jobs[task.role], f"the deadline of {task.role} has passed", state)

    def _too_long(self, job: Job, why: str, state: State) -> Decision:
        decision = self._job_failed(Failure(job.name, BY_DEADLINE, ""), why, state)
        state.count(_DEADLINE)
        return decision

    def removed_after(self, outcome: Outcome) -> Duration | None:
        """The JobSet with its Jobs, pods and Service."""
        return None if self._set.ttl is None else duration(self._set.ttl * 1000)

    # --- the end ---

    def on_completion(self, state: State) -> Decision | None:
        """The Jobs that the successPolicy names have completed, all of them or any."""
        targets = [role for role, job in self._set.jobs.items() if job.name in self._set.targets and state.of(role)]
        completed = [role for role in targets if self._is_completed(role, state)]
        if not completed or not (self._set.any_of or completed == targets):
            return None
        return Decision("complete job", f"{completed[0]} completed")

    def _is_completed(self, role: str, state: State) -> bool:
        """Whether all Jobs of ``role`` have completed, or any where that is enough."""
        job, replicas, any_of = self._set.jobs[role], len(state.of(role)), self._set.any_of
        if job.controlled.success:  # for which one pod of a Job may do
            least = 1 if any_of else -(-replicas // job.pods)
        else:
            least = (replicas % job.pods or job.pods) if any_of else replicas
        if _succeeded(role, state) < least:  # with thousands of replicas mostly so
            return False
        completed = self._jobs_completed(role, state)
        return any(completed) if any_of else all(completed)

    def _jobs_completed(self, role: str, state: State) -> Iterator[bool]:
        """Of each Job of ``role``, whether it has completed: all its pods have succeeded, or one that is enough."""
        job, replicas = self._set.jobs[role], state.of(role)
        for start in range(0, len(replicas), job.pods):
            part = replicas[start : start + job.pods]
            one = len(part) == len(replicas)
            succeeded = _succeeded(role, state) if one else sum(_has_succeeded(*replica, state) for replica in part)
            yield job.controlled.is_complete(succeeded, _asking(part, state), len(part))

    def stopped_at_the_end(self, outcome: Outcome, state: State) -> Iterable[tuple[Task, bool]]:
        """Running pods are deleted, and with a Job that was active also its pods that have ended."""
        ended = set(self._ended(state))
        for task, replica in state.replicas.items():
            if replica.alive or (self._job_of(task) not in ended and replica.phase not in ("waiting", "gone")):
                yield task, True

    def _job_of(self, task: Task) -> tuple[str, int]:
        """Role and number of the Job that ``task`` is of."""
        return task.role, self._set.jobs[task.role].number(task.index)

    def _ended(self, state: State) -> Iterator[tuple[str, int]]:
        """The Jobs that have completed or failed; at a deadline no pod of the failed one is left."""
        finish = state.finish
        if finish is not None and finish.task is not None and _DEADLINE not in state.counts:
            yield self._job_of(finish.task)
        for role in self._set.jobs:
            yield from ((role, number) for number, done in enumerate(self._jobs_completed(role, state)) if done)


def _succeeded(role: str, state: State) -> int:
    """How many replicas of ``role`` have succeeded."""
    return state.number(role, "succeeded") + state.counts.get(f"{_DONE}{role}", 0)


def _has_succeeded(task: Task, replica: Replica, state: State) -> bool:
    return replica.phase == "succeeded" or f"{_DONE}{task}" in state.counts


def _asking(part: Sequence[tuple[Task, Replica]], state: State) -> Callable[[int], bool]:
    return lambda at: _has_succeeded(*part[at], state)


def _failed_pods(job: Job, task: Task) -> str:
    return f"failed pods of {job.name} {job.number(task.index)}"


def _restarts(job: Job, task: Task) -> str:
    return f"restarts of {job.name} {job.number(task.index)}"
