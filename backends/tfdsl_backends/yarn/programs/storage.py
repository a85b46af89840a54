"""Small files that all tasks see: in a shared folder, or in HDFS through its client or WebHDFS."""

from __future__ import print_function

import errno
import os

from tfdsl_backends.hadoop.programs.hdfs import HdfsClient, pattern
from tfdsl_backends.yarn.programs.plan import way_of
from tfdsl_backends.yarn.programs.webhdfs import WebHdfs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STORES = {}  # type: dict[str, Callable[[str, str], FolderStore | HdfsStore | WebHdfsStore]]
"""How to open a store, by the way to it; takes its place and the address of WebHDFS."""


class FolderStore(object):
    """A folder that all nodes share."""

    wait = 0.5
    """Seconds between two checks for a file, at first."""
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
        """Write or replace ``name`` in one step; only the user of the tasks may read it."""
        part = "%s/.%s.%d" % (self.folder, name, os.getpid())
        number = os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        os.write(number, text.encode("ascii"))
        os.close(number)
        os.rename(part, self.folder + "/" + name)

    def claim(self, name, text):
        # type: (str, str) -> bool
        """Write ``name`` unless it exists; true if this call wrote it."""
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
        """The text of ``name``; empty if it does not exist."""
        try:
            with open(self.folder + "/" + name) as file:
                return file.read()
        except (IOError, OSError):
            return ""


class HdfsStore(object):
    """A folder in HDFS, through ``hdfs dfs``. Each call starts a Java process, so checks are far apart."""

    wait = 2.0
    longest_wait = 30.0

    def __init__(self, folder):
        # type: (str) -> None
        self.folder = folder
        self.client = Client()

    def put(self, name, text):
        # type: (str, str) -> None
        """Write or replace ``name``."""
        status, _out, err = self.client.run(["-put", "-f", "-", self._path(name)], text)
        if status != 0:
            raise SystemExit("cannot write %s/%s: %s" % (self.folder, name, err.strip()[-500:]))

    def claim(self, name, text):
        # type: (str, str) -> bool
        """Write ``name`` unless it exists: the NameNode refuses to rename onto an existing file."""
        part = "part-%s-%s" % (name, text)
        self.put(part, text)
        taken = self.client.run(["-mv", self._path(part), self._path(name)])[0] == 0
        if not taken:
            self.client.run(["-rm", "-f", "-skipTrash", self._path(part)])
        return taken

    def get(self, name):
        # type: (str) -> str
        """The text of ``name``; empty if it does not exist."""
        status, out, _err = self.client.run(["-cat", self._path(name)])
        return out if status == 0 else ""

    def _path(self, name):
        # type: (str) -> str
        return pattern(self.folder + "/" + name)


class Client(HdfsClient):
    """The client of the container."""

    def __init__(self):
        # type: () -> None
        home = os.environ.get("HADOOP_HDFS_HOME") or os.environ.get("HADOOP_HOME") or ""
        program = home + "/bin/hdfs" if os.path.exists(home + "/bin/hdfs") else "hdfs"
        HdfsClient.__init__(self, [program, "dfs"], os.path.dirname(os.path.abspath(__file__)))

    def run(self, arguments, text="", folder=None):
        # type: (list[str], str, str | None) -> tuple[int, str, str]
        """Run the client; without one, end the program."""
        try:
            return HdfsClient.run(self, arguments, text, folder)
        except OSError as error:
            raise SystemExit(
                "cannot run %s (%s): a container that uses HDFS needs a Hadoop client; write `hadoop` in build, or the"
                " option hadoop_home or webhdfs of the target" % (self.words[0], error)
            )


class WebHdfsStore(object):
    """A folder in HDFS, through WebHDFS: ten times faster than ``hdfs dfs``."""

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
        """Write ``name`` unless it exists."""
        return self.client.write(self.folder + "/" + name, text.encode("ascii"), False)

    def get(self, name):
        # type: (str) -> str
        """The text of ``name``; empty if it does not exist, or the NameNode does not answer."""
        try:
            return self.client.read(self.folder + "/" + name).decode("ascii")
        except EnvironmentError:
            return ""


def open_store(place, webhdfs):
    # type: (str, str) -> FolderStore | HdfsStore | WebHdfsStore
    """The store at ``place``: an ``hdfs://`` URI, a path of HDFS with ``hdfs:`` in front, or a shared folder."""
    return STORES[way_of(place, webhdfs)](place, webhdfs)


STORES["path"] = lambda place, _webhdfs: FolderStore(place)
STORES["webhdfs"] = lambda place, webhdfs: WebHdfsStore(WebHdfs(webhdfs), place)
STORES["client"] = lambda place, _webhdfs: HdfsStore(place)
