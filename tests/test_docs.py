"""The examples of the documentation are true: jobs check clean, commands run, generated parts are fresh."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Request
from tfdsl.text import Source

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "ARCHITECTURE", "DECISIONS", "SECURITY")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "examples/README.md",
]
JOB = re.compile(r"^```tfjob\n(.*?)^```", re.S | re.M)
LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")
FILE = re.compile(r"`([\w.*/-]+(?:\.(?:j2|json|lark|md|mjs|py|sh|toml|ts)|/))`")
ABOUT_THE_CHECKOUT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "DECISIONS.md")
FOLDERS = (".ci", "backends", "benchmarks", "docs", "examples", "grammar", "requirements", "site", "tests", "tfdsl")
OF_USERS = {"tfdsl.toml"}


def jobs() -> list[tuple[str, str]]:
    """Those of the guide are in tests/test_guide.py: its pages change a job step by step."""
    pages = [page for page in PAGES if ROOT / "docs/guide" not in page.parents]
    return [(page.name, match[1]) for page in pages for match in JOB.finditer(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "text"), jobs())
def test_a_job_checks_clean(page: str, text: str) -> None:
    variables = Source("prod.env", "MODE=slow\n", "prod.env")
    files = {"prod.env": variables}
    program = pipeline.load(Source(page, text, page), lambda path: files.get(path, "no such file"))
    done = pipeline.run(program, Request(), ())
    assert [found.message for found in done.diagnostics if found.level == "error"] == []


def compiled(text: str, target: str = "volcano") -> str:
    backend = targets.find(target)
    assert backend is not None
    made = pipeline.compile_source(Source("job.tfjob", text), backend)
    return "".join(pipeline.written(document).text for one in made for document in one.documents)


def test_the_commands_for_plain_jobs_select_by_labels_that_are_written() -> None:
    page = (ROOT / "docs" / "targets" / "kubernetes.md").read_text(encoding="utf-8")
    shipped = (ROOT / "examples" / "mnist" / "main.tfjob").read_text(encoding="utf-8")
    lines = {line.strip() for line in compiled(shipped, "kubernetes").splitlines()}
    selectors = re.findall(r"^kubectl .* -l (\S+)=(\S+)", page, re.M)
    assert len(selectors) == 3
    assert {f"{key}: {value}" for key, value in selectors} <= lines


@pytest.mark.parametrize(
    "command",
    [
        "generate.py",
        "normal_form_page.py",
        "python_page.py",
        "screens.py README.md docs/migrate.md docs/settings.md docs/simulate.md",
    ],
)
def test_generated_parts_are_fresh(command: str) -> None:
    """The code of docs/python.md runs, and prints what the page shows."""
    script, *pages = command.split()
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / script), "--check", *pages], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, _ in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@functools.cache
def checkout() -> list[PurePosixPath]:
    """The files and folders of the checkout, without what tools install or build there."""
    listed = [PurePosixPath(path.name) for path in ROOT.iterdir() if path.is_file()]
    for name in FOLDERS:
        for folder, below, files in os.walk(ROOT / name):
            below[:] = [each for each in below if each not in ("node_modules", "__pycache__", "build", "dist")]
            here = PurePosixPath(Path(folder).relative_to(ROOT).as_posix())
            listed += [here, *(here / each for each in files)]
    return listed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    """A page about the checkout may name a file without its folder; elsewhere other names are those of users' files."""
    names = set(FILE.findall(page.read_text(encoding="utf-8"))) - OF_USERS
    if page.name not in ABOUT_THE_CHECKOUT:
        names = {name for name in names if name.partition("/")[0] in FOLDERS and "/" in name}
    names = {name for name in names if name.endswith(".md") or not re.search(r"\b[A-Z]{2,}\b", name)}  # a placeholder
    assert [name for name in sorted(names) if not any(path.match(name) for path in checkout())] == []
