"""Container images, made without a container engine: a Python with TensorFlow, and what a pod's sandbox runs.

Python and its libraries are unpacked from Debian's packages, TensorFlow comes from pip, the shell and its tools from
busybox. The archives stay in the work folder.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tests.conformance.kubernetes.programs import NotBuiltError
from tests.conformance.tensorflow import OLDEST, TRIED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.conformance.kubernetes.work import Work

REPOSITORY = "conformance.invalid"
WITH_TENSORFLOW = f"tensorflow-{OLDEST}"
BUSYBOX = Path("/bin/busybox")
PYTHON_PACKAGES = (
    *("libc6", "libgcc-s1", "libstdc++6", "libexpat1", "zlib1g", "libssl3", "libffi8", "libbz2-1.0", "liblzma5"),
    *("libsqlite3-0", "libuuid1", "media-types", "python3.11-minimal", "libpython3.11-minimal"),
    *("libpython3.11-stdlib", "python3-distutils"),
)
UNUSED = ("tensorflow/include", "tensorboard/plugins/projector/static", "clang", "bin")
TENSORBOARD = '#!/bin/sh\nexec python3 -m tensorboard.main "$@"\n'
"""The command of that name. TensorBoard needs a setuptools that still has pkg_resources."""

PAUSE = "#!/bin/busybox sh\ntrap exit TERM INT\nwhile :; do /bin/busybox sleep 3600 & wait; done\n"


@dataclass(frozen=True)
class Image:
    """An image archive, and the name that it is imported as."""

    name: str
    archive: Path


def named(name: str) -> str:
    """The whole name of an image."""
    return f"{REPOSITORY}/{name}:1"


def build(work: Work) -> list[Image]:
    """Make the images that are not there yet. Raises :class:`NotBuiltError`."""
    folder = work.sub("images")
    if not BUSYBOX.exists():
        raise NotBuiltError(f"images cannot be built: {BUSYBOX} is missing (Debian package busybox-static)")
    makers = {"pause": _pause, WITH_TENSORFLOW: _tensorflow}
    for name, make in makers.items():
        if not (folder / f"{name}.tar").exists():
            make(folder)
    return [Image(named(name), folder / f"{name}.tar") for name in makers]


def build_from(work: Work, dockerfile: str, context: Path, name: str) -> Image:
    """The image ``name`` of a Dockerfile, on the image with TensorFlow whatever its FROM says.

    Only the instructions that need no container engine. The archive has no layer of the base, which the node has.
    """
    folder = work.sub("images")
    root = folder / "built"
    shutil.rmtree(root, ignore_errors=True)
    base, settings = _contents(folder / f"{WITH_TENSORFLOW}.tar")
    for line in dockerfile.splitlines():
        word, _, rest = line.partition(" ")
        if word == "WORKDIR":
            settings["WorkingDir"] = rest
        elif word == "COPY":
            source, target = json.loads(rest)
            path = root / str(Path(settings.get("WorkingDir", "/"), target)).lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(context / source, path)
        elif word == "ENTRYPOINT":
            settings["Entrypoint"] = json.loads(rest)
        elif word not in ("", "#", "FROM"):
            raise NotBuiltError(f"an image cannot be built without a container engine: {line}")
    _pack("built", folder, [root], settings, name, base)
    shutil.rmtree(root)
    return Image(name, folder / "built.tar")


def of_program(work: Work, program: Path) -> Image:
    """An image with a program that needs no libraries, and ``/tmp``. Only a newer program makes it anew."""
    folder, name = work.sub("images"), program.name
    image = Image(named(name), folder / f"{name}.tar")
    if not image.archive.exists() or image.archive.stat().st_mtime < program.stat().st_mtime:
        root = folder / name
        for place in (root / "bin", root / "tmp"):
            place.mkdir(parents=True, exist_ok=True)
        (root / "tmp").chmod(0o1777)
        shutil.copy(program, root / "bin")
        _pack(name, folder, [root], {"Entrypoint": [f"/bin/{name}"]})
        shutil.rmtree(root)
    return image


def _contents(archive: Path) -> tuple[list[dict[str, object]], dict[str, Any]]:
    """The layers of an image, and the settings of its configuration."""
    with tarfile.open(archive) as tar:

        def read(name: str) -> Any:
            file = tar.extractfile(name)
            assert file is not None, name
            return json.load(file)

        manifest = read(f"blobs/{read('index.json')['manifests'][0]['digest'].replace(':', '/')}")
        return manifest["layers"], read(f"blobs/{manifest['config']['digest'].replace(':', '/')}")["config"]


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def _pause(folder: Path) -> None:
    root = folder / "pause"
    (root / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copy(BUSYBOX, root / "bin/busybox")
    _program(root / "pause", PAUSE)
    _pack("pause", folder, [root], {"Entrypoint": ["/pause"]})


def _tensorflow(folder: Path) -> None:
    system, site = folder / "system", folder / "site"
    _debian_python(system, folder / "packages")
    _busybox(system)
    _program(system / "usr/bin/tensorboard", TENSORBOARD)
    _pip(site / "opt/tensorflow")
    python = system / "usr/bin/python3.11"
    compiling = ["-m", "compileall", "-q", "-j", "2", "--invalidation-mode", "unchecked-hash", "-s", str(site)]
    subprocess.run([python, *compiling, str(site / "opt/tensorflow")], stdout=subprocess.DEVNULL)  # some files are bad
    environment = ["PYTHONPATH=/opt/tensorflow", "PYTHONDONTWRITEBYTECODE=1", "HOME=/root", "TF_CPP_MIN_LOG_LEVEL=2"]
    _pack(WITH_TENSORFLOW, folder, [site, system], {"Env": environment})
    for root in (site, system, folder / "packages"):
        shutil.rmtree(root)


def _debian_python(root: Path, packages: Path) -> None:
    for path in (root, packages):
        shutil.rmtree(path, ignore_errors=True)
    packages.mkdir(parents=True)
    for name in ("bin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    _run(["apt-get", "download", "-qq", *PYTHON_PACKAGES], packages)
    for package in sorted(packages.glob("*.deb")):
        unpack = f'dpkg-deb --fsys-tarfile "{package}" | tar -x --keep-directory-symlink -C "{root}"'
        _run(["sh", "-c", unpack], packages)
    for name in ("doc", "man", "locale"):
        shutil.rmtree(root / "usr/share" / name, ignore_errors=True)
    for name in ("python3", "python"):
        (root / "usr/bin" / name).unlink(missing_ok=True)
        (root / "usr/bin" / name).symlink_to("python3.11")


def _busybox(root: Path) -> None:
    for name in ("etc", "tmp", "root", "proc", "sys", "dev"):
        (root / name).mkdir(exist_ok=True)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")
    shutil.copy(BUSYBOX, root / "usr/bin/busybox")
    for applet in _run([str(BUSYBOX), "--list"], root).split():
        link = root / "usr/bin" / applet
        if not link.exists() and not link.is_symlink():
            link.symlink_to("busybox")


def _pip(site: Path) -> None:
    site.mkdir(parents=True, exist_ok=True)
    options = [
        "--quiet",
        "--disable-pip-version-check",
        "--root-user-action",
        "ignore",
    ]
    options += ["--no-compile", "--python-version", "3.11", "--only-binary=:all:", "--target", str(site)]
    _run([sys.executable, "-m", "pip", "install", *options, *TRIED[OLDEST]], site)
    for name in UNUSED:
        shutil.rmtree(site / name, ignore_errors=True)
    for path in list(site.rglob("tests")):
        shutil.rmtree(path, ignore_errors=True)


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise NotBuiltError(f"images cannot be built: {' '.join(command[:4])}: {' / '.join(last)}")
    return done.stdout


# --- the archive (OCI image layout) --------------------------------------------------------------------------------


class _Hashing:
    """Passes on what is written and hashes it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        self.size += len(data)
        return self._file.write(data)

    @property
    def digest(self) -> str:
        return f"sha256:{self._hash.hexdigest()}"


