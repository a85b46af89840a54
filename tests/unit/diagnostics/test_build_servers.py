"""No text of a stranger's reaches a build server as a command.

What such a command is: ``src/Runner.Common/ActionCommand.cs`` of github.com/actions/runner (``::`` behind the blanks at
the start of a line, ``##[`` anywhere in it), "Logging commands" of Azure Pipelines, "Service messages" of TeamCity.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from tests.unit.cli.shell import tfdsl
from tests.unit.diagnostics.texts import duplicate, place, source
from tfdsl.diagnostics import Edit, Rule
from tfdsl.diagnostics.render import FORMATS, render
from tfdsl.text import Span

if TYPE_CHECKING:
    from pathlib import Path

    from tfdsl.diagnostics.render import Format

COMMANDS = (
    "::stop-commands::x",
    " \t::add-mask::x",
    "\u00a0::add-mask::x",
    "##[add-mask]x",
    "##vso[task.setvariable variable=x]y",
    "##VSO[task.complete]",
    "##teamcity[buildStop]",
    "###[group]",
    "\u00ad::add-mask::x",
    ":\u200d:add-mask::x",
    " \ufe0f \ufeff:\u2060\u200b:add-mask::x",
    "#\u00ad#\u200c[add-mask]x",
    "##v\u200dso\u034f[task.complete]",
)
_ANYWHERE = re.compile(r"##(?:\[|vso\[|teamcity\[)", re.I)
_UNSEEN = re.compile("[\u00ad\u034f\u200b-\u200f\u2060-\u206f\ufe0f\ufeff]")
"""What .NET passes over when it compares texts; those of the texts above."""
_OURS = re.compile(r"::(?:error|warning|notice) file=[^:\n]*::[^\n]*")


def commands(form: str, text: str) -> list[str]:
    """The lines that a build server would act upon, without those that the format is made of."""
    lines = re.split(r"[\n\r]", _UNSEEN.sub("", text))
    acted = [line for line in lines if line.lstrip().startswith("::") or _ANYWHERE.search(line)]
    return [line for line in acted if form != "github" or not _OURS.fullmatch(line) or _ANYWHERE.search(line)]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_text_of_a_message(form: Any, command: str) -> None:
    text = f"{command}\n{command}\r\n{command}\u2028{command}"
    of, other = source(f"a {command}\n{command}\n", command), source(command + "\n", f"{command}.tfjob")
    rule = Rule("TFJ9999", "made-up", "error", "{text}")
    found = rule(place(of, "a"), text=text).help(text).note(Span(other, 0, 2), text).note(Span(of, 2, 5), text)
    found = found.marked(text).fix(text, Edit(place(of, "a"), text))
    shown = render(form, [found, duplicate(Span(of, 0, len(of.text)))], (of.path, other.path))
    assert commands(form, shown) == []
    if form in ("json", "sarif"):
        json.loads(shown)
    if form == "junit":
        ElementTree.fromstring(shown.encode())


def test_json_has_the_text_as_it_is() -> None:
    of = source("a\n", "##[group].tfjob")
    assert json.loads(render("json", [duplicate(place(of, "a"))]))["diagnostics"][0]["path"] == "##[group].tfjob"


def test_a_path_of_concise_is_still_one() -> None:
    of = source("a\n", "::add-mask::x.tfjob")
    assert render("concise", [duplicate(place(of, "a"))]).startswith("./::add-mask::x.tfjob:1:1: error[")


def test_junit_holds_nothing_that_a_terminal_acts_upon() -> None:
    of = source("a\n", "\u202e\x9b\x1bj.tfjob")
    shown = render("junit", [duplicate(place(of, "a")).help("\u2066\x90")], (of.path, "\u202e.tfjob"))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


def test_sarif_holds_no_link_of_the_users() -> None:
    of = source("a\n")
    found = Rule("TFJ9999", "made-up", "error", "[a](http://x.example) [b] (c)")(place(of, "a"))
    result = json.loads(render("sarif", [found]))["runs"][0]["results"][0]
    assert result["message"]["text"] == "\\[a](http://x.example) [b] (c)"


JOB = 'job "{name}" {{\n image = "x:1"\n role worker {{ command = """\n{text}\n""" }}\n}}\n'


@pytest.mark.parametrize("name", ["::stop-commands::x", "x\\n::add-mask::x", "##[add-mask]x", "##vso[task.complete]"])
@pytest.mark.parametrize(
    "words", [("check",), ("check", "--all-targets", "--format=concise"), ("compile", "-t", "tfjob")]
)
def test_a_job_of_a_stranger(tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    path = tmp_path / "::add-mask::y.tfjob"
    path.write_text(JOB.format(name=name, text=name))
    ran = tfdsl(words[0], path.name, *words[1:], cwd=tmp_path)
    assert ran.status == 1
    assert commands("text", ran.out + ran.err) == []


@pytest.mark.parametrize("words", [("fmt", "--check"), ("fmt",), ("check", "--fix")])
def test_a_path_of_a_stranger(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "a\n::add-mask::y.tfjob"
    path.write_text('job a{ image = "x:1", role worker { imag = "x:2" } }\n')
    ran = tfdsl(*words, path.name, cwd=tmp_path)
    assert commands("text", ran.out + ran.err) == []


ACTS = ("\u202e", "\u2066", "\u200f", "\x85", "\u2028", "\u2029", "\x9b", "\x7f", "\ud800")
"""What turns the direction of writing, ends a line for some readers, begins a terminal's command, or is no text."""


@pytest.mark.parametrize("form", FORMATS)
def test_no_character_acts_on_who_reads_the_output(form: Format) -> None:
    """JSON and SARIF escape them, so a program gets them as they are; the other formats show a sign."""
    text = "".join(ACTS)
    diagnostic = Rule("TFJ1201", "x", "error", "see {what}")(place(source(f"job a\n{text}\n"), "a"), what=text).help(
        text
    )
    shown = render(form, [diagnostic], ["mnist.tfjob"])
    assert not [char for char in ACTS if char in shown]
    if form in ("json", "sarif"):
        assert text in json.dumps(json.loads(shown), ensure_ascii=False)
