"""A secret that the command line gives is in no message, in no format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl.cli.report import internal_error
from tfdsl.compiling.masking import MASK, Hidden, hidden_in, hide, masked
from tfdsl.diagnostics import Rule
from tfdsl.diagnostics.render import FORMATS
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from pathlib import Path

VALUE = "Hunter'2\\secret!"
JOB = """\
param api_token: string { pattern = "[a-z]+" }
param tokens: list<string> = []
param n: int = 1
job a { image = "x:1", env = { API_TOKEN = api_token }, role worker { args = tokens } }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.tfjob").write_text(JOB)
    (tmp_path / "keys").write_text(f"{VALUE}\n")
    return tmp_path


def shows(text: str) -> bool:
    return "unter" in text or "secret!" in text


@pytest.mark.parametrize("form", FORMATS)
def test_check(folder: Path, form: str) -> None:
    ran = tfdsl("check", "a.tfjob", "--format", form, "--set", f"api_token={VALUE}", cwd=folder)
    assert ran.status == 1
    assert MASK in ran.out + ran.err
    assert not shows(ran.out + ran.err)
    if form == "json":
        json.loads(ran.out)


@pytest.mark.parametrize(
    "words",
    [
        (
            "check",
            "a.tfjob",
            "-t",
            "slider",
            "--set=api_token=a",
            f'-Oslider.config_files={{ "a.json" = {{ db_password = "{VALUE}${{n}}" }} }}',
        ),
        (
            "check",
            "a.tfjob",
            "-t",
            "slider",
            "--set=api_token=a",
            f'-Oslider.config_files={{ "a.txt" = {{ db_password = "{VALUE}" }} }}',
        ),
        ("check", "a.tfjob", "--bogus", f"--set=api_token={VALUE}"),
        ("check", "a.tfjob", "-t", "nowhere", f"--set=api_token={VALUE}"),
        ("compile", "a.tfjob", "-t", "volcano", "--set", f"api_token={VALUE}"),
        ("compile", "a.tfjob", "--set", f"api_token={VALUE}"),
        ("tfconfig", "a.tfjob", "-t", "volcano", "--set", f"api_token={VALUE}"),
        ("tfconfig", "a.tfjob", "--set", f"api_token={VALUE}"),
        ("check", "a.tfjob", "-t", "volcano", "-Ovolcano.token=" + VALUE, "--set=api_token=a"),
        ("check", "a.tfjob", "-t", "volcano", "--option=volcano.token=" + VALUE, "--set=api_token=a"),
        ("check", "a.tfjob", "--set=api_token=a", "--set", "n=ghp_" + "unter1A" * 6),
    ],
)
def test_other_commands(folder: Path, words: tuple[str, ...]) -> None:
    ran = tfdsl(*words, cwd=folder)
    assert ran.status in (1, 2)
    assert not shows(ran.out + ran.err)


def test_the_last_line_of_compile(folder: Path) -> None:
    ran = tfdsl("compile", "a.tfjob", "-t", "kubernetes", "-o", "out", "--set", "api_token=huntersecret", cwd=folder)
    assert (ran.status, shows(ran.err)) == (0, False), ran.err
    assert f"--set 'api_token={MASK}'" in ran.err or f"--set api_token={MASK}" in ran.err
    assert "huntersecret" in (folder / "out/a.yaml").read_text()


def test_a_file_of_values(folder: Path) -> None:
    ran = tfdsl("check", "a.tfjob", "--set", "api_token=a", "--set", "n=@keys", "--set", "api_tokens=@keys", cwd=folder)
    assert ran.status == 1
    assert not shows(ran.err)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_bug(form: Literal["text", "json"], capsys: pytest.CaptureFixture[str]) -> None:
    internal_error(ValueError(f"no {VALUE}"), ["check", "--set", f"api_token={VALUE}"], form)
    shown = capsys.readouterr()
    assert MASK in shown.out + shown.err
    assert not shows(shown.out + shown.err)


def test_what_is_no_secret_is_shown(folder: Path) -> None:
    assert "nine" in tfdsl("check", "a.tfjob", "--set", "api_token=a", "--set", "n=nine", cwd=folder).err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a short b", "a *** b"),
        ("shorts xshort", "shorts xshort"),
        ("longervalue!", "***!"),
        ("longerva…", "***…"),
        ("xlongervaluey", "x***y"),
    ],
)
def test_hide(text: str, shown: str) -> None:
    assert hide(text, Hidden(("longervalue", "short"))) == shown


def test_places_move_with_the_text() -> None:
    line = Source("<command line>", "tfdsl check --set token=longervalue --bogus")
    at = line.text.index("--bogus")
    rule = Rule("TFJ9999", "made-up", "error", "no")
    hidden = hidden_in(["--set", "token=longervalue"])
    (found,) = masked([rule(Span(line, at, at + 7)).note(Span(line, 18, 35), "this")], hidden)
    assert found.span.text == "--bogus"
    assert found.labels[0].span.text == "token=***"


@pytest.mark.parametrize(
    "line",
    [
        'api_token = "Hunter\'2\\\\secret!"',
        'api_token = "Hunter\'2\\\\secret!" + 1',
        'api_tokens = ["Hunter\'2\\\\secret!"]',
    ],
)
def test_a_file_of_params(folder: Path, line: str) -> None:
    (folder / "v.params").write_text(f"{line}\nn = \n")
    ran = tfdsl("check", "a.tfjob", "--params", "v.params", cwd=folder)
    assert ran.status == 1
    assert not shows(ran.out + ran.err), ran.err
