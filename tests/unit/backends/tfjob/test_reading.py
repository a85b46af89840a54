"""TFJobs as drafts of jobs: names, roles, replicas, policies, and what the server would say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tfdsl.backend.draft import Attribute, Bare, Draft, Mount, Patch, Policy
from tfdsl.backend.reading import Asked
from tfdsl.manifest import nodes
from tfdsl.manifest.yaml import read as read_yaml
from tfdsl.text import Source
from tfdsl_backends.tfjob import reading

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tfdsl.backend.draft import Block
    from tfdsl.diagnostics import Diagnostic

POD = "{spec: {containers: [{name: tensorflow, image: registry.example.com/mnist:1}]}}"

POD_OF = "Worker: {{template: {{spec: {{containers: [{{name: tensorflow, image: x, {}}}]}}}}}}"
NOTHING_TRAINS = "error 6: the language cannot say the job: it has neither a chief (master) nor workers"


def plain(node: nodes.Node) -> Any:
    return nodes.plain(node)


class Read:
    """The first job of a text, and what was told about it."""

    def __init__(self, text: str, roles: Mapping[str, str] | None = None, path: str = "job.yaml") -> None:
        self.told: list[Diagnostic] = []
        asked = Asked(roles or {}, self.told.append)
        self.groups = reading.groups(read_yaml(Source(path, text), self.told.append))
        self.draft = reading.read(self.groups[0], asked) if self.groups else None

    @property
    def made(self) -> Draft:
        assert self.draft is not None, self.messages
        return self.draft

    @property
    def messages(self) -> list[str]:
        return [f"{one.level} {one.span.source.position(one.span.start)[0]}: {one.message}" for one in self.told]

    @property
    def job(self) -> list[str]:
        return said(self.made.job)

    @property
    def options(self) -> list[str]:
        return said(self.made.options)

    def role(self, name: str) -> list[str]:
        return said(self.made.roles[name])


def said(block: Block) -> list[str]:
    """The statements of a block in words, images left out."""
    words: list[str] = []
    for one in block.statements:
        if isinstance(one, Attribute):
            value = one.value.words if isinstance(one.value, Bare) else repr(one.value)
            words.append(f"{one.name}{f'[{one.key}]' if one.key else ''} = {value}")
        elif isinstance(one, Policy):
            words.append(f"on {one.event} => {one.action}")
        elif isinstance(one, Mount):
            source = one.source.words if isinstance(one.source, Bare) else one.source
            words.append(f"mount {one.kind} {source} at {one.at}")
        elif isinstance(one, Patch):
            words.append(f"patch {one.path} {one.operator} {one.value}")
    return [word for word in words if not word.startswith("image =")]


def job(spec: str = "", *, roles: str = f"Worker: {{template: {POD}}}", version: str = "kubeflow.org/v1") -> str:
    """A TFJob with the lines ``spec`` and the roles ``roles``, one on each line."""
    lines = "".join(f"  {line}\n" for line in spec.splitlines())
    entries = "".join(f"    {line}\n" for line in roles.splitlines())
    head = f"apiVersion: {version}\nkind: TFJob\nmetadata: {{name: mnist}}\nspec:\n"
    return f"{head}{lines}  tfReplicaSpecs:\n{entries}"


def role(key: str, restart: str = "", replicas: object = 1) -> str:
    policy = f"restartPolicy: {restart}, " if restart else ""
    return f"{key}: {{replicas: {replicas}, {policy}template: {POD}}}\n"


def restarts(*policies: tuple[str, str], spec: str = "") -> Read:
    """A job whose roles have these restart policies, and no other line about itself."""
    roles = "".join(role(key, restart) for key, restart in policies)
    return Read(job(f"runPolicy: {{cleanPodPolicy: Running, backoffLimit: 4}}\n{spec}", roles=roles))


# --- which documents, and their names ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "what"),
    [
        ("apiVersion: kubeflow.org/v1\nkind: TFJob", "TFJob v1"),
        ("apiVersion: kubeflow.org/v1beta2\nkind: TFJob", "TFJob v1beta2"),
        ("apiVersion: mlkube.io/v1beta1\nkind: TfJob", "TfJob mlkube.io/v1beta1"),
        ("apiVersion: training.kubedl.io/v1alpha1\nkind: TFJob", "TFJob training.kubedl.io/v1alpha1"),
        ("apiVersion: kubeflow.org/v1\nkind: PyTorchJob", None),
        ("apiVersion: kubeflow.org/v1beta1\nkind: Experiment", None),
        ("apiVersion: 5\nkind: [TFJob]", None),
    ],
)
def test_which_documents_are_tfjobs(head: str, what: str | None) -> None:
    found = [group.what for group in Read(f"{head}\n").groups]
    assert found == ([what] if what else [])


def test_each_document_is_a_job() -> None:
    both = Read(f"{job()}---\n{job()}")
    assert [len(group.documents) for group in both.groups] == [1, 1]


def test_metadata() -> None:
    text = job().replace("{name: mnist}", "{name: mnist, namespace: ml, labels: {team: a}, annotations: {note: b}}")
    assert Read(text).job[:3] == ["namespace = 'ml'", "labels[team] = 'a'", "annotations[note] = 'b'"]


def test_name_that_the_server_makes() -> None:
    read = Read(job().replace("name: mnist", "generateName: mnist-"))
    assert read.made.name == "mnist"
    assert read.messages == [
        "info 3: generateName mnist- becomes the name mnist: the server makes another name of it each time"
    ]


def test_a_namespace_that_the_server_refuses() -> None:
    read = Read(job().replace("name: mnist", "name: mnist, namespace: Machine Learning"))
    reason = "a namespace has at most 63 lowercase letters, digits and -"
    assert read.messages == [f"warning 3: the server refuses namespace Machine Learning: {reason}"]


def test_name_that_the_webhook_refuses() -> None:
    """W1: a DNS-1035 label."""
    read = Read(job().replace("name: mnist", "name: 0mnist"))
    assert read.made.name == "job-0mnist"
    assert not read.made.law
    assert read.messages == ["warning 3: the server refuses name 0mnist: it begins with a letter"]


# --- roles -------------------------------------------------------------------------------------------------------


def test_roles_in_any_case() -> None:
    read = Read(job(roles=role("CHIEF") + role("Ps", replicas=2) + role("WORKER", replicas=4) + role("evaluator")))
    assert list(read.made.roles) == ["chief", "ps", "worker", "evaluator"]
    assert read.role("ps") == ["replicas = 2"]
    assert read.role("chief") == []
    assert read.messages == []
    assert read.made.renamed == {}


def test_replicas_default_to_one() -> None:
    assert Read(job()).role("worker") == []


def test_a_role_of_another_name() -> None:
    text = job(roles=role("Trainer", replicas=2))
    read = Read(text)
    assert read.draft is None
    assert read.messages == ["error 6: the replica spec Trainer is not a role of the language"]
    assert "--role Trainer=worker" in read.told[0].helps[0]
    named = Read(text, {"trainer": "worker"})
    assert list(named.made.roles) == ["worker"]
    assert named.made.renamed == {"Trainer": "worker"}
    [wanted] = [plain(node) for node in named.made.wanted]
    assert list(wanted["spec"]["tfReplicaSpecs"]) == ["Worker"]
    assert Read(text, {"trainer": "tensorboard"}).draft is None


def test_a_known_role_can_be_named_too() -> None:
    read = Read(job(roles=role("Worker")), {"Worker": "chief"})
    assert (list(read.made.roles), read.made.renamed) == (["chief"], {"Worker": "chief"})


def test_a_role_without_replicas_is_left_out() -> None:
    """Seen: the operator makes the pod of replica 0 and deletes it again."""
    read = Read(job(roles=role("Worker") + role("PS", replicas=0)))
    assert list(read.made.roles) == ["worker"]
    assert read.messages == ["info 7: role ps is left out: it has no replicas"]
    assert read.made.law


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (role("PS"), NOTHING_TRAINS),
        (role("Worker", replicas=0), NOTHING_TRAINS),
        (
            role("Worker", replicas=100001),
            "error 6: the language cannot say role worker with 100001 replicas: it can have 100,000",
        ),
        (role("Chief", replicas=2), "error 6: the language cannot say role chief with 2 replicas: a job has one chief"),
    ],
)  # fmt: skip
def test_jobs_without_words(roles: str, message: str) -> None:
    read = Read(job(roles=roles))
    assert read.draft is None
    assert read.messages[-1] == message


@pytest.mark.parametrize(
    ("roles", "kept", "message"),
    [
        (role("Chief") + role("Master"), "chief", "the server refuses Master: a TFJob has one chief or master"),
        (role("Worker") + role("WORKER"), "worker",
         "WORKER is left out: there is a role worker already, and the operator keeps one of the two"),
        (role("Worker") + role("PS", replicas=-1), "worker", "replicas -1 of PS is left out: it is negative"),
    ],
)  # fmt: skip
def test_roles_that_the_operator_does_not_take(roles: str, kept: str, message: str) -> None:
    read = Read(job(roles=roles))
    assert list(read.made.roles) == [kept]
    assert f"warning 7: {message}" in read.messages
    assert not read.made.law


# --- policies ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("restart", "policies"),
    [
        ("", []),
        ("Never", []),
        ("OnFailure", ["on failed => restart container"]),
        ("Always", ["on failed => restart container"]),
        ("ExitCode", ["on exit 1..127 => fail job", "on failed => restart pod"]),
    ],
)
def test_one_policy_for_all_roles(restart: str, policies: list[str]) -> None:
    read = restarts(("Chief", restart), ("Worker", restart))
    assert read.job == policies
    assert read.role("chief") == read.role("worker") == []
    assert restarts(("Worker", restart)).job == policies


def test_a_role_that_restarts_alone_says_so() -> None:
    read = restarts(("PS", "Never"), ("Worker", "OnFailure"))
    assert (read.job, read.role("worker")) == ([], ["on failed => restart container"])
    assert read.role("ps") == []


def test_a_role_that_fails_alone_says_so() -> None:
    read = restarts(("Chief", "Never"), ("PS", "OnFailure"), ("Worker", "OnFailure"), ("Evaluator", "OnFailure"))
    assert (read.job, read.role("chief")) == (["on failed => restart container"], ["on failed => fail job"])
    assert read.role("worker") == []


def test_three_kinds_of_restarts() -> None:
    read = restarts(("Chief", "Never"), ("PS", "OnFailure"), ("Worker", "ExitCode"))
    assert read.job == []
    assert read.role("ps") == ["on failed => restart container"]
    assert read.role("worker") == ["on exit 1..127 => fail job", "on failed => restart pod"]


@pytest.mark.parametrize(
    ("limit", "job_says", "options"),
    [
        ("", [], ["limit_restarts = False"]),
        ("backoffLimit: 4", [], []),
        ("backoffLimit: 3", ["retries = 2"], []),
        ("backoffLimit: 2147483647", ["retries = 2147483646"], []),
        ("backoffLimit: 1", ["on restarted 1 => fail job"], []),
        ("backoffLimit: 0", ["on restarted 1 => fail job"], []),
    ],
)
def test_limit_of_restarts(limit: str, job_says: list[str], options: list[str]) -> None:
    """backoffLimit is one more than the restarts that are allowed; the language allows 3."""
    read = Read(job(f"runPolicy: {{cleanPodPolicy: Running, {limit}}}", roles=role("Worker", "OnFailure")))
    assert [word for word in read.job if word != "on failed => restart container"] == job_says
    assert [word for word in read.options if not word.startswith("istio")] == options


@pytest.mark.parametrize("restart", ["Never", "ExitCode"])
def test_a_limit_that_counts_nothing(restart: str) -> None:
    read = Read(job("runPolicy: {backoffLimit: 5}", roles=role("Worker", restart)))
    reason = "no role restarts its containers in place, and other restarts are not counted"
    assert read.messages == [f"info 5: backoffLimit 5 is left out: {reason}"]
    assert "limit_restarts = False" not in read.options


@pytest.mark.parametrize(
    ("policy", "roles", "says"),
    [
        ("", role("Worker", replicas=2), ["on worker[0] completed => complete job"]),
        ("", role("Worker"), []),
        ("AllWorkers", role("Worker", replicas=2), []),
        ("", role("Worker", replicas=2) + role("Chief"), []),
        ("", role("Master") + role("Worker", replicas=2), []),
    ],
)
def test_what_completes_the_job(policy: str, roles: str, says: list[str]) -> None:
    read = Read(job(f'runPolicy: {{cleanPodPolicy: Running}}\nsuccessPolicy: "{policy}"', roles=roles))
    assert [option for option in read.options if not option.startswith("istio")] == says
    assert read.job == read.messages == []


def test_success_policies_that_the_operator_does_not_look_at() -> None:
    with_chief = Read(job("successPolicy: AllWorkers", roles=role("Chief") + role("Worker", replicas=2)))
    reason = "the chief (master) completes the job"
    assert with_chief.messages == [f"info 5: successPolicy AllWorkers is left out: {reason}"]
    unknown = Read(job("successPolicy: ChiefWorker", roles=role("Worker", replicas=2)))
    assert "on worker[0] completed => complete job" in unknown.options
    assert unknown.messages[0].startswith(
        "info 5: successPolicy ChiefWorker is left out: the operator knows AllWorkers"
    )


# --- run policy --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ("", []),
        ("cleanPodPolicy: None", ["cleanup = 'none'"]),
        ("cleanPodPolicy: Running", []),
        ("cleanPodPolicy: All", ["cleanup = 'all'"]),
        ("cleanPodPolicy: Running, activeDeadlineSeconds: 604800", ["deadline = 7d"]),
        ("cleanPodPolicy: Running, activeDeadlineSeconds: 90", ["deadline = 90s"]),
        ("cleanPodPolicy: Running, ttlSecondsAfterFinished: 5400", ["ttl = 90m"]),
        ("cleanPodPolicy: Running, ttlSecondsAfterFinished: 0", ["ttl = 0s"]),
        ("cleanPodPolicy: Running, suspend: true", ["suspend = True"]),
        ("cleanPodPolicy: Running, suspend: false", []),
        ("cleanPodPolicy: Running, schedulingPolicy: {queue: research}", ["queue = 'research'"]),
    ],
)
def test_run_policy(policy: str, says: list[str]) -> None:
    read = Read(job(f"runPolicy: {{{policy}}}"))
    assert (read.job, read.messages) == (says, [])
    assert ("cleanup = 'none'" in read.options) == (not policy)  # the default of the operator


@pytest.mark.parametrize(("value", "said"), [("true", True), ("false", False)])
def test_dynamic_workers_are_an_option(value: str, said: bool) -> None:
    assert ("dynamic_workers = True" in Read(job(f"enableDynamicWorker: {value}")).options) == said


def test_a_queue_is_that_of_volcano() -> None:
    """Of the gang schedulers only Volcano has queues."""
    assert "gang_scheduler = 'volcano'" in Read(job("runPolicy: {schedulingPolicy: {queue: research}}")).options


def test_a_clean_up_that_the_operator_does_not_know() -> None:
    read = Read(job("runPolicy: {cleanPodPolicy: Sometimes}"))
    assert read.job == ["cleanup = 'all'"]
    assert read.messages == [
        'info 5: cleanPodPolicy Sometimes becomes cleanup = "all": the operator deletes all pods for a word that it '
        "does not know"
    ]


def test_policies_at_their_old_place() -> None:
    read = Read(job("cleanPodPolicy: Running\nttlSecondsAfterFinished: 60"))
    assert read.job == ["ttl = 1m"]
    assert read.messages == [
        "info 5: spec.cleanPodPolicy becomes spec.runPolicy.cleanPodPolicy: operators since 1.0.1 look for it there "
        "only",
        "info 6: spec.ttlSecondsAfterFinished becomes spec.runPolicy.ttlSecondsAfterFinished: operators since 1.0.1 "
        "look for it there only",
    ]


def test_kueue() -> None:
    text = job("runPolicy: {cleanPodPolicy: Running}")
    text = text.replace("{name: mnist}", "{name: mnist, labels: {kueue.x-k8s.io/queue-name: users, team: a}}")
    read = Read(text)
    assert read.job == ["labels[team] = 'a'", "queue = 'users'"]
    assert "kueue = True" in read.options


@pytest.mark.parametrize(
    ("policy", "patches"),
    [
        ("managedBy: kueue.x-k8s.io/multikueue", ["patch spec.runPolicy.managedBy = kueue.x-k8s.io/multikueue"]),
        ("managedBy: kubeflow.org/training-operator", []),
        ("schedulingPolicy: {priorityClass: high}", ["patch spec.runPolicy.schedulingPolicy.priorityClass = high"]),
        (
            "schedulingPolicy: {minResources: {cpu: 2}, scheduleTimeoutSeconds: 60}",
            [
                "patch spec.runPolicy.schedulingPolicy.minResources = {'cpu': '2'}",
                "patch spec.runPolicy.schedulingPolicy.scheduleTimeoutSeconds = 60",
            ],
        ),
    ],
)
def test_what_has_no_word_is_a_patch(policy: str, patches: list[str]) -> None:
    read = Read(job(f"runPolicy: {{{policy}}}"))
    assert [option for option in read.options if option.startswith("patch")] == patches


def test_a_priority_of_pods_and_gang_is_one() -> None:
    pod = POD.replace("{spec: {", "{spec: {priorityClassName: high, ")
    read = Read(job("runPolicy: {schedulingPolicy: {priorityClass: high}}", roles=f"Worker: {{template: {pod}}}"))
    assert "priority = 'high'" in read.job
    assert not [option for option in read.options if option.startswith("patch")]


@pytest.mark.parametrize(
    ("least", "job_says", "roles"),
    [
        (7, [], {}),
        (1, ["gang = False"], {}),
        (5, [], {"worker": ["replicas = 4", "min_available = 2"]}),
        (2, [], {"worker": ["replicas = 4", "min_available = 0"], "ps": ["replicas = 2", "min_available = 1"]}),
    ],
)
def test_gangs(least: int, job_says: list[str], roles: dict[str, list[str]]) -> None:
    text = job(
        f"runPolicy: {{cleanPodPolicy: Running, schedulingPolicy: {{minAvailable: {least}}}}}",
        roles=role("Chief") + role("PS", replicas=2) + role("Worker", replicas=4),
    )
    read = Read(text)
    assert read.job == job_says
    assert "gang_scheduler = 'volcano'" in read.options
    for name, says in roles.items():
        assert read.role(name) == says


def test_the_gang_scheduler_is_the_one_of_the_pods() -> None:
    pod = POD.replace("{spec: {", "{spec: {schedulerName: scheduler-plugins-scheduler, ")
    read = Read(
        job("runPolicy: {schedulingPolicy: {minAvailable: 2}}", roles=f"Worker: {{replicas: 2, template: {pod}}}")
    )
    assert "gang_scheduler = 'scheduler-plugins-scheduler'" in read.options


def test_a_gang_that_never_starts() -> None:
    read = Read(job("runPolicy: {schedulingPolicy: {minAvailable: 3}}", roles=role("Worker", replicas=2)))
    assert not read.made.law
    assert read.messages == ["warning 5: minAvailable 3 is left out: it has 2 replicas, so a gang of 3 never starts"]


# --- what the server drops and refuses ---------------------------------------------------------------------------


def test_fields_that_the_server_drops() -> None:
    read = Read(
        job("replicas: 3\nrunPolicy: {cleanupPolicy: All}", roles=f"Worker: {{tfReplicaType: W, template: {POD}}}")
    )
    no_field = "a TFJob of kubeflow.org/v1 has no such field, and the server drops it"
    unknown = "TFJob has no such field here; its server drops it, or refuses it if kubectl validates"
    assert sorted(read.messages) == [
        f"info 5: spec.replicas becomes an unchecked patch: {unknown}",
        f"info 6: spec.runPolicy.cleanupPolicy becomes an unchecked patch: {unknown}",
        f"info 8: spec.tfReplicaSpecs.Worker.tfReplicaType is left out: {no_field}",
    ]
    assert read.made.law


def test_what_kubectl_get_adds_is_left_out_without_a_word() -> None:
    text = job().replace(
        "{name: mnist}",
        "{name: mnist, uid: a-b, resourceVersion: '5', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', "
        "managedFields: [{manager: kubectl}], annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}",
    )
    read = Read(f"{text}status: {{conditions: [], startTime: x}}\n")
    assert (read.job, read.messages) == ([], [])


def test_the_restart_policy_of_pods_is_not_looked_at() -> None:
    """Seen: a warning event SetPodTemplateRestartPolicy."""
    pod = POD.replace("{spec: {", "{spec: {restartPolicy: OnFailure, ")
    read = Read(job(roles=f"Worker: {{template: {pod}}}"))
    assert "on failed => restart container" not in read.job
    assert read.messages == [
        "info 6: restartPolicy of the pods is left out: the operator overwrites it with that of each role"
    ]


@pytest.mark.parametrize(
    ("spec", "roles", "line", "message"),
    [
        ("runPolicy: {activeDeadlineSeconds: -1}", "", 5, "activeDeadlineSeconds -1 is left out: it is negative"),
        ("runPolicy: {backoffLimit: soon}", "", 5, "spec.runPolicy.backoffLimit: it must be a whole number"),
        ("runPolicy: [a]", "", 5, "spec.runPolicy: it must be a map"),
        ("runPolicy: {managedBy: me}", "",
         5, "managedBy me: it is kubeflow.org/training-operator or kueue.x-k8s.io/multikueue"),
        ("", role("Worker", "Sometimes"),
         6, "restartPolicy Sometimes of Worker is left out: no pod can be created with it"),
        ("", "Worker: {template: {spec: {containers: [{name: main, image: x}]}}}",
         6, "Worker: one of its containers must be called tensorflow"),
        ("", "Worker: {template: {spec: {containers: [{name: tensorflow}]}}}",
         6, "container tensorflow of Worker: it has no image"),
        ("", POD_OF.format("resources: {limits: {cpu: 1Gigs}}"),
         6, "cpu 1Gigs: it is not an amount"),
        ("", "Worker: {replicas: 1}", 6, "Worker: its template has no container"),
        ("", "Worker: {template: {spec: {containers: [{name: tensorflow, image: x, env: [{name: A}, {name: A}]}]}}}",
         6, "spec.tfReplicaSpecs.Worker.template.spec.containers[0].env[1]: A is there twice"),
    ],
)  # fmt: skip
def test_what_the_server_refuses(spec: str, roles: str, line: int, message: str) -> None:
    read = Read(job(spec, roles=roles or role("Worker")))
    words = message if "is left out" in message else f"the server refuses {message}"
    assert f"warning {line}: {words}" in read.messages
    assert not read.made.law


# --- older APIs, and forks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["kubeflow.org/v1alpha2", "kubeflow.org/v1beta1", "kubeflow.org/v1beta2"])
def test_the_older_operators_cleaned_up(version: str) -> None:
    read = Read(job(version=version))
    assert read.job == []
    assert read.messages == [f"info 1: {version} becomes kubeflow.org/v1: operators of today serve no other"]


def test_the_list_of_the_first_api() -> None:
    text = f"""
