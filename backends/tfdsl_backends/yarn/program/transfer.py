# ruff: noqa: B904, B905, F401, I001, RUF005, RUF100, SIM105, UP004, UP008, UP010, UP024, UP031, UP036, UP041
# pyright: reportTypeCommentUsage=false
"""Fetching what a task mounts, copying what it puts out."""

from __future__ import print_function

import os
import shutil
import sys

from tfdsl_backends.yarn.program.storage import client_path, hdfs, hdfs_path
from tfdsl_backends.yarn.program.ways import way_of
from tfdsl_backends.yarn.program.webhdfs import WebHdfs, WebHdfsError, save

if sys.version_info >= (3,):
    from urllib.request import urlopen
else:
    from urllib2 import urlopen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FETCH = {}  # type: dict[str, Callable[[str, str, str], None]]
"""How to copy a source to a path of the node, by the way to the source; takes the address of WebHDFS too."""

PUT = {}  # type: dict[str, Callable[[str, str, bool, str, str], None]]
"""How to copy a path of the node to a URI, by the way to that."""


def fetch(source, to, webhdfs):
    # type: (str, str, str) -> None
    """Copy ``source`` (a URI that Hadoop reads, http, https, a path of the node) to ``to``, whole or not at all."""
    part = to + ".part"
    if os.path.isdir(part) and not os.path.islink(part):
        shutil.rmtree(part)  # an earlier try was killed
    elif os.path.lexists(part):
        os.remove(part)
    FETCH[way_of(source, webhdfs)](source, part, webhdfs)
    os.rename(part, to)


def _fetch_http(source, part, _webhdfs_address):
    # type: (str, str, str) -> None
    response = urlopen(source, timeout=60)
    save(response, response.headers.get("Content-Length"), part)


def _fetch_webhdfs(source, part, webhdfs):
    # type: (str, str, str) -> None
    _webhdfs(lambda client: client.download(hdfs_path(source), part), webhdfs)


def _fetch_with_client(source, part, _webhdfs_address):
    # type: (str, str, str) -> None
    _hdfs(["-get", client_path(source), part])


def _fetch_path(source, part, _webhdfs_address):
    # type: (str, str, str) -> None
    if os.path.isdir(source):
        shutil.copytree(source, part, symlinks=True)
    else:
        shutil.copyfile(source, part)


FETCH["http"] = _fetch_http
FETCH["webhdfs"] = _fetch_webhdfs
FETCH["client"] = _fetch_with_client
FETCH["path"] = _fetch_path


def put(source, destination, overwrite, mark, webhdfs):
    # type: (str, str, bool, str, str) -> None
    """Copy ``source`` to ``destination`` (a URI): written beside it under a name with ``mark``, then renamed."""
    part = "%s.part-%s" % (destination.rstrip("/"), mark)
    PUT[way_of(destination, webhdfs)](source, destination, overwrite, part, webhdfs)


def _put_with_client(source, destination, overwrite, part, _webhdfs_address):
    # type: (str, str, bool, str, str) -> None
    exists = hdfs(["-test", "-e", destination])[0] == 0
    if exists and not overwrite:
        raise SystemExit("%s is there already; write `{ overwrite = true }` if it may be replaced" % destination)
    parent = destination.rstrip("/").rpartition("/")[0]
    _hdfs(["-mkdir", "-p", parent])
    hdfs(["-rm", "-r", "-f", "-skipTrash", part])
    _hdfs(["-put", source, part])
    if exists:
        _hdfs(["-rm", "-r", "-skipTrash", destination])
    elif hdfs(["-test", "-e", destination])[0] == 0:
        hdfs(["-rm", "-r", "-f", "-skipTrash", part])
        raise SystemExit("%s was made meanwhile" % destination)
    _hdfs(["-mv", part, destination])
    inside = destination.rstrip("/") + "/" + part.rpartition("/")[2]
    if hdfs(["-test", "-e", inside])[0] == 0:  # a folder that appeared meanwhile takes it in
        hdfs(["-rm", "-r", "-f", "-skipTrash", inside])
        raise SystemExit("%s was made meanwhile" % destination)


def _put_webhdfs(source, destination, overwrite, part, webhdfs):
    # type: (str, str, bool, str, str) -> None
    _webhdfs(lambda client: _put_over_http(client, source, destination, part, overwrite), webhdfs)


PUT["webhdfs"] = _put_webhdfs
PUT["client"] = _put_with_client


def _put_over_http(client, source, destination, part, overwrite):
    # type: (WebHdfs, str, str, str, bool) -> None
    path, beside = hdfs_path(destination.rstrip("/")), hdfs_path(part)
    exists = client.exists(path)
    if exists and not overwrite:
        raise SystemExit("%s is there already; write `{ overwrite = true }` if it may be replaced" % destination)
    client.delete(beside)
    client.upload(source, beside)
    if exists:
        client.delete(path)
    client.rename(beside, path)
    inside = path + "/" + beside.rpartition("/")[2]
    if client.exists(inside):  # a folder that appeared meanwhile has taken it in
        client.delete(inside)
        raise SystemExit("%s was made meanwhile" % destination)


def _webhdfs(work, address):
    # type: (Callable[[WebHdfs], None], str) -> None
    try:
        work(WebHdfs(address))
    except (WebHdfsError, EnvironmentError) as error:
        raise SystemExit("WebHDFS at %s: %s" % (address, error))


def _hdfs(arguments):
    # type: (list[str]) -> None
    status, _out, err = hdfs(arguments)
    if status != 0:
        raise SystemExit("hdfs dfs %s: %s" % (" ".join(arguments), err.strip()[-1000:] or "failed"))


def transfer(work, what):
    # type: (Callable[[], None], str) -> int
    """The status of a step of the job script that copies something."""
    try:
        work()
    except (EnvironmentError, shutil.Error) as error:
        sys.stderr.write("[tfjob] %s: %s\n" % (what, error))
        return 1
    return 0


def fetch_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``fetch SOURCE TO``."""
    source, to = arguments
    return transfer(lambda: fetch(source, to, environ.get("TFJOB_WEBHDFS", "")), "fetch " + source)


def put_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``put SOURCE DESTINATION keep|overwrite``."""
    source, destination, when_there = arguments
    mark = environ.get("CONTAINER_ID") or str(os.getpid())
    webhdfs = environ.get("TFJOB_WEBHDFS", "")
    return transfer(lambda: put(source, destination, when_there == "overwrite", mark, webhdfs), "put " + source)
