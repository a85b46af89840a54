"""Fetches what a task mounts, and copies its outputs: the commands that the steps call."""

from __future__ import print_function

import os
import shutil
import sys

from tfdsl_backends.hadoop.programs.files import download, remove, unzip
from tfdsl_backends.hadoop.programs.hdfs import put
from tfdsl_backends.hadoop.programs.marks import Copies
from tfdsl_backends.yarn.programs.plan import way_of
from tfdsl_backends.yarn.programs.storage import Client
from tfdsl_backends.yarn.programs.webhdfs import WebHdfs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FETCH = {}  # type: dict[str, Callable[[str, str, str], None]]
"""How to copy a source to a path on the node, by the way to the source; also takes the address of WebHDFS."""

PUT = {}  # type: dict[str, Callable[[str], Client | WebHdfs]]
"""The client that copies a path on the node to a URI, by the way to the URI; takes the address of WebHDFS."""


def fetch(source, to, webhdfs):
    # type: (str, str, str) -> None
    """Copy ``source`` (a URI that Hadoop reads, http, https, a path on the node) to ``to``, whole or not at all."""
    part = to + ".part"
    remove(part)  # an earlier attempt was killed
    try:
        FETCH[way_of(source, webhdfs)](source, part, webhdfs)
        os.rename(part, to)
    finally:
        remove(part)


def _fetch_path(source, part, _webhdfs):
    # type: (str, str, str) -> None
    if os.path.isdir(source):
        shutil.copytree(source, part, symlinks=True)
    else:
        shutil.copyfile(source, part)


FETCH["http"] = lambda source, part, _webhdfs: download(source, part)
FETCH["webhdfs"] = lambda source, part, webhdfs: WebHdfs(webhdfs).download(source, part)
FETCH["client"] = lambda source, part, _webhdfs: Client().download(source, part)
FETCH["path"] = _fetch_path
PUT["webhdfs"] = WebHdfs
PUT["client"] = lambda _webhdfs: Client()


def attempt(what, work):
    # type: (str, Callable[[], None]) -> int
    """Do the work of a command; returns its exit status."""
    try:
        work()
    except (EnvironmentError, shutil.Error) as error:
        sys.stderr.write("[tfjob] %s: %s\n" % (what, error))
        return 1
    return 0


def copies_of(environ):
    # type: (dict[str, str]) -> Copies
    """The copies of this task; without its name in a container that submit.sh did not start."""
    run = environ.get("TFJOB_RUN", "")
    who = "%s %s[%s]" % (run, environ.get("TFJOB_ROLE", ""), environ.get("TFJOB_INDEX", "")) if run else ""
    return Copies(who, os.path.join(os.path.dirname(os.path.abspath(__file__)), "copied.json"))


def fetch_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``fetch SOURCE TO``."""
    source, to = arguments
    return attempt("fetch " + source, lambda: fetch(source, to, environ.get("TFJOB_WEBHDFS", "")))


def put_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``put SOURCE DESTINATION keep|overwrite``."""
    source, destination, when_there = arguments
    number = environ.get("CONTAINER_ID") or str(os.getpid())
    webhdfs = environ.get("TFJOB_WEBHDFS", "")
    client, overwrite = PUT[way_of(destination, webhdfs)](webhdfs), when_there == "overwrite"
    return attempt("put " + source, lambda: put(client, source, destination, overwrite, number, copies_of(environ)))


def copied_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``copied PATH``: 0 if an earlier attempt of this task made it."""
    (path,) = arguments
    return 0 if copies_of(environ).is_own_path(path) else 1


def mark_command(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """``mark PART PATH``: mark the copy in PART, which will be renamed to PATH."""
    part, path = arguments
    copies = copies_of(environ)
    if copies.who:
        copies.mark_path(part, path)
    return 0


def unzip_command(arguments, _environ):
    # type: (list[str], dict[str, str]) -> int
    """``unzip ARCHIVE FOLDER``."""
    archive, folder = arguments
    return attempt("unzip " + archive, lambda: unzip(archive, folder))
