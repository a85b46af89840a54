"""Labels of every Kubernetes object of a job: its ``common_labels``, and those of ``[labels]`` in a project's settings.

They are the lowest layers. A label that an object or a pod has already stays, so selectors find what they did. Over
those of a project go the common ones of the job, and its own: a job of another team says so once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_SETTINGS
from tfdsl.emit.located import Data, Located, entry, placed_like, unwrap
from tfdsl.record import replace
from tfdsl.text import Argument

if TYPE_CHECKING:
    from tfdsl.backend import Backend, Document, Unit
    from tfdsl.backend.flow import FlowUnit
    from tfdsl.ir.fields import Origins


Labels: TypeAlias = Mapping[str, Data]

PATH: Final = "project_labels"
"""The path of the labels in the origins of a job; no part of a job has it."""
_TEMPLATES: Final = ("template", "volumeClaimTemplate")
"""The keys of objects that a controller makes of a template."""


def refused(backend: Backend, labels: Mapping[str, Argument]) -> list[Diagnostic]:
    """The labels that the target writes itself: such a value would be lost, or the object refused."""
    return [
        BAD_SETTINGS(one.span, problem=f"{backend.name} sets the label {key} itself").help("remove it")
        for key, one in labels.items()
        if backend.writes_label(key)
    ]


def labelled(unit: Unit, documents: Sequence[Document], labels: Mapping[str, Argument]) -> list[Document]:
    """``documents`` with ``labels`` and those of the job, on every object and on what is made of templates in it."""
    values = _values(unit.job.labels, unit.job.common_labels, unit.origins, labels)
    return [
        replace(document, data=_labelled(document.data, values)) if _is_object(document) else document
        for document in documents
    ]


def of_flow(unit: FlowUnit, labels: Mapping[str, Argument]) -> Labels:
    """The labels of what a flow has beside its jobs."""
    return _values({}, unit.flow.common_labels, unit.origins, labels)


def _values(
    own: Mapping[str, str], common: Mapping[str, str], origins: Origins, labels: Mapping[str, Argument]
) -> Labels:
    """The value of each label, with its place."""
    values: dict[str, Data] = {key: Located(text, entry("common_labels", key)) for key, text in common.items()}
    for key, one in labels.items():
        if key in common:
            continue
        path = entry("labels" if key in own else PATH, key)
        if key not in own:
            origins.record(path, one.span)
        values[key] = Located(own.get(key, one.text), path)
    return values


def _is_object(document: Document) -> bool:
    data = unwrap(document.data)
    return isinstance(data, Mapping) and "kind" in data and "metadata" in data


def _labelled(data: Data, labels: Labels) -> Data:
    """An object, or the template of one, with ``labels``."""
    if isinstance(data, Located):
        return Located(_labelled(data.value, labels), data.path)
    if not isinstance(data, Mapping):
        return data
    inside = {key: value if key == "metadata" else _templates(value, labels, key) for key, value in data.items()}
    if "metadata" not in inside:
        return {"metadata": {"labels": labels}, **inside}
    return {**inside, "metadata": _metadata(inside["metadata"], labels)}


def _templates(data: Data, labels: Labels, name: str = "") -> Data:
    """``data``, which is at the key ``name``, with ``labels`` in the templates of objects in it."""
    value = unwrap(data)
    if isinstance(value, Mapping):
        if name in _TEMPLATES and "spec" in value:
            return _labelled(data, labels)
        changed: Data = {key: _templates(one, labels, key) for key, one in value.items()}
    elif isinstance(value, Sequence) and not isinstance(value, str):
        changed = [_templates(one, labels) for one in value]
    else:
        return data
    return placed_like(data, changed)


def _metadata(data: Data, labels: Labels) -> Data:
    """``metadata`` with ``labels`` below those that it has."""
    value = unwrap(data)
    fields: Mapping[str, Data] = value if isinstance(value, Mapping) else {}
    written = unwrap(fields.get("labels"))
    has = {key: one for key, one in written.items() if unwrap(one) is not None} if isinstance(written, Mapping) else {}
    new = placed_like(fields.get("labels"), {**has, **{key: one for key, one in labels.items() if key not in has}})
    if "labels" in fields:
        return placed_like(data, {**fields, "labels": new})
    before = {key: one for key, one in fields.items() if key in ("name", "generateName", "namespace")}
    return placed_like(
        data, {**before, "labels": new, **{key: one for key, one in fields.items() if key not in before}}
    )
