"""The repository of git that a file is in, and what git is asked about it.

A stranger may have written it: a folder that was unpacked has a ``.git``, and a checkout can have parts that look like
repositories. So the repository is looked for here, and git is told which one it is (:class:`Repository`):

* Only a ``.git`` counts. Git would take a folder with ``HEAD``, ``objects`` and ``refs`` for a repository, which any
  pull request can contain.
* What git reads there is below the folder of the ``.git``: no link, ``.git`` file, ``commondir`` or ``alternates``
  leads elsewhere. The repository of a worktree or submodule is elsewhere; it counts if it names this folder in return,
  which a stranger cannot have written. A folder that the user allows counts too.
* Nothing there is a FIFO or a device, which git would wait for.
* Only commands are called that read objects, so that no pager, filter, hook or external diff runs; fetching what is
  missing is refused, and so is whatever the environment says about git.
* What git complains about is not repeated, because it quotes the files that it complains about.
"""

from __future__ import annotations

import os
import posixpath
import stat
import subprocess
from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl import source_files
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.source_files import Outside, contents, is_below, is_file_name, is_folder
from tfdsl.text import Source

_ENVIRONMENT: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}
_OPTIONS: Final = (
    *("-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.quotepath=false", "--no-pager", "--no-replace-objects"),
)
_SECONDS: Final = 60
_LARGEST: Final = 64 * 1024
"""Bytes of a file that says where a repository is."""
_FOLDERS: Final = ("info", "logs", "objects", "refs", "reftable")
"""The folders of a repository in which git reads here."""
_WORKTREE: Final = regex(r"(?m)^[ \t]*worktree[ \t]*=[ \t]*\"?([^\"\n]+?)\"?[ \t]*$")
NO_REPOSITORY: Final = "it is not in a git repository"
MISSING: Final = "git is not installed"
FAILS: Final = "git fails"
_NOT_OURS: Final = "git does not trust the repository, which another user owns (safe.directory in git's manual)"


class Repository(Record):
    """A repository. ``root``: the folder that has the ``.git``, ``git_dir``: where that is; both without links.

    ``way``: ``root`` as the user has named it.
    """

    root: str
    git_dir: str
    way: str

    def ask(self, *words: str) -> bytes | str:
        """What a command of git writes, or why it fails."""
        return _git(self.root, (f"--git-dir={self.git_dir}", f"--work-tree={self.root}"), words)


def repository_of(folder: str, allowed: Sequence[str]) -> Repository | str:
    """The repository of ``folder``, a whole path, or why there is none; ``allowed``: other folders that count."""
    way = _way_to(folder)
    if way is None:
        return NO_REPOSITORY
    root = os.path.realpath(way)
    git_dir = _git_dir(root)
    if git_dir is None:
        return NO_REPOSITORY
    common = _common(git_dir)
    problem = _Look(git_dir, common, (root, *map(os.path.realpath, allowed))).problem()
    if problem is not None:
        return problem
    # Git looks for it once more: whether it trusts the owner is asked only then.
    answer = _git(root, (), ("rev-parse", "--absolute-git-dir", "--git-common-dir"))
    if isinstance(answer, str):
        return answer
    places = [os.path.realpath(os.path.join(root, name)) for name in os.fsdecode(answer).splitlines()]
    return Repository(root, git_dir, way) if places == [git_dir, common] else NO_REPOSITORY


def _way_to(folder: str) -> str | None:
    """The nearest folder above ``folder`` that has a ``.git``; a link in another repository does not lead to one."""
    nearest = None
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            nearest = nearest or folder
            if not os.path.islink(folder):
                return folder
        if os.path.dirname(folder) == folder:
            return nearest
        folder = os.path.dirname(folder)


def _git_dir(root: str) -> str | None:
    """The folder that ``.git`` is, or that a file of this name leads to."""
    mark = os.path.realpath(os.path.join(root, ".git"))
    if os.path.isdir(mark):
        return mark
    name = _file_name_in(mark, "gitdir: ")
    place = os.path.realpath(os.path.join(root, name))
    return place if name and os.path.isdir(place) else None


def _common(git_dir: str) -> str:
    """The folder of the objects and refs: of a worktree that of the repository which has made it."""
    return os.path.realpath(os.path.join(git_dir, _file_name_in(os.path.join(git_dir, "commondir"))))


