"""``protocol.ts`` and the engine agree: every answer has the fields that its interface has, and no others."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.unit.playground.page import JOB, ROOT, Page
from tfdsl_playground import results, session
from tfdsl_playground.catalogue import catalogue

PROTOCOL = (ROOT / "site/playground/protocol.ts").read_text(encoding="utf-8")
LIMITS = {name: int(value.replace("_", "")) for name, value in re.findall(r"^  (\w+): ([\d_]+),$", PROTOCOL, re.M)}
FIELDS = {
    name: set(re.findall(r"^  readonly (\w+)\??:", body, re.M))
    for name, body in re.findall(r"^export interface (\w+) \{\n(.*?)^\}", PROTOCOL, re.M | re.S)
}
WORDS = {
    name: set(re.findall(r'"([^"]+)"', body))
    for name, body in re.findall(r"^export type (\w+) =(.*?);", PROTOCOL, re.M | re.S)
}


def fits(value: Any, interface: str) -> bool:
    """Whether ``value`` is an object with exactly these fields."""
    assert set(value) == FIELDS[interface], interface
    return True


def test_limits() -> None:
    assert LIMITS["diagnostics"] == results.MOST_DIAGNOSTICS
    assert LIMITS["outputs"] == results.LARGEST_OUTPUTS
    assert LIMITS["input"] == session.LARGEST


def test_results() -> None:
    page = Page()
    text = JOB.replace("replicas", "replicas = 1\n replicas")
    page.update(text + "let unused = 1\n")
    checked = page.checked()
    assert fits(checked, "Checked")
    assert fits(checked["contents"], "Contents")
    assert fits(checked["contents"]["params"][0], "Param")
    assert fits(checked["contents"]["jobs"][0], "Job")
    assert all(fits(one, "Token") and one["type"] in WORDS["TokenType"] for one in checked["tokens"]["main.tfjob"])
    compiled = page.compiled()
    assert FIELDS["Compiled"] == {*compiled, "milliseconds"}, "the worker adds the time"
    labels = [label for one in compiled["diagnostics"] if fits(one, "Diagnostic") for label in one["labels"]]
    assert labels
    assert all(fits(label, "Label") and fits(label["place"], "Place") for label in labels)
    page.update(JOB)
    assert fits(page.compiled()["outputs"][0], "Output")


def test_answers() -> None:
    page = Page()
    text = JOB.replace("0.1", "min(1, 2)").replace("replicas", "replics")
    page.update(text)
    inside = {"file": "main.tfjob", "offset": text.index("image") + 1}
    assert fits(page.ask("hover", **inside), "Hover")
    completions = page.ask("complete", **inside)
    assert fits(completions, "Completions")
    assert all(fits(one, "Completion") and one["kind"] in WORDS["CompletionKind"] for one in completions["items"])
    assert fits(page.ask("signature", file="main.tfjob", offset=text.index("2)")), "Signature")
    assert fits(page.ask("definition", file="main.tfjob", offset=text.index("${lr}") + 3), "Place")
    actions = page.ask("actions", **{"file": "main.tfjob", "from": 0, "to": len(text)})
    assert all(fits(one, "Action") and all(fits(edit, "Edit") for edit in one["edits"]) for one in actions)
    assert {one["kind"] for one in actions} == {"fix", "all"}
    page.update(JOB)
    made = page.ask("made", file="main.tfjob", line=4)
    assert fits(made, "Made")
    assert all(fits(one, "MadeLine") for one in made["lines"])
    origin = page.ask("origin", output="mnist.yaml", line=made["lines"][0]["line"])
    assert fits(origin, "Origin")
    assert fits(origin["place"], "Line")
    drawn = page.ask("graph", forTarget=True)
    assert fits(drawn, "Drawn")
    assert fits(drawn["jobs"][0], "DrawnJob")


def test_catalogue() -> None:
    made = json.loads(json.dumps(catalogue()))
    assert fits(made, "Catalogue")
    assert all(
        fits(one, "Target") and all(fits(option, "Option") for option in one["options"]) for one in made["targets"]
    )
    assert all(one["versions"][0] == one["defaultVersion"] for one in made["targets"])
    first = made["examples"][0]
    assert (first["name"], list(first["files"])) == ("new", ["main.tfjob"])
    for example in made["examples"]:
        assert fits(example, "Example")
        page = Page()
        main = example["files"][example["main"]]
        files = {name: text for name, text in example["files"].items() if name != example["main"]}
        page.update(main, target=example["targets"][0], files=files)
        assert not [one for one in page.checked()["diagnostics"] if one["level"] == "error"]
