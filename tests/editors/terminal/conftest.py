"""The editors of the terminal: had once for a run, or the run ends with one line that says why they cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.terminal.debian import NotToBeHadError
from tests.editors.terminal.home import Home
from tests.editors.terminal.page import ROOT
from tests.editors.terminal.programs import programs

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def editors(request: pytest.FixtureRequest) -> Path:
    """The folder with the editors' commands."""
    work = request.config.getoption("--editors-work") or ROOT / ".editors"
    try:
        return programs(Path(work).resolve())
    except NotToBeHadError as missing:
        pytest.exit(str(missing), returncode=1)


@pytest.fixture
def home(editors: Path, tmp_path: Path) -> Home:
    """A home in which nothing of the page was done yet."""
    return Home(tmp_path / "home", editors)


@pytest.fixture(scope="module")
def followed(editors: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Home]:
    """A home in which a section was followed, once for all tests of a module."""
    made: dict[str, Home] = {}

    def follow(section: str) -> Home:
        if section not in made:
            made[section] = Home(tmp_path_factory.mktemp("home") / "reader", editors)
            made[section].follow(section)
        return made[section]

    return follow
