"""Running a thousand inputs at a time, and counting what came of them."""

from __future__ import annotations

import resource
import signal
import time
import traceback
from collections import Counter
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.fuzz.case import Finding
from tests.fuzz.registry import KINDS, case, order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import FrameType

FINDINGS = Path("fuzz-findings")
STUCK = 60.0
"""Processor seconds, or four times as many on the clock, after which an input is given up."""


LARGEST = 2 << 30
"""Bytes of memory that a process may have: no input may need more."""


class Part(NamedTuple):
    """The inputs of one turn, a thousand for all kinds; the same for the same seed, however many processes run."""

    seed: int | str
    turn: int
    kinds: tuple[str, ...] = tuple(KINDS)


class Tally(NamedTuple):
    """What came of it. ``spent``: processor seconds by kind. ``told``: how each finding was seen first."""

    counts: Counter[str]
    spent: Counter[str]
    findings: Counter[str]
    told: Mapping[str, str]

    def plus(self, other: Tally) -> Tally:
        """Both together."""
        spent = Counter[str](self.spent)
        spent.update(other.spent)
        told = {**other.told, **self.told}
        return Tally(self.counts + other.counts, spent, self.findings + other.findings, told)


NOTHING = Tally(Counter(), Counter(), Counter(), {})


class Stuck(Exception):  # noqa: N818  (it is a finding, not an error of the program)
    """An input waits, or works, without an end."""


def bound_memory() -> None:
    """Let this process fail where it would use all the memory of the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (LARGEST, LARGEST))


def run(part: Part) -> Tally:
    """Run the inputs of one turn, mixed."""
    tally = Tally(Counter(), Counter(), Counter(), told := {})
    for kind in order():
        if kind not in part.kinds:
            continue
        number = part.turn * KINDS[kind].share + tally.counts[kind]
        begin = time.process_time()
        found = _one(kind, part.seed, number)
        tally.spent[kind] += time.process_time() - begin  # type: ignore[assignment]  # seconds are no whole numbers
        tally.counts[kind] += 1
        if found is not None:
            name, text = found
            tally.findings[name] += 1
            told.setdefault(name, text)
    return tally


def _one(kind: str, seed: int | str, number: int) -> tuple[str, str] | None:
    """Run one input; gives the name of what is wrong with it, and more about it."""
    made = case(kind, seed, number)
    try:
        with _bounded():
            made.prove()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # everything is a finding, an exit too
        return f"{kind}: {_name(error)}", f"{_keep(made.texts)} (--one {kind} {seed} {number}): {str(error)[:1000]}"
    return None


@contextmanager
def _bounded() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise Stuck(f"after {STUCK:.0f} s")

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, STUCK), (signal.SIGALRM, signal.ITIMER_REAL, 4 * STUCK))
    for number, timer, seconds in timers:
        signal.signal(number, stop)
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for _, timer, _ in timers:
            signal.setitimer(timer, 0)


def _name(error: BaseException) -> str:
    """The same for the same defect, mostly."""
    if isinstance(error, Finding):
        return "".join("N" if char.isdigit() else char for char in str(error).partition(":")[0])[:60]
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"


def _keep(texts: Mapping[str, bytes]) -> Path:
    """Write the texts into the folder; gives the first one's path."""
    FINDINGS.mkdir(exist_ok=True)
    stem = sha256(b"\0".join(texts.values())).hexdigest()[:12]
    for end, data in texts.items():
        (FINDINGS / f"{stem}{end}").write_bytes(data)
    return FINDINGS / f"{stem}{next(iter(texts))}"
