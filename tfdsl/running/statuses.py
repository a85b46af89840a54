"""Exit statuses in words."""

from __future__ import annotations

import signal
from typing import Final

_OWN: Final = {
    74: "the output could not be copied",
    75: "a peer was lost",
    76: "peers were missing at the time limit",
    77: "the coordinator turned the task away",
    126: "the command cannot be executed",
    127: "the command was not found",
}


def meaning(status: int) -> str:
    """What ``status`` says beyond its number; empty for most."""
    if status > 128:
        try:
            return f"ended by {signal.Signals(status - 128).name}"
        except ValueError:
            return ""
    return _OWN.get(status, "")


def described(status: int) -> str:
    """``status 137 (ended by SIGKILL)``."""
    words = meaning(status)
    return f"status {status} ({words})" if words else f"status {status}"
