"""The examples of the documentation are true: jobs check clean, commands run, generated parts are fresh."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tfdsl import pipeline, targets
from tfdsl.text import Source

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "ARCHITECTURE", "SECURITY")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
JOB = re.compile(r"^```tfjob\n(.*?)^```", re.S | re.M)
COMMANDS = re.compile(r"^```\n((?:tfdsl .*\n)+)```", re.M)
LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")


def jobs() -> list[tuple[str, str]]:
    return [(page.name, match[1]) for page in PAGES for match in JOB.finditer(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "text"), jobs())
def test_a_job_checks_clean(page: str, text: str) -> None:
    program = pipeline.load(Source(page, text), lambda path: "no such file")
    done = pipeline.run(program, pipeline.Request(), ())
    assert [found.message for found in done.diagnostics if found.level == "error"] == []


def test_the_first_job_of_the_readme_is_the_shipped_example() -> None:
    """Written shorter, but the same: it compiles to the same bytes."""
    readme = JOB.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert readme is not None
    shipped = (ROOT / "examples" / "mnist" / "main.tfjob").read_text(encoding="utf-8")
    assert compiled(readme[1]) == compiled(shipped)


def compiled(text: str, target: str = "volcano") -> str:
    backend = targets.find(target)
    assert backend is not None
    made = pipeline.compile_source(Source("job.tfjob", text), backend)
    return "".join(pipeline.written(document).text for one in made for document in one.documents)


def test_the_output_on_the_first_screen_is_the_real_one() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"^```yaml\n(.*?)^  …\n```", readme, re.S | re.M)
    assert shown is not None
    shipped = (ROOT / "examples" / "mnist" / "main.tfjob").read_text(encoding="utf-8")
    assert compiled(shipped).startswith(shown[1])


def commands() -> list[str]:
    found = [match[1] for match in COMMANDS.finditer((ROOT / "README.md").read_text(encoding="utf-8"))]
    return [line.partition(" #")[0].strip() for block in found for line in block.splitlines()]


@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_readme_runs(command: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    run = f"{sys.executable} -m tfdsl"
    words = re.sub(r"^tfdsl\b", run, command)
    done = subprocess.run(
        ["bash", "-c", words], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment()
    )
    assert done.returncode == 0, done.stderr


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'backends'}", "NO_COLOR": "1"}


def test_the_commands_for_plain_jobs_select_by_labels_that_are_written() -> None:
    page = (ROOT / "docs" / "targets" / "kubernetes.md").read_text(encoding="utf-8")
    shipped = (ROOT / "examples" / "mnist" / "main.tfjob").read_text(encoding="utf-8")
    lines = {line.strip() for line in compiled(shipped, "kubernetes").splitlines()}
    selectors = re.findall(r"^kubectl .* -l (\S+)=(\S+)", page, re.M)
    assert len(selectors) == 3
    assert {f"{key}: {value}" for key, value in selectors} <= lines


@pytest.mark.parametrize("script", ["generate.py", "python_page.py"])
def test_generated_parts_are_fresh(script: str) -> None:
    """The code of docs/python.md runs, and prints what the page shows."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / script), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, _ in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
