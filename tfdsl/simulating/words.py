"""A prediction in a few words: how the job ends, what starts again, and what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfdsl.lifecycle.events import Task
    from tfdsl.lifecycle.scenario import Left, Prediction

_MOST: Final = 4
"""The most groups of replicas that a cell names."""


def ending(prediction: Prediction) -> str:
    """``succeeded``."""
    return prediction.outcome or "does not end"


def total_restarts(prediction: Prediction) -> int:
    """How many times a replica started again."""
    return sum(max(one.starts - 1, 0) + one.restarts for one in prediction.replicas)


def restarts(prediction: Prediction) -> str:
    """``worker[0..3] replaced, ps[0] twice in place``."""
    return _grouped((one.task, _again(one)) for one in prediction.replicas)


def left(prediction: Prediction) -> str:
    """``worker[0..3] succeeded, ps[0] running``."""
    phases = prediction.left()
    return _grouped((one.task, phases.get(str(one.task), "")) for one in prediction.replicas)


def _again(one: Left) -> str:
    ways = ((max(one.starts - 1, 0), "replaced"), (one.restarts, "restarted in place"))
    return " and ".join(f"{way}{_times(number)}" for number, way in ways if number)


def _times(number: int) -> str:
    return "" if number == 1 else f" {number}x"


def _grouped(said: Iterable[tuple[Task, str]]) -> str:
    """Each word with the replicas that it is said of, those that follow each other as a range."""
    found: list[str] = []
    for (_, word), group in groupby(said, key=lambda pair: (pair[0].role, pair[1])):
        if word:
            found.append(f"{_range([task for task, _ in group])} {word}")
    if len(found) > _MOST:
        found[_MOST - 1 :] = [f"and {len(found) - _MOST + 1} more groups"]
    return ", ".join(found) or "-"


def _range(tasks: Sequence[Task]) -> str:
    first, last = tasks[0], tasks[-1]
    return str(first) if len(tasks) == 1 else f"{first.role}[{first.index}..{last.index}]"


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Aligned columns; the last one is as long as it is."""
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows), strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join((*cells, row[-1])).rstrip()
