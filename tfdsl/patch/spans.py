"""Where in a patch stands what it puts at a place of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.patch.path import Index, Key, Path, Problem
from tfdsl.patch.rules import Steps, value_at
from tfdsl.semantics.values import ListData, MapData, Value
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.emit.located import Plain
    from tfdsl.semantics import resolved


def span_in_path(patch: resolved.Patch, offset: int, end: int) -> Span:
    """The characters ``offset`` to ``end`` of the path; all of it when escapes stand in it."""
    span = patch.path_span
    if span.text[1:-1] != patch.path.text:
        return span
    return Span(span.source, span.start + 1 + offset, span.start + 1 + max(end, offset + 1))


def problem_span(patch: resolved.Patch, problem: Problem) -> Span:
    """Where ``problem`` is."""
    return span_in_path(patch, problem.offset, problem.end)


def concrete(data: Plain | None, path: Path, prefix: Steps = ()) -> Steps:
    """``path``, which leads through ``data`` from ``prefix`` on, as keys and positions."""
    at = prefix
    for step in path.steps:
        if isinstance(step, Key):
            at = (*at, step.name)
        elif isinstance(step, Index):
            at = (*at, step.number)
        else:
            items = value_at(data, at)
            texts = (
                [_text(item.get(step.key)) if isinstance(item, dict) else None for item in items or ()]
                if (isinstance(items, list))
                else []
            )
            at = (*at, texts.index(step.value) if step.value in texts else 0)
    return at


def _text(value: Plain | None) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def span_of(patch: resolved.Patch, changed: Steps, before: Plain | None, at: Steps, *, key: bool = False) -> Span:
    """The part of ``patch``, which changed the place ``changed``, that decides what is at ``at``.

    A step of the path when ``at`` is above ``changed``; when it is below, what is put there, or with ``key`` its key;
    all that is put when it is elsewhere.
    """
    prefix = len(changed) - len(patch.path.steps)
    common = len(changed) if at[: len(changed)] == changed else prefix + shared(changed[prefix:], at[prefix:])
    if patch.value is not None and common < len(changed) and len(at) > common:
        return patch.value.span
    if common < len(changed) or patch.value is None or (key and at == changed):
        decisive = len(patch.path.steps) if patch.value is None else max(common - prefix, 1)
        step = patch.path.steps[decisive - 1]
        return span_in_path(patch, step.offset, step.end)
    old = value_at(before, changed)
    below = at[len(changed) :]
    if not below:
        return patch.value.span
    if patch.op == "merge" and isinstance(below[0], int):
        number = below[0] - (len(old) if isinstance(old, list) else 0)
        one = number < 0 or not isinstance(patch.value.data, ListData)
        below = below[1:] if one else (number, *below[1:])
    return _in_value(patch.value, below, key=key)


def shared(left: Steps, right: Steps) -> int:
    """How many steps two places have in common."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _in_value(value: Value, steps: Steps, *, key: bool) -> Span:
    """What is at ``steps`` in ``value``, as far as that goes; with ``key`` the key of the last step."""
    span = value.span
    for number, step in enumerate(steps, 1):
        data = value.data
        if isinstance(data, MapData) and step in data.entries:
            entry = data.entries[str(step)]
            value = entry.value
            span = entry.key_span if key and number == len(steps) else value.span
        elif isinstance(data, ListData) and isinstance(step, int) and step < len(data.items):
            value = data.items[step]
            span = value.span
        else:
            break
    return span
