"""What stands in the task's work folder, or is mounted into its docker container, before the command starts.

Nothing is ever removed but our own links and what we have fetched ourselves without completing it: ``rm -rf`` through
a link would empty what it points to.
"""

import os
import shutil
import stat
import tarfile
import zipfile

try:
    from urllib.request import urlopen
except ImportError:
    from urllib2 import urlopen

import task_hdfs
import task_settings

BadZip = getattr(zipfile, "BadZipFile", None) or getattr(zipfile, "BadZipfile")
KINDS = {"Directory": stat.S_ISDIR, "File": stat.S_ISREG, "Socket": stat.S_ISSOCK,
         "CharDevice": stat.S_ISCHR, "BlockDevice": stat.S_ISBLK}


class Problem(Exception):
    """Something that the task needs is not there; the text says what."""


def prepare(task):
    """Make every mount of the task; gives what docker has to mount: ``(volumes, tmpfs)``.

    A volume is ``(path on the node, path in the container, read-only)``, a tmpfs ``(path, bytes)``.
    """
    volumes, memory = [], []
    for number, mount in sorted(enumerate(task.role["mounts"]), key=turn):
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
    return volumes, memory


def turn(numbered):
    """What is unpacked into the work folder itself comes first, links to folders of the node come last."""
    number, mount = numbered
    return (0 if mount["at"] == "." else 2 if mount["kind"] == "host" else 1), number


def own_folder(work, place):
    """Make the folder of ``place``, which has to be the task's own: through a link it would be somebody else's."""
    parent = os.path.dirname(place)
    if not os.path.isdir(parent):
        os.makedirs(parent)
    real = os.path.realpath(parent)
    if not inside(os.path.realpath(work), real):
        raise Problem("%s would be made through a link, in %s" % (place, real))


def provide(task, number, mount, place):
    """The path on the node that holds what is mounted."""
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
    if not os.path.exists(done):  # a relaunch in place finds what the first start has fetched
        if not os.path.isdir(os.path.dirname(done)):
            os.makedirs(os.path.dirname(done))
        elif store != place and not os.path.islink(os.path.dirname(store)):
            task_settings.remove(store)  # what a start has fetched that did not live to make the mark
        fetch(task, mount, store, done + ".part")
        open(done, "w").close()
    return store


def fetch(task, mount, store, part):
    """Bring a file or folder from HDFS, or unpack an archive, at ``store``."""
    if mount["kind"] == "hdfs":
        source = task.text(mount["source"])
        task.log("fetching " + source)
        if not task_hdfs.get(source, store, task.hadoop_env()):
            raise Problem("%s could not be fetched; the lines above say why" % source)
        return
    if mount.get("file"):
        unpack(os.path.join(task_settings.FILES, mount["file"]), mount["file"], store)
        return
    source = task.text(mount["source"])
    task.log("fetching " + source)
    if source.startswith(("http://", "https://")):
        try:
            download(source, part)
        except Exception as error:  # urllib, socket, http and ssl each have their own
            raise Problem("%s could not be fetched: %s" % (source, error))
    elif not task_hdfs.get(source, part, task.hadoop_env()):
        raise Problem("%s could not be fetched; the lines above say why" % source)
    unpack(part, source, store)
    os.remove(part)


def download(source, part):
    """Copy what is at a web address to the file ``part``."""
    answer = urlopen(source, None, 60)
    output = open(part, "wb")
    try:
        shutil.copyfileobj(answer, output)
        whole = answer.info().get("Content-Length") or ""
        if whole.isdigit() and output.tell() != int(whole):  # read() ends without an error when the line breaks
            raise Problem("the transfer broke off after %d of %s bytes" % (output.tell(), whole))
    finally:
        output.close()
        answer.close()


def unpack(path, name, folder):
    """Unpack a tar or zip file; a member that would land outside of ``folder`` is refused before any is written."""
    if not os.path.isdir(folder):
        os.makedirs(folder)
    try:
        if name.lower().endswith(".zip"):
            unzip(path, folder)
            return
        archive = tarfile.open(path, "r:*")
        try:
            members = archive.getmembers()
            for member in members:
                safe(folder, member.name)
                if member.issym() or member.islnk():
                    base = os.path.dirname(member.name) if member.issym() else ""
                    safe(folder, os.path.join(base, member.linkname))
                if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
                    raise Problem("%s holds %s, which is neither a file nor a folder nor a link" % (name, member.name))
            options = {"filter": "fully_trusted"} if hasattr(tarfile, "fully_trusted_filter") else {}
            archive.extractall(folder, members, **options)
        finally:
            archive.close()
    except (IOError, OSError, tarfile.TarError, BadZip) as error:
        raise Problem("%s could not be unpacked: %s" % (name, error))


def unzip(path, folder):
    """Unpack a zip file with the permissions that it holds."""
    archive = zipfile.ZipFile(path)
    try:
        for member in archive.infolist():
            safe(folder, member.filename)
        for member in archive.infolist():
            written = archive.extract(member, folder)
            mode = (member.external_attr >> 16) & 0x1FF
            if mode and os.path.isfile(written):
                os.chmod(written, mode | 0x180)
    finally:
        archive.close()


def safe(folder, name):
    """Refuse a name that leads out of ``folder``, be it through a link that is there already."""
    path = os.path.normpath(os.path.join(folder, name))
    if os.path.isabs(name) or not (inside(folder, path) and inside(os.path.realpath(folder), os.path.realpath(path))):
        raise Problem("the archive holds %s, which leads out of its folder" % name)


def check(source, kind):
    """What ``type`` of a host mount asks for: the path is there and of that kind, or is made."""
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
            raise Problem("the node has no %s at %s" % (kind, source))


def inside(folder, path):
    """Whether ``path`` is ``folder`` or below it; both normalised."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def link(work, place, source):
    """Make ``place`` a link to ``source``; an old link is replaced, anything else in the way is left alone."""
    place = place.rstrip("/")
    own_folder(work, place)
    if inside(place, os.path.normpath(source)):
        raise Problem("%s cannot be a link to %s, which lies inside it" % (place, source))
    if os.path.islink(place):
        os.remove(place)
    elif os.path.exists(place):
        raise Problem("%s is in the way: a link to %s should stand there" % (place, source))
    os.symlink(source, place)
