"""The files that docs/guide/ci.md shows, and a repository that needs them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from docs.page_blocks import blocks

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guide" / "ci.md"
WORKERS = "replicas = 2"


def shown(path: str) -> str:
    """A file of docs/guide/ci.md."""
    (text,) = [block.text for block in blocks(PAGE.read_text(encoding="utf-8")) if block.path == path]
    return text


JOB = shown("jobs/mnist.tfjob")


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


def copy_of_the_project(folder: Path) -> None:
    """A repository with the files of this one as they are now, tagged as on the page."""
    names = subprocess.check_output(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT)
    for name in filter(None, names.decode().split("\0")):
        source = ROOT / name
        if source.is_file() and not name.startswith(("tests/", "grammar/", "site/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(source.read_bytes())
    git(folder, "init", "--quiet")
    commit(folder)
    git(folder, "tag", "v0.1.0")
