"""What a JobSet and its Jobs say of failures and ends, read from the manifest as their controllers read it.

Source: `pkg/controllers/{failure_policy,success_policy}.go` of JobSet 0.12. What a Job's own controller does is in
:mod:`tfdsl_backends.podspec.job_controller`; its messages are those that were seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.record import Record
from tfdsl_backends.podspec.job_controller import ControlledJob, PodRule, controlled
from tfdsl_backends.podspec.plan import CONTAINER

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View

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

    ``host``: what the names of its pods begin with. ``waits_for``: other Jobs, and the state in which they must be.
    """

    name: str
    host: str
    controlled: ControlledJob
    waits_for: Sequence[tuple[str, str]]

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
    return Job(
        name,
        f"{root['metadata']['name'].text}-{name}-0-",
        controlled(one["template"]["spec"]),
        tuple((other["name"].text or "", other["status"].text or "") for other in one["dependsOn"].items()),
    )


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
