"""Writing into folders that somebody has prepared, and being ended on the way: all files or none, nothing else."""

from __future__ import annotations

import os
import signal
import stat
import tempfile
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from unittest.mock import patch

from tests.fuzz.case import Case, Finding, expect, kept
from tfdsl import writing
from tfdsl.writing import File, write_all

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping

NAMES = ("a", "b.yaml", "job/submit.sh", "job/deep/x.json", "c.Dockerfile", "up/x", "link", "é", "x" * 255, "job")
KINDS = (
    *("file", "file", "file", "file", "link in", "link out", "link to a folder out", "dangling", "dangling out"),
    *("loop", "fifo", "folder", "read-only", "odd mode", "empty"),
)
MODES = (0o600, 0o644, 0o755, 0o700, 0o640, 0o444, 0o400, 0o000, 0o777, 0o604)
CALLS = ("open", "fsync", "replace", "link", "chmod", "mkdir", "stat", "listdir", "unlink", "rmdir")
"""Calls of the system that writing makes."""
HIDDEN = ".tfdsl-"
LATER = 120
"""Seconds after which the leftovers of a killed run may be swept."""

Entry: TypeAlias = tuple[str, int, str]
"""Kind, mode and content of what lies in a folder."""


class Plan(NamedTuple):
    """What lies there before, what is written, and what comes in between."""

    there: tuple[tuple[str, str, int], ...]
    files: tuple[tuple[str, str, bool, bool], ...]
    ending: str
    at: int
    mask: int

    def __str__(self) -> str:
        return "\n".join(f"{name} = {value!r}" for name, value in self._asdict().items())


def make(chance: random.Random) -> Case:
    """A folder, files to write into it, and how it ends."""
    there = tuple(
        (name, chance.choice(KINDS), chance.choice(MODES))
        for name in NAMES
        if chance.random() < chance.choice((0.2, 0.5))
    )
    names = chance.sample(NAMES, chance.choice((1, 2, 3, 5)))
    files = tuple((name, f"new {name} " + "y" * chance.choice((0, 9, 9000)), *_flags(chance)) for name in names)
    ending = chance.choice(("none", "none", "none", "error", "error", "interrupt", "KILL", "TERM", "INT", "two"))
    plan = Plan(there, files, ending, chance.randrange(30), chance.choice((0o022, 0o077, 0o000, 0o027)))
    wait = chance.random() ** 2 * 0.004
    return Case(lambda: prove(plan, wait), {".plan": kept(str(plan))})


def _flags(chance: random.Random) -> tuple[bool, bool]:
    return chance.random() < 0.3, chance.random() < 0.3


@cache
def _base() -> tempfile.TemporaryDirectory[str]:
    fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="tfdsl-fuzz-", dir=fast)


def prove(plan: Plan, wait: float) -> None:
    """Prove one plan in a fresh folder."""
    with tempfile.TemporaryDirectory(dir=_base().name) as place, _masked(plan.mask):
        above = Path(place)
        folder = above / "out"
        _prepare(above, folder, plan)
        outside, before = _seen(above, but="out"), _seen(folder)
        places = {name: os.path.relpath(os.path.realpath(folder / name), folder.resolve()) for name, *_ in plan.files}
        files = [File(str(folder / name), text, run, own, str(folder)) for name, text, run, own in plan.files]
        if plan.ending in ("KILL", "TERM", "INT", "two"):
            _ended(files, plan, wait)
        elif _inside(files, plan):
            expect(_seen(folder) != before or not files, "it says that it has written, and has not")
        after = _seen(folder)
        expect(_seen(above, but="out") == outside, "something outside of the folder is another")
        _judge(plan, places, before, after)
        _swept(folder, plan)


