"""Jobs in lists, in strings and in objects of other manifests; what is none is named once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from tests.unit.manifest.reading import READABLE, documents, found
from tests.unit.manifest.test_yaml import check_places
from tfdsl.manifest.find import MOST_EMBEDDED, find
from tfdsl.manifest.nodes import plain, view
from tfdsl.manifest.places import Places
from tfdsl.text import Source, Span

TFJOB = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: mnist
spec: {tfReplicaSpecs: {Worker: {replicas: 2}}}
"""


def indented(text: str, blanks: int) -> str:
    return "".join(f"{' ' * blanks}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def kinds(text: str) -> list[str | None]:
    return [view(one.node)["kind"].text for one in found(text)[0]]


def test_a_list_is_its_items() -> None:
    text = f"apiVersion: v1\nkind: List\nitems:\n- {indented(TFJOB, 2).strip()}\n- {{kind: Service, apiVersion: v1}}\n"
    result, diagnostics = found(text)
    assert diagnostics == []
    assert [one.within for one in result] == [("List.items[0]",), ("List.items[1]",)]
    assert [view(one.node)["kind"].text for one in result] == ["TFJob", "Service"]


def test_a_list_in_a_list_and_a_list_without_a_kind() -> None:
    inner = {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "batch/v1", "kind": "Job"}]}
    assert kinds(json.dumps({"apiVersion": "v1", "kind": "List", "items": [inner, inner]})) == ["Job", "Job"]
    assert kinds(json.dumps([{"apiVersion": "batch/v1", "kind": "Job"}])) == ["Job"]


def test_the_api_leaves_out_the_kind_of_items() -> None:
    text = "apiVersion: kubeflow.org/v1\nkind: TFJobList\nitems:\n- metadata: {name: a}\n"
    (one,) = found(text)[0]
    assert plain(one.node) == {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "a"}}


WORKFLOW = f"""\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {{generateName: train-}}
spec:
  templates:
  - name: train
    resource:
      action: create
      manifest: |
        # the job
{indented(TFJOB.replace("replicas: 2", "replicas: {{inputs.parameters.workers}}"), 8)}\
"""


def test_a_job_in_a_string_has_its_places_in_the_file() -> None:
    (job,), (told,) = found(WORKFLOW)
    assert job.within == ("Workflow train-", "spec.templates[0].resource.manifest")
    assert told.level == "info"
    assert told.message == "the TFJob at spec.templates[0].resource.manifest of Workflow train- is imported"
    assert told.span.text == "TFJob"
    assert told.helps == (
        "{{inputs.parameters.workers}} is filled in there: it stays, or becomes a param where no text can be",
    )
    root = view(job.node)
    assert root["metadata"]["name"].span.text == "mnist"
    assert root["metadata"]["name"].span.start == WORKFLOW.index("mnist")
    assert root["spec"]["tfReplicaSpecs"]["Worker"]["replicas"].text == "{{inputs.parameters.workers}}"
    assert root["spec"].span.text == "{tfReplicaSpecs: {Worker: {replicas: {{inputs.parameters.workers}}}}}"
    assert root.key("spec").text == "spec"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("header", ["|", "|-", "|+", "|2"])
def test_strings_of_several_lines(header: str, end: str) -> None:
    text = f"apiVersion: v1\nkind: ConfigMap\ndata:\n  a.yaml: {header}\n\n{indented(TFJOB, 4)}\n---\n{TFJOB}"
    if header == "|2":
        text = text.replace("    ", "    ").replace("\n      name", "\n      name")
    text = text.replace("\n", end)
    (job, _), _ = found(text)
    root = view(job.node)
    assert root["kind"].span.start == text.index("TFJob")
    assert root["metadata"]["name"].span.text == "mnist"
    assert root["metadata"].span.text == "name: mnist"
    check_places(job.node, job.source)


@pytest.mark.parametrize("ascii_only", [True, False])
def test_strings_with_escapes(ascii_only: bool) -> None:
    value = f'# 😀 "quoted"\t\\\n{TFJOB}# é\n---\n{TFJOB}'
    text = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "data": {"x": value}}, ensure_ascii=ascii_only)
    one, two = found(text)[0]
    for job, start in ((one, text.index("mnist")), (two, text.rindex("mnist"))):
        name = view(job.node)["metadata"]["name"].span
        assert (name.start, name.text) == (start, "mnist")


def test_a_folded_string_has_one_place() -> None:
    text = f"apiVersion: v1\nkind: ConfigMap\ndata:\n  a: >\n{indented(TFJOB, 4).replace(chr(10), chr(10) * 2)}"
    (job,), _ = found(text)
    assert view(job.node)["metadata"]["name"].span.text.startswith(">\n")


def test_an_object_in_another() -> None:
    text = f"""\
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {{name: search}}
spec:
  trialTemplate:
    trialSpec:
{indented(TFJOB, 6)}\
"""
    (job,), (told,) = found(text)
    assert job.within == ("Experiment search", "spec.trialTemplate.trialSpec")
    assert told.message == "the TFJob at spec.trialTemplate.trialSpec of Experiment search is imported"
    assert view(job.node)["kind"].span.start == text.index("TFJob")


def test_what_the_server_adds_is_not_searched() -> None:
    copy = json.dumps({"apiVersion": "batch/v1", "kind": "Job"})
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": copy}
    text = json.dumps(
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Workflow",
            "metadata": {"annotations": annotations},
            "status": {"storedTemplates": {"a": {"manifest": copy}}},
        }
    )
    (_,), (diagnostic,) = found(text)
    assert diagnostic.message == "this is an Argo Workflow without a job in it, not a manifest of a job"


