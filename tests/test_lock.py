"""The locked versions are what pyproject.toml asks for, with hashes, and nothing names where they come from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BUILD = [line for line in (FOLDER / "build.in").read_text().splitlines() if line and not line.startswith("#")]
OPTIONAL = PROJECT["project"]["optional-dependencies"]
WANTED = {
    "base.txt": [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"], *BUILD],
    "dev.txt": [*PROJECT["project"]["dependencies"], *BUILD, *OPTIONAL["dev"], *OPTIONAL["lsp"]],
}


def locked(name: str) -> dict[str, tuple[int, ...]]:
    """Package → version, of every entry; fails for one without a hash."""
    text = (FOLDER / name).read_text(encoding="utf-8").replace("\\\n", " ")
    found: dict[str, tuple[int, ...]] = {}
    for line in text.splitlines():
        match = re.fullmatch(r"([a-z0-9.-]+)==([0-9.]+)\S*(?: ;[^#]*?)?(?:\s+--hash=sha256:[0-9a-f]{64})+\s*", line)
        assert match is not None, line
        found[match[1]] = tuple(map(int, match[2].strip(".").split(".")))
    return found


@pytest.mark.parametrize("name", WANTED)
def test_every_requirement_is_locked_in_its_range(name: str) -> None:
    versions = locked(name)
    for wanted in WANTED[name]:
        match = re.fullmatch(r"([A-Za-z0-9._-]+)((?:[<>=]{1,2}[0-9.]+,?)*)", wanted)
        assert match is not None, wanted
        version = versions[re.sub(r"[._]", "-", match[1]).lower()]
        for operator, bound in re.findall(r"(>=|<)([0-9.]+)", match[2]):
            limit = tuple(map(int, bound.split(".")))
            assert (version >= limit) if operator == ">=" else (version < limit), wanted


def test_what_runs_has_one_version_in_both_files() -> None:
    base, dev = locked("base.txt"), locked("dev.txt")
    assert base.items() <= dev.items()


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_no_file_names_a_registry(path: Path) -> None:
    assert "://" not in path.read_text(encoding="utf-8")


def test_actions_of_workflows_are_pinned_to_a_commit() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")]
    uses = [use for text in texts for use in re.findall(r"uses: (\S+)", text)]
    assert uses
    for use in uses:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", use), use
