"""What another tool fills into a manifest becomes a param where the language needs a value of a certain form."""

from __future__ import annotations

import re

import pytest

import tfdsl
from tfdsl.importing.manifests import Imported, import_manifests
from tfdsl.text import Source

CONTAINER = "{name: tensorflow, image: %s, command: [python, t.py, %s], resources: {limits: {cpu: %s, memory: %s}}}"
PODS = f"{{metadata: {{}}, spec: {{restartPolicy: Never, containers: [{CONTAINER}]}}}}"

KINDS = {
    "tfjob": """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: %(name)s}
spec:
  tfReplicaSpecs:
    Worker: {replicas: %(count)s, template: %(pods)s}
""",
    "kubernetes": """\
apiVersion: batch/v1
kind: Job
metadata: {name: %(name)s}
spec: {completions: %(count)s, parallelism: %(count)s, completionMode: Indexed, template: %(pods)s}
""",
    "volcano": """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: %(name)s}
spec:
  schedulerName: volcano
  minAvailable: %(count)s
  tasks: [{name: worker, replicas: %(count)s, template: %(pods)s}]
""",
    "jobset": """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: %(name)s}
spec:
  replicatedJobs:
  - name: worker
    template:
      spec: {completions: %(count)s, parallelism: %(count)s, completionMode: Indexed, template: %(pods)s}
""",
}  # fmt: skip
FORMS = {
    "shell": "${%s}",
    "braces": "{{%s}}",
    "helm": "{{ .Values.%s }}",
    "tekton": "$(params.%s)",
    "brackets": "<<%s>>",
    "angles": "<%s>",
}


def imported(text: str, **options: bool) -> Imported:
    return import_manifests([Source("train.yaml", text)], **options)[0]


def manifest(kind: str, form: str) -> str:
    """A job whose name, image, size, CPUs and memory are filled in, and an argument that has two of them."""

    def of(name: str) -> str:
        return f'"{form % name}"'

    words = f'"{form % "IMAGE"} {form % "COUNT"} {form % "OTHER"}"'
    pods = PODS % (of("IMAGE"), words, of("CPU"), of("MEM"))
    return KINDS[kind] % {"name": f'"train-{form % "RUN"}"', "count": of("COUNT"), "pods": pods}


def plain(kind: str) -> str:
    """A job without placeholders."""
    pods = PODS % ("registry.example.com/a:1", "x", "1", "1Gi")
    return KINDS[kind] % {"name": "train", "count": "1", "pods": pods}


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
@pytest.mark.parametrize("kind", KINDS)
def test_the_params_give_what_the_tool_would_have_filled_in(kind: str, form: str) -> None:
    text = manifest(kind, form)
    result = imported(text)
    assert [job.kept for job in result.jobs] == [True]
    names = re.findall(r"^param (\w+): (\w+)", result.text, re.M)
    assert dict(names) == {"run": "string", "image": "string", "count": "int", "cpu": "quantity", "mem": "quantity"}
    assert 'job "train-${run}"' in result.text
    values = {"RUN": "7", "IMAGE": "registry.example.com/a:1", "COUNT": "5", "CPU": "500m", "MEM": "3Gi"}
    filled = text
    for name, value in values.items():
        filled = filled.replace(f'"{form % name}"', value).replace(form % name, value)
    expected = imported(filled)
    assert [job.kept for job in expected.jobs] == [True]
    given: dict[str, object] = {
        name.lower(): int(value) if name == "COUNT" else value for name, value in values.items()
    }
    ours, theirs = (
        tfdsl.compile(text=one.text, target=kind, params=params)
        for one, params in ((result, given), (expected, {}))
    )  # fmt: skip
    assert [document.data for document in ours.documents] == [document.data for document in theirs.documents]


def test_text_that_the_language_takes_stays() -> None:
    text = manifest("kubernetes", "${%s}")
    result = imported(text)
    assert r"${image} ${count} \${OTHER}" in result.text
    told = [one for one in result.diagnostics if one.rule.slug == "import-read-differently"]
    assert [one.message.split(":")[0] for one in told] == [
        f"${{{name}}} becomes the param {name.lower()}" for name in ("RUN", "COUNT", "IMAGE", "CPU", "MEM")
    ]


def test_what_kubernetes_expands_is_not_a_placeholder() -> None:
    """``$(NAME)`` in a command and ``subPathExpr`` is replaced by the kubelet, ``$$(NAME)`` is an escape of it."""
    text = plain("kubernetes").replace("t.py, x", 't.py, "$(HOME) $$(HOME)"')
    text = text.replace("command:", "volumeMounts: [{name: d, mountPath: /d, subPathExpr: $(HOME)}], command:")
    text = text.replace("restartPolicy", "volumes: [{name: d, emptyDir: {}}], restartPolicy")
    result = imported(text)
    assert "param" not in result.text
    assert [job.kept for job in result.jobs] == [True]


