"""What is tried with both revisions: everything that the tree of one of them has to show, as files and steps."""

from __future__ import annotations

import random
import re
import shlex
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tests.fuzz.mistakes import KINDS as MISTAKES, mistaken
from tests.importing.cases import RESULTS
from tests.spec.page import MAIN, examples
from tests.unit.diagnostics import pages
from tfdsl import targets
from tfdsl.cli.commands import SUMMARIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FORMATS = ("text", "concise", "github", "sarif", "junit", "gitlab")
SHELLS = ("bash", "zsh", "fish")
PICTURES = ("mermaid", "svg", "dot", "json")
OF_A_KIND = 12
"""So many mistakes of a kind, each in another text."""

_PROFILE = re.compile(r"^profile +(\w+)", re.M)
_TFJOB = re.compile(r"^```tfjob\n(.*?)^```$", re.S | re.M)
_CODE = re.compile(r"^\| `([A-Z]{3}\d{3,4})` \|", re.M)


class Case(NamedTuple):
    """A folder of files, and what is done in it; ``driver.py`` says what a step is."""

    kind: str
    name: str
    files: dict[str, str]
    steps: list[list[str]]


def line(text: str) -> list[str]:
    """The step that runs a command line."""
    return ["tfdsl", *shlex.split(text)]


def of_examples(tree: Path) -> Iterator[Case]:
    """The examples, with all commands that take a job."""
    for folder in sorted(path.parent for path in (tree / "examples").glob(f"*/{MAIN}")):
        files = read(folder, lambda path: "expected" not in path.parts)
        text = files[MAIN]
        other = text.replace("replicas = 2", "replicas = 3").replace(":1", ":2", 1)
        steps = [["versions"], ["ir"], ["python"], ["edit"], *map(line, _of_a_job(text))]
        for profile in _PROFILE.findall(text):
            options = ["--profile", profile]
            steps += [["versions", *options], ["ir", *options], *map(line, _checks(f"--profile {profile}"))]
        yield Case("examples", folder.name, files | {"other.tfjob": other}, steps)


def _checks(options: str = "") -> Iterator[str]:
    yield f"check {MAIN} {options}"
    yield f"check {MAIN} --all-targets --format json {options}"


def _of_a_job(text: str) -> Iterator[str]:
    yield from _checks()
    yield from (f"check {MAIN} --all-targets --format {form}" for form in FORMATS)
    yield f"check {MAIN} --all-profiles --strict"
    yield f"fmt --diff {MAIN}"
    for command in ("info", "matrix", "tfconfig", "simulate"):
        yield f"{command} {MAIN}"
        yield f"{command} {MAIN} --format json"
    yield f"simulate {MAIN} --all-targets --inject 'worker[0] exit 137 after 20s' --format json"
    yield from (f"graph {MAIN} --format {form}" for form in PICTURES)
    for target in targets.names():
        yield f"compile {MAIN} -t {target}"
        yield f"compile {MAIN} -t {target} -o out/{target} --source-map"
        yield f"compile {MAIN} -t {target} -o out/{target}"
        yield f"graph {MAIN} -t {target} --format json"
        yield f"diff {MAIN} other.tfjob -t {target}"
        yield f"diff {MAIN} other.tfjob -t {target} --format json"
    yield from (f"where {MAIN}:{number} --format json" for number in range(1, text.count("\n") + 1, 4))


def of_spec(tree: Path) -> Iterator[Case]:
    """The examples of the specification."""
    for page in sorted((tree / "tests/spec").glob("[0-9]*.md")):
        for one in examples(page):
            options = shlex.join(one.options)
            steps = [line(f"check {MAIN} --format json {options}"), line(f"check {MAIN} {options}")]
            if "-t" in one.options:
                steps.append(line(f"compile {MAIN} --format json {options}"))
            else:
                steps.append(line(f"check {MAIN} --all-targets --format json {options}"))
                steps.append(["versions", *one.options])
                steps.append(line(f"info {MAIN} --format json"))
                steps += [] if one.options else [["ir"], line(f"simulate {MAIN} --format json")]
            steps.append(line(f"fmt --diff {MAIN}"))
            yield Case("spec", one.title, one.files, steps)


def of_shapes(tree: Path) -> Iterator[Case]:
    """Public jobs that are said again in the language."""
    for page in sorted((tree / "tests/migration/shapes").glob("*.md")):
        for number, text in enumerate(_TFJOB.findall(page.read_text(encoding="utf-8"))):
            yield Case("shapes", f"{page.stem} {number}", {MAIN: text}, [*map(line, _checks()), ["versions"]])


