"""Small files that all tasks see: in a shared folder, or in HDFS through its client or WebHDFS."""

from __future__ import print_function

import errno
import os
import re
import subprocess

from tfdsl_backends.yarn.programs.ways import way_of
from tfdsl_backends.yarn.programs.webhdfs import WebHdfs, WebHdfsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STORES = {}  # type: dict[str, Callable[[str, str], FolderStore | HdfsStore | WebHdfsStore]]
"""The kinds of stores by the way to them: of a place and the address of WebHDFS."""


class FolderStore(object):
    """A folder that all nodes share."""

    wait = 0.5
    """Seconds between two looks for a file, at first."""
    longest_wait = 5.0

    def __init__(self, folder):
        # type: (str) -> None
        self.folder = folder
        try:
            os.makedirs(folder)
        except OSError as error:
            if error.errno != errno.EEXIST:
                raise

    def put(self, name, text):
        # type: (str, str) -> None
        """Write or replace ``name`` in one step; only the tasks' own user may read it."""
        part = "%s/.%s.%d" % (self.folder, name, os.getpid())
        number = os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        os.write(number, text.encode("ascii"))
        os.close(number)
        os.rename(part, self.folder + "/" + name)

    def claim(self, name, text):
        # type: (str, str) -> bool
        """Write ``name`` unless it is there already; true for the one who wrote it."""
        try:
            number = os.open(self.folder + "/" + name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except OSError as error:
            if error.errno == errno.EEXIST:
                return False
            raise
        os.write(number, text.encode("ascii"))
        os.close(number)
        return True

    def get(self, name):
        # type: (str) -> str
        """The text of ``name``; empty when it is not there."""
        try:
            with open(self.folder + "/" + name) as file:
                return file.read()
        except (IOError, OSError):
            return ""


class HdfsStore(object):
    """A folder of HDFS through ``hdfs dfs``. Each call starts a Java machine, so looks are far apart."""

    wait = 2.0
    longest_wait = 30.0

    def __init__(self, folder):
        # type: (str) -> None
        self.folder = folder

    def put(self, name, text):
        # type: (str, str) -> None
        """Write or replace ``name``."""
        status, _out, err = hdfs(["-put", "-f", "-", self._path(name)], text)
        if status != 0:
            raise SystemExit("cannot write %s/%s: %s" % (self.folder, name, err.strip()[-500:]))

    def claim(self, name, text):
        # type: (str, str) -> bool
        """Write ``name`` unless it is there already: the NameNode refuses to rename onto an existing file."""
        part = "part-%s-%s" % (name, text)
        self.put(part, text)
        taken = hdfs(["-mv", self._path(part), self._path(name)])[0] == 0
        if not taken:
            self.remove(part)
        return taken

    def get(self, name):
        # type: (str) -> str
        """The text of ``name``; empty when it is not there."""
        status, out, _err = hdfs(["-cat", self._path(name)])
        return out if status == 0 else ""

    def remove(self, name):
        # type: (str) -> None
        """Remove ``name`` if it is there."""
        hdfs(["-rm", "-f", "-skipTrash", self._path(name)])

    def _path(self, name):
        # type: (str) -> str
        return pattern(self.folder + "/" + name)


class WebHdfsStore(object):
    """A folder of HDFS through WebHDFS: ten times faster than ``hdfs dfs``."""

    wait = 0.5
    longest_wait = 5.0

    def __init__(self, client, folder):
        # type: (WebHdfs, str) -> None
        self.client = client
        self.folder = folder

    def put(self, name, text):
        # type: (str, str) -> None
        """Write or replace ``name``."""
        self.client.write(self.folder + "/" + name, text.encode("ascii"), True)

    def claim(self, name, text):
        # type: (str, str) -> bool
        """Write ``name`` unless it is there already."""
        return self.client.write(self.folder + "/" + name, text.encode("ascii"), False)

    def get(self, name):
        # type: (str) -> str
        """The text of ``name``; empty when it is not there or the NameNode does not answer just now."""
        try:
            return self.client.read(self.folder + "/" + name).decode("ascii")
        except (WebHdfsError, EnvironmentError):
            return ""


def pattern(path):
    # type: (str) -> str
    """A path in HDFS as ``hdfs dfs`` takes it: it reads each as a pattern, new ones too, and ``-x`` as an option."""
    escaped = re.sub(r"([\\*?\[\]{}^])", r"\\\1", client_path(path))
    return "./" + escaped if escaped.startswith("-") else escaped


def hdfs(arguments, text="", folder=None):
    # type: (list[str], str, str | None) -> tuple[int, str, str]
    """Status, output and errors of ``hdfs dfs ARGUMENTS`` with ``text`` as its input, run in ``folder``.

    Its paths on this node are read as URIs and options, so they have to be plain names in ``folder``.
    """
    home = os.environ.get("HADOOP_HDFS_HOME") or os.environ.get("HADOOP_HOME") or ""
    program = home + "/bin/hdfs" if os.path.exists(home + "/bin/hdfs") else "hdfs"
    try:
        process = subprocess.Popen(
            [program, "dfs"] + arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            close_fds=True,
            cwd=folder,
        )
    except OSError as error:
        raise SystemExit(
            "cannot run %s (%s): a container that uses HDFS needs a Hadoop client. Build the image with `hadoop`, or"
            " give the target the option hadoop_home or webhdfs" % (program, error)
        )
    out, err = process.communicate(text.encode("utf-8"))
    return int(process.returncode), out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def open_store(place, webhdfs):
    # type: (str, str) -> FolderStore | HdfsStore | WebHdfsStore
    """The store at ``place``: an ``hdfs://`` URI, a path of HDFS with ``hdfs:`` in front, or a shared folder."""
    return STORES[way_of(place, webhdfs)](place, webhdfs)


STORES["path"] = lambda place, _webhdfs: FolderStore(place)
STORES["webhdfs"] = lambda place, webhdfs: WebHdfsStore(WebHdfs(webhdfs), hdfs_path(place))
STORES["client"] = lambda place, _webhdfs: HdfsStore(place)


def client_path(place):
    # type: (str) -> str
    """``place`` as the Hadoop client takes it: ``hdfs:`` in front of a path only says that it is one of HDFS."""
    return place[len("hdfs:") :] if place.startswith("hdfs:") and not place.startswith("hdfs://") else place


def hdfs_path(uri):
    # type: (str) -> str
    """The path in ``hdfs://name:port/path`` or ``hdfs:path``."""
    rest = uri[len("hdfs:") :]
    return "/" + rest[2:].partition("/")[2] if rest.startswith("//") else rest
