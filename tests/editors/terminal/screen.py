"""A terminal without a window: what a program draws into it, with its colours, and the keys that it gets."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from typing import TYPE_CHECKING, Self

import pyte

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

ROWS, COLUMNS = 50, 160


class Terminal:
    """A program in a terminal of its own; it is ended when the ``with`` block is left."""

    def __init__(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        """Start the program."""
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.screen.write_process_input = self.type  # what the terminal is asked for, such as the place of the cursor
        self._stream = pyte.ByteStream(self.screen)
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, dict(environment))
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._ended():
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
        os.close(self._terminal)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._terminal, keys.encode())

    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        """Read what the program draws until the condition holds; a screen that never fulfils it fails the test."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"not within {seconds} seconds:\n{self.text()}"
            self._read()

    def wait_end(self, seconds: float = 120) -> None:
        """Read until the program has ended."""
        self.wait(self._ended, seconds)

    def _read(self) -> None:
        if select.select([self._terminal], [], [], 0.05)[0]:
            try:
                self._stream.feed(os.read(self._terminal, 65536))
            except OSError:  # the program has closed its side
                time.sleep(0.05)

    def _ended(self) -> bool:
        if self._process and os.waitpid(self._process, os.WNOHANG)[0]:
            self._process = 0
        return not self._process

    def colour(self, text: str, offset: int = 0) -> str:
        """The colour in which a text stands on the screen: a name, or six hexadecimal digits."""
        for row, line in enumerate(self.screen.display):
            if text in line:
                return self.screen.buffer[row][line.index(text) + offset].fg
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text()}")
