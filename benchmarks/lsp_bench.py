"""How fast the language server is here: ``python benchmarks/lsp_bench.py``.

Two times are given for each row: the processor time that the server spent, which other programs on the machine change
little, and the time that the client waited, over pipes, from the message that is sent to the one that comes back. The
start-up is shown as a ratio to ``python -c pass``, measured in turns with it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from tests.lsp.long_text import long_text  # noqa: E402  (found on the path that was just set)
from tests.lsp.wire import Wire  # noqa: E402
from tests.unit.cli.shell import environment  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

ROUNDS = 15
URI = "file:///nowhere/job.tfjob"
TYPED = "  cpu_limit = min(8, workers * 2)\n"
LINES = (500, 5000)
FILES = 1000


def main() -> None:
    """Print the tables."""
    start_up()
    for lines in LINES:
        print(f"\n{lines} lines{'':<34}  processor: median, most    client: median, most")
        with serving() as server:
            text = long_text(lines)
            server.wire.open(URI, text)
            server.wire.published(1)
            requests(server, text)
            keystrokes(server, text)
            changed_let(server, text)
    symbols()


# --- measuring -------------------------------------------------------------------------------------------------


class Server:
    """A server and what has been measured of it. ``wire``: the connection."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    def measure(self, work: Callable[[], object]) -> tuple[float, float]:
        """Seconds of the server's processor time, and of the client's waiting."""
        used, begin = self._used(), time.perf_counter()
        work()
        waited = time.perf_counter() - begin
        return self._used() - used, waited

    def _used(self) -> float:
        """Processor time of all threads so far; 0 where the kernel does not tell it."""
        tasks = Path(f"/proc/{self.wire.process.pid}/task")
        try:
            return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9
        except OSError:
            return 0.0


@contextmanager
def serving(**more: object) -> Iterator[Server]:
    """A server that has begun."""
    wire = Wire()
    try:
        wire.begin(**more)
        yield Server(wire)
        wire.end()
    finally:
        wire.close()


def took(work: Callable[[], object]) -> float:
    """Seconds."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def show(name: str, times: Sequence[tuple[float, float]]) -> None:
    """One row: the median and the most, of both."""
    columns = [[each[at] * 1000 for each in times] for at in (0, 1)]
    processor, client = [f"{statistics.median(column):8.1f} {max(column):8.1f} ms" for column in columns]
    print(f"  {name:<40} {processor}    {client}")


# --- what is measured ------------------------------------------------------------------------------------------


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


def requests(server: Server, text: str) -> None:
    """Requests about places all over the text, one after the other."""
    lines = text.split("\n")
    places = [(number, min(8, len(line))) for number, line in enumerate(lines) if "=" in line][:: len(lines) // 100]
    for method in ("completion", "hover", "definition", "documentHighlight"):
        show(method, [server.measure(lambda at=at: ask(server, method, located(at))) for at in places])  # type: ignore[misc]  # noqa: B023
    for method in ("documentSymbol", "semanticTokens/full", "foldingRange", "formatting"):
        params = {**located((0, 0)), "options": {"tabSize": 2, "insertSpaces": True}}
        show(method, [server.measure(lambda: ask(server, method, params)) for _ in range(9)])  # noqa: B023


def keystrokes(server: Server, text: str) -> None:
    """Type a line into a role, character by character: diagnostics after each, and a completion beside each."""
    lines = text.split("\n")
    number = next(at for at, line in enumerate(lines[len(lines) // 2 :], len(lines) // 2) if "min_available" in line)
    version, checked, completed = 1, [], []
    for offered in (False, True):
        at = (number, 0)
        for char in TYPED:
            version += 1
            after = (at[0] + 1, 0) if char == "\n" else (at[0], at[1] + 1)

            def press(at: tuple[int, int] = at, char: str = char, version: int = version) -> None:
                server.wire.change(URI, version, at, at, char)

            if offered:
                completed.append(server.measure(lambda: (press(), ask(server, "completion", located(after)))))  # noqa: B023
                server.wire.published(version)
            else:
                checked.append(server.measure(lambda: (press(), server.wire.published(version))))  # noqa: B023
            at = after
        version += 1
        server.wire.change(URI, version, (number, 0), (number + 1, 0), "")
        server.wire.published(version)
    show("diagnostics after a keystroke", checked)
    show("completion with a keystroke", completed)


def changed_let(server: Server, text: str) -> None:
    """Change a let that every job uses; and ask for a hover while the jobs are checked."""
    line = next(number for number, line in enumerate(text.split("\n")) if line.startswith("let registry"))
    checked, between = [], []
    for version in range(1000, 1005):

        def change(version: int = version) -> None:
            server.wire.change(URI, version, (line, 16), (line, 16), "x")

        checked.append(server.measure(lambda: (change(), server.wire.published(version))))  # noqa: B023
    for version in range(1005, 1010):
        server.wire.change(URI, version, (line, 16), (line, 16), "x")
        time.sleep(0.02)
        between.append(server.measure(lambda: ask(server, "hover", located((line, 5)))))
        server.wire.published(version)
    show("diagnostics after a let of all jobs", checked)
    show("hover while they are checked", between)


def symbols() -> None:
    """Find names in a workspace of many files, first when none has been read."""
    with TemporaryDirectory() as folder:
        for number in range(FILES):
            (Path(folder) / f"job{number}.tfjob").write_text(long_text(20).replace("mnist0", f"mnist{number}"))
        root = Path(folder).as_uri()
        with serving(rootUri=root, workspaceFolders=[{"uri": root, "name": "w"}]) as server:
            print(f"\n{FILES} files")
            for name, words in (
                ("symbols, first", ["nothing"]),
                ("symbols", ["mnist7", "wor", "chief", "regis", "gpu"]),
            ):
                times = [
                    server.measure(lambda word=word: server.wire.request("workspace/symbol", {"query": word}))  # type: ignore[misc]
                    for word in words
                ]
                show(name, times)


def ask(server: Server, method: str, params: Mapping[str, object]) -> None:
    """A request about a text."""
    server.wire.request(f"textDocument/{method}", params)


def located(at: tuple[int, int]) -> dict[str, object]:
    """The parameters of a request about a place."""
    return {"textDocument": {"uri": URI}, "position": {"line": at[0], "character": at[1]}}


if __name__ == "__main__":
    main()