def of_pages(tree: Path) -> Iterator[Case]:
    """The bad and the good example of each message's page, in every format, and the fixes."""
    found = [*(tree / "tfdsl/diagnostics/pages").glob("*.md"), *(tree / "backends").rglob("pages/*.md")]
    for page in sorted(found):
        parts = pages.sections(page.read_text(encoding="utf-8"))
        for heading in ("Bad", "Good"):
            if heading in parts:
                example = pages.example(parts[heading])
                yield Case("pages", f"{page.stem} {heading}", example.files, _of_a_page(example))


def _of_a_page(example: pages.Example) -> list[list[str]]:
    lines = [words for text in example.commands.splitlines() if (words := shlex.split(text, comments=True))]
    steps = [words for words in lines if words[0] == "tfdsl" and words[1] != "run" and "<" not in words]
    if MAIN in example.files:
        options = shlex.join(example.options)
        steps += [line(f"check {MAIN} --format {form} {options}") for form in ("json", *FORMATS)]
        steps.append(line(f"check {MAIN} --fix {options}"))
    return steps


def of_mistakes(tree: Path) -> Iterator[Case]:
    """Mistakes that people make, in texts of examples."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((tree / "examples").glob(f"*/{MAIN}"))]
    for kind in MISTAKES:
        for number, text in enumerate(islice(_mistaken(kind, texts), OF_A_KIND)):
            steps = [line(f"check {MAIN} --all-targets --format json"), line(f"check {MAIN} --fix")]
            yield Case("mistakes", f"{kind} {number}", {MAIN: text}, steps)


def _mistaken(kind: str, texts: list[str]) -> Iterator[str]:
    for number in range(OF_A_KIND * 2):
        made = mistaken(texts[number % len(texts)], kind, random.Random(number))
        if made is not None:
            yield made.text


def of_imports(tree: Path) -> Iterator[Case]:
    """Manifests: those of the tests, what the examples compile to, and documents of the targets."""
    for folder in sorted(path for path in (tree / "tests/importing").iterdir() if path.is_dir()):
        for path in sorted(folder.iterdir()):
            if path.name != "__pycache__" and (path.is_dir() or path.suffix not in RESULTS):
                files = read(path, lambda path: True) if path.is_dir() else {path.name: text_of(path)}
                yield _import(f"{folder.name}/{path.name}", files)
    for folder in sorted((tree / "examples").glob("*/expected/*")):
        yield _import(str(folder.relative_to(tree)), read(folder, lambda path: path.name != "messages.txt"))
    for path in sorted((tree / "tests/data/documents").iterdir()):
        yield _import(path.name, {path.name: text_of(path)})


def _import(name: str, files: dict[str, str]) -> Case:
    given = "given" if len(files) > 1 else f"given/{next(iter(files))}"
    steps = [f"import {given}", f"import {given} --check --format json", f"import {given} -o imported/ --split"]
    steps += [f"diff given/{one} given/{one}" for one in files if one.endswith((".yaml", ".yml"))]
    return Case("imports", name, {f"given/{one}": text for one, text in files.items()}, list(map(line, steps)))


def of_commands(tree: Path) -> Iterator[Case]:
    """What needs no job: help, words, targets, schemas, scripts of shells, new jobs."""
    lines = ["", "--help", "--version", "targets", "targets --format json", "schema", "schema --settings", "new"]
    lines += [f"{name} --help" for name in SUMMARIES]
    lines += [f"completion {shell}" for shell in SHELLS]
    lines += [f"completion {shell} -- 2 {name} --" for shell in SHELLS for name in SUMMARIES]
    yield Case("commands", "without a job", {}, [*map(line, lines), ["words"]])
    names = sorted(path.parent.name for path in (tree / "examples").glob(f"*/{MAIN}"))
    yield Case("commands", "new", {}, [line(f"new --from {name}") for name in names] + [line("new plain")])
    codes = _CODE.findall(text_of(tree / "docs/messages.md"))
    for at in range(0, len(codes), 50):
        some = codes[at : at + 50]
        yield Case("commands", f"codes from {some[0]}", {}, [line(f"explain {code} --format json") for code in some])


def read(folder: Path, wanted: Callable[[Path], bool]) -> dict[str, str]:
    """The files below a folder."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): text_of(path) for path in paths if wanted(path.relative_to(folder))}


def text_of(path: Path) -> str:
    """A text as it is; what is no UTF-8 comes through."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


KINDS = {
    "examples": of_examples,
    "spec": of_spec,
    "shapes": of_shapes,
    "pages": of_pages,
    "mistakes": of_mistakes,
    "imports": of_imports,
    "commands": of_commands,
}


def cases(tree: Path, kinds: tuple[str, ...] = tuple(KINDS)) -> list[Case]:
    """The cases of some kinds, made of the texts of a tree."""
    return [case for kind in kinds for case in KINDS[kind](tree)]
