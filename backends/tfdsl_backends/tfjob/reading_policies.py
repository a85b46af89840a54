"""What restarts and what ends a TFJob, as policies; the inverse of :mod:`tfdsl_backends.tfjob.policies`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.command_rules import NOT_KEPT
from tfdsl.draft import Block, Draft, Policy
from tfdsl_backends.tfjob.normal import counts_restarts
from tfdsl_backends.tfjob.policies import FIRST_SIGNAL

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View
    from tfdsl.reading import Asked

_NEVER: Final = "Never"
_FAIL: Final = (("failed", "fail job"),)
_IN_PLACE: Final = (("failed", "restart container"),)
_BY_STATUS: Final = ((f"exit 1..{FIRST_SIGNAL - 1}", "fail job"), ("failed", "restart pod"))
_WORDS: Final = {_NEVER: _FAIL, "OnFailure": _IN_PLACE, "ExitCode": _BY_STATUS}
"""Restart policy of a role → the policies that say so."""

_DEFAULT_RETRIES: Final = 3
"""What the language allows where a policy restarts anything."""


def restart_policy(role: View) -> str:
    """The restart policy that the operator gives a role, as far as there are words for it.

    Of ``Always``, which also restarts after success, they are those of ``OnFailure``.
    """
    written = role["restartPolicy"].text
    return "OnFailure" if written == "Always" else written if written in _WORDS else _NEVER


def read_policies(draft: Draft, job: View, roles: Mapping[str, View], asked: Asked) -> None:
    """The policies of ``job``, whose replicas are ``roles``."""
    _restarts(draft, roles)
    _limit(draft, job["spec"]["runPolicy"]["backoffLimit"], roles, asked)
    _completion(draft, job["spec"]["successPolicy"], roles, asked)


def _restarts(draft: Draft, roles: Mapping[str, View]) -> None:
    """In few lines: what most roles do is said in the job, what a role does otherwise in the role."""
    own = {name: restart_policy(role) for name, role in roles.items()}
    alike = len(set(own.values())) == 1
    general = next(iter(own.values())) if alike else min(_WORDS, key=lambda word: _cost(word, own))
    if general != _NEVER:
        first = next(name for name, word in own.items() if word == general)
        _say(draft.job, general, roles[first])
    for name, word in own.items():
        if word != general:
            _say(draft.role(name), word, roles[name])


def _cost(general: str, own: Mapping[str, str]) -> int:
    """How many lines it takes if ``general`` is said in the job."""
    in_the_job = 0 if general == _NEVER else len(_WORDS[general])
    return in_the_job + sum(len(_WORDS[word]) for word in own.values() if word != general)


def _say(block: Block, word: str, role: View) -> None:
    for event, action in _WORDS[word]:
        block.add(Policy(event, action, role["restartPolicy"].span))


def _limit(draft: Draft, limit: View, roles: Mapping[str, View], asked: Asked) -> None:
    """``backoffLimit``, the number of restarts in place that end the job."""
    number = limit.number
    if not any(restart_policy(role) == "OnFailure" for role in roles.values()):
        counted = any(role.node is not None and counts_restarts(role.node, number) for role in roles.values())
        if number is not None and number >= 0 and not counted:
            reason = "no role restarts its containers in place, and other restarts are not counted"
            asked.report(NOT_KEPT(limit.span, what=f"backoffLimit {number}", reason=reason))
        return
    if number is None:
        draft.options.set("limit_restarts", False)
    elif number <= 1:  # with one retry fewer nothing could restart
        draft.job.add(Policy("restarted 1", "fail job", limit.span))
    elif number != _DEFAULT_RETRIES + 1:
        draft.job.set("retries", number - 1, limit.span)


def _completion(draft: Draft, policy: View, roles: Mapping[str, View], asked: Asked) -> None:
    """Which replicas complete the job: its chief (master), else worker 0 or all workers.

    That it is worker 0 is a rule of this operator, so it is said to it alone: other targets have no such rule.
    """
    written = policy.text or ""
    workers = roles["worker"]["replicas"].number if "worker" in roles else 0
    reason = ""
    if "chief" in roles or "master" in roles:
        reason = "the chief (master) completes the job"
    elif written not in ("", "AllWorkers"):
        reason = "the operator knows AllWorkers only, and completes the job with worker 0"
    if written and reason:
        asked.report(NOT_KEPT(policy.span, what=f"successPolicy {written}", reason=reason))
    if written != "AllWorkers" and not {"chief", "master"} & set(roles) and workers not in (None, 0, 1):
        draft.options.add(Policy("worker[0] completed", "complete job", policy.span))
