"""What processes write: bytes to lines, whatever they contain, in little memory."""

from __future__ import annotations

from collections import deque
from operator import eq
from typing import Final

from tfdsl.diagnostics.render.columns import visible
from tfdsl.patterns import regex

LONGEST: Final = 1 << 14
"""Bytes after which a line that does not end is shown as a line."""
LAST_LINES: Final = 10
_SIGN_OF_LIFE: Final = 10
"""After so many repetitions a line is told to be repeated, then after ten times as many, and so on."""
_SEQUENCE: Final = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
"""What a program writes to give its text a colour or to move the cursor (ECMA-48)."""


class Lines:
    """The lines of one process, those that follow each other unchanged only once, with how often they came.

    ``last``: the last of them that are not empty.
    """

    def __init__(self) -> None:
        self.last: deque[bytes] = deque(maxlen=LAST_LINES)
        self._rest = b""
        self._before: bytes = b""
        self._repeated = self._told = 0

    def feed(self, data: bytes) -> list[bytes]:
        """What is to be shown of the lines that ``data`` completes."""
        *lines, rest = (self._rest + data).split(b"\n")
        while len(rest) > LONGEST:
            lines.append(rest[:LONGEST])
            rest = rest[LONGEST:]
        self._rest = rest
        return self._kept(lines)

    def end(self) -> list[bytes]:
        """What is left when nothing more comes."""
        lines = self._kept([*([self._rest] if self._rest else []), b""])[:-1]
        self._rest = b""
        self._before = b""
        return lines

    def _kept(self, lines: list[bytes]) -> list[bytes]:
        lines = self._folded(lines)
        self._keep(lines)
        return lines

    def _folded(self, lines: list[bytes]) -> list[bytes]:
        if not self._repeated and not any(map(eq, lines, [self._before, *lines])):
            self._before = lines[-1] if lines else self._before
            return lines
        folded: list[bytes] = []
        for line in lines:
            if line == self._before and line.strip():
                self._repeated += 1
                if self._repeated == max(10 * self._told, _SIGN_OF_LIFE):
                    folded.append(self._times())
                continue
            if self._repeated > self._told:
                folded.append(self._before if self._repeated == 1 else self._times())
            self._before, self._repeated, self._told = line, 0, 0
            folded.append(line)
        return folded

    def _times(self) -> bytes:
        self._told = self._repeated
        return b"(repeated %d times)" % self._repeated

    def _keep(self, lines: list[bytes]) -> None:
        for line in reversed(lines[-LAST_LINES:]):
            if not line.strip():
                return self._keep_some(lines[-10 * LAST_LINES :])
        self.last.extend(lines[-LAST_LINES:])
        return None

    def _keep_some(self, lines: list[bytes]) -> None:
        self.last.extend(line for line in lines if line.strip())


def shown(line: bytes) -> str:
    """A line for a screen: what a terminal would show of it, without what would act there."""
    text = line.decode("utf-8", "replace")
    if text.isascii() and text.isprintable() and "#" not in text:
        return text
    text = text.rstrip("\r").rpartition("\r")[2]  # a bar that is drawn again and again
    return visible(_SEQUENCE.sub("", text) if "\x1b" in text else text)
