"""Tolerations of taints (Kubernetes, "Taints and Tolerations"; core/v1 validation of pods)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, listing, offering
from tfdsl.semantics.conform import conform
from tfdsl.semantics.rules.names import label_value_problem, qualified_problem
from tfdsl.semantics.values import Entry, ListData, MapData
from tfdsl.vocabulary.attributes import TOLERATION_KEYS
from tfdsl.vocabulary.types import INT, STRING, Type, one_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved
    from tfdsl.text import Span

    Report = Callable[[Diagnostic], None]

_TYPES: dict[str, Type] = {
    "key": STRING,
    "operator": one_of("Exists", "Equal"),
    "value": STRING,
    "effect": one_of("NoSchedule", "PreferNoSchedule", "NoExecute"),
    "toleration_seconds": INT,
}


def check(job: resolved.Job, report: Report) -> None:
    """Every toleration of every role."""
    for role in job.roles:
        data = role.data("tolerations")
        for item in data.items if isinstance(data, ListData) else ():
            if isinstance(item.data, MapData):
                _toleration(item.data.entries, item.span, report)


def _toleration(entries: Mapping[str, Entry], span: Span, report: Report) -> None:
    found: dict[str, object] = {}
    for key, entry in entries.items():
        if key in _TYPES:
            found[key] = conform(entry.value, _TYPES[key], f"{key} of a toleration", report).data
        else:
            _unknown(key, entry.key_span, report)
    exists = found.get("operator") == "Exists"
    if "value" in found and exists:
        problem = 'a toleration with operator = "Exists" takes no value'
        report(value_rules.TOLERATION(entries["value"].value.span, problem=problem))
    if "key" not in found and not exists and len(found) == len(entries):
        problem = 'a toleration without a key needs operator = "Exists"'
        report(
            value_rules.TOLERATION(entries["operator"].value.span if "operator" in entries else span, problem=problem)
        )
    if "toleration_seconds" in found and found.get("effect", "NoExecute") in ("NoSchedule", "PreferNoSchedule"):
        problem = 'toleration_seconds goes with effect = "NoExecute"'
        report(value_rules.TOLERATION(entries["toleration_seconds"].value.span, problem=problem))
    text = found.get("value")
    bad = label_value_problem(text) if isinstance(text, str) and text else None
    if bad is not None:
        value = entries["value"].value
        report(value_rules.LABEL_SYNTAX(value.span, given=f'"{text}"', what="taint value", problem=bad))
    name = found.get("key")
    wrong = qualified_problem(name) if isinstance(name, str) else None
    if wrong is not None:
        value = entries["key"].value
        report(value_rules.LABEL_SYNTAX(value.span, given=f'"{name}"', what="taint key", problem=wrong))


def _unknown(key: str, span: Span, report: Report) -> None:
    found = name_rules.UNKNOWN_OPTION(span, where="a toleration", name=key)
    near = closest(key, TOLERATION_KEYS)
    if near is not None:
        report(offering(found, near, TOLERATION_KEYS))
    else:
        report(found.help(f"it has {listing(TOLERATION_KEYS)}"))
