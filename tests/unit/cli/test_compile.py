"""Where output goes (language reference, "Command line")."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.unit.cli.shell import JOB, process, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

BUILD = JOB.replace("  role chief", '  build {\n    from = "tensorflow/tensorflow:2.17.0"\n  }\n  role chief')


def listing(folder: Path) -> list[str]:
    """Files below ``folder``."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_standard_output(folder: Path) -> None:
    ran = tfdsl("compile", "mnist.tfjob", "-t", "tfjob", cwd=folder)
    assert ran.status == 0
    assert yaml.safe_load(ran.out)["kind"] == "TFJob"
    assert listing(folder) == ["mnist.tfjob"]
    assert tfdsl("compile", "mnist.tfjob", "-t", "kubeflow", "-o", "-", cwd=folder).out == ran.out


@pytest.mark.parametrize("out", ["out", "out/", "a/b", "."])
def test_folder(folder: Path, out: str) -> None:
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", out, cwd=folder).status == 0
    assert (folder / out / "mnist.yaml").is_file()


def test_file(folder: Path) -> None:
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "x/job.yaml", cwd=folder).status == 0
    assert listing(folder) == ["mnist.tfjob", "x/job.yaml"]


def test_existing_file_without_ending_is_a_file(folder: Path) -> None:
    (folder / "manifest").write_text("old")
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "manifest", cwd=folder).status == 0
    assert yaml.safe_load((folder / "manifest").read_text())["kind"] == "TFJob"


def test_several_jobs_are_one_stream_or_one_file_each(folder: Path) -> None:
    (folder / "two.tfjob").write_text(JOB + JOB.replace("job mnist", "job cifar"))
    ran = tfdsl("compile", "two.tfjob", "-t", "tfjob", cwd=folder)
    names = [document["metadata"]["name"] for document in yaml.safe_load_all(ran.out)]
    assert names == ["mnist", "cifar"]
    assert tfdsl("compile", "two.tfjob", "-t", "tfjob", "-o", "out", cwd=folder).status == 0
    assert listing(folder / "out") == ["cifar.yaml", "mnist.yaml"]
    one = tfdsl("compile", "two.tfjob", "-t", "tfjob", "--job", "cifar", cwd=folder)
    assert yaml.safe_load(one.out)["metadata"]["name"] == "cifar"


def test_unknown_job_and_profile(folder: Path) -> None:
    ran = tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "--job", "mnits", "--profile", "prod", cwd=folder)
    assert ran.status == 1
    assert ran.out == ""
    assert "did you mean mnist?" in ran.err
    assert ran.err.count("unknown-profile") == 1


def test_dockerfile_only_into_a_folder(folder: Path) -> None:
    (folder / "b.tfjob").write_text(BUILD)
    ran = tfdsl("compile", "b.tfjob", "-t", "tfjob", cwd=folder)
    assert ran.status == 0
    assert "dockerfile-left-out" in ran.err
    assert "FROM tensorflow" not in ran.out
    assert "dockerfile-left-out" not in tfdsl("compile", "b.tfjob", "-t", "tfjob", "-o", "out", cwd=folder).err
    assert (folder / "out/mnist.Dockerfile").read_text().count("FROM tensorflow/tensorflow:2.17.0") == 1


def test_same_input_same_bytes(folder: Path) -> None:
    runs = {process("compile", "mnist.tfjob", "-t", "tfjob", cwd=folder, PYTHONHASHSEED=str(n)).out for n in (1, 2)}
    assert len(runs) == 1


NOTED = 'job one { image = "r/x:1", command = ["a"], priority = "high"\n role worker { replicas = 2 } }\n'
"""A job with one note on volcano."""


