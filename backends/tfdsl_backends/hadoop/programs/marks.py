"""Marks copies of outputs with the task that made them, so that a later attempt of that task may replace them.

The mark is an extended attribute of the copy, so it appears and disappears with it, and every container of the task
sees it. On a file system without extended attributes, a note in the container's own folder takes its place, which a
restart in place finds.
"""

import json
import os

from tfdsl_backends.hadoop.programs.files import native

MARK = "user.tfjob.copied_by"


class Copies(object):
    """The copies that one task makes. ``who``: that task; ``file``: its notes of copies that could not be marked."""

    def __init__(self, who, file):
        # type: (str, str) -> None
        self.who, self.file = who, file

    def notes(self):
        # type: () -> dict[str, str]
        """Destination -> identity of each copy that could not be marked."""
        try:
            with open(self.file) as stream:
                return dict(native(json.load(stream)))
        except (EnvironmentError, ValueError):
            return {}

    def note(self, destination, identity):
        # type: (str, str) -> None
        """Note a copy that could not be marked."""
        copies = self.notes()
        copies[destination] = identity
        with open(self.file + ".part", "w") as stream:
            json.dump(copies, stream)
        os.rename(self.file + ".part", self.file)

    def is_own(self, destination, mark, identity):
        # type: (str, str, str) -> bool
        """Whether this task made the copy at ``destination``, according to its ``mark`` or else to a note."""
        return mark == self.who if mark else self.notes().get(destination) == identity

    def is_own_path(self, path):
        # type: (str) -> bool
        """The same of a file or folder on the node."""
        get = getattr(os, "getxattr", None)  # Python 3 only
        try:
            mark = str(get(path, MARK).decode("utf-8", "replace")) if get else ""
        except EnvironmentError:
            mark = ""
        return self.is_own(path, mark, file_identity(path))

    def mark_path(self, part, path):
        # type: (str, str) -> None
        """Mark the file or folder ``part`` on the node, which will be renamed to ``path``."""
        put = getattr(os, "setxattr", None)
        try:
            if put:
                put(part, MARK, self.who.encode("utf-8"))
                return
        except EnvironmentError:
            pass
        self.note(path, file_identity(part))


def file_identity(path):
    # type: (str) -> str
    """Distinguishes a file or folder on the node from one that replaces it."""
    status = os.lstat(path)
    return "%d:%d:%.6f" % (status.st_dev, status.st_ino, status.st_mtime)
