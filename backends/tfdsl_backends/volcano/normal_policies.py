"""Policies of Volcano's jobs as its controller reads them.

The first policy of a list that matches decides. A policy on events matches by event alone, one on an exit status only
when a pod fails; the webhook allows each event and status once. So policies on events may change places, those on a
status too, and a status counts only before ``PodFailed`` or ``*``. Source: ``applyPolicies`` in
pkg/controllers/job/job_controller_util.go of Volcano 1.15.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from tfdsl.manifest.edits import items, scalar, text, with_value, without
from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.text import Span

NEVER: Final = ("JobUpdated",)
"""Events that no code emits."""

HIDES_STATUSES: Final = ("PodFailed", "*")
_DURATION: Final = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_UNITS: Final = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9}
_UNITS["h"] = 3600 * 10**9
_WRITTEN: Final = ("h", "m", "s", "ms", "us", "ns")
_LONGEST: Final = 60


class _Policy(Record):
    """A policy on one event or one status."""

    node: Mapping
    event: str
    status: int | None
    span: Span


def in_their_order(policies: Sequence) -> Sequence:
    """The policies that can fire, each on one event or status, in one order; as they are, if one is malformed."""
    found: list[_Policy] = []
    for item in policies.items:
        parts = _parts(item)
        if parts is None:
            return policies
        found += parts
    firing: list[_Policy] = []
    statuses_count = True
    for policy in found:
        if policy.event in NEVER or (policy.event == "PodPending" and policy.node.get("timeout") is None):
            continue
        if policy.status is None or statuses_count:
            firing.append(policy)
        statuses_count = statuses_count and policy.event not in HIDES_STATUSES
    firing.sort(key=lambda policy: (policy.status is None, policy.status or 0, policy.event == "*", policy.event))
    return Sequence(tuple(_written(policy) for policy in firing), policies.span)


def _parts(node: Node) -> list[_Policy] | None:
    """One policy for each event of ``node``, or for its status."""
    if not isinstance(node, Mapping):
        return None
    events: dict[str, Span] = {}
    for item in (node.get("event"), *items(node.get("events"))):
        if isinstance(item, Scalar) and isinstance(item.value, str) and item.value:
            events.setdefault(item.value, item.span)
        elif item is not None:
            return None
    status = node.get("exitCode")
    code = scalar(status)
    if status is None:
        return [_Policy(node, event, None, span) for event, span in events.items()] or None
    if events or not isinstance(code, int) or isinstance(code, bool):
        return None
    return [_Policy(node, "", code, status.span)]


def _written(policy: _Policy) -> Mapping:
    node = policy.node
    if policy.status is None:
        node = without(with_value(node, "event", text(policy.event, policy.span)), ("events",))
    timeout = node.get("timeout")
    duration = scalar(timeout)
    if timeout is None or not isinstance(duration, str) or (shown := canonical_duration(duration)) is None:
        return node
    return with_value(node, "timeout", text(shown, timeout.span))


def duration_of(value: object) -> str | None:
    """The duration that a timeout is, if it is one."""
    return canonical_duration(value) if isinstance(value, str) else None


def canonical_duration(written: str) -> str | None:
    """Go's duration ``written`` in the largest unit that is whole; ``None`` where it is none."""
    parts = [*_DURATION.finditer(written)] if len(written) <= _LONGEST else []
    if not parts or "".join(part[0] for part in parts) != written:
        return None
    numbers = [Fraction("0" + part[1] if part[1].startswith(".") else part[1].rstrip(".")) for part in parts]
    total = sum(number * _UNITS[part[2]] for number, part in zip(numbers, parts, strict=True))
    unit = next((unit for unit in _WRITTEN if total and total % _UNITS[unit] == 0), "s" if not total else "")
    return f"{int(total) // _UNITS[unit]}{unit}" if unit else None
