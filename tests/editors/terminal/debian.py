"""Programs of a Debian release, unpacked into a folder: nothing is installed, and nobody has to be root.

The machine's own apt fetches them and checks their signatures, with a list of packages and a state of its own. A
program is started by the loader that was unpacked beside it, so its libraries need not be those of the machine.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
SOURCES = (Path("/etc/apt/sources.list"), Path("/etc/apt/sources.list.d"))


class NotToBeHadError(Exception):
    """An editor cannot be had on this machine; the text is one line that says why."""


def mirror() -> str:
    """Where this machine takes Debian's packages from.

    Raises:
        NotToBeHadError: It is no Debian, or none that names a mirror.
    """
    for place in SOURCES:
        for path in sorted(place.iterdir()) if place.is_dir() else [place]:
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            for found in re.finditer(r"^(?:URIs:|deb\s(?:\[.*?\])?)\s*(\S+/debian/?)(?:\s|$)", text, re.M):
                return found[1]
    raise NotToBeHadError("no mirror of Debian in the sources of apt, for the editors of the terminal")


class Debian:
    """A release of Debian below a folder."""

    def __init__(self, folder: Path, release: str, without: tuple[str, ...]) -> None:
        """Take packages of ``release`` into ``folder``; those of ``without`` count as if they were there."""
        self.root = folder / "root"
        self._apt = folder / "apt"
        self._release = release
        self._without = without

    def unpack(self, packages: tuple[str, ...]) -> None:
        """Fetch the packages and all that they need, and unpack them.

        Raises:
            NotToBeHadError: There is no apt, or it does not get them.
        """
        if not all(map(shutil.which, ("apt-get", "dpkg-deb", "tar"))) or not KEYRING.exists():
            raise NotToBeHadError("no apt with Debian's keys, for the editors of the terminal")
        self._configure()
        self._get("update")
        self._get("install", "--yes", "--download-only", *packages)
        self.root.mkdir(exist_ok=True)
        with ThreadPoolExecutor(max_workers=2) as unpacking:
            list(unpacking.map(self._unpack, sorted((self._apt / "cache/archives").glob("*.deb"))))
        shutil.rmtree(self._apt)

    def _unpack(self, archive: Path) -> None:
        left = ("doc", "icons", "locale", "man")
        command = ["tar", "-x", "--no-same-owner", *(f"--exclude=./usr/share/{name}" for name in left), "-C", self.root]
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE) as files:
            subprocess.run(command, stdin=files.stdout, check=True)

    def _configure(self) -> None:
        shutil.rmtree(self._apt, ignore_errors=True)
        for name in ("lists/partial", "cache/archives/partial"):
            (self._apt / name).mkdir(parents=True)
        (self._apt / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror()} {self._release} main\n")
        there = "Package: {}\nStatus: install ok installed\nMulti-Arch: same\nArchitecture: {}\nVersion: 9999:1\n\n"
        machine = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
        (self._apt / "status").write_text("".join(there.format(name, machine.stdout.strip()) for name in self._without))
        options = {
            "Dir::State": self._apt,
            "Dir::State::lists": self._apt / "lists",
            "Dir::State::status": self._apt / "status",
            "Dir::Cache": self._apt / "cache",
            "Dir::Etc::sourcelist": self._apt / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "APT::Sandbox::User": "",
            "APT::Install-Recommends": "false",
            "Acquire::Languages": "none",
            "Acquire::Retries": "3",
        }
        hooks = ("APT::Update::Pre-Invoke", "APT::Update::Post-Invoke", "APT::Update::Post-Invoke-Success")
        lines = [*(f"#clear {name};" for name in hooks), *(f'{name} "{value}";' for name, value in options.items())]
        (self._apt / "apt.conf").write_text("\n".join(lines))

    def _get(self, *arguments: str) -> None:
        command = ["apt-get", "--quiet", "--config-file", str(self._apt / "apt.conf"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # Debian's `update` warns and goes on when the mirror is away.
        lines = [line for line in done.stderr.splitlines() if line.startswith(("E:", "W: Failed"))]
        if done.returncode or lines:
            raise NotToBeHadError(f"apt-get {arguments[0]} failed, for the editors of the terminal: {' '.join(lines)}")

    def command(self, program: str, libraries: tuple[str, ...] = ()) -> str:
        """What a shell script runs to start a program of the release.

        Args:
            program: Its path below the root.
            libraries: Folders of libraries below the root that are not on the usual path.
        """
        (loader,) = (self.root / "usr/lib").glob("*/ld-linux-*.so.*")
        path = ":".join(str(folder) for folder in (loader.parent, *(loader.parent / name for name in libraries)))
        return f'"{loader}" --argv0 "{self.root / program}" --library-path "{path}" "{self.root / program}"'
