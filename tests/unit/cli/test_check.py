"""``tfdsl check`` with all targets, all profiles, and waivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl import targets
from tfdsl.diagnostics.render import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

HEAD = 'job mnist {\n  image = "registry.example.com/mnist:1.4"\n  command = ["python", "train.py"]\n'


def checked(folder: Path, text: str, *options: str) -> list[str]:
    """``LEVEL slug`` of everything that is told."""
    (folder / "job.tfjob").write_text(text)
    ran = tfdsl("check", "job.tfjob", "--format", "concise", *options, cwd=folder)
    words = [line.split(": ", 2) for line in ran.err.splitlines()]
    return [f"{level.partition('[')[0]} {level.partition('] ')[2]}" for _, level, _ in words]


def test_all_targets_tells_what_each_refuses(tmp_path: Path) -> None:
    text = f"{HEAD}  memory = 4Gi\n  role worker {{ replicas = 2, on failed => restart role }}\n}}\n"
    alone = {name: set(checked(tmp_path, text, "-t", name)) for name in targets.names()}
    together = checked(tmp_path, text, "--all-targets")
    assert set(together) == set().union(*alone.values())
    assert {"error", "warning"} <= {one.partition(" ")[0] for one in together}  # the example has something to tell


def test_a_message_of_the_language_is_told_once_for_all_targets(tmp_path: Path) -> None:
    text = 'job mnist {\n  image = "mnist"\n  role worker { }\n}\n'
    assert checked(tmp_path, text, "--all-targets").count("warning floating-image-tag") == 1


def test_all_profiles_finds_what_one_profile_breaks(tmp_path: Path) -> None:
    text = (
        "param servers: int = 1\nprofile none { servers = 0 }\nprofile two { servers = 2 }\n"
        f"{HEAD}  role worker {{ replicas = 4 / servers }}\n}}\n"
    )
    assert checked(tmp_path, text) == []
    assert checked(tmp_path, text, "--profile", "two") == []
    assert checked(tmp_path, text, "--all-profiles") == ["error division-by-zero"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_message_that_only_some_profiles_have_names_them(tmp_path: Path, form: str) -> None:
    text = "param n: int = 1\nparam m: int = 0\nprofile none { n = 0 }\nprofile zero { n = 0 }\nprofile two { m = 2 }\n"
    roles = "role ps { replicas = 4 / n }, role worker { replicas = m }, retries = 1 / 0"
    (tmp_path / "job.tfjob").write_text(f"{text}{HEAD}  {roles}\n}}\n")
    ran = tfdsl("check", "job.tfjob", "--all-profiles", "--format", form, cwd=tmp_path)
    told = ran.out + ran.err
    assert told.count("division by zero (with profiles none and zero)") >= 1, told
    assert "division by zero (without a profile" not in told
    assert "(without a profile and with profiles none and zero)" in told  # no worker
    assert "division by zero" in told.replace("division by zero (", "")  # of retries, in all of them


def test_all_profiles_and_all_targets_together(tmp_path: Path) -> None:
    text = (
        'param label: string = ""\nprofile gpu { label = "a100" }\n'
        f'{HEAD}  role worker {{ node_label = label != "" ? label : "cpu" }}\n}}\n'
    )
    told = checked(tmp_path, text, "--all-targets", "--all-profiles")
    assert sum("volcano" in one for one in told) >= 1


def test_they_exclude_what_they_include(tmp_path: Path) -> None:
    (tmp_path / "job.tfjob").write_text(f"{HEAD}  role worker {{ }}\n}}\n")
    for words in (("--all-targets", "-t", "yarn"), ("--all-profiles", "--profile", "x")):
        ran = tfdsl("check", "job.tfjob", *words, cwd=tmp_path)
        assert ran.status == 2
        assert "cannot be used with" in ran.err


def test_a_waiver_for_a_profile_is_not_stale_when_all_are_checked(tmp_path: Path) -> None:
    text = (
        'param tag: string = ":1"\nprofile dev { tag = "" }\njob mnist {\n'
        '  image = "mnist${tag}"   # tfdsl: allow[floating-image-tag] only in dev\n  role worker { }\n}\n'
    )
    assert checked(tmp_path, text) == ["warning stale-waiver"]
    assert checked(tmp_path, text, "--all-profiles") == []


def test_an_unknown_waiver_is_told_what_was_meant(tmp_path: Path) -> None:
    text = f"{HEAD}  role worker {{ }}   # tfdsl: allow[floating-imge-tag] why\n}}\n"
    (tmp_path / "job.tfjob").write_text(text)
    ran = tfdsl("check", "job.tfjob", cwd=tmp_path)
    assert "= help: did you mean floating-image-tag?" in ran.err
    assert ran.status == 0


@pytest.mark.parametrize(
    ("inside", "main"), [("jobs", "main.tfjob"), (".", "jobs/main.tfjob"), ("lib", "../jobs/main.tfjob")]
)
def test_a_file_reached_twice_is_one_file_from_every_folder(folder: Path, inside: str, main: str) -> None:
    (folder / "jobs").mkdir()
    (folder / "lib").mkdir()
    (folder / "tfdsl.toml").touch()  # the root: both folders may be read
    (folder / "jobs/common.tfjob").write_text('let image = "x:1"\n')
    (folder / "lib/x.tfjob").write_text('include "../jobs/common.tfjob"\n')
    (folder / "linked").symlink_to("jobs")
    text = 'include "../lib/x.tfjob"\ninclude "common.tfjob"\ninclude "../linked/common.tfjob"\n'
    (folder / "jobs/main.tfjob").write_text(f"{text}job a {{ image = image, role worker {{ }} }}\n")
    ran = tfdsl("check", main, cwd=folder / inside)
    assert (ran.status, ran.err) == (0, "")


def test_what_is_said_of_an_image_of_the_job_names_no_single_role(tmp_path: Path) -> None:
    (tmp_path / "n.tfjob").write_text('job n {\n  image = "r/x:1"\n  role ps { }\n  role worker { }\n}\n')
    ran = tfdsl("check", "n.tfjob", "--all-targets", cwd=tmp_path)
    (line,) = (line for line in ran.err.splitlines() if "SLM030" in line)
    assert "role" not in line


def test_a_manifest_is_one_whatever_its_first_key(tmp_path: Path) -> None:
    for head in ("apiVersion: batch/v1\nkind: Job\n", "kind: Job\napiVersion: batch/v1\n"):
        (tmp_path / "k.yaml").write_text(f"{head}metadata:\n  name: x\nspec:\n  template: {{}}\n")
        ran = tfdsl("check", "k.yaml", cwd=tmp_path)
        assert "kubernetes-manifest" in ran.err.splitlines()[0]
        assert ran.err.endswith("\n1 error\n")
