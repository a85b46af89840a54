"""Files in HDFS, by the Hadoop client of the node.

The client reads a path as a pattern where it looks for files, and a local path as a URI. So patterns are escaped, and
the local side is always a plain name that we have chosen, in a folder that we work in.
"""

import os
import re
import shutil
import subprocess


def client():
    """The command line that begins every call."""
    for variable in ("HADOOP_HOME", "HADOOP_COMMON_HOME", "HADOOP_PREFIX", "HADOOP_INSTALL"):
        program = os.path.join(os.environ.get(variable, ""), "bin", "hadoop")
        if os.environ.get(variable) and os.access(program, os.X_OK):
            return [program, "fs"]
    return ["hadoop", "fs"]


def call(words, env, folder=None):
    """Run the client; whether it ended well. What it says goes to our log."""
    try:
        return subprocess.call(client() + words, env=env, cwd=folder) == 0
    except OSError as error:
        os.write(2, ("the node has no Hadoop client: %s\n" % error).encode("utf-8"))
        return False


def literal(path):
    """``path`` as a pattern that matches only itself."""
    return re.sub(r"([\\*?\[\]{}^])", r"\\\1", path)


def get(uri, place, env):
    """Copy a file or folder out of HDFS to ``place``, which appears only when it is complete."""
    folder = place + ".fetch"
    shutil.rmtree(folder, True)
    os.makedirs(folder)
    try:
        if not call(["-get", literal(uri), "part"], env, folder):
            return False
        os.rename(os.path.join(folder, "part"), place)
        return True
    finally:
        shutil.rmtree(folder, True)


def put(source, uri, overwrite, env, folder):
    """Copy a file or folder into HDFS under the name ``uri``; gives what went wrong, or None.

    It is written beside and renamed, so nobody sees half of it. ``folder`` is one that we may work in.
    """
    uri = uri.rstrip("/")
    beside = uri + ".part"
    if call(["-test", "-e", literal(uri)], env) and not overwrite:
        return "%s is there already" % uri
    plain = os.path.join(folder, "part")
    if os.path.islink(plain):
        os.remove(plain)
    os.symlink(source, plain)
    try:
        call(["-rm", "-r", "-f", "-skipTrash", literal(beside)], env)
        call(["-mkdir", "-p", uri.rpartition("/")[0] + "/"], env)
        if not call(["-put", "part", beside], env, folder):
            return "%s could not be written" % uri
        if overwrite:
            call(["-rm", "-r", "-f", "-skipTrash", literal(uri)], env)
        if not call(["-mv", literal(beside), uri], env):
            return "%s could not be put in place" % uri
        return None
    finally:
        os.remove(plain)
