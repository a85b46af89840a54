"""Marks on the copies of outputs: a later try of the same task may replace what an earlier one has copied.

The mark is an extended attribute of the copy, so it appears and goes with it, and a replacement of the container sees
it too. Where the file system keeps none, a note stands for it, which lives as long as the container.
"""

import os

import task_settings

MARK = "user.tfjob.copied_by"


def own(task, destination, mark, identity):
    """Whether this very task has made the copy at ``destination``, by its ``mark`` or else by a note."""
    if mark:
        return mark == task.who
    return (task_settings.note(task.settings, "copied") or {}).get(destination) == identity


def remember(task, destination, identity):
    """Note a copy that bears no mark."""
    found = task_settings.note(task.settings, "copied") or {}
    found[destination] = identity
    task_settings.keep(task.settings, "copied", found)


def of_path(path):
    """The mark of a file or folder of the node; empty without one."""
    get = getattr(os, "getxattr", None)  # Python 3 only
    try:
        return str(get(path, MARK).decode("utf-8", "replace")) if get else ""
    except (IOError, OSError):
        return ""


def set_path(path, who):
    """Mark a file or folder of the node; whether that was possible."""
    put = getattr(os, "setxattr", None)
    try:
        if put:
            put(path, MARK, who.encode("utf-8"))
        return bool(put)
    except (IOError, OSError):
        return False


def identity(path):
    """What tells a file or folder of the node from another that takes its place."""
    found = os.lstat(path)
    return "%d:%d:%.6f" % (found.st_dev, found.st_ino, found.st_mtime)
