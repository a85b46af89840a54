"""Includes follow files and folders that get other names."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "common.tfjob": "let steps = 1\n",
        "main.tfjob": 'include "common.tfjob"\ninclude "./parts/a.tfjob"\n',
        "parts/a.tfjob": 'include "../common.tfjob"\ninclude "b.tfjob"\n',
        "parts/b.tfjob": "let more = 2\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def wire(folder: Path) -> Iterator[Wire]:
    made = Wire()
    made.begin(workspaceFolders=[{"uri": folder.as_uri(), "name": "w"}])
    yield made
    assert made.end() == 0
    made.close()


def moved(wire: Wire, folder: Path, old: str, new: str) -> dict[str, list[str]]:
    """The new paths of includes, by the file that they stand in."""
    files = [{"oldUri": (folder / old).as_uri(), "newUri": (folder / new).as_uri()}]
    answer = cast(
        "Mapping[str, dict[str, list[dict[str, str]]]] | None",
        wire.request("workspace/willRenameFiles", {"files": files})["result"],
    )
    changes = answer["changes"] if answer is not None else {}
    return {
        uri.removeprefix(f"{folder.as_uri()}/"): [edit["newText"] for edit in edits] for uri, edits in changes.items()
    }


def test_a_file_with_another_name(wire: Wire, folder: Path) -> None:
    assert moved(wire, folder, "common.tfjob", "shared.tfjob") == {
        "main.tfjob": ["shared.tfjob"],
        "parts/a.tfjob": ["../shared.tfjob"],
    }


def test_a_file_in_another_folder_takes_its_own_includes_along(wire: Wire, folder: Path) -> None:
    assert moved(wire, folder, "parts/a.tfjob", "deep/er/a.tfjob") == {
        "main.tfjob": ["deep/er/a.tfjob"],
        "parts/a.tfjob": ["../../common.tfjob", "../../parts/b.tfjob"],
    }


def test_a_folder(wire: Wire, folder: Path) -> None:
    assert moved(wire, folder, "parts", "pieces") == {"main.tfjob": ["pieces/a.tfjob"]}


def test_a_text_that_is_open_and_not_saved(wire: Wire, folder: Path) -> None:
    wire.open((folder / "parts/b.tfjob").as_uri(), 'include "../common.tfjob"\n')
    assert moved(wire, folder, "common.tfjob", "c.tfjob")["parts/b.tfjob"] == ["../c.tfjob"]


def test_what_nobody_includes(wire: Wire, folder: Path) -> None:
    assert moved(wire, folder, "main.tfjob", "other.tfjob") == {}
    assert moved(wire, folder, "common.tfjob", 'a"b.tfjob') == {}
