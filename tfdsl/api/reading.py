"""The text that a call names, by its path or as it is."""

from __future__ import annotations

import errno
import os
import stat

from tfdsl.api.errors import UsageError
from tfdsl.source_files import contents, decode
from tfdsl.text import Source

TEXT = "<text>"
"""What messages call a text that is in no file."""


def source_of(path: str | os.PathLike[str] | None, text: str | None, base: str | os.PathLike[str] | None) -> Source:
    """The text in the file at ``path``, or ``text``, whose includes are found from the folder ``base``.

    Raises:
        OSError: The file is not there (``FileNotFoundError``) or may not be read.
        UsageError: It is not a text file.
        TypeError: Both a path and a text, or neither, or ``base`` without a text.
    """
    if text is not None:
        if path is not None:
            raise TypeError("give a path or text=, not both")
        return Source(TEXT, text, None if base is None else os.path.join(os.fspath(base), TEXT))
    if base is not None:
        raise TypeError("base= belongs to text=; includes of a file are found from its own folder")
    if path is None:
        raise TypeError("give a path or text=")
    return _file(os.fspath(path))


def _file(path: str) -> Source:
    _refuse_what_cannot_be_opened(path)
    data = contents(path)
    source = data if isinstance(data, str) else decode(data, path, path)
    if isinstance(source, str):
        raise UsageError(f"cannot read {path}: {source}")
    return source


def _refuse_what_cannot_be_opened(path: str) -> None:
    """Raise what ``open`` would raise, without opening a pipe or a device."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if "\n" in path or "{" in path:
            error.add_note("To compile a text instead of a file, write text=...")
        raise
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
