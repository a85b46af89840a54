"""Copying outputs when a command has ended, with the meaning that it has on a cluster.

A copy is written beside its destination and then renamed. Messages go to standard error, which is the replica's.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress

from tfdsl.running.supervision.removal import remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def copy_all(outputs: list[dict[str, Any]], cwd: str, name: str, status: int) -> bool:
    """Copy the outputs that are due after ``status``; whether all of them could be copied."""
    complete = True
    for output, destination, part, old in _due(outputs, cwd, name, status):
        problem = _copied(os.path.join(cwd, output["source"]), destination, bool(output["overwrite"]), part, old)
        if problem:
            _say(f"{problem}")
            _say(f"cannot copy {output['source']} to {output['destination']}")
            complete = False
    return complete


def tidy_all(outputs: list[dict[str, Any]], cwd: str, name: str, status: int) -> None:
    """Remove what :func:`copy_all` has left beside the destinations because it was killed."""
    for _, destination, part, old in _due(outputs, cwd, name, status):
        with suppress(OSError):
            _tidy(destination, part, old)


def _due(
    outputs: list[dict[str, Any]], cwd: str, name: str, status: int
) -> Iterator[tuple[dict[str, Any], str, str, str]]:
    """The outputs that are due after ``status``: destination, and names beside it for the new and the old one."""
    for number, output in enumerate(outputs):
        if output["when"] in ("success" if status == 0 else "failure", "always"):
            destination = os.path.join(cwd, output["destination"]).rstrip("/") or "/"
            folder, mark = os.path.dirname(destination), f"{name.replace('/', '-')}-{number}"
            yield output, destination, f"{folder}/.part-{mark}", f"{folder}/.old-{mark}"


def _copied(source: str, destination: str, overwrite: bool, part: str, old: str) -> str:
    try:
        return _copy(source, destination, overwrite, part, old)
    except (OSError, shutil.Error) as error:
        return str(error)
    except RecursionError:
        return f"the folders in {source} are nested too deeply"


def _tidy(destination: str, part: str, old: str) -> None:
    if os.path.lexists(old) and not os.path.lexists(destination):
        os.rename(old, destination)  # it was killed between its two renames: it is the only copy
    remove(part)
    remove(old)


def _copy(source: str, destination: str, overwrite: bool, part: str, old: str) -> str:
    """Copy one output; why it cannot be copied."""
    _tidy(destination, part, old)
    if not os.path.lexists(source):
        return f"{source} is not there"
    if not overwrite and os.path.lexists(destination):
        return f"{destination} exists already; overwrite = true would replace it"
    os.makedirs(os.path.dirname(destination), exist_ok=True)
    try:
        if os.path.isdir(source):
            shutil.copytree(source, part, symlinks=True)
        else:
            shutil.copy2(source, part)
        if os.path.lexists(destination):
            if not overwrite:
                return f"{destination} was made meanwhile"
            os.rename(destination, old)
        _rename(part, destination, old)
    finally:
        remove(part)
    return "" if remove(old) else f"{old}, which it replaces, cannot be removed"


def _rename(part: str, destination: str, old: str) -> None:
    try:
        os.rename(part, destination)
    except OSError:
        if os.path.lexists(old):
            os.rename(old, destination)
        raise


def _say(text: str) -> None:
    os.write(sys.stderr.fileno(), f"output: {text}\n".encode(errors="surrogateescape"))
