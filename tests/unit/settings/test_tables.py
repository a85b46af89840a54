from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl.settings.finding import settings_for

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_file_nothing_is_set(tmp_path: Path) -> None:
    found = settings_for(str(tmp_path / "job.tfjob"))
    assert found.levels == {}
    assert found.problems == ()


def test_levels_by_slug_and_by_code(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.tfdsl.lint]\nfloating-image-tag = "error"\nTFJ3001 = "off"\n'
    )
    found = settings_for(str(tmp_path / "jobs" / "deep" / "job.tfjob"))
    assert found.levels == {"floating-image-tag": "error", "unused-let": "off"}


def test_tfdsl_toml_wins_over_pyproject_in_one_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tfdsl.lint]\nunused-let = "off"\n')
    (tmp_path / "tfdsl.toml").write_text('[lint]\nunused-let = "error"\n')
    assert settings_for(str(tmp_path / "job.tfjob")).levels == {"unused-let": "error"}


def test_a_pyproject_of_another_tool_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text('[lint]\nunused-let = "info"\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[tool.black]\nline-length = 100\n")
    assert settings_for(str(inner / "job.tfjob")).levels == {"unused-let": "info"}


def test_an_unknown_rule_is_reported_at_its_key(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text('[lint]\nunused-lets = "off"\n')
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert problem.rule.slug == "bad-settings"
    assert problem.span.text == "unused-lets"
    assert problem.helps == ("did you mean unused-let?",)


def test_an_unknown_level_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text('[lint]\nunused-let = "fatal"\n')
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert problem.message == "the level of unused-let must be error, warning, info or off"


def test_broken_toml_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text("[lint\n")
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert problem.message.startswith("not TOML: ")


def test_the_levels_count_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text('[lint]\nfloating-image-tag = "error"\nunused-let = "off"\n')
    job = tmp_path / "job.tfjob"
    job.write_text('let unused = 1\njob mnist {\n  image = "mnist"\n  role worker { }\n}\n')
    for command in (["check", str(job)], ["compile", str(job), "-t", "tfjob"]):
        ran = tfdsl(*command, cwd=tmp_path.parent)
        assert ran.status == 1
        assert "error[TFJ3010] floating-image-tag" in ran.err
        assert "unused-let" not in ran.err


def test_a_wrong_setting_is_an_error_of_the_check(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text('[lint]\nunused-lets = "off"\n')
    (tmp_path / "job.tfjob").write_text('job mnist {\n  image = "mnist:1"\n  role worker { }\n}\n')
    ran = tfdsl("check", "job.tfjob", cwd=tmp_path)
    assert ran.status == 1
    assert "error[TFJ3904] bad-settings: there is no message unused-lets\n  --> tfdsl.toml:2:1" in ran.err


@pytest.mark.parametrize(
    ("name", "text", "place", "message", "advice"),
    [
        ("tfdsl.toml", "[lnt]\nunused-let = 'off'\n", "lnt", "there is no setting [lnt]", "did you mean [lint]?"),
        (
            "tfdsl.toml",
            "colour = true\n[lint]\n",
            "colour",
            "there is no setting colour",
            "the settings are targets, strict, gpus_per_node, [lint], [labels]",
        ),
        ("tfdsl.toml", "target = 'a'\n", "target", "there is no setting target", "did you mean targets?"),
        (
            "tfdsl.toml",
            "[tool.tfdsl.lint]\nunused-let = 'off'\n",
            "tool",
            "tfdsl.toml has no table [tool]",
            "write [lint]; [tool.tfdsl] is for pyproject.toml",
        ),
        (
            "tfdsl.toml",
            "unused-let = 'off'\n",
            "unused-let",
            "the level of unused-let is outside [lint]",
            "move it to [lint]",
        ),
        (
            "pyproject.toml",
            "[project]\nlints = 1\n[tool.tfdsl.lints]\nunused-let = 'off'\n",
            "lints",
            "there is no setting [tool.tfdsl.lints]",
            "did you mean [tool.tfdsl.lint]?",
        ),
        (
            "pyproject.toml",
            "[tool]\nblack.x = 1\ntfdsl = { lintt = { unused-let = 'off' } }\n",
            "lintt",
            "there is no setting [tool.tfdsl.lintt]",
            "did you mean [tool.tfdsl.lint]?",
        ),
        (
            "pyproject.toml",
            "[tool.x]\nunused-lets = 1\n[tool.tfdsl]\nlint.unused-lets = 'off'\n",
            "unused-lets",
            "there is no message unused-lets",
            "did you mean unused-let?",
        ),
    ],
)
def test_what_means_nothing_is_an_error_at_its_place(
    tmp_path: Path, name: str, text: str, place: str, message: str, advice: str
) -> None:
    (tmp_path / name).write_text(text)
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert (problem.level, problem.span.text, problem.message) == ("error", place, message)
    assert problem.helps == (advice,)
    if name == "pyproject.toml":
        home = text.index("[tool.tfdsl") if "[tool.tfdsl" in text else text.index("tfdsl =")
        assert problem.span.start > home


def test_tables_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text("lint = 'off'\n")
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert (problem.span.text, problem.message) == ("lint", "lint must be a table of rules and levels")
    (tmp_path / "tfdsl.toml").unlink()
    (tmp_path / "pyproject.toml").write_text("[tool]\ntfdsl = 1\n")
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert (problem.span.text, problem.message) == ("tfdsl", "tool.tfdsl must be a table")


def test_broken_toml_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text("[lint]\nunused-let = off\n")
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    words = "a value is a text in quotes, a number, true, false, or a list in brackets"
    assert problem.message == f"not TOML: {words}"
    assert problem.span.source.position(problem.span.start) == (2, 14)


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("strict = true\nstrict = false\n", "strict is set twice", (2, 1)),
        ("[labels]\na = 'x'\na = 'y'\n", "a is set twice", (3, 1)),
        ("[lint]\n[labels]\n[lint]\n", "lint is set twice", (3, 2)),
        ("strict: true\n", "expected = between a key and its value", (1, 7)),
        ("strict = true;\n", "expected the end of the line after the value", (1, 14)),
        ("[labels]\na = 'x\n", "a text has no closing quote", (2, 7)),
        ('[labels]\na = "x\n', "a text ends with its quote on the same line", (2, 7)),
        ("targets = ['volcano'\n", "a list has no closing ]", (1, 21)),
        ("// settings\n", "each line is KEY = VALUE, or [TABLE]", (1, 1)),
    ],
)
def test_broken_toml_is_told_in_words(tmp_path: Path, text: str, words: str, place: tuple[int, int]) -> None:
    (tmp_path / "tfdsl.toml").write_text(text)
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert problem.message == f"not TOML: {words}"
    assert problem.span.source.position(problem.span.start) == place


def test_a_file_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_bytes(b"[lint]\n# \xff\n")
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert problem.message.endswith("tfdsl.toml cannot be read: it is not UTF-8")


def test_a_rule_by_its_name_and_by_its_code(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text("[lint]\nunused-let = 'off'\nTFJ3001 = 'error'\n")
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert problem.span.text == "TFJ3001"


def test_a_pyproject_that_only_names_tfdsl_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text('[lint]\nunused-let = "info"\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text('[project]\ndependencies = ["tfdsl"]\n[tool.other]\nx = "tool.tfdsl"\n')
    assert settings_for(str(inner / "job.tfjob")).levels == {"unused-let": "info"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = " + "[" * 5000, "nested too deeply"),
        ("x = " + "9" * 5000, "not TOML"),
        ("x = 1e" + "9" * 5000 + "\n[lint]\n", "there is no setting x"),
        ("\x00", "not TOML"),
        ("#" * ((1 << 20) + 1), "larger than 1 MiB"),
    ],
    ids=["brackets", "digits", "exponent", "NUL", "size"],
)
def test_a_hostile_file_is_an_error_at_its_place(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "tfdsl.toml").write_text(text)
    problems = settings_for(str(tmp_path / "x.tfjob")).problems
    assert len(problems) == 1
    assert reason in problems[0].message


def test_a_device_or_a_pipe_is_an_error_and_no_wait(tmp_path: Path) -> None:
    for name in ("zero", "pipe"):
        folder = tmp_path / name
        folder.mkdir()
        if name == "zero":
            (folder / "tfdsl.toml").symlink_to("/dev/zero")
        else:
            os.mkfifo(folder / "tfdsl.toml")
        problems = settings_for(str(folder / "x.tfjob")).problems
        assert ("it is outside" if name == "zero" else "it is not a regular file") in problems[0].message


@pytest.mark.slow
def test_many_mistakes_are_not_told_without_end(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text("".join(f"key{number} = 1\n" for number in range(20_000)))
    assert len(settings_for(str(tmp_path / "x.tfjob")).problems) == 50
