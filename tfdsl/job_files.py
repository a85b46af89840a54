"""The ``.tfjob`` files of a folder and of those in it: what a command checks and what an editor searches.

Import looks for manifests in the same way.

Hidden folders and those of other tools (``node_modules``, virtual environments …) are left out. A link to a folder is
not followed, so that no file is found twice or for ever; a link to a file counts if the file is below the folder too,
and is not found itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tfdsl.source_files import refusal

ENDING: Final = ".tfjob"
SKIPPED: Final = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
"""Folders of other tools whose names do not begin with a dot."""


def _ignored(folder: str, reason: str) -> None:
    """What is done about a folder that cannot be read, unless somebody asks."""


def job_files(
    folder: str,
    inside: Sequence[str],
    unreadable: Callable[[str, str], None] = _ignored,
    endings: tuple[str, ...] = (ENDING,),
) -> Iterator[str]:
    """The files of ``folder`` in the order of their names, then those of the folders in it.

    ``inside``: the folders, without links, in which the file that a link leads to may be; ``folder`` is the first.
    ``unreadable`` is called with a folder that cannot be read, and the reason.
    """
    try:
        with os.scandir(folder or os.curdir) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        unreadable(folder, (error.strerror or str(error)).lower())
        return
    for entry in entries:
        if entry.name.endswith(endings) and not is_folder(entry) and _is_ours(entry, inside, endings):
            yield os.path.join(folder, entry.name).replace(os.sep, "/")
    for entry in entries:
        if not entry.name.startswith(".") and entry.name not in SKIPPED and entry.is_dir(follow_symlinks=False):
            yield from job_files(os.path.join(folder, entry.name), inside, unreadable, endings)


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself; what reads it says so
        return False


def _is_ours(entry: os.DirEntry[str], inside: Sequence[str], endings: tuple[str, ...]) -> bool:
    """Whether a file that nobody has named may be read: a link may lead out of the folder.

    It does not count if the file that it leads to is found itself.
    """
    return not entry.is_symlink() or (
        refusal(entry.path, inside) is None and not _is_found(entry.path, inside[0], endings)
    )


def _is_found(path: str, top: str, endings: tuple[str, ...]) -> bool:
    """Whether the file behind a link is one of those below ``top``."""
    *folders, name = os.path.relpath(os.path.realpath(path), top).split(os.sep)
    return (
        os.path.isfile(path)
        and name.endswith(endings)
        and not any(part.startswith(".") or part in SKIPPED for part in folders)
    )