def test_numbers_of_words_and_of_patches_are_params() -> None:
    text = plain("kubernetes").replace(
        "spec: {completions", "spec: {backoffLimitPerIndex: '{{PER_INDEX}}', completions"
    )
    text = text.replace("restartPolicy: Never", "restartPolicy: Never, terminationGracePeriodSeconds: '${GRACE}'")
    text = text.replace("parallelism", "activeDeadlineSeconds: $LIMIT, backoffLimit: <tries>, parallelism")
    result = imported(text)
    assert [job.kept for job in result.jobs] == [True]
    assert "deadline = limit * 1s" in result.text
    assert "stop_grace = grace * 1s" in result.text
    assert "backoffLimitPerIndex = per_index" in result.text


def test_the_path_of_a_patch_has_params() -> None:
    """The compiler names a volume by its claim, so a patch of the volume selects by a name with the param in it."""
    text = plain("kubernetes").replace("command:", "volumeMounts: [{name: d, mountPath: /d, readOnly: true}], command:")
    source = "{name: d, persistentVolumeClaim: {claimName: '{{claim}}', readOnly: true}}"
    result = imported(text.replace("restartPolicy", f"volumes: [{source}], restartPolicy"))
    assert [job.kept for job in result.jobs] == [True]
    assert 'patch pod "spec.volumes[name=pvc-${claim}].persistentVolumeClaim.readOnly" = true' in result.text


def test_a_number_that_is_no_param_is_told() -> None:
    policy = "{schedulingPolicy: {minAvailable: '{{N}}'}}"
    result = imported(plain("tfjob").replace("spec:\n", f"spec:\n  runPolicy: {policy}\n", 1))
    assert [one.level for one in result.diagnostics if "{{N}}" in one.message] == ["warning"]
    assert [job.kept for job in result.jobs] == [False]


def test_of_a_job_that_cannot_be_read_no_placeholder_is_told() -> None:
    text = plain("jobset").replace("cpu: 1", "nvidia.com/gpu: '{{gpus}}', cpu: 1")
    assert "gpus" in imported(text).text
    result = imported(text.replace("name: worker", "name: initializer-of-all"))
    told = [one.message for one in result.diagnostics]
    assert told
    assert not any("gpus" in message for message in told)


def test_a_param_is_not_the_number_that_stands_in_for_it() -> None:
    """Else the second role would have the gpus of the first."""
    pod = "{restartPolicy: Never, containers: [{name: t, image: a, resources: {limits: {nvidia.com/gpu: GPUS}}}]}"
    tasks = "".join(
        f"  - {{name: {name}, replicas: 1, template: {{spec: {pod.replace('GPUS', gpus)}}}}}\n"
        for name, gpus in (("chief", "2"), ("worker", "'${G}'"))
    )
    head = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\nspec:\n"
    result = imported(f"{head}  minAvailable: 2\n  schedulerName: volcano\n  tasks:\n{tasks}")
    assert "gpu = 2" in result.text
    assert "gpu = g" in result.text


# --- names


def generated(kind: str) -> str:
    """A job whose name the server makes."""
    return plain(kind).replace("{name: train}", "{generateName: nightly-}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_generated_name(kind: str) -> None:
    result = imported(generated(kind))
    [told] = [one for one in result.diagnostics if "generateName" in one.message]
    assert told.message.startswith("generateName nightly- becomes the name nightly:")
    assert [(job.name, job.kept) for job in result.jobs] == [("nightly", True)]


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", KINDS)
def test_two_jobs_of_one_name_are_both_written(first: str, second: str) -> None:
    text = (
        f"{generated(first)}---\n{generated(second).replace('generateName: nightly-', 'name: nightly, namespace: b')}"
    )
    result = imported(text)
    assert sorted((job.name, job.kept) for job in result.jobs) == [("nightly", True), ("nightly-2", True)]
    [told] = [one for one in result.diagnostics if one.level == "warning" and "name of this job" in one.message]
    assert told.message == "the name of this job is nightly-2, because there is another job nightly"
    assert [job.renamed for job in sorted(result.jobs, key=lambda job: job.name)] == [False, True]
    apart = import_manifests([Source("train.yaml", text)], apart=True)
    [said] = [one for one in apart[0].diagnostics if "another job" in one.message]
    assert (said.level, said.span.text) == ("warning", told.span.text)
    assert [(job.name, job.kept) for one in apart for job in one.jobs] == [("nightly", True)] * 2