def test_notes_are_one_line_that_names_the_command(folder: Path) -> None:
    words = ("mnist.tfjob", "-t", "volcano@1.11", "-t", "kubernetes", "-O", "volcano.tf_config=static")
    ran = tfdsl("compile", *words, "-o", "out dir", cwd=folder)
    assert ran.status == 0
    assert "info[" not in ran.err
    *_, notes, wrote = ran.err.splitlines()
    number, command = notes.split(" notes, shown by: ")
    assert command == "tfdsl check mnist.tfjob -t volcano@1.11 -t kubernetes -O volcano.tf_config=static --notes"
    files = "out dir/volcano/mnist.yaml and out dir/kubernetes/mnist.yaml"
    submit = "tfdsl submit mnist.tfjob -t volcano@1.11 -O volcano.tf_config=static"
    create = "kubectl create -f 'out dir/volcano/mnist.yaml'"
    assert wrote == f"wrote {files}; next, for example: {submit}, or {create}"
    shown = tfdsl(*command.split()[1:], cwd=folder)
    assert shown.err.count("info[") == int(number)
    assert "info[" not in tfdsl("check", *words, cwd=folder).err
    document = json.loads(tfdsl("check", *words, "--format", "json", cwd=folder).out)
    assert document["infos"] >= int(number)  # each target's own


def test_the_line_of_notes_names_the_same_job(folder: Path) -> None:
    (folder / "two.tfjob").write_text(NOTED.replace("priority", "matrix { x = [1, 2] }, priority"))
    words = ("two.tfjob", "-t", "volcano", "--job", "one-1", "--name", "last", "--allow-read", ".")
    ran = tfdsl("compile", *words, cwd=folder)
    number, command = ran.err.splitlines()[-1].split(", shown by: ")
    assert command == "tfdsl check two.tfjob -t volcano --job one-1 --name last --allow-read . --notes"
    assert tfdsl(*command.split()[1:], cwd=folder).err.count("info[") == int(number.split()[0]) == 1


def test_notes_are_never_beside_errors(folder: Path) -> None:
    (folder / "one.tfjob").write_text(NOTED.replace('priority = "high"', ""))
    assert tfdsl("compile", "one.tfjob", "-t", "volcano", cwd=folder).err == ""
    (folder / "one.tfjob").write_text(NOTED)
    ran = tfdsl("compile", "one.tfjob", "-t", "volcano", cwd=folder)
    assert ran.err == "1 note, shown by: tfdsl check one.tfjob -t volcano --notes\n"
    assert tfdsl("compile", "one.tfjob", "-t", "volcano", "-q", cwd=folder).err == ""
    (folder / "a b.tfjob").write_text(NOTED.replace("priority", "suspend = true, priority"))
    for words in (("compile",), ("check",), ("check", "--notes")):
        ran = tfdsl(*words, "a b.tfjob", "-t", "volcano", cwd=folder)
        assert ran.status == 1
        assert ran.err.endswith("\n1 error\n")
        assert "info[" not in ran.err


