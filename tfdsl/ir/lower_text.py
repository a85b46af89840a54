"""Texts of the semantics to texts of the IR."""

from __future__ import annotations

from tfdsl.ir import model
from tfdsl.semantics.values import Data, ListData, MapData, RunTime, RunTimeText, show

SUBMITTER_VARIABLE = "USER"
"""Where a task finds ``job.user``: YARN sets it to the submitter, Slider's scripts do."""


def text(data: Data) -> model.Text:
    """A literal text, or one with run-time parts; numbers and bools as they print."""
    if isinstance(data, RunTimeText):
        return model.RunTimeText(parts=tuple(_part(part) for part in data.parts))
    return show(data) or ""


def _part(part: str | RunTime) -> str | model.TaskIndex | model.EnvVar:
    if isinstance(part, str):
        return part
    if part.kind == "task.index":
        return model.TaskIndex()
    return model.EnvVar(name=part.name if part.kind == "env" else SUBMITTER_VARIABLE)


def texts(data: Data | None) -> tuple[model.Text, ...]:
    """A list of texts."""
    return tuple(text(item.data) for item in data.items) if isinstance(data, ListData) else ()


def plain_map(data: MapData) -> dict[str, str]:
    """A map of literal texts."""
    return {key: show(entry.value.data) or "" for key, entry in data.entries.items()}
