"""What is imported compiles for every other target, but for what the author of the manifest wrote.

An error at a statement that only a default of the system is behind would be a fault of import: such a statement belongs
into the block of the target that was read (docs/migrate.md).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.importing.cases import Case, cases, imported
from tests.importing.shapes import Shape, shapes
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.importing.manifests import import_manifests
from tfdsl.semantics.request import Choice, Given, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGETS = targets.built_in()
QUICK = 25
"""Every so many cases one is a quick test."""

LACKS = {
    "TFJ2110": "pods need an image, which a job of YARN or Slider need not have",
    "YRN100": "a container of YARN needs its memory",
    "SLM100": "and so does a step of Slurm",
    "SLM101": "and a step its processors",
}
"""What a target must know and the original does not say."""

WRITTEN = {
    r"cleanup\b": r"cleanPodPolicy: None",
    r"on (\w+ )?exit ": r"onExitCodes|exitCode",
    r"on (\w+ )?evicted => restart pod": r"DisruptionTarget",
    r"on (\w+ )?failed => restart job": r"maxRestarts: [1-9]|action: RestartJob\b",
    r"on (\w+ )?failed => restart pod": r"backoffLimit(PerIndex)?: [1-9]|restartPolicy: ExitCode",
    r"on failed after 10m => restart job": r"timeout: 10m",
    r"on pending after": r"PodPending",
    r"on unknown": r"Unknown",
    r"on worker\[1\] completed": r"succeededIndexes",
    r"on worker completed": r"operator: Any|successPolicy",
    r"on evicted => restart job": r"DisruptionTarget",
    r"suspend += ": r"suspend: true",
    r"host_network += ": r"hostNetwork",
    r"service_account += ": r"serviceAccount",
    r"(privileged|capabilities) += |role .*run_as_user": r"securityContext",
    r"role .*gpu_memory": r"vgpu-memory",
    r"(prepare|sidecar) ": r"initContainers",
    r"\w+ += .*(secret|configmap)\(": r"secretKeyRef|configMapKeyRef|secretRef|configMapRef",
    r"\w+ += pod_field": r"fieldPath",
    r"role .*\bafter = |after += ": r"dependsOn|startupPolicyOrder: InOrder|dependencies|depends-on|commandOrders",
    r"role .*\bnode_label = |node_label += ": r"label",
    r"role .*\bgpu = |gpu += ": r"gpu",
    r"priority += ": r"priority",
    r"scheduler += ": r"schedulerName",
    r"node_selector += ": r"nodeSelector|nodeAffinity",
    r"tolerations += ": r"tolerations",
    r"resources += ": r"huawei\.com|cloud-tpus|google\.com/tpu|rdma/",
    r"annotations += ": r"scheduling\.k8s\.io/group-name",
    r"env += .*pod_field": r"fieldPath",
    r"cpu_limit|role .*cpu_limit": r"requests: \{?cpu|cpu: ",
    r"memory_limit|role .*memory_limit": r"memory: ",
    r"mount pvc ": r"persistentVolumeClaim|volumeClaimName",
    r"mount claim ": r"[vV]olumeClaim|PersistentVolumeClaim",
    r"mount nfs ": r"nfs:",
    r"mount configmap ": r"configMap:",
    r"mount secret ": r"secret:",
    r"mount host ": r"hostPath|[mM]ount|MOUNTS",
    r"mount (scratch|memory) ": r"emptyDir",
    r"mount (hdfs|archive) ": r"hdfs://|\.zip|\.tar",
    r'image += "\$\{registry\}/git-sync': r"git-sync",
    r'image += "<': r"image: <",
    r"(checkpoint|command) += .*\$\{job\.user\}": r"\$\{USER",
}
"""Statements that another target refuses, each with what the author wrote: the manifest must have it."""


class Refusal(NamedTuple):
    """An error of another target. ``words``: the line that it is about."""

    target: str
    code: str
    words: str


def refusals(text: str, own: set[str]) -> Iterator[Refusal]:
    """The errors of the targets but ``own`` about an imported text, whose params get some text."""
    source = Source("job.tfjob", text)
    program = pipeline.load(source, lambda path: "nothing is included")
    params = re.findall(r"^param (\w+): (\w+)\S* \{", text, re.M)
    given = tuple(Given(name, Source("param", '["a", "b"]' if kind == "list" else "text")) for name, kind in params)
    for backend in TARGETS:
        for one in pipeline.run(program, Request(params=given), [Choice(backend)]).diagnostics:
            if one.level == "error":
                assert backend.name not in own, one
                yield Refusal(backend.name, one.rule.code, source.line(source.position(one.span.start)[0]).strip())


def unexplained(text: str, own: set[str], manifest: str) -> list[Refusal]:
    """Those that are not about what ``manifest`` says, or must say."""
    return [
        one
        for one in refusals(text, own)
        if one.code not in LACKS
        and not any(re.match(said, one.words) and re.search(by, manifest) for said, by in WRITTEN.items())
    ]


CASES = [
    pytest.param(case, id=case.name, marks=[pytest.mark.slow] if number % QUICK else [])
    for number, case in enumerate(case for case in cases() if case.expected.exists())
]


@pytest.mark.parametrize("case", CASES)
def test_only_what_the_author_wrote_is_refused_elsewhere(case: Case) -> None:
    result = imported(case)
    manifest = "\n".join(source.text for source in case.sources)
    assert unexplained(result.text, {job.target for job in result.jobs}, manifest) == []


@pytest.mark.slow
@pytest.mark.parametrize("shape", [pytest.param(one, id=one.name) for one in shapes() if one.patches is not None])
def test_of_public_shapes_too(shape: Shape) -> None:
    [result] = import_manifests([Source("job.yaml", shape.text)])
    assert unexplained(result.text, {job.target for job in result.jobs}, shape.text) == []


POD = """containers: [{name: tensorflow, image: "r/digits:1", command: [python, a.py],
  resources: {limits: {cpu: 1, memory: 4Gi}}}]"""
SILENT = {
    "TFJob v1": """
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: digits}
spec: {tfReplicaSpecs: {Worker: {replicas: 2, template: {spec: {POD}}}}}""",
    "TFJob v1alpha2": """
