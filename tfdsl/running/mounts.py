"""What the mounts of a job are on this machine.

``host`` and ``nfs`` are the folders they name, and ``--mount PATH=DIR`` names one for any mount. ``scratch``,
``memory`` and what attributes such as ``shm`` mount are folders that live with the pod, all others such that live with
the run; both are below its scratch folder. What outlives a job on a cluster is one folder for all jobs of a flow.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from tfdsl.diagnostics import Diagnostic, command_rules
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.ir import model
from tfdsl.ir.fields import Origins
from tfdsl.ir.model import ConfigMapMount, HostMount, Job, Mount, Role, SecretMount
from tfdsl.lifecycle.behaviour import Task
from tfdsl.record import Record, replace
from tfdsl.rules.mounts import path as broken_path
from tfdsl.running.launch import Mounted, pod_folder
from tfdsl.running.plan import Texts, shown
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import IN_MEMORY_AT


class Replica(Record):
    """One replica, as far as its mounts depend on it: the variables of its process, and its work folder."""

    role: Role
    task: Task
    variables: Mapping[str, str]
    folder: str


class Volumes:
    """What the jobs of a flow have in common. ``folder``: where it is; empty until the flow runs."""

    def __init__(self) -> None:
        self.folder = ""
        self.names: dict[tuple[str, ...], str] = {}


_COMMON = ("pvc", "nfs", "hdfs")


class Mounts:
    """The mounts of one job."""

    def __init__(self, job: Job, origins: Origins, options: MountOptions) -> None:
        self._job = job
        self._origins = origins
        self._options = options
        self._volumes: dict[tuple[str, ...], str] = {}
        self._filling = Filling()

    def paths(self, role: Role) -> list[str]:
        """Where the replicas of ``role`` have something mounted."""
        own = [*(mount.at for mount in role.mounts), *(memory.at for memory in model.in_memory(role))]
        return [] if self._options.ignored else [*own, *(at for at in self._options.given if at not in own)]

    def of(self, replica: Replica, pod: int) -> tuple[Mounted, ...]:
        """What the ``pod``-th pod of a replica mounts: those of its role in their order, then others."""
        if self._options.ignored:
            return ()
        role, task, texts = replica.role, replica.task, Texts(replica.task.index, replica.variables)
        mounted = [self._mounted(mount, task, pod, texts) for mount in role.mounts]
        if self._options.flow is not None and self._options.flow.folder:
            for one in mounted:
                if one.source.startswith(f"{self._options.flow.folder}/"):
                    os.makedirs(one.source, exist_ok=True)
        for name, at, size in model.in_memory(role):
            folder = f"{pod_folder(str(task), pod)}/{name}"
            mounted.append(self._given(at, Mounted(at, folder, memory=size.whole)))
        own = {mount.at for mount in mounted}
        extra = [Mounted(at, given.source) for at, given in self._options.given.items() if at not in own]
        return (*mounted, *extra)

    def fill(self, scratch: str) -> None:
        """Make what is mounted out of files, and the folders of the node that a job wants made.

        Raises:
            OSError: that cannot be done.
        """
        self._filling.fill(scratch)

    # --- one mount ---

    def _mounted(self, mount: Mount, task: Task, pod: int, texts: Texts) -> Mounted:
        given = self._options.given.get(mount.at)
        if given is not None:
            return self._named(mount, given, texts)
        readonly = mount.readonly
        match mount:
            case model.HostMount():
                source = texts(mount.source)
                self._filling.host(mount, source)
                return Mounted(mount.at, source, readonly)
            case model.NfsMount():
                share = texts(mount.share)
                folder = nfs_folder(mount.server, share)
                return Mounted(mount.at, folder or self._volume("nfs", f"{mount.server}:{share}"), readonly)
            case model.ScratchMount() | model.MemoryMount():
                folder = f"{pod_folder(str(task), pod)}/{mount.kind}-{plain(mount.path)}"
                memory = None if isinstance(mount, model.ScratchMount) else mount.size.whole if mount.size else 0
                return Mounted(mount.at, folder, readonly, memory)
            case model.ArchiveMount():
                archive = texts(mount.source)
                return Mounted(mount.at, self._filling.archive(archive) or self._volume("archive", archive), True)
            case model.HdfsMount():
                return Mounted(mount.at, self._volume("hdfs", texts(mount.uri)), readonly)
            case _:
                return Mounted(mount.at, self._claimed(mount, texts), readonly)

    def _claimed(self, mount: Mount, texts: Texts) -> str:
        """The folder of a claim, which all its mounts have in common; of another object its own."""
        match mount:
            case model.PvcMount():
                folder = self._volume("pvc", texts(mount.claim))
            case model.ClaimMount():
                kept = self._options.flow is not None and _is_kept(mount, self._job)
                folder = (
                    self._volume("pvc", f"{self._job.name}-{mount.claim}")
                    if kept
                    else self._volume("claim", mount.claim)
                )
            case model.ConfigMapMount() | model.SecretMount():
                folder = self._volume(mount.kind, texts(mount.name))
            case _:
                raise AssertionError(f"no folder for a mount of the kind {mount.kind}")
        path = getattr(mount, "sub_path", None)
        return folder if path is None else os.path.join(folder, texts(path))

    def _named(self, mount: Mount, given: Given, texts: Texts) -> Mounted:
        """The mount with the folder that the command line names for it."""
        path = getattr(mount, "sub_path", None)
        source = os.path.join(given.source, texts(path)) if isinstance(path, model.RunTimeText) else given.source
        if isinstance(mount, model.ConfigMapMount | model.SecretMount):
            source = self._filling.items(mount, source) if mount.items and path is None else source
            return Mounted(mount.at, source, readonly=True)
        if source != given.source:  # each replica has a folder of its own
            self._filling.folder(source)
            return Mounted(mount.at, source, mount.readonly)
        return Mounted(mount.at, source, mount.readonly and not isinstance(mount, model.HdfsMount))

    def _given(self, at: str, mounted: Mounted) -> Mounted:
        given = self._options.given.get(at)
        return mounted if given is None else replace(mounted, source=given.source, memory=None)

    def _volume(self, kind: str, name: str) -> str:
        """The folder of the run for a volume; one for each."""
        flow = self._options.flow
        if flow is None or kind not in _COMMON:
            return self._volumes.setdefault((kind, name), f"volumes/{kind}-{plain(name)}-{len(self._volumes)}")
        folder = flow.names.setdefault((kind, name), f"volumes/{kind}-{plain(name)}-{len(flow.names)}")
        return os.path.join(flow.folder, folder)

    # --- before anything starts ---

    def check(self, replicas: Iterable[Replica], denied: str) -> Iterator[Diagnostic]:
        """What is to be said about the mounts. ``denied``: why nothing can be mounted here; else empty."""
        if self._options.ignored:
            yield from self._not_mounted()
            return
        yield from self._extra()
        told: set[tuple[str, str]] = set()
        for replica in replicas:
            for number, mounted in enumerate(self.of(replica, 0)):
                mount = replica.role.mounts[number] if number < len(replica.role.mounts) else None
                for diagnostic in self._checked(replica, mount, mounted, denied):
                    key = diagnostic.rule.code, diagnostic.message
                    if key not in told:
                        told.add(key)
                        yield diagnostic

    def _checked(self, replica: Replica, mount: Mount | None, mounted: Mounted, denied: str) -> Iterator[Diagnostic]:
        attribute = f"{replica.role.path}.{IN_MEMORY_AT.get(mounted.at, '')}"
        place = self._origins.span(attribute if mount is None else f"{mount.path}.at")
        given = self._options.given.get(mounted.at)
        if given is None and mount is not None:
            problem = self._missing(mount, mounted)
            if problem is not None and not (denied and problem.level == "info"):
                yield problem
                return
        if isinstance(mount, model.ConfigMapMount | model.SecretMount) and given is not None:
            for key in mount.items if mount.sub_path is None else ():
                if not os.path.exists(os.path.join(given.source, key)):
                    yield command_rules.NO_KEY(place, folder=given.source, key=key, path=mounted.at)
        is_of_job = mount is not None or mounted.memory is not None
        if is_of_job and not denied and self._hides_folder(replica, mounted):
            error = command_rules.HIDDEN_FOLDER(place, path=mounted.at, role=replica.role.name)
            yield error.help(f'run in another folder, or mount this one too: --mount "{replica.folder}=."')
        if denied:
            yield from self._denied(replica, mounted, denied, given.place if mount is None and given else place)

    def _missing(self, mount: Mount, mounted: Mounted) -> Diagnostic | None:
        """What this machine does not have; an error, or what is there instead."""
        place, named = self._origins.span(mount.path), f"--mount {mounted.at}=DIR"
        match mount:
            case model.ConfigMapMount() | model.SecretMount():
                error = command_rules.NO_OBJECT(place, kind=_KINDS[mount.kind], name=shown(mount.name), path=mount.at)
                if mount.sub_path is not None:
                    return error.help(f"name the file: --mount {mounted.at}=FILE")
                return error.help(f"name a folder with a file for each key: {named}")
            case model.HostMount():
                if os.path.exists(mounted.source) or (mount.type or "").endswith("OrCreate"):
                    return None
                return command_rules.NO_SOURCE(place, source=mounted.source).help(
                    f"name a folder of this machine: {named}"
                )
            case model.PvcMount() | model.NfsMount() | model.HdfsMount() | model.ArchiveMount():
                if mounted.source.startswith("volumes/"):
                    why = f"{_KINDS[mount.kind]} is not on this machine"
                    return command_rules.EMPTY_MOUNT(place, path=mount.at, why=why).help(
                        f"name the folder here: {named}"
                    )
            case model.ClaimMount():
                return (
                    command_rules.EMPTY_MOUNT(place, path=mount.at, why="a claim is kept on a cluster only")
                    if _is_kept(mount, self._job)
                    else None
                )
            case _:
                return None
        return None

    def _hides_folder(self, replica: Replica, mounted: Mounted) -> bool:
        """Whether the mount is at a folder above the current one, which is not in it."""
        below = replica.folder.removeprefix(f"{mounted.at}/")
        if replica.role.workdir is not None or below == replica.folder:
            return False
        deeper = [path for path in self.paths(replica.role) if len(path) > len(mounted.at)]
        if any(f"{replica.folder}/".startswith(f"{path}/") for path in deeper):
            return False
        return not os.path.isabs(mounted.source) or not os.path.isdir(os.path.join(mounted.source, below))

    def _denied(self, replica: Replica, mounted: Mounted, why: str, place: Span) -> Iterator[Diagnostic]:
        path = os.path.join(replica.folder, mounted.at)
        if os.path.isabs(mounted.source) and leads_to(path, mounted.source):
            return
        if mounted.memory is not None and mounted.at in IN_MEMORY_AT:
            yield command_rules.MEMORY_UNLIMITED(place, path=mounted.at, why=why)
            return
        error = command_rules.MOUNT_DENIED(place, path=mounted.at, why=why)
        same = f"--mount {mounted.at}={mounted.at}"
        yield error.help(f"if {mounted.at} is the right folder here, write {same}; --no-mounts mounts nothing")

    def _extra(self) -> Iterator[Diagnostic]:
        known = {mount.at for role in self._job.roles for mount in role.mounts}
        known |= {memory.at for role in self._job.roles for memory in model.in_memory(role)}
        for at, given in self._options.given.items():
            if at not in known:
                yield command_rules.EXTRA_MOUNT(given.place, path=at)

    def _not_mounted(self) -> Iterator[Diagnostic]:
        mounts = [mount for role in self._job.roles for mount in role.mounts]
        if mounts:
            paths = ", ".join(dict.fromkeys(mount.at for mount in mounts))
            yield command_rules.NOT_MOUNTED(self._origins.span(mounts[0].path), paths=paths)


def _is_kept(mount: model.ClaimMount, job: Job) -> bool:
    return any(claim.name == mount.claim and claim.keep for claim in job.claims)


_KINDS = {
    "secret": "Secret",
    "configmap": "ConfigMap",
    "pvc": "the claim",
    "nfs": "the export",
    "hdfs": "the source in HDFS",
    "archive": "the archive",
}


class Given(Record):
    """A folder or file of this machine for the mount at a path. ``source`` is absolute; ``place``: of the option."""

    at: str
    source: str
    place: Span


class MountOptions(Record):
    """``given``: what ``--mount`` names, by path. ``ignored``: ``--no-mounts``. ``flow``: that of the job, if any."""

    given: Mapping[str, Given] = {}
    ignored: bool = False
    flow: Volumes | None = None


def given_mount(text: str, place: Span, known: Iterable[str] = ()) -> Given | Diagnostic:
    """What ``PATH=DIR`` says, or why it says nothing; ``known``: paths of mounts, which may contain ``=``."""
    at = next((path for path in sorted(known, key=len, reverse=True) if text.startswith(f"{path}=")), None)
    if at is None:
        at, equals, _ = text.partition("=")
        if not equals or not at:
            return BAD_ARGUMENT(place, what=f"--mount needs PATH=DIR, not {text or '(nothing)'}")
    source = text[len(at) + 1 :]
    at = at.rstrip("/") or "/"
    broken = broken_path(at)
    if broken is not None:
        return BAD_ARGUMENT(place, what=f"--mount: nothing can be mounted at {at}: {broken.values['problem']}")
    if not source:
        return BAD_ARGUMENT(place, what=f"--mount {text}: name the folder after =")
    if not os.path.exists(source):
        return BAD_ARGUMENT(place, what=f"--mount {text}: {source} does not exist").help("make the folder first")
    return Given(at, os.path.abspath(source), place)


_MODE = 0o644
_TAR = (".tar", ".tar.gz", ".tgz")


class Filling:
    """What has to be made. Sources that it gives are relative to the scratch folder of the run."""

    def __init__(self) -> None:
        self._folders: dict[str, None] = {}
        self._files: dict[str, None] = {}
        self._archives: dict[str, str] = {}
        self._items: dict[str, tuple[ConfigMapMount | SecretMount, str]] = {}

    def host(self, mount: HostMount, source: str) -> None:
        """A path of the node that is made if it is missing, where the job says so."""
        if mount.type == "DirectoryOrCreate":
            self._folders[source] = None
        elif mount.type == "FileOrCreate":
            self._files[source] = None

    def folder(self, path: str) -> None:
        """A folder that is made if it is missing."""
        self._folders[path] = None

    def archive(self, source: str) -> str | None:
        """The folder into which an archive is unpacked; ``None`` if it is not a file of this machine."""
        path = source.removeprefix("file://")
        if not os.path.isfile(path):
            return None
        return self._archives.setdefault(path, f"archives/{len(self._archives)}-{plain(os.path.basename(path))}")

    def items(self, mount: ConfigMapMount | SecretMount, folder: str) -> str:
        """The folder with the files of ``folder`` that the mount names, under the names that it gives them."""
        made = f"items/{plain(mount.path)}"
        self._items[made] = mount, folder
        return made

    def fill(self, scratch: str) -> None:
        """Make all of it below ``scratch``. Raises ``OSError``."""
        for path in self._folders:
            os.makedirs(path, exist_ok=True)
        for path in self._files:
            with open(path, "ab"):
                pass
        for archive, made in self._archives.items():
            _unpack(archive, os.path.join(scratch, made))
        for made, (mount, folder) in self._items.items():
            _select(mount, folder, os.path.join(scratch, made))


def _unpack(archive: str, folder: str) -> None:
    """Unpack an archive; nothing of it gets out of ``folder``. Raises ``OSError``."""
    import tarfile
    import zipfile

    if not hasattr(tarfile, "data_filter"):
        raise OSError("Python 3.11.4 or later is needed to unpack archives")
    os.makedirs(folder)
    try:
        if archive.lower().endswith(_TAR):
            with tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
        else:
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, ValueError) as error:
        raise OSError(f"cannot unpack {archive}: {error}") from error


def _select(mount: ConfigMapMount | SecretMount, folder: str, made: str) -> None:
    import shutil

    os.makedirs(made)
    for key, name in mount.items.items():
        path = os.path.join(made, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(os.path.join(folder, key), path)
        os.chmod(path, int(mount.mode, 8) if mount.mode else _MODE)


_ESCAPES = {"\\040": " ", "\\011": "\t", "\\012": "\n", "\\134": "\\"}


def nfs_folder(server: str, share: str, mountinfo: str = "/proc/self/mountinfo") -> str | None:
    """Where this machine has mounted an NFS export, or what it is in."""
    try:
        with open(mountinfo, encoding="utf-8", errors="surrogateescape") as stream:
            lines = stream.read().splitlines()
    except OSError:
        return None
    best: tuple[int, str] | None = None
    for line in lines:
        before, _, after = line.partition(" - ")
        kind, source, *_ = after.split(" ")
        host, _, export = _unescaped(source).rpartition(":")
        export = export.rstrip("/")
        inside = share == export or share.startswith(f"{export}/")
        if kind in ("nfs", "nfs4") and host == server and inside and (best is None or len(export) > best[0]):
            best = len(export), _unescaped(before.split(" ")[4]) + share[len(export) :]
    return None if best is None else best[1]


def _unescaped(text: str) -> str:
    for escape, character in _ESCAPES.items():
        text = text.replace(escape, character)
    return text


def leads_to(path: str, source: str) -> bool:
    """Whether ``path`` is ``source`` already."""
    try:
        return os.path.samefile(path, source)
    except OSError:
        return False


def plain(text: str) -> str:
    """``text`` as a part of the name of a folder of this run, for people who look into it."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in text)[-60:]
