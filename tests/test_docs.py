"""The examples of the documentation are true: jobs check clean, commands run, generated parts are fresh."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Request
from tfdsl.text import Source

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "ARCHITECTURE", "SECURITY")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "examples/README.md",
]
JOB = re.compile(r"^```tfjob\n(.*?)^```", re.S | re.M)
LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")


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
