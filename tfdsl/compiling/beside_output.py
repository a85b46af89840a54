"""What is in or around the folder of an output and does not fit it: files of jobs that are gone, kustomizations.

``--prune`` removes the former, ``--kustomization`` lists the output in the latter.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias, cast

from tfdsl import targets
from tfdsl.backend import Backend
from tfdsl.compiling import kustomizations
from tfdsl.compiling.front_end import Input, Ready
from tfdsl.compiling.kustomizations import Kustomization, Renaming
from tfdsl.compiling.output_files import Placed, json_object
from tfdsl.compiling.pipeline import Made, Output
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import KUSTOMIZE_RENAMES, KUSTOMIZE_TTL, KUSTOMIZE_UNLISTED, LEFT_OVER
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.emit.header import FORMS, escaped, said_by
from tfdsl.emit.json import VERSION
from tfdsl.emit.located import Plain, plain
from tfdsl.emit.shell import quote
from tfdsl.grouping import grouped
from tfdsl.record import Record
from tfdsl.semantics.project import Program
from tfdsl.semantics.request import Request
from tfdsl.semantics.scope import references
from tfdsl.source_files import beginning, contents, has_root, is_below, name_below_root, root_of
from tfdsl.syntax import ast
from tfdsl.text import Source, Span
from tfdsl.writing import Failure, File, write_all


class Advice(Record):
    """What to do about a folder, in the words of who has it written: a command, or a call.

    ``listed``: so that kustomize deploys what is written. ``renamed``: so that a job has the name that kustomize gives
    it; ``several``: it is not the only one. ``pruned``: so that what is left over is removed.
    """

    listed: Callable[[], str]
    renamed: Callable[[Made, Renaming, bool], str]
    pruned: str


Whole: TypeAlias = Literal["part", "with values", "now", "surely"]
"""Whether what is compiled is all that a source has; ``now``: without values, and with some it can have other jobs."""


def how_whole(given: Input, request: Request) -> Whole:
    """Whether ``request`` asks for all that ``given`` has."""
    if (request.job, request.flow, request.name) != (None, None, None):
        return "part"
    if isinstance(given, Ready) or not _can_have_others(given):
        return "surely"
    return "with values" if request.params or request.values or request.profile else "now"


def _can_have_others(program: Program) -> bool:
    """Whether params decide which jobs there are, also through lets."""
    found: list[ast.Expr | ast.Item] = []
    for job in program.jobs:
        condition = None if job.condition is None else job.condition.value
        found += [part for part in (job.pattern, condition, job.matrix) if part is not None]
    seen: set[str] = set()
    while found:
        names = {ref.name for ref in references(found, [*program.params, *program.lets])} - seen
        if not names.isdisjoint(program.params):
            return True
        seen |= names
        found = [program.lets[name].value for name in names]
    return False


class Compilation(Record):
    """What is compiled, and where the output goes: the folder ``path``, which is named at ``span``."""

    source: Source
    whole: Whole
    path: str
    span: Span
    advice: Advice


class Written(Record):
    """What became of an output.

    ``diagnostics``: what to know of the folder. ``failure``: why nothing was written; ``stays``: what could not be
    removed. ``removed``, ``listed``: paths that were removed, and kustomizations that were changed. ``plan``: lines
    that say what would be done. ``unclear``: why nothing shows which jobs are gone, and what to do; nothing was done.
    """

    diagnostics: Sequence[Diagnostic] = ()
    removed: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    failure: Failure | None = None
    stays: Failure | None = None
    plan: Sequence[str] = ()
    unclear: tuple[str, str] | None = None


def write(
    compilation: Compilation,
    jobs: Sequence[Placed],
    sources: Sequence[str] = (),
    *,
    lists: bool = False,
    prunes: bool = False,
    dry: bool = False,
) -> Written:
    """Write the files of ``jobs``, all or none and not over one of ``sources``.

    ``lists``: also in the resources of a kustomization. ``prunes``: what is left over is removed. ``dry``: nothing is
    done.
    """
    files = [each for job in jobs for each in job.files]
    taken = next((file.path for file in files if os.path.basename(file.path) in kustomizations.NAMES), None)
    if taken is not None:
        reason = "kustomize would take it for a kustomization: give the job another name"
        return Written(failure=Failure(taken, reason))
    around = kustomizations.around(file.path for file in files)
    unclear = _unclear(compilation, surely=prunes)
    if prunes and unclear:
        return Written(unclear=unclear)
    left = [] if unclear else leftovers(compilation, jobs)
    removed = left if prunes else []
    listed = updated(jobs, around, removed, added=lists)
    if isinstance(listed, Failure):
        return Written(failure=listed)
    paths = tuple(path for leftover in removed for path in leftover.files)
    if dry:
        return Written(removed=paths, plan=plan([*files, *listed], removed))
    failure = write_all([*files, *listed], sources)
    if failure is not None:
        return Written(failure=failure)
    failure = remove(removed)
    if failure is not None:
        return Written(stays=failure)
    around = kustomizations.around(file.path for file in files) if listed else around
    told = warnings(compilation, jobs, [] if prunes else left, around)
    return Written(told, paths, tuple(file.path for file in listed))


def warnings(
    compilation: Compilation, jobs: Sequence[Placed], left: Iterable[Leftover], around: Mapping[str, Kustomization]
) -> list[Diagnostic]:
    """What to know about the folders in which ``jobs`` have been written.

    ``left``: what is left over and stays. ``around``: the kustomizations there.
    """
    manifests = _manifests(jobs)
    listing = {folder: there for folder in manifests if (there := kustomizations.listing(around, folder)) is not None}
    return [
        *_leftover_warning(compilation, list(left)),
        *_renamings(compilation, jobs, around),
        *(
            told
            for folder, there in listing.items()
            for told in _unlisted(compilation, there, kustomizations.unlisted(around, manifests[folder]))
        ),
        *(told for job in jobs if job.folder in listing for told in _removed_but_listed(job, listing[job.folder])),
    ]


def _unclear(compilation: Compilation, *, surely: bool) -> tuple[str, str] | None:
    """Why nothing shows which jobs are gone, and what to do; ``None`` if something does.

    ``surely``: so that they can be removed. A name in a header is that of one source below a root only, and a job that
    is there with some values only may be meant to stay.
    """
    source = compilation.source
    if name_below_root(source) is None:
        return "what is compiled is in no file", "compile a file"
    if compilation.whole == "part":
        return "this is not all that the file has, by its own names", "compile the whole file"
    if compilation.whole == "with values" or (surely and compilation.whole == "now"):
        why = "with other values for its params the file can have other jobs"
        return why, "use no params in names, conditions and matrices of jobs, or remove the files yourself"
    if has_root(source.file) or (not surely and is_below(compilation.path, [root_of(source.file)])):
        return None
    return "a file of the same name elsewhere could have made them", "mark the root of the project: an empty tfdsl.toml"


def leftovers(compilation: Compilation, jobs: Sequence[Placed]) -> list[Leftover]:
    """What is left over in the folders of ``jobs``."""
    name = name_below_root(compilation.source) or ""
    names = frozenset(escaped(name, form) for form in FORMS)
    folders = grouped(((job.folder, job.made.unit.target), job) for job in jobs)
    return [
        leftover
        for (path, target), those in folders.items()
        for leftover in _in_folder(_folder(path, target, those), names)
    ]


def remove(left: Iterable[Leftover]) -> Failure | None:
    """Remove what is left over, or what can be removed until something cannot."""
    path = ""
    try:
        for leftover in left:
            for path in leftover.files:
                os.unlink(path)
            for path in _folders_in(leftover.folder) if leftover.folder else ():
                os.rmdir(path)
    except OSError as error:
        return Failure(path, (error.strerror or str(error)).lower())
    return None


def plan(files: Iterable[File], removed: Iterable[Leftover]) -> list[str]:
    """What would be written and removed: a line for each path that would change."""
    lines = sorted(f"would write {file.path}" for file in files if _differs(file))
    lines += sorted(f"would remove {path}" for leftover in removed for path in leftover.files)
    return lines


def _differs(file: File) -> bool:
    data = contents(file.path, roots=(os.path.realpath(file.root or os.path.dirname(file.path)),))
    return not isinstance(data, bytes) or data.decode("utf-8", "surrogateescape") != file.text


def _folders_in(top: str) -> list[str]:
    """``top`` and the folders below it, inner ones first."""
    folders = [top]
    for folder in folders:  # which grows
        folders += [
            entry.path for entry in _entries(folder, iter(range(MOST_FILES))) if entry.is_dir(follow_symlinks=False)
        ]
    return folders[::-1]


def updated(
    jobs: Sequence[Placed], around: Mapping[str, Kustomization], removed: Iterable[Leftover], *, added: bool
) -> list[File] | Failure:
    """The kustomizations that change: they list the manifests of ``jobs`` if ``added``, and not what is ``removed``."""
    gone = [os.path.realpath(path) for leftover in removed for path in leftover.files]
    sources: dict[str, Source] = {}
    files: dict[str, File] = {}
    for folder, paths in _manifests(jobs).items():
        there = kustomizations.listing(around, folder)
        unread = kustomizations.name_in(folder) if there is None else None
        if there is None and unread is None and not added:
            continue
        path = os.path.join(folder, unread or kustomizations.NAMES[0]) if there is None else there.source.path
        before = sources.get(path, None if there is None else there.source)
        base = os.path.realpath(os.path.dirname(path))
        names = [os.path.relpath(os.path.realpath(each), base) for each in paths] if added else []
        out = [os.path.relpath(each, base) for each in gone]
        text = None if unread else kustomizations.with_resources(before, names, out)
        if text is None and (added or out):
            words = [f"add {enumeration(names)}"] if names else []
            words += [f"take out {enumeration(out)}"] if out else []
            return Failure(path, f"its resources cannot be edited in this form; {', '.join(words)}")
        if text is None:
            continue
        sources[path] = Source(path, text, path)
        if before is None or text != before.text:
            files[path] = File(path, text, root=kustomizations.root_above(folder))
    return list(files.values())


def _manifests(jobs: Iterable[Placed]) -> dict[str, list[str]]:
    """The files that kustomize can deploy, by their folder."""
    folders = grouped((job.folder, job) for job in jobs if _has_pods(job.made))
    return {
        folder: [file.path for job in those for file in job.files if file.path.endswith(".yaml")]
        for folder, those in folders.items()
    }


def _has_pods(made: Output) -> bool:
    backend = targets.find(made.unit.target)
    return backend is not None and backend.pods


def _folder(path: str, target: str, jobs: Iterable[Placed]) -> Folder:
    backend = targets.find(target)
    return Folder(
        path,
        target,
        frozenset(file.path for job in jobs for file in job.files),
        frozenset(job.made.unit.name for job in jobs),
        subfolders=backend is not None and backend.output == "files",
        plain=frozenset(
            os.path.relpath(file.path, os.path.join(path, job.made.unit.name))
            for job in jobs
            for file in job.files
            if file.path.endswith(_WITHOUT_HEADER)
        ),
    )


def _unlisted(compilation: Compilation, there: Kustomization, missing: Sequence[str]) -> Iterator[Diagnostic]:
    if not missing:
        return
    names = [os.path.relpath(os.path.realpath(path), there.folder) for path in missing]
    warning = KUSTOMIZE_UNLISTED(there.resources, names=enumeration(names), path=there.source.path)
    yield warning.help(f"kustomize deploys only what its resources list; this adds it: {compilation.advice.listed()}")


def _removed_but_listed(job: Placed, there: Kustomization) -> Iterator[Diagnostic]:
    if not isinstance(job.made, Made) or job.made.unit.job.ttl is None:
        return
    unit = job.made.unit
    place = unit.origins.span("ttl")
    warning = KUSTOMIZE_TTL(place, job=unit.name, ttl=job.made.unit.job.ttl.text, path=there.source.path)
    warning = warning.help(
        "a tool that applies the folder again and again (Argo CD, Flux) makes it again, and it runs again"
    )
    yield warning.help("remove ttl, and the job from the repository when it is no longer needed")


def _renamings(
    compilation: Compilation, jobs: Sequence[Placed], around: Mapping[str, Kustomization]
) -> Iterator[Diagnostic]:
    """For each renaming and target one warning, about the first of its jobs that it breaks."""
    for renaming in kustomizations.renamings(around, (file.path for placed in jobs for file in placed.files)):
        reached: dict[str, list[Made]] = {}
        for job in jobs:
            if isinstance(job.made, Made) and any(file.path in renaming.files for file in job.files):
                reached.setdefault(job.made.unit.target, []).append(job.made)
        for those in reached.values():
            yield from _renaming(compilation, renaming, those)


def _renaming(compilation: Compilation, renaming: Renaming, jobs: Sequence[Made]) -> Iterator[Diagnostic]:
    found = next(((output, kept) for output in jobs if (kept := kept_names(output))), None)
    if found is None:
        return
    first, kept = found
    job, target = first.unit.name, first.unit.target
    warning = KUSTOMIZE_RENAMES(
        renaming.span, field=renaming.field, job=job, target=target, what=enumeration(name.what for name in kept)
    )
    warning = warning.help(enumeration(one.consequence for one in kept))
    command = compilation.advice.renamed(first, renaming, len(jobs) > 1)
    yield warning.help(f"leave {renaming.field} out, and give the job that name: {command}")


MOST_FILES: Final = 10_000
"""So many entries of folders are looked at."""
MOST_NAMED: Final = 20
"""So many paths are in a command; of a large sweep with another name nobody reads more."""
_LOOKED_AT: Final = 8192
"""Bytes of a file in which its header is looked for."""
_DIRECT: Final = (".yaml", ".Dockerfile")
"""How names of files end that are directly in the folder."""
_WITHOUT_HEADER: Final = (".json", ".map")
"""How names of files end that are written beside those with a header and have none."""


class Folder(Record):
    """A folder of the output of one target: the paths that are written, and the jobs.

    ``subfolders``: each job has a folder in it. ``plain``: the files in that which have no header.
    """

    path: str
    target: str
    written: frozenset[str]
    jobs: frozenset[str]
    subfolders: bool
    plain: frozenset[str]


class Leftover(Record):
    """What is left of a job: its files, and the folder if that has nothing else. ``gone``: there is no such job."""

    job: str
    gone: bool
    files: tuple[str, ...]
    folder: str | None = None


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
            if entry.name.endswith(".Dockerfile") or _is_about(entry.path, roots, stem):
                stems.setdefault(stem, []).append(entry.path)
    for stem, paths in sorted(stems.items()):
        yield Leftover(stem, stem not in folder.jobs, tuple(sorted(_with_maps(paths))))


def _in_subfolder(
    folder: Folder, entry: os.DirEntry[str], has_header: Callable[[os.DirEntry[str]], bool], budget: Iterator[int]
) -> Iterator[Leftover]:
    """What is left in the folder of a job; every such folder has a file with a header directly in it."""
    direct = _entries(entry.path, budget)
    if not any(item.path in folder.written or has_header(item) for item in direct):
        return
    inside = list(_all_below(direct, budget))
    paths = [item.path for item in inside if item.path not in folder.written and has_header(item)]
    alone = not any(item.path in folder.written for item in inside)
    ours = {*paths, *(item.path for item in inside if alone and os.path.relpath(item.path, entry.path) in folder.plain)}
    ours.update(_with_maps(sorted(ours)))
    every = all(item.path in ours for item in inside)
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
        with os.scandir(path) as entries:
            return sorted((entry for entry, _ in zip(entries, budget, strict=False)), key=lambda entry: entry.name)
    except OSError:
        return []


def _has_header(entry: os.DirEntry[str], roots: Sequence[str], target: str, names: frozenset[str]) -> bool:
    if entry.name.endswith(_WITHOUT_HEADER) or not entry.is_file(follow_symlinks=False):
        return False
    said = said_by(beginning(entry.path, _LOOKED_AT, roots).decode("utf-8", "replace"))
    return said is not None and said.target == target and said.source in names


def _is_about(path: str, roots: Sequence[str], job: str) -> bool:
    """Whether an object in the file is called as the job, or its name begins so: else it is somebody's copy."""
    text = beginning(path, _LOOKED_AT, roots).decode("utf-8", "replace")
    return re.search(rf'^  name: "?{re.escape(job)}["\n-]', text, re.M) is not None


