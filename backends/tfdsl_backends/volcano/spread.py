"""Pods of a job that are kept on different nodes: by the labels that the controller gives them.

In a job with one task, the pods of the job are the pods of the task. Which of the two a selector names, and whether as
a label or as an expression of one value, is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.manifest.edits import changed, child, each, items, scalar, with_value
from tfdsl.manifest.nodes import Mapping, Node, Scalar, mapping

if TYPE_CHECKING:
    from tfdsl.text import Span

JOB: Final = "volcano.sh/job-name"
TASK: Final = "volcano.sh/task-spec"
_PLACE: Final = ("template", "spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def labels(job: str, task: str) -> dict[str, str]:
    """The labels of the pods of a task, and of no others."""
    return {JOB: job, TASK: task}


def by_task(job: Node) -> Node:
    """``job`` with selectors that mean its own pods, of its one task, as labels of that task."""
    tasks = items(child(job, "spec", "tasks"))
    name, task = scalar(child(job, "metadata", "name")), scalar(child(tasks[0], "name")) if len(tasks) == 1 else None
    if not isinstance(name, str) or not isinstance(task, str):
        return job
    wanted = labels(name, task)

    def term(node: Node) -> Node:
        selector = child(node, "labelSelector")
        if not isinstance(node, Mapping) or selector is None or not _means(selector, wanted):
            return node
        if any(node.get(key) is not None for key in ("namespaces", "namespaceSelector")):
            return node
        return with_value(node, "labelSelector", _selector(wanted, selector.span))

    def in_task(node: Node) -> Node:
        return changed(node, _PLACE, lambda terms: each(terms, term))

    return changed(job, ("spec", "tasks"), lambda listed: each(listed, in_task))


def _means(selector: Node, wanted: dict[str, str]) -> bool:
    """Whether ``selector`` names the job, and if a task, the one that it has."""
    found: dict[str, object] = {}
    named = child(selector, "matchLabels")
    if isinstance(named, Mapping):
        found.update({key: scalar(entry.value) for key, entry in named.entries.items()})
    for one in items(child(selector, "matchExpressions")):
        key, values = scalar(child(one, "key")), [scalar(value) for value in items(child(one, "values"))]
        if scalar(child(one, "operator")) != "In" or len(values) != 1 or not isinstance(key, str) or key in found:
            return False
        found[key] = values[0]
    return found.get(JOB) == wanted[JOB] and all(wanted.get(key) == value for key, value in found.items())


def _selector(wanted: dict[str, str], span: Span) -> Node:
    entries: dict[str, Node] = {key: Scalar(value, span) for key, value in wanted.items()}
    return mapping({"matchLabels": mapping(entries, span)}, span)
