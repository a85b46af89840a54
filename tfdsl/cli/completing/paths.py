"""The files that a word can be the beginning of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.record import Record
from tfdsl.source_files import is_folder

if TYPE_CHECKING:
    from tfdsl.cli.completing.candidate import Files

MOST_PATHS: Final = 2000
"""The most entries of a folder that are looked at."""


class Found(Record):
    """An entry of the folder that is typed. ``folder``: it goes on behind its ``/``."""

    name: str
    folder: bool


def found(path: str, files: Files) -> list[Found]:
    """What can be the rest of ``path`` behind its last ``/``; all files where none has one of the endings."""
    folder, name = os.path.split(os.path.expanduser(path))
    entries = list(_entries(folder or os.curdir, name))
    if files.folders:
        return [one for one in entries if one.folder]
    fitting = [one for one in entries if one.folder or not files.endings or one.name.endswith(files.endings)]
    return fitting if any(not one.folder for one in fitting) else entries


def _entries(folder: str, name: str) -> Iterator[Found]:
    try:
        with os.scandir(folder) as entries:
            known = [one for _, one in zip(range(MOST_PATHS), entries, strict=False)]
    except OSError:  # there is no such folder, or it may not be read
        return
    for entry in sorted(known, key=lambda one: one.name):
        hidden = entry.name.startswith(".") and not name.startswith(".")
        if entry.name.startswith(name) and not hidden and entry.name.isprintable():
            yield Found(entry.name, is_folder(entry))
