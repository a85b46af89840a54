"""Texts and files of the node."""

import contextlib
import os
import shutil
import sys
import zipfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

    Json = dict[str, Any] | list[Any] | str | float | None


def native(value):
    # type: (Json) -> Any
    """``value`` with every text as ``str``: Python 2 reads JSON as unicode, which a process does not take."""
    if isinstance(value, dict):
        return dict((native(key), native(item)) for key, item in value.items())
    if isinstance(value, list):
        return [native(item) for item in value]
    encode = getattr(value, "encode", None)
    return encode("utf-8") if encode and not isinstance(value, str) else value


def remove(path):
    # type: (str) -> None
    """Remove a file or folder of our own, even a read-only one; of a link only the link itself."""
    if os.path.islink(path) or os.path.isfile(path):
        os.remove(path)
    elif os.path.isdir(path):
        os.chmod(path, 0o700)
        for folder, names, _ in os.walk(path):
            for name in names:
                if not os.path.islink(os.path.join(folder, name)):
                    os.chmod(os.path.join(folder, name), 0o700)
        shutil.rmtree(path)


def save(response, length, to):
    # type: (IO[bytes], str | None, str) -> None
    """Write a response to the file ``to``; it is an error if the response ends before its ``length``."""
    with open(to, "wb") as output:
        shutil.copyfileobj(response, output)
        size = output.tell()
    if length is not None and length.isdigit() and size != int(length):  # read() reports no broken connection
        raise IOError("received only %d of %s bytes" % (size, length))


def download(source, to):
    # type: (str, str) -> None
    """Download a web address to the file ``to``."""
    # Not at the top: the compiler reads this module, too, and its memory is counted.
    if sys.version_info >= (3,):
        from urllib.request import urlopen
    else:
        from urllib2 import urlopen
    response = urlopen(source, None, 60)
    try:
        save(response, response.info().get("Content-Length"), to)
    finally:
        response.close()


def unzip(path, folder):
    # type: (str, str) -> None
    """Unpack a zip file with its permissions, but nothing of one that has a member outside ``folder``."""
    try:
        with contextlib.closing(zipfile.ZipFile(path)) as archive:
            for member in archive.infolist():
                check_member(folder, member.filename)
            for member in archive.infolist():
                written = archive.extract(member, folder)
                mode = (member.external_attr >> 16) & 0o777
                if mode and os.path.isfile(written):
                    os.chmod(written, mode | 0o600)
    except zipfile.BadZipfile as error:
        raise IOError("%s" % error)


def check_member(folder, name):
    # type: (str, str) -> None
    """Refuse the name of an archive's member that leads out of ``folder``, also through a link that exists already."""
    folder = os.path.abspath(folder)
    path = os.path.normpath(os.path.join(folder, name))
    if not (inside(folder, path) and inside(os.path.realpath(folder), os.path.realpath(path))) or os.path.isabs(name):
        raise IOError("the archive contains %s, which is outside its folder" % name)


def inside(folder, path):
    # type: (str, str) -> bool
    """Whether ``path`` is ``folder`` or inside it; both are normalised."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
