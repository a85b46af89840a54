"""Policies that need each other, and retries (language reference, "Statements": on)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved

    Report = Callable[[Diagnostic], None]


def check(job: resolved.Job, report: Report) -> None:
    """``restarted`` stands beside ``restart container``; restarting needs retries."""
    for policy in job.policies:
        if policy.event == "restarted" and not _restarts_container(job, policy):
            subject = "the job" if policy.role is None else f"role {policy.role}"
            found = value_rules.RESTARTED_ALONE(policy.event_span, subject=subject)
            report(found.help("add on failed => restart container"))
    retries = job.settings.get("retries")
    if retries is None or retries.value.data != 0 or isinstance(retries.value.data, bool):
        return
    restart = next((policy for policy in job.policies if policy.action.startswith("restart")), None)
    if restart is not None:
        found = value_rules.RETRIES_ZERO(retries.value.span, action=restart.action)
        report(found.note(restart.action_span, "restarts here").help("leave retries out for 3, or give a number"))


def _restarts_container(job: resolved.Job, restarted: resolved.Policy) -> bool:
    return any(
        policy.action == "restart container" and (policy.role is None or restarted.role in (None, policy.role))
        for policy in job.policies
    )
