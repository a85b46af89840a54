"""Files as they were at a revision of git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tfdsl import source_files
from tfdsl.comparing.repository import FAILS, Repository, repository_of
from tfdsl.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.text import Source

_FILE, _EXECUTABLE = "100644", "100755"


class Revision(Record):
    """A commit of a repository. ``name``: as the user wrote it."""

    repository: Repository
    commit: str
    name: str

    def read(self, path: str) -> Source | str:
        """The text of ``path`` at this revision, or why it cannot be read. ``path`` may be gone today."""
        ask = self.repository.ask
        inside = os.path.relpath(_real(path), self.repository.root).replace(os.sep, "/")
        if inside.startswith("../") or inside == "..":
            return "it is outside of the repository"
        entry = ask("ls-tree", "-z", "--full-tree", self.commit, "--", f":(literal){inside}")
        if isinstance(entry, str):
            return entry
        mode, _, rest = entry.split(b"\0")[0].decode("utf-8", "replace").partition(" ")
        if not mode:
            return "there is no such file at that revision"
        if mode not in (_FILE, _EXECUTABLE):
            return "it is not a regular file at that revision"
        blob = rest.split(" ", 1)[-1].partition("\t")[0]
        size = ask("cat-file", "-s", blob)
        if isinstance(size, str):
            return size
        if int(size) > source_files.LARGEST:
            return f"it is larger than {source_files.LARGEST // 1024 // 1024} MiB"
        data = ask("cat-file", "blob", blob)
        return data if isinstance(data, str) else source_files.decode(data, f"{path}@{self.name}", path)


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
    folder = os.path.dirname(_real(path))
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:  # it may be gone with the file
        folder = os.path.dirname(folder)
    repository = repository_of(folder, allowed)
    if isinstance(repository, str):
        return repository
    found = repository.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if isinstance(found, str):
        return "the repository has no such revision" if found.startswith(FAILS) else found
    return Revision(repository, found.decode("ascii", "replace").strip(), name)


def _real(path: str) -> str:
    """``path`` with the links of its folder resolved; a link itself is looked up as it is at the revision."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)