@pytest.mark.parametrize(
    ("words", "wrote"),
    [
        (
            "mnist.tfjob -t volcano -o out",
            "wrote out/mnist.yaml; next: tfdsl submit mnist.tfjob -t volcano, or kubectl create -f out/mnist.yaml",
        ),
        (
            "mnist.tfjob -t volcano -o 'o ut.yaml' --name 'm-2' --allow-read .",
            "wrote o ut.yaml; next: tfdsl submit mnist.tfjob -t volcano --name m-2 --allow-read ., "
            "or kubectl create -f 'o ut.yaml'",
        ),
        (
            "mnist.tfjob -t slurm -o .",
            "wrote 3 files; next: tfdsl submit mnist.tfjob -t slurm, or ./mnist/submit.sh",
        ),
        (
            "mnist.tfjob -t volcano@1.9,slurm -O slurm.account=a -O volcano.tf_config=static -o out",
            "wrote 4 files; next, for example: tfdsl submit mnist.tfjob -t volcano@1.9 -O volcano.tf_config=static, "
            "or kubectl create -f out/volcano/mnist.yaml",
        ),
        (
            "two.tfjob -t slurm -o out",
            "wrote 6 files; next, for example: tfdsl submit two.tfjob -t slurm --job one-0, or out/one-0/submit.sh",
        ),
        (
            "two.tfjob -t tfjob -o out",
            "wrote out/one-0.yaml and out/one-1.yaml; next, for example: tfdsl submit two.tfjob -t tfjob, "
            "or kubectl create -f out/one-0.yaml",
        ),
        ("mnist.tfjob -t slider -o out", "wrote 19 files; next: out/mnist/submit.sh"),
        (
            "flow.tfjob -t yarn -o out",
            "wrote 3 files; next: tfdsl submit flow.tfjob -t yarn, or out/night/flow.sh",
        ),
        (
            "flow.tfjob -t slurm -o out",
            "wrote 4 files; next: tfdsl submit flow.tfjob -t slurm, or out/night/flow.sh",
        ),
        (
            "nights.tfjob -t slurm -o out",
            "wrote 4 files; next: tfdsl submit nights.tfjob -t slurm, or out/night/flow.sh, "
            "or for its schedule the lines of out/night/flow.sh --schedule",
        ),
        (
            "nights.tfjob -t tfjob -o out",
            "wrote out/night.yaml; next: tfdsl submit nights.tfjob -t tfjob, or kubectl create -f out/night.yaml",
        ),
        ("- -t volcano -o out", "wrote out/mnist.yaml; next: kubectl create -f out/mnist.yaml"),
        (
            "mnist.tfjob -t volcano -o out --source-map",
            "wrote out/mnist.yaml; next: tfdsl submit mnist.tfjob -t volcano, or kubectl create -f out/mnist.yaml",
        ),
        ("mnist.tfjob -t volcano -o -", ""),
        ("mnist.tfjob -t volcano -o out -q", ""),
        ("mnist.tfjob -t volcano -o out --format json", ""),
    ],
)
def test_what_was_written_and_what_comes_next_are_one_line(folder: Path, words: str, wrote: str) -> None:
    one = 'job one { image = "x:1", matrix { x = [1, 2] }, command = ["a"], role worker { } }\n'
    (folder / "two.tfjob").write_text(one)
    (folder / "flow.tfjob").write_text(one.replace("matrix { x = [1, 2] }, ", "") + "flow night { run one }\n")
    nights = (folder / "flow.tfjob").read_text().replace("{ run one", '{ schedule = "@daily", run one')
    (folder / "nights.tfjob").write_text(nights)
    ran = tfdsl("compile", *shlex.split(words), cwd=folder, stdin=(folder / "mnist.tfjob").read_bytes())
    assert ran.status == 0, ran.err
    lines = [line for line in ran.err.splitlines() if line.startswith("wrote")]
    assert lines == ([wrote] if wrote else [])


def test_error_writes_nothing_and_keeps_the_old_file(folder: Path) -> None:
    (folder / "bad.tfjob").write_text(JOB.replace("cpu = 4", "cpu = -4"))
    (folder / "job.yaml").write_text("old")
    ran = tfdsl("compile", "bad.tfjob", "-t", "tfjob", "-o", "job.yaml", cwd=folder)
    assert (ran.status, ran.out) == (1, "")
    assert (folder / "job.yaml").read_text() == "old"


def test_input_is_not_overwritten(folder: Path) -> None:
    before = (folder / "mnist.tfjob").read_text()
    ran = tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "mnist.tfjob", cwd=folder)
    assert ran.status == 2
    assert "it is an input" in ran.err
    assert (folder / "mnist.tfjob").read_text() == before


@pytest.mark.parametrize("name", ["common.tfjob", "a.env", "train.sh", "v.params", "list"])
def test_no_file_that_was_read_is_overwritten(folder: Path, name: str) -> None:
    files = {
        "common.tfjob": "let one = 1\nparam xs: list<string> = []\nparam n: int = 1\n",
        "a.env": "A=1\n",
        "train.sh": "exec train\n",
        "v.params": "n = 2\n",
        "list": "x\n",
    }
    for path, text in files.items():
        (folder / path).write_text(text)
    job = 'job a { image = "x:1", command = file("train.sh"), env = env_file("a.env"), role worker { replicas = n } }'
    (folder / "job.tfjob").write_text(f'include "common.tfjob"\nlet used = one\n{job}\n')
    words = ("--params", "v.params", "--set", "xs=@list", "-o", name)
    ran = tfdsl("compile", "job.tfjob", "-t", "kubernetes", *words, cwd=folder)
    assert "it is an input" in ran.err
    assert (ran.status, (folder / name).read_text()) == (2, files[name])


