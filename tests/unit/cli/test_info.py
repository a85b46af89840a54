"""``tfdsl info`` and ``tfdsl.info``: what a file takes and makes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import tfdsl as api
from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from pathlib import Path

COMMON = 'param registry: string = "registry.example.com" { pattern = "[a-z.]+" }\n'
TEXT = """\
include "common.tfjob"

param workers: int = 4 { description = "training replicas", min = 1, max = 64 }
param dataset: string
param memory: quantity = 4Gi { min = 1Gi }
param limit: duration = 90m { max = 12h }
param rate: number = 1e-3 { one_of = [1e-3, 0.1] }
param flags: list<string> = ["a b", "c"]
param labels: map<int> = { one = workers }

profile large { workers = 8 * 2, flags = ["${registry}"], labels = { one = workers } }
profile small { workers = 1 }

job mnist {
  image = "${registry}/mnist:1.4"
  role chief  { args = [dataset] }
  role worker { replicas = workers }
  role ps when workers > 10 { replicas = 2 }
  target kubeflow { role worker { replicas = 99 } }
  target volcano  { }
}
job "${dataset}-sweep" {
  image = "${registry}/mnist:1.4"
  matrix { lr = [0.1, 0.2, 0.3], size = [workers, 1] }
  role worker { replicas = matrix.size }
}
job never when workers > 10 { image = "x:1", role worker { } }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.tfjob").write_text(TEXT)
    (tmp_path / "common.tfjob").write_text(COMMON)
    return tmp_path


def data(folder: Path, *words: str) -> dict[str, Any]:
    """The document of the command."""
    ran = tfdsl("info", "main.tfjob", "--format", "json", *words, cwd=folder)
    assert (ran.status, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def params(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in found["params"]}


def test_for_people(folder: Path) -> None:
    ran = tfdsl("info", "main.tfjob", cwd=folder)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (
        "param     type          default               allowed            description\n"
        "registry  string        registry.example.com  matches [a-z.]+\n"
        "workers   int           4                     1 to 64            training replicas\n"
        "dataset   string        (required)\n"
        "memory    quantity      4Gi                   at least 1Gi\n"
        "limit     duration      90m                   at most 12h\n"
        "rate      number        0.001                 one of 0.001, 0.1\n"
        'flags     list<string>  ["a b", "c"]\n'
        'labels    map<int>      { "one" = 4 }\n'
        "\n"
        "profile  sets\n"
        'large    workers = 16, flags = ["registry.example.com"], labels = { "one" = 16 }\n'
        "small    workers = 1\n"
        "\n"
        "job                        roles              target blocks\n"
        "mnist                      chief 1, worker 4  tfjob, volcano\n"
        "${dataset}-sweep (6 jobs)  worker 1 or 4\n"
        "\n"
        "include\n"
        "common.tfjob\n"
    )


def test_params_as_data(folder: Path) -> None:
    found = data(folder)
    assert (found["version"], found["path"], found["includes"]) == (1, "main.tfjob", ["common.tfjob"])
    assert params(found)["workers"] == {
        "name": "workers",
        "type": "int",
        "required": False,
        "default": 4,
        "value": 4,
        "description": "training replicas",
        "min": 1,
        "max": 64,
        "one_of": None,
        "pattern": None,
        "path": "main.tfjob",
        "line": 3,
    }
    required = params(found)["dataset"]
    assert (required["required"], required["default"], required["value"]) == (True, None, None)
    registry = params(found)["registry"]
    assert (registry["pattern"], registry["path"], registry["line"]) == ("[a-z.]+", "common.tfjob", 1)
    values = {name: one["value"] for name, one in params(found).items()}
    assert values["memory"] == "4Gi"
    assert values["limit"] == "90m"
    assert values["rate"] == 0.001
    assert values["flags"] == ["a b", "c"]
    assert values["labels"] == {"one": 4}
    assert params(found)["rate"]["one_of"] == [0.001, 0.1]


def test_jobs_and_profiles_as_data(folder: Path) -> None:
    found = data(folder, "--job", "mnist")
    assert found["jobs"] == [
        {
            "name": "mnist",
            "block": "mnist",
            "index": None,
            "roles": [{"name": "chief", "replicas": 1}, {"name": "worker", "replicas": 4}],
            "targets": ["tfjob", "volcano"],
            "path": "main.tfjob",
            "line": 14,
        }
    ]
    large, small = found["profiles"]
    assert large["values"] == {"workers": 16, "flags": ["registry.example.com"], "labels": {"one": 16}}
    assert (small["name"], small["line"]) == ("small", 12)


def test_what_the_command_line_sets(folder: Path) -> None:
    found = data(folder, "--profile", "large", "--set", "dataset=cifar")
    values = {name: (one["default"], one["value"]) for name, one in params(found).items()}
    assert (values["workers"], values["dataset"]) == ((4, 16), (None, "cifar"))
    assert values["labels"] == ({"one": 4}, {"one": 16})
    assert [job["name"] for job in found["jobs"]][-2:] == ["cifar-sweep-5", "never"]
    ran = tfdsl("info", "main.tfjob", "--profile", "small", "--set", "dataset=x", cwd=folder)
    assert "param     type          default               value" in ran.out


def test_names_that_depend_on_a_param_without_a_value(folder: Path) -> None:
    jobs = data(folder)["jobs"]
    assert [(job["name"], job["block"]) for job in jobs[1:3]] == [(None, "${dataset}-sweep")] * 2
    assert [job["index"] for job in jobs] == [None, 0, 1, 2, 3, 4, 5]
    assert [job["roles"][0]["replicas"] for job in jobs[1:3]] == [4, 1]


def test_jobs_of_a_matrix_with_the_same_roles_share_a_row(tmp_path: Path) -> None:
    text = 'job digits { image = "x:1"\n matrix { lr = [1, 2, 3] }\n role worker { } }'
    ran = tfdsl("info", "-", cwd=tmp_path, stdin=text.encode())
    assert ran.out == "job                           roles\ndigits-0 … digits-2 (3 jobs)  worker 1\n"


def test_a_secret_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "main.tfjob").write_text("param api_token: string\nlet x = api_token\nparam copy: list<string> = [x]\n")
    for form in ("text", "json"):
        ran = tfdsl("info", "main.tfjob", "--format", form, "--set", "api_token=s3cretvalue", cwd=tmp_path)
        assert ran.status == 0
        assert "s3cret" not in ran.out
        assert ran.out.count("***") == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("job {", "error[TFJ0"),
        ('include "gone.tfjob"', "gone.tfjob"),
        ("param a: int = x", "TFJ1"),
        ("param a: int = 3 { max = 2 }", "TFJ2021"),
        ("param a: int = b\nparam b: int = a", "cycle"),
        ("param a: int\nparam a: int", "declared again"),
        ("profile p { nothing = 1 }", "nothing"),
        ("edition 9", "edition"),
        ("param a: list<int> = " + "[" * 200 + "]" * 200, "error[TFJ0"),
        ("\0", "error[TFJ0"),
        ('job "A B" { image = "x:1", role worker { } }', "A B"),
    ],
)
def test_errors(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "main.tfjob").write_text(text)
    for form in ("text", "json"):
        ran = tfdsl("info", "main.tfjob", "--format", form, cwd=tmp_path)
        assert (ran.status, ran.out) == (1, "")
        assert told in ran.err


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("gone.tfjob",), 2, "there is no such file"),
        (("main.tfjob", "--profile", "lrge"), 1, "did you mean large?"),
        (("main.tfjob", "--set", "workrs=2"), 1, "did you mean workers?"),
        (("main.tfjob", "--set", "workers=200"), 1, "at most 64"),
        (("main.tfjob", "--job", "mnst"), 1, "did you mean mnist?"),
        (("main.tfjob", "--format", "yaml"), 2, "text or json"),
    ],
)
def test_wrong_words(folder: Path, words: tuple[str, ...], status: int, told: str) -> None:
    ran = tfdsl("info", *words, cwd=folder)
    assert (ran.status, ran.out) == (status, "")
    assert told in ran.err


