"""The examples compile to what stands beside them.

``examples/<name>/expected/<target>/`` holds every file of the output and ``messages.txt``, all that ``tfdsl check``
tells; for a target that refuses the example only the messages. ``pytest tests/golden --update-golden`` writes them
anew, and the diff is reviewed like code.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tfdsl import backend as backends
from tfdsl.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/main.tfjob"))
MESSAGES = "messages.txt"


def produce(out: Path, target: str, capfd: pytest.CaptureFixture[str]) -> dict[str, str]:
    """All files that the example in the current folder gives for ``target``."""
    status = main(["compile", "main.tfjob", "-t", target, "-o", f"{out}/"])
    told = capfd.readouterr()
    assert status in (0, 1), told.err
    assert told.out == ""
    files = read(out)
    assert bool(files) == (status == 0)
    main(["check", "main.tfjob", "-t", target])  # compile only counts the infos
    return files | {MESSAGES: capfd.readouterr().err}


def read(folder: Path) -> dict[str, str]:
    """All files below ``folder``."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}


def write(folder: Path, files: dict[str, str]) -> None:
    """Replace ``folder`` by ``files``."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


@pytest.mark.parametrize("target", backends.names())
@pytest.mark.parametrize("name", NAMES)
def test_example(
    name: str,
    target: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(EXAMPLES / name)
    made = produce(tmp_path / "out", target, capfd)
    expected = EXAMPLES / name / "expected" / target
    if request.config.getoption("--update-golden"):
        write(expected, made)
    assert made == read(expected)


def test_nothing_else_is_expected() -> None:
    folders = {path.name for name in NAMES for path in (EXAMPLES / name / "expected").glob("*")}
    assert folders <= set(backends.names())
