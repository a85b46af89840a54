from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.cli.shell import tfdsl
from tfdsl.lint.settings import settings_for

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
    assert problem.message == "the level of unused-let is error, warning, info or off"


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
    assert "error[TFJ3904] bad-settings: there is no lint rule unused-lets\n  --> tfdsl.toml:2:1" in ran.err
