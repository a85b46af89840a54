"""What tfdsl wrote for Slider and YARN comes back: the imported text gives the files that it was read from.

So each item that the target keeps or translates is as it was, and what it approximates is what the target does. Scripts
are compared as a shell reads them: a word can be quoted in several ways.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import flows
from tests.conformance.yarn import slider_jobs
from tests.importing import yarn_jobs
from tfdsl import targets
from tfdsl.cli.new import wanted_targets
from tfdsl.compiling import pipeline
from tfdsl.importing.manifests import import_manifests
from tfdsl.ir.fields import walk
from tfdsl.manifest.shell_words import read_script
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item
    from tfdsl.manifest.shell_words import Word

EXAMPLES = Path(__file__).parents[2] / "examples"
QUICK, SLOW, GENERATED = 8, 60, 300
TARGETS = ("slider", "yarn")


def compiled(text: str, target: str) -> dict[str, dict[str, str]]:
    """Job → file → text; nothing of a job that the target refuses."""
    backend = targets.find(target)
    assert backend is not None
    program = pipeline.load(Source("job.tfjob", text), lambda path: "no file is included here")
    outcome = pipeline.run(program, Request(), [Choice(backend)])
    return {
        made.unit.job.name: {one.file or "": pipeline.written(one).text for one in made.documents}
        for made in outcome.made
    }


def imported(files: dict[str, str]) -> str:
    """The text that import makes of the files; what tfdsl wrote needs no remark."""
    (result,) = import_manifests([Source(name, text) for name, text in files.items()])
    assert [one.message for one in result.diagnostics] == []
    assert len(result.jobs) == 1
    return result.text


def as_read(name: str, text: str) -> object:
    """The text, or what a shell reads."""
    if not name.endswith(".sh"):
        return text
    source = Source(name, text)
    script = read_script(text, lambda start, end: Span(source, start, end))
    return [
        (
            [shown(word) for word in one.words],
            [(each.name, [shown(word) for word in each.words]) for each in one.assignments],
            [here.text for here in one.documents],
        )
        for one in script.commands
    ]


def shown(word: Word) -> str:
    """A word without its quotes."""
    return word.text


def comes_back(text: str, target: str) -> int:
    """Check each job of a text; returns how many there are."""
    jobs = compiled(text, target)
    for name, files in jobs.items():
        again = compiled(imported(files), target)
        assert list(again) == [name]
        assert list(again[name]) == list(files)
        for file, written in files.items():
            assert as_read(file, again[name][file]) == as_read(file, written), file
    return len(jobs)


def units(text: str, target: str) -> list[Unit]:
    """Each job of a text as the target gets it."""
    backend = targets.find(target)
    assert backend is not None
    program = pipeline.load(Source("job.tfjob", text), lambda path: "no file is included here")
    return [made.unit for made in pipeline.run(program, Request(), [Choice(backend)]).made]


def sure(unit: Unit, target: str) -> list[Item]:
    """What the target keeps or translates of a job."""
    backend = targets.find(target)
    assert backend is not None
    rows = [(item, backend.support.decide(unit, item)) for item in walk(unit.job, unit.origins)]
    return [item for item, row in rows if row is not None and row.fate in ("kept", "translated")]


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_kept_or_translated_is_the_same(target: str) -> None:
    """The command and its arguments are one list of words on YARN, and a server runs another program."""
    for path in sorted(EXAMPLES.glob("*/main.tfjob")):
        text = path.read_text("utf-8")
        if target not in wanted_targets(text, targets.names()):
            continue
        for before in units(text, target):
            (after,) = units(imported(compiled(text, target)[before.job.name]), target)
            there = sure(after, target)
            for item in sure(before, target):
                if item.key.removeprefix("roles[].") in ("command", "args"):
                    role, other = before.job.role(item.role), after.job.role(item.role)
                    assert role is not None
                    assert other is not None
                    assert role.server or (*role.command, *role.args) == (*other.command, *other.args)
                elif (item.key, item.value) != ("roles[].gpu", 0):  # as without it
                    same = [one for one in there if (one.key, one.role) == (item.key, item.role)]
                    assert any(one.value == item.value for one in same), (path, item.key, item.role, item.value)


@pytest.mark.parametrize("target", TARGETS)
def test_the_examples_come_back(target: str) -> None:
    paths = [path for path in sorted(EXAMPLES.glob("*/main.tfjob")) if path.parent.name not in flows.EXAMPLES]
    texts = [path.read_text("utf-8") for path in paths]
    wanted = [text for text in texts if target in wanted_targets(text, targets.names())]
    assert len(wanted) > 1
    assert all(comes_back(text, target) for text in wanted)


@pytest.mark.parametrize("number", range(QUICK))
def test_generated_jobs_come_back(number: int) -> None:
    comes_back(slider_jobs.job(number), "slider")
    comes_back(yarn_jobs.job(number), "yarn")


MANY = [
    pytest.param(range(QUICK, SLOW), marks=pytest.mark.slow),
    pytest.param(range(SLOW, GENERATED), marks=pytest.mark.long),
]


@pytest.mark.parametrize("numbers", MANY)
def test_many_generated_packages_come_back(numbers: range) -> None:
    assert sum(comes_back(slider_jobs.job(number), "slider") for number in numbers) > len(numbers) * 0.8


@pytest.mark.parametrize("numbers", MANY)
def test_many_generated_scripts_come_back(numbers: range) -> None:
    assert sum(comes_back(yarn_jobs.job(number), "yarn") for number in numbers) > len(numbers) * 0.6


@pytest.mark.parametrize("target", TARGETS)
def test_memory_of_attributes_comes_back_as_attributes(target: str) -> None:
    text = f"""
    job a {{
      image = "registry.example.com/mnist:1.4", command = ["python", "a.py"]
      memory = 8Gi, shm = 8Gi, tmp_size = 8Gi
      mount memory 8Gi at "/fast"
      role worker {{ }}
      target {target} {{ runtime = "docker" }}
    }}
    """
    (files,) = compiled(text, target).values()
    again = imported(files)
    assert "shm      = 8Gi" in again
    assert "tmp_size = 8Gi" in again
    assert comes_back(text, target) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_several_jobs_come_back_at_once(target: str) -> None:
    text = """
    job a { command = ["python", "a.py"], memory = 1Gi, role worker { replicas = 2 }, role ps { } }
    job b { command = ["python", "b.py"], memory = 2Gi, role worker { cpu = 2 }, target slider { metainfo = "xml" } }
    """
    jobs = compiled(text, target)
    files = {f"out/{name}/{file}": each for name, own in jobs.items() for file, each in own.items()}
    (result,) = import_manifests([Source(name, each) for name, each in files.items()])
    assert result.diagnostics == ()
    assert compiled(result.text, target) == jobs


@pytest.mark.parametrize("file", ["job.sh", "submit.sh", "package/files/job.json"])
def test_one_of_the_files_alone_says_what_is_missing(file: str) -> None:
    text = 'job a { command = ["python", "a.py"], memory = 1Gi, role worker { } }'
    (files,) = compiled(text, "yarn" if file.endswith(".sh") else "slider").values()
    (result,) = import_manifests([Source(file, files[file])])
    assert len(result.jobs) == (file != "submit.sh")
    assert any("import the folder" in f"{one.message} {one.helps}" for one in result.diagnostics)
