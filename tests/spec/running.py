"""Runs an example: what the compiler says about it, and the IR that it becomes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.spec.page import MAIN, Example
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.compiling.lower import flow as lower_flow, lower
from tfdsl.ir import model
from tfdsl.ir.flow import Flow
from tfdsl.record import Record
from tfdsl.semantics.check import Checked, check
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program, load
from tfdsl.semantics.request import Choice, Given, GivenOption, Request
from tfdsl.semantics.values import Duration, ListData, MapData, Quantity, kind_of, show
from tfdsl.text import Source
from tfdsl.vocabulary.quantities import Undecided

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved
    from tfdsl.semantics.values import Data

TARGETS = tuple(sorted(targets.names()))


class Asked(Record):
    """What the options of an example ask for."""

    targets: tuple[Choice, ...]
    profile: str | None
    params: tuple[Given, ...]
    options: tuple[GivenOption, ...]
    values: tuple[Source, ...]


class Run(Record):
    """What came of an example."""

    program: Program
    checked: Checked
    diagnostics: list[Diagnostic]

    @property
    def errors(self) -> bool:
        """Whether there is an error."""
        return any(found.level == "error" for found in self.diagnostics)


def run(files: Mapping[str, str], options: tuple[str, ...]) -> Run:
    """Load, check and settle."""

    def read(path: str) -> Source | str:
        return Source(path, files[path], path) if path in files else "there is no such file"

    program = load(Source(MAIN, files[MAIN], MAIN), read)
    given = _given(options, files)
    request = Request(given.profile, given.params, given.options, values=given.values)
    checked = check(program, request, given.targets)
    outcome = pipeline.Outcome((), (), (*program.diagnostics, *checked.diagnostics))
    return Run(program, checked, pipeline.settle([outcome], [program], strict=False, paths=[MAIN]))


def jobs(example: Example) -> list[model.Job]:
    """The IR of an example without errors, and along the way its IR for every target."""
    own = [_valid(job) for job in run(example.files, example.options).checked.jobs]
    if "-t" not in example.options:
        for target in TARGETS:
            there = run(example.files, (*example.options, "-t", target))
            if not there.errors:
                for job in there.checked.jobs:
                    _valid(job)
    return own


def _valid(job: resolved.Job) -> model.Job:
    made, _ = lower(job)  # raises where a rule of the models is broken
    assert model.Job.model_validate_json(made.model_dump_json()) == made
    return made


def flows(example: Example) -> dict[str, Flow]:
    """The flows of an example without errors, by name."""
    made = [lower_flow(one)[0] for one in run(example.files, example.options).checked.flows]
    for one in made:
        assert Flow.model_validate_json(one.model_dump_json()) == one
    return {one.name: one for one in made}


def constant(example: Example, name: str) -> str:
    """The value of a let or param, as a literal."""
    ran = run(example.files, example.options)
    given = _given(example.options, example.files)
    value = Params(ran.program, given.profile, given.params, lambda found: None, given.values).lookup(name)
    assert value is not None, f"there is no {name}"
    return literal(value.data)


def literal(data: Data) -> str:
    """A value as it would be written in a file."""
    if isinstance(data, str):
        return json.dumps(data, ensure_ascii=False).replace("${", "\\${")
    if isinstance(data, ListData):
        return f"[{', '.join(literal(item.data) for item in data.items)}]"
    if isinstance(data, MapData):
        entries = (f"{key} = {literal(entry.value.data)}" for key, entry in data.entries.items())
        return f"{{ {', '.join(entries)} }}" if data.entries else "{}"
    text = show(data)
    return f"a {kind_of(data)}" if text is None else text


def given_set(word: str, files: Mapping[str, str]) -> Given:
    """``K=V`` or ``K=@FILE`` of ``--set``."""
    name, _, text = word.partition("=")
    if text.startswith("@"):
        return Given(name, Source(text[1:], files[text[1:]]), form="lines")
    return Given(name, Source(f"--set {name}", text))


def _given(options: tuple[str, ...], files: Mapping[str, str]) -> Asked:
    words = iter(options)
    wanted: list[Choice] = []
    params: list[Given] = []
    chosen: list[GivenOption] = []
    values: list[Source] = []
    profile = None
    for word in words:
        value = next(words)
        if word == "--set":
            params.append(given_set(value, files))
        elif word == "--params":
            values.append(Source(value, files[value], value))
        elif word == "--profile":
            profile = value
        elif word == "-t":
            name, _, version = value.partition("@")
            target = targets.find(name)
            assert target is not None
            wanted.append(Choice(target, version or None))
        else:
            assert word == "-O"
            key, _, text = value.partition("=")
            target, _, option = key.partition(".")
            lines = text.startswith("@")
            source = Source(text[1:], files[text[1:]]) if lines else Source(f"-O {key}", text)
            chosen.append(GivenOption(target, option, source, "lines" if lines else "text"))
    return Asked(tuple(wanted), profile, tuple(params), tuple(chosen), tuple(values))


# --- the IR ----------------------------------------------------------------------------------------------------


def at(job: model.Part, path: str) -> object:
    """The value at an IR path; a name in brackets picks from a map or, by role or claim name, from a list."""
    here: object = job
    for dotted, bracket in re.findall(r"([a-z_]+)|\[([^\]]*)\]", path):
        if dotted:
            here = getattr(here, dotted)
        elif isinstance(here, dict):
            here = here[bracket]
        else:
            assert isinstance(here, tuple)
            here = here[int(bracket)] if bracket.isdigit() else next(one for one in here if one.name == bracket)
    return here


def matches(actual: object, expected: object) -> bool:
    """Whether the IR says what a page says: of a model the named fields, of everything else the whole."""
    if isinstance(actual, model.RunTimeText):
        return text_of(actual) == expected
    if isinstance(actual, model.Part):
        return isinstance(expected, dict) and all(
            matches(getattr(actual, key), value) for key, value in expected.items()
        )
    if isinstance(actual, dict):
        same = isinstance(expected, dict) and list(actual) == list(expected)
        return same and all(matches(value, expected[key]) for key, value in actual.items())
    if isinstance(actual, tuple):
        same = isinstance(expected, list) and len(actual) == len(expected)
        return same and all(matches(a, e) for a, e in zip(actual, expected, strict=True))
    if isinstance(actual, Quantity | Duration | Undecided):
        return str(actual) == expected
    if isinstance(actual, str):
        return actual.replace("${", "\\${") == expected
    return type(actual) is type(expected) and actual == expected


def text_of(text: model.RunTimeText) -> str:
    """A text with run-time parts as it would be written in a file."""
    shown = {"task_index": "${task.index}"}
    return "".join(
        part.replace("${", "\\${") if isinstance(part, str) else shown.get(part.kind) or f"${{env.{part.name}}}"  # type: ignore[union-attr]  # TaskIndex is in the table
        for part in text.parts
    )