def _prepare(above: Path, folder: Path, plan: Plan) -> None:
    folder.mkdir()
    (above / "victim").write_text("mine")
    (above / "victims").mkdir()
    (above / "victims/x").write_text("mine")
    (folder / "real").write_text("old real")
    for name, kind, mode in plan.there:
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _put(path, kind, mode, above)
        except OSError:  # a file stands where a folder has to be
            continue


def _put(path: Path, kind: str, mode: int, above: Path) -> None:
    ways = {
        "link in": path.parent / os.path.relpath(above / "out/real", path.parent),
        "link out": above / "victim",
        "link to a folder out": above / "victims",
        "dangling": Path("nothing"),
        "dangling out": above / "made",
        "loop": Path(path.name),
    }
    if kind in ways:
        path.symlink_to(ways[kind])
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_text("" if kind == "empty" else f"old {path.name}")
        path.chmod({"read-only": 0o444, "odd mode": mode}.get(kind, 0o644))


@contextmanager
def _masked(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def _seen(folder: Path, but: str = "") -> dict[str, Entry]:
    """All that lies below ``folder``, links as links, except the entry ``but``."""
    found: dict[str, Entry] = {}
    for root, inner, names in os.walk(folder):
        if but in inner:
            inner.remove(but)
        for name in (*inner, *names):
            path = os.path.join(root, name)
            found[os.path.relpath(path, folder)] = _entry(path)
    return found


def _entry(path: str) -> Entry:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return "link", 0, os.readlink(path)
    if stat.S_ISREG(mode):
        return "file", stat.S_IMODE(mode), Path(path).read_text()
    return "other", stat.S_IFMT(mode), ""


# --- the ways it ends ----------------------------------------------------------------------------------------------


def _inside(files: list[File], plan: Plan) -> bool:
    """Write; a call may fail, or a signal may come during it. Whether it says that all is written."""
    if plan.ending == "none":
        return write_all(files) is None
    calls = CALLS[:-2] if plan.ending == "error" else CALLS  # what cannot be removed stays
    name, number = calls[plan.at % len(calls)], plan.at // len(calls)
    with patch.object(writing.os, name, _spoiled(getattr(os, name), number, plan.ending)):
        try:
            return write_all(files) is None
        except KeyboardInterrupt:
            expect(plan.ending == "interrupt", "an interrupt that nobody sent")
            return False


def _spoiled(real: Callable[..., object], number: int, ending: str) -> Callable[..., object]:
    calls = 0

    def call(*words: object, **more: object) -> object:
        nonlocal calls
        calls += 1
        if calls == number + 1 and ending == "error":
            raise OSError(28, "No space left on device")
        done = real(*words, **more)
        if calls == number + 1:
            os.kill(os.getpid(), signal.SIGINT)
        return done

    return call


def _ended(files: list[File], plan: Plan, wait: float) -> None:
    """Write in a process that gets a signal, or two, after ``wait`` seconds."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        _write_and_leave(files, tell)
    os.close(tell)
    os.read(ready, 1)
    os.close(ready)
    time.sleep(wait)
    os.kill(child, getattr(signal, f"SIG{plan.ending}", signal.SIGTERM))
    if plan.ending == "two":
        os.kill(child, signal.SIGINT)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    usual = {"KILL": -9, "TERM": 143, "INT": 130}
    expect(code in (0, 1, usual.get(plan.ending, 143), -15, -2, 130), f"the process ended with {code}")


def _write_and_leave(files: list[File], tell: int) -> None:
    code = 70
    try:
        try:
            for number, handler in ((signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
                signal.signal(number, handler)
            for number in (signal.ITIMER_REAL, signal.ITIMER_PROF):
                signal.setitimer(number, 0)
            os.write(tell, b"x")
            code = 0 if write_all(files) is None else 1
        except KeyboardInterrupt:
            code = 130
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 70
        os._exit(code)
    except BaseException:  # the second signal, while the first is being answered; there is no third
        os._exit(code)  # whatever happens, this copy of the test run must not go on


# --- what holds afterwards -----------------------------------------------------------------------------------------


def _judge(plan: Plan, places: Mapping[str, str], before: dict[str, Entry], after: dict[str, Entry]) -> None:
    left = [name for name in after if os.path.basename(name).startswith(HIDDEN)]
    if plan.ending != "KILL":
        expect(not left, f"left behind: {left}")
    for name in left:
        expect(after[name][1] & 0o077 <= _widest(plan, before) & 0o077, f"{name} can be read by {after[name][1]:o}")
    now = {name: entry for name, entry in after.items() if name not in left}
    if plan.ending == "KILL":
        _each_old_or_new(_new(plan, places, before), before, now)
    elif now != before:
        _all_new(_new(plan, places, before), before, now)


def _widest(plan: Plan, before: dict[str, Entry]) -> int:
    """The most that any file here may grant: a file that waits for its place is no more readable than those."""
    modes = [entry[1] for entry in before.values() if entry[0] == "file"]
    return (0o777 & ~plan.mask) | _union(modes) | 0o111


def _union(modes: list[int]) -> int:
    found = 0
    for mode in modes:
        found |= mode
    return found


def _new(plan: Plan, places: Mapping[str, str], before: dict[str, Entry]) -> dict[str, tuple[str, int]]:
    """What each place holds when all is written, and its mode."""
    found: dict[str, tuple[str, int]] = {}
    for name, text, executable, private in plan.files:
        place = places[name]
        old = before.get(place)
        mode = old[1] if old is not None and old[0] == "file" else 0o777 & ~plan.mask & (0o600 if private else 0o666)
        if executable:
            runnable = mode >> 2 & 0o111
            mode |= runnable if old is not None and old[0] == "file" else runnable & ~plan.mask
        found[place] = (text, mode)
    return found


def _all_new(new: Mapping[str, tuple[str, int]], before: dict[str, Entry], now: dict[str, Entry]) -> None:
    for place, (text, mode) in new.items():
        expect(now.get(place, ("", 0, ""))[2] == text, f"{place} is neither as it was nor new, others are")
        expect(now[place][1] == mode, f"{place} has the mode {now[place][1]:o}, not {mode:o}")
    for name, entry in now.items():
        if name not in new:
            is_folder = entry[0] == "other" and entry[1] == stat.S_IFDIR
            made = is_folder and any(place.startswith(f"{name}/") for place in new)
            expect(entry == before.get(name) or (made and name not in before), f"{name} is another")
    expect(not before.keys() - now.keys(), "something is gone")


def _each_old_or_new(new: Mapping[str, tuple[str, int]], before: dict[str, Entry], now: dict[str, Entry]) -> None:
    for name, entry in now.items():
        is_new = name in new and entry[2] == new[name][0]
        is_folder = entry[0] == "other" and entry[1] == stat.S_IFDIR
        expect(entry == before.get(name) or is_new or is_folder, f"after the kill {name} is neither old nor new")
        if is_new and entry != before.get(name):
            expect(entry[1] == new[name][1], f"after the kill {name} has the mode {entry[1]:o}")
    expect(not before.keys() - now.keys(), "something is gone after the kill")


def _swept(folder: Path, plan: Plan) -> None:
    """The next run, later, removes what a killed one has left in the folders into which it writes."""
    if plan.ending != "KILL":
        return
    again = [File(str(folder / "fresh"), "x")]
    before = _seen(folder)
    with patch.object(writing.time, "time", lambda real=time.time: real() + LATER):
        failure = write_all(again)
    if failure is not None:
        raise Finding(f"the next run fails: {failure.reason}")
    left = [name for name in _seen(folder) if name.startswith(HIDDEN)]
    expect(not left, f"not swept: {left}")
    rest = {name for name in before if os.path.basename(name).startswith(HIDDEN) and "/" not in name}
    expect(before.keys() - rest <= _seen(folder).keys(), "the sweep takes more than it should")
