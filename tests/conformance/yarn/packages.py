"""Slider packages: made by the compiler, judged by Slider's own classes."""

from __future__ import annotations

import json
import subprocess
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.conformance.yarn.work import java_home
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.emit.header import Header, headed
from tfdsl.emit.located import plain
from tfdsl.record import replace
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.yarn.work import Work
    from tfdsl.backend import Document
    from tfdsl.ir.model import Job


@dataclass
class Package:
    """The files of an application, path -> text. ``errors``: the codes for which the compiler refuses it."""

    job: Job
    files: dict[str, str]
    errors: set[str]

    @property
    def resources(self) -> dict[str, Any]:
        """``resources.json``, as data."""
        found: dict[str, Any] = json.loads(self.files["resources.json"])
        return found

    def change(self, file: str, old: str, new: str) -> Package:
        """The same with a text replaced that stands there once or more."""
        assert old in self.files[file], f"{old} is not in {file}:\n{self.files[file]}"
        return Package(self.job, {**self.files, file: self.files[file].replace(old, new)}, self.errors)


def made(text: str) -> Package:
    """What the compiler makes of a text, even where it refuses to."""
    backend = targets.find("slider")
    assert backend is not None
    program = pipeline.load(Source("job.tfjob", text), lambda path: "files cannot be included here")
    choices = [Choice(backend)]
    outcome = pipeline.run(program, Request(), choices)
    errors = {found.rule.code for found in outcome.diagnostics if found.level == "error"}
    checked = pipeline.check(program, Request(), choices)
    (values,) = (job for job in checked.jobs if job.target is not None)
    unit = pipeline.unit_of(backend, values)
    documents = backend.load().generate(unit)
    header = Header(unit.target, unit.shown_version, "jobs/a --> b/job.tfjob")
    return Package(unit.job, {str(one.file): written(one, header) for one in documents}, errors)


def written(document: Document, header: Header) -> str:
    """The text of a document, with the control character U+0001 although XML has no way to write it."""
    if document.format != "xml":
        return headed(pipeline.written(document), document.format, str(document.file), header).text
    marked = json.loads(json.dumps(plain(document.data)).replace("\\u0001", "U+0001"))
    text = pipeline.written(replace(document, data=marked))
    return headed(text, "xml", str(document.file), header).text.replace("U+0001", "\1")


def judged(work: Work, packages: list[Package], folder: Path) -> list[dict[str, Any]]:
    """What Slider says about each package, in one Java machine."""
    lines = []
    for number, package in enumerate(packages):
        place = folder / str(number)
        place.mkdir(parents=True)
        with zipfile.ZipFile(place / "package.zip", "w") as archive:
            for name, text in package.files.items():
                if name.startswith(("metainfo", "package/")):
                    archive.writestr(name, text)
        for name in ("appConfig.json", "resources.json"):
            (place / name).write_text(package.files[name], encoding="utf-8")
        words = (package.job.name, place / "package.zip", place / "appConfig.json", place / "resources.json")
        lines.append("\t".join(map(str, words)))
    classes = f"{work.folder}/classes/slider:{work.folder}/slider/lib/*"
    command = [f"{java_home()}/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classes, "Judge"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(packages)
    return found
