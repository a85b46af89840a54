"""``tfdsl new``: what it writes is something to start from, and it never changes a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import ROOT, tfdsl
from tfdsl import targets
from tfdsl.cli import new

if TYPE_CHECKING:
    from pathlib import Path

TARGETS = tuple(target.name for target in targets.built_in() if target.starter)
"""The targets that the job has a block for."""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    assert tfdsl("new", "train", cwd=tmp_path).status == 0
    return tmp_path / "train.tfjob"


@pytest.mark.parametrize("target", TARGETS)
def test_it_checks_without_a_warning_for_every_target_that_it_names(job: Path, target: str) -> None:
    assert f"target {target} " in job.read_text()
    ran = tfdsl("check", "train.tfjob", "-t", target, "--all-profiles", cwd=job.parent)
    assert ran.status == 0
    assert "warning[" not in ran.err


def test_it_is_in_the_one_layout(job: Path) -> None:
    ran = tfdsl("fmt", "--diff", "train.tfjob", cwd=job.parent)
    assert (ran.status, ran.out) == (0, "")


def test_what_it_has_commented_out_is_right_too(job: Path) -> None:
    lines = job.read_text().splitlines()
    hidden = [line for line in lines if line.startswith(("  # mount", "  # checkpoint"))]
    assert len(hidden) == 2
    text = "\n".join(line.replace("  # ", "  ") if line in hidden else line for line in lines)
    job.write_text(text + "\n")
    for target in TARGETS:
        ran = tfdsl("check", "train.tfjob", "-t", target, cwd=job.parent)
        assert ran.status == 0
        assert "warning[" not in ran.err


def test_its_commands_run(job: Path) -> None:
    commands = [line.split("   ")[1].split() for line in job.read_text().splitlines() if line.startswith("#   tfdsl")]
    assert len(commands) == 5
    for _, *words in commands:
        ran = tfdsl(*words, cwd=job.parent)
        assert ran.status == (1 if "--all-targets" in words and "error[" in ran.err else 0), ran.err


# --- examples --------------------------------------------------------------------------------------------------


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()
    }


def test_without_arguments_the_examples_are_listed(tmp_path: Path) -> None:
    ran = tfdsl("new", cwd=tmp_path)
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == list(new.NAMES)
    assert all(len(line.split()) > 4 and len(line) <= 120 for line in ran.out.splitlines())
    assert "tfdsl new --from EXAMPLE" in ran.err
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("name", new.NAMES)
def test_an_example_is_written_with_its_files(name: str, tmp_path: Path) -> None:
    ran = tfdsl("new", "--from", name, cwd=tmp_path)
    shipped = {path.name: path.read_text("utf-8") for path in (ROOT / "examples" / name).iterdir() if path.is_file()}
    assert tree(tmp_path) == {f"{name}/{file}": text for file, text in shipped.items()}
    assert ran.status == 0
    assert all(f"{name}/{file}" in ran.err for file in shipped)
    command = ran.err.rstrip().partition("try: tfdsl ")[2].split()
    assert tfdsl(*command, *([] if command[-1] in ("tfjob",) else ["-o", "out"]), cwd=tmp_path).status == 0


@pytest.mark.parametrize("name", new.NAMES)
def test_an_example_is_in_the_one_layout_and_its_job_has_its_name(name: str, tmp_path: Path) -> None:
    assert tfdsl("new", "--from", name, cwd=tmp_path).status == 0
    ran = tfdsl("fmt", "--diff", f"{name}/main.tfjob", cwd=tmp_path)
    assert (ran.status, ran.out) == (0, "")
    text = (tmp_path / name / "main.tfjob").read_text(encoding="utf-8")
    named = re.findall(r"^flow .*", text, re.M) or re.findall(r"^job .*", text, re.M)
    assert named in ([f"job {name} {{"], [f"flow {name} {{"])


@pytest.mark.parametrize("name", new.NAMES)
def test_an_example_has_no_error_for_its_targets_in_any_profile(name: str) -> None:
    folder = ROOT / "examples" / name
    wanted = new.wanted_targets((folder / "main.tfjob").read_text(encoding="utf-8"), targets.names())
    words = [word for target in wanted for word in ("-t", target)]
    ran = tfdsl("check", "main.tfjob", *words, "--all-profiles", cwd=folder)
    assert ran.status == 0, ran.err


@pytest.mark.parametrize("name", new.NAMES)
def test_the_commands_in_the_comment_of_an_example_run(name: str, tmp_path: Path) -> None:
    assert tfdsl("new", "--from", name, cwd=tmp_path).status == 0
    text = (tmp_path / name / "main.tfjob").read_text(encoding="utf-8")
    for line in re.findall(r"^#   tfdsl ([^#\n]*)", text, re.M):
        ran = tfdsl(*line.split(), cwd=tmp_path / name)
        assert ran.status == 0, ran.err


@pytest.mark.parametrize("name", new.NAMES)
def test_an_example_with_another_name(name: str, tmp_path: Path) -> None:
    """The folder and the job, or the flow, have it; nothing else is different."""
    assert tfdsl("new", "letters", "--from", name, cwd=tmp_path).status == 0
    texts = new.files(name)
    texts["main.tfjob"] = re.sub(rf"^(job|flow) {name} {{", r"\1 letters {", texts["main.tfjob"], flags=re.M)
    assert tree(tmp_path / "letters") == texts
    assert re.search(r"^(job|flow) letters {", texts["main.tfjob"], re.M)


def test_nothing_is_written_if_one_file_is_there(tmp_path: Path) -> None:
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist/train.py").write_text("mine")
    ran = tfdsl("new", "--from", "mnist", cwd=tmp_path)
    assert ran.status == 2
    assert "cannot write mnist/train.py: the file exists already" in ran.err
    assert tree(tmp_path) == {"mnist/train.py": "mine"}


def test_a_folder_with_other_files_is_fine(tmp_path: Path) -> None:
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist/README.md").write_text("mine")
    assert tfdsl("new", "--from", "mnist", cwd=tmp_path).status == 0
    assert set(tree(tmp_path)) == {"mnist/README.md", "mnist/main.tfjob", "mnist/train.py"}


def test_a_file_in_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mnist").write_text("mine")
    assert tfdsl("new", "--from", "mnist", cwd=tmp_path).status == 2
    assert tree(tmp_path) == {"mnist": "mine"}


@pytest.mark.parametrize("name", ["mnits", "MNIST", "../examples/mnist", "everything", "", "🎉", "${x}"])
def test_an_example_that_there_is_not(name: str, tmp_path: Path) -> None:
    ran = tfdsl("new", "--from", name, cwd=tmp_path)
    assert ran.status == 2
    assert "--from must be mnist" in ran.err
    assert "`tfdsl new` lists what each of them shows" in ran.err
    assert ("did you mean mnist?" in ran.err) == (name in ("mnits", "MNIST"))
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("name", ["Letters", "../up", "a b", "", "x" * 64, "/etc"])
def test_a_name_that_is_not_one_of_a_job(name: str, tmp_path: Path) -> None:
    for words in (("new", name), ("new", "--from", "mnist", name)):
        ran = tfdsl(*words, cwd=tmp_path)
        assert ran.status == 2
        assert "is not a job name" in ran.err
    assert tree(tmp_path) == {}


def test_a_file_that_a_job_writes_is_not_changed(tmp_path: Path) -> None:
    assert tfdsl("new", "train", cwd=tmp_path).status == 0
    before = tree(tmp_path)
    assert tfdsl("new", "train", cwd=tmp_path).status == 2
    assert tree(tmp_path) == before


# --- the table of targets --------------------------------------------------------------------------------------


def test_without_a_line_about_targets_an_example_is_for_all() -> None:
    assert new.wanted_targets("# A job.\njob a { }\n", ("x", "y")) == ("x", "y")
    assert new.wanted_targets("# A job.\n# Targets: y, z.\n\njob a { }\n", ("x", "y")) == ["y", "z"]
    assert new.wanted_targets("# A job.\n\n# Targets: y.\njob a { }\n", ("x", "y")) == ("x", "y")
