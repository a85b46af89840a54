"""How fast the language server is here: ``python benchmarks/lsp_bench.py``.

The answer to ``initialize`` is shown as a ratio to ``python -c pass``, measured in turns with it. All times are seen by
the client, over pipes: from the message that is sent to the one that comes back.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from tests.lsp.long_text import long_text  # noqa: E402  (found on the path that was just set)
from tests.lsp.wire import Wire  # noqa: E402
from tests.unit.cli.shell import environment  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 15
URI = "file:///nowhere/job.tfjob"
TYPED = "  cpu_limit = min(8, workers * 2)\n"


def main() -> None:
    """Print the table."""
    start_up()
    text = long_text(500)
    wire = Wire()
    try:
        wire.begin()
        wire.open(URI, text)
        wire.published(1)
        requests(wire, text)
        keystrokes(wire, text)
        wire.end()
    finally:
        wire.close()


def start_up() -> None:
    """From the start of the process to the answer to ``initialize``."""
    nothing: list[float] = []
    initialize: list[float] = []
    for round_ in range(ROUNDS + 1):
        command = [sys.executable, "-c", "pass"]
        empty = took(lambda command=command: subprocess.run(command, check=True, env=environment()))  # type: ignore[misc]
        first = took(hand_shake)
        if round_:  # the first compiles the modules
            nothing.append(empty)
            initialize.append(first)
    base, answer = statistics.median(nothing), statistics.median(initialize)
    print(f"{'python -c pass':<44}{base * 1000:8.1f} ms    1.0 x")
    print(f"{'initialize':<44}{answer * 1000:8.1f} ms {answer / base:6.1f} x")


def hand_shake() -> None:
    """Start a server, and end it when it has answered."""
    wire = Wire()
    try:
        wire.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    finally:
        wire.close()


def requests(wire: Wire, text: str) -> None:
    """Requests about places all over the text, one after the other."""
    lines = text.split("\n")
    places = [(number, min(8, len(line))) for number, line in enumerate(lines) if "=" in line][:: len(lines) // 100]
    for method in ("completion", "hover", "definition", "documentHighlight"):
        times = [took(lambda at=at: wire.request(f"textDocument/{method}", located(at))) for at in places]  # type: ignore[misc]  # noqa: B023
        show(f"{method}, {len(lines)} lines", times)
    for method in ("documentSymbol", "semanticTokens/full", "foldingRange", "formatting"):
        options = {"options": {"tabSize": 2, "insertSpaces": True}}
        times = [took(lambda: wire.request(f"textDocument/{method}", {**located((0, 0)), **options})) for _ in range(9)]  # noqa: B023
        show(f"{method}, {len(lines)} lines", times)


def keystrokes(wire: Wire, text: str) -> None:
    """Type a line into a role, character by character: diagnostics after each, and a completion beside each."""
    lines = text.split("\n")
    number = next(at for at, line in enumerate(lines[len(lines) // 2 :], len(lines) // 2) if "min_available" in line)
    version, told, completed = 1, [], []
    for offered in (False, True):
        at = (number, 0)
        for char in TYPED:
            version += 1
            begin = time.perf_counter()
            wire.change(URI, version, at, at, char)
            at = (at[0] + 1, 0) if char == "\n" else (at[0], at[1] + 1)
            if offered:
                wire.request("textDocument/completion", located(at))
                completed.append(time.perf_counter() - begin)
            wire.published(version)
            if not offered:
                told.append(time.perf_counter() - begin)
        version += 1
        wire.change(URI, version, (number, 0), (number + 1, 0), "")
        wire.published(version)
    show("diagnostics after a keystroke", told)
    show("completion with a keystroke", completed)


def located(at: tuple[int, int]) -> dict[str, object]:
    """The parameters of a request about a place."""
    return {"textDocument": {"uri": URI}, "position": {"line": at[0], "character": at[1]}}


def took(work: Callable[[], object]) -> float:
    """Seconds."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def show(name: str, times: list[float]) -> None:
    """One row: the median and the slowest."""
    print(f"{name:<44}{statistics.median(times) * 1000:8.1f} ms, at most {max(times) * 1000:.1f} ms")


if __name__ == "__main__":
    main()
