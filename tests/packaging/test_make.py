"""``make`` sets up ``.venv``, also after a set-up that failed, and the lists of what there is are whole."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.packaging.test_packages import tracked

ROOT = Path(__file__).resolve().parents[2]
PYTHON = """#!/bin/sh
# As "python -m venv [--clear] FOLDER"; the environment's own python has the status $STATUS.
for last; do :; done
for word; do [ "$word" = --clear ] && rm -rf "$last"; done
mkdir -p "$last/bin"
touch "$last/made-by-$NAME"
printf '#!/bin/sh\\nexit %s\\n' "$STATUS" > "$last/bin/python"
chmod +x "$last/bin/python"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of what the set-up needs, and a Python that costs nothing."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def set_up(folder: Path, name: str, pip: int) -> int:
    # A "make test VENV=..." around this test hands its own variables on through the environment.
    outer = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "VENV", "PYTHON"}}
    variables = {**outer, "NAME": name, "STATUS": str(pip)}
    command = ["make", ".venv/bin/tfdsl", "PYTHON=./python"]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, check=False).returncode


def test_nothing_of_a_failed_set_up_stays(folder: Path) -> None:
    assert set_up(folder, "old", pip=1) != 0
    assert (folder / ".venv/made-by-old").exists()
    assert set_up(folder, "new", pip=0) == 0
    assert sorted(path.name for path in (folder / ".venv").iterdir()) == ["bin", "made-by-new"]


def test_an_environment_that_works_is_kept(folder: Path) -> None:
    assert set_up(folder, "first", pip=0) == 0
    (folder / "pyproject.toml").touch()
    os.utime(folder / ".venv/bin/tfdsl", (0, 0))
    assert set_up(folder, "second", pip=0) == 0
    assert (folder / ".venv/made-by-first").exists()


def test_every_generator_is_run_and_checked() -> None:
    scripts = {
        str(path.relative_to(ROOT))
        for folder in ("backends", "docs", "examples", "grammar")
        for path in (ROOT / folder).glob("*.py")
        if '"--check"' in path.read_text(encoding="utf-8")
    }
    listed = re.search(r"^GENERATORS = (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert listed is not None
    assert set(listed[1].split()) == scripts


def test_the_list_of_the_sdist_is_whole() -> None:
    include = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["sdist"][
        "include"
    ]
    always = {".gitignore", "pyproject.toml"}
    assert {f"/{name.partition('/')[0]}" for name in tracked() - always} == set(include)
