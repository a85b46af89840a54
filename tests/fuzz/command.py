"""A command line in this process: its status and what it writes, thousands of them a second."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

from tests.fuzz.case import expect
from tfdsl.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Sequence

STATUSES = (0, 1, 2)
"""No error, errors in the input, wrong use. Whatever it is given, it ends in no other way."""


class Ran(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


def run(words: Sequence[str], stdin: bytes = b"") -> Ran:
    """Run ``tfdsl WORDS``; raises when it ends in another way than the :data:`STATUSES`."""
    out, err, given = (io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="") for data in (b"", b"", stdin))
    with patch.object(sys, "stdout", out), patch.object(sys, "stderr", err), patch.object(sys, "stdin", given):
        status = main(words)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]  # a BytesIO
    told = texts[0] + texts[1]
    expect(status in STATUSES, f"status {status}: {told[-400:]}")
    expect("Traceback (most recent call last)" not in told, f"a traceback: {told[-400:]}")
    expect(status != 0 or "error[" not in texts[1], "an error and status 0")
    return Ran(status, *texts)
