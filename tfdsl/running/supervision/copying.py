"""Copying outputs when a command has ended, with the meaning that it has on a cluster.

A copy is written beside its destination and then renamed. Messages go to standard error, which is the replica's.
"""

from __future__ import annotations

import os
import shutil
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def copy_all(outputs: list[dict[str, Any]], cwd: str, name: str, status: int) -> bool:
    """Copy the outputs that are due after ``status``; whether all of them could be copied."""
    complete = True
    due = ("success" if status == 0 else "failure", "always")
    for number, output in enumerate(outputs):
        if output["when"] in due:
            source, destination = (os.path.join(cwd, output[end]) for end in ("source", "destination"))
            problem = _copied(source, destination, bool(output["overwrite"]), f"{name.replace('/', '-')}-{number}")
            if problem:
                _say(f"{problem}")
                _say(f"cannot copy {output['source']} to {output['destination']}")
                complete = False
    return complete


def _copied(source: str, destination: str, overwrite: bool, mark: str) -> str:
    try:
        return _copy(source, destination.rstrip("/") or "/", overwrite, mark)
    except (OSError, shutil.Error) as error:
        return str(error)


def _copy(source: str, destination: str, overwrite: bool, mark: str) -> str:
    """Copy one output; why it cannot be copied."""
    folder = os.path.dirname(destination)
    part, old = f"{folder}/.part-{mark}", f"{folder}/.old-{mark}"
    if os.path.lexists(old) and not os.path.lexists(destination):
        os.rename(old, destination)  # an earlier run was killed between its two renames: it is the only copy
    if not os.path.lexists(source):
        return f"{source} is not there"
    if not overwrite and os.path.lexists(destination):
        return f"{destination} exists already; overwrite = true would replace it"
    os.makedirs(folder, exist_ok=True)
    _remove(part)
    _remove(old)
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
        _remove(part)
    _remove(old)
    return ""


def _rename(part: str, destination: str, old: str) -> None:
    try:
        os.rename(part, destination)
    except OSError:
        if os.path.lexists(old):
            os.rename(old, destination)
        raise


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def _say(text: str) -> None:
    os.write(sys.stderr.fileno(), f"output: {text}\n".encode(errors="surrogateescape"))
