"""Fetches what a task mounts, and copies its outputs."""

from __future__ import print_function

import os
import shutil
import sys
import tempfile

from tfdsl_backends.yarn.programs.marks import copier, hdfs_mark, is_own, note, set_hdfs_mark
from tfdsl_backends.yarn.programs.storage import hdfs, hdfs_path, pattern
from tfdsl_backends.yarn.programs.ways import way_of
from tfdsl_backends.yarn.programs.webhdfs import WebHdfs, WebHdfsError, save

if sys.version_info >= (3,):
    from urllib.request import urlopen
else:
    from urllib2 import urlopen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FETCH = {}  # type: dict[str, Callable[[str, str, str], None]]
"""How to copy a source to a path on the node, by the way to the source; also takes the address of WebHDFS."""

PUT = {}  # type: dict[str, Callable[[str, str, bool, str, str, str], None]]
"""How to copy a path on the node to a URI, by the way to the URI; also takes who copies, and the address of WebHDFS."""


def fetch(source, to, webhdfs):
    # type: (str, str, str) -> None
    """Copy ``source`` (a URI that Hadoop reads, http, https, a path on the node) to ``to``, whole or not at all."""
    part = to + ".part"
    clear(part)  # an earlier attempt was killed
    try:
        FETCH[way_of(source, webhdfs)](source, part, webhdfs)
        os.rename(part, to)
    finally:
        clear(part)


def clear(path):
    # type: (str) -> None
    """Remove a file, link or folder of the program's own, if it exists."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def _fetch_http(source, part, _webhdfs_address):
    # type: (str, str, str) -> None
    response = urlopen(source, timeout=60)
    save(response, response.headers.get("Content-Length"), part)


def _fetch_webhdfs(source, part, webhdfs):
    # type: (str, str, str) -> None
    _webhdfs(lambda client: client.download(hdfs_path(source), part), webhdfs)


def _fetch_with_client(source, part, _webhdfs_address):
    # type: (str, str, str) -> None
    folder = part + ".d"
    clear(folder)
    os.mkdir(folder)
    try:
        _hdfs(["-get", pattern(source), "copy"], folder)
        os.rename(folder + "/copy", part)
    finally:
        clear(folder)


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


def put(source, destination, overwrite, mark, who, webhdfs):
    # type: (str, str, bool, str, str, str) -> None
    """Copy ``source`` to ``destination`` (a URI), under a temporary name with ``mark`` that is then renamed.

    A copy that an earlier attempt of the same task (``who``) made may be replaced.
    """
    destination = destination.rstrip("/")
    part = "%s.part-%s" % (destination, mark)
    PUT[way_of(destination, webhdfs)](source, destination, overwrite, part, who, webhdfs)


def _put_with_client(source, destination, overwrite, part, who, _webhdfs_address):
    # type: (str, str, bool, str, str, str) -> None
    exists = _there(destination)
    if exists and not overwrite and not is_own(hdfs_mark(destination), who, destination, "hdfs"):
        raise SystemExit(IS_THERE % destination)
    moving = False
    try:
        _hdfs(["-mkdir", "-p", pattern(destination.rpartition("/")[0] + "/")])
        _remove(part)
        _upload_with_client(source, part)
        if who and not overwrite and not set_hdfs_mark(part, who):
            note(destination, "hdfs")
        if exists:
            moving = True
            _hdfs(["-rm", "-r", "-skipTrash", pattern(destination)])
        elif _there(destination):
            raise SystemExit("%s was created in the meantime" % destination)
        _hdfs(["-mv", pattern(part), pattern(destination)])
    except BaseException:
        if moving:  # the previous copy may be gone already
            sys.stderr.write("[tfjob] the copy is complete, but still named %s\n" % part)
        else:
            _remove(part)
        raise
    inside = destination + "/" + part.rpartition("/")[2]
    if _there(inside):  # a folder was created in the meantime, and the copy moved into it
        _remove(inside)
        raise SystemExit("%s was created in the meantime" % destination)


IS_THERE = "%s already exists; write { overwrite = true } to replace it"


def _upload_with_client(source, part):
    # type: (str, str) -> None
    """Upload ``source`` through a link with a plain name."""
    folder = tempfile.mkdtemp(prefix="put-", dir=os.path.dirname(os.path.abspath(__file__)))
    try:
        os.symlink(os.path.abspath(source), folder + "/copy")
        _hdfs(["-put", "copy", pattern(part)], folder)
    finally:
        clear(folder)


def _there(path):
    # type: (str) -> bool
    return hdfs(["-test", "-e", pattern(path)])[0] == 0


def _remove(path):
    # type: (str) -> None
    hdfs(["-rm", "-r", "-f", "-skipTrash", pattern(path)])


def _put_webhdfs(source, destination, overwrite, part, who, webhdfs):
    # type: (str, str, bool, str, str, str) -> None
    _webhdfs(lambda client: _put_over_http(client, source, destination, part, overwrite, who), webhdfs)


PUT["webhdfs"] = _put_webhdfs
PUT["client"] = _put_with_client


def _put_over_http(client, source, destination, part, overwrite, who):
    # type: (WebHdfs, str, str, str, bool, str) -> None
    path, beside = hdfs_path(destination), hdfs_path(part)
    exists = client.exists(path)
    if exists and not overwrite and not is_own(client.mark(path), who, destination, "hdfs"):
        raise SystemExit(IS_THERE % destination)
    moving = False
    try:
        client.delete(beside)
        client.upload(source, beside)
        if who and not overwrite and not client.set_mark(beside, who):
            note(destination, "hdfs")
        if exists:
            moving = True
            client.delete(path)
        client.rename(beside, path)
    except BaseException:
        if moving:
            sys.stderr.write("[tfjob] the copy is complete, but still named %s\n" % part)
        else:
            _forget(client, beside)
        raise
    inside = path + "/" + beside.rpartition("/")[2]
    if client.exists(inside):  # a folder was created in the meantime, and the copy moved into it
        client.delete(inside)
        raise SystemExit("%s was created in the meantime" % destination)


def _forget(client, path):
    # type: (WebHdfs, str) -> None
    """Remove ``path`` if possible; the error before this is the one to report."""
    try:
        client.delete(path)
    except (WebHdfsError, EnvironmentError):
        pass


def _webhdfs(work, address):
    # type: (Callable[[WebHdfs], None], str) -> None
    try:
        work(WebHdfs(address))
    except (WebHdfsError, EnvironmentError) as error:
        raise SystemExit("WebHDFS at %s: %s" % (address, error))


def _hdfs(arguments, folder=None):
    # type: (list[str], str | None) -> None
    status, _out, err = hdfs(arguments, "", folder)
    if status != 0:
        raise SystemExit("hdfs dfs %s: %s" % (" ".join(arguments), err.strip()[-1000:] or "failed"))


def transfer(work, what):
    # type: (Callable[[], None], str) -> int
    """Do the work of a copy; returns its exit status."""
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
    who, overwrite = copier(environ), when_there == "overwrite"
    return transfer(lambda: put(source, destination, overwrite, mark, who, webhdfs), "put " + source)
