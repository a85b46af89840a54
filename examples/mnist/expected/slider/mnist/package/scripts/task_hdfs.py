"""Copies files from and to HDFS with the Hadoop client of the node.

The client reads every path in HDFS as a pattern, even one that does not exist yet, and a local path as a URI. So
patterns are escaped, and the local path is always a plain name of our own in a folder of our own.
"""

import os
import re
import shutil
import subprocess

import task_marks
import task_settings


def client():
    """The first words of every call."""
    for variable in ("HADOOP_HOME", "HADOOP_COMMON_HOME", "HADOOP_PREFIX", "HADOOP_INSTALL"):
        program = os.path.join(os.environ.get(variable, ""), "bin", "hadoop")
        if os.environ.get(variable) and os.access(program, os.X_OK):
            return [program, "fs"]
    return ["hadoop", "fs"]


def call(words, env, folder=None):
    """Run the client; its messages go to the task's log. True if it succeeds."""
    try:
        return subprocess.call(client() + words, env=env, cwd=folder) == 0
    except OSError as error:
        os.write(2, ("this node has no Hadoop client: %s\n" % error).encode("utf-8"))
        return False


def literal(path):
    """A pattern that matches only ``path``."""
    return re.sub(r"([\\*?\[\]{}^])", r"\\\1", path)


def get(uri, place, env):
    """Copy a file or folder out of HDFS to ``place``, which appears only when it is complete."""
    folder = place + ".fetch"
    task_settings.remove(folder)
    os.makedirs(folder)
    try:
        if not call(["-get", literal(uri), "part"], env, folder):
            return False
        os.rename(os.path.join(folder, "part"), place)
        return True
    finally:
        shutil.rmtree(folder, True)


def put(source, uri, overwrite, task, folder):
    """Copy a file or folder into HDFS as ``uri``; returns the error, or None.

    The copy is written beside ``uri`` and renamed, so nobody sees half of it. Its temporary name includes the
    container, so that a lost node and its replacement never write to the same name. ``folder`` is for working files.
    """
    uri, env = uri.rstrip("/"), task.hadoop_env()
    beside = "%s.%s.part" % (uri, task.settings["container"])
    exists = not overwrite and there(uri, env)
    if exists and not task_marks.own(task, uri, mark(uri, env), "hdfs"):
        return "%s already exists" % uri
    plain = os.path.join(folder, "part")
    if os.path.islink(plain):
        os.remove(plain)
    os.symlink(source, plain)
    try:
        remove(beside, env)
        call(["-mkdir", "-p", literal(uri.rpartition("/")[0] + "/")], env)
        problem = None if call(["-put", "part", literal(beside)], env, folder) else "%s could not be written" % uri
        if not (problem or overwrite or set_mark(beside, task.who, env)):
            task_marks.remember(task, uri, "hdfs")
        problem = problem or place(beside, uri, overwrite or exists, env)
        if problem:
            remove(beside, env)
        return problem
    finally:
        os.remove(plain)


def mark(uri, env):
    """The mark of a copy in HDFS; empty if it has none."""
    try:
        child = subprocess.Popen(
            client() + ["-getfattr", "-n", task_marks.MARK, "-e", "text", literal(uri)], env=env, stdout=subprocess.PIPE
        )
    except OSError:
        return ""
    text = task_settings.native(child.communicate()[0].decode("utf-8", "replace"))
    return text.rpartition(task_marks.MARK + "=")[2].strip().strip('"') if task_marks.MARK + "=" in text else ""


def set_mark(uri, who, env):
    """Mark a copy in HDFS; false if that is not possible."""
    return call(["-setfattr", "-n", task_marks.MARK, "-v", who, literal(uri)], env)


def place(beside, uri, overwrite, env):
    """Rename ``beside`` to ``uri``; returns the error, or None. A rename onto a folder would move into the folder."""
    if overwrite and not remove(uri, env):
        return "the previous %s could not be removed" % uri
    if there(uri, env):
        return "%s was created in the meantime" % uri
    if not call(["-mv", literal(beside), literal(uri)], env):
        return "%s could not be renamed into place" % uri
    inside = uri + "/" + beside.rpartition("/")[2]
    if there(inside, env):
        remove(inside, env)
        return "%s was created in the meantime" % uri
    return None


def there(uri, env):
    """Whether ``uri`` exists."""
    return call(["-test", "-e", literal(uri)], env)


def remove(uri, env):
    """Remove ``uri``; true if it is gone."""
    return call(["-rm", "-r", "-f", "-skipTrash", literal(uri)], env)