apiVersion: kubeflow.org/v1alpha2
kind: TFJob
metadata: {name: digits}
spec: {tfReplicaSpecs: {Worker: {replicas: 2, template: {spec: {POD}}}}}""",
    "TFJob v1alpha1": """
apiVersion: kubeflow.org/v1alpha1
kind: TFJob
metadata: {name: digits}
spec: {replicaSpecs: [{template: {spec: {POD}}}]}""",
    "Volcano Job": """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: digits}
spec: {tasks: [{name: worker, replicas: 2, template: {spec: {restartPolicy: Never, POD}}}]}""",
    "Volcano Job in place": """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: digits}
spec: {tasks: [{name: worker, replicas: 2, template: {spec: {POD}}}]}""",
    "Volcano Job of the book": """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: digits}
spec:
  minAvailable: 3
  schedulerName: volcano
  plugins: {env: [], svc: []}
  policies: [{event: PodEvicted, action: RestartJob}]
  tasks:
  - {name: ps, replicas: 1, template: {spec: {restartPolicy: Never, POD}}}
  - name: worker
    replicas: 2
    policies: [{event: TaskCompleted, action: CompleteJob}]
    template: {spec: {restartPolicy: OnFailure, POD}}""",
    "Job": """
apiVersion: batch/v1
kind: Job
metadata: {name: digits}
spec: {template: {spec: {restartPolicy: Never, POD}}}""",
    "Job in place": """
apiVersion: batch/v1
kind: Job
metadata: {name: digits}
spec: {backoffLimit: 0, template: {spec: {restartPolicy: OnFailure, POD}}}""",
    "JobSet": """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: digits}
spec: {replicatedJobs: [{name: worker, template: {spec: {template: {spec: {POD}}}}}]}""",
    "JobSet whose Jobs restart": """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: digits}
spec: {replicatedJobs: [{name: worker, template: {spec: {template: {spec: {restartPolicy: Never, POD}}}}}]}""",
    "JobSet in place": """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: digits}
spec:
  failurePolicy: {maxRestarts: 0}
  replicatedJobs:
  - name: worker
    template: {spec: {backoffLimit: 0, template: {spec: {restartPolicy: OnFailure, POD}}}}""",
    "DistributedShell": """
yarn jar hadoop-yarn-applications-distributedshell.jar -jar x.jar -shell_command "python a.py" -num_containers 2 \
  -container_memory 4096 -container_vcores 1 -shell_env YARN_CONTAINER_RUNTIME_TYPE=docker \
  -shell_env YARN_CONTAINER_RUNTIME_DOCKER_IMAGE=r/digits:1
""",
    "Yarnfile": """
{"name": "digits", "version": "1", "components": [{"name": "worker", "number_of_containers": 2,
 "artifact": {"id": "r/digits:1", "type": "DOCKER"}, "launch_command": "python a.py",
 "resource": {"cpus": 1, "memory": "4096"}}]}""",
}
"""A manifest that leaves to its system whatever it can, by the kind."""


@pytest.mark.parametrize("kind", SILENT)
def test_what_a_system_does_by_itself_is_refused_nowhere(kind: str) -> None:
    [result] = import_manifests([Source("job", SILENT[kind].replace("POD", POD))])
    assert [job.kept for job in result.jobs] in ([True], [None])
    assert [*refusals(result.text, set())] == []
