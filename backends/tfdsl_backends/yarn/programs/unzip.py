"""Unpacks zip files, which tar cannot."""

from __future__ import print_function

import os
import sys
import zipfile


def unzip(archive, folder):
    # type: (str, str) -> None
    """Unpack a zip file with its permissions; refuses a member outside ``folder``."""
    root = os.path.realpath(folder)
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            place = os.path.realpath(os.path.join(root, member.filename))
            if place != root and not place.startswith(root.rstrip("/") + "/"):
                raise SystemExit("%s: the member %s is outside %s" % (archive, member.filename, folder))
            made = opened.extract(member, folder)
            mode = (member.external_attr >> 16) & 0o777
            if mode and not os.path.isdir(made):
                os.chmod(made, mode)


def unzip_command(arguments, _environ):
    # type: (list[str], dict[str, str]) -> int
    """``unzip ARCHIVE FOLDER``."""
    archive, folder = arguments
    try:
        unzip(archive, folder)
    except (EnvironmentError, zipfile.BadZipfile) as error:
        sys.stderr.write("[tfjob] unzip %s: %s\n" % (archive, error))
        return 1
    return 0
