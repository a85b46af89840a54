"""How the target slider reads what people have: an application of three files, or what tfdsl wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.draft import Draft
from tfdsl.manifest.nodes import Node
from tfdsl.reading import Asked, Group
from tfdsl_backends.hadoop.reading import Notes
from tfdsl_backends.slider.reading_files import FIELDS, files_of, groups_of
from tfdsl_backends.slider.reading_own import is_own, read_own
from tfdsl_backends.slider.reading_package import read_package, read_wrapper

if TYPE_CHECKING:
    from tfdsl.manifest.documents import Document

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """The applications."""
    return groups_of(documents)


def read(group: Group, asked: Asked) -> Draft | None:
    """The job of an application."""
    files = files_of(group)
    notes = Notes(asked)
    if is_own(files.job):
        return read_own(files, files.job, notes)
    name = files.application["name"]
    span = (
        name.span if name.present else (files.resources if files.resources.present else files.config).key("components")
    )
    if files.wrapper.present:
        return read_wrapper(files, notes, span)
    return read_package(files, notes, span)


def normal(documents: Sequence[Node], version: str) -> Sequence[Node]:
    """The documents as they are: what is kept is a table."""
    return documents


def aligned(documents: Sequence[Node], written: Sequence[Node]) -> Sequence[Node]:
    """The documents as they are."""
    return documents
