"""The request ``tfdsl/graph``: the picture of an open text, whose parts lead to their statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

import pytest

from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Generator


URI = "file:///graph/main.tfjob"
TEXT = """\
job mnist {
  image = "registry.example.com/mnist:1.4"
  command = ["python", "train.py"]
  mount pvc "data" at "/data"
  role worker {
    replicas = 2
    on exit 42 => fail job
  }
  target volcano { }
}
job other {
  image = "registry.example.com/mnist:1.4"
  command = ["python", "train.py"]
  role worker { replicas = 3 }
}
"""


@pytest.fixture(scope="module")
def server() -> Generator[Wire, None, None]:
    made = Wire()
    try:
        made.begin()
        yield made
        made.end()
    finally:
        made.close()


@pytest.fixture
def wire(server: Wire) -> Generator[Wire, None, None]:
    yield server
    server.send("textDocument/didClose", {"textDocument": {"uri": URI}})


def drawn(wire: Wire, **more: object) -> Any:
    answer = wire.request("tfdsl/graph", {"textDocument": {"uri": URI}, **more})
    return cast("dict[str, Any]", answer).get("result", answer)


def test_each_part_leads_to_its_statement(wire: Wire) -> None:
    wire.open(URI, TEXT)
    found = drawn(wire)
    assert found["error"] is None
    assert [(job["name"], job["target"]) for job in found["jobs"]] == [("mnist", None), ("other", None)]
    paths = {
        (group.get("data-graph"), part.get("data-path"))
        for group in ElementTree.fromstring(found["svg"]).iter("{http://www.w3.org/2000/svg}g")
        if group.get("data-graph") is not None
        for part in group.iter()
        if part.get("data-path") is not None
    }
    lines = {
        (number, path): found["jobs"][int(number)]["places"][path]["range"]["start"]["line"] for number, path in paths
    }
    assert lines["0", ""] == 0
    assert lines["0", "roles[worker]"] == 4
    assert lines["0", "roles[worker].mounts[0]"] == 3
    assert lines["0", "policies[0]"] == 6
    assert lines["1", "roles[worker]"] == 13
    assert {place["uri"] for job in found["jobs"] for place in job["places"].values()} == {URI}


def test_one_job_for_a_target(wire: Wire) -> None:
    wire.open(URI, TEXT)
    found = drawn(wire, target="volcano", job="mnist")
    assert [(job["name"], job["target"]) for job in found["jobs"]] == [("mnist", "volcano 1.15")]
    assert "PodGroup" in found["svg"]


def test_a_text_with_errors_has_no_picture_but_a_reason(wire: Wire) -> None:
    wire.open(URI, TEXT.replace("replicas = 2", "replicas = -2"))
    assert drawn(wire) == {"svg": "", "jobs": [], "error": "replicas must be from 0 to 100000, not -2"}
    wire.change(URI, 2, (5, 0), (6, 0), "    replicas = 7\n")
    assert "×7" in drawn(wire)["svg"]


@pytest.mark.parametrize("target", ["nothing", 5])
def test_what_cannot_be_asked_for_is_an_error(wire: Wire, target: object) -> None:
    wire.open(URI, TEXT)
    assert "error" in drawn(wire, target=target)
