"""Marks copies of outputs with the task that made them, so that a later attempt of that task may replace them.

The mark is an extended attribute of the copy, so it appears and disappears with it, and every container of the run sees
it. On a file system without extended attributes, a note in the work folder takes its place, which a relaunch in place
finds.
"""

from __future__ import print_function

import json
import os

from tfdsl_backends.yarn.programs.storage import hdfs, pattern
from tfdsl_backends.yarn.programs.webhdfs import MARK


def copier(environ):
    # type: (dict[str, str]) -> str
    """The run and the task that copies; empty in a container that submit.sh did not start."""
    run = environ.get("TFJOB_RUN", "")
    return "%s %s[%s]" % (run, environ.get("TFJOB_ROLE", ""), environ.get("TFJOB_INDEX", "")) if run else ""


def hdfs_mark(path):
    # type: (str) -> str
    """The mark of a file or folder in HDFS; empty if it has none."""
    _status, out, _err = hdfs(["-getfattr", "-n", MARK, "-e", "text", pattern(path)])
    return out.rpartition(MARK + "=")[2].strip().strip('"') if MARK + "=" in out else ""


def set_hdfs_mark(path, who):
    # type: (str, str) -> bool
    """Mark a file or folder in HDFS; false if that is not possible."""
    return hdfs(["-setfattr", "-n", MARK, "-v", who, pattern(path)])[0] == 0


def path_mark(path):
    # type: (str) -> str
    """The mark of a file or folder on the node; empty if it has none."""
    get = getattr(os, "getxattr", None)  # Python 3 only
    try:
        return str(get(path, MARK).decode("utf-8", "replace")) if get else ""
    except EnvironmentError:
        return ""


def set_path_mark(path, who):
    # type: (str, str) -> bool
    """Mark a file or folder on the node; false if that is not possible."""
    put = getattr(os, "setxattr", None)
    try:
        if put:
            put(path, MARK, who.encode("utf-8"))
        return bool(put)
    except EnvironmentError:
        return False


def notes_file():
    # type: () -> str
    """The file of the notes, beside this program."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "copied.json")


def notes():
    # type: () -> dict[str, str]
    """The copies that could not be marked: destination -> identity."""
    try:
        with open(notes_file()) as file:
            return {key: str(value) for key, value in json.load(file).items()}
    except (EnvironmentError, ValueError):
        return {}


def note(destination, identity):
    # type: (str, str) -> None
    """Note a copy that could not be marked."""
    copies = notes()
    copies[destination] = identity
    with open(notes_file() + ".part", "w") as file:
        json.dump(copies, file)
    os.rename(notes_file() + ".part", notes_file())


def is_own(mark, who, destination, identity):
    # type: (str, str, str, str) -> bool
    """Whether this task made the copy at ``destination``, according to its ``mark`` or else to a note."""
    if mark:
        return mark == who
    return notes().get(destination) == identity


def file_identity(path):
    # type: (str) -> str
    """Distinguishes a file or folder on the node from one that replaces it."""
    status = os.lstat(path)
    return "%d:%d:%.6f" % (status.st_dev, status.st_ino, status.st_mtime)


def copied_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``copied PATH``: 0 if an earlier attempt of this task made it."""
    (path,) = arguments
    return 0 if is_own(path_mark(path), copier(environ), path, file_identity(path)) else 1


def mark_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``mark PART PATH``: mark the copy in PART, which will be renamed to PATH."""
    part, path = arguments
    who = copier(environ)
    if who and not set_path_mark(part, who):
        note(path, file_identity(part))
    return 0
