"""How a target reads the manifests that people have: the other direction of :mod:`tfdsl.backend`.

A target that can be imported names a module with the functions of :class:`Reading`. They see trees with places
(:mod:`tfdsl.manifest.nodes`) and give a :class:`.draft.Draft`; writing the text, comparing and patches are
:mod:`tfdsl.importing`, which knows no target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tfdsl.diagnostics import Report
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.backend.draft import Draft
    from tfdsl.manifest.nodes import Document, Node


class Group(Record):
    """Documents that make one job. The first is the main one; ``what``: as people call it, ``TFJob v1beta2``."""

    what: str
    documents: tuple[Document, ...]


class Asked(Record):
    """What the user said beside the manifest: ``roles``, what the manifest calls a role → the role.

    ``report`` takes what there is to say; the rules are :mod:`tfdsl.diagnostics.command_rules`.
    """

    roles: Mapping[str, str]
    report: Report


class Field(Record):
    """A row of what a target reads, for the page about migration: a field of the manifest and the word it becomes.

    ``path``: as people write it, with a dot for each level, ``[]`` for the items of a list and a name in ``<>`` for any
    key. ``word``: in the language, empty where it has none. ``note``: in what the two differ, or why the field is left
    out. ``form``: which of the target's forms has the field, where there are several: ``Yarnfile``.
    """

    path: str
    word: str
    note: str = ""
    form: str = ""


class Reading(Protocol):
    """What a backend's reading module has. None of its functions raises, whatever the trees hold.

    ``FIELDS``: what becomes of each field that people write, in the order of the page that shows it.
    """

    FIELDS: tuple[Field, ...]

    def groups(self, documents: Sequence[Document], /) -> Sequence[Group]:
        """Which of ``documents`` are jobs of this target, each with those that belong to it; the rest is others'."""

    def read(self, group: Group, asked: Asked, /) -> Draft | None:
        """The job that ``group`` describes; ``None`` if the language cannot express it (reported as an error)."""

    def normal(self, documents: Sequence[Node], version: str, /) -> Sequence[Node]:
        """The normal form: what the server and the controller treat alike is alike in it.

        What they fill in or throw away is gone, lists that are sets are sorted, an old form of the API has become the
        one that this target writes at ``version``, roles have the target's spelling. Paths stay those of the documents
        that the target writes, so a difference can become a patch. The normal form of a normal form is itself.
        """

    def aligned(self, documents: Sequence[Node], written: Sequence[Node], /) -> Sequence[Node]:
        """``documents`` with the names that only connect parts of a pod as ``written``, a compiled job, has them.

        Both are normal forms. Such names are those of containers and volumes. A name that another part would share
        is changed.
        """