apiVersion: kubeflow.org/v1alpha1
kind: TFJob
metadata: {{name: mnist}}
spec:
  replicaSpecs:
    - {{tfReplicaType: PS, replicas: 2, template: {POD}}}
    - {{template: {POD.replace("{spec: {", "{spec: {restartPolicy: OnFailure, ")}}}
"""
    read = Read(text)
    assert list(read.made.roles) == ["ps", "master"]
    assert (read.job, "cleanup = 'all'" in read.options) == ([], True)
    assert read.role("master") == ["on failed => restart container"]


@pytest.mark.parametrize(
    ("decider", "told"),
    [
        ("{replicaName: MASTER, replicaIndex: 0}", False),
        ("{replicaName: WORKER, replicaIndex: 0}", True),
        ("{replicaName: MASTER, replicaIndex: 1}", True),
    ],
)
def test_another_task_completed_the_job(decider: str, told: bool) -> None:
    items = f"[{{template: {POD}}}, {{tfReplicaType: WORKER, template: {POD}}}]"
    spec = f"{{terminationPolicy: {{chief: {decider}}}, replicaSpecs: {items}}}"
    read = Read(f"apiVersion: kubeflow.org/v1alpha1\nkind: TFJob\nmetadata: {{name: a}}\nspec: {spec}\n")
    reason = "the job is complete with replica 0 of Master"
    assert any(f"is left out: {reason}" in message for message in read.messages) == told


def test_kubedl() -> None:
    read = Read(job("cacheBackend: {name: a}\nttlSecondsAfterFinished: 60", version="training.kubedl.io/v1alpha1"))
    assert read.job == ["ttl = 1m"]
    assert read.options[-2:] == ["on exit 1..127 => fail job", "on failed => restart pod"]
    assert read.messages == [
        "info 1: training.kubedl.io/v1alpha1 becomes kubeflow.org/v1: that is what Kubeflow's operator serves",
        "warning 5: spec.cacheBackend is left out: "
        "a TFJob of kubeflow.org/v1 has no such field, and the server drops it",
    ]


def test_tensorboard_of_the_first_api() -> None:
    text = f"""
