"""``tfdsl where``: from a line to the lines that it made, and back."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.shell import Ran, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

COMMON = """\
let registry = "registry.example.com/ml"
param workers: int = 4
profile big { workers = 9 }
template small {
  cpu = 1
  memory = 2Gi
}
template unused { cpu = 9 }
"""
MAIN = """\
edition 1
include "common.tfjob"
let common = { A = "a", B = registry }
let idle = 1
param token: string = "x"
# A comment.
job m {
  image = "${registry}/m:1"
  command = \"\"\"
    echo first
    exec python t.py "${token}"
    \"\"\"
  env = common + { C = "c" }
  cpu = 8
  role chief { use small }
  role worker {
    use small
    replicas = workers
    unset env["A"]
    gpu = 1 when workers > 8
  }
  target tfjob {
    cleanup = "none"
  }
  target volcano { }
}
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "common.tfjob").write_text(COMMON)
    (tmp_path / "main.tfjob").write_text(MAIN)
    return tmp_path


def line_of(text: str, part: str) -> int:
    """The line of ``text`` that has ``part``."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def asked(folder: Path, place: str, *options: str) -> dict[str, Any]:
    ran = tfdsl("where", place, "--format", "json", *options, cwd=folder)
    assert ran.status in (0, 1), ran.err
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


def forward(folder: Path, part: str, *options: str, file: str = "main.tfjob") -> dict[str, Any]:
    """What the line with ``part`` made for volcano."""
    text = MAIN if file == "main.tfjob" else COMMON
    more = () if file == "main.tfjob" else ("--source", "main.tfjob")
    answer = asked(folder, f"{file}:{line_of(text, part)}", "-t", "volcano", *more, *options)
    (target,) = answer["targets"]
    found: dict[str, Any] = target
    return found


def texts(target: dict[str, Any]) -> list[str]:
    return [line["text"].strip() for line in target["lines"]]


def test_an_attribute_made_the_lines_of_all_roles(job: Path) -> None:
    found = forward(job, "image =")
    assert texts(found) == ["image: registry.example.com/ml/m:1"] * 2
    manifest = tfdsl("compile", "main.tfjob", "-t", "volcano", cwd=job).out.splitlines()
    for line in found["lines"]:
        assert (line["path"], line["how"], line["by"]) == ("m.yaml", "made", None)
        assert manifest[line["line"] - 1] == line["text"]


def test_a_let_leads_to_what_uses_it_through_the_line_that_does(job: Path) -> None:
    found = forward(job, "let registry", file="common.tfjob")
    assert set(texts(found)) == {
        "image: registry.example.com/ml/m:1",
        "- name: B",
        "value: registry.example.com/ml",
    }
    ways = {(line["by"]["path"], line["by"]["line"]) for line in found["lines"] if line["by"] is not None}
    assert ("main.tfjob", line_of(MAIN, "image =")) in ways


def test_a_map_of_a_let_leads_to_its_own_entries_only(job: Path) -> None:
    found = forward(job, "let common")
    assert set(texts(found)) == {"- name: A", "value: a", "- name: B", "value: registry.example.com/ml"}


def test_the_whole_of_a_map_is_made_by_the_line_that_joins_it(job: Path) -> None:
    assert {"value: a", "value: c", "value: registry.example.com/ml"} <= set(texts(forward(job, "env = common")))


def test_a_line_of_a_text_block_made_the_same_line(job: Path) -> None:
    assert texts(forward(job, "echo first")) == ["echo first"] * 2
    assert texts(forward(job, "exec python")) == ['exec python t.py "x"'] * 2


def test_a_param_has_its_value_from_the_profile_that_is_chosen(job: Path) -> None:
    assert texts(forward(job, "param workers", file="common.tfjob")) == ["replicas: 4"]
    assert forward(job, "profile big", file="common.tfjob")["reason"] == "profile big is not chosen (--profile big)"
    found = forward(job, "profile big", "--profile", "big", file="common.tfjob")
    assert "replicas: 9" in texts(found)
    assert "nvidia.com/gpu: 1" in texts(found)  # by its condition
    hidden = forward(job, "param workers", "--profile", "big", file="common.tfjob")
    assert hidden["reason"] == f"the value of workers is from common.tfjob:{line_of(COMMON, 'profile')}"
    given = forward(job, "param workers", "--set", "workers=2", file="common.tfjob")
    assert given["reason"] == "the value of workers is given from outside the file"


def test_an_include_leads_to_what_the_file_made(job: Path) -> None:
    assert texts(forward(job, "include")) == ['cpu: "1"', "memory: 2Gi"] * 4


def test_templates_and_what_uses_them(job: Path) -> None:
    of_template = texts(forward(job, "template small", file="common.tfjob"))
    assert of_template == ['cpu: "1"', "memory: 2Gi"] * 4  # of two roles what they ask for, and as much as their limit
    assert texts(forward(job, "cpu = 1", file="common.tfjob")) == ['cpu: "1"'] * 4
    used = forward(job, "    use small")
    assert texts(used) == ['cpu: "1"', "memory: 2Gi"] * 2
    assert {line["by"]["path"] for line in used["lines"]} == {"common.tfjob"}


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("edition", "it says how the file is read"),
        ("# A comment.", "it is a comment"),
        ("let idle", "nothing uses idle"),
        ("    unset", "it only takes away: without it there are 2 more lines"),
        ("gpu = 1", "its condition is false: when workers > 8"),
        ("cleanup", "it is in the block of another target, tfjob"),
    ],
)
def test_why_a_line_made_nothing(job: Path, part: str, reason: str) -> None:
    found = forward(job, part)
    assert (found["lines"], found["reason"]) == ([], reason)


def test_a_default_that_every_role_replaces(job: Path) -> None:
    line = line_of(COMMON, "cpu = 1")
    assert forward(job, "cpu = 8")["reason"] == f"it is replaced in common.tfjob:{line}"
    assert forward(job, "template unused", file="common.tfjob")["reason"] == "no job uses template unused"


def test_a_brace_says_what_it_ends_and_nothing_twice(job: Path) -> None:
    last = len(MAIN.splitlines())
    ran = tfdsl("where", f"main.tfjob:{last}", cwd=job)
    assert ran == Ran(1, f"main.tfjob:{last}: }}\n\n# nothing, it ends job m (line {line_of(MAIN, 'job m')})\n", "")


def test_without_a_target_those_with_a_block_are_asked(job: Path) -> None:
    answer = asked(job, f"main.tfjob:{line_of(MAIN, 'cleanup')}")
    assert [target["target"] for target in answer["targets"]] == ["tfjob", "volcano"]
    assert [line["text"].strip() for line in answer["targets"][0]["lines"]] == ["cleanPodPolicy: None"]


def test_without_any_block_every_target_that_takes_the_job_is_asked(folder: Path) -> None:
    answer = asked(folder, "mnist.tfjob:3")
    assert {"tfjob", "volcano", "kubernetes"} <= {target["target"] for target in answer["targets"]}


def test_an_option_decides_lines_that_no_value_is_in(job: Path) -> None:
    text = MAIN.replace("target volcano { }", 'target volcano { tf_config = "static" }')
    (job / "main.tfjob").write_text(text)
    ran = tfdsl("where", f"main.tfjob:{line_of(text, 'static')}", "-t", "volcano", "--format", "json", cwd=job)
    (target,) = json.loads(ran.out)["targets"]
    assert {line["how"] for line in target["lines"]} == {"decided"}
    assert any("TF_CONFIG" in line["text"] or "cluster" in line["text"] for line in target["lines"])


def test_a_column_asks_about_one_of_the_statements_of_a_line(job: Path) -> None:
    text = MAIN.replace("role chief { use small }", "role chief { cpu = 3, memory = 5Gi }")
    (job / "main.tfjob").write_text(text)
    line = line_of(text, "role chief")
    column = text.splitlines()[line - 1].index("memory") + 1
    (target,) = asked(job, f"main.tfjob:{line}:{column}", "-t", "volcano")["targets"]
    assert {one["text"].strip() for one in target["lines"]} == {"memory: 5Gi"}


def test_scripts_have_places_too(job: Path) -> None:
    (job / "y.tfjob").write_text('job y {\n  image = "i:1"\n  command = ["python", "t.py"]\n  role worker { }\n}\n')
    (target,) = asked(job, "y.tfjob:3", "-t", "yarn")["targets"]
    assert [(line["path"], "t.py" in line["text"]) for line in target["lines"]] == [("y/job.sh", True)]
    assert tfdsl("compile", "y.tfjob", "-t", "yarn", "-o", "out", "--source-map", cwd=job).status == 0
    back = asked(job, f"out/y/job.sh:{target['lines'][0]['line']}")
    assert back["source"] == {"path": "y.tfjob", "line": 3, "text": '  command = ["python", "t.py"]'}


def test_output_names_are_those_of_the_place_that_is_named(job: Path) -> None:
    line = f"main.tfjob:{line_of(MAIN, 'image =')}"
    (target,) = asked(job, line, "-t", "volcano", "-o", "out")["targets"]
    assert {one["path"] for one in target["lines"]} == {os.path.join("out", "m.yaml")}
    first, second = asked(job, line, "-t", "volcano", "-t", "tfjob", "-o", "out")["targets"]
    assert first["lines"][0]["path"] == os.path.join("out", "volcano", "m.yaml")
    assert second["lines"][0]["path"] == os.path.join("out", "tfjob", "m.yaml")
    (target,) = asked(job, line, "-t", "volcano", "-o", "all.yaml")["targets"]
    assert {one["path"] for one in target["lines"]} == {"all.yaml"}


def test_an_output_that_is_no_longer_what_is_compiled_is_told(job: Path) -> None:
    assert tfdsl("compile", "main.tfjob", "-t", "volcano", "-o", "out", cwd=job).status == 0
    line = f"main.tfjob:{line_of(MAIN, 'image =')}"
    assert tfdsl("where", line, "-t", "volcano", "-o", "out", cwd=job).err == ""
    ran = tfdsl("where", line, "-t", "volcano", "-o", "out", "--set", "workers=7", cwd=job)
    assert "warning[TFJ4604] where-stale: out/m.yaml has changed" in ran.err


# --- back ------------------------------------------------------------------------------------------------------


@pytest.fixture
def output(job: Path) -> list[str]:
    """``out/m.yaml`` with its map; its lines."""
    assert tfdsl("compile", "main.tfjob", "-t", "volcano", "-o", "out", "--source-map", cwd=job).status == 0
    return (job / "out" / "m.yaml").read_text().splitlines()


def number(lines: list[str], part: str) -> int:
    return next(at for at, line in enumerate(lines, 1) if part in line)


def test_back_by_the_map(job: Path, output: list[str]) -> None:
    answer = asked(job, f"out/m.yaml:{number(output, 'image:')}")
    assert answer["source"] == {
        "path": "main.tfjob",
        "line": line_of(MAIN, "image ="),
        "text": '  image = "${registry}/m:1"',
    }
    assert [(one["path"], one["line"]) for one in answer["uses"]] == [("common.tfjob", 1)]


def test_back_by_compiling(job: Path, output: list[str]) -> None:
    (job / "out" / "m.yaml.map").unlink()
    place = f"out/m.yaml:{number(output, 'exec python')}"
    assert asked(job, place)["source"]["line"] == line_of(MAIN, "exec python")  # its header names the source
    answer = asked(job, place, "--source", "main.tfjob", "-t", "volcano")
    assert answer["source"]["line"] == line_of(MAIN, "exec python")
    assert (answer["target"], answer["uses"][0]["line"]) == ("volcano", line_of(MAIN, "param token"))


def test_back_finds_the_target_by_the_text(job: Path, output: list[str]) -> None:
    answer = asked(job, f"out/m.yaml:{number(output, 'replicas: 4')}", "--source", "main.tfjob")
    assert (answer["target"], answer["source"]["text"]) == ("volcano", "    replicas = workers")


def test_several_jobs_in_one_file_and_one_of_them(job: Path) -> None:
    two = 'job one {\n  image = "a:1"\n  role worker { }\n}\njob two {\n  image = "b:1"\n  role worker { }\n}\n'
    (job / "two.tfjob").write_text(two)
    assert tfdsl("compile", "two.tfjob", "-t", "volcano", "-o", "all.yaml", "--source-map", cwd=job).status == 0
    lines = (job / "all.yaml").read_text().splitlines()
    place = f"all.yaml:{number(lines, 'image: b:1')}"
    assert asked(job, place)["source"]["line"] == 6
    assert asked(job, place, "--source", "two.tfjob", "-t", "volcano")["source"]["line"] == 6
    (target,) = asked(job, "two.tfjob:6", "-t", "volcano", "--job", "one")["targets"]
    assert target["reason"] == "job two is not compiled here"


def test_an_edited_output_is_compared_line_by_line(job: Path, output: list[str]) -> None:
    (job / "out" / "m.yaml").write_text("\n".join(["# by hand", *output]) + "\n")
    place = f"out/m.yaml:{number(output, 'replicas: 4') + 1}"
    ran = tfdsl("where", place, "--source", "main.tfjob", cwd=job)
    assert (ran.status, "replicas = workers" in ran.out) == (0, True)
    assert "where-stale" in ran.err
    ran = tfdsl("where", "out/m.yaml:1", "--source", "main.tfjob", cwd=job)
    assert (ran.status, ran.out.splitlines()[-1]) == (1, "# tfdsl does not write this line")


def test_a_map_older_than_the_files_is_told(job: Path, output: list[str]) -> None:
    later = os.stat(job / "out" / "m.yaml.map").st_mtime + 60
    os.utime(job / "out" / "m.yaml", (later, later))
    place = f"out/m.yaml:{number(output, 'image:')}"
    assert "out/m.yaml has changed since out/m.yaml.map was written" in tfdsl("where", place, cwd=job).err
    os.utime(job / "main.tfjob", (later, later))
    assert "main.tfjob has changed since out/m.yaml.map was written" in tfdsl("where", place, cwd=job).err


def test_a_line_that_is_the_same_for_every_job(job: Path, output: list[str]) -> None:
    ran = tfdsl("where", f"out/m.yaml:{number(output, 'apiVersion')}", cwd=job)
    assert (ran.status, ran.err) == (1, "")
    assert "it comes from no line of the source" in ran.out


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"version": 2}', '{"version": true, "sources": [], "lines": []}', "[" * 100_000]
    + [f'{{"version": 1, "sources": ["a"], "lines": [{row}]}}' for row in ("[1, 1, 1, 1]", "[0, 0, 1, 1]", "5", "[]")]
    + [f'{{"version": 1, "sources": ["a"], "lines": [{row}]}}' for row in ('["1", 0, 1, 1]', "[1, -1, 1, 1]")],
)
def test_a_broken_map(job: Path, output: list[str], text: str) -> None:
    assert output
    (job / "out" / "m.yaml.map").write_text(text)
    ran = tfdsl("where", "out/m.yaml:3", cwd=job)
    assert (ran.status, "[TFJ4603] where-bad-map" in ran.err) == (2, True)
    assert "write the map again" in ran.err


def test_a_map_of_sources_that_are_gone(job: Path, output: list[str]) -> None:
    (job / "main.tfjob").unlink()
    ran = tfdsl("where", f"out/m.yaml:{number(output, 'image:')}", cwd=job)
    assert (ran.status, ran.out.splitlines()[-1]) == (0, f"main.tfjob:{line_of(MAIN, 'image =')}")


# --- trouble ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["main.tfjob", "main.tfjob:", "main.tfjob:x", "main.tfjob:0", ":3", "main.tfjob:-1"])
def test_what_is_no_place(job: Path, place: str) -> None:
    ran = tfdsl("where", place, cwd=job)
    assert (ran.status, "where needs FILE:LINE" in ran.err) == (2, True)


def test_files_and_lines_that_are_not_there(job: Path) -> None:
    assert "[TFJ0905]" in tfdsl("where", "none.tfjob:1", cwd=job).err
    assert "main.tfjob has no line 999999999" in tfdsl("where", "main.tfjob:999999999", cwd=job).err
    assert tfdsl("where", "main.tfjob:999999999", cwd=job).status == 2


def test_a_file_that_is_no_output(job: Path) -> None:
    (job / "notes.txt").write_text("hello\n")
    ran = tfdsl("where", "notes.txt:1", "--source", "main.tfjob", cwd=job)
    assert (ran.status, "notes.txt is not an output of main.tfjob" in ran.err) == (2, True)


def test_a_job_that_does_not_compile(job: Path) -> None:
    (job / "main.tfjob").write_text(MAIN.replace("cpu = 8", "cpu = wrong"))
    ran = tfdsl("where", "main.tfjob:8", cwd=job)
    assert (ran.status, "unknown-name" in ran.err) == (2, True)


def test_a_job_as_json(job: Path) -> None:
    (job / "j.json").write_text(
        '{\n "name": "j",\n "roles": [\n  {\n   "name": "worker",\n   "image": "a:1"\n  }\n ]\n}\n'
    )
    (target,) = asked(job, "j.json:6", "-t", "volcano")["targets"]
    assert texts(target) == ["image: a:1"]


def test_secrets_are_masked(job: Path) -> None:
    token = "verysecretthing"
    line = line_of(MAIN, "exec python")
    for form in ("text", "json"):
        options = ("-t", "volcano", "--set", f"token={token}", "--format", form)
        ran = tfdsl("where", f"main.tfjob:{line}", *options, cwd=job)
        assert (ran.status, token in ran.out, "***" in ran.out) == (0, False, True)


def test_an_output_is_found_with_the_line_ends_of_windows(tmp_path: Path) -> None:
    (tmp_path / "n.tfjob").write_text('job n {\n  image = "r/x:1"\n  role worker { replicas = 2 }\n}\n')
    assert tfdsl("compile", "n.tfjob", "-t", "kubernetes", "-o", "out", cwd=tmp_path).status == 0
    written = tmp_path / "out/n.yaml"
    lines = written.read_text().splitlines()
    image = next(number for number, line in enumerate(lines, 1) if "r/x:1" in line)
    written.write_bytes(written.read_bytes().replace(b"\n", b"\r\n"))
    ran = tfdsl("where", f"out/n.yaml:{image}", cwd=tmp_path)
    assert (ran.status, ran.err) == (0, "")
    assert 'n.tfjob:2:   image = "r/x:1"' in ran.out
