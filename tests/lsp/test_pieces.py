"""A long check is done in pieces: other requests are answered in between, and a newer text or a cancel ends it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

import pytest

from tests.lsp.long_text import long_text
from tests.lsp.wire import Wire
from tfdsl.lsp.server.session import Checks
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytestmark = pytest.mark.slow

URI = "file:///nowhere/job.tfjob"
HERE = {"textDocument": {"uri": URI}, "position": {"line": 3, "character": 5}}
CANCELLED, CONTENT_MODIFIED = -32800, -32801


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire()
    yield made
    made.close()


# --- when to check ---------------------------------------------------------------------------------------------


class Work:
    """A check of so many pieces."""

    def __init__(self, pieces: int) -> None:
        self.left = pieces

    def work(self) -> bool:
        self.left -= 1
        return self.left > 0


def test_a_newer_text_ends_the_check_of_the_older_one() -> None:
    first, second = Work(1000), Work(3)
    texts = {"a": first}
    published: list[str] = []

    async def type_on() -> None:
        checks = Checks(lambda uri: cast("Snapshot", texts[uri]), published.append, lambda _: None, pytest.fail)
        checks.soon("a")
        while first.left > 995:
            await asyncio.sleep(0)
        texts["a"] = second
        checks.soon("a")
        while not published:
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(type_on(), 10))
    assert published == ["a"]
    assert first.left > 990
    assert second.left == 0


def test_a_bug_in_a_check_is_reported() -> None:
    class Bug(Work):
        def work(self) -> bool:
            raise ZeroDivisionError

    problems: list[Exception] = []

    async def check() -> None:
        checks = Checks(lambda _: cast("Snapshot", Bug(1)), lambda _: None, lambda _: None, problems.append)
        checks.soon("a")
        while not problems:
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(check(), 10))
    assert isinstance(problems[0], ZeroDivisionError)


def test_a_check_has_a_step_for_each_job() -> None:
    text = long_text(300)
    snapshot = Snapshot(Source("/w/a.tfjob", text, "/w/a.tfjob"), lambda path, roots: "no")
    steps = next(done for done in range(1000) if not snapshot.work())
    assert steps == 2 * text.count("\njob "), "each job is checked and then made"


# --- in a server -----------------------------------------------------------------------------------------------


def long_check(wire: Wire, **capabilities: object) -> None:
    """Have the server check a let that every one of many jobs uses."""
    wire.begin(capabilities=capabilities)
    text = long_text(1500)
    wire.open(URI, text)
    line = next(number for number, line in enumerate(text.split("\n")) if line.startswith("let registry"))
    if capabilities:
        wire.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    else:
        wire.published(1)
    wire.change(URI, 2, (line, 16), (line, 16), "x")


def test_requests_are_answered_while_a_text_is_checked(wire: Wire) -> None:
    long_check(wire)
    for _ in range(5):
        assert "result" in wire.request("textDocument/hover", HERE)
    methods = [one["method"] for one in wire.notifications]
    assert "textDocument/publishDiagnostics" not in methods, "the check has come to its end before"
    wire.published(2)


def test_a_client_may_take_back_what_it_asked(wire: Wire) -> None:
    long_check(wire, textDocument={"diagnostic": {}}, workspace={"diagnostics": {"refreshSupport": True}})
    wire.send("textDocument/diagnostic", {"textDocument": {"uri": URI}}, 900)
    wire.send("textDocument/hover", HERE, 901)
    assert wire.receive()["id"] == 901
    wire.send("$/cancelRequest", {"id": 900})
    wire.send("textDocument/hover", HERE, 902)
    answers = {one["id"]: one for one in (wire.receive(), wire.receive())}
    assert cast("Mapping[str, object]", answers[900]["error"])["code"] == CANCELLED
    assert "result" in answers[902]


def test_actions_for_a_text_that_has_changed_meanwhile_are_not_given(wire: Wire) -> None:
    long_check(wire)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    asked = {"textDocument": {"uri": URI}, "range": whole, "context": {"diagnostics": []}}
    wire.send("textDocument/codeAction", asked, 900)
    wire.send("textDocument/hover", HERE, 901)
    assert wire.receive()["id"] == 901
    wire.change(URI, 3, (0, 0), (0, 0), "# ")
    while (answer := wire.receive()).get("id") != 900:
        pass
    assert cast("Mapping[str, object]", answer["error"])["code"] == CONTENT_MODIFIED