def test_a_mistake_in_a_string_is_told_at_its_place() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n    kind: TFJob\n    kind: Job\n    x: [\n"
    (_,), (twice, syntax) = found(text)
    assert twice.message == "the key kind is set twice"
    assert twice.span.start == text.index("kind: Job")
    assert [label.span.start for label in twice.labels] == [text.index("kind: TFJob")]
    assert syntax.message == "this is not YAML: it ends before the last bracket is closed"
    assert syntax.span.text == "["


@pytest.mark.parametrize(
    ("text", "what", "advice"),
    [
        ("apiVersion: apps/v1\nkind: Deployment\n", "a Deployment", "import reads TFJobs"),
        ("apiVersion: v1\nkind: Ingress\n", "an Ingress", "import reads TFJobs"),
        ("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n", "a Kubeflow PyTorchJob", "jobs of TensorFlow"),
        ("apiVersion: argoproj.io/v1alpha1\nkind: Application\n", "an Argo CD Application", "argocd app manifests"),
        ("apiVersion: kustomize.config.k8s.io/v1\nkind: Kustomization\n", "a kustomization", "kubectl kustomize ."),
        ("resources: [a.yaml]\nnamePrefix: x-\n", "a kustomization", "kubectl kustomize ."),
        ("apiVersion: v2\nname: mnist\nversion: 0.1.0\n", "the description of a Helm chart", "helm template ."),
        ("version: '3'\nservices: {a: {image: b}}\n", "a file of Docker Compose", "import reads TFJobs"),
        ("apiVersion: flow.volcano.sh/v1alpha1\nkind: JobFlow\n", "a Volcano JobFlow", "JobTemplates"),
    ],
)
def test_what_is_no_job_is_named_with_what_to_do(text: str, what: str, advice: str) -> None:
    _, (diagnostic,) = found(text)
    assert diagnostic.message == f"this is {what}, not a manifest of a job"
    assert advice in "".join(diagnostic.helps)


def test_several_that_are_no_jobs_are_one_message() -> None:
    service, workflow = "apiVersion: v1\nkind: Service\n", "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n"
    _, (diagnostic,) = found(f"{service}---\n{workflow}")
    assert diagnostic.span.text == "Workflow"
    assert [(label.span.text, label.message) for label in diagnostic.labels] == [("Service", "and a Service")]


def test_a_thousand_jobs_in_one_manifest_are_enough() -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job"}
    result, diagnostics = found(json.dumps({"apiVersion": "v1", "kind": "Pack", "jobs": [job] * (MOST_EMBEDDED + 9)}))
    assert len(result) == MOST_EMBEDDED
    assert diagnostics[-1].message == "what follows is left out: of one manifest, at most 1,000 jobs are imported"


@pytest.mark.parametrize("beside", [TFJOB, "name: a yarnfile\ncomponents: []\n", "apiVersion: batch/v1\nkind: Job\n"])
def test_beside_a_job_nothing_is_said(beside: str) -> None:
    assert found(f"apiVersion: v1\nkind: Service\n---\n{beside}")[1] == []


def test_a_template_of_simpletfjob_is_read() -> None:
    text = """\
metadata: {name: "mnist-{{.type}}-{{.index}}"}
spec:
  nodeName: {{.host}}
  env:
  - name: TF_CONFIG
    value: >
{{.TF_CONFIG}}
  after: 1
"""
    (one,) = documents(text)
    assert plain(one.node) == {
        "metadata": {"name": "mnist-{{.type}}-{{.index}}"},
        "spec": {
            "nodeName": "{{.host}}",
            "env": [{"name": "TF_CONFIG", "value": "{{.TF_CONFIG}}"}],
            "after": 1,
        },
    }
    assert view(one.node)["spec"]["nodeName"].span.text == "{{.host}}"


def test_braces_that_name_no_value_are_a_text() -> None:
    assert found(TFJOB.replace("mnist", '"{{ .Values }}"'))[1] == []


def test_a_helm_template_with_single_values_alone_is_a_manifest() -> None:
    (job,), diagnostics = found(TFJOB.replace("mnist", "{{ .Values.name }}"))
    assert view(job.node)["metadata"]["name"].text == "{{ .Values.name }}"
    assert diagnostics == []


def test_a_helm_template_that_is_yaml_is_still_a_template() -> None:
    _, (diagnostic,) = found(TFJOB.replace("mnist", """'{{ include "name" . }}'"""))
    assert diagnostic.message == "this is a Helm template, not a manifest of a job"


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from([TFJOB, "kind: TFJob\n x", "TFJob", "v1"]),
    lambda of: (
        st.lists(of, max_size=3)
        | st.dictionaries(st.sampled_from(["apiVersion", "kind", "items", "metadata", "name", "x"]) | st.text(), of)
    ),
    max_leaves=12,
)


@given(ANY)
def test_any_document(value: object) -> None:
    source = Source("any.json", json.dumps([value, value]))
    diagnostics = []
    for one in find(documents(source.text), READABLE, diagnostics.append):
        check_places(one.node, one.source)
    for diagnostic in diagnostics:
        assert diagnostic.span.source.text == source.text


@given(st.text(), st.sampled_from(['"', "'", "|", ""]))
def test_places_of_any_string_are_in_it(value: str, quote: str) -> None:
    written = json.dumps(value) if quote == '"' else f"{quote}{value}{quote}"
    source = Source("x", f"a: {written}\n")
    outer = Span(source, 3, 3 + len(written))
    places = Places(outer, value)
    inner = Source("x", value)
    for start in range(len(value) + 1):
        place = places.span(Span(inner, start, min(start + 1, len(value))))
        assert outer.start <= place.start <= place.end <= max(outer.end, outer.start)
