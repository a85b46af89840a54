"""Copies from and to HDFS, with the Hadoop client.

The client reads every path in HDFS as a pattern, even one that does not exist yet, and paths on this node as URIs and
options. So patterns are escaped, and the local path is always a plain name of our own in a folder of our own.
"""

import os
import re
import subprocess
import sys
import tempfile

from tfdsl_backends.hadoop.programs.files import native, remove
from tfdsl_backends.hadoop.programs.marks import MARK, Copies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class HdfsClient(object):
    """The client as ``words`` start it, in the environment ``env``; ``folder`` is for working files."""

    def __init__(self, words, folder, env=None):
        # type: (list[str], str, dict[str, str] | None) -> None
        self.words, self.folder, self.env = words, folder, env

    def run(self, arguments, text="", folder=None):
        # type: (list[str], str, str | None) -> tuple[int, str, str]
        """Run the client in ``folder`` with ``text`` as input; returns the status, output and errors."""
        pipe = subprocess.PIPE
        child = subprocess.Popen(
            self.words + arguments, stdin=pipe, stdout=pipe, stderr=pipe, close_fds=True, cwd=folder, env=self.env
        )
        out, err = child.communicate(text.encode("utf-8"))
        return int(child.returncode), native(out.decode("utf-8", "replace")), native(err.decode("utf-8", "replace"))

    def call(self, arguments, folder=None):
        # type: (list[str], str | None) -> None
        """Run the client; raise what it says if it fails."""
        status, _out, err = self.run(arguments, "", folder)
        if status != 0:
            words = " ".join([os.path.basename(self.words[0])] + self.words[1:] + arguments)
            raise IOError("%s: %s" % (words, err.strip()[-1000:] or "failed"))

    def exists(self, path):
        # type: (str) -> bool
        """Whether a file or folder exists."""
        return self.run(["-test", "-e", pattern(path)])[0] == 0

    def delete(self, path):
        # type: (str) -> None
        """Remove a file, or a folder and everything in it."""
        self.call(["-rm", "-r", "-f", "-skipTrash", pattern(path)])

    def rename(self, path, to):
        # type: (str, str) -> None
        """Move ``path`` to ``to``."""
        self.call(["-mv", pattern(path), pattern(to)])

    def download(self, path, to):
        # type: (str, str) -> None
        """Copy a file or folder to ``to`` on this node, which appears only when it is complete."""
        folder = to + ".d"
        remove(folder)
        os.makedirs(folder)
        try:
            self.call(["-get", pattern(path), "part"], folder)
            os.rename(os.path.join(folder, "part"), to)
        finally:
            remove(folder)

    def upload(self, source, path):
        # type: (str, str) -> None
        """Copy a file or folder of this node to ``path``, through a link with a plain name."""
        folder = tempfile.mkdtemp(prefix="put-", dir=self.folder)
        try:
            os.symlink(os.path.abspath(source), os.path.join(folder, "part"))
            self.call(["-mkdir", "-p", pattern(path.rpartition("/")[0] + "/")])
            self.call(["-put", "part", pattern(path)], folder)
        finally:
            remove(folder)

    def mark(self, path):
        # type: (str) -> str
        """The mark of a file or folder; empty if it has none."""
        out = self.run(["-getfattr", "-n", MARK, "-e", "text", pattern(path)])[1]
        return out.rpartition(MARK + "=")[2].strip().strip('"') if MARK + "=" in out else ""

    def set_mark(self, path, who):
        # type: (str, str) -> bool
        """Mark a file or folder; false if that is not possible."""
        return self.run(["-setfattr", "-n", MARK, "-v", who, pattern(path)])[0] == 0


def pattern(path):
    # type: (str) -> str
    """A path in HDFS as a pattern that matches only that path; an ``hdfs:`` before a path only says where it is."""
    plain = path[len("hdfs:") :] if path.startswith("hdfs:") and not path.startswith("hdfs://") else path
    escaped = re.sub(r"([\\*?\[\]{}^])", r"\\\1", plain)
    return "./" + escaped if escaped.startswith("-") else escaped


def put(client, source, destination, overwrite, number, copies):
    # type: (Any, str, str, bool, str, Copies) -> None
    """Copy ``source`` to ``destination``, under a temporary name with ``number`` that is then renamed.

    ``client`` is the Hadoop client or one like it. A copy that an earlier attempt of the same task made may be
    replaced. The number of the container keeps a lost node and its replacement from writing to the same name.
    """
    destination = destination.rstrip("/")
    part = "%s.part-%s" % (destination, number)
    exists = client.exists(destination)
    if exists and not overwrite and not copies.is_own(destination, client.mark(destination), "hdfs"):
        raise IOError("%s already exists; write { overwrite = true } to replace it" % destination)
    moving = False
    try:
        client.delete(part)
        client.upload(source, part)
        if copies.who and not overwrite and not client.set_mark(part, copies.who):
            copies.note(destination, "hdfs")
        if exists:
            moving = True
            client.delete(destination)
        elif client.exists(destination):
            raise IOError("%s was created in the meantime" % destination)
        client.rename(part, destination)
    except BaseException:
        if moving:  # the previous copy may be gone already
            sys.stderr.write("[tfjob] the copy is complete, but still named %s\n" % part)
        else:
            forget(client, part)
        raise
    inside_it = destination + "/" + part.rpartition("/")[2]
    if client.exists(inside_it):  # a folder was created in the meantime, and the copy moved into it
        client.delete(inside_it)
        raise IOError("%s was created in the meantime" % destination)


def forget(client, path):
    # type: (Any, str) -> None
    """Remove ``path`` if possible; the error before this is the one to report."""
    try:
        client.delete(path)
    except EnvironmentError:
        pass