def _file_name_in(path: str, before: str = "") -> str:
    """The name that a small file consists of, behind the word ``before``; empty if there is none."""
    data = _small(path)
    text = os.fsdecode(data).rstrip("\r\n") if isinstance(data, bytes) else ""
    return text.removeprefix(before) if text.startswith(before) and is_file_name(text) else ""


def _small(path: str) -> bytes | str:
    """The bytes of a small file, wherever it is, as git reads it: nobody is shown any of them."""
    real = os.path.realpath(path)
    return contents(real, _LARGEST, (real,))


class _Look:
    """Whether git may read a repository; ``roots``: the folders that it may be in, that of the ``.git`` first."""

    def __init__(self, git_dir: str, common: str, roots: Sequence[str]) -> None:
        self.tops = (git_dir, common)
        self.root = roots[0]
        self.roots = roots

    def problem(self) -> str | None:
        """Why not; ``None`` if it may."""
        if not self._belongs(*self.tops):
            return Outside(self.root, "the repository that .git leads to")
        inside = (*self.roots, *self.tops)
        left, seen = [*self.tops], set[str]()
        while left:
            folder = left.pop()
            if os.path.realpath(folder) not in seen:
                seen.add(os.path.realpath(folder))
                for entry in self._entries(folder):
                    if entry.is_symlink() and not is_below(entry.path, inside):
                        return Outside(self.root, self._shown(entry.path))
                    if _blocks(entry):
                        return f"{self._shown(entry.path)} is not a regular file"
                    left += [entry.path] if is_folder(entry) else []
                others = _alternates(folder) if os.path.basename(folder) == "info" else []
                if not all(is_below(other, inside) for other in others):
                    return Outside(self.root, f"a folder that {self._shown(folder)}/alternates names")
                left += others
        return None

    def _belongs(self, git_dir: str, common: str) -> bool:
        """Whether the repository is that of the folder: in it, or the one that names it as a worktree or submodule."""
        if is_below(git_dir, self.roots) and is_below(common, self.roots):
            return True
        if git_dir == common:
            text = _small(os.path.join(git_dir, "config"))
            match = _WORKTREE.search(os.fsdecode(text)) if isinstance(text, bytes) else None
            return match is not None and os.path.realpath(os.path.join(git_dir, match[1])) == self.root
        name = _file_name_in(os.path.join(git_dir, "gitdir"))
        is_its_own = os.path.dirname(git_dir) == os.path.join(common, "worktrees")
        return is_its_own and os.path.realpath(os.path.dirname(os.path.join(git_dir, name))) == self.root

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        """What git reads in a folder."""
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if folder not in self.tops or entry.name in _FOLDERS or not is_folder(entry):
                        yield entry
        except OSError:  # which git will say
            return

    def _shown(self, path: str) -> str:
        top = next((top for top in self.tops if path.startswith(top + os.sep)), None)
        return os.path.relpath(path, self.root) if top is None else os.path.join(".git", os.path.relpath(path, top))


def _blocks(entry: os.DirEntry[str]) -> bool:
    """Whether git would wait for an entry."""
    if not entry.is_symlink() and (entry.is_dir() or entry.is_file()):
        return False
    try:
        mode = entry.stat().st_mode
    except OSError:  # a link that leads nowhere, or to itself
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def _alternates(info: str) -> list[str]:
    """The other folders of objects that the file in ``info`` names, which git finds from the folder around it."""
    path = os.path.join(info, "alternates")
    data = _small(path) if os.path.lexists(path) else b""
    lines = os.fsdecode(data).split("\n") if isinstance(data, bytes) else ["/"]
    named = ["/" if line.startswith('"') else line for line in lines if line and not line.startswith("#")]
    places = [os.path.join(os.path.realpath(os.path.dirname(info)), line) for line in named]
    return [*places, *map(os.path.normpath, places)]  # a quoted name can be any; git takes out ".." without looking


def _git(root: str, options: Sequence[str], words: Sequence[str]) -> bytes | str:
    """What a command of git writes in the folder ``root``, or why it fails."""
    line = ("git", *_OPTIONS, "-C", root, *options, *words)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
    environment["GIT_CEILING_DIRECTORIES"] = os.path.dirname(root)
    try:
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=environment, timeout=_SECONDS
        )
    except FileNotFoundError:
        return MISSING
    except subprocess.TimeoutExpired:
        return f"git did not answer for {_SECONDS} seconds"
    except (OSError, ValueError) as error:
        return str(error)
    if done.returncode == 0:
        return done.stdout
    if b"not a git repository" in done.stderr:
        return NO_REPOSITORY
    return _NOT_OURS if b"dubious ownership" in done.stderr else f"{FAILS} with status {done.returncode}"


