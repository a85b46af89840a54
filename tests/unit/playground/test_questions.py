"""The questions of the page: each is answered by what the language server knows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.playground.page import JOB, Page


@pytest.fixture
def page() -> Page:
    made = Page()
    assert made.update(JOB) is None
    return made


def at(word: str, text: str = JOB) -> dict[str, Any]:
    """In the middle of the first ``word``."""
    return {"file": "main.tfjob", "offset": text.index(word) + len(word) // 2}


def test_hover(page: Page) -> None:
    found = page.ask("hover", **at("replicas"))
    assert JOB[found["from"] : found["to"]] == "replicas"
    assert found["markdown"].startswith("**replicas**")
    assert page.ask("hover", file="gone.tfjob", offset=0) is None


def test_complete(page: Page) -> None:
    text = JOB.replace("replicas = 2", "repl")
    page.update(text)
    found = page.ask("complete", file="main.tfjob", offset=text.index("repl") + 4)
    assert text[found["from"] : found["to"]] == "repl"
    item = next(one for one in found["items"] if one["label"] == "replicas")
    assert (item["kind"], item["insert"]) == ("attribute", "replicas = ")


def test_the_settings_of_the_project_are_explained_too(page: Page) -> None:
    text = '[lint]\nunused-let = "o"\n'
    page.update(JOB, files={"tfdsl.toml": text})
    items = page.ask("complete", file="tfdsl.toml", offset=text.index('o"') + 1)["items"]
    assert {"error", "warning", "info", "off"} <= {one["label"] for one in items}
    assert "unused-let" in page.ask("hover", file="tfdsl.toml", offset=text.index("used"))["markdown"]
    assert page.ask("definition", file="tfdsl.toml", offset=0) is None


def test_signature_and_definition(page: Page) -> None:
    text = JOB.replace("0.1", "min(1, 2)")
    page.update(text)
    found = page.ask("signature", file="main.tfjob", offset=text.index("2)"))
    assert found["text"].startswith("min(")
    assert found["active"] == 1
    place = page.ask("definition", file="main.tfjob", offset=text.index("${lr}") + 3)
    assert (place["file"], place["line"], place["column"]) == ("main.tfjob", 1, 7)


def test_a_fix_is_offered_and_cures(page: Page) -> None:
    text = JOB.replace("replicas", "replics")
    page.update(text)
    (place,) = [one["place"] for one in page.compiled()["diagnostics"] if one["fixable"]]
    actions = page.ask("actions", **{"file": "main.tfjob", "from": place["from"], "to": place["to"]})
    fix = next(one for one in actions if one["kind"] == "fix")
    (edit,) = fix["edits"]
    assert text[: edit["from"]] + edit["text"] + text[edit["to"] :] == JOB


def test_format(page: Page) -> None:
    text = JOB.replace("  image =", "image   =")
    page.update(text)
    for edit in reversed(page.ask("format", file="main.tfjob")):
        text = text[: edit["from"]] + edit["text"] + text[edit["to"] :]
    assert '\n  image   = "registry' in text


def test_lines_lead_both_ways(page: Page) -> None:
    lines = page.compiled()["outputs"][0]["text"].split("\n")
    made = page.ask("made", file="main.tfjob", line=4)
    assert {(one["output"], one["how"]) for one in made["lines"]} == {("mnist.yaml", "made")}
    assert "registry.example.com/mnist:1" in lines[made["lines"][0]["line"] - 1]
    origin = page.ask("origin", output="mnist.yaml", line=made["lines"][0]["line"])
    assert origin["place"] == {"file": "main.tfjob", "line": 4}
    assert page.ask("origin", output="gone.yaml", line=1) is None
    blank = page.ask("made", file="main.tfjob", line=2)
    assert blank["lines"] == []
    assert blank["reason"]


def test_graph(page: Page) -> None:
    plain = page.ask("graph", forTarget=False)
    drawn = page.ask("graph", forTarget=True)
    assert [(job["name"], job["target"]) for job in drawn["jobs"]] == [("mnist", "kubernetes 1.34")]
    assert drawn["svg"].startswith("<svg")
    assert plain["svg"] != drawn["svg"]
    assert drawn["jobs"][0]["places"][""]["line"] == 3


def test_explain(page: Page) -> None:
    assert page.ask("explain", word="TFJ2104").startswith("TFJ2104 duplicate-mount-path (error)")
    assert page.ask("explain", word="duplicate-mount-path") == page.ask("explain", word="tfj2104")
    assert page.ask("explain", word="nothing") is None
    assert page.ask("nothing") is None
