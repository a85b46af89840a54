"""The wheel and the sdist, and the wheel alone in an environment of its own.

Run by ``.ci/run`` with ``--packages FOLDER --clean-venv FOLDER``; there is nothing to test without them.
"""

from __future__ import annotations

import email
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.unit.cli.shell import JOB
from tfdsl import __version__
from tfdsl import backend as backends

ROOT = Path(__file__).resolve().parents[2]


def folder_option(request: pytest.FixtureRequest, name: str) -> Path:
    """The folder given with an option of the test run."""
    value = request.config.getoption(name)
    if value is None:
        pytest.skip(f"without {name}")
    return Path(value).resolve()


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
    held = {name for name in wheel.namelist() if not name.startswith(f"tfdsl-{__version__}.dist-info/")}
    assert held == wanted
    assert "tfdsl/py.typed" in held


def test_metadata(wheel: zipfile.ZipFile) -> None:
    info = f"tfdsl-{__version__}.dist-info"
    metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert b"Apache License" in wheel.read(f"{info}/licenses/LICENSE")
    lines = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {re.split(r"[<>=]", line)[0].lower() for line in lines} == {"pydantic", "jinja2"}


def test_sdist_can_be_tested_and_built_from(request: pytest.FixtureRequest) -> None:
    (path,) = folder_option(request, "--packages").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "grammar/tfjob.lark", "examples/mnist/main.tfjob"} <= held
    assert "tests/packaging/test_packages.py" in held


def test_version_of_the_installed_command(tfdsl: Path) -> None:
    assert subprocess.check_output([tfdsl, "--version"], text=True) == f"tfdsl {__version__}\n"


@pytest.mark.parametrize("target", backends.names())
def test_installed_command_compiles_for_every_target(tfdsl: Path, target: str, tmp_path: Path) -> None:
    (tmp_path / "mnist.tfjob").write_text(JOB)
    command = [tfdsl, "compile", "mnist.tfjob", "-t", target, "-o", "out/"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert any((tmp_path / "out").rglob("*"))


def test_nothing_is_missing_in_the_clean_environment(tfdsl: Path) -> None:
    subprocess.check_call([tfdsl.parent / "python", "-m", "pip", "check"])
