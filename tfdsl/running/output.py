"""What processes write: bytes to lines, whatever they contain, in little memory."""

from __future__ import annotations

from collections import deque
from typing import Final

from tfdsl.diagnostics.render.columns import visible
from tfdsl.patterns import regex

LONGEST: Final = 1 << 14
"""Bytes after which a line that does not end is shown as a line."""
LAST_LINES: Final = 10
_SEQUENCE: Final = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
"""What a program writes to give its text a colour or to move the cursor (ECMA-48)."""


class Lines:
    """The lines of one process. ``last``: the last of them that are not empty."""

    def __init__(self) -> None:
        self.last: deque[bytes] = deque(maxlen=LAST_LINES)
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that ``data`` completes."""
        *lines, rest = (self._rest + data).split(b"\n")
        while len(rest) > LONGEST:
            lines.append(rest[:LONGEST])
            rest = rest[LONGEST:]
        self._rest = rest
        self._keep(lines)
        return lines

    def end(self) -> list[bytes]:
        """What is left when nothing more comes."""
        lines = [self._rest] if self._rest else []
        self._rest = b""
        self._keep(lines)
        return lines

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
