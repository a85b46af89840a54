"""Manifests of a stranger cost what they are long, and what is too long for what it is is said."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl import targets
from tfdsl.importing.manifests import documents_of, import_manifests
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

POD = "spec: {restartPolicy: Never, containers: [{name: main, image: 'a/b:1'}]}"
OWN = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: j#-runs}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
---
"""
JOBS = {
    "kubernetes": f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j#}}\nspec: {{template: {{{POD}}}}}\n---\n",
    "volcano": "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j#}\n"
    f"spec: {{minAvailable: 1, tasks: [{{name: worker, replicas: 1, template: {{{POD}}}}}]}}\n---\n",
    "jobset": "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: j#}\n"
    f"spec: {{replicatedJobs: [{{name: worker, template: {{spec: {{template: {{{POD}}}}}}}}}]}}\n---\n",
    "tfjob": "apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {name: j#}\n"
    f"spec: {{tfReplicaSpecs: {{Worker: {{template: {{{POD}}}}}}}}}\n---\n",
}
MANIFEST = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: j}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - {{name: main, image: "a/b:1", resources: {{limits: {{memory: {amount}}}}}}}
"""


def seconds(name: str, number: int) -> float:
    """Processor time of finding ``number`` jobs, each with a claim, among their documents; the best of three."""
    text = "".join((JOBS[name] + OWN).replace("#", str(one)) for one in range(number))
    backend = targets.find(name)
    assert backend is not None
    reading = backend.load_reading()
    assert reading is not None
    documents = documents_of([Source("all.yaml", text)], lambda diagnostic: None)
    times: list[float] = []
    for _ in range(3):
        start = process_time()
        groups = reading.groups(documents)
        times.append(process_time() - start)
        assert len(groups) == number
    return min(times)


@pytest.mark.parametrize("name", JOBS)
def test_what_belongs_to_a_job_is_found_without_asking_every_job(name: str) -> None:
    few, many = seconds(name, 60), seconds(name, 480)
    assert many < 8 * 3 * few, "eight times the jobs, and not nearly 64 times the work"


def test_more_text_than_any_object_has_is_an_error() -> None:
    """The API server takes no object of more than 1.5 MiB."""
    text = JOBS["kubernetes"] + "# " + "x" * (4 * 1024 * 1024)
    [result] = import_manifests([Source("dump.yaml", text)])
    assert [one.rule.slug for one in result.diagnostics] == ["import-too-large"]
    assert (result.text, result.jobs) == ("", ())


@pytest.mark.parametrize("amount", ['"' + "9" * 1_000_000 + 'Gi"', "9" * 5_000, '"0.' + "1" * 5_000 + '"'])
def test_a_quantity_of_any_length_is_told_and_no_more(amount: str) -> None:
    [result] = import_manifests([Source("j.yaml", MANIFEST.format(amount=amount))])
    assert "import-server-refuses" in {one.rule.slug for one in result.diagnostics}
    assert max(len(one.message) for one in result.diagnostics) < 1_000
    assert len(result.jobs) == 1


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "gitlab", "github"])
def test_a_job_and_a_document_of_messages_do_not_share_standard_output(tmp_path: Path, form: str) -> None:
    manifest = MANIFEST.format(amount="1Gi").encode()
    shared = tfdsl("import", "-", "--format", form, cwd=tmp_path, stdin=manifest)
    assert (shared.status, "job j" in shared.out) == (2, False)
    apart = tfdsl("import", "-", "--format", form, "-o", "j.tfjob", cwd=tmp_path, stdin=manifest)
    assert apart.status == 0, apart.err
    assert (tmp_path / "j.tfjob").read_text().startswith("job j {")
    assert tfdsl("import", "-", "--format", form, "--check", cwd=tmp_path, stdin=manifest).status == 0
