"""The files that docs/guide/ci.md shows, and a repository that needs them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from docs.page_blocks import blocks
from tests.unit.cli.shell import tfdsl

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guide" / "ci.md"
WORKERS = "replicas = 2"
COMPILE = "jobs/mnist.tfjob -o deploy"


def shown(path: str) -> str:
    """A file of docs/guide/ci.md."""
    (text,) = [block.text for block in blocks(PAGE.read_text(encoding="utf-8")) if block.path == path]
    return text


def git(folder: Path, *words: str) -> str:
    """Run git as somebody who has set nothing up."""
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commit(folder: Path, message: str = "jobs") -> None:
    """Commit all that is in ``folder``."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


def repository(folder: Path) -> None:
    """The repository of the page, whose manifest is that of its job."""
    for path in ("tfdsl.toml", "jobs/mnist.tfjob"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(shown(path), encoding="utf-8")
    git(folder, "init", "--quiet")
    assert tfdsl("compile", *COMPILE.split(), cwd=folder).status == 0
    commit(folder)


def copy_of_the_project(folder: Path) -> None:
    """A repository with the files of this one as they are now, tagged as on the page."""
    if not (ROOT / ".git").exists():
        pytest.skip("not in a repository")
    names = subprocess.check_output(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT)
    for name in filter(None, names.decode().split("\0")):
        source = ROOT / name
        if source.is_file() and not name.startswith(("tests/", "grammar/", "site/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(source.read_bytes())
    git(folder, "init", "--quiet")
    commit(folder)
    git(folder, "tag", "v0.1.0")
