"""Which documents of a manifest can belong to a job, found without comparing each document with each job."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from tfdsl.manifest.view import view

if TYPE_CHECKING:
    from tfdsl.manifest.documents import Document

_LONGEST_NAME: Final = 253
"""No object has a longer name (the API server's limit), so none belongs to anything."""


class Neighbours:
    """Documents by their namespace and the beginnings of their names.

    All that a compiler writes beside a job is in the job's namespace, and is called as the job or begins with its name
    and a hyphen.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._near: dict[tuple[str, str], list[Document]] = {}
        for document in documents:
            metadata = view(document.node)["metadata"]
            name, namespace = metadata["name"].text or "", metadata["namespace"].text or ""
            if len(name) <= _LONGEST_NAME:
                ends = [at for at, letter in enumerate(name) if letter == "-"]
                for end in (*ends, len(name)):
                    self._near.setdefault((namespace, name[:end]), []).append(document)

    def of(self, namespace: str | None, name: str | None) -> list[Document]:
        """The documents that may belong to the job ``name``, in their order; the job's own may be among them."""
        return self._near.get((namespace or "", name), []) if name else []
