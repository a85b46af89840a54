"""Marks copies of outputs with the task that made them, so that a later attempt of that task may replace them.

The mark is an extended attribute of the copy, so it appears and disappears with it, and a replacement of the container
sees it too. On a file system without extended attributes, a note in the container's own folder takes its place.
"""

import os

import task_settings

MARK = "user.tfjob.copied_by"


def own(task, destination, mark, identity):
    """Whether this task made the copy at ``destination``, according to its ``mark`` or else to a note."""
    if mark:
        return mark == task.who
    copies = task_settings.note(task.settings, "copied") or {}
    return copies.get(destination) == identity


def remember(task, destination, identity):
    """Note a copy that could not be marked."""
    copies = task_settings.note(task.settings, "copied") or {}
    copies[destination] = identity
    task_settings.keep(task.settings, "copied", copies)


def of_path(path):
    """The mark of a file or folder on the node; empty if it has none."""
    get = getattr(os, "getxattr", None)  # Python 3 only
    try:
        return str(get(path, MARK).decode("utf-8", "replace")) if get else ""
    except (IOError, OSError):
        return ""


def set_path(path, who):
    """Mark a file or folder on the node; false if that is not possible."""
    put = getattr(os, "setxattr", None)
    try:
        if put:
            put(path, MARK, who.encode("utf-8"))
        return bool(put)
    except (IOError, OSError):
        return False


def identity(path):
    """Distinguishes a file or folder on the node from one that replaces it."""
    stat = os.lstat(path)
    return "%d:%d:%.6f" % (stat.st_dev, stat.st_ino, stat.st_mtime)
