"""The wheel and the sdist, and the wheel alone in an environment of its own.

Run by ``.ci/run`` with ``--packages FOLDER --clean-venv FOLDER``; there is nothing to test without them.
"""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.unit.cli.shell import JOB
from tfdsl import __version__, targets
from tfdsl.cli import new
from tfdsl.diagnostics.registry import rules

ROOT = Path(__file__).resolve().parents[2]


def folder_option(request: pytest.FixtureRequest, name: str) -> Path:
    """The folder given with an option of the test run."""
    value = request.config.getoption(name)
    assert value is not None, f"give {name}"
    return Path(value).resolve()


def tracked() -> set[str]:
    """The files of the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("not in a repository")
    # git distrusts a repository that belongs to somebody else.
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached"]
    done = subprocess.check_output(command, cwd=ROOT, text=True)
    return {name for name in done.split("\0") if name and (ROOT / name).exists()}


@pytest.fixture
def wheel(request: pytest.FixtureRequest) -> zipfile.ZipFile:
    """The built wheel."""
    (path,) = folder_option(request, "--packages").glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.fixture
def tfdsl(request: pytest.FixtureRequest) -> Path:
    """The command in the clean environment."""
    return folder_option(request, "--clean-venv") / "bin/tfdsl"


def test_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    def files(folder: Path, below: Path) -> set[str]:
        return {
            str(path.relative_to(below))
            for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }

    wanted = files(ROOT / "tfdsl", ROOT) | files(ROOT / "backends/tfdsl_backends", ROOT / "backends")
    wanted |= {f"tfdsl/examples/{name}/{file}" for name in new.NAMES for file in new.files(name)}
    held = {name for name in wheel.namelist() if not name.startswith(f"tfdsl-{__version__}.dist-info/")}
    assert held == wanted
    assert "tfdsl/py.typed" in held


def test_wheel_holds_what_is_read_when_it_is_asked_for(wheel: zipfile.ZipFile) -> None:
    """Pages of messages, schemas of documents: files that no import misses."""
    held = set(wheel.namelist())
    pages = {f"tfdsl/diagnostics/pages/{rule.slug}.md" for rule in rules() if rule.code.startswith(("TFJ1", "TFJ2"))}
    assert pages <= held
    assert {f"tfdsl/cli/{name}.py" for name in ("explain", "topics", "message_pages", "lsp")} <= held
    assert {"tfdsl/lsp/features/hover.py", "tfdsl/lsp/server/session.py"} <= held


@pytest.mark.parametrize("word", ["mount", "retries", "75", "TFJ2104", "TFJ3017", "hosts"])
def test_installed_command_explains(tfdsl: Path, word: str, tmp_path: Path) -> None:
    page = subprocess.check_output([tfdsl, "explain", word], text=True, cwd=tmp_path)
    assert len(page.splitlines()) > 3


def test_metadata(wheel: zipfile.ZipFile) -> None:
    info = f"tfdsl-{__version__}.dist-info"
    metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert b"Apache License" in wheel.read(f"{info}/licenses/LICENSE")
    lines = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {re.split(r"[<>=]", line)[0].lower() for line in lines} == {"pydantic", "jinja2", "pyyaml", "rich"}


@pytest.fixture
def unpacked(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of the unpacked sdist."""
    (path,) = folder_option(request, "--packages").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / f"tfdsl-{__version__}"


def test_sdist_holds_every_file_of_the_repository(unpacked: Path) -> None:
    held = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert tracked() - held == set()
    assert "Makefile" in held


def test_what_the_readme_names_is_in_the_sdist(unpacked: Path) -> None:
    for page in [unpacked / "README.md", *(unpacked / "docs").rglob("*.md")]:
        text = page.read_text(encoding="utf-8")
        links = [link for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) if "://" not in link]
        assert [link for link in links if not (page.parent / link).exists()] == [], page


@pytest.mark.timeout(3600)
def test_both_commands_of_the_readme_run_in_the_unpacked_sdist(unpacked: Path) -> None:
    text = (unpacked / "README.md").read_text(encoding="utf-8")
    blocks = [block for _, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)]
    commands = next(block for block in blocks if block.startswith("make ")).splitlines()
    assert commands == ["make try", "make test"]
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "PYTHONPATH")
    }
    # The same files have just passed all tests in the repository; what is asked here is whether they are all there.
    inherited["PYTEST_ADDOPTS"] = (
        "tests/test_contracts.py tests/test_docs.py tests/test_lock.py tests/golden tests/unit/emit"
    )
    for command in commands:
        words = [*command.split(), f"PYTHON={sys.executable}"]
        done = subprocess.run(words, cwd=unpacked, capture_output=True, text=True, check=False, env=inherited)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]


def test_the_package_shows_no_address_that_nobody_has_decided_on(wheel: zipfile.ZipFile) -> None:
    """There is no public home yet; an address that is not ours must not look like one."""
    metadata = email.message_from_bytes(wheel.read(f"tfdsl-{__version__}.dist-info/METADATA"))
    shown = [*metadata.get_all("Project-URL", []), *filter(None, (metadata["Home-page"], metadata["Download-URL"]))]
    decided = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [line for line in shown if line.rpartition(" ")[2] not in decided] == []


def test_version_of_the_installed_command(tfdsl: Path) -> None:
    assert subprocess.check_output([tfdsl, "--version"], text=True) == f"tfdsl {__version__}\n"


@pytest.mark.parametrize("target", targets.names())
def test_installed_command_compiles_for_every_target(tfdsl: Path, target: str, tmp_path: Path) -> None:
    (tmp_path / "mnist.tfjob").write_text(JOB)
    command = [tfdsl, "compile", "mnist.tfjob", "-t", target, "-o", "out/"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert any((tmp_path / "out").rglob("*"))


def test_installed_command_writes_every_example(tfdsl: Path, tmp_path: Path) -> None:
    listed = subprocess.check_output([tfdsl, "new"], text=True, cwd=tmp_path)
    assert [line.split()[0] for line in listed.splitlines()] == list(new.NAMES)
    for name in new.NAMES:
        subprocess.check_call([tfdsl, "new", "--from", name], cwd=tmp_path)
        written = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / name).iterdir()}
        assert written == new.files(name)


def test_nothing_is_missing_in_the_clean_environment(tfdsl: Path) -> None:
    subprocess.check_call([tfdsl.parent / "python", "-m", "pip", "check"])
