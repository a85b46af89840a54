"""What ``--mount`` and ``--no-mounts`` say."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.record import Record
from tfdsl.rules.mounts import path as broken_path

if TYPE_CHECKING:
    from tfdsl.text import Span


class Given(Record):
    """A folder or file of this machine for the mount at a path. ``source`` is absolute; ``place``: of the option."""

    at: str
    source: str
    place: Span


class MountOptions(Record):
    """``given``: what ``--mount`` names, by path. ``ignored``: ``--no-mounts``."""

    given: Mapping[str, Given] = {}
    ignored: bool = False


def parsed(text: str, place: Span, known: Iterable[str] = ()) -> Given | Diagnostic:
    """What ``PATH=DIR`` says, or why it says nothing; ``known``: paths of mounts, which may contain ``=``."""
    at = next((path for path in sorted(known, key=len, reverse=True) if text.startswith(f"{path}=")), None)
    if at is None:
        at, equals, _ = text.partition("=")
        if not equals or not at:
            return BAD_ARGUMENT(place, what=f"--mount needs PATH=DIR, not {text or '(nothing)'}")
    source = text[len(at) + 1 :]
    at = at.rstrip("/") or "/"
    broken = broken_path(at)
    if broken is not None:
        return BAD_ARGUMENT(place, what=f"--mount: nothing can be mounted at {at}: {broken.values['problem']}")
    if not source:
        return BAD_ARGUMENT(place, what=f"--mount {text}: name the folder after =")
    if not os.path.exists(source):
        return BAD_ARGUMENT(place, what=f"--mount {text}: {source} does not exist").help("make the folder first")
    return Given(at, os.path.abspath(source), place)