def _with_maps(paths: Sequence[str]) -> list[str]:
    """``paths``, and the source maps beside them."""
    return [*paths, *(f"{path}.map" for path in paths if _is_map(f"{path}.map", os.path.basename(path)))]


def _is_map(path: str, of: str) -> bool:
    """Whether the file is a map of ours (:func:`tfdsl.emit.json.source_map`)."""
    if not os.path.isfile(path):
        return False
    words = beginning(path, _LOOKED_AT, (os.path.realpath(os.path.dirname(path)),)).split()
    return b" ".join(words).startswith(f'{{ "version": {VERSION}, "file": {json.dumps(of)}, "sources": '.encode())


def _leftover_warning(compilation: Compilation, left: Sequence[Leftover]) -> Iterator[Diagnostic]:
    if not left:
        return
    shown = enumeration(one.folder or one.files[0] for one in left)
    warning = LEFT_OVER(compilation.span, path=shown, source=compilation.source.path)
    folders = [one.folder for one in left if one.folder]
    paths = [*folders, *(path for one in left if not one.folder for path in one.files)]
    ends = ["--"] if any(path.startswith("-") for path in paths) else []
    words = ["rm", *(["-r"] if folders else []), *ends, *paths]
    many = len(paths) > MOST_NAMED
    it = "it" if len(left) == 1 else "them"
    warning = warning.help(f"remove {it}: {compilation.advice.pruned if many else ' '.join(map(quote, words))}")
    gone = [one.job for one in left if one.gone]
    if gone:
        jobs = f"{'job' if len(gone) == 1 else 'jobs'} {enumeration(gone)}"
        warning = warning.help(
            f"{jobs} may still be on the cluster: delete {'it' if len(gone) == 1 else 'them'} there too"
        )
    yield warning


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
    names = {name for manifest in objects if (name := _name(manifest)) is not None}
    hosts = _hosts(made, backend)
    return list(dict.fromkeys(kept for manifest in objects for kept in _in_object(manifest, names, hosts, backend)))


