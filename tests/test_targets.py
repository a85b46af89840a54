"""What holds for every target: the core names none, and nothing that a target needs beside its code is missing."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import ROOT
from tfdsl import targets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLE = "an example of a command line or of the language, which a test runs or compiles"
REVIEWED = {
    "tfdsl/targets.py": "the table of the built-in targets",
    "tfdsl/pygments_lexer.py": "the name of the language, which is its files' ending",
    "tfdsl/lsp/shown.py": "the name of the language, which is its files' ending",
    "tfdsl/cli/message_pages.py": "the name of the language, of blocks in Markdown",
    "backends/tfdsl_backends/hadoop/programs/hdfs.py": "the name of the language, before what its programs print",
    "tfdsl/cli/check.py": EXAMPLE,
    "tfdsl/cli/compile.py": EXAMPLE,
    "tfdsl/cli/diff.py": EXAMPLE,
    "tfdsl/cli/graph.py": EXAMPLE,
    "tfdsl/manifest/find.py": "what manifests that nobody reads are called",
    "tfdsl/cli/commands.py": EXAMPLE,
    "tfdsl/cli/submit.py": EXAMPLE,
    "tfdsl/cli/status.py": EXAMPLE,
    "tfdsl/cli/logs.py": EXAMPLE,
    "tfdsl/cli/cancel.py": EXAMPLE,
    "tfdsl/cli/resume.py": EXAMPLE,
    "tfdsl/cli/simulate.py": EXAMPLE,
    "tfdsl/cli/targets.py": EXAMPLE,
    "tfdsl/cli/tfconfig.py": EXAMPLE,
    "tfdsl/cli/where.py": EXAMPLE,
    "tfdsl/cli/topics.py": EXAMPLE,
}
"""Files of the core that may name a target, and why."""

PLATFORMS = {"kubernetes", "yarn", "apache", "jobs"}
"""Words in the titles of targets that are not the name of one: a whole family runs on Kubernetes, another on YARN."""


def names_of_targets() -> str:
    """A pattern: names, aliases and synonyms as they are written, and the words of the titles with a capital."""
    known = targets.built_in()
    names = {word for one in known for word in (one.name, *one.aliases, *one.synonyms)}
    titles = {word for one in known for word in one.title.split() if word.lower() not in PLATFORMS}
    return "|".join(map(re.escape, sorted(names | titles)))


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The string literals of a module but its docstrings, and what it imports; each with its line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, " ".join([*(node.module or "").split("."), *(one.name for one in node.names)])
        elif isinstance(node, ast.Import):
            yield node.lineno, " ".join(word for one in node.names for word in one.name.split("."))


def shared_modules() -> list[str]:
    """The modules of the core and of the families of targets."""
    folders = [ROOT / "tfdsl", *(path for path in (ROOT / "backends/tfdsl_backends").iterdir() if path.is_dir())]
    shared = [folder for folder in folders if folder.name not in targets.names()]
    return sorted(str(path.relative_to(ROOT)) for folder in shared for path in folder.rglob("*.py"))


def naming(name: str) -> list[str]:
    names = names_of_targets()
    if not re.search(names, (ROOT / name).read_text(encoding="utf-8")):
        return []  # most modules need not be parsed
    pattern = re.compile(rf"(?<![\w./-])(?:{names})(?![\w./-])")
    return [f"{name}:{line}: {text[:80]!r}" for line, text in texts(ROOT / name) if pattern.search(text)]


def test_no_target_is_named_outside_of_its_folder() -> None:
    """What the core asks of a target is a field of ``Backend``; a family's module takes it as an argument."""
    modules = shared_modules()
    assert "backends/tfdsl_backends/podspec/support.py" in modules
    assert [found for name in modules if name not in REVIEWED for found in naming(name)] == []


@pytest.mark.parametrize("name", REVIEWED)
def test_what_was_reviewed_names_one(name: str) -> None:
    assert naming(name), f"take {name} out of REVIEWED"


# --- holes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", targets.names())
def test_a_target_has_its_page(name: str) -> None:
    page = ROOT / f"docs/targets/{name}.md"
    assert page.is_file(), f"write docs/targets/{name}.md, as the page of another target is"
    text = page.read_text(encoding="utf-8")
    backend = targets.find(name)
    assert backend is not None
    for part in ("options", "support", *(["facts"] if backend.facts() else [])):
        mark = f"<!-- generated: {part}:{name} -->"
        assert mark in text, f"add the line {mark} and below it <!-- end --> to docs/targets/{name}.md; make generate"
    assert backend.docs == f"docs/targets/{name}.md", f'write docs="docs/targets/{name}.md" in the BACKEND of {name}'


@pytest.mark.parametrize("name", targets.names())
def test_the_messages_of_a_target_are_documented(name: str) -> None:
    backend = targets.find(name)
    assert backend is not None
    mark = f"<!-- generated: messages:{backend.prefix} -->"
    text = (ROOT / "docs/messages.md").read_text(encoding="utf-8")
    assert mark in text, f"add a section about {name} with {mark} and <!-- end --> to docs/messages.md; make generate"


@pytest.mark.parametrize("name", targets.names())
def test_a_target_has_the_output_of_the_example_for_all(name: str) -> None:
    there = (ROOT / "examples/mnist/expected" / name / "messages.txt").is_file()
    assert there, f"give examples/mnist/main.tfjob a block for {name} if it needs one; make generate, and review"


@pytest.mark.parametrize("name", targets.names())
def test_the_output_of_a_target_is_tried_on_a_real_system(name: str) -> None:
    hooks = [path for path in (ROOT / "tests/conformance").rglob("*.py") if f'"{name}"' in path.read_text("utf-8")]
    assert hooks, f"tests/conformance/ never runs what is made for {name}: add it to the tests of its system there"


@pytest.mark.parametrize("name", targets.names())
def test_a_target_has_tests_of_its_own(name: str) -> None:
    folder = ROOT / "tests/unit/backends" / name
    assert list(folder.glob("test_*.py")), f"write tests in tests/unit/backends/{name}/"
