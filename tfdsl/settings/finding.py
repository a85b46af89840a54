"""Which file has the settings for a text, and what they are.

The nearest ``tfdsl.toml`` or ``pyproject.toml`` counts, searching from the folder of the source upwards. In one folder
``tfdsl.toml`` comes first; a ``pyproject.toml`` without the table is skipped. Most texts have no settings, so what
reads a file is loaded only when there is one. The user has not named the file: a link that leads out of its root is an
error that shows nothing of what is there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TypeAlias

from tfdsl.settings import Settings
from tfdsl.source_files import IN_GIT, Outside, contents, root_of
from tfdsl.text import Source, Span

LARGEST = 1 << 20
"""Bytes of a settings file."""
OWN = "tfdsl.toml"
SHARED = "pyproject.toml"
"""The file that has settings of other tools too."""


Shown: TypeAlias = "Callable[[str], str | None]"
"""The text that an editor shows for a path, saved or not; ``None`` for a file that is not open."""


def is_settings_file(path: str) -> bool:
    """Whether a path or URI is, by its name, that of a file that can have settings."""
    return path.replace(os.sep, "/").rpartition("/")[2] in (OWN, SHARED)


def is_shared(path: str) -> bool:
    """Whether a settings file, by its name, is one that other tools have theirs in too."""
    return path.endswith(SHARED)


def settings_for(path: str | None, shown: Shown | None = None, allowed: Iterable[str] = ()) -> Settings:
    """The settings for a source file; for a text that is in no file (``None``), those of the current folder.

    With ``shown`` they are for an editor, which knows files by their whole path. ``allowed``: folders outside of the
    root that they may be in.
    """
    folder = os.path.dirname(os.path.abspath(path)) if path is not None else os.getcwd()
    while True:
        for name in (OWN, SHARED):
            settings = _read(os.path.join(folder, name), shown, allowed)
            if settings is not None:
                return settings
        parent = os.path.dirname(folder)
        if parent == folder:
            return Settings()
        folder = parent


def _read(path: str, shown: Shown | None, allowed: Iterable[str]) -> Settings | None:
    """The settings in the file at ``path``, or ``None`` if it has none."""
    shared = is_shared(path)
    open_text = shown(path) if shown is not None else None
    if open_text is not None:
        return _settings(Source(path, open_text), shared=shared)
    if not os.path.lexists(path):
        return None
    data = contents(path, LARGEST, (root_of(path), *map(os.path.realpath, allowed)))
    text = data if isinstance(data, str) else _decoded(data)
    name = os.path.relpath(path) if shown is None else path
    source = Source(name, text if isinstance(data, bytes) and text is not None else "", path)
    if isinstance(data, str) or text is None:
        reason = data if isinstance(data, str) else "it is not UTF-8"
        leads_away = reason == IN_GIT or isinstance(reason, Outside)
        return _unusable(source, reason) if leads_away or not shared else None
    return _settings(source, shared=shared)


def _settings(source: Source, *, shared: bool) -> Settings | None:
    if shared and "tfdsl" not in source.text:
        return None
    from tfdsl.settings.tables import read_settings

    return read_settings(source, shared=shared)


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _unusable(source: Source, reason: str) -> Settings:
    from tfdsl.diagnostics.command_rules import BAD_SETTINGS

    problem = BAD_SETTINGS(Span(source, 0, 0), problem=f"{source.path} cannot be read: {reason}")
    return Settings(problems=(problem.help(Outside.HELP) if isinstance(reason, Outside) else problem,))
