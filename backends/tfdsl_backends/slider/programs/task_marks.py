"""Marks copies of outputs with the task that made them, so that a later attempt of that task may replace them.

The mark is an extended attribute of the copy, so it appears and disappears with it, and a replacement of the container
sees it too. On a file system without extended attributes, a note in the container's own folder takes its place.
"""

import os

from tfdsl_backends.slider.programs import task_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdsl_backends.slider.programs.task_supervisor import Supervisor

MARK = "user.tfjob.copied_by"


def own(task, destination, mark, identity):
    # type: (Supervisor, str, str, str) -> bool
    """Whether this task made the copy at ``destination``, according to its ``mark`` or else to a note."""
    if mark:
        return mark == task.who
    copies = task_settings.note(task.settings, "copied") or {}  # type: dict[str, str]
    return copies.get(destination) == identity


def remember(task, destination, identity):
    # type: (Supervisor, str, str) -> None
    """Note a copy that could not be marked."""
    copies = task_settings.note(task.settings, "copied") or {}  # type: dict[str, str]
    copies[destination] = identity
    task_settings.keep(task.settings, "copied", copies)


def of_path(path):
    # type: (str) -> str
    """The mark of a file or folder on the node; empty if it has none."""
    get = getattr(os, "getxattr", None)  # Python 3 only
    try:
        return str(get(path, MARK).decode("utf-8", "replace")) if get else ""
    except (IOError, OSError):
        return ""


def set_path(path, who):
    # type: (str, str) -> bool
    """Mark a file or folder on the node; false if that is not possible."""
    put = getattr(os, "setxattr", None)
    try:
        if put:
            put(path, MARK, who.encode("utf-8"))
        return bool(put)
    except (IOError, OSError):
        return False


def identity(path):
    # type: (str) -> str
    """Distinguishes a file or folder on the node from one that replaces it."""
    stat = os.lstat(path)
    return "%d:%d:%.6f" % (stat.st_dev, stat.st_ino, stat.st_mtime)
