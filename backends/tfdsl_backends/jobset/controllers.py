"""What a JobSet and its Jobs say of failures and ends, read from the manifest as their controllers read it.

Sources: `pkg/controllers/{failure_policy,success_policy}.go` of JobSet 0.12; `pkg/controller/job/pod_failure_policy.go`
and `success_policy.go` of Kubernetes 1.34. The messages of a Job are those that were seen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tfdsl.record import Record
from tfdsl_backends.podspec.job_controller import DEFAULT_LIMIT
from tfdsl_backends.podspec.plan import CONTAINER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tfdsl.manifest.view import View

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


class PodRule(Record):
    """A rule of a ``podFailurePolicy``: about evicted pods, or exit statuses."""

    action: str
    disrupted: bool
    among: bool
    statuses: frozenset[int]

    def matches(self, status: int, *, evicted: bool) -> bool:
        """Whether it is for a pod whose container has ended with ``status``."""
        if self.disrupted:
            return evicted
        return status != 0 and (status in self.statuses) == self.among


class Job(Record):
    """One replicated Job. ``succeeded``: the indexes each of which completes it, where it has several."""

    name: str
    host: str
    in_place: bool
    limit: int
    deadline: int | None
    rules: Sequence[PodRule]
    succeeded: frozenset[int]
    waits_for: Sequence[tuple[str, str]]

    def rule(self, status: int, *, evicted: bool) -> tuple[int, PodRule] | None:
        """The first rule for a failed pod, and its number."""
        found = enumerate(self.rules)
        return next(((number, rule) for number, rule in found if rule.matches(status, evicted=evicted)), None)

    def failed_by(self, number: int, rule: PodRule, index: int, status: int) -> Failure:
        """The failure that a rule causes."""
        pod = f"default/{self.host}{index}-{_POD}"
        what = f"Pod {pod} has condition DisruptionTarget"
        if not rule.disrupted:
            what = f"Container {CONTAINER} for pod {pod} failed with exit code {status}"
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
            and (not self.patterns or any(one.search(failure.message) for one in self.patterns))
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


def read(root: View, named: Mapping[str, str]) -> Manifest:
    """What the JobSet ``root`` says. ``named``: role → the name of its replicated Job."""
    spec = root["spec"]
    by_name = {one["name"].text: one for one in spec["replicatedJobs"].items()}
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


def _job(root: View, name: str, one: View) -> Job:
    spec = one["template"]["spec"]
    limit = spec["backoffLimit"].number
    indexes = [rule["succeededIndexes"].text or "" for rule in spec["successPolicy"]["rules"].items()]
    return Job(
        name,
        f"{root['metadata']['name'].text}-{name}-0-",
        spec["template"]["spec"]["restartPolicy"].text == "OnFailure",
        DEFAULT_LIMIT if limit is None else limit,
        spec["activeDeadlineSeconds"].number,
        tuple(_pod_rules(spec["podFailurePolicy"]["rules"], _main(spec["template"]["spec"]))),
        frozenset(int(index) for index in indexes if index.isdigit()),
        tuple((other["name"].text or "", other["status"].text or "") for other in one["dependsOn"].items()),
    )


def _main(pod: View) -> str:
    """The name of the container that runs the command."""
    names = [one["name"].text or "" for one in pod["containers"].items()]
    return CONTAINER if CONTAINER in names or not names else names[0]


def _pod_rules(rules: View, main: str) -> Iterator[PodRule]:
    """The rules; one that looks at another container than ``main`` matches nothing, because that never fails here."""
    for rule in rules.items():
        exits = rule["onExitCodes"]
        statuses = frozenset(number for one in exits["values"].items() if (number := one.number) is not None)
        named = exits["containerName"].text
        if named not in (None, "", main):
            statuses, among = frozenset[int](), True
        else:
            among = exits["operator"].text != "NotIn"
        yield PodRule(rule["action"].text or "", not exits.present, among, statuses)


def _set_rules(policy: View) -> Iterator[SetRule]:
    for rule in policy["rules"].items():
        patterns = [_compiled(one.text or "") for one in rule["onJobFailureMessagePatterns"].items()]
        yield SetRule(
            rule["action"].text or "",
            _texts(rule["onJobFailureReasons"]),
            [pattern for pattern in patterns if pattern is not None] or ([_NEVER] if patterns else []),
            _texts(rule["targetReplicatedJobs"]),
        )


_NEVER: Final = re.compile(r"(?!)")


def _compiled(text: str) -> re.Pattern[str] | None:
    """A pattern; one that is none matches nothing, and nobody is told (seen)."""
    try:
        return re.compile(text)
    except re.error:
        return None


def _texts(node: View) -> frozenset[str]:
    return frozenset(text for one in node.items() if (text := one.text))
