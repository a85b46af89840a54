"""What an editor shows is what there is to say now, whatever it can do: nothing stale, nothing twice.

The client here keeps what real ones keep: what it was told, by text, and what it asked for, which it asks for again
after an edit of that text and when it is told to.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.lsp.long_text import long_text
from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow


ASKS = {"diagnostic": {"dynamicRegistration": False}}
TOLD: dict[str, object] = {"publishDiagnostics": {}}
REFRESH = {"diagnostics": {"refreshSupport": True}}
CLIENTS = {
    "is told": {"textDocument": TOLD},
    "says nothing": {},
    "asks, cannot refresh": {"textDocument": {**ASKS, **TOLD}},
    "asks, says that it cannot refresh": {
        "textDocument": ASKS,
        "workspace": {"diagnostics": {"refreshSupport": False}},
    },
    "asks and can refresh": {"textDocument": {**ASKS, **TOLD}, "workspace": REFRESH},
    "can refresh, does not ask": {"textDocument": TOLD, "workspace": REFRESH},
}
SLIDER = ["SLI037", "SLI103"]
MAIN, COMMON = "file:///work/main.tfjob", "file:///work/common.tfjob"
TEXT = 'include "common.tfjob"\njob a { image = "x:1", role worker { replicas = n, gpu = 1 } }\n'


class Editor:
    """A client that shows problems."""

    def __init__(self, wire: Wire, able: dict[str, object]) -> None:
        self.wire = wire
        offered = cast("dict[str, dict[str, object]]", wire.begin(capabilities=able)["result"])["capabilities"]
        self.asks = "diagnosticProvider" in offered
        self.told: dict[str, list[str]] = {}
        self.asked: dict[str, list[str]] = {}
        self.opened: dict[str, int] = {}

    def open(self, uri: str, text: str) -> None:
        self.wire.open(uri, text)
        self.opened[uri] = 1
        self.ask(uri)

    def change(self, uri: str, line: int, start: int, end: int, text: str) -> None:
        self.opened[uri] += 1
        self.wire.change(uri, self.opened[uri], (line, start), (line, end), text)
        self.ask(uri)

    def close(self, uri: str) -> None:
        self.wire.send("textDocument/didClose", {"textDocument": {"uri": uri}})
        del self.opened[uri]
        self.asked.pop(uri, None)

    def ask(self, uri: str) -> None:
        if self.asks:
            answer = self.wire.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            self.asked[uri] = _codes(cast("dict[str, object]", answer["result"])["items"])

    def shown(self, uri: str) -> list[str]:
        """The codes that are shown at a text when nothing more comes."""
        self.wire.request("workspace/symbol", {"query": "🦊"})
        for message in self.wire.notifications:
            params = cast("dict[str, object]", message.get("params"))
            if message.get("method") == "textDocument/publishDiagnostics":
                self.told[cast("str", params["uri"])] = _codes(params["diagnostics"])
        refresh = any(message.get("method") == "workspace/diagnostic/refresh" for message in self.wire.notifications)
        self.wire.notifications.clear()
        if refresh:
            for one in self.opened:
                self.ask(one)
        return sorted([*self.told.get(uri, []), *self.asked.get(uri, [])])

    def until(self, **expected: list[str]) -> None:
        """Wait until exactly these codes are shown, and see that they stay."""
        wanted = {{"main": MAIN, "common": COMMON}[name]: codes for name, codes in expected.items()}
        end = time.monotonic() + 10
        while time.monotonic() < end and any(self.shown(uri) != codes for uri, codes in wanted.items()):
            time.sleep(0.02)
        time.sleep(0.3)
        assert {uri: self.shown(uri) for uri in wanted} == wanted


def _codes(found: object) -> list[str]:
    return [cast("str", one["code"]) for one in cast("list[dict[str, object]]", found)]


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire()
    yield made
    made.close()


@pytest.mark.parametrize("name", CLIENTS)
def test_nothing_stale_is_shown(wire: Wire, name: str) -> None:
    editor = Editor(wire, cast("dict[str, object]", CLIENTS[name]))
    assert editor.asks == (name == "asks and can refresh")
    editor.open(MAIN, TEXT)
    editor.until(main=["TFJ1003", "TFJ1201"])
    editor.open(COMMON, "let n = 2\n")  # an include that is not saved
    editor.until(main=[], common=[])
    editor.change(COMMON, 0, 4, 5, "m")
    editor.until(main=["TFJ1201"])
    editor.change(COMMON, 0, 8, 9, "nothing")
    editor.until(common=["TFJ1201"], main=["TFJ1201"])
    editor.change(COMMON, 0, 4, 15, "n = 2")
    editor.until(main=[], common=[])
    wire.send("workspace/didChangeConfiguration", {"settings": {"tfdsl": {"targets": ["slider"]}}})
    editor.until(main=SLIDER)
    wire.send("workspace/didChangeConfiguration", {"settings": {"tfdsl": {"targets": []}}})
    editor.until(main=[])
    editor.close(COMMON)
    editor.until(main=["TFJ1003", "TFJ1201"])
    editor.close(MAIN)
    editor.until(main=[], common=[])


@pytest.mark.parametrize("name", CLIENTS)
def test_what_was_told_of_an_include_is_not_shown_twice_when_it_is_opened(
    wire: Wire, name: str, tmp_path: object
) -> None:
    editor = Editor(wire, cast("dict[str, object]", CLIENTS[name]))
    editor.open(COMMON, "let n = nothing\n")
    editor.open(MAIN, TEXT)
    editor.until(main=[], common=["TFJ1201"])
    editor.close(MAIN)
    editor.until(common=["TFJ1201"])
    editor.close(COMMON)
    editor.until(common=[])


@pytest.mark.parametrize("asks", [False, True], ids=["is told", "asks"])
def test_a_long_text_shows_the_job_at_the_cursor_first(wire: Wire, asks: bool) -> None:
    """No machine checks 40,000 lines in the time after which the server says what it knows."""
    lines = long_text(40_000).split("\n")
    at = next(number for number in range(5000, len(lines)) if lines[number] == "  retries = 2")
    wire.begin(capabilities=CLIENTS["asks and can refresh" if asks else "is told"])
    wire.open(MAIN, "\n".join(lines))
    where = {"textDocument": {"uri": MAIN}}
    wire.change(MAIN, 2, (at, 2), (at, 9), "retriess")
    wire.send("textDocument/documentHighlight", {**where, "position": {"line": at, "character": 2}}, 1000)

    def shown() -> list[int]:
        params = wire.request("textDocument/diagnostic", where)["result"] if asks else wire.published(2)
        found = cast("dict[str, Any]", params)["items" if asks else "diagnostics"]
        return [one["range"]["start"]["line"] for one in found]

    places = shown()
    assert at in places
    assert all(abs(place - at) < 150 for place in places)
    refresh = "workspace/diagnostic/refresh"
    if asks and refresh not in [one.get("method") for one in wire.notifications]:  # it may be there already
        wire.until(refresh)
    assert at in shown()
