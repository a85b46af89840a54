"""The formats that programs read."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.unit.diagnostics.texts import SLOW, TOLD, duplicate, place, source
from tfdsl.diagnostics import Edit
from tfdsl.diagnostics.diagnostic import in_file_order
from tfdsl.diagnostics.render import FORMATS, render
from tfdsl.text import Span

HOSTILE = 'x = "\x1b\ud800<&>\'%\u2028🎉"\n'


def read_json(found: list[Any], paths: tuple[str, ...] = ()) -> Any:
    return json.loads(render("json", found, paths))


def test_json_has_the_fields_of_the_reference() -> None:
    of = source("a\nbb = 1\n")
    span = place(of, "bb")
    found = duplicate(span).note(place(of, "a"), "first").help("advice")
    found = found.fix("rename", Edit(span, "cc"), safe=True)
    assert read_json([found]) == {
        "diagnostics": [
            {
                "code": "TFJ2104",
                "slug": "duplicate-mount-path",
                "level": "error",
                "message": "role worker has two mounts at /data",
                "path": "mnist.tfjob",
                "start": {"line": 2, "column": 1},
                "end": {"line": 2, "column": 3},
                "labels": [
                    {
                        "message": "first",
                        "path": "mnist.tfjob",
                        "start": {"line": 1, "column": 1},
                        "end": {"line": 1, "column": 2},
                    }
                ],
                "help": ["advice"],
                "fixes": [
                    {
                        "title": "rename",
                        "safe": True,
                        "edits": [{"start": {"line": 2, "column": 1}, "end": {"line": 2, "column": 3}, "text": "cc"}],
                    }
                ],
                "target": None,
            }
        ],
        "errors": 1,
        "warnings": 0,
        "infos": 0,
    }


def test_json_has_the_mark_as_the_first_label() -> None:
    of = source("a bb\n")
    found = duplicate(place(of, "bb")).note(place(of, "a"), "first").marked("again")
    labels = read_json([found])["diagnostics"][0]["labels"]
    assert [(label["message"], label["start"]["column"]) for label in labels] == [("again", 3), ("first", 1)]


def test_json_without_diagnostics() -> None:
    assert read_json([]) == {"diagnostics": [], "errors": 0, "warnings": 0, "infos": 0}


def test_columns_count_characters() -> None:
    of = source('"🎉🎉" x\n')
    assert read_json([SLOW(place(of, "x"))])["diagnostics"][0]["start"] == {"line": 1, "column": 6}


def test_concise_is_one_line_each() -> None:
    of = source("a b\n")
    assert render("concise", [SLOW(place(of, "b")), TOLD(place(of, "a"))]) == (
        "mnist.tfjob:1:3: warning[TFJ3001] slow: this is slow\nmnist.tfjob:1:1: info[VOL001] told: this is a default\n"
    )


def test_github_escapes_as_its_toolkit_does() -> None:
    of = source("ab\n", "a,b:c%.tfjob")
    shown = render("github", [SLOW(place(of, "ab")).help("50%\r\nmore")])
    assert shown == (
        "::warning file=a%2Cb%3Ac%25.tfjob,line=1,endLine=1,title=TFJ3001 slow,col=1,endColumn=2"
        "::this is slow%0Ahelp: 50%25%0Amore\n"
    )


def test_github_tells_the_other_places_in_words() -> None:
    of = source("a\nbb\n")
    shown = render("github", [SLOW(place(of, "bb")).note(place(of, "a"), "first here")])
    assert shown.endswith("::this is slow%0Afirst here: mnist.tfjob:1:1\n")


def test_github_levels() -> None:
    of = source("a\n")
    shown = render("github", [duplicate(place(of, "a")), TOLD(place(of, "a"))])
    assert [line.split(" ")[0] for line in shown.splitlines()] == ["::error", "::notice"]


def test_sarif_places_count_code_points() -> None:
    of = source('"🎉" x\n', "a b.tfjob")
    run = json.loads(render("sarif", [SLOW(place(of, "x")).fix("y", Edit(place(of, "x"), "y"))]))["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    result = run["results"][0]
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "a%20b.tfjob"
    assert physical["region"] == {"startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 6}
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "TFJ3001"
    change = result["fixes"][0]["artifactChanges"][0]
    assert change["replacements"][0]["insertedContent"] == {"text": "y"}


def test_junit_fails_on_errors_only_and_names_every_file() -> None:
    of = source("a b\n")
    shown = render("junit", [duplicate(place(of, "a")), SLOW(place(of, "b"))], ("mnist.tfjob", "clean.tfjob"))
    suites = {suite.get("name"): suite for suite in ElementTree.fromstring(shown.encode())}
    assert {name: (suite.get("tests"), suite.get("failures")) for name, suite in suites.items()} == {
        "mnist.tfjob": ("2", "1"),
        "clean.tfjob": ("1", "0"),
    }
    failure = suites["mnist.tfjob"][0][0]
    assert (failure.tag, failure.get("type")) == ("failure", "TFJ2104")
    assert "role worker has two mounts" in (failure.text or "")
    assert suites["mnist.tfjob"][1][0].tag == "system-out"


def test_gitlab_has_the_fields_of_a_code_quality_report() -> None:
    """docs.gitlab.com, "Code Quality report format": these are required, severities and paths are theirs."""
    of = source("a\nbb = 1\n", "./jobs/mnist.tfjob")
    found = [duplicate(place(of, "bb")).help("mount it once"), SLOW(place(of, "a")), TOLD(Span(of, 0, len(of.text)))]
    report = json.loads(render("gitlab", found))
    fingerprints = [entry.pop("fingerprint") for entry in report]
    assert len({*fingerprints}) == 3
    assert report == [
        {
            "description": "role worker has two mounts at /data; mount it once",
            "check_name": "TFJ2104 duplicate-mount-path",
            "severity": "major",
            "location": {"path": "jobs/mnist.tfjob", "lines": {"begin": 2, "end": 2}},
        },
        {
            "description": "this is slow",
            "check_name": "TFJ3001 slow",
            "severity": "minor",
            "location": {"path": "jobs/mnist.tfjob", "lines": {"begin": 1, "end": 1}},
        },
        {
            "description": "this is a default",
            "check_name": "VOL001 told",
            "severity": "info",
            "location": {"path": "jobs/mnist.tfjob", "lines": {"begin": 1, "end": 3}},
        },
    ]
    assert render("gitlab", []) == "[]\n"


def test_gitlab_knows_a_message_again_on_another_line_and_never_takes_two_for_one() -> None:
    before, after = source("x\nx\n"), source("# why\nx\nx\n")
    marks = [
        [
            entry["fingerprint"]
            for entry in json.loads(render("gitlab", [SLOW(place(of, "x")), SLOW(place(of, "x", 1))]))
        ]
        for of in (before, after)
    ]
    assert marks[0] == marks[1]
    assert len({*marks[0]}) == 2


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_texts_leave_every_document_whole(form: Any) -> None:
    of = source(HOSTILE, 'a"<&\n\ud800\udcff.tfjob')
    shown = render(form, [duplicate(Span(of, 0, len(of.text))).help(HOSTILE)], (of.path,))
    data = shown.encode("utf-8", "backslashreplace")  # as the command line writes it
    if form in ("json", "sarif", "gitlab"):
        json.loads(data)
    if form == "junit":
        ElementTree.fromstring(data)
    if form in ("concise", "github"):
        assert data.count(b"\n") == 1


def test_order_is_by_file_then_place_and_each_once() -> None:
    first, second = source("a b\n", "b.tfjob"), source("a b\n", "a.tfjob")
    found = [SLOW(place(second, "a")), SLOW(place(first, "b")), duplicate(place(first, "a")), SLOW(place(first, "b"))]
    ordered = in_file_order(found, ["b.tfjob", "a.tfjob"])
    assert [(one.span.source.path, one.span.start) for one in ordered] == [
        ("b.tfjob", 0),
        ("b.tfjob", 2),
        ("a.tfjob", 0),
    ]


def test_same_place_has_the_error_first() -> None:
    of = source("a\n")
    assert [one.level for one in in_file_order([SLOW(place(of, "a")), duplicate(place(of, "a"))])] == [
        "error",
        "warning",
    ]
