"""How a server begins, endures and ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.lsp.wire import Wire
from tests.unit.cli.shell import ROOT, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

URI = "file:///work/job.tfjob"
TEXT = 'job a {\n  image = "x:1"\n  role worker { }\n}\n'

BREAKS = """\
import sys
from tfdsl.lsp.features import hover
def broken(snapshot, offset):
    print("this must not get among the messages")
    raise ZeroDivisionError("a bug")
hover.hover = broken
from tfdsl.compiling import pipeline
real = pipeline.run_in_steps
pipeline.run_in_steps = lambda program, *rest: 1 / 0 if program.lets else real(program, *rest)
from tfdsl.cli.main import main
sys.exit(main(["lsp"]))
"""


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire()
    yield made
    made.close()


@pytest.fixture(scope="module")
def serving() -> Iterator[Wire]:
    """A server that has to endure the requests of several tests."""
    made = Wire()
    made.begin()
    yield made
    assert made.end() == 0
    made.close()


def test_exit_without_shutdown_is_1(wire: Wire) -> None:
    wire.begin()
    wire.send("exit", None)
    assert wire.process.wait(10) == 1


def test_a_client_that_closes_its_end_ends_the_server(wire: Wire) -> None:
    wire.begin()
    assert wire.process.stdin is not None
    wire.process.stdin.close()
    assert wire.process.wait(10) == 1


@pytest.mark.parametrize("appended", [("--stdio",), ("--stdio", "--clientProcessId=1"), ("--clientProcessId", "1")])
def test_what_clients_append_is_taken(appended: tuple[str, ...]) -> None:
    wire = Wire(sys.executable, "-m", "tfdsl.cli.main", "lsp", *appended)
    wire.begin()
    assert wire.end() == 0
    wire.close()


KILLED = """\
import os, subprocess, sys, time
server = subprocess.Popen([sys.executable, "-m", "tfdsl.cli.main", "lsp"], stdin=subprocess.PIPE)
params = b'{"processId":%d,"rootUri":null,"capabilities":{}}' % os.getpid()
body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}' % params
server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
server.stdin.flush()
print(server.pid, file=sys.stderr, flush=True)
time.sleep(60)
"""


def test_a_killed_client_ends_the_server() -> None:
    client = subprocess.Popen(
        [sys.executable, "-c", KILLED], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert client.stderr is not None
    assert client.stdout is not None
    server = int(client.stderr.readline())
    assert client.stdout.readline().startswith(b"Content-Length")  # it has answered
    client.send_signal(signal.SIGKILL)
    client.wait(10)
    end = time.monotonic() + 10
    while time.monotonic() < end and _runs(server):
        time.sleep(0.05)
    assert not _runs(server)
    client.stdout.close()
    client.stderr.close()


def _runs(process: int) -> bool:
    """Whether a process is there and is more than an entry of the table."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_server_ends_when_its_client_is_gone_although_its_input_is_held_open() -> None:
    code = (
        "import sys; import tfdsl.lsp.server.session as s; s.WATCH = 0.1\n"
        "from tfdsl.cli.main import main; sys.exit(main(['lsp']))\n"
    )
    made = Wire(sys.executable, "-c", code)
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        made.begin(processId=other.pid)
        time.sleep(0.3)
        assert made.process.poll() is None
        other.kill()
        other.wait(10)
        assert made.process.wait(10) == 1
    finally:
        other.kill()
        other.wait(10)
        made.close()