def _pack(
    name: str,
    folder: Path,
    roots: Iterable[Path],
    settings: dict[str, Any],
    image: str | None = None,
    base: Iterable[dict[str, object]] = (),
) -> None:
    """Write ``folder/NAME.tar`` with one layer for each of ``roots``, on the layers ``base`` that are not in it."""
    unfinished = folder / f"{name}.tar.part"
    with tarfile.open(unfinished, "w") as archive:
        layers = [*base, *(_layer(archive, root, folder / "layer.part") for root in roots)]
        path = [] if base else ["PATH=/usr/local/bin:/usr/bin:/bin"]
        settings = {**settings, "Env": [*path, *settings.get("Env", [])]}
        file_system = {"type": "layers", "diff_ids": [layer["digest"] for layer in layers]}
        config = {"architecture": "amd64", "os": "linux", "config": settings, "rootfs": file_system}
        manifest = {
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": _blob(archive, "config.v1+json", config),
            "layers": layers,
        }
        entry = _blob(archive, "manifest.v1+json", manifest)
        entry["annotations"] = {"io.containerd.image.name": image or named(name)}
        _file(archive, "index.json", json.dumps({"schemaVersion": 2, "manifests": [entry]}).encode())
        _file(archive, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
    unfinished.rename(folder / f"{name}.tar")


def _layer(archive: tarfile.TarFile, root: Path, scratch: Path) -> dict[str, object]:
    with scratch.open("wb") as file:
        hashing = _Hashing(file)
        with tarfile.open(fileobj=hashing, mode="w|") as layer:
            for path in sorted(root.iterdir()):
                layer.add(path, path.name, filter=_anonymous)
    archive.add(scratch, f"blobs/{hashing.digest.replace(':', '/')}")
    scratch.unlink()
    return {"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": hashing.digest, "size": hashing.size}


def _blob(archive: tarfile.TarFile, kind: str, data: object) -> dict[str, object]:
    text = json.dumps(data).encode()
    digest = hashlib.sha256(text).hexdigest()
    _file(archive, f"blobs/sha256/{digest}", text)
    return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(text)}


def _file(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry
