"""SARIF and JUnit as other programs read them: against a schema, and against what build servers accept."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.unit.cli.shell import tfdsl
from tests.unit.diagnostics.pages import ROOT, diagnostics, example, sections
from tests.unit.diagnostics.texts import SLOW, TOLD, duplicate, place, source
from tfdsl import targets
from tfdsl.diagnostics import Edit, Rule
from tfdsl.diagnostics.registry import FOLDER
from tfdsl.diagnostics.render import render
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.diagnostics.diagnostic import Level

SARIF = json.loads((ROOT / "tests" / "data" / "sarif-2.1.0-subset.json").read_text(encoding="utf-8"))
LEVELS: tuple[Level, ...] = ("error", "warning", "info")
SARIF_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
OF_TARGETS = """\
job a {
  image   = "r/x:1"
  command = "python train.py \\\\ \\n --steps=5"
  queue   = "q"
  mount hdfs "hdfs://ns/x" at "/x"
  role worker { replicas = 2, gpu = 1 }
  on failed  => restart container
  on evicted => restart job
}
"""
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
    assert rule["shortDescription"] == {"text": "A role with two mounts at the same path."}
    assert "## Good" in rule["help"]["markdown"]
    assert rule["defaultConfiguration"] == {"level": "error"}


def test_sarif_describes_a_rule_with_variants_by_the_most_severe_at_hand() -> None:
    of = source("x\n")
    variants = [Rule("VOL999", "volcano-x", level, "volcano: x") for level in LEVELS]
    for order in permutations(variants):
        run = json.loads(render("sarif", [rule(place(of, "x")) for rule in order]))["runs"][0]
        (described,) = run["tool"]["driver"]["rules"]
        assert described["defaultConfiguration"] == {"level": "error"}
        assert [result["level"] for result in run["results"]] == [SARIF_LEVELS[rule.level] for rule in order]


def test_sarif_of_a_check_explains_rules_of_targets_and_of_lint(tmp_path: Path) -> None:
    (tmp_path / "a.tfjob").write_text(OF_TARGETS, encoding="utf-8")
    done = tfdsl("check", "a.tfjob", "--all-targets", "--format", "sarif", cwd=tmp_path)
    log = json.loads(done.out)
    jsonschema.validate(log, SARIF)
    described = {rule["id"]: rule for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    assert {code[:3] for code in described} == {"TFJ", *(backend.prefix for backend in targets.built_in())}
    for code, rule in described.items():
        assert rule["help"]["text"].startswith(rule["shortDescription"]["text"]), code
        assert rule["shortDescription"]["text"].endswith("."), code
    queue = described["KTF050"]
    assert queue["defaultConfiguration"] == {"level": "warning"}
    assert "gang_scheduler" in queue["help"]["text"]
    assert "markdown" not in queue["help"]
    who_completes = described["KTF111"]["shortDescription"]["text"]
    assert who_completes.startswith("tfjob: The job completes when all workers have")
    assert "## Good" in next(rule for code, rule in described.items() if code[:4] == "TFJ3")["help"]["markdown"]


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
