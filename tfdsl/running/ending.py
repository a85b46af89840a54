"""The last words of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics.render.columns import visible
from tfdsl.running.output import shown

if TYPE_CHECKING:
    from tfdsl.running.local_job import Result


def last_words(results: Sequence[Result], left_out: int) -> str:
    """How the jobs have ended, those that have not completed last, each with its cause as the last line.

    ``left_out``: jobs that were not started, because the run was ended.
    """
    done = [one for one in results if one.succeeded]
    wrong = [one for one in results if not one.succeeded]
    lines = [f"job {one.job} has completed in {length(one.seconds)}" for one in done]
    if left_out:
        lines.append(f"{left_out} {'job was' if left_out == 1 else 'jobs were'} not started")
    for one in wrong:
        lines += _of_failure(one)
    return "".join(f"{line}\n" for line in lines)


def _of_failure(result: Result) -> Iterator[str]:
    if result.last:
        yield f"the last lines of {result.task}:"
        yield from (f"  {shown(line)}" for line in result.last)
    word = "was aborted" if result.outcome == "aborted" else "has failed"
    yield visible(f"job {result.job} {word} after {length(result.seconds)}: {result.cause}")


def length(seconds: float) -> str:
    """``850 ms``, ``12 s``, ``3 min 5 s``, ``2 h 10 min``."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
