"""Jobs from manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfdsl.api.asking import target_of
from tfdsl.api.diagnostics import Diagnostic, public
from tfdsl.api.failing import compile_error
from tfdsl.api.reading import source_of
from tfdsl.compiling import pipeline
from tfdsl.importing.manifests import import_manifests

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class ImportedJob:
    """A job that was read from a manifest.

    ``source``: what it was read from, ``TFJob kubeflow.org/v1``. ``patches``: how many patches its text has. ``same``:
    whether it compiles to the manifest again, up to the normal form; ``None`` where that is not promised.
    """

    name: str
    target: str
    source: str
    patches: int
    same: bool | None


@dataclass(frozen=True, slots=True)
class Imported:
    """What :func:`import_manifest` makes. ``text``: the jobs in the language; ``diagnostics``: warnings and notes."""

    text: str
    jobs: tuple[ImportedJob, ...]
    diagnostics: tuple[Diagnostic, ...]


def import_manifest(
    *paths: str | os.PathLike[str],
    text: str | None = None,
    roles: Mapping[str, str] | None = None,
    target: str | None = None,
) -> Imported:
    """The jobs that manifests describe, as ``tfdsl import`` writes them.

    Args:
        paths: Files of YAML, JSON, XML or a command line, which are read together.
        text: A text instead of files.
        roles: What the manifest calls a role → the role: ``{"trainer": "worker"}``.
        target: Read only what this target writes.

    Raises:
        CompileError: There is no job in it, or one that cannot be read.
        UsageError: There is no such target.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    if text is not None and paths:
        raise TypeError("give paths or text=, not both")
    if text is None and not paths:
        raise TypeError("give paths or text=")
    backend = None if target is None else target_of(target).backend
    sources = [source_of(None, text, None)] if text is not None else [source_of(path, None, None) for path in paths]
    [result] = import_manifests(sources, roles, backend)
    if pipeline.has_errors(result.diagnostics):
        raise compile_error(f"cannot import {', '.join(source.path for source in sources)}", result.diagnostics)
    jobs = tuple(ImportedJob(one.name, one.target, one.what, one.patches, one.kept) for one in result.jobs)
    return Imported(result.text, jobs, public(result.diagnostics))
