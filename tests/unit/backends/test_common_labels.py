"""``common_labels``: on all that a job or a flow makes, accepted by the servers, and what they may not be."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml

import tfdsl as api
from tests.unit.backends.structural import schema, violations
from tests.unit.cli.shell import tfdsl
from tests.unit.settings.test_labels import JOB, labels, objects

if TYPE_CHECKING:
    from pathlib import Path

FAMILY = ("tfjob", "volcano", "kubernetes", "jobset")
SCHEMAS = {"TFJob": "tfjob", "JobSet": "jobset", "Workflow": "argo-workflow", "CronWorkflow": "argo-cronworkflow"}
COMMON = JOB.replace("  image", '  common_labels = { team = "vision" }\n  image', 1)
ONE_JOB = JOB.replace("  role chief { }\n", "")
FLOW = 'flow nightly { common_labels = { team = "vision" }, service_account = "runner", run mnist }\n'


def made(text: str, target: str) -> list[Any]:
    """The documents of a text, as a server reads them."""
    return list(yaml.safe_load_all(api.compile(text=text, target=target).text))


def is_valid(one: dict[str, Any]) -> bool:
    volcano = {"Job": "volcano-job"} if "volcano" in one["apiVersion"] else {"Job": "batch-job"}
    name = {**SCHEMAS, **volcano}.get(one["kind"])
    return name is None or violations(one, schema(name)) == []


def selectors(data: Any) -> list[object]:
    """All selectors in documents."""
    if isinstance(data, list):
        return [found for one in cast("list[Any]", data) for found in selectors(one)]
    if not isinstance(data, dict):
        return []
    fields = cast("dict[str, Any]", data)
    here = [value for key, value in fields.items() if key in ("selector", "labelSelector")]
    return here + [found for one in fields.values() for found in selectors(one)]


@pytest.mark.parametrize("target", FAMILY)
def test_every_object_and_every_pod_has_them(target: str) -> None:
    documents = made(COMMON, target)
    found = labels(documents)
    assert len(found) > len(documents)
    assert {one["team"] for one in found} == {"vision"}
    assert all(map(is_valid, documents))
    assert selectors(documents) == selectors(made(JOB, target))


@pytest.mark.parametrize("target", FAMILY)
def test_a_label_of_the_object_or_of_a_role_is_above_them(target: str) -> None:
    own = COMMON.replace("  image", '  labels = { team = "a" }\n  image', 1)
    documents = made(own.replace("replicas = 2", 'replicas = 2, labels = { team = "b" }'), target)
    by_kind = {one["kind"]: one["metadata"]["labels"]["team"] for one in documents}
    assert {"a", "vision"} == set(by_kind.values())
    assert by_kind["Service"] == "vision"
    assert sum(one["team"] == "b" for one in labels(documents)) == 1


@pytest.mark.parametrize("target", FAMILY)
def test_they_come_back_from_a_manifest(target: str) -> None:
    """Nothing is patched, and the text says them once."""
    result = api.compile(text=COMMON, target=target)
    back = api.import_manifest(text=result.text)
    assert back.text.count("vision") == 1
    assert re.search(r'common_labels += \{ team = "vision" \}', back.text)
    assert "patch" not in back.text
    assert api.compile(text=back.text, target=target).text.splitlines()[1:] == result.text.splitlines()[1:]


def test_a_manifest_whose_service_has_them_not_keeps_both_words() -> None:
    pods = 'job a { image = "a:1", common_labels = { team = "vision" }, role chief { }, role worker { replicas = 2 } }'
    documents = made(pods, "kubernetes")
    for one in documents:
        if one["kind"] == "Service":
            del one["metadata"]["labels"]["team"]
    back = api.import_manifest(text="\n---\n".join(map(json.dumps, documents)))
    assert "common_labels" not in back.text
    assert (back.text.count("vision"), "patch" in back.text) == (3, False)


@pytest.mark.parametrize("schedule", ["", 'schedule = "@daily", '])
@pytest.mark.parametrize("target", FAMILY)
def test_a_flow_and_all_its_objects_have_them(target: str, schedule: str) -> None:
    """Those that run, what Argo starts itself, claims and rights; a label of a job is above them."""
    own = ONE_JOB.replace("replicas = 2", 'replicas = 2, labels = { team = "edge" }')
    result = api.compile(text=own + FLOW.replace("run mnist", schedule + "run mnist"), target=target)
    documents = [document.data for document in result.documents]
    workflow = next(one for one in documents if isinstance(one, dict) and "Workflow" in one["kind"])
    assert is_valid(workflow)
    spec = workflow["spec"]
    if schedule:
        assert spec["workflowMetadata"]["labels"]["team"] == "vision"
        spec = spec["workflowSpec"]
    assert spec["podMetadata"]["labels"] == {"team": "vision"}
    resources = [one["resource"] for one in spec["templates"] if "resource" in one]
    applied = [json.loads(one["manifest"]) for one in resources]
    found = [label["team"] for label in labels([documents, applied])]
    assert (set(found), found.count("edge")) == ({"vision", "edge"}, 1)
    assert {"ServiceAccount", "Role", "RoleBinding", "PersistentVolumeClaim"} <= {
        one.get("kind") for one in objects([documents, applied])
    }


def test_the_labels_of_a_project_are_on_a_flow_too(tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text('[labels]\ncost = "7"\nteam = "platform"\n')
    (tmp_path / "f.tfjob").write_text(ONE_JOB + FLOW)
    result = api.compile(tmp_path / "f.tfjob", "kubernetes")
    found = labels([document.data for document in result.documents])
    assert [(one["cost"], one["team"]) for one in found] == [("7", "vision")] * len(found)
    at = next(n for n, line in enumerate(result.documents[0].text.splitlines(), 2) if "cost" in line)
    result.write(tmp_path)
    ran = tfdsl("where", f"nightly.yaml:{at}", "--source", "f.tfjob", "-t", "kubernetes", cwd=tmp_path)
    assert (ran.status, 'tfdsl.toml:2: cost = "7"' in ran.out) == (0, True), ran.err


@pytest.mark.parametrize(
    ("target", "label", "code", "level"),
    [
        ("tfjob", "training.kubeflow.org/job-role", "KTF067", "warning"),
        ("volcano", "volcano.sh/job-name", "VOL156", "error"),
        ("kubernetes", "controller-uid", "K8S037", "error"),
        ("kubernetes", "volcano.sh/job-name", "TFJ3025", "warning"),
        ("jobset", "batch.kubernetes.io/job-name", "JBS037", "error"),
        ("jobset", "jobset.sigs.k8s.io/job-index", "TFJ3025", "warning"),
        ("jobset", "tfdsl/job", "TFJ2503", "error"),
        ("slurm", "team", "SLM002", "warning"),
        ("slider", "team", "SLI002", "warning"),
        ("yarn", "team", "YRN002", "warning"),
    ],
)
def test_what_the_system_sets_is_refused_or_told(target: str, label: str, code: str, level: str) -> None:
    """At the word of a job, and at that of a flow; lint looks at jobs only."""
    line = f'  common_labels = {{ "{label}" = "x" }}\n'
    job = 'job a {\n  deadline = 1h\n  command = ["true"]\n  role worker { image = "a:1" }\n}\n'
    of_job, of_flow = job.replace("  role", f"{line}  role"), f"{job}flow b {{\n{line}  run a\n}}\n"
    for text in (of_job, of_flow) if code != "TFJ3025" else (of_job,):
        found = [one for one in api.check(text=text, target=target) if one.code == code]
        at = text.splitlines().index(line.rstrip()) + 1
        assert [(one.level, one.span.line) for one in found] == [(level, at)]


def test_a_variable_can_have_one_when_it_runs_here(tmp_path: Path) -> None:
    (tmp_path / "a.tfjob").write_text(
        'job a {\n  image = "a:1"\n  common_labels = { team = "vision" }\n  command = "echo team $TEAM"\n'
        "  role worker { env = { TEAM = pod_field(\"metadata.labels['team']\") } }\n}\n"
    )
    assert "team vision" in tfdsl("run", "a.tfjob", cwd=tmp_path).out
