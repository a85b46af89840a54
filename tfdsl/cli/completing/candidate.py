"""What a shell is offered."""

from __future__ import annotations

from tfdsl.record import Record


class Candidate(Record):
    """A word that can stand where the cursor is. ``open``: it goes on, so no space follows it."""

    text: str
    description: str = ""
    open: bool = False


class Files(Record):
    """Files and folders can stand there. ``prefix``: what is before their path in the word, such as ``--output=``.

    ``endings``: only such files are meant; empty: all. ``folders``: only folders.
    """

    prefix: str = ""
    endings: tuple[str, ...] = ()
    folders: bool = False


class Answer(Record):
    """All that can stand where the cursor is."""

    candidates: tuple[Candidate, ...] = ()
    files: Files | None = None


def behind(prefix: str, answer: Answer) -> Answer:
    """``answer`` about the end of a word that begins with ``prefix``."""
    files = answer.files
    moved = None if files is None else Files(prefix + files.prefix, files.endings, files.folders)
    texts = tuple(Candidate(prefix + one.text, one.description, one.open) for one in answer.candidates)
    return Answer(texts, moved)
