"""Restarts of containers in the pods that run: what controllers add up and compare with ``backoffLimit``.

A new pod has not restarted yet, and what has ended is not counted any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.lifecycle.behaviour import Decision, State, Task


def note_restart(decision: Decision, task: Task, state: State) -> None:
    """Count a restart of ``task`` in its pod, or begin anew with a new pod."""
    if decision.action == "restart container":
        state.count(_counter(task))
    else:
        state.counts.pop(_counter(task), None)


def restarts_in_pods(tasks: Iterable[Task], state: State) -> int:
    """How often the containers of those of ``tasks`` that run were restarted in their pods."""
    return sum(state.counts.get(_counter(task), 0) for task in tasks if state.replicas[task].alive)


def _counter(task: Task) -> str:
    return f"restarts in its pod of {task}"