apiVersion: mlkube.io/v1beta1
kind: TfJob
metadata: {{name: mnist}}
spec:
  tensorboard:
    logDir: /logs
    serviceType: LoadBalancer
    volumes: [{{name: logs, persistentVolumeClaim: {{claimName: runs}}}}]
    volumeMounts: [{{name: logs, mountPath: /logs}}]
  replicaSpecs: [{{template: {POD}}}]
"""
    read = Read(text)
    assert read.role("tensorboard") == ["logdir = '/logs'", "mount pvc runs at /logs"]
    job, deployment, service = [plain(node) for node in read.made.wanted]
    assert [job["kind"], deployment["kind"], service["spec"]["type"]] == ["TFJob", "Deployment", "LoadBalancer"]
    assert deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    without = Read(text.replace("logDir: /logs", "logdir: /logs"))
    assert list(without.made.roles) == ["master"]
    assert "info 7: spec.tensorboard is left out: it has no logDir" in without.messages


# --- what belongs to a job ---------------------------------------------------------------------------------------

MOUNTED = (
    "Worker: {template: {spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: mnist-data}}], "
    "containers: [{name: tensorflow, image: x, volumeMounts: [{name: v, mountPath: /data}]}]}}}"
)


def claim(name: str, more: str = "") -> str:
    spec = f"{{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 10Gi}}}}{more}}}"
    return f"---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}}}\nspec: {spec}\n"


def test_a_claim_of_the_job() -> None:
    read = Read(job(roles=MOUNTED) + claim("mnist-data", ", storageClassName: fast"))
    assert len(read.groups[0].documents) == 2
    [mount] = [one for one in read.made.job.statements if isinstance(one, Mount)]
    assert (mount.kind, mount.at, dict(mount.options)["storage_class"]) == ("claim", "/data", "fast")


def test_a_claim_of_another_name_is_mounted() -> None:
    read = Read(job(roles=MOUNTED.replace("mnist-data", "data")) + claim("data"))
    assert len(read.groups[0].documents) == 1
    assert read.role("worker") == ["mount pvc data at /data"]


# --- anything at all ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["5", "[a]", "{}", "null", "'\"'", "[{}]", "{a: b}", "9" * 400, "true", "-1", "1.5"])
@pytest.mark.parametrize(
    "place",
    ["metadata", "spec", "name", "runPolicy", "schedulingPolicy", "minAvailable", "tfReplicaSpecs", "Worker",
     "replicas", "template", "containers", "image", "tensorboard", "replicaSpecs", "cleanPodPolicy", "successPolicy",
     "restartPolicy", "apiVersion", "labels", "backoffLimit", "ttlSecondsAfterFinished"],
)  # fmt: skip
@pytest.mark.parametrize("version", ["kubeflow.org/v1", "mlkube.io/v1beta1"])
def test_values_of_any_type(place: str, text: str, version: str) -> None:
    """No reader raises."""
    full = {
        "name": "{name: %}",
        "labels": "{labels: %}",
    }
    policy = {"schedulingPolicy": "%", "minAvailable": "{minAvailable: %}"}
    spec = {
        "runPolicy": "%",
        **{key: f"{{schedulingPolicy: {value}}}" for key, value in policy.items()},
        **{key: f"{{{key}: %}}" for key in ("cleanPodPolicy", "backoffLimit", "ttlSecondsAfterFinished")},
    }
    one = {
        "Worker": "%",
        "replicas": f"{{replicas: %, template: {POD}}}",
        "restartPolicy": f"{{restartPolicy: %, template: {POD}}}",
        "template": "{template: %}",
        "containers": "{template: {spec: {containers: %}}}",
        "image": "{template: {spec: {containers: [{image: %}]}}}",
    }
    metadata = full.get(place, "%" if place == "metadata" else "{name: a}").replace("%", text)
    run = spec.get(place, "{}").replace("%", text)
    worker = one.get(place, f"{{template: {POD}}}").replace("%", text)
    roles = text if place == "tfReplicaSpecs" else f"{{Worker: {worker}}}"
    listed = text if place == "replicaSpecs" else f"[{worker}]"
    api = text if place == "apiVersion" else version
    body = f"{{runPolicy: {run}, tfReplicaSpecs: {roles}, replicaSpecs: {listed}"
    for key in ("tensorboard", "successPolicy"):
        body += f", {key}: {text}" if key == place else ""
    whole = text if place == "spec" else body + "}"
    Read(f"apiVersion: {api}\nkind: TFJob\nmetadata: {metadata}\nspec: {whole}\n")
