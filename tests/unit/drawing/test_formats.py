"""What a picture is written as: well formed for any text, complete, and the same each time."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from tests.unit.drawing.jobs import pictures_of
from tests.unit.drawing.test_layout import pictures
from tfdsl.drawing.flowcharts import dot, mermaid
from tfdsl.drawing.svg import svg

if TYPE_CHECKING:
    from tfdsl.drawing.picture import Picture

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = """\
job mnist {
  image = "registry.example.com/mnist:1.4"
  env = { A = secret("hub", "t") }
  mount pvc "data" at "/<script>alert(1)<\\u{2f}script>/&amp;/\\"'`${"$"}{x} #35; %% \\u{1F600} ]]> --\\\\"
  role worker { replicas = 2, node_selector = { "example.com/a" = "b" } }
  on exit [1] => fail job
}
"""
_QUOTED = r'"(?:[^"\\\n]|\\.)*"'
DOT = re.compile(
    r"digraph tfdsl \{\n"
    r"(?: +(?:subgraph cluster_\d+ \{|\}"
    rf"|\w+(?: -> \w+)? \[(?:\w+=(?:{_QUOTED}|[\w.]+)(?:, )?)+\])\n)+"
    r"\}\n"
)
MERMAID = re.compile(
    r"flowchart TB\n"
    r'(?: +(?:subgraph \w+\["[^"\n]*"\]|end|classDef .*'
    r'|\w+(?:\[|\(\[|>|\[\()"[^"\n]*"(?:\]|\]\)|\)\]):::\w+'
    r'|\w+ (?:<-->|-\.->|---|==>|-\.-|-->)(?:\|"[^"\n]*"\|)? \w+)\n)+'
)
"""Lines as Mermaid's flowcharts have them. The real Mermaid is asked by the tests in VS Code."""


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(pictures())
def test_any_picture_is_well_formed(picture: Picture) -> None:
    root = ElementTree.fromstring(svg([picture]))
    boxes = [one for one in root.iter(f"{SVG}g") if one.get("class") in ("role", "store", "object")]
    assert len(boxes) == len(picture.boxes)
    assert DOT.fullmatch(dot([picture]))
    assert MERMAID.fullmatch(mermaid([picture]))


@pytest.mark.parametrize("target", [(), ("volcano",)])
def test_hostile_names_are_only_text(target: tuple[str, ...]) -> None:
    drawn = pictures_of(HOSTILE, *target)
    text = svg(drawn)
    root = ElementTree.fromstring(text)
    assert "<script" not in text
    assert {one.tag.removeprefix(SVG) for one in root.iter()} == {
        "svg", "title", "desc", "style", "rect", "g", "text", "path",
    }  # fmt: skip
    assert any("/<script>" in "".join(one.itertext()) for one in root.iter(f"{SVG}text"))
    assert "<script" not in mermaid(drawn)
    assert MERMAID.fullmatch(mermaid(drawn))
    assert DOT.fullmatch(dot(drawn))


def test_nothing_comes_from_elsewhere() -> None:
    text = svg(pictures_of(HOSTILE))
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"url\(|@import|xlink|href|on\w+=", text)


def test_svg_says_what_it_shows() -> None:
    root = ElementTree.fromstring(svg(pictures_of(HOSTILE)))
    assert root.get("role") == "img"
    assert root.get("aria-label") == "mnist"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == "mnist"
    assert desc is not None
    assert desc.text is not None
    assert desc.text.startswith("Job mnist: worker (2 replicas). Worker mounts existing claim data: /<script>")


def test_svg_is_for_light_and_dark_pages() -> None:
    style = ElementTree.fromstring(svg(pictures_of(HOSTILE))).find(f"{SVG}style")
    assert style is not None
    assert style.text is not None
    assert "@media(prefers-color-scheme:dark)" in style.text
    rules = re.findall(r"([^{}]+)\{", style.text.replace("@media(prefers-color-scheme:dark){", ""))
    assert [rule for rule in rules for one in rule.split(",") if not one.startswith(".tfdsl-graph ")] == []


def test_several_pictures_are_one_document() -> None:
    text = HOSTILE + HOSTILE.replace("job mnist", "job other").replace("replicas = 2", "replicas = 3")
    drawn = pictures_of(text)
    root = ElementTree.fromstring(svg(drawn))
    assert [one.get("data-graph") for one in root if one.tag == f"{SVG}g"] == ["0", "1"]
    assert DOT.fullmatch(dot(drawn))
    assert MERMAID.fullmatch(mermaid(drawn))
    names = re.findall(r'^ +(\w+)\S*"', mermaid(drawn), re.M)
    assert len(set(names)) == len(names)


def test_long_names_are_shortened_and_shown_whole_under_the_pointer() -> None:
    long = "/a" + "/very/long" * 30
    drawn = pictures_of(
        HOSTILE.replace('secret("hub", "t")', '"x"').replace("mount pvc", f'mount host "{long}" at "/h"\n  mount pvc')
    )
    text = svg(drawn)
    assert f"<title>{long}</title>" in text
    assert max(map(len, re.findall(r"<text[^>]*>(?:<title>.*?</title>)?([^<]*)", text))) < 100


def test_json_of_docs_has_no_nan() -> None:
    from tfdsl.drawing.graphs import as_json

    assert json.loads(as_json([], [])) == {"version": 1, "graphs": []}
