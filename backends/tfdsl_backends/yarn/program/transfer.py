# ruff: noqa: B904, B905, F401, I001, RUF005, RUF100, SIM105, UP004, UP008, UP010, UP024, UP031, UP036, UP041
# pyright: reportTypeCommentUsage=false
"""Fetching what a task mounts, copying what it puts out."""

from __future__ import print_function

import os
import shutil
import sys
import zipfile

from tfdsl_backends.yarn.program.storage import hdfs, hdfs_path
from tfdsl_backends.yarn.program.webhdfs import WebHdfs, WebHdfsError, save

if sys.version_info >= (3,):
    from urllib.request import urlopen
else:
    from urllib2 import urlopen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def fetch(source, to, webhdfs):
    # type: (str, str, str) -> None
    """Copy ``source`` (a URI that Hadoop reads, http, https, a path of the node) to ``to``, whole or not at all."""
    part = to + ".part"
    if os.path.isdir(part) and not os.path.islink(part):
        shutil.rmtree(part)  # an earlier try was killed
    elif os.path.lexists(part):
        os.remove(part)
    if source.startswith(("http://", "https://")):
        response = urlopen(source, timeout=60)
        save(response, response.headers.get("Content-Length"), part)
    elif source.startswith("hdfs:") and webhdfs:
        _webhdfs(lambda client: client.download(hdfs_path(source), part), webhdfs)
    elif "://" in source:
        _hdfs(["-get", source, part])
    elif os.path.isdir(source):
        shutil.copytree(source, part, symlinks=True)
    else:
        shutil.copyfile(source, part)
    os.rename(part, to)


def put(source, destination, overwrite, mark, webhdfs):
    # type: (str, str, bool, str, str) -> None
    """Copy ``source`` to ``destination`` (a URI): written beside it under a name with ``mark``, then renamed."""
    part = "%s.part-%s" % (destination.rstrip("/"), mark)
    if webhdfs and destination.startswith("hdfs:"):
        _webhdfs(lambda client: _put_over_http(client, source, destination, part, overwrite), webhdfs)
        return
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


def unzip(archive, folder):
    # type: (str, str) -> None
    """Unpack a zip file, with the permissions it holds; members that would land outside are refused."""
    root = os.path.realpath(folder)
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            place = os.path.realpath(os.path.join(root, member.filename))
            if place != root and not place.startswith(root.rstrip("/") + "/"):
                raise SystemExit("%s: the member %s would land outside of %s" % (archive, member.filename, folder))
            made = opened.extract(member, folder)
            mode = (member.external_attr >> 16) & 0o777
            if mode and not os.path.isdir(made):
                os.chmod(made, mode)


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


def transfer(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """The sub-commands that the job script calls: ``fetch``, ``put`` and ``unzip``."""
    webhdfs = environ.get("TFJOB_WEBHDFS", "")
    try:
        if arguments[0] == "fetch":
            fetch(arguments[1], arguments[2], webhdfs)
        elif arguments[0] == "put":
            mark = environ.get("CONTAINER_ID") or str(os.getpid())
            put(arguments[1], arguments[2], arguments[3] == "overwrite", mark, webhdfs)
        else:
            unzip(arguments[1], arguments[2])
    except (EnvironmentError, zipfile.BadZipfile, shutil.Error) as error:
        sys.stderr.write("[tfjob] %s %s: %s\n" % (arguments[0], arguments[1], error))
        return 1
    return 0