def test_output_that_cannot_be_written(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out/mnist.yaml").mkdir()
    ran = tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "out", cwd=folder)
    assert ran.status == 2
    assert "it is a folder; nothing was written" in ran.err
    assert os.listdir(folder / "out") == ["mnist.yaml"]


def test_source_map_leads_back(folder: Path) -> None:
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "out", "--source-map", cwd=folder).status == 0
    text = (folder / "out/mnist.yaml").read_text().splitlines()
    mapped = json.loads((folder / "out/mnist.yaml.map").read_text())
    places = {entry[0]: entry[2:] for entry in mapped["lines"]}
    image = next(number for number, line in enumerate(text, 1) if "image: registry" in line)
    assert mapped["sources"] == ["mnist.tfjob"]
    assert places[image] == [2, 13]


ENTRIES = """job mnist {
  image = "registry.example.com/mnist:1.4"
  labels = {
    "app.example.com/team" = "vision"
  }
  role worker {
    args = ["--steps=5",
            "--fast"]
    env = {
      FIRST = "1"
      SECOND = secret("keys", "token")
    }
    resources = { "rdma/hca" = 1,
                  "example.com/fpga" = 2 }
    node_selector = {
      pool = "gpu"
    }
    annotations = {
      "example.com/note" = "x"
    }
  }
}
"""


@pytest.mark.parametrize("target", ["tfjob", "volcano", "kubernetes"])
def test_every_entry_of_a_map_or_list_leads_back_to_its_own_line(folder: Path, target: str) -> None:
    (folder / "entries.tfjob").write_text(ENTRIES)
    assert tfdsl("compile", "entries.tfjob", "-t", target, "-o", "out", "--source-map", cwd=folder).status == 0
    written = (folder / "out/mnist.yaml").read_text().splitlines()
    mapped = json.loads((folder / "out/mnist.yaml.map").read_text())
    places: dict[int, int] = {entry[0]: entry[2] for entry in mapped["lines"]}
    source = ENTRIES.splitlines()
    for text in ("app.example.com/team", "--fast", "FIRST", "SECOND", "example.com/fpga", "pool", "example.com/note"):
        lines = [number for number, line in enumerate(written, 1) if text in line]
        assert lines, text
        assert {source[places[number] - 1].count(text) for number in lines} == {1}, text


def test_params_from_outside(folder: Path) -> None:
    (folder / "p.tfjob").write_text(
        'param n: int = 2\nparam tag: string = "a"\n' + JOB.replace("= 2,", "= n,").replace("1.4", "${tag}")
    )
    ran = tfdsl("compile", "p.tfjob", "-t", "tfjob", "--set", "n=2*3", "--set", "tag=2-3", cwd=folder)
    spec = yaml.safe_load(ran.out)["spec"]["tfReplicaSpecs"]["Worker"]
    assert spec["replicas"] == 6
    assert spec["template"]["spec"]["containers"][0]["image"] == "registry.example.com/mnist:2-3"


def test_strict_makes_approximations_errors(folder: Path) -> None:
    (folder / "t.tfjob").write_text(
        JOB.replace("  role chief", '  role tensorboard { logdir = "/logs" }\n  role chief')
    )
    loose = tfdsl("compile", "t.tfjob", "-t", "tfjob", cwd=folder)
    strict = tfdsl("compile", "t.tfjob", "-t", "tfjob", "--strict", cwd=folder)
    assert (loose.status, "warning[" in loose.err) == (0, True)
    assert (strict.status, strict.out, "error[" in strict.err) == (1, "", True)
    (folder / "t.tfjob").write_text(
        (folder / "t.tfjob")
        .read_text()
        .replace('"/logs" }', '"/logs" } # tfdsl: allow[tfjob-tensorboard-outlives] we remove it')
    )
    assert tfdsl("compile", "t.tfjob", "-t", "tfjob", "--strict", cwd=folder).status == 0


