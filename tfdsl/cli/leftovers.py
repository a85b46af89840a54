"""Files of earlier compilations in the folder of the output, whose jobs the source no longer has.

A file is one of them if its header names the same target and source and this compilation does not write it. Nothing is
said where that does not show that the job is gone: only some jobs of the source were asked for, the names of its jobs
depend on what was given, or another file may have the same name because no root tells them apart.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.cli.arguments import quote
from tfdsl.compiling.front_end import ReadyJob
from tfdsl.compiling.pipeline import Request
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import LEFT_OVER
from tfdsl.emit.header import FORMS, escaped, said_by
from tfdsl.record import Record
from tfdsl.source_files import beginning, has_root, is_below, name_below_root, root_of
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.cli.outputs import Compilation
    from tfdsl.compiling.front_end import Input

MOST_FILES: Final = 10_000
"""So many entries of folders are looked at."""
MOST_MESSAGES: Final = 10
"""So many are told one by one; of a large sweep with another name nobody reads more."""
_LOOKED_AT: Final = 8192
"""Bytes of a file in which its header is looked for."""
_DIRECT: Final = (".yaml", ".Dockerfile")
"""How names of files end that are directly in the folder."""
_WITHOUT_HEADER: Final = (".json", ".map")
"""How names of files end that are written beside those with a header and have none."""


class Folder(Record):
    """A folder of the output of one target: the paths that are written, and the jobs.

    ``subfolders``: each job has a folder in it.
    """

    path: str
    target: str
    written: frozenset[str]
    jobs: frozenset[str]
    subfolders: bool


class Leftover(Record):
    """What is left of a job: its files, and the folder if that has nothing else. ``gone``: there is no such job."""

    job: str
    gone: bool
    files: tuple[str, ...]
    folder: str | None = None


def leftovers(compilation: Compilation, folders: Iterable[Folder]) -> list[Diagnostic]:
    """A warning for each job that is left over in ``folders``."""
    source, place = compilation.source, compilation.place
    name = name_below_root(source)
    shows = _shows_what_is_gone(compilation.given, compilation.request)
    if name is None or not shows or not _is_unique(source, place.path):
        return []
    names = frozenset(escaped(name, form) for form in FORMS)
    found = [one for folder in folders for one in _in_folder(folder, names)]
    warnings = [_warning(one, source, place.span) for one in found[:MOST_MESSAGES]]
    more = len(found) - len(warnings)
    return [*warnings[:-1], warnings[-1].help(f"{more} more are left over")] if more else warnings


def _shows_what_is_gone(given: Input, request: Request) -> bool:
    if request.job is not None or request.name is not None:
        return False
    if isinstance(given, ReadyJob) or not (request.params or request.values or request.profile):
        return True
    return not any(job.pattern or job.condition or job.matrix for job in given.jobs)


def _is_unique(source: Source, folder: str) -> bool:
    """Whether the name in a header of ``folder`` can only be that of ``source``."""
    return has_root(source.file) or is_below(folder, [root_of(source.file)])


def _in_folder(folder: Folder, names: frozenset[str]) -> Iterator[Leftover]:
    budget = iter(range(MOST_FILES))
    roots = (os.path.realpath(folder.path),)

    def has_header(entry: os.DirEntry[str]) -> bool:
        return _has_header(entry, roots, folder.target, names)

    stems: dict[str, list[str]] = {}
    for entry in _entries(folder.path, budget):
        if entry.is_dir(follow_symlinks=False):
            if folder.subfolders:
                yield from _in_subfolder(folder, entry, has_header, budget)
        elif entry.name.endswith(_DIRECT) and entry.path not in folder.written and has_header(entry):
            stem = entry.name.removesuffix(".yaml").removesuffix(".Dockerfile")
            stems.setdefault(stem, []).append(entry.path)
    for stem, paths in sorted(stems.items()):
        yield Leftover(stem, stem not in folder.jobs, tuple(sorted(_with_maps(paths))))


def _in_subfolder(
    folder: Folder, entry: os.DirEntry[str], has_header: Callable[[os.DirEntry[str]], bool], budget: Iterator[int]
) -> Iterator[Leftover]:
    """What is left in the folder of a job; every such folder has a file with a header directly in it."""
    direct = _entries(entry.path, budget)
    if not any(one.path in folder.written or has_header(one) for one in direct):
        return
    inside = list(_below(direct, budget))
    paths = [one.path for one in inside if one.path not in folder.written and has_header(one)]
    alone = not any(one.path in folder.written for one in inside)
    ours = {*paths, *_with_maps(paths)}
    every = all(one.path in ours or (alone and one.name.endswith(_WITHOUT_HEADER)) for one in inside)
    if paths:
        yield Leftover(entry.name, entry.name not in folder.jobs, tuple(sorted(ours)), entry.path if every else None)


def _below(entries: Iterable[os.DirEntry[str]], budget: Iterator[int]) -> Iterator[os.DirEntry[str]]:
    left = list(entries)
    while left:
        entry = left.pop()
        if entry.is_dir(follow_symlinks=False):
            left += _entries(entry.path, budget)
        else:
            yield entry


def _entries(path: str, budget: Iterator[int]) -> list[os.DirEntry[str]]:
    """What is in a folder, by name, as long as ``budget`` has something left; nothing where it cannot be read."""
    try:
        with os.scandir(path) as found:
            return sorted((entry for entry, _ in zip(found, budget, strict=False)), key=lambda entry: entry.name)
    except OSError:
        return []


def _has_header(entry: os.DirEntry[str], roots: Sequence[str], target: str, names: frozenset[str]) -> bool:
    if entry.name.endswith(_WITHOUT_HEADER) or not entry.is_file(follow_symlinks=False):
        return False
    said = said_by(beginning(entry.path, _LOOKED_AT, roots).decode("utf-8", "replace"))
    return said is not None and said.target == target and said.source in names


def _with_maps(paths: Sequence[str]) -> list[str]:
    maps = [f"{path}.map" for path in paths]
    return [*paths, *(path for path in maps if os.path.isfile(path))]


def _warning(left: Leftover, source: Source, place: Span) -> Diagnostic:
    shown = left.folder or left.files[0]
    paths = [left.folder] if left.folder else left.files
    ends = ["--"] if paths[0].startswith("-") else []
    words = ["rm", *(["-r"] if left.folder else []), *ends, *paths]
    warning = LEFT_OVER(place, path=shown, source=source.path).help(f"remove it: {' '.join(map(quote, words))}")
    return warning.help(f"job {left.job} may still be on the cluster: delete it there too") if left.gone else warning
