"""SARIF and JUnit as other programs read them: against a schema, and against what build servers accept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.unit.diagnostics.pages import ROOT, diagnostics, example, sections
from tests.unit.diagnostics.texts import SLOW, TOLD, duplicate, place, source
from tfdsl.diagnostics import Edit
from tfdsl.diagnostics.page import FOLDER
from tfdsl.diagnostics.render import render
from tfdsl.text import Span

SARIF = json.loads((ROOT / "tests" / "data" / "sarif-2.1.0-subset.json").read_text(encoding="utf-8"))
PAGES = sorted(Path(FOLDER).glob("*.md"))

JUNIT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": ({"name"}, {"time", "classname", "group"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    "failure": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
}
"""Element → attributes it must have, those it may have besides, and its children: the schema of Jenkins' xUnit
plugin, ``junit-10.xsd``, as far as it concerns what is written here."""


def check_junit(element: ElementTree.Element) -> None:
    needed, allowed, children = JUNIT[element.tag]
    given = set(element.attrib)
    assert needed <= given <= needed | allowed, element.tag
    assert {child.tag for child in element} <= children
    for child in element:
        check_junit(child)


def everything() -> list[Any]:
    of, other = source('a "🎉"\r\n\tbb\n', "ä b.tfjob"), source("x\n", "lib/common.tfjob")
    whole = duplicate(place(of, "bb")).marked("again").note(place(other, "x"), "first").help("a <b>").help("c")
    whole = whole.fix("two places", Edit(place(of, "a"), ""), Edit(place(other, "x"), "y\nz"), safe=True)
    end = len(of.text)
    return [whole, SLOW(Span(of, 0, end)), TOLD(Span(of, end, end))]


@pytest.mark.parametrize("found", [[], everything()], ids=["nothing", "everything"])
def test_sarif_fits_its_schema(found: list[Any]) -> None:
    log = json.loads(render("sarif", found, ("ä b.tfjob", "clean.tfjob")))
    jsonschema.validate(log, SARIF, format_checker=jsonschema.FormatChecker())
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    for result in log["runs"][0]["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_explains_its_rules() -> None:
    log = json.loads(render("sarif", everything()))
    (rule,) = [rule for rule in log["runs"][0]["tool"]["driver"]["rules"] if rule["id"] == "TFJ2104"]
    assert rule["shortDescription"] == {"text": "Two mounts of a role at one path."}
    assert "## Good" in rule["help"]["markdown"]
    assert rule["defaultConfiguration"] == {"level": "error"}


def test_sarif_tells_the_text_of_every_place() -> None:
    (first, *_) = json.loads(render("sarif", everything()))["runs"][0]["results"]
    assert first["locations"][0]["message"] == {"text": "again"}
    assert first["relatedLocations"][0]["message"] == {"text": "first"}
    assert first["relatedLocations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "lib/common.tfjob"}
    assert [change["artifactLocation"]["uri"] for change in first["fixes"][0]["artifactChanges"]] == [
        "%C3%A4%20b.tfjob",
        "lib/common.tfjob",
    ]


@pytest.mark.parametrize("found", [[], everything()], ids=["nothing", "everything"])
def test_junit_is_what_build_servers_take(found: list[Any]) -> None:
    suites = ElementTree.fromstring(render("junit", found, ("ä b.tfjob", "clean.tfjob")).encode())
    assert suites.tag == "testsuites"
    check_junit(suites)
    for suite in suites:
        assert suite.get("tests") == str(len(suite.findall("testcase")))
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_real_messages_fit_the_schemas(path: Path) -> None:
    bad = sections(path.read_text(encoding="utf-8")).get("Bad")
    shown = example(bad) if bad is not None else None
    if shown is None or shown.commands:
        return
    found = diagnostics(shown)
    jsonschema.validate(json.loads(render("sarif", found)), SARIF)
    check_junit(ElementTree.fromstring(render("junit", found).encode("utf-8", "backslashreplace")))
