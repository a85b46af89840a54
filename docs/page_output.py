"""What a page shows of an output: all of it, some lines of it, or the same but for what differs from run to run."""

from __future__ import annotations

import re
from collections import Counter

REST = "…\n"
"""A line that stands for lines left out."""

_UNSETTLED = (
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"\b(in|after) (?:\d+ (?:h|min) )?[\d.]+ (?:ms|s|min)\b"), r"\1 TIME"),
    # What a training comes to.
    (re.compile(r"\b(loss|accuracy) \d+\.\d+"), r"\1 NUMBER"),
    # How far it had come when something happened to it.
    (re.compile(r"\b(after step) \d+\b"), r"\1 N"),
    # What kubectl says from 1.34 on, the ages in its tables, and the blanks between columns of such widths.
    (re.compile(r" deleted from \S+ namespace$", re.M), " deleted"),
    (re.compile(r"\b\d+s\b"), "TIME"),
    (re.compile(r"(?<=\S) {2,}(?=\S)"), "  "),
    # Whether there are control groups for whoever runs it.
    (re.compile(r"^.*\[TFJ4859\].*\n", re.M), ""),
)


def shown(before: str, printed: str, *, unsettled: bool = False) -> str:
    """What the page shows from now on of what was ``printed``: what it showed ``before``, if that is still true.

    ``unsettled``: of something that runs in several processes, whose times, ports and order of lines differ.
    """
    if before == printed or (unsettled and _same_lines(before, printed)):
        return before
    if REST in before[: -len(REST)]:
        return before if not unsettled and _leaves_out(before, printed) else printed
    if before.endswith(REST) and not unsettled:
        lines = printed.splitlines(keepends=True)
        return "".join(lines[: before.count("\n") - 1]) + REST
    return printed


def _same_lines(before: str, printed: str) -> bool:
    """Whether the settled lines are the same in any order; where lines are left out, whether all others are there."""
    shows, has = (Counter(_settled(text).splitlines(keepends=True)) for text in (before, printed))
    return shows == has if REST not in shows else not Counter({**shows, REST: 0}) - has


def _settled(text: str) -> str:
    for pattern, instead in _UNSETTLED:
        text = pattern.sub(instead, text)
    return text


def _leaves_out(before: str, printed: str) -> bool:
    """Whether ``before`` is ``printed`` with at least one line left out at each mark."""
    parts = ("\n" + before).split("\n" + REST[:-1])
    pattern = r"(?:\n[^\n]*)+".join(map(re.escape, parts))
    return re.fullmatch(pattern, "\n" + printed) is not None
