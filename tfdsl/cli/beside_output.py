"""What is in or around the folder of an output and does not fit it: files of jobs that are gone, kustomizations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import Arguments, quote
from tfdsl.cli.kustomizations import Renaming, renamings
from tfdsl.cli.leftovers import Folder, leftovers
from tfdsl.cli.renaming import kept_names
from tfdsl.compiling.pipeline import Made
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import KUSTOMIZE_RENAMES
from tfdsl.diagnostics.suggest import enumeration

if TYPE_CHECKING:
    from tfdsl.cli.outputs import Compilation, Placed


def beside_output(compilation: Compilation, jobs: Sequence[Placed]) -> list[Diagnostic]:
    """Warnings about what is beside the files of ``jobs``, which have been written."""
    return [*_leftovers(compilation, jobs), *_renamings(compilation, jobs)]


def _leftovers(compilation: Compilation, jobs: Sequence[Placed]) -> list[Diagnostic]:
    folders: dict[tuple[str, str], list[Placed]] = {}
    for one in jobs:
        folders.setdefault((one.folder, one.made.unit.target), []).append(one)
    return leftovers(compilation, [_folder(path, target, those) for (path, target), those in folders.items()])


def _folder(path: str, target: str, jobs: Iterable[Placed]) -> Folder:
    backend = targets.find(target)
    return Folder(
        path,
        target,
        frozenset(file.path for one in jobs for file in one.files),
        frozenset(one.made.unit.job.name for one in jobs),
        subfolders=backend is not None and backend.output == "files",
    )


def _renamings(compilation: Compilation, jobs: Sequence[Placed]) -> Iterator[Diagnostic]:
    """For each renaming and target one warning, about the first of its jobs that it breaks."""
    for renaming in renamings(file.path for one in jobs for file in one.files):
        reached: dict[str, list[Made]] = {}
        for one in jobs:
            if any(file.path in renaming.files for file in one.files):
                reached.setdefault(one.made.unit.target, []).append(one.made)
        for those in reached.values():
            yield from _renaming(compilation, renaming, those)


def _renaming(compilation: Compilation, renaming: Renaming, jobs: Sequence[Made]) -> Iterator[Diagnostic]:
    found = next(((one, kept) for one in jobs if (kept := kept_names(one))), None)
    if found is None:
        return
    first, kept = found
    job, target = first.unit.job.name, first.unit.target
    warning = KUSTOMIZE_RENAMES(
        renaming.span, field=renaming.field, job=job, target=target, what=enumeration(one.what for one in kept)
    )
    warning = warning.help(enumeration(one.consequence for one in kept))
    command = _with_name(compilation.arguments, first, renaming, several=len(jobs) > 1)
    yield warning.help(f"leave {renaming.field} out, and give the job that name: {command}")


def _with_name(arguments: Arguments, made: Made, renaming: Renaming, *, several: bool) -> str:
    """The command that compiles a job under the name that kustomize would give it."""
    unit = made.unit
    backend = targets.find(unit.target)
    version = "" if backend is None or unit.shown_version == backend.default_version else f"@{unit.shown_version}"
    words = ["tfdsl", "compile", *(argument.text for argument in arguments.rest), "-t", f"{unit.target}{version}"]
    words += [chosen.JOB.name, unit.job.name] if several else []
    for flag in (chosen.PROFILE, chosen.PARAMS, chosen.SET, chosen.OPTION, chosen.ALLOW_READ):
        words += [word for argument in arguments.values(flag.name) for word in (flag.short or flag.name, argument.text)]
    words += [chosen.NAME.name, renaming.renamed(unit.job.name), "-o", renaming.folder]
    return " ".join(map(quote, words))
