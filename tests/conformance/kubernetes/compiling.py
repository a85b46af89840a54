"""Texts as the documents that are sent to the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.emit.located import plain
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.backend import Backend, Document, TaskConfig, Unit
    from tfdsl.diagnostics import Diagnostic


@dataclass(frozen=True)
class Manifest:
    """One document: the text that is written, and its data."""

    text: str
    data: dict[str, Any]

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.data["kind"])

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.data["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """The namespace that is written, else ``default``."""
        return str(self.data["metadata"].get("namespace", "default"))


@dataclass(frozen=True)
class Compiled:
    """One text for one target. ``documents``: in output order; none when there is an error."""

    source: str
    target: str
    units: tuple[Unit, ...]
    documents: tuple[Manifest, ...]
    diagnostics: tuple[Diagnostic, ...]
    dockerfile: str = ""
    """Of the first job's ``build``."""

    @property
    def errors(self) -> list[str]:
        """What keeps it from being compiled."""
        return [f"{found.rule.code} {found.message}" for found in self.diagnostics if found.level == "error"]

    def codes(self, level: str = "error") -> set[str]:
        """The codes of what is said at ``level``."""
        return {found.rule.code for found in self.diagnostics if found.level == level}

    def tasks(self) -> list[TaskConfig]:
        """What each task will see, as the compiler predicts it."""
        lowering = backend(self.target).load()
        return [task for unit in self.units for task in lowering.tasks(unit)]


def backend(target: str) -> Backend:
    """A built-in target."""
    found = targets.find(target)
    assert found is not None, target
    return found


def compiled(source: str, target: str, version: str | None = None, profile: str | None = None) -> Compiled:
    """``source`` through all stages."""
    program = pipeline.load(Source("job.tfjob", source), lambda path: "files cannot be included here")
    outcome = pipeline.run(program, Request(profile), [Choice(backend(target), version)])
    failed = pipeline.has_errors(outcome.diagnostics)
    made = () if failed else outcome.made
    documents = tuple(manifest(document) for one in made for document in one.documents)
    dockerfile = next((one.dockerfile.text for one in made if one.dockerfile is not None), "")
    return Compiled(source, target, tuple(one.unit for one in made), documents, outcome.diagnostics, dockerfile)


def manifest(document: Document) -> Manifest:
    """A document of a target as it is sent."""
    data = plain(document.data)
    assert isinstance(data, dict)
    return Manifest(pipeline.written(document).text, data)


def accepted(source: str, target: str, version: str | None = None, profile: str | None = None) -> Compiled:
    """``source``, which must compile."""
    done = compiled(source, target, version, profile)
    assert not done.errors, done.errors
    return done
