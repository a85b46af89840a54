"""A shell in which the commands of a page run, one after the other, in a folder of its own.

``tfdsl`` is the one of this checkout. A plain command of it is a call in this process, because starting another costs a
hundred times as much; whatever a shell has to read, and ``tfdsl run``, is a process of its own.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from tfdsl.cli import streams  # noqa: E402
from tfdsl.cli.main import main as tfdsl  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Generator

PROGRAMS = frozenset(
    {
        *("tfdsl", "python3", "bash", "git", "cd", "export", "ls", "cat", "cp", "mv", "rm", "mkdir", "touch", "echo"),
        *("printf", "diff", "find", "grep", "head", "tail", "sed", "sort", "wc"),
    }
)
"""What the commands of a page may start with: they need no cluster, no network, and nothing outside of the folder."""

SAYING_NO = frozenset({"tfdsl", "diff", "git", "grep", "kubectl"})
"""Programs that end with 1 where what they were asked is not so, which a page may show."""

SECONDS = 240
"""How long one command may take."""

_OF_THE_SHELL = re.compile(r"[|&;<>()$`*?~{}\[\]!\n\\]")


class Session:
    """The folder in which a page is followed. ``programs``: a folder with programs that come before all others."""

    def __init__(self, folder: Path, programs: Path | None = None) -> None:
        self.top = folder / "page"
        self._first = [] if programs is None else [str(programs)]
        self._programs = folder / "programs"
        self._home = folder / "home"
        self._left = folder / "left"
        for path in (self.top, self._programs, self._home):
            path.mkdir()
        for name, words in (("tfdsl", "-m tfdsl.cli.main "), ("python3", "")):
            program = self._programs / name
            program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words}"$@"\n')
            program.chmod(0o755)

    def environment(self) -> dict[str, str]:
        """What is different for the commands: nobody's settings, always the same commits, this tfdsl."""
        who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _SOMEBODY.items()}
        return who | {
            "PATH": os.pathsep.join([*self._first, str(self._programs), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "backends"))),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(self._home),
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "init.defaultBranch",
            "GIT_CONFIG_VALUE_0": "main",
        }

    @contextlib.contextmanager
    def entered(self) -> Generator[None, None, None]:
        """Be in the folder, with this environment, while the page is run."""
        with contextlib.chdir(self.top), mock.patch.dict(os.environ, self.environment()):
            yield

    def run(self, line: str) -> str:
        """What a command line prints; one that is used wrongly is a mistake of the page."""
        words = shlex.split(line)
        assert words[0] in self._names(), f"{words[0]}: not one of the programs that pages run: {line}"
        if words[0] == "export":
            os.environ.update(dict(word.split("=", 1) for word in words[1:]))
            return ""
        plain = words[0] == "tfdsl" and words[1:2] != ["run"] and not _OF_THE_SHELL.search(_unquoted(line))
        status, printed = _called(words[1:]) if plain else self._by_shell(line)
        assert status == 0 or (status == 1 and words[0] in SAYING_NO), f"{line} ends with {status}: {printed}"
        return printed

    def _names(self) -> set[str]:
        return {*PROGRAMS, *(name for folder in self._first for name in os.listdir(folder))}

    def _by_shell(self, line: str) -> tuple[int, str]:
        leaving = shlex.quote(f"pwd > {shlex.quote(str(self._left))}")
        done = subprocess.run(
            ["bash", "-c", f"trap {leaving} EXIT\n{line}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
        os.chdir(self._left.read_text(encoding="utf-8").removesuffix("\n"))
        return done.returncode, done.stdout


@functools.cache
def mounts_denied() -> str:
    """Why ``tfdsl run`` cannot mount folders of this machine into tasks, as in most containers; empty where it can."""
    from tfdsl.running.supervisor import Supervisor

    with tempfile.TemporaryDirectory() as folder, Supervisor(folder) as supervisor:
        return supervisor.denied


_SOMEBODY = {"NAME": "Ada", "EMAIL": "ada@example.com", "DATE": "2026-01-05T09:00:00+00:00"}


def _unquoted(line: str) -> str:
    """The line without what is in single quotes, where a shell reads nothing."""
    return re.sub(r"'[^']*'", "", line)


def _called(words: list[str]) -> tuple[int, str]:
    written = io.StringIO()
    streams.choose_colour("auto")
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(written):
        status = tfdsl(words)
    return status, written.getvalue()
