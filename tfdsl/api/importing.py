"""Texts of the language from manifests, and texts as the formatter writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfdsl.api.calls import TEXT, target_of, text_source
from tfdsl.api.diagnostics import Diagnostic, compile_error, public
from tfdsl.compiling import pipeline
from tfdsl.importing.manifests import import_manifests
from tfdsl.syntax.format import format_source
from tfdsl.text import Source

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
    sources = [text_source(None, text, None)] if text is not None else [text_source(path, None, None) for path in paths]
    [result] = import_manifests(sources, roles, backend)
    if pipeline.has_errors(result.diagnostics):
        raise compile_error(f"cannot import {', '.join(source.path for source in sources)}", result.diagnostics)
    jobs = tuple(ImportedJob(job.name, job.target, job.what, job.patches, job.kept) for job in result.jobs)
    return Imported(result.text, jobs, public(result.diagnostics))


def format(text: str) -> str:
    """``text`` in the layout of ``tfdsl fmt``: the same meaning, all comments kept. Formatting twice changes nothing.

    Raises:
        CompileError: The text has syntax errors.
    """
    formatted, diagnostics = format_source(Source(TEXT, text))
    if pipeline.has_errors(diagnostics):
        raise compile_error("cannot format a text with syntax errors", diagnostics)
    return formatted