# --- files as they were at a revision ----------------------------------------------------------------------------


_FILE, _EXECUTABLE, _LINK = "100644", "100755", "120000"
_MOST_LINKS = 40
"""As many as Linux follows."""


class Revision(Record):
    """A commit of a repository. ``name``: as the user wrote it."""

    repository: Repository
    commit: str
    name: str

    def read(self, path: str) -> Source | str:
        """The text of ``path`` at this revision, or why it cannot be read. ``path`` may be gone today."""
        inside = os.path.relpath(os.path.abspath(path), self.repository.way).replace(os.sep, "/")
        for _ in range(_MOST_LINKS):
            if inside.startswith(("../", "/")) or inside == "..":
                return "it is outside of the repository"
            entries = self._entries(inside)
            if isinstance(entries, str):
                return entries
            mode, blob = entries.get(inside, ("", ""))
            if mode in (_FILE, _EXECUTABLE):
                data = self._text(blob)
                return data if isinstance(data, str) else source_files.decode(data, f"{path}@{self.name}", path)
            if mode:
                return "it is not a regular file at that revision"
            link = next((name for name, (mode, _) in entries.items() if mode == _LINK), None)
            if link is None:
                return "there is no such file at that revision"
            to = self._text(entries[link][1])
            if isinstance(to, str):
                return to
            inside = posixpath.normpath(posixpath.join(posixpath.dirname(link), os.fsdecode(to)) + inside[len(link) :])
        return "too many levels of symbolic links"

    def _entries(self, inside: str) -> dict[str, tuple[str, str]] | str:
        """Mode and object of a file, and of the folders around it: one may be a link, which leads where it did then."""
        parts = inside.split("/")
        names = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        words = ("ls-tree", "-z", "--full-tree", self.commit, "--", *(f":(literal){name}" for name in names))
        answer = self.repository.ask(*words)
        if isinstance(answer, str):
            return answer
        lines = (os.fsdecode(line).partition("\t") for line in answer.split(b"\0") if line)
        return {name: (words.split(" ")[0], words.split(" ")[2]) for words, _, name in lines}

    def _text(self, blob: str) -> bytes | str:
        """The bytes of an object, or why they are not read."""
        size = self.repository.ask("cat-file", "-s", blob)
        if isinstance(size, str):
            return size
        if int(size) > source_files.LARGEST:
            return f"it is larger than {source_files.LARGEST // 1024 // 1024} MiB"
        return self.repository.ask("cat-file", "blob", blob)


def readings(word: str) -> list[tuple[str, str]]:
    """Every way in which ``word`` is ``FILE@REVISION``: both can have an ``@``, as in ``HEAD@{1}``.

    A revision that is only ``{1}`` or nothing has the ``@`` for itself: ``FILE@{1}``, ``FILE@@{u}``, ``FILE@@``.
    """
    if not source_files.is_file_name(word):
        return []
    places = [at for at, char in enumerate(word) if char == "@" and at > 0]
    splits = [(word[:at], f"@{name}" if (name := word[at + 1 :]).startswith("{") else name) for at in places]
    return [(path, name) for path, name in splits if name]


def likely(word: str) -> list[tuple[str, str]]:
    """The readings whose file exists today; without any the one that git's own words suggest."""
    known = readings(word)
    there = [split for split in known if os.path.lexists(split[0]) and not os.path.isdir(split[0])]
    if there or len(known) < 2:
        return there or known
    end = word.find("@{", 1)
    at = max(word.rfind("@", 0, end if end > 0 else len(word)), 0) or end
    return [split for split in known if len(split[0]) == at][:1]


def revision(path: str, name: str, allowed: Sequence[str] = ()) -> Revision | str:
    """The revision ``name`` of the repository that ``path`` belongs to, or why there is none.

    ``allowed``: folders outside of the repository's own in which git may read.
    """
    folder = os.path.dirname(os.path.abspath(path))
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:  # it may be gone with the file
        folder = os.path.dirname(folder)
    repository = repository_of(folder, allowed)
    if isinstance(repository, str):
        return repository
    answer = repository.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if isinstance(answer, str):
        return "the repository has no such revision" if answer.startswith(FAILS) else answer
    return Revision(repository, answer.decode("ascii", "replace").strip(), name)
