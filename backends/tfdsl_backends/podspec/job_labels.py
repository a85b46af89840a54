"""Labels that a Job has of its own: the server writes them on its pods, and refuses other values.

Source: `generateSelector` in pkg/registry/batch/job/strategy.go, and `ValidateGeneratedSelector`. The index of a pod,
another label below the same prefix, is written over by the controller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.emit.located import child, entry

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role
    from tfdsl.text import Span

JOB_LABELS: Final = ("batch.kubernetes.io/", "job-name", "controller-uid")
"""What they begin with, or whole ones."""


def job_label_rule(target: str, prefix: str) -> Rule:
    """The rule of ``target`` about them."""
    message = "Kubernetes writes the label {name} on each pod of a Job itself, so it cannot have another value"
    return Rule(f"{prefix}037", f"{target}-job-label", "error", message)


def check_job_labels(unit: Unit, rule: Rule, roles: Iterable[Role]) -> Iterator[Diagnostic]:
    """An error for each such label, once for all of ``roles`` that have it from one template."""
    reported: set[Span] = set()
    for role in roles:
        for name in role.labels:
            span = unit.origins.span(entry(child(role.path, "labels"), name))
            if name.startswith(JOB_LABELS[0]) or name in JOB_LABELS[1:]:
                if span not in reported:
                    yield rule(span, name=name).help("choose another name for the label")
                reported.add(span)
