"""Folders that have to be made before the first task starts: out of archives, and out of single files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tfdsl.running.sources import plain

if TYPE_CHECKING:
    from tfdsl.ir.model import ConfigMapMount, HostMount, SecretMount

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
