"""The command as a process of its own, ended at any moment while it writes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.case import Case, expect, kept
from tests.fuzz.command import run
from tests.unit.cli.shell import COMMAND, environment

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

JOB = 'job {name} {{ image = "x:{tag}", command = ["a"], role worker {{ }} }}\n'
TARGETS = ("-t yarn", "-t volcano", "-t tfjob -t slider", "-t kubernetes -t yarn --source-map")
SIGNALS = ("KILL", "KILL", "TERM", "INT", "HUP", "TERM INT", "INT INT")
LONGEST = 0.3
"""Seconds after which the signal comes at the latest; on a busy machine the process still starts then."""
_LEFTOVER = re.compile(r"\.tfdsl-[0-9]+-[0-9a-f]{12}")
_ENDED = {"KILL": (-9,), "TERM": (143, -15), "INT": (130, -2), "HUP": (129, -1)}
_STARTING = "KeyboardInterrupt"  # before the program's first line Python itself answers, with a traceback


def make(chance: random.Random) -> Case:
    """A compilation over an older one, and when it is ended by which signals."""
    words, ending = chance.choice(TARGETS).split(), chance.choice(SIGNALS).split()
    share = chance.random()
    plan = f"{words} {ending} {share}"
    return Case(lambda: prove(words, ending, share), {".plan": kept(plan)})


@cache
def _durations() -> dict[str, float]:
    """Seconds that each command line takes here, when nobody ends it."""
    return {}


def prove(words: Sequence[str], ending: Sequence[str], share: float) -> None:
    """Each file is old or new, all of them unless it was killed; and nothing else is there."""
    with tempfile.TemporaryDirectory(prefix="tfdsl-fuzz-") as place:
        folder = Path(place)
        old, new = (_made(folder, tag, words) for tag in ("old", "new"))
        _compile(folder, "old", folder / "out", words)
        command = [*COMMAND, "compile", str(folder / "new.tfjob"), *words, "-o", str(folder / "out")]
        status, told = _ended(command, folder, ending, share)
        allowed = {code for name in ending for code in _ENDED[name]} | {0}
        if not told.rstrip().endswith(_STARTING):
            expect(status in allowed, f"status {status} after {ending}: {told[-300:]}")
            expect("Traceback" not in told, f"a traceback: {told[-500:]}")
        now = _texts(folder / "out")
        left = {name for name in now if _LEFTOVER.fullmatch(os.path.basename(name))}
        expect(not left or "KILL" in ending, f"left behind: {sorted(left)}")
        now = {name: text for name, text in now.items() if name not in left}
        expect(now.keys() == old.keys(), "a file is missing or too many")
        expect(all(text in (old[name], new[name]) for name, text in now.items()), "a file is neither old nor new")
        expect("KILL" in ending or now in (old, new), "some files are old, some new")


def _ended(command: Sequence[str], folder: Path, ending: Sequence[str], share: float) -> tuple[int, str]:
    key = " ".join(word for word in command[len(COMMAND) :] if not word.startswith("/"))
    wait = share * _durations().get(key, LONGEST)
    begin = time.monotonic()
    with subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        try:
            _, told = process.communicate(timeout=wait)
            _durations()[key] = time.monotonic() - begin
        except subprocess.TimeoutExpired:
            for name in ending:
                process.send_signal(getattr(signal, f"SIG{name}"))
            _, told = process.communicate(timeout=60)
            _durations()[key] = _durations().get(key, LONGEST) * 1.02
    return process.returncode, told


def _made(folder: Path, tag: str, words: Sequence[str]) -> Mapping[str, str]:
    """The output for a tag."""
    (folder / f"{tag}.tfjob").write_text("".join(JOB.format(name=name, tag=tag) for name in "abcd"))
    _compile(folder, tag, folder / f"expected-{tag}", words)
    return _texts(folder / f"expected-{tag}")


def _compile(folder: Path, tag: str, out: Path, words: Sequence[str]) -> None:
    ran = run(["compile", str(folder / f"{tag}.tfjob"), *words, "-o", str(out)])
    expect(ran.status == 0, ran.err)


def _texts(folder: Path) -> dict[str, str]:
    """Files and their texts; a source map names its source, which is another here."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in paths}
