"""Reading a file or a text: what raises, what is a message, and which files are read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import tfdsl
from tests.skips import not_as_root

if TYPE_CHECKING:
    from pathlib import Path

JOB = 'job j { image = "i", role worker { command = ["x"] } }\n'


def slugs(program: tfdsl.Program) -> list[str]:
    return [one.slug for one in program.diagnostics if one.level == "error"]


def test_a_path_is_a_str_or_a_path(tmp_path: Path) -> None:
    file = tmp_path / "a.tfjob"
    file.write_text(JOB)
    assert tfdsl.load(file).ok
    assert tfdsl.load(str(file)).path == str(file)


def test_a_missing_file_raises_what_open_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        tfdsl.load(tmp_path / "a.tfjob")
    assert missing.value.filename == str(tmp_path / "a.tfjob")
    with pytest.raises(IsADirectoryError):
        tfdsl.load(tmp_path)


@not_as_root
def test_a_file_that_may_not_be_read_raises_what_open_raises(tmp_path: Path) -> None:
    (tmp_path / "a.tfjob").touch(mode=0)
    with pytest.raises(PermissionError):
        tfdsl.load(tmp_path / "a.tfjob")


def test_a_text_in_the_place_of_a_path_is_explained() -> None:
    with pytest.raises(FileNotFoundError) as wrong:
        tfdsl.load(JOB)
    assert wrong.value.__notes__ == ["To compile a text instead of a file, write text=..."]


def test_a_dash_is_a_file_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError):
        tfdsl.load("-")


@pytest.mark.timeout(20)
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(tfdsl.UsageError, match="not a regular file"):
        tfdsl.load(tmp_path / "pipe")


def test_what_is_not_text_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "a.tfjob").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(tfdsl.UsageError, match="UTF-16"):
        tfdsl.load(tmp_path / "a.tfjob")


def test_a_path_or_a_text() -> None:
    with pytest.raises(TypeError, match="not both"):
        tfdsl.load("a.tfjob", text=JOB)
    with pytest.raises(TypeError, match="path or text"):
        tfdsl.load()
    with pytest.raises(TypeError, match="base= belongs to text="):
        tfdsl.load("a.tfjob", base=".")


def test_what_the_text_says_never_raises() -> None:
    program = tfdsl.load(text="job { role")
    assert not program.ok
    assert program.diagnostics[0].span.path == "<text>"
    with pytest.raises(tfdsl.CompileError):
        program.jobs("volcano")


def test_a_text_includes_from_its_base_only(tmp_path: Path) -> None:
    (tmp_path / "shared.tfjob").write_text("let n = 2\n")
    text = f'include "shared.tfjob"\n{JOB}'
    assert slugs(tfdsl.load(text=text)) == ["include-without-folder"]
    assert tfdsl.load(text=text, base=tmp_path).ok
    (tmp_path / "below").mkdir()
    above = 'include "../shared.tfjob"\n' + JOB
    assert slugs(tfdsl.load(text=above, base=tmp_path / "below")) == ["include-missing"]
    (tmp_path / "tfdsl.toml").touch()  # the root of the project, as on the command line
    assert tfdsl.load(text=above, base=tmp_path / "below").ok


def test_levels_of_lint_rules_are_those_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "a.tfjob").write_text(JOB)
    (tmp_path / "tfdsl.toml").write_text('[lint]\nfloating-image-tag = "error"\n')
    given = {one.slug: one.level for one in tfdsl.load(tmp_path / "a.tfjob").diagnostics}
    assert given == {"floating-image-tag": "error"}
    based = {one.slug: one.level for one in tfdsl.load(text=JOB, base=tmp_path).diagnostics}
    assert based == given


def test_a_text_without_a_base_belongs_to_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that a program happens to run in decides nothing."""
    (tmp_path / "tfdsl.toml").write_text('[lint]\nfloating-image-tag = "error"\n')
    monkeypatch.chdir(tmp_path)
    assert tfdsl.load(text=JOB).ok


def test_params_over_profile_over_defaults() -> None:
    text = 'param n: int = 1\nprofile big { n = 5 }\njob j { image = "i", role worker { replicas = n } }'

    def replicas(program: tfdsl.Program) -> int:
        return program.jobs("volcano")[0].roles[0].replicas

    assert replicas(tfdsl.load(text=text)) == 1
    assert replicas(tfdsl.load(text=text, profile="big")) == 5
    assert replicas(tfdsl.load(text=text, profile="big", params={"n": 7})) == 7


def test_names_that_the_text_does_not_have_are_messages() -> None:
    assert slugs(tfdsl.load(text=JOB, params={"wokers": 1})) == ["unknown-param"]
    assert slugs(tfdsl.load(text=JOB, profile="big")) == ["unknown-profile"]


def test_a_waiver_holds() -> None:
    waived = JOB.replace("job j", "# tfdsl: allow[floating-image-tag] the build sets it\njob j")
    assert [one.slug for one in tfdsl.load(text=JOB).diagnostics] == ["floating-image-tag"]
    assert tfdsl.load(text=waived).diagnostics == ()


def test_the_environment_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'job j { image = "i:1", role worker { command = ["x"] } }'
    plain = tfdsl.compile(text=text, target="volcano").text
    for name in ("HOME", "USER", "LANG", "LC_ALL", "TZ", "TFDSL_DEBUG"):
        monkeypatch.setenv(name, "tr_TR.UTF-8")
    assert tfdsl.compile(text=text, target="volcano").text == plain


def test_a_file_of_values(tmp_path: Path) -> None:
    (tmp_path / "job.tfjob").write_text(
        'param n: int = 1\nprofile big { n = 9 }\njob a { image = "x:1", role worker { replicas = n } }\n'
    )
    (tmp_path / "v.params").write_text("n = 3\n")
    job = tmp_path / "job.tfjob"

    def replicas(program: tfdsl.Program) -> int:
        return program.jobs("volcano")[0].roles[0].replicas

    assert replicas(tfdsl.load(job, profile="big", params_file=tmp_path / "v.params")) == 3
    assert replicas(tfdsl.load(job, params={"n": 7}, params_file=tmp_path / "v.params")) == 7
    (tmp_path / "v.params").write_text("m = 3\n")
    (error,) = tfdsl.check(job, params_file=tmp_path / "v.params")
    assert (error.slug, error.span.path) == ("unknown-param", str(tmp_path / "v.params"))
    with pytest.raises(FileNotFoundError):
        tfdsl.load(job, params_file=tmp_path / "none")
    with pytest.raises(TypeError, match="params_file="):
        tfdsl.compile(tfdsl.load(job), "volcano", params_file=tmp_path / "v.params")
