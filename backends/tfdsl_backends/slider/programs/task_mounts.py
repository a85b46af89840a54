"""Prepares the mounts of a task: what its work folder or docker container has before the command starts.

It removes only its own links and its own incomplete downloads: ``rm -rf`` through a link would empty what the link
points to.
"""

import os
import shutil
import stat
import tarfile

from tfdsl_backends.hadoop.programs.files import check_member, download, inside, remove, unzip
from tfdsl_backends.slider.programs import task_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfdsl_backends.slider.programs.task_supervisor import Supervisor

    Mounts = tuple[list[tuple[str, str, bool]], list[tuple[str, int]]]

KINDS = {
    "Directory": stat.S_ISDIR,
    "File": stat.S_ISREG,
    "Socket": stat.S_ISSOCK,
    "CharDevice": stat.S_ISCHR,
    "BlockDevice": stat.S_ISBLK,
}


class MountError(Exception):
    """Something that the task needs is missing; the text says what."""


def prepare(task):
    # type: (Supervisor) -> Mounts
    """Make every mount of the task; returns what docker must mount: ``(volumes, tmpfs)``.

    A volume is ``(path on the node, path in the container, read-only)``, a tmpfs ``(path, bytes)``.
    """
    volumes = []  # type: list[tuple[str, str, bool]]
    memory = []  # type: list[tuple[str, int]]
    mounts = task.role["mounts"]  # type: list[dict[str, Any]]
    for number, mount in sorted(enumerate(mounts), key=turn):
        at = mount["at"]
        place = os.path.normpath(os.path.join(task.work, at))
        if mount["kind"] == "memory":
            memory.append((place, mount["size"]))
            continue
        source = provide(task, number, mount, place)
        readonly = bool(mount.get("readonly"))
        if os.path.isabs(at):
            if source != at or task.docker:
                volumes.append((source, at, readonly))
        elif source != place:
            link(task.work, place, source)
            if not inside(task.work, source):
                volumes.append((source, source, readonly))
    for name in task.job["files"]:
        link(task.work, os.path.join(task.work, name), os.path.join(task_settings.FILES, name))
    for name in task.job.get("config_files") or ():
        configure(task, name)
    return volumes, memory


def configure(task, name):
    # type: (Supervisor, str) -> None
    """Copy a configuration file that Slider has written for the container; docker mounts only the work folder."""
    written = os.path.join(os.path.dirname(task.work), "conf", name)
    if not os.path.isfile(written):
        raise MountError("Slider has not written %s" % written)
    shutil.copyfile(written, os.path.join(task.work, name))


def turn(numbered):
    # type: (tuple[int, dict[str, Any]]) -> tuple[int, int]
    """Archives unpacked into the work folder itself come first, links to folders of the node last."""
    number, mount = numbered
    return (0 if mount["at"] == "." else 2 if mount["kind"] == "host" else 1), number


def own_folder(work, place):
    # type: (str, str) -> None
    """Make the parent folder of ``place``, which must be the task's own: through a link it would be somebody else's."""
    parent = os.path.dirname(place)
    if not os.path.isdir(parent):
        os.makedirs(parent)
    real = os.path.realpath(parent)
    if not inside(os.path.realpath(work), real):
        raise MountError("%s would be created through a link, in %s" % (place, real))


def provide(task, number, mount, place):
    # type: (Supervisor, int, dict[str, Any], str) -> str
    """Prepare the source of a mount; returns its path on the node."""
    kind = mount["kind"]
    if kind == "host":
        source = task.text(mount["source"])
        check(source, mount.get("type"))
        return source
    store = os.path.join(task.work, ".mounts", str(number))
    if kind == "scratch":
        folder = store if os.path.isabs(mount["at"]) else place
        own_folder(task.work, folder)
        if not os.path.isdir(folder):
            os.makedirs(folder)
        return folder
    if kind == "archive" and place == os.path.normpath(task.work):
        store = place
    done = os.path.join(task.work, ".mounts", "%d.done" % number)
    if not os.path.exists(done):  # after a restart in place, it is there already
        if not os.path.isdir(os.path.dirname(done)):
            os.makedirs(os.path.dirname(done))
        elif store != place and not os.path.islink(os.path.dirname(store)):
            remove(store)  # an incomplete download of an earlier start
        fetch(task, mount, store, done + ".part")
        open(done, "w").close()
    return store


def fetch(task, mount, store, part):
    # type: (Supervisor, dict[str, Any], str, str) -> None
    """Copy a file or folder from HDFS to ``store``, or unpack an archive there."""
    if mount["kind"] == "hdfs":
        transfer(task, task.text(mount["source"]), store)
        return
    if mount.get("file"):
        unpack(os.path.join(task_settings.FILES, mount["file"]), mount["file"], store)
        return
    source = task.text(mount["source"])
    transfer(task, source, part)
    unpack(part, source, store)
    os.remove(part)


def transfer(task, source, to):
    # type: (Supervisor, str, str) -> None
    """Copy a web address, or a file or folder in HDFS, to ``to``."""
    task.log("fetching " + source)
    try:
        if source.startswith(("http://", "https://")):
            download(source, to)
        else:
            task.hdfs().download(source, to)
    except Exception as error:  # urllib, socket, http and ssl each have their own
        raise MountError("%s could not be fetched: %s" % (source, error))


def unpack(path, name, folder):
    # type: (str, str, str) -> None
    """Unpack a tar or zip file, but nothing of one that has a member outside ``folder``."""
    if not os.path.isdir(folder):
        os.makedirs(folder)
    try:
        if name.lower().endswith(".zip"):
            unzip(path, folder)
            return
        archive = tarfile.open(path, "r:*")  # noqa: SIM115  (no context manager in Python 2.6)
        try:
            members = archive.getmembers()
            for member in members:
                check_member(folder, member.name)
                if member.issym() or member.islnk():
                    base = os.path.dirname(member.name) if member.issym() else ""
                    check_member(folder, os.path.join(base, member.linkname))
                if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
                    raise MountError("%s contains %s, which is not a file, folder or link" % (name, member.name))
            options = {"filter": "fully_trusted"} if hasattr(tarfile, "fully_trusted_filter") else {}  # type: dict[str, Any]
            archive.extractall(folder, members, **options)
        finally:
            archive.close()
    except (IOError, OSError, tarfile.TarError) as error:
        raise MountError("%s could not be unpacked: %s" % (name, error))


def check(source, kind):
    # type: (str, str | None) -> None
    """What ``type`` of a host mount asks for: the path exists and is of that kind, or is created."""
    if kind == "DirectoryOrCreate" and not os.path.isdir(source):
        os.makedirs(source)
    elif kind == "FileOrCreate" and not os.path.exists(source):
        open(source, "a").close()
    elif kind in KINDS:
        try:
            right = KINDS[kind](os.stat(source).st_mode)
        except OSError:
            right = False
        if not right:
            raise MountError("the node has no %s at %s" % (kind, source))


def link(work, place, source):
    # type: (str, str, str) -> None
    """Make ``place`` a link to ``source``; replaces a link, and nothing else."""
    place = place.rstrip("/")
    own_folder(work, place)
    if inside(place, os.path.normpath(source)):
        raise MountError("%s cannot be a link to %s, which is inside it" % (place, source))
    if os.path.islink(place):
        os.remove(place)
    elif os.path.exists(place):
        raise MountError("%s exists, so it cannot become a link to %s" % (place, source))
    os.symlink(source, place)
