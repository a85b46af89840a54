"""Files as they were at a revision of git.

Only plumbing commands are called, so nothing that a repository configures is run: no pager, no filter, no external
diff.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final

from tfdsl import source_files
from tfdsl.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.text import Source

_QUIET: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
_OPTIONS: Final = ("-c", "core.fsmonitor=false", "-c", "core.quotepath=false", "--no-pager", "--no-replace-objects")
_SECONDS: Final = 60
_MISSING: Final = "git is not installed"
_FILE, _EXECUTABLE = "100644", "100755"


class Revision(Record):
    """A commit of the repository at ``root``. ``name``: as the user wrote it."""

    root: str
    commit: str
    name: str

    def read(self, path: str) -> Source | str:
        """The text of ``path`` at this revision, or why it cannot be read. ``path`` may be gone today."""
        inside = os.path.relpath(_real(path), self.root).replace(os.sep, "/")
        if inside.startswith("../") or inside == "..":
            return "it is outside of the repository"
        entry = _git(self.root, "ls-tree", "-z", "--full-tree", self.commit, "--", f":(literal){inside}")
        if isinstance(entry, str):
            return entry
        mode, _, rest = entry.split(b"\0")[0].decode("utf-8", "replace").partition(" ")
        if not mode:
            return "there is no such file at that revision"
        if mode not in (_FILE, _EXECUTABLE):
            return "it is not a regular file at that revision"
        blob = rest.split(" ", 1)[-1].partition("\t")[0]
        size = _git(self.root, "cat-file", "-s", blob)
        if isinstance(size, str):
            return size
        if int(size) > source_files.LARGEST:
            return f"it is larger than {source_files.LARGEST // 1024 // 1024} MiB"
        data = _git(self.root, "cat-file", "blob", blob)
        return data if isinstance(data, str) else source_files.decode(data, f"{path}@{self.name}", path)


def split(word: str) -> tuple[str, str] | None:
    """``FILE@REVISION`` as its parts; ``None`` if a file of that name exists, or if it has not that form."""
    path, at, name = word.rpartition("@")
    if not at or not path or not name or os.path.lexists(word) or not source_files.is_file_name(word):
        return None
    return path, name


def revision(path: str, name: str) -> Revision | str:
    """The revision ``name`` of the repository that ``path`` belongs to, or why there is none."""
    folder = os.path.dirname(_real(path))
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:  # it may be gone with the file
        folder = os.path.dirname(folder)
    root = _git(folder, "rev-parse", "--show-toplevel")
    if isinstance(root, str):
        return root
    found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if isinstance(found, str) or not found.strip():
        return found if isinstance(found, str) and found == _MISSING else "the repository has no such revision"
    top = root.decode("utf-8", "surrogateescape").rstrip("\n")
    return Revision(os.path.realpath(top), found.decode("ascii", "replace").strip(), name)


def _real(path: str) -> str:
    """``path`` with the links of its folder resolved; a link itself is looked up as it is at the revision."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def _git(folder: str, *words: str) -> bytes | str:
    """What a command of git writes, or why it fails."""
    line: Sequence[str] = ("git", *_OPTIONS, "-C", folder, *words)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _QUIET
    try:
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=environment, timeout=_SECONDS
        )
    except FileNotFoundError:
        return _MISSING
    except subprocess.TimeoutExpired:
        return f"git did not answer for {_SECONDS} seconds"
    except (OSError, ValueError) as error:
        return str(error)
    if done.returncode == 0:
        return done.stdout
    text = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if any("not a git repository" in line for line in text):
        return "it is not in a git repository"
    return text[0].removeprefix("fatal: ") if text else "git fails"