def _object(data: object) -> Mapping[str, Plain]:
    value = plain(cast("Plain", data))
    return value if isinstance(value, dict) else {}


def _name(manifest: Mapping[str, Plain]) -> str | None:
    metadata = manifest.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else None


def _hosts(made: Made, backend: Backend) -> frozenset[str]:
    """The hosts in the TF_CONFIG of tasks, as far as the compiler knows them."""
    hosts: set[str] = set()
    for task in backend.load().tasks(made.unit):
        for flag in task.flags:
            hosts.update(_host(address) for address in flag.partition("=")[2].split(","))
        hosts.update(map(_host, _addresses(json_object(task.tf_config or "{}"))))
    return frozenset(host for host in hosts if made.unit.name in host)


def _addresses(config: Mapping[str, Plain] | None) -> Iterator[str]:
    """The addresses in a TF_CONFIG; one that the job has written itself can hold anything."""
    cluster = (config or {}).get("cluster")
    for tasks in cluster.values() if isinstance(cluster, dict) else ():
        addresses = tasks.values() if isinstance(tasks, dict) else tasks if isinstance(tasks, list) else ()
        yield from (address for address in addresses if isinstance(address, str))


def _host(address: str) -> str:
    return address.partition(":")[0]


def _in_object(
    manifest: Mapping[str, Plain], names: set[str], hosts: frozenset[str], backend: Backend
) -> Iterator[Kept]:
    native = _is_native(str(manifest.get("apiVersion", "")))
    for key, value in _texts_in({key: value for key, value in manifest.items() if key != "metadata"}):
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