def test_a_bug_in_a_request_is_an_error_and_the_server_lives() -> None:
    made = Wire(sys.executable, "-c", BREAKS)
    try:
        made.begin()
        made.open(URI, TEXT)
        made.until("textDocument/publishDiagnostics")
        at = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 3}}
        answer = made.request("textDocument/hover", at)
        assert answer["error"]["code"] == -32603  # type: ignore[index]  # internal error
        assert "result" in made.request("textDocument/completion", at)
        made.change(URI, 2, (0, 0), (0, 0), "let a = 1\n")  # the check breaks
        made.until("window/showMessage")
        made.change(URI, 3, (0, 0), (1, 0), "")
        made.until("textDocument/publishDiagnostics")
        assert made.end() == 0
    finally:
        made.close()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {"textDocument": {"uri": "file:///not/open"}, "position": {"line": 0, "character": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 999, "character": 999}}),
        ("textDocument/completion", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 999}}),
        ("textDocument/rename", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 5}, "newName": ""}),
        ("tfdsl/compile", {"textDocument": {"uri": URI}, "target": "nothing"}),
        ("tfdsl/compile", {"textDocument": {"uri": "file:///not/open"}, "target": "volcano"}),
        ("tfdsl/compile", {"textDocument": [], "target": 3}),
        ("tfdsl/compile", {"textDocument": {"uri": URI}, "target": "volcano", "params": {"class": 1, "a b": {}}}),
        ("tfdsl/where", {"textDocument": {"uri": URI}, "target": "nothing", "source": {"uri": URI, "line": 1}}),
        ("tfdsl/where", {"textDocument": {"uri": URI}, "target": "volcano", "source": {"uri": URI, "line": 999}}),
        ("tfdsl/where", {"textDocument": {"uri": URI}, "target": "volcano", "source": {"uri": "x:\0", "line": -1}}),
        ("tfdsl/where", {"textDocument": {"uri": URI}, "target": "volcano", "output": {"name": "../a", "line": 1}}),
        ("tfdsl/where", {"textDocument": {"uri": URI}, "target": "volcano", "output": {"name": [], "line": 10**30}}),
        ("tfdsl/graph", {"textDocument": {"uri": URI}, "target": "nothing"}),
        ("tfdsl/graph", {"textDocument": {"uri": "file:///not/open"}}),
        ("tfdsl/graph", {"textDocument": {"uri": URI}, "job": [], "params": {"class": 1, "a b": {}}}),
        ("tfdsl/import", {"uri": "untitled:x", "text": "\x00{"}),
        ("tfdsl/import", {"uri": URI, "text": "a: &a [*a]\n<<: *a\n"}),
        ("workspace/executeCommand", {"command": "tfdsl.openOutput", "arguments": [URI]}),
        ("workspace/executeCommand", {"command": "tfdsl.nothing", "arguments": []}),
        ("textDocument/nothing", {}),
        ("workspace/symbol", {"query": "🦊"}),
    ],
)
def test_strange_requests_are_answered(method: str, params: object, serving: Wire) -> None:
    serving.open(URI, TEXT)
    answer = serving.request(method, params)
    assert ("result" in answer) != ("error" in answer)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff",
        "\x00",
        "\r\r\r",
        "job a {" * 200,
        '"' * 1001,
        "${" * 500,
        "é🦊\u2028" * 100,
        "\ud800",
        "{" * 5000,
        "a = " * 5000,
    ],
)
def test_hostile_texts_are_checked_and_answered(text: str, serving: Wire) -> None:
    serving.open(URI, text)
    serving.until("textDocument/publishDiagnostics")
    where = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": min(len(text), 50)}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
    for method, params in (
        *((f"textDocument/{name}", where) for name in ("completion", "hover", "definition", "documentHighlight")),
        *((f"textDocument/{name}", where) for name in ("documentSymbol", "foldingRange", "semanticTokens/full")),
        ("textDocument/inlayHint", {**where, "range": whole}),
        ("textDocument/codeAction", {**where, "range": whole, "context": {"diagnostics": []}}),
        ("textDocument/formatting", {**where, "options": {"tabSize": 2, "insertSpaces": True}}),
        ("textDocument/selectionRange", {**where, "positions": [where["position"]]}),
        ("tfdsl/compile", {**where, "target": "volcano"}),
        ("tfdsl/where", {**where, "target": "volcano", "source": {"uri": URI, "line": 1}}),
        ("tfdsl/graph", where),
        ("tfdsl/graph", {**where, "target": "volcano"}),
        ("tfdsl/import", {"uri": URI, "text": text}),
    ):
        assert "error" not in serving.request(method, params), method


def test_a_text_that_is_in_no_file(wire: Wire) -> None:
    wire.begin()
    wire.open("untitled:Untitled-1", 'include "common.tfjob"\n' + TEXT)
    found = wire.until("textDocument/publishDiagnostics")["params"]
    assert found["uri"] == "untitled:Untitled-1"  # type: ignore[index]
    assert len(found["diagnostics"]) == 1  # type: ignore[index]


