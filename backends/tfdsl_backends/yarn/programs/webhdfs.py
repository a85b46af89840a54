"""Files and folders over WebHDFS with simple authentication, for containers without a Hadoop client.

Source: Hadoop's WebHDFS REST API, operations CREATE, OPEN, LISTSTATUS, MKDIRS, RENAME, DELETE, GETFILESTATUS,
SETXATTR, GETXATTRS.
"""

from __future__ import print_function

import json
import os
import sys

from tfdsl_backends.hadoop.programs.files import native, save
from tfdsl_backends.hadoop.programs.marks import MARK

if sys.version_info >= (3,):
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import quote, urlsplit
else:
    from httplib import HTTPConnection, HTTPException, HTTPSConnection
    from urllib import quote

    from urlparse import urlsplit


TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPResponse
    from typing import BinaryIO


class WebHdfsError(IOError):
    """A request that HDFS refused."""


class WebHdfs(object):
    """``address``: ``http://namenode:9870``. Of a URI only the path counts."""

    def __init__(self, address):
        # type: (str) -> None
        self.address = address.rstrip("/")
        self.user = os.environ.get("HADOOP_USER_NAME") or os.environ.get("USER") or "root"
        self._home = ""

    def read(self, path):
        # type: (str) -> bytes
        """The whole of a small file."""
        status, response = self._call("GET", path, "OPEN")
        return self._good(path, status, response.read())

    def write(self, path, data, overwrite):
        # type: (str, bytes, bool) -> bool
        """Write a small file; false if it exists and ``overwrite`` is not set."""
        status, response = self._call("PUT", path, "CREATE&overwrite=%s" % str(overwrite).lower(), data)
        answer = response.read()
        if status == 403 and b"FileAlreadyExists" in answer:
            return False
        self._good(path, status, answer)
        return True

    def exists(self, path):
        # type: (str) -> bool
        """Whether a file or folder exists."""
        status, response = self._call("GET", path, "GETFILESTATUS")
        answer = response.read()
        if status == 404:
            return False
        self._good(path, status, answer)
        return True

    def rename(self, path, to):
        # type: (str, str) -> None
        """Move ``path`` to ``to``, which must not exist."""
        status, response = self._call("PUT", path, "RENAME&destination=" + quote(hdfs_path(to), safe="/"))
        if b"true" not in self._good(path, status, response.read()):
            raise WebHdfsError("cannot rename %s to %s" % (path, to))

    def delete(self, path):
        # type: (str) -> None
        """Remove a file, or a folder and everything in it."""
        status, response = self._call("DELETE", path, "DELETE&recursive=true")
        self._good(path, status, response.read())

    def mark(self, path):
        # type: (str) -> str
        """The mark (:mod:`tfdsl_backends.hadoop.programs.marks`) of a file or folder; empty if it has none."""
        status, response = self._call("GET", path, "GETXATTRS&encoding=text&xattr.name=" + MARK)
        answer = response.read()
        if status != 200:
            return ""
        values = [str(one.get("value") or "") for one in json.loads(answer.decode("utf-8"))["XAttrs"]]
        return values[0].strip('"') if values else ""

    def set_mark(self, path, who):
        # type: (str, str) -> bool
        """Mark a file or folder; false if that is not possible."""
        operation = "SETXATTR&flag=CREATE&xattr.name=%s&xattr.value=%s" % (MARK, quote('"%s"' % who))
        status, response = self._call("PUT", path, operation)
        response.read()
        return status == 200

    def download(self, path, to):
        # type: (str, str) -> None
        """Copy a file or folder to ``to`` on this node."""
        status, response = self._call("GET", path, "LISTSTATUS")
        listing = json.loads(self._good(path, status, response.read()).decode("utf-8"))
        entries = [(str(e["type"]), e["pathSuffix"]) for e in listing["FileStatuses"]["FileStatus"]]
        if entries and entries[0] == ("FILE", ""):  # LISTSTATUS of a file lists itself, without a name
            self._download_file(path, to)
            return
        if not os.path.isdir(to):
            os.makedirs(to)
        for _kind, suffix in entries:
            name = native(suffix)
            self.download(path + "/" + name, to + "/" + name)

    def upload(self, source, path):
        # type: (str, str) -> None
        """Copy a file or folder of this node to ``path``."""
        if not os.path.isdir(source):
            with open(source, "rb") as file:
                status, response = self._call("PUT", path, "CREATE&overwrite=false", file)
                self._good(path, status, response.read())
            return
        status, response = self._call("PUT", path, "MKDIRS")
        self._good(path, status, response.read())
        for name in sorted(os.listdir(source)):
            self.upload(source + "/" + name, path + "/" + name)

    def _download_file(self, path, to):
        # type: (str, str) -> None
        status, response = self._call("GET", path, "OPEN")
        if status != 200:
            self._good(path, status, response.read())
        save(response, response.getheader("Content-Length"), to)

    def home(self):
        # type: () -> str
        """The user's home folder, where a path without a leading ``/`` starts."""
        if not self._home:
            status, response = self._call("GET", "/", "GETHOMEDIRECTORY")
            self._home = native(json.loads(self._good("/", status, response.read()).decode("utf-8"))["Path"])
        return self._home

    def _call(self, method, path, operation, body=None):
        # type: (str, str, str, BinaryIO | bytes | None) -> tuple[int, HTTPResponse]
        """One request; a file's data goes to the DataNode that the NameNode names."""
        path = hdfs_path(path)
        if not path.startswith("/"):
            path = self.home() + "/" + path
        url = "%s/webhdfs/v1%s?op=%s&user.name=%s" % (self.address, quote(path, safe="/"), operation, quote(self.user))
        response = _request(method, url, b"" if body is not None else None)
        if response.status == 307:
            response.read()
            response = _request(method, response.getheader("Location") or url, body)
        return response.status, response

    @staticmethod
    def _good(path, status, answer):
        # type: (str, int, bytes) -> bytes
        if status not in (200, 201):
            raise WebHdfsError("%s: WebHDFS answers %d: %s" % (path, status, answer[:300].decode("utf-8", "replace")))
        return answer


def _request(method, url, body):
    # type: (str, str, BinaryIO | bytes | None) -> HTTPResponse
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.netloc, timeout=60)
    headers = {}  # type: dict[str, str]
    if body is not None:
        size = len(body) if isinstance(body, bytes) else os.fstat(body.fileno()).st_size
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
    try:
        connection.request(method, parts.path + "?" + parts.query, body, headers)
        return connection.getresponse()
    except HTTPException as error:
        raise WebHdfsError("invalid answer from %s (%r)" % (parts.netloc, error))
    except EnvironmentError as error:
        raise WebHdfsError("WebHDFS at %s: %s" % (parts.netloc, error))


def hdfs_path(uri):
    # type: (str) -> str
    """The path in ``hdfs://name:port/path`` or ``hdfs:path``; of a path that path itself."""
    rest = uri[len("hdfs:") :] if uri.startswith("hdfs:") else uri
    return "/" + rest[2:].partition("/")[2] if rest.startswith("//") else rest