def test_mistakes_inside_a_job_are_for_check(tmp_path: Path) -> None:
    (tmp_path / "main.tfjob").write_text("job a { gpus = none\n role worker { replicas = many } }")
    ran = tfdsl("info", "main.tfjob", cwd=tmp_path)
    assert (ran.status, ran.out) == (0, "job  roles\na    worker ?\n")


def test_a_file_without_anything_and_one_for_others_to_include(tmp_path: Path) -> None:
    assert tfdsl("info", "-", cwd=tmp_path).out == "no params, profiles, jobs or flows\n"
    ran = tfdsl("info", "-", cwd=tmp_path, stdin=b"param a: int\n")
    assert (ran.status, ran.out) == (0, "param  type  default\na      int   (required)\n")


def test_a_job_as_json(folder: Path) -> None:
    (job,) = api.load(text='job a { image = "x:1", role worker { replicas = 3 } }').jobs("volcano")
    (folder / "job.json").write_text(job.model_dump_json())
    ran = tfdsl("info", "job.json", cwd=folder)
    assert (ran.status, ran.out) == (0, "job  roles\na    worker 3\n")


def test_what_could_command_a_terminal_or_a_build_server_does_not(tmp_path: Path) -> None:
    text = 'param a: string = "\\u{1B}[31m" { description = "##[error]x\\n::error::y" }\n'
    for form in ("text", "json"):
        ran = tfdsl("info", "-", "--format", form, cwd=tmp_path, stdin=text.encode())
        assert ran.status == 0
        assert "\x1b" not in ran.out
        assert "##[" not in ran.out
        assert "\n::" not in ran.out


def test_many_profiles_whose_values_depend_on_each_other(tmp_path: Path) -> None:
    lines = [f"profile p{number} {{ a = {number}, b = a + 1 }}" for number in range(102)]
    (tmp_path / "main.tfjob").write_text("\n".join(["param a: int = 1", "param b: int = 2", *lines]))
    values = [one["values"] for one in data(tmp_path)["profiles"]]
    assert (values[0], values[99], values[101]) == ({"a": 0, "b": 1}, {"a": 99, "b": 100}, {"a": None, "b": None})


def test_from_python(folder: Path) -> None:
    found = api.info(folder / "main.tfjob", profile="large", params={"dataset": "x"}, job="mnist")
    workers = found.params[1]
    assert (workers.name, workers.default, workers.value, workers.max) == ("workers", 4, 16, 64)
    assert found.jobs[0].roles == {"chief": 1, "ps": 2, "worker": 16}
    assert found.jobs[0].targets == ("tfjob", "volcano")
    assert found.profiles[1].values == {"workers": 1}
    with pytest.raises(api.CompileError, match="no param y"):
        api.info(text="param x: int", params={"y": 1})
    assert api.info(text="param x: int").params[0].required