def test_settings_come_with_initialize_and_change(wire: Wire) -> None:
    wire.begin(initializationOptions={"targets": ["slider"]})
    wire.open(URI, TEXT.replace("role worker { }", "role worker { gpu = 1 }"))
    codes = {one["code"][:3] for one in wire.until("textDocument/publishDiagnostics")["params"]["diagnostics"]}  # type: ignore[index]
    assert "SLI" in codes
    wire.send("workspace/didChangeConfiguration", {"settings": {"tfdsl": {"targets": ["tfjob"]}}})
    codes = {one["code"][:3] for one in wire.until("textDocument/publishDiagnostics")["params"]["diagnostics"]}  # type: ignore[index]
    assert "SLI" not in codes


def test_a_client_that_asks_for_diagnostics_is_told_to_ask_again(wire: Wire) -> None:
    text = {"diagnostic": {}, "publishDiagnostics": {}}
    able = {"textDocument": text, "workspace": {"diagnostics": {"refreshSupport": True}}}
    wire.begin(capabilities=able)
    wire.open(URI, 'include "common.tfjob"\n' + TEXT)
    wire.open("file:///work/common.tfjob", "let a = 1\n")
    wire.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    wire.change("file:///work/common.tfjob", 2, (0, 8), (0, 9), "nothing")
    wire.until("workspace/diagnostic/refresh")


def test_a_client_is_told_to_ask_again_when_an_included_text_is_closed(wire: Wire) -> None:
    able = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}
    wire.begin(capabilities=able)
    wire.open("file:///work/common.tfjob", "let a = 1\n")
    wire.open(URI, 'include "common.tfjob"\n' + TEXT)
    asked = {"textDocument": {"uri": URI}}
    assert wire.request("textDocument/diagnostic", asked)["result"]["items"] == []  # type: ignore[index]
    wire.send("textDocument/didClose", {"textDocument": {"uri": "file:///work/common.tfjob"}})
    wire.until("workspace/diagnostic/refresh")
    found = wire.request("textDocument/diagnostic", asked)["result"]["items"]  # type: ignore[index]
    assert [one["code"] for one in found] == ["TFJ1003"]


def test_an_included_text_that_was_missing_is_there_when_it_is_opened(wire: Wire) -> None:
    wire.begin()
    wire.open(URI, 'include "common.tfjob"\n' + TEXT)
    found = wire.until("textDocument/publishDiagnostics")["params"]
    assert [one["code"] for one in found["diagnostics"]] == ["TFJ1003"]  # type: ignore[index]
    wire.open("file:///work/common.tfjob", "let a = nothing\n")
    told: dict[object, object] = {}
    while len(told) < 2:
        found = wire.until("textDocument/publishDiagnostics")["params"]
        told[found["uri"]] = [one["code"] for one in found["diagnostics"]]  # type: ignore[index]
    assert told == {URI: [], "file:///work/common.tfjob": ["TFJ1201"]}


def test_without_pygls_it_says_what_is_missing(tmp_path: Path) -> None:
    code = (
        "import importlib.util as u, sys\n"
        "real = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'pygls' else real(name, *rest)\n"
        "from tfdsl.cli.main import main\n"
        "sys.exit(main(['lsp']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    install = "pip install '.[lsp]' in a checkout of tfdsl, or pip install 'FILE.whl[lsp]'"
    assert done.stderr == f"tfdsl: the language server needs pygls: {install}\n"


def test_initialize_is_answered_before_the_compiler_is_loaded() -> None:
    code = (
        "import sys\n"
        "from tfdsl.lsp.server import make_server\n"
        "from lsprotocol import types\n"
        "server = make_server()\n"
        "params = types.InitializeParams(types.ClientCapabilities())\n"
        "list(server.protocol.lsp_initialize(params) or ())\n"
        "print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "pygls.server" in loaded
    assert not loaded & {
        "tfdsl.compiling.pipeline",
        "tfdsl.syntax",
        "tfdsl.semantics",
        "tfdsl.ir.model",
        "pydantic",
        "difflib",
        "yaml",
    }


def test_wrong_params_leave_no_trace(wire: Wire) -> None:
    """The client is told what is wrong; what a person reads has no traceback in it."""
    wire.begin()
    for number, (method, params) in enumerate((("textDocument/hover", {"x": 1}), ("tfdsl/graph", {"uri": 3})), 100):
        wire.send(method, params, number)
        assert '"code": -32602' in json.dumps(wire.receive())
    wire.send("textDocument/didOpen", {"y": 2})
    wire.request("shutdown", None)
    wire.send("exit", None)
    assert wire.process.stderr is not None
    assert b"Traceback" not in wire.process.stderr.read()
