"""What is in or around the folder of an output and does not fit it: files of jobs that are gone, kustomizations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from tfdsl import targets
from tfdsl.backend import Backend
from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import Arguments, quote
from tfdsl.cli.destinations import Compilation, Placed
from tfdsl.compiling.front_end import Input, ReadyJob
from tfdsl.compiling.output_files import json_object
from tfdsl.compiling.pipeline import Made
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import KUSTOMIZE_RENAMES, LEFT_OVER
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.emit.header import FORMS, escaped, said_by
from tfdsl.emit.located import Plain, plain
from tfdsl.record import Record
from tfdsl.semantics.request import Request
from tfdsl.source_files import beginning, contents, decode, has_root, is_below, is_file_name, name_below_root, root_of
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View


def beside_output(compilation: Compilation, jobs: Sequence[Placed]) -> list[Diagnostic]:
    """Warnings about what is beside the files of ``jobs``, which have been written."""
    return [*_leftovers(compilation, jobs), *_renamings(compilation, jobs)]


def _leftovers(compilation: Compilation, jobs: Sequence[Placed]) -> list[Diagnostic]:
    folders: dict[tuple[str, str], list[Placed]] = {}
    for job in jobs:
        folders.setdefault((job.folder, job.made.unit.target), []).append(job)
    return leftovers(compilation, [_folder(path, target, those) for (path, target), those in folders.items()])


def _folder(path: str, target: str, jobs: Iterable[Placed]) -> Folder:
    backend = targets.find(target)
    return Folder(
        path,
        target,
        frozenset(file.path for job in jobs for file in job.files),
        frozenset(job.made.unit.job.name for job in jobs),
        subfolders=backend is not None and backend.output == "files",
    )


def _renamings(compilation: Compilation, jobs: Sequence[Placed]) -> Iterator[Diagnostic]:
    """For each renaming and target one warning, about the first of its jobs that it breaks."""
    for renaming in renamings(file.path for one in jobs for file in one.files):
        reached: dict[str, list[Made]] = {}
        for job in jobs:
            if any(file.path in renaming.files for file in job.files):
                reached.setdefault(job.made.unit.target, []).append(job.made)
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
    found = [leftover for folder in folders for leftover in _in_folder(folder, names)]
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
    inside = list(_all_below(direct, budget))
    paths = [one.path for one in inside if one.path not in folder.written and has_header(one)]
    alone = not any(one.path in folder.written for one in inside)
    ours = {*paths, *_with_maps(paths)}
    every = all(one.path in ours or (alone and one.name.endswith(_WITHOUT_HEADER)) for one in inside)
    if paths:
        yield Leftover(entry.name, entry.name not in folder.jobs, tuple(sorted(ours)), entry.path if every else None)


def _all_below(entries: Iterable[os.DirEntry[str]], budget: Iterator[int]) -> Iterator[os.DirEntry[str]]:
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


NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
MOST_ENTRIES: Final = 20_000
MOST_KUSTOMIZATIONS: Final = 200
_LARGEST: Final = 256 * 1024
"""Bytes of a kustomization that is read."""
_FIELDS: Final = ("namePrefix", "nameSuffix")
_REACHING: Final = ("resources", "bases", "components")
_REPAIRING: Final = ("replacements", "configurations", "transformers", "vars")
"""With these somebody has told kustomize what else it has to change."""
_SKIPPED: Final = ("node_modules", "__pycache__")


class Renaming(Record):
    """A ``field`` of the kustomization in ``folder`` that changes names; ``files``: those that it reaches.

    ``prefix``, ``suffix``: all that this kustomization adds to a name.
    """

    field: str
    span: Span
    folder: str
    files: frozenset[str]
    prefix: str
    suffix: str

    def renamed(self, name: str) -> str:
        """What an object of this name is called then."""
        return f"{self.prefix}{name}{self.suffix}"


class _Kustomization(Record):
    """What counts of one. ``folder`` and ``reaches`` are real paths."""

    folder: str
    shown: str
    reaches: frozenset[str]
    fields: tuple[tuple[str, str, Span], ...]

    def added(self) -> tuple[str, str]:
        """What it puts before and after a name."""
        texts = {field: text for field, text, _ in self.fields}
        prefix, suffix = (texts.get(field, "") for field in _FIELDS)
        return prefix, suffix


def renamings(files: Iterable[str]) -> list[Renaming]:
    """The renamings that reach any of ``files``, which have been written."""
    real = {os.path.realpath(path): path for path in files}
    folders = {os.path.dirname(path) for path in real}
    roots = {root for folder in folders if (root := _root(folder)) is not None and _is_above(folder, root)}
    found = {kustomization.folder: kustomization for root in sorted(roots) for kustomization in _kustomizations(root)}
    reached = _reached(found, frozenset(real))
    return [
        Renaming(field, span, one.shown, frozenset(real[path] for path in reached[one.folder]), *one.added())
        for one in found.values()
        for field, _, span in one.fields
        if reached[one.folder]
    ]


def _root(folder: str) -> str | None:
    """The folder below which kustomizations are looked for: without a mark the current one, if it is above."""
    inside = os.path.join(folder, NAMES[0])
    if has_root(inside):
        return root_of(inside)
    here = os.path.realpath(os.curdir)
    return here if is_below(folder, [here]) else folder


def _is_above(folder: str, root: str) -> bool:
    """Whether a kustomization is in ``folder`` or above it, up to ``root``."""
    while True:
        if any(os.path.isfile(os.path.join(folder, name)) for name in NAMES):
            return True
        if folder == root or os.path.dirname(folder) == folder:
            return False
        folder = os.path.dirname(folder)


def _kustomizations(root: str) -> Iterator[_Kustomization]:
    left = MOST_KUSTOMIZATIONS
    for path in _paths(root):
        read = _kustomization(path, root)
        if read is not None:
            yield read
        left -= 1
        if not left:
            return


def _paths(root: str) -> Iterator[str]:
    """The kustomizations below ``root``, nearer ones first; links and hidden folders are not followed."""
    left = MOST_ENTRIES
    folders = [root]
    for folder in folders:  # which grows
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        left -= len(entries)
        if left < 0:
            return
        yield from (entry.path for entry in entries if entry.name in NAMES and entry.is_file(follow_symlinks=False))
        folders += [entry.path for entry in entries if _is_searched(entry)]


def _is_searched(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)


def _kustomization(path: str, top: str) -> _Kustomization | None:
    """What counts of the kustomization at ``path``, below ``top``; ``None`` if it cannot be read."""
    data = contents(path, _LARGEST, (top,))
    shown = _shown(path)
    source = data if isinstance(data, str) else decode(data, shown, path)
    if not isinstance(source, Source):
        return None
    from tfdsl.manifest import yaml
    from tfdsl.manifest.nodes import view

    documents = yaml.read(source, lambda _: None)
    if len(documents) != 1:
        return None
    root = view(documents[0].node)
    folder = os.path.dirname(path)
    reaches = {os.path.realpath(os.path.join(folder, name)) for field in _REACHING for name in _texts(root[field])}
    repaired = any(root[field].present for field in _REPAIRING)
    fields = [] if repaired else [(field, text, root[field].span) for field in _FIELDS if (text := root[field].text)]
    return _Kustomization(folder, _shown(folder), frozenset(reaches), tuple(fields))


def _texts(list_: View) -> Iterator[str]:
    for item in list_.items():
        if item.text and is_file_name(item.text) and "://" not in item.text:
            yield item.text


def _shown(path: str) -> str:
    """``path`` as seen from the current folder, if it is below that."""
    here = os.path.realpath(os.curdir)
    return os.path.relpath(path, here) if is_below(path, [here]) else path


def _reached(found: dict[str, _Kustomization], files: frozenset[str]) -> dict[str, frozenset[str]]:
    """Which of ``files`` each kustomization has, by itself or by others; one beside a file will have it."""
    reached = {
        folder: frozenset(path for path in files if path in one.reaches or os.path.dirname(path) == folder)
        for folder, one in found.items()
    }
    changed = True
    while changed:
        changed = False
        for folder, one in found.items():
            more = frozenset[str]().union(*(reached[other] for other in one.reaches if other in reached))
            if not more <= reached[folder]:
                reached[folder] |= more
                changed = True
    return reached


class Kept(Record):
    """``what`` keeps its old name, and what comes of that."""

    what: str
    consequence: str


HOSTS: Final = Kept("the hosts in TF_CONFIG or flags", "the tasks wait for hosts that do not exist")
SUBDOMAIN: Final = Kept("the subdomain of its pods", "their host names lead nowhere")
CLAIM: Final = Kept("the claim that its pods mount", "the pods wait for a claim that does not exist")
SELECTOR: Final = Kept(
    "the labels by which its pods are found", "the Service or policy that asks for them finds no pod"
)


def kept_names(made: Made) -> list[Kept]:
    """What keeps its old name; empty if the job works under another one."""
    backend = targets.find(made.unit.target)
    objects = [_object(document.data) for document in made.documents if document.file is None]
    if backend is None or not backend.pods:
        return []
    names = {name for one in objects if (name := _name(one)) is not None}
    hosts = _hosts(made, backend)
    return list(dict.fromkeys(kept for one in objects for kept in _in_object(one, names, hosts, backend)))


def _object(data: object) -> Mapping[str, Plain]:
    found = plain(cast("Plain", data))
    return found if isinstance(found, dict) else {}


def _name(one: Mapping[str, Plain]) -> str | None:
    metadata = one.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else None


def _hosts(made: Made, backend: Backend) -> frozenset[str]:
    """The hosts in the TF_CONFIG of tasks, as far as the compiler knows them."""
    hosts: set[str] = set()
    for task in backend.load().tasks(made.unit):
        for flag in task.flags:
            hosts.update(_host(address) for address in flag.partition("=")[2].split(","))
        hosts.update(map(_host, _addresses(json_object(task.tf_config or "{}"))))
    return frozenset(host for host in hosts if made.unit.job.name in host)


def _addresses(config: Mapping[str, Plain] | None) -> Iterator[str]:
    """The addresses in a TF_CONFIG; one that the job has written itself can hold anything."""
    cluster = (config or {}).get("cluster")
    for tasks in cluster.values() if isinstance(cluster, dict) else ():
        addresses = tasks.values() if isinstance(tasks, dict) else tasks if isinstance(tasks, list) else ()
        yield from (address for address in addresses if isinstance(address, str))


def _host(address: str) -> str:
    return address.partition(":")[0]


def _in_object(one: Mapping[str, Plain], names: set[str], hosts: frozenset[str], backend: Backend) -> Iterator[Kept]:
    native = _is_native(str(one.get("apiVersion", "")))
    for key, value in _texts_in({key: value for key, value in one.items() if key != "metadata"}):
        if key == "subdomain" and value in names:
            yield SUBDOMAIN
        elif key == "claimName" and value in names and not native:
            yield CLAIM
        elif backend.writes_label(key) and value in names:
            yield SELECTOR
        elif any(host in value for host in hosts):
            yield HOSTS


def _is_native(version: str) -> bool:
    """Whether an API group is one of Kubernetes' own."""
    group, slash, _ = version.partition("/")
    return not slash or "." not in group or group.endswith(".k8s.io")


def _texts_in(data: Plain, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts in ``data``, each with the key that it is under, or that its list is under."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _texts_in(value, name)
    elif isinstance(data, list):
        for value in data:
            yield from _texts_in(value, key)
    elif isinstance(data, str):
        yield key, data
