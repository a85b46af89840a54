"""Exit statuses and restarts of a Job as statements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.draft import Policy

if TYPE_CHECKING:
    from tfdsl.text import Span

LARGEST_RETRIES: Final = 2**31 - 2
STATUSES: Final = range(1, 256)
"""With which a container fails."""

_RUN: Final = 3
"""So many statuses in a row are written as a range."""


def on_exit(statuses: Collection[int], action: str, span: Span, of: str = "") -> Iterator[Policy]:
    """Policies for ``statuses``: each long row of numbers is a range, the others are one list.

    ``of``: which replica they are about, with a space after it.
    """
    single: list[int] = []
    for run in _runs(sorted(statuses)):
        if len(run) >= _RUN:
            yield Policy(f"{of}exit {run[0]}..{run[-1]}", action, span)
        else:
            single += run
    if single:
        event = f"exit {single[0]}" if len(single) == 1 else f"exit [{', '.join(map(str, single))}]"
        yield Policy(of + event, action, span)


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs
