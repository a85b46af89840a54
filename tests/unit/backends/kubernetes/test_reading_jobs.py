"""Which Jobs make one job, and what it is called (docs/targets/kubernetes.md; simpletfjob)."""

from __future__ import annotations

import pytest

from tests.unit.backends.kubernetes.jobs_read import documents, groups, job, lines, read, told
from tfdsl.manifest.nodes import plain, view
from tfdsl_backends.kubernetes import reading

PEERS = "subdomain: digits"
SERVICE = "---\napiVersion: v1\nkind: Service\nmetadata: {name: digits}\nspec: {clusterIP: None, selector: {a: b}}\n"
CONFIG = '{"cluster": {"ps": ["n1:2222"], "worker": ["n2:2222"]}, "task": {"type": "%s", "index": 0}}'


def on_host(role: str, host: str, name: str = "", config: str = CONFIG) -> str:
    fields = f"nodeName: {host}, hostNetwork: true"
    env = f"env: [{{name: TF_CONFIG, value: '{config % role}'}}]"
    return job("backoffLimit: 0", name=name or f"digits-{role}-0", pod=fields, container=env)


def names(text: str) -> list[list[str | None]]:
    return [[view(one.node)["metadata"]["name"].text for one in group.documents] for group in groups(text)]


def test_jobs_with_nothing_in_common_are_jobs_of_their_own() -> None:
    assert names(job(name="digits-worker") + job(name="digits-ps")) == [["digits-worker"], ["digits-ps"]]
    assert names(job(name="a-worker", pod=PEERS) + job(name="b-ps", pod=PEERS)) == [["a-worker"], ["b-ps"]]


def test_jobs_of_one_name_that_anything_ties_are_one() -> None:
    assert names(job(name="digits-worker", pod=PEERS) + job(name="digits-ps", pod=PEERS)) == [
        ["digits-worker", "digits-ps"]
    ]
    assert names(on_host("ps", "n1") + on_host("worker", "n2")) == [["digits-ps-0", "digits-worker-0"]]
    flags = "args: ['--worker_hosts=a:1,b:1']"
    assert len(groups(job(name="d-worker-0", container=flags) + job(name="d-worker-1", container=flags))) == 1


def test_replicas_that_are_missing_make_no_job() -> None:
    text = on_host("ps", "n1") + on_host("worker", "n2", "digits-worker-3")
    assert names(text) == [["digits-ps-0"], ["digits-worker-3"]]


def test_the_service_that_finds_all_pods_belongs_to_them_and_others_do_not() -> None:
    labelled = job(name="digits-worker", pod=PEERS).replace("template: {", "template: {metadata: {labels: {a: b}}, ")
    assert names(labelled + SERVICE) == [["digits-worker", "digits"]]
    assert names(labelled + SERVICE.replace("a: b", "a: c")) == [["digits-worker"]]
    assert names(labelled + SERVICE.replace("name: digits", "name: other")) == [["digits-worker"]]


def test_jobs_of_others_are_left_to_them() -> None:
    assert groups("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {}\n") == []
    assert groups("kind: Job\n") == []


def test_a_job_of_any_name_is_one_worker() -> None:
    draft, messages = read(job("backoffLimit: 0", name="pi.v2"))
    assert (draft.name, list(draft.roles)) == ("pi-v2", ["worker"])
    assert [one.message.partition(":")[0] for one in messages] == [
        "the name pi.v2 becomes pi-v2",
        "the name pi.v2 becomes pi-v2-worker",
    ]
    assert lines(draft.options) == ["istio_annotation = false", "service = false"]
    assert draft.cluster == {"discovery": "none"}


@pytest.mark.parametrize(
    ("name", "job_name", "role"),
    [
        ("digits-worker", "digits", "worker"),
        ("digits-chief", "digits", "chief"),
        ("digits-ps", "digits-ps", "worker"),
        ("digits-evaluator", "digits-evaluator", "worker"),
        ("digits-trainer", "digits-trainer", "worker"),
    ],
)
def test_names_of_single_jobs(name: str, job_name: str, role: str) -> None:
    draft, _ = read(job(name=name))
    assert (draft.name, list(draft.roles)) == (job_name, [role])


def test_a_role_of_another_name() -> None:
    config = CONFIG.replace('"worker"', '"trainer"')
    text = on_host("ps", "n1", config=config) + on_host("trainer", "n2", config=config)
    [message] = told(text)
    assert message == "9: TFJ4204 the Job digits-trainer-0 is not a role of the language"
    draft, _ = read(text, trainer="worker")
    assert (list(draft.roles), draft.renamed) == (["ps", "worker"], {"trainer": "worker"})


def test_jobs_on_hosts() -> None:
    draft, messages = read(on_host("worker", "n2") + on_host("ps", "n1"))
    assert (draft.name, draft.law, draft.cluster) == ("digits", True, {})
    assert lines(draft.options)[0] == 'hosts = ["n1", "n2"]'
    assert lines(draft.role("worker")) == ['image = "a"']
    assert messages == []


def test_the_index_of_replicas_on_hosts_is_found() -> None:
    config = CONFIG.replace('["n2:2222"]', '["n2:2222", "n3:2222"]').replace('"index": 0', '"index": %s')
    text = on_host("ps", "n1", config=config % ("%s", 0))
    for index, host in enumerate(("n2", "n3")):
        one = on_host("worker", host, f"digits-worker-{index}", config % ("%s", index))
        text += one.replace("image: a", f"image: a, args: ['--shard={index}', '7']")
    draft, _ = read(text)
    assert lines(draft.role("worker")) == ["replicas = 2", 'image = "a"', 'args = ["--shard=${task.index}", "7"]']


def test_jobs_of_single_replicas_that_are_on_no_hosts_become_one_and_need_not_come_back() -> None:
    flags = "args: ['--worker_hosts=a:1,b:1']"
    draft, messages = read(job(name="d-worker-0", container=flags) + job(name="d-worker-1", container=flags))
    assert not draft.law
    assert lines(draft.role("worker"))[0] == "replicas = 2"
    assert messages[-1].message.startswith("d-worker-0 to d-worker-1 becomes role worker: ")


def test_what_all_jobs_say_is_the_job_s() -> None:
    text = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: ml, labels: {team: x, "
    text += "kueue.x-k8s.io/queue-name: gpu, controller-uid: 5}, annotations: {b: c, "
    text += "kubectl.kubernetes.io/last-applied-configuration: '{}'}}\nspec: {backoffLimit: 0, suspend: true, "
    text += "activeDeadlineSeconds: 3600, ttlSecondsAfterFinished: 0, template: {spec: {restartPolicy: Never, "
    text += "containers: [{name: a, image: a}]}}}\n"
    draft, _ = read(text)
    assert lines(draft.job) == [
        'namespace = "ml"',
        'labels[team] = "x"',
        'queue = "gpu"',
        'annotations[b] = "c"',
        "deadline = 1h",
        "ttl = 0s",
        "suspend = true",
    ]


def test_a_cron_job_is_its_job_without_the_schedule() -> None:
    body = job("backoffLimit: 0").partition("spec: ")[2].strip()
    text = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\n"
    text += f"spec:\n  schedule: '0 2 * * *'\n  jobTemplate: {{metadata: {{labels: {{a: b}}}}, spec: {body}}}\n"
    draft, messages = read(text)
    assert (draft.name, lines(draft.job)) == ("nightly", ['labels[a] = "b"'])
    assert messages[0].span.text == "schedule"
    [document] = documents(text)
    [normal] = reading.normal([document.node], "1.34")
    data = plain(normal)
    assert isinstance(data, dict)
    assert (data["kind"], data["metadata"]) == ("Job", {"name": "nightly", "labels": {"a": "b"}})


def test_a_template_of_simpletfjob_has_params() -> None:
    text = on_host("{{.type}}", "{{.host}}", "digits-{{.type}}-{{.index}}").replace("digits-{{.type}}-0", "x")
    text = text.replace("'" + CONFIG % "{{.type}}" + "'", "'{{.TF_CONFIG}}'").replace(": {{.host}}", ": '{{.host}}'")
    text = text.replace("name: digits-{{.type}}-{{.index}}", "name: 'digits-{{.type}}-{{.index}}'")
    draft, _ = read(text.replace("image: a", "image: a, args: ['--task={{.index}}', '{{.type}}']"))
    assert [param.name for param in draft.params] == ["psn", "hosts"]
    assert lines(draft.role("worker")) == [
        "replicas = len(hosts) - psn",
        'image = "a"',
        'args = ["--task=${task.index}", "worker"]',
    ]
    assert lines(draft.options)[0] == "hosts = hosts"
