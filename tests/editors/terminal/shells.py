"""Shells in which completion is tried: the machine's own bash, and zsh and fish from Debian, kept in a work folder."""

from __future__ import annotations

import fcntl
import shutil
from typing import TYPE_CHECKING

from tests.editors.terminal.debian import Debian

if TYPE_CHECKING:
    from pathlib import Path

RELEASE = "trixie"
PACKAGES = ("zsh", "fish")
WITHOUT = (
    # What they depend on and do not need for this: manuals, clipboards, and what configures a system.
    *("bsdextrautils", "debconf", "debianutils", "dpkg", "gawk", "groff-base", "init-system-helpers", "libc6-dev"),
    *("man-db", "passwd", "perl", "perl-base", "procps", "python3", "wl-clipboard", "xclip", "xsel"),
)

_ZSH = """#!/bin/sh
exec {command} "$@"
"""
# fish looks for its files beside its own program; that is the loader by which it is started, which is copied there.
_FISH = """#!/bin/sh
exec "{prefix}/bin/fish" --argv0 fish --library-path "{libraries}" "{root}/usr/bin/fish" "$@"
"""
ZSHENV = """\
module_path=("{root}"/usr/lib/*/zsh/*(N))
fpath=("{root}"/usr/share/zsh/functions/*(/) "{root}"/usr/share/zsh/functions/Completion/*(/))
"""
"""Where zsh finds its own files, which are not where it was built for."""


def shells(work: Path) -> Path:
    """The folder with ``zsh`` and ``fish``, and ``zshenv``.

    Raises:
        NotToBeHadError: One of them cannot be had.
    """
    folder = work / "shells"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _fill(folder)
    return folder / "bin"


def _fill(folder: Path) -> None:
    """Get the programs, unless the folder has what is asked for here."""
    wanted = "\n".join((str(folder), RELEASE, *PACKAGES, *WITHOUT, _ZSH, _FISH, ZSHENV))
    done = folder / "done"
    if done.exists() and done.read_text(encoding="utf-8") == wanted:
        return
    done.unlink(missing_ok=True)
    for name in ("bin", "fish", "root"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "bin").mkdir()
    debian = Debian(folder, RELEASE, WITHOUT)
    debian.unpack(PACKAGES)
    (loader,) = (debian.root / "usr/lib").glob("*/ld-linux-*.so.*")
    _fish_prefix(folder / "fish", debian.root, loader)
    _script(folder / "bin/zsh", _ZSH.format(command=debian.command("usr/bin/zsh")))
    names = {"prefix": folder / "fish", "libraries": loader.parent, "root": debian.root}
    _script(folder / "bin/fish", _FISH.format(**names))
    (folder / "bin/zshenv").write_text(ZSHENV.format(root=debian.root), encoding="utf-8")
    done.write_text(wanted, encoding="utf-8")


def _fish_prefix(prefix: Path, root: Path, loader: Path) -> None:
    """A folder in which fish finds its files."""
    (prefix / "bin").mkdir(parents=True)
    shutil.copy2(loader, prefix / "bin/fish")
    for name, there in (("share", "usr/share/fish"), ("etc", "etc/fish")):
        (prefix / name).mkdir()
        (prefix / name / "fish").symlink_to(root / there)


def _script(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
