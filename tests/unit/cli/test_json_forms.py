"""``--format json`` of ``compile``, ``targets``, ``explain`` and ``tfconfig``: what docs/commands.md describes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.unit.cli.shell import JOB, tfdsl
from tfdsl import targets

if TYPE_CHECKING:
    from pathlib import Path

BUILD = JOB.replace("  role chief", '  build { from = "python:3.11" }\n  role chief')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mnist.tfjob").write_text(JOB)
    (tmp_path / "build.tfjob").write_text(BUILD)
    (tmp_path / "wrong.tfjob").write_text(JOB.replace("replicas = 2", "replicas = -1"))
    return tmp_path


def document(folder: Path, *words: str, status: int = 0, told: str = "") -> dict[str, Any]:
    """The document of a command, which has nothing else to say."""
    ran = tfdsl(*words, "--format", "json", cwd=folder)
    assert (ran.status, ran.err) == (status, told)
    found: dict[str, Any] = json.loads(ran.out)
    return found


# --- compile -----------------------------------------------------------------------------------------------------


def test_a_stream_is_a_file_of_documents(folder: Path) -> None:
    found = document(folder, "compile", "mnist.tfjob", "-t", "volcano")
    (file,) = found["files"]
    plain = tfdsl("compile", "mnist.tfjob", "-t", "volcano", cwd=folder)
    assert file["text"] == plain.out
    assert file["documents"] == list(yaml.safe_load_all(plain.out))
    assert {key: file[key] for key in ("path", "jobs", "target", "format", "executable", "private")} == {
        "path": "mnist.yaml",
        "jobs": ["mnist"],
        "target": "volcano",
        "format": "yaml",
        "executable": False,
        "private": False,
    }
    assert "map" not in file
    assert (found["version"], found["written"], found["errors"]) == (1, False, 0)
    assert found["infos"] == len([one for one in found["diagnostics"] if one["level"] == "info"])


def test_several_targets_and_files_need_no_folder(folder: Path) -> None:
    words = ("compile", "build.tfjob", "-t", "volcano@1.9", "-t", "volcano", "-t", "slider")
    files = document(folder, *words)["files"]
    assert tfdsl(*words, "-o", "out", cwd=folder).status == 0
    written = {str(path.relative_to(folder / "out")): path for path in (folder / "out").rglob("*") if path.is_file()}
    assert {file["path"] for file in files} == set(written)
    for file in files:
        path = written[file["path"]]
        assert path.read_text() == file["text"]
        assert bool(path.stat().st_mode & 0o100) == file["executable"]
    data = {file["path"]: file["documents"] for file in files if file["format"] == "json"}
    assert data
    assert all(json.loads(written[path].read_text()) == documents[0] for path, documents in data.items())


@pytest.mark.parametrize(("place", "path"), [("out", "out/mnist.yaml"), ("one.yaml", "one.yaml")])
def test_with_a_destination_the_files_are_written_too(folder: Path, place: str, path: str) -> None:
    found = document(folder, "compile", "mnist.tfjob", "-t", "tfjob", "-o", place, "--source-map")
    (file,) = found["files"]
    assert (found["written"], file["path"]) == (True, path)
    assert (folder / path).read_text() == file["text"]
    assert json.loads((folder / f"{path}.map").read_text()) == file["map"]


def test_errors_are_in_the_document(folder: Path) -> None:
    found = document(folder, "compile", "wrong.tfjob", "-t", "tfjob", "-o", "out", status=1)
    assert (found["written"], found["files"], found["errors"]) == (False, [], 1)
    assert found["diagnostics"][0]["path"] == "wrong.tfjob"
    assert not (folder / "out").exists()


def test_targets_of_the_project(folder: Path) -> None:
    (folder / "tfdsl.toml").write_text('targets = ["volcano@1.9", "slurm"]')
    files = document(folder, "compile", "mnist.tfjob")["files"]
    assert {file["target"] for file in files} == {"volcano", "slurm"}
    (folder / "tfdsl.toml").write_text('targets = ["nowhere"]')
    found = document(folder, "compile", "mnist.tfjob", status=1)
    assert (found["version"], found["files"], found["diagnostics"][0]["path"]) == (1, [], "tfdsl.toml")


def test_what_cannot_be_written(folder: Path) -> None:
    (folder / "file").touch()
    found = document(folder, "compile", "mnist.tfjob", "-t", "tfjob", "-o", "file/out", status=2)
    assert found["written"] is False
    assert "output-not-written" in [one["slug"] for one in found["diagnostics"]]


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        (("mnist.tfjob",), "missing-argument"),
        (("mnist.tfjob", "-t", "nowhere"), "unknown-target"),
        (("gone.tfjob", "-t", "tfjob"), "unreadable-file"),
        (("mnist.tfjob", "-t", "tfjob", "-o", ""), "output-place"),
        (("mnist.tfjob", "-t", "tfjob", "--no"), "unknown-flag"),
    ],
)
def test_wrong_use_is_a_document_of_messages(folder: Path, words: tuple[str, ...], slug: str) -> None:
    found = document(folder, "compile", *words, status=2)
    assert [one["slug"] for one in found["diagnostics"]] == [slug]


def test_secrets_of_the_command_line_are_in_the_files_only(folder: Path) -> None:
    text = "param api_token: string\n" + JOB.replace("  role chief", "  env = { API_TOKEN = api_token }\n  role chief")
    (folder / "mnist.tfjob").write_text(text)
    words = ("compile", "mnist.tfjob", "-t", "tfjob", "--set", "api_token=s3cret-value")
    found = document(folder, *words)
    (file,) = found["files"]
    assert file["private"] is True
    assert "s3cret-value" in file["text"]
    assert "s3cret" not in json.dumps(found["diagnostics"])


# --- targets, explain, tfconfig ----------------------------------------------------------------------------------


def test_targets(tmp_path: Path) -> None:
    found = document(tmp_path, "targets")
    assert found["version"] == 1
    assert [one["name"] for one in found["targets"]] == [backend.name for backend in targets.every()]
    for one, backend in zip(found["targets"], targets.every(), strict=True):
        assert one["versions"][-1] == one["default_version"] == backend.default_version
        assert [option["name"] for option in one["options"]] == [option.name for option in backend.options]
        assert all(option["description"] for option in one["options"])
    tfjob = found["targets"][0]
    assert (tfjob["aliases"], tfjob["output"]) == (["kubeflow"], "stream")
    assert tfjob["options"][0]["one_of"] == ["operator", "static"]


def test_explain(tmp_path: Path) -> None:
    found = document(tmp_path, "explain", "tfj2104")
    (page,) = found["pages"]
    assert (found["version"], found["word"]) == (1, "tfj2104")
    assert page["message"] == {"code": "TFJ2104", "slug": "duplicate-mount-path", "level": "error"}
    assert page["text"].startswith("A role with two mounts at the same path.\n")
    pages = document(tmp_path, "explain", "memory")["pages"]
    assert [page["title"] for page in pages][:2] == ["memory (attribute)", "memory (kind of mount)"]
    assert all(page["text"] and page["message"] is None for page in pages)


def test_tfconfig(folder: Path) -> None:
    found = document(folder, "tfconfig", "mnist.tfjob", "worker[1]", "-t", "tfjob")
    (job,) = found["jobs"]
    (task,) = job["tasks"]
    assert (job["job"], job["target"], found["refused"]) == ("mnist", "tfjob", [])
    assert (task["role"], task["index"], task["flags"]) == ("worker", 1, [])
    assert task["tf_config"] == json.loads(task["text"])
    assert task["tf_config"]["task"] == {"type": "worker", "index": 1}
    assert task["differences"]


def test_tfconfig_that_the_job_sets_itself(folder: Path) -> None:
    own = '  cluster { discovery = "none" }\n  env = { TF_CONFIG = "{\\"a\\": NaN}" }\n  role chief'
    (folder / "mnist.tfjob").write_text(JOB.replace("  role chief", own))
    found = document(folder, "tfconfig", "mnist.tfjob", "worker[0]", "-t", "volcano")
    task = found["jobs"][0]["tasks"][0]
    assert (task["tf_config"], task["text"]) == (None, '{"a": NaN}')


def test_tfconfig_of_every_target_names_those_that_refuse(folder: Path) -> None:
    (folder / "mnist.tfjob").write_text(JOB.replace("replicas = 2", "replicas = 2, gpu = 1"))
    found = document(folder, "tfconfig", "mnist.tfjob")
    assert "slider" in found["refused"]
    assert {job["target"] for job in found["jobs"]} | set(found["refused"]) == set(targets.names())
