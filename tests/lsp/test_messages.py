"""Every message gets what the protocol says, whatever a client sends."""

from __future__ import annotations

import io
import json
import time
from typing import TYPE_CHECKING, cast

import pytest

from tests.lsp.wire import Wire
from tfdsl.lsp.server.protocol import LARGEST_HEADER, bodies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

pytestmark = pytest.mark.slow

URI = "file:///work/job.tfjob"
TEXT = 'job a {\n  image = "x:1"\n  role worker { }\n}\n'
HERE = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 1}}
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
NOT_INITIALIZED, CANCELLED = -32002, -32800


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire()
    yield made
    made.close()


def code(answer: Mapping[str, object]) -> int:
    """The code of an error."""
    return cast("int", cast("dict[str, object]", answer["error"])["code"])


def answers(wire: Wire, count: int) -> dict[object, Mapping[str, object]]:
    """The next answers, by the number of their requests."""
    found: dict[object, Mapping[str, object]] = {}
    while len(found) < count:
        message = wire.receive()
        if "method" not in message:
            found[message["id"]] = message
    return found


# --- the stream ------------------------------------------------------------------------------------------------


class Slow(io.RawIOBase):
    """Gives few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes, most: int) -> None:
        self.data, self.most = data, most

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        taken, self.data = self.data[: self.most], self.data[self.most :]
        return taken


@pytest.mark.parametrize("most", [1, 3, 7, 10_000])
@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length: 2\r\n\r\n",
        b"CONTENT-LENGTH:2\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\ncontent-type: x\r\n\r\n",
        b"Content-Length: 2 \n\n",
        b"X: 1\r\n\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_bodies_of_a_stream(header: bytes, most: int) -> None:
    assert list(bodies(Slow((header + b"{}") * 3, most))) == [b"{}"] * 3


@pytest.mark.parametrize(
    "data", [b"", b"\r\n", b"Content-Length: 9\r\n\r\n{}", b"Content-Length: x\r\n\r\n", b"x" * (LARGEST_HEADER + 2)]
)
def test_a_stream_that_ends_early_or_says_nothing(data: bytes) -> None:
    assert list(bodies(Slow(data, 100_000))) == []


def test_names_of_header_fields_have_no_case(wire: Wire) -> None:
    wire.begin()
    body = json.dumps({"jsonrpc": "2.0", "id": "low", "method": "textDocument/hover", "params": HERE}).encode()
    assert wire.process.stdin is not None
    wire.process.stdin.write(b"content-length: %d\r\n\r\n%s" % (len(body), body))
    wire.process.stdin.flush()
    assert "result" in answers(wire, 1)["low"]


# --- what cannot be done ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {}),
        ("textDocument/hover", None),
        ("textDocument/hover", []),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": "here"}),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": "x", "character": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": True, "character": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": 7}, "position": {"line": 0, "character": 0}}),
        ("textDocument/rename", HERE),
        ("textDocument/rename", {**HERE, "newName": None}),
        ("textDocument/rename", {**HERE, "newName": {}}),
        ("textDocument/rename", {**HERE, "newName": 5}),
        ("workspace/symbol", {}),
        ("workspace/executeCommand", {"command": "tfdsl.nothing"}),
        ("tfdsl/compile", []),
        ("tfdsl/compile", {}),
        ("tfdsl/where", []),
        ("tfdsl/where", {"textDocument": {"uri": URI}, "target": "volcano"}),
        ("tfdsl/where", {"textDocument": {"uri": URI}, "target": "volcano", "source": {"uri": URI, "line": "1"}}),
        ("tfdsl/graph", []),
        ("tfdsl/graph", {"textDocument": {"uri": URI}, "target": 5}),
        ("tfdsl/import", {}),
        ("tfdsl/import", {"uri": URI, "text": 5}),
    ],
)
def test_wrong_params_are_told(wire: Wire, method: str, params: object) -> None:
    wire.begin()
    answer = wire.request(method, params)
    assert "error" in answer, answer
    assert code(answer) == INVALID_PARAMS
    assert "result" in wire.request("textDocument/hover", HERE)


@pytest.mark.parametrize(
    ("message", "number", "expected"),
    [
        ([], None, INVALID_REQUEST),
        (5, None, INVALID_REQUEST),
        ({"id": 7, "method": "textDocument/hover", "params": HERE}, 7, INVALID_REQUEST),
        ({"jsonrpc": "1.0", "id": 7, "method": "shutdown"}, 7, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": [1], "method": "shutdown"}, None, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 7, "method": 3}, 7, INVALID_REQUEST),
        ({"jsonrpc": "2.0"}, None, INVALID_REQUEST),
    ],
)
def test_what_is_no_message_is_told(wire: Wire, message: object, number: object, expected: int) -> None:
    wire.begin()
    wire.raw(message)
    assert code(answers(wire, 1)[number]) == expected
    assert wire.end() == 0


def test_what_is_no_json_is_told(wire: Wire) -> None:
    wire.begin()
    assert wire.process.stdin is not None
    wire.process.stdin.write(b"Content-Length: 3\r\n\r\n{x}")
    wire.process.stdin.flush()
    assert code(answers(wire, 1)[None]) == PARSE_ERROR
    assert wire.end() == 0


def test_nothing_is_done_before_initialize(wire: Wire) -> None:
    assert code(wire.request("textDocument/hover", HERE)) == NOT_INITIALIZED
    wire.send("textDocument/didOpen", {})
    wire.begin()
    assert code(wire.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})) == INVALID_REQUEST
    assert wire.end() == 0


def test_nothing_is_done_after_shutdown(wire: Wire) -> None:
    wire.begin()
    wire.request("shutdown", None)
    for method, params in (("textDocument/hover", HERE), ("shutdown", None), ("textDocument/nothing", {})):
        assert code(wire.request(method, params)) == INVALID_REQUEST
    wire.send("textDocument/didOpen", {})
    wire.send("exit", None)
    assert wire.process.wait(10) == 0


def test_a_request_without_params(wire: Wire) -> None:
    wire.begin()
    wire.raw({"jsonrpc": "2.0", "id": 5, "method": "textDocument/nothing"})
    assert "error" in answers(wire, 1)[5]
    wire.raw({"jsonrpc": "2.0", "id": 6, "method": "shutdown"})
    assert answers(wire, 1)[6].get("result", 0) in (None, 0)


# --- cancelling ------------------------------------------------------------------------------------------------


def test_cancelled_requests_save_their_work(wire: Wire, tmp_path: Path) -> None:
    """A picker sends a request for each letter and takes the one before it back."""
    for number in range(400):
        (tmp_path / f"job{number}.tfjob").write_text(TEXT * 3)
    folder = [{"uri": tmp_path.as_uri(), "name": "w"}]
    wire.begin(rootUri=tmp_path.as_uri(), workspaceFolders=folder)
    wire.open(URI, TEXT)
    wire.until("textDocument/publishDiagnostics")
    begin = time.perf_counter()
    for number in range(100, 130):
        wire.send("workspace/symbol", {"query": "worker"}, number)
        wire.send("$/cancelRequest", {"id": number})
    wire.send("textDocument/hover", HERE, 99)
    found = answers(wire, 31)
    spent = time.perf_counter() - begin
    cancelled = [number for number, answer in found.items() if "error" in answer]
    assert all(code(found[number]) == CANCELLED for number in cancelled)
    assert len(cancelled) >= 29
    assert "result" in found[99]
    begin = time.perf_counter()
    assert "result" in wire.request("workspace/symbol", {"query": "worker"})
    assert spent < time.perf_counter() - begin + 0.5, "the cancelled ones cost as much as one that is not"
    wire.send("$/cancelRequest", {"id": "nobody"})
    wire.send("$/cancelRequest", {})
    assert wire.end() == 0


def test_a_number_may_be_used_again_after_it_was_cancelled(wire: Wire) -> None:
    wire.begin()
    wire.send("textDocument/hover", HERE, 50)
    answers(wire, 1)
    wire.send("$/cancelRequest", {"id": 50})
    wire.send("shutdown", None, 51)
    answers(wire, 1)
    wire.send("textDocument/hover", HERE, 50)
    assert code(answers(wire, 1)[50]) == INVALID_REQUEST


# --- texts and folders -----------------------------------------------------------------------------------------


def test_an_older_version_of_a_text_is_ignored(wire: Wire) -> None:
    wire.begin()
    wire.open(URI, TEXT)
    wire.change(URI, 5, (0, 4), (0, 5), "newer")
    wire.change(URI, 4, (0, 0), (0, 9), "nonsense")
    names = [one["name"] for one in cast("list[dict[str, object]]", _symbols(wire))]
    assert names[0] == "newer"


def _symbols(wire: Wire) -> object:
    return wire.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})["result"]


@pytest.mark.parametrize(("added", "removed"), [("/", ""), ("", "/"), ("/", "/"), ("", "")])
def test_a_folder_goes_however_it_ends(wire: Wire, tmp_path: Path, added: str, removed: str) -> None:
    (tmp_path / "job.tfjob").write_text("job alone { }\n")
    folder = {"uri": tmp_path.as_uri() + added, "name": "w"}
    wire.begin(workspaceFolders=[folder])
    assert wire.request("workspace/symbol", {"query": "alone"})["result"]
    event = {"added": [], "removed": [{"uri": tmp_path.as_uri() + removed, "name": "w"}]}
    wire.send("workspace/didChangeWorkspaceFolders", {"event": event})
    assert wire.request("workspace/symbol", {"query": "alone"})["result"] == []


# --- completion ------------------------------------------------------------------------------------------------

BLOCK = 'job a {\n  image = "x:1"\n    ro\n}\n'


def completed(wire: Wire, able: object) -> dict[str, dict[str, object]]:
    """The completions of :data:`BLOCK` behind ``ro`` for a client, by their labels."""
    wire.begin(capabilities={"textDocument": {"completion": {"completionItem": able}}})
    wire.open(URI, BLOCK)
    at = {"textDocument": {"uri": URI}, "position": {"line": 2, "character": 6}}
    result = cast("dict[str, list[dict[str, object]]]", wire.request("textDocument/completion", at)["result"])
    return {cast("str", one["label"]): one for one in result["items"]}


def inserted(item: Mapping[str, object]) -> str:
    return cast("str", cast("dict[str, object]", item["textEdit"])["newText"])


def test_a_block_closes_in_the_column_of_its_line(wire: Wire) -> None:
    """A client without snippets inserts the text as it is."""
    item = completed(wire, {"insertTextModeSupport": {"valueSet": [1, 2]}})["role worker"]
    assert inserted(item) == "role worker {\n      \n    }"
    assert (item["insertTextFormat"], item["insertTextMode"]) == (1, 1)


def test_a_client_that_fills_in_snippets_indents_them(wire: Wire) -> None:
    item = completed(wire, {"snippetSupport": True})["role worker"]
    assert inserted(item) == "role worker {\n\t$0\n}"
    assert "insertTextMode" not in item


def test_items_say_what_they_are_found_by(wire: Wire) -> None:
    found = completed(wire, {})
    assert found
    assert {label: one["filterText"] for label, one in found.items()} == {label: label for label in found}
    wire.change(URI, 2, (2, 4), (2, 6), "spread = n")
    at = {"textDocument": {"uri": URI}, "position": {"line": 2, "character": 14}}
    result = cast("dict[str, list[dict[str, object]]]", wire.request("textDocument/completion", at)["result"])
    assert {one["label"]: one["filterText"] for one in result["items"]}['"node"'] == "node"
