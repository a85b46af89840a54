"""Files as they were at a revision of git."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence

from tfdsl import source_files
from tfdsl.comparing.repository import FAILS, Repository, repository_of
from tfdsl.record import Record
from tfdsl.text import Source

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
        found = self.repository.ask(*words)
        if isinstance(found, str):
            return found
        lines = (os.fsdecode(line).partition("\t") for line in found.split(b"\0") if line)
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
    found = [(word[:at], f"@{name}" if (name := word[at + 1 :]).startswith("{") else name) for at in places]
    return [(path, name) for path, name in found if name]


def likely(word: str) -> list[tuple[str, str]]:
    """The readings whose file exists today; without any the one that git's own words suggest."""
    known = readings(word)
    there = [one for one in known if os.path.lexists(one[0]) and not os.path.isdir(one[0])]
    if there or len(known) < 2:
        return there or known
    end = word.find("@{", 1)
    at = max(word.rfind("@", 0, end if end > 0 else len(word)), 0) or end
    return [one for one in known if len(one[0]) == at][:1]


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
    found = repository.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if isinstance(found, str):
        return "the repository has no such revision" if found.startswith(FAILS) else found
    return Revision(repository, found.decode("ascii", "replace").strip(), name)
