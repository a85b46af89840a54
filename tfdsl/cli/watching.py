"""``--watch``: a command runs again whenever a file that it has read is another, until Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from tfdsl.cli.arguments import Arguments, Flag
from tfdsl.cli.report import refuse
from tfdsl.cli.selection import PARAMS, QUIET
from tfdsl.cli.streams import Ended, err
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.diagnostics.render.columns import visible
from tfdsl.source_files import STDIN, noted, state_of

WATCH = Flag("--watch", "run again when a file that was read changes, until Ctrl-C")

_PAUSE: Final = 0.2
"""Seconds between two looks; nobody saves more often."""


def watched(arguments: Arguments, once: Callable[[Arguments], int]) -> int:
    """Run a command ``once``, or with ``--watch`` until it is interrupted; a wrong command line ends it at once."""
    if not arguments.on(WATCH.name):
        return once(arguments)
    read_once = [argument for argument in (*arguments.rest, *arguments.values(PARAMS.name)) if argument.text == STDIN]
    refuse(
        [BAD_ARGUMENT(argument.span, what="--watch cannot watch standard input") for argument in read_once], arguments
    )
    before: dict[str, object] = {}
    while True:
        with noted() as files:
            try:
                once(arguments)
            except Ended:
                if not before:
                    raise
        before = files or before  # while an editor replaces the file of the command, nothing can be read
        if not arguments.on(QUIET.name):
            err(f"watching {len(before)} {'file' if len(before) == 1 else 'files'}; Ctrl-C ends this\n")
        changed = _changed(before)
        if not arguments.on(QUIET.name):
            err(f"\n{visible(changed)} changed\n")


def _changed(files: dict[str, object]) -> str:
    """Wait until one of ``files`` is another than it was; returns its path."""
    while True:
        time.sleep(_PAUSE)
        for path, before in files.items():
            if state_of(path) != before:
                return path
