"""How the Job of a role restarts its pods, as policies; the inverse of :mod:`tfdsl_backends.kubernetes.policies`.

A podFailurePolicy of another form than those that the compiler writes says nothing here: it becomes a patch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.draft import Policy
from tfdsl.record import Record
from tfdsl_backends.podspec.job_controller import DEFAULT_LIMIT
from tfdsl_backends.podspec.reading.values import LARGEST_RETRIES, STATUSES, on_exit

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View
    from tfdsl.text import Span


class Restarts(Record):
    """How one role restarts. ``retries``: what the limit allows, ``None`` where nothing counts towards it."""

    policies: tuple[Policy, ...]
    retries: int | None = None
    span: Span | None = None


class _Rule(Record):
    """A rule of a podFailurePolicy. ``operator``: ``In`` or ``NotIn``; empty for an eviction."""

    action: str
    operator: str
    statuses: frozenset[int]
    span: Span


def restarts(spec: View) -> Restarts:
    """What the ``spec`` of a Job says of failures."""
    in_place = spec["template"]["spec"]["restartPolicy"].text != "Never"
    limit, span = _limit(spec)
    if in_place:
        place = spec["template"]["spec"]["restartPolicy"].span
        return Restarts((Policy("failed", "restart container", place),), limit - 1, span) if limit > 1 else Restarts(())
    rules = _rules(spec["podFailurePolicy"]["rules"])
    policies = tuple(_policies(rules or [], limit, span))
    counts = any(policy.action == "restart pod" and policy.event != "evicted" for policy in policies)
    return Restarts(policies, min(limit, LARGEST_RETRIES) if counts else None, span)


def _limit(spec: View) -> tuple[int, Span]:
    """The limit of restarts, of each replica where it has its own."""
    for name in ("backoffLimitPerIndex", "backoffLimit"):
        number = spec[name].number
        if number is not None and number >= 0:
            return number, spec[name].span
    return DEFAULT_LIMIT, spec.span


def _policies(rules: Sequence[_Rule], limit: int, span: Span) -> Iterator[Policy]:
    evicted = bool(rules) and not rules[0].operator
    exits = rules[1:] if evicted else rules
    if evicted and rules[0].action == "Ignore":
        yield Policy("evicted", "restart pod", rules[0].span)
    elif evicted and rules[0].action == "FailJob" and limit:
        yield Policy("evicted", "fail job", rules[0].span)
    if not limit:
        return
    restarted = _restarted(exits)
    if restarted is not None:
        yield from on_exit(restarted, "restart pod", exits[0].span)
        return
    yield Policy("failed", "restart pod", span)
    if exits and all(rule.action == "FailJob" and rule.operator == "In" for rule in exits):
        statuses = frozenset(status for rule in exits for status in rule.statuses)
        yield from on_exit(statuses, "fail job", exits[0].span)


def _restarted(exits: Sequence[_Rule]) -> frozenset[int] | None:
    """The statuses that alone restart a replica: all others fail the Job."""
    others = [rule for rule in exits if rule.operator == "NotIn"]
    if not others or any(rule.action != "FailJob" or rule.statuses != others[0].statuses for rule in others):
        return None
    statuses = others[0].statuses
    for rule in exits:
        counted = rule.action == "Count" and rule.operator == "In" and rule.statuses == statuses
        lost = rule.action == "FailJob" and not rule.operator
        if not (counted or lost or rule in others):
            return None
    return statuses


def _rules(place: View) -> list[_Rule] | None:
    """The rules in order; ``None`` where one is of a sort that the compiler does not write."""
    rules: list[_Rule] = []
    for item in place.items():
        rule = _rule(item)
        if rule is None:
            return None
        rules.append(rule)
    return rules


def _rule(item: View) -> _Rule | None:
    action, exits = item["action"].text, item["onExitCodes"]
    if action not in ("FailJob", "Ignore", "Count"):
        return None
    if exits.present:
        operator = exits["operator"].text
        statuses = frozenset(value.number for value in exits["values"].items() if value.number is not None)
        known = statuses - {0} if operator == "NotIn" else statuses
        usual = operator in ("In", "NotIn") and bool(known) and all(status in STATUSES for status in known)
        return _Rule(action, operator or "", known, item.span) if usual else None
    conditions = list(item["onPodConditions"].items())
    lost = len(conditions) == 1 and conditions[0]["type"].text == "DisruptionTarget"
    if not lost or conditions[0]["status"].text not in (None, "True"):
        return None
    return _Rule(action, "", frozenset(), item.span)


def completions(spec: View) -> list[tuple[int, Span]]:
    """The replicas that each end the role when they succeed, if the successPolicy says no more than that."""
    found: list[tuple[int, Span]] = []
    for rule in spec["successPolicy"]["rules"].items():
        text = rule["succeededIndexes"].text
        if text is None or not text.isdecimal() or len(text) > 6 or rule["succeededCount"].present:
            return []
        found.append((int(text), rule.span))
    return found
