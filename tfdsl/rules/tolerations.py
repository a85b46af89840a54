"""Tolerations of taints (Kubernetes, "Taints and Tolerations"; core/v1 validation of pods)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tfdsl.diagnostics import value_rules
from tfdsl.rules.broken import Broken
from tfdsl.rules.names import taint


def toleration(entries: Mapping[str, object]) -> Iterator[Broken]:
    """What goes together in a toleration. ``entries``: those that are written."""
    exists = entries.get("operator") == "Exists"
    if "value" in entries and exists:
        yield _broken("value", problem='a toleration with operator = "Exists" cannot have a value')
    if "key" not in entries and not exists:
        place = ("operator",) if "operator" in entries else ()
        yield _broken(*place, problem='a toleration without a key needs operator = "Exists"')
    if "toleration_seconds" in entries and entries.get("effect", "NoExecute") in ("NoSchedule", "PreferNoSchedule"):
        yield _broken("toleration_seconds", problem='toleration_seconds needs effect = "NoExecute"')
    yield from taint(entries.get("key"), entries.get("value"))


def _broken(*place: str, problem: str) -> Broken:
    return Broken(value_rules.TOLERATION, place, {"problem": problem})
