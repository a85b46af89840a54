"""``[labels]`` of a project: on every Kubernetes object of every job, below what the job says, with their places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import tfdsl as api
from tests.unit.cli.shell import tfdsl
from tfdsl.settings.finding import settings_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SETTINGS = """\
[labels]
team = "platform"
"app.kubernetes.io/managed-by" = "tfdsl"
"""
JOB = """\
job mnist {
  image      = "registry.example.com/mnist:1.4"
  command    = ["python", "train.py"]
  checkpoint = "/data/c"
  mount claim 10Gi at "/data" { keep = true }
  role chief { }
  role worker { replicas = 2 }
  role tensorboard { }
}
"""
FAMILY = ("tfjob", "volcano", "kubernetes", "jobset")


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    (tmp_path / "tfdsl.toml").write_text(SETTINGS)
    (tmp_path / "job.tfjob").write_text(JOB)
    return tmp_path


def compiled(project: Path, target: str, *words: str) -> list[Any]:
    ran = tfdsl("compile", "job.tfjob", "-t", target, *words, cwd=project)
    assert ran.status == 0, ran.err
    return list(yaml.safe_load_all(ran.out))


def objects(data: Any) -> Iterator[dict[str, Any]]:
    """Every object in documents, and every template that a controller makes objects of."""
    if isinstance(data, list):
        for one in data:
            yield from objects(one)
    elif isinstance(data, dict):
        if "kind" in data and "metadata" in data:
            yield data
        for key, one in data.items():
            if key in ("template", "volumeClaimTemplate") and "spec" in one:
                yield one
            yield from objects(one)


def labels(data: Any) -> list[dict[str, str]]:
    return [one.get("metadata", {}).get("labels", {}) for one in objects(data)]


@pytest.mark.parametrize("target", FAMILY)
def test_every_object_and_every_pod_has_them(project: Path, target: str) -> None:
    documents = compiled(project, target)
    found = labels(documents)
    assert len(found) > len(documents)
    assert all(one["team"] == "platform" and one["app.kubernetes.io/managed-by"] == "tfdsl" for one in found)


@pytest.mark.parametrize("target", FAMILY)
def test_nothing_else_changes(project: Path, target: str) -> None:
    """The same documents come out without the settings, but for the labels; what selectors name stays."""
    with_labels = compiled(project, target)
    (project / "tfdsl.toml").unlink()
    without = compiled(project, target)
    for one in objects(with_labels):
        metadata = one["metadata"]
        for key in ("team", "app.kubernetes.io/managed-by"):
            metadata["labels"].pop(key)
        if not metadata["labels"]:
            del metadata["labels"]
    for one in [*objects(with_labels), *objects(without)]:
        if not one.get("metadata", True):
            del one["metadata"]
    assert with_labels == without


@pytest.mark.parametrize("target", FAMILY)
def test_a_label_of_the_job_counts_for_all_its_objects(project: Path, target: str) -> None:
    own = JOB.replace("  image", '  labels = { team = "vision" }\n  image', 1)
    (project / "job.tfjob").write_text(own.replace("replicas = 2", 'replicas = 2, labels = { team = "edge" }'))
    found = labels(compiled(project, target))
    assert {one["team"] for one in found} == {"vision", "edge"}
    assert sum(one["team"] == "edge" for one in found) == 1


def test_a_target_block_is_above_them(project: Path) -> None:
    own = JOB.replace("  image", '  target volcano { labels = { team = "vision" } }\n  image', 1)
    (project / "job.tfjob").write_text(own)
    assert {one["team"] for one in labels(compiled(project, "volcano"))} == {"vision"}
    assert {one["team"] for one in labels(compiled(project, "tfjob"))} == {"platform"}


def test_a_patch_is_above_them(project: Path) -> None:
    (project / "job.tfjob").write_text(
        JOB.replace("  image", '  target tfjob {\n    patch "metadata.labels.team" = "vision"\n  }\n  image', 1)
    )
    assert compiled(project, "tfjob")[0]["metadata"]["labels"]["team"] == "vision"


@pytest.mark.parametrize("target", ["slurm", "yarn", "slider"])
def test_a_target_without_kubernetes_has_none_and_says_nothing(project: Path, target: str) -> None:
    (project / "job.tfjob").write_text('job a {\n  deadline = 1h\n  role worker { command = ["true"] }\n}\n')
    options = ["-O", "yarn.jar=/opt/ds.jar"] if target == "yarn" else []
    ran = tfdsl("compile", "job.tfjob", "-t", target, "-o", "out", *options, cwd=project)
    assert "labels" not in ran.err
    for one in (project / "out").rglob("*"):
        assert one.is_dir() or b"app.kubernetes.io/managed-by" not in one.read_bytes()


def test_a_job_as_json_has_them(project: Path) -> None:
    (project / "job.json").write_text(
        json.dumps({"name": "a", "roles": [{"name": "worker", "image": "x:1", "command": ["true"]}]})
    )
    ran = tfdsl("compile", "job.json", "-t", "tfjob", cwd=project)
    assert {one["team"] for one in labels(list(yaml.safe_load_all(ran.out)))} == {"platform"}


def test_where_leads_to_the_settings_and_back(project: Path) -> None:
    ran = tfdsl("compile", "job.tfjob", "-t", "tfjob", "-o", "out.yaml", "--source-map", cwd=project)
    lines = (project / "out.yaml").read_text().splitlines()
    number = next(at for at, line in enumerate(lines, 1) if "managed-by" in line)
    place = 'tfdsl.toml:3: "app.kubernetes.io/managed-by" = "tfdsl"'
    for words in ([], ["--source", "job.tfjob", "-t", "tfjob"]):
        ran = tfdsl("where", f"out.yaml:{number}", *words, cwd=project)
        assert (ran.status, place in ran.out) == (0, True)
    ran = tfdsl("where", "tfdsl.toml:3", "--source", "job.tfjob", "-t", "tfjob", cwd=project)
    assert f"mnist.yaml:{number}:     app.kubernetes.io/managed-by: tfdsl" in ran.out
    ran = tfdsl("where", "tfdsl.toml:1", "--source", "job.tfjob", "-t", "tfjob", cwd=project)
    assert (ran.status, "nothing of the output comes from it" in ran.out) == (1, True)


def test_the_output_is_compared_with_them(project: Path) -> None:
    tfdsl("compile", "job.tfjob", "-t", "jobset", "-o", "out.yaml", cwd=project)
    assert tfdsl("diff", "job.tfjob", "out.yaml", cwd=project) == (0, "", "")
    (project / "tfdsl.toml").write_text(SETTINGS.replace("platform", "vision"))
    ran = tfdsl("diff", "job.tfjob", "out.yaml", "--format", "summary", cwd=project)
    assert (ran.status, "vision" in ran.out) == (1, True)


@pytest.mark.parametrize("target", ["tfjob", *(pytest.param(one, marks=pytest.mark.slow) for one in FAMILY[1:])])
def test_an_import_is_the_same_in_any_project(project: Path, target: str) -> None:
    """It is what the manifest says that counts, with its labels or without."""
    tfdsl("compile", "job.tfjob", "-t", target, "-o", "with.yaml", cwd=project)
    (project / "plain").mkdir()
    (project / "plain" / ".git").mkdir()
    settings = project / "tfdsl.toml"
    text = settings.read_text()
    settings.unlink()
    tfdsl("compile", "job.tfjob", "-t", target, "-o", "without.yaml", cwd=project)
    outside = [tfdsl("import", f"{name}.yaml", "--check", cwd=project) for name in ("with", "without")]
    settings.write_text(text)
    inside = [tfdsl("import", f"{name}.yaml", "--check", cwd=project) for name in ("with", "without")]
    assert inside == outside
    assert [one.status for one in inside] == [0, 0]


def test_from_python_they_count_for_a_file_and_not_for_a_text(project: Path) -> None:
    with_labels = api.compile(project / "job.tfjob", "tfjob")
    assert "team: platform" in with_labels.text
    assert "team" not in api.compile(text=JOB, target="tfjob").text


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("labels = 1", "labels", "labels must be a table of labels and values"),
        ("[labels]\na = 1", "a", "the label a must be a string"),
        ("[labels]\na = true", "a", "the label a must be a string"),
        ("[labels]\na.b = 'x'", "a", "the label a must be a string"),
        ("[labels]\n'tfdsl/job' = 'x'", "tfdsl/job", "labels that begin with tfdsl/ are for tfdsl itself"),
        ("[labels]\n'-a' = 'x'", "-a", "label key"),
        ("[labels]\na = 'no blanks'", "a", "label value"),
        ("[labels]\na = '${x}'", "a", "label value"),
        ("[labels]\na = '{{ x }}'", "a", "label value"),
        ('[labels]\na = "x\\ny"', "a", "label value"),
        ("[labels]\n'é' = 'x'", "é", "label key"),
        (f"[labels]\na = '{'x' * 64}'", "a", "label value"),
        ("[labels]\n" + "".join(f"a{one} = 'x'\n" for one in range(51)), "labels", "there can be at most 50 labels"),
    ],
)
@pytest.mark.parametrize("name", ["tfdsl.toml", "pyproject.toml"])
def test_a_wrong_label_is_an_error_at_its_key(tmp_path: Path, name: str, text: str, place: str, message: str) -> None:
    if name == "pyproject.toml":
        text = f"[tool.tfdsl]\n{text}" if text.startswith("labels") else text.replace("[labels]", "[tool.tfdsl.labels]")
    (tmp_path / name).write_text(text)
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert (problem.level, problem.span.text.strip("\"'")) == ("error", place)
    assert message in problem.message


def test_a_label_of_a_controller_is_refused(project: Path) -> None:
    (project / "tfdsl.toml").write_text('[labels]\n"batch.kubernetes.io/job-name" = "x"\n')
    ran = tfdsl("check", "job.tfjob", "-t", "kubernetes", cwd=project)
    assert (ran.status, "sets the label batch.kubernetes.io/job-name itself\n  --> tfdsl.toml:2:" in ran.err) == (
        1,
        True,
    )
    assert tfdsl("check", "job.tfjob", "-t", "tfjob", cwd=project).status == 0


@pytest.mark.parametrize("target", ["kubernetes", "jobset"])
@pytest.mark.parametrize("label", ["job-name", "controller-uid", "batch.kubernetes.io/controller-uid"])
def test_a_label_with_which_the_api_server_refuses_a_job_is_refused(project: Path, target: str, label: str) -> None:
    (project / "tfdsl.toml").write_text(f'[labels]\n"{label}" = "x"\n"{label}-2" = "x"\n')
    found = tfdsl("check", "job.tfjob", "-t", target, "--format", "concise", cwd=project).err
    assert f"{target} sets the label {label} itself" in found
    assert (f"{target} sets the label {label}-2 itself" in found) == ("/" in label)


def test_the_sources_of_a_matrix_share_them(project: Path) -> None:
    (project / "job.tfjob").write_text(JOB.replace("  image", "  matrix { seed = [1, 2] }\n  image", 1))
    found = labels(compiled(project, "kubernetes"))
    assert len(found) > 10
    assert {one["team"] for one in found} == {"platform"}