@pytest.mark.parametrize("place", ["out-1.9", "build.d", "o/volcano@1.15", "out/", ".hidden", "x.yaml/"])
def test_what_does_not_end_like_a_file_is_a_folder(folder: Path, place: str) -> None:
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", place, cwd=folder).status == 0
    assert (folder / place / "mnist.yaml").is_file()


def test_an_empty_path_is_no_folder(folder: Path) -> None:
    before = sorted(folder.iterdir())
    ran = tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "", cwd=folder)
    assert ran.status == 2
    assert "-o has an empty path" in ran.err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "said", "advice"),
    [
        (("-t", "tfjob", "-t", "volcano", "-o", "all.yaml"), "all.yaml names a file", "write -o all"),
        (("-t", "tfjob", "-o", "x.json"), "tfjob is written as YAML", "write -o x.yaml"),
        (("-t", "yarn", "-o", "d/job.tar.gz"), "yarn has several files and needs a folder", "write -o d/job"),
        (("-t", "yarn", "-o", "mnist.tfjob"), "mnist.tfjob is a file", "write -o mnist"),
    ],
)
def test_no_folder_gets_the_name_of_a_file(folder: Path, words: tuple[str, ...], said: str, advice: str) -> None:
    ran = tfdsl("compile", "mnist.tfjob", *words, cwd=folder)
    assert ran.status == 2
    assert said in ran.err
    assert f"help: {advice}\n" in ran.err
    assert listing(folder) == ["mnist.tfjob"]


def test_a_folder_that_is_there_may_be_called_like_a_file(folder: Path) -> None:
    (folder / "all.yaml").mkdir()
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-t", "volcano", "-o", "all.yaml", cwd=folder).status == 0
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "new.json/", cwd=folder).status == 0
    found = ["all.yaml/tfjob/mnist.yaml", "all.yaml/volcano/mnist.yaml", "mnist.tfjob", "new.json/mnist.yaml"]
    assert listing(folder) == found


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/fd/2"])
def test_a_pipe_by_its_name(folder: Path, name: str) -> None:
    ran = process("compile", "mnist.tfjob", "-t", "tfjob", "-o", name, cwd=folder)
    assert ran.status == 0, ran.err
    assert "kind: TFJob\n" in (ran.err if name.endswith("2") else ran.out)


def test_what_cannot_be_written_is_no_error_of_the_input(folder: Path) -> None:
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "/dev/full", cwd=folder).status == 2
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "mnist.tfjob", cwd=folder).status == 2
    assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "/proc/none", cwd=folder).status == 2
    (folder / "train.tfjob").touch()
    assert tfdsl("new", "train", cwd=folder).status == 2


@pytest.mark.slow
def test_a_list_from_a_file_is_bounded(folder: Path) -> None:
    job = 'param xs: list<int>\njob a {\n  image = "r/x:1"\n  role worker { replicas = len(xs) / 500 }\n}\n'
    (folder / "list.tfjob").write_text(job)
    (folder / "xs").write_text("7\n" * 1_000)
    ran = tfdsl("compile", "list.tfjob", "-t", "tfjob", "--set", "xs=@xs", cwd=folder)
    assert ran.status == 0, ran.err
    (folder / "xs").write_text("7\n" * 100_001)
    ran = tfdsl("compile", "list.tfjob", "-t", "tfjob", "--set", "xs=@xs", cwd=folder)
    assert ran.status == 1
    assert "a list can have at most 100,000 elements" in ran.err
    (folder / "xs").write_text("7\n8 +\n")
    ran = tfdsl("compile", "list.tfjob", "-t", "tfjob", "--set", "xs=@xs", cwd=folder)
    assert "--> xs:2:" in ran.err
