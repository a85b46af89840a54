"""The problems of files that are not open, for those who want to see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

pytestmark = pytest.mark.slow

JOB = 'job a {\n  image = "x:1"\n  role worker { command = ["true"], replicas = size }\n}\n'
CHANGED = 2
"""The protocol's number for a file that has changed."""


class Client:
    """A client that keeps what it is told about each file of a folder."""

    def __init__(self, folder: Path, settings: Mapping[str, object]) -> None:
        self.folder = folder
        self.told: dict[str, list[str]] = {}
        self.wire = Wire()
        folders = [{"uri": folder.as_uri(), "name": "w"}]
        self.wire.begin(workspaceFolders=folders, initializationOptions=settings)

    def write(self, name: str, text: str | None) -> None:
        """Change a file on disk, ``None``: remove it, and tell the server."""
        path = self.folder / name
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
        changes = [{"uri": path.as_uri(), "type": CHANGED}]
        self.wire.send("workspace/didChangeWatchedFiles", {"changes": changes})

    def until(self, expected: Mapping[str, Sequence[str]]) -> None:
        """Wait until the codes of what is shown are these; files without any are left out."""
        while {name: codes for name, codes in self.told.items() if codes} != expected:
            message = self.wire.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                params = cast("Mapping[str, object]", message["params"])
                found = cast("Sequence[Mapping[str, str]]", params["diagnostics"])
                self.told[str(params["uri"]).rpartition("/")[2]] = [one["code"] for one in found]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "main.tfjob").write_text(f'include "common.tfjob"\n{JOB}')
    (tmp_path / "common.tfjob").write_text("let size = 2\n")
    (tmp_path / "wrong.tfjob").write_text(JOB)
    made = Client(tmp_path, {"checkAllFiles": True})
    yield made
    assert made.wire.end() == 0
    made.wire.close()


def test_they_are_shown_from_the_start_and_follow_the_disk(client: Client) -> None:
    client.until({"wrong.tfjob": ["TFJ1201"]})
    client.write("common.tfjob", 'let size = "two"\n')  # the file that includes it is wrong now
    client.until({"wrong.tfjob": ["TFJ1201"], "main.tfjob": ["TFJ1301"]})
    client.write("wrong.tfjob", JOB.replace("size", "1").replace("x:1", "x:latest"))
    client.write("common.tfjob", "let size = 2\n")
    client.until({"wrong.tfjob": ["TFJ3010"]})
    client.write("tfdsl.toml", '[lint]\nfloating-image-tag = "off"\n')  # no text has changed, but what counts for it
    client.until({})
    client.write("tfdsl.toml", None)
    client.until({"wrong.tfjob": ["TFJ3010"]})
    client.write("wrong.tfjob", None)
    client.until({})


def test_a_file_that_is_opened_is_as_it_is_shown_and_when_closed_as_on_disk(client: Client) -> None:
    client.until({"wrong.tfjob": ["TFJ1201"]})
    uri = (client.folder / "wrong.tfjob").as_uri()
    client.wire.open(uri, JOB.replace("size", "1"))
    client.until({})
    client.wire.send("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.until({"wrong.tfjob": ["TFJ1201"]})


def test_they_go_when_the_setting_or_the_folder_does(client: Client) -> None:
    client.until({"wrong.tfjob": ["TFJ1201"]})
    client.wire.send("workspace/didChangeConfiguration", {"settings": {"tfdsl": {}}})
    client.until({})
    client.wire.send("workspace/didChangeConfiguration", {"settings": {"tfdsl": {"checkAllFiles": True}}})
    client.until({"wrong.tfjob": ["TFJ1201"]})
    event = {"added": [], "removed": [{"uri": client.folder.as_uri(), "name": "w"}]}
    client.wire.send("workspace/didChangeWorkspaceFolders", {"event": event})
    client.until({})
