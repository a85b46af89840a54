"""docs/own-target.md is true: a target outside of this repository, installed by its entry point, is known everywhere.

The package is the page's own: its files, its ``pip install``, its commands.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import Ran

if TYPE_CHECKING:
    from types import ModuleType

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("own-target")]

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/own-target.md"
UNUSED = """\
job a {
  image = "r/x:1"
  role worker { cpu = 1 }
  target compose { %s }
}
"""
EDITOR = """\
import json
from tests.lsp.marked import marked
from tfdsl.lsp.features.problems import code_lens
from tfdsl.lsp.features.completion import complete
from tfdsl.lsp.features.hover import hover

def labels(text):
    return [item.label for item in complete(*marked(text)).items]

head = 'job a { image = "r/x:1", role worker { }'
about = hover(*marked(head + ', target com▮pose { } }'))
print(json.dumps({
    "targets": labels(head + ", target ▮ }"),
    "options": labels(head + ", target compose { ▮ } }"),
    "hover": str(about and about.text),
    "lenses": [lens.target for lens in code_lens(marked(head + ", target compose { } }▮")[0])],
}))
"""


def load_script() -> ModuleType:
    """docs/own_target_page.py, which the page is written by."""
    spec = importlib.util.spec_from_file_location("own_target_page", ROOT / "docs/own_target_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = load_script()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's files, with the package installed from them."""
    place = tmp_path_factory.mktemp("own")
    SCRIPT.write_files(PAGE.read_text(encoding="utf-8"), place)
    SCRIPT.run("pip install .", place)
    return place


def tfdsl(folder: Path, *words: str) -> Ran:
    command = [sys.executable, "-m", "tfdsl.cli.main", *words]
    environment = SCRIPT.environment(folder)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


def checked(folder: Path, items: str, *words: str) -> Ran:
    (folder / "a.tfjob").write_text(UNUSED % items, encoding="utf-8")
    return tfdsl(folder, "check", "a.tfjob", *words)


def test_the_package_has_its_entry_point_alone(folder: Path) -> None:
    """Nothing of tfdsl is written or named for it, and the page's own tests pass."""
    assert {path.name for path in (folder / "site").iterdir()} <= {
        "tfdsl_compose",
        "tfdsl_compose-1.0.dist-info",
        "__pycache__",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "test_compose.py"]
    variables = SCRIPT.environment(folder)
    variables.pop("PYTEST_ADDOPTS", None)  # what selects tests of this run is not for that one
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_listed(folder: Path) -> None:
    ran = tfdsl(folder, "targets")
    assert ran.status == 0
    assert re.search(r"^compose +Docker Compose +2\.0 +YAML$", ran.out, re.M)
    ran = tfdsl(folder, "targets", "compose")
    assert ran.status == 0
    assert "compose (also dockercompose): Docker Compose\n" in ran.out


def test_its_block_is_checked_without_asking_for_it(folder: Path) -> None:
    assert checked(folder, 'project = "a"').status == 0
    ran = checked(folder, 'projekt = "a"')
    assert ran.status == 1
    assert "unknown-attribute" in ran.err
    assert "did you mean project?" in ran.err
    ran = checked(folder, "project = 1")
    assert "option project must be" in ran.err
    ran = checked(folder, 'version = "9"')
    assert "unknown-version" in ran.err


def test_it_is_among_all_targets(folder: Path) -> None:
    ran = checked(folder, 'project = "A"', "--all-targets")
    assert "CMP100" in ran.err
    assert "CMP001" in checked(folder, 'project = "A"', "--all-targets", "--format", "json").out


def test_a_waiver_is_known_without_asking_for_it_and_stale_when_it_is(folder: Path) -> None:
    text = 'project = "a" } # tfdsl: allow[compose-memory] why\n  target tfjob { '
    assert "waiver" not in checked(folder, text).err
    assert "stale-waiver" in checked(folder, text, "-t", "compose").err
    assert "unknown-waiver" in checked(folder, text.replace("memory", "nothing")).err


def test_its_words_are_suggested(folder: Path) -> None:
    ran = tfdsl(folder, "check", "main.tfjob", "-t", "compos")
    assert ran.status == 2
    assert "did you mean compose?" in ran.err


@pytest.mark.parametrize("word", ["compose", "dockercompose", "project", "CMP003", "compose-rest"])
def test_its_words_are_explained(folder: Path, word: str) -> None:
    ran = tfdsl(folder, "explain", word)
    assert ran.status == 0
    assert "compose" in ran.out


def test_editors_know_it(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EDITOR],
        cwd=ROOT,
        env=SCRIPT.environment(folder),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert {"compose", "dockercompose"} <= set(found["targets"])
    assert {"project", "version"} <= set(found["options"])
    assert "Docker Compose" in found["hover"]
    assert "compose" in found["lenses"]


def test_two_of_one_name_are_an_error_that_names_both_packages(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "site"
    info = other / "other_compose-3.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-compose\nVersion: 3.0\n")
    (info / "entry_points.txt").write_text("[tfdsl.backends]\ncompose = tfdsl_compose:BACKEND\n")
    environment = SCRIPT.environment(folder)
    environment["PYTHONPATH"] += f":{other}"
    for words in (
        ("targets",),
        ("check", "main.tfjob"),  # by its block
        ("check", "main.tfjob", "-t", "compose"),
        ("check", "main.tfjob", "--all-targets"),
        ("compile", "main.tfjob", "-t", "compose"),
    ):
        command = [sys.executable, "-m", "tfdsl.cli.main", *words]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 2, (words, done.stderr)
        assert "TFJ0911" in done.stderr
        assert "two packages have a target compose: other-compose 3.0 and tfdsl-compose 1.0" in done.stderr
        if words[0] == "compile":
            assert done.stdout == ""
