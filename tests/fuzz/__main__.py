"""``python -m tests.fuzz``: random inputs of all kinds; what fails is kept in ``fuzz-findings``.

``--seconds`` or ``--inputs`` say when it ends; Ctrl-C ends it sooner. The figures so far stand in
``fuzz-findings/figures``. ``--one KIND SEED NUMBER`` makes one input again, as a finding names it, and shows where it
fails.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count

from tests.fuzz.registry import KINDS, case
from tests.fuzz.running import FINDINGS, NOTHING, Part, Tally, bound_memory, run


def main() -> int:
    """Run; gives 1 when anything was found."""
    asked = _arguments()
    if asked.one:
        kind, seed, number = asked.one
        case(kind, seed, int(number)).prove()
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _Run(asked).all()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=math.inf, help="how long")
    parser.add_argument("--inputs", type=float, default=math.inf, help="how many, in whole turns of a thousand")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--first", type=int, default=0, metavar="TURN", help="the turn to begin with, to go on")
    parser.add_argument("--kinds", nargs="+", choices=tuple(KINDS), default=tuple(KINDS), metavar="KIND")
    parser.add_argument("--one", nargs=3, metavar=("KIND", "SEED", "NUMBER"))
    return parser.parse_args()


class _Run:
    """One run of several processes, each with one turn after the other."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.begin = time.monotonic()
        self.whole = NOTHING
        self.turns = count(asked.first)

    def all(self) -> int:
        """Run until the time is up or the inputs are done; then tell the figures."""
        try:
            with ProcessPoolExecutor(self.asked.processes, initializer=bound_memory) as pool:
                self._feed(pool)
        except KeyboardInterrupt:
            print("ended sooner")
        print(self._figures(), end="")
        return int(bool(self.whole.findings))

    def _feed(self, pool: ProcessPoolExecutor) -> None:
        running: set[Future[Tally]] = set()
        started = 0
        size = sum(KINDS[kind].share for kind in self.asked.kinds)
        while True:
            while len(running) < self.asked.processes and started < self.asked.inputs and not self._late():
                running.add(pool.submit(run, Part(self.asked.seed, next(self.turns), tuple(self.asked.kinds))))
                started += size
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for one in done:
                self._take(one.result())

    def _late(self) -> bool:
        return time.monotonic() - self.begin > self.asked.seconds

    def _take(self, tally: Tally) -> None:
        for name, text in tally.told.items():
            if name not in self.whole.told:
                print(f"{name}\n    {text}", flush=True)
        self.whole = self.whole.plus(tally)
        FINDINGS.mkdir(exist_ok=True)
        (FINDINGS / "figures").write_text(self._figures())

    def _figures(self) -> str:
        whole = self.whole
        lines = [
            f"{count:>9,} {kind:<10} {whole.spent[kind]:>8.1f} s, {whole.spent[kind] / count * 1000:.2f} ms each"
            for kind, count in sorted(whole.counts.items())
        ]
        lines += [f"{count:>9,} times {name}" for name, count in sorted(whole.findings.items())]
        last = self.asked.first + whole.counts.total() // max(1, sum(KINDS[kind].share for kind in self.asked.kinds))
        lines.append(
            f"{whole.counts.total():,} inputs, seed {self.asked.seed}, turns {self.asked.first} to {last - 1}, "
            f"{self.asked.processes} processes, {len(whole.findings)} findings"
        )
        seconds, spent = time.monotonic() - self.begin, sum(whole.spent.values())
        lines.append(f"{seconds:.0f} s on the clock, {spent:.0f} s of processor time")
        return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
