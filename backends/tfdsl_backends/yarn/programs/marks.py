"""Marks on the copies of outputs: a later try of the same task may replace what an earlier one has copied.

The mark is an extended attribute of the copy, so it appears and goes with it, and every container of the run sees it.
Where the file system keeps none, a note in the work folder stands for it, which a relaunch in place finds.
"""

from __future__ import print_function

import json
import os

from tfdsl_backends.yarn.programs.storage import hdfs, pattern
from tfdsl_backends.yarn.programs.webhdfs import MARK


def copier(environ):
    # type: (dict[str, str]) -> str
    """Who copies: the run and the task; empty where the container was not started by submit.sh."""
    run = environ.get("TFJOB_RUN", "")
    return "%s %s[%s]" % (run, environ.get("TFJOB_ROLE", ""), environ.get("TFJOB_INDEX", "")) if run else ""


def hdfs_mark(path):
    # type: (str) -> str
    """The mark of a file or folder in HDFS; empty without one."""
    _status, out, _err = hdfs(["-getfattr", "-n", MARK, "-e", "text", pattern(path)])
    return out.rpartition(MARK + "=")[2].strip().strip('"') if MARK + "=" in out else ""


def set_hdfs_mark(path, who):
    # type: (str, str) -> bool
    """Mark a file or folder in HDFS; false where that is not possible."""
    return hdfs(["-setfattr", "-n", MARK, "-v", who, pattern(path)])[0] == 0


def path_mark(path):
    # type: (str) -> str
    """The mark of a file or folder of the node; empty without one."""
    get = getattr(os, "getxattr", None)  # Python 3 only
    try:
        return str(get(path, MARK).decode("utf-8", "replace")) if get else ""
    except EnvironmentError:
        return ""


def set_path_mark(path, who):
    # type: (str, str) -> bool
    """Mark a file or folder of the node; false where that is not possible."""
    put = getattr(os, "setxattr", None)
    try:
        if put:
            put(path, MARK, who.encode("utf-8"))
        return bool(put)
    except EnvironmentError:
        return False


def notes_file():
    # type: () -> str
    """Where the notes are: beside this program."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "copied.json")


def notes():
    # type: () -> dict[str, str]
    """What was copied without a mark: destination -> what tells the copy from another."""
    try:
        with open(notes_file()) as file:
            return {key: str(value) for key, value in json.load(file).items()}
    except (EnvironmentError, ValueError):
        return {}


def note(destination, identity):
    # type: (str, str) -> None
    """Note a copy that bears no mark."""
    found = notes()
    found[destination] = identity
    with open(notes_file() + ".part", "w") as file:
        json.dump(found, file)
    os.rename(notes_file() + ".part", notes_file())


def is_own(mark, who, destination, identity):
    # type: (str, str, str, str) -> bool
    """Whether this very task has made the copy at ``destination``, by its ``mark`` or else by a note."""
    if mark:
        return mark == who
    return notes().get(destination) == identity


def file_identity(path):
    # type: (str) -> str
    """What tells a file or folder of the node from another that takes its place."""
    found = os.lstat(path)
    return "%d:%d:%.6f" % (found.st_dev, found.st_ino, found.st_mtime)


def copied_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``copied PATH``: 0 when an earlier try of this task has made it."""
    (path,) = arguments
    return 0 if is_own(path_mark(path), copier(environ), path, file_identity(path)) else 1


def mark_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``mark PART PATH``: the copy in PART is going to be PATH."""
    part, path = arguments
    who = copier(environ)
    if who and not set_path_mark(part, who):
        note(path, file_identity(part))
    return 0
