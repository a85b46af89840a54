"""Volcano jobs as drafts: which words the parts of a manifest become, and what is said about the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.unit.backends.podspec.reading.reading import shown as attribute
from tests.unit.backends.trees import of
from tfdsl.backend.draft import Draft, Policy
from tfdsl.backend.reading import Asked
from tfdsl.manifest.nodes import Document
from tfdsl.text import Source
from tfdsl_backends.volcano.reading import groups, read

if TYPE_CHECKING:
    from tfdsl.backend.draft import Statement
    from tfdsl.diagnostics import Diagnostic

POD = {"restartPolicy": "Never", "containers": [{"name": "tensorflow", "image": "r/x:1", "command": ["train"]}]}
COMPLETE = {"event": "TaskCompleted", "action": "CompleteJob"}
FAILED = {"events": ["PodFailed", "PodEvicted"], "action": "TerminateJob"}
EVICTED = {"event": "PodEvicted", "action": "RestartJob"}
OURS = {"env": [], "svc": ["--publish-not-ready-addresses=true"]}


def shown(one: Statement) -> str:
    """A statement as it is written."""
    return f"on {one.event} => {one.action}" if isinstance(one, Policy) else attribute(one)


class Read:
    """What was read of one document: the draft, shown as it is written, and the messages."""

    def __init__(self, draft: Draft | None, messages: list[Diagnostic]) -> None:
        self.draft = draft
        self.messages = messages

    @property
    def found(self) -> Draft:
        assert self.draft is not None, [one.message for one in self.messages]
        return self.draft

    @property
    def job(self) -> list[str]:
        return [shown(one) for one in self.found.job.statements]

    @property
    def options(self) -> list[str]:
        known = ("istio_annotation = false", "plugins = {  }")
        return [one for one in map(shown, self.found.options.statements) if one not in known]

    def role(self, name: str = "worker") -> list[str]:
        """The statements of a role but for its image and command."""
        return [one for one in map(shown, self.found.role(name).statements) if not one.startswith(("image", "command"))]

    @property
    def told(self) -> list[str]:
        return [f"{one.rule.slug.removeprefix('import-')}: {one.message}" for one in self.messages]


def task(name: str = "worker", replicas: int = 2, **more: Any) -> dict[str, Any]:
    return {"name": name, "replicas": replicas, "template": {"spec": POD}, **more}


def manifest(*tasks: dict[str, Any], **spec: Any) -> dict[str, Any]:
    header = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "mnist"}}
    return {**header, "spec": {**spec, "tasks": [*tasks]}}


def read_one(document: dict[str, Any], **roles: str) -> Read:
    messages: list[Diagnostic] = []
    node = of(document)
    found = Document(Source("job.yaml", yaml.dump(document)), node)
    (group,) = groups([found])
    return Read(read(group, Asked(roles, messages.append)), messages)


def of_job(*tasks: dict[str, Any], **spec: Any) -> Read:
    return read_one(manifest(*tasks, **spec))


# --- names -------------------------------------------------------------------------------------------------------


def test_roles() -> None:
    found = of_job(task("ps", 1), task())
    assert list(found.found.roles) == ["ps", "worker"]
    assert found.role("ps") == []
    assert found.role() == ["replicas = 2"]
    assert found.told == []


def test_the_one_task_of_a_job_is_the_workers() -> None:
    found = of_job(task("default-nginx", 6))
    assert found.role() == ["replicas = 6"]
    (told,) = found.told
    assert told.startswith("read-differently: task default-nginx becomes role worker: nothing in the job depends")


@pytest.mark.parametrize(
    "container",
    [
        {"command": ["sh", "-c", "cat /etc/volcano/my_task.host"]},
        {"args": ["$(VC_MY_TASK_HOSTS)"]},
        {"env": [{"name": "HOST", "value": "mnist-my-task-0.mnist"}]},
    ],
)
def test_a_name_on_which_an_address_depends_stays(container: dict[str, Any]) -> None:
    template = {"spec": {**POD, "containers": [{**POD["containers"][0], **container}]}}  # type: ignore[dict-item]
    found = of_job(task("my-task", template=template))
    assert 'task_names = { worker = "my-task" }' in found.options
    assert "its task keeps the name" in found.told[0]


def test_names_of_other_frameworks() -> None:
    found = of_job(task("mpimaster", 1), task("mpiworker"), plugins={"ssh": [], "svc": []})
    assert list(found.found.roles) == ["master", "worker"]
    assert 'task_names = { master = "mpimaster", worker = "mpiworker" }' in found.options
    found = of_job(task("scheduler", 1), task("server"), task())
    assert sorted(found.found.roles) == ["chief", "ps", "worker"]


def test_tasks_that_are_no_roles() -> None:
    found = of_job(task("a", 1), task("b"), task("ps", 1))
    assert found.draft is None
    (error,) = found.messages
    assert error.rule.slug == "import-no-role"
    assert [label.message for label in error.labels] == ["nor is this"]
    assert error.helps == ("say which role each task is, e.g. --role a=worker --role b=ROLE",)


def test_roles_that_the_user_names() -> None:
    found = read_one(manifest(task("a", 1), task("b")), a="chief", b="worker")
    assert list(found.found.roles) == ["chief", "worker"]
    assert 'task_names = { chief = "a", worker = "b" }' in found.options
    # A chief has one replica.
    assert read_one(manifest(task("a", 3), task("b")), a="chief", b="worker").draft is None


def test_a_job_that_nobody_leads_or_works_in() -> None:
    found = of_job(task("ps", 1), task("evaluator", 1))
    assert found.draft is None
    assert "neither a chief (master) nor a worker" in found.told[0]
    found = of_job(task("worker", 0))
    assert found.draft is None


# --- single fields -----------------------------------------------------------------------------------------------


def test_settings_of_the_job() -> None:
    found = of_job(task(), queue="night", schedulerName="own", priorityClassName="high", ttlSecondsAfterFinished=7200)
    assert found.job[:4] == ['queue = "night"', 'scheduler = "own"', 'priority = "high"', "ttl = 2h"]
    assert of_job(task("worker"), queue="default", schedulerName="volcano").job == of_job(task()).job


@pytest.mark.parametrize(
    ("numbers", "size", "words"),
    [
        ((1, 2), None, []),
        ((1, 2), 3, []),
        ((1, 2), 1, ["gang = false"]),
        ((1, 2), 2, ["gang_size = 2"]),
        ((1, 4), 7, ["gang_size = 7"]),
    ],
)
def test_the_size_of_a_gang(numbers: tuple[int, int], size: int | None, words: list[str]) -> None:
    spec = {} if size is None else {"minAvailable": size}
    found = of_job(task("ps", numbers[0]), task(replicas=numbers[1]), **spec)
    gang = [one for one in (*found.job, *found.options) if "gang" in one]
    assert gang == words
    assert found.role() == [f"replicas = {numbers[1]}"]


def test_minimums() -> None:
    assert of_job(task(replicas=6), minAvailable=3).role() == ["replicas = 6", "min_available = 3"]
    found = of_job(task("ps", 2, minAvailable=1), task(replicas=4, minAvailable=3))
    assert found.role("ps") == ["replicas = 2", "min_available = 1"]
    assert found.role() == ["replicas = 4", "min_available = 3"]


def test_after() -> None:
    found = of_job(task("ps", 1), task(dependsOn={"name": ["ps"]}), minAvailable=1)
    assert 'after = ["ps"]' in found.role()
    assert [one for one in (*found.job, *found.options) if "gang" in one] == []
    both = {"name": ["ps", "worker"], "iteration": "any"}
    found = of_job(task("ps", 1), task(), task("evaluator", 1, dependsOn=both), minAvailable=3)
    assert 'after_any = ["evaluator"]' in found.options
    found = of_job(task(dependsOn={"name": ["none"]}))
    assert any("dependsOn" in told for told in found.told)


# --- policies ----------------------------------------------------------------------------------------------------


def policies(found: Read, role: str = "worker") -> tuple[list[str], list[str], list[str]]:
    """Those of the job, those of the role, the options about them."""
    return (
        [one for one in found.job if one.startswith(("on ", "retries"))],
        [one for one in found.role(role) if one.startswith("on ")],
        [one for one in found.options if one.startswith(("on ", "retries", "policies", "restart_policy"))],
    )


def test_the_defaults_of_the_language_are_not_written() -> None:
    assert policies(of_job(task("ps", 1), task(policies=[COMPLETE]), policies=[FAILED])) == ([], [], [])
    assert policies(of_job(task(), policies=[FAILED])) == ([], [], [])


def test_what_differs_from_the_defaults_is_written() -> None:
    restart = {"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}
    found = of_job(task("ps", 1), task(policies=[COMPLETE]), policies=[restart], maxRetry=4)
    assert policies(found) == (["on failed => restart job"], [], [])
    found = of_job(task("ps", 1), task(policies=[COMPLETE]), policies=[restart], maxRetry=9)
    assert policies(found)[0] == ["on failed => restart job", "retries = 8"]
    statuses = [{"exitCode": code, "action": "AbortJob"} for code in (3, 4, 5)]
    found = of_job(task("ps", 1), task(policies=[COMPLETE, *statuses]), policies=[FAILED])
    assert policies(found) == ([], ["on exit 3..5 => abort job"], [])


def test_evictions_by_status_are_the_compilers() -> None:
    written = [
        {"exitCode": 137, "action": "RestartJob"},
        {"exitCode": 143, "action": "RestartJob"},
        {"event": "PodFailed", "action": "TerminateJob"},
        EVICTED,
    ]
    found = of_job(task(), policies=written, maxRetry=4)
    assert policies(found) == ([], [], ["on evicted => restart job"])


def test_policies_as_they_are() -> None:
    found = of_job(task("ps", 1), task(policies=[COMPLETE]), policies=[EVICTED])
    assert policies(found) == (
        [],
        ["on completed => complete job"],
        ["on evicted => restart job", "retries = 2", 'policies = "written"'],
    )


def test_restarts_in_place() -> None:
    template = {"spec": {**POD, "restartPolicy": "OnFailure"}}
    found = of_job(task(template=template), policies=[EVICTED])
    assert policies(found) == (
        ["on failed => restart container"],
        [],
        ["on evicted => restart job", "retries = 2", 'policies = "written"'],
    )
    both = [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}]
    found = of_job(task(template=template), policies=both)
    assert 'restart_policy = "OnFailure"' in found.options
    always = {"spec": {key: value for key, value in POD.items() if key != "restartPolicy"}}
    assert 'restart_policy = "Always"' in of_job(task(template=always)).options


def test_counted_restarts() -> None:
    template = {"spec": {**POD, "restartPolicy": "OnFailure"}}
    counted = [{"event": "TaskFailed", "action": "AbortJob"}]
    found = of_job(task(template=template, maxRetry=5), policies=counted)
    assert "on restarted 5 => abort job" in found.job


def test_times() -> None:
    written = [
        {"event": "PodPending", "action": "AbortJob", "timeout": "1h30m0s"},
        {"event": "PodEvicted", "action": "RestartJob", "timeout": "600s"},
        {"event": "Unknown", "action": "TerminateJob"},
    ]
    found = of_job(task("ps", 1), task(), policies=written)
    assert policies(found)[0] == ["on pending after 90m => abort job", "on unknown => fail job"]
    assert "on evicted after 10m => restart job" in policies(found)[2]


def test_every_event() -> None:
    found = of_job(task("ps", 1), task(), policies=[{"event": "*", "action": "RestartJob"}])
    # An eviction does what a failure does unless a policy says otherwise.
    assert policies(found)[0] == ["on failed => restart job", "on unknown => restart job"]
    assert "retries = 2" in policies(found)[2]
    assert "on completed => restart job" in found.role()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"policies": [{"event": "PodPending", "action": "AbortJob"}]}, "only with a timeout"),
        ({"policies": [{"event": "JobUpdated", "action": "AbortJob"}]}, "nothing in Volcano fires it"),
        ({"policies": [{"event": "TaskFailed", "action": "AbortJob"}]}, "there are none"),
        ({"policies": [{"event": "PodEvicted", "action": "ResumeJob"}]}, "does nothing in a job that runs"),
        (
            {"policies": [{"event": "PodFailed", "action": "AbortJob"}, {"exitCode": 3, "action": "RestartJob"}]},
            "a policy before it matches every failure",
        ),
        ({"maxRetry": 7}, "no policy restarts anything"),
        ({"runningEstimate": "1h"}, "nothing in Volcano reads it"),
    ],
)
def test_what_never_acts_is_told(spec: dict[str, Any], words: str) -> None:
    assert any(told.startswith("not-kept") and words in told for told in of_job(task("worker"), **spec).told)


def test_what_never_acts_in_a_task_is_told() -> None:
    found = of_job(task(policies=[{"event": "Unknown", "action": "AbortJob"}], maxRetry=7))
    assert any("no task is asked" in told for told in found.told)
    assert any("maxRetry 7 of task worker" in told for told in found.told)
    template = {"spec": {**POD, "restartPolicy": "OnFailure"}}
    found = of_job(task(template=template, policies=[{"exitCode": 3, "action": "AbortJob"}]))
    assert any("is never looked at" in told for told in found.told)


# --- plugins -----------------------------------------------------------------------------------------------------


def plugin_options(found: Read) -> list[str]:
    return [shown(one) for one in found.found.options.statements if shown(one).startswith(("plugins", "tf_config"))]


def test_the_compilers_plugins_are_not_written() -> None:
    assert plugin_options(of_job(task("ps", 1), task(), plugins=OURS)) == []
    assert plugin_options(of_job(task("ps", 1), task())) == ["plugins = {  }"]
    found = of_job(task("ps", 1), task(), plugins={"env": [], "svc": []})
    assert plugin_options(found) == ["plugins = { env = [], svc = [] }"]
    assert found.found.cluster == {"discovery": "none"}


def test_the_tensorflow_plugin_is_the_default_discovery() -> None:
    ours = ["--ps=ps", "--worker=worker", "--port=2222"]
    found = of_job(task("ps", 1), task(), plugins={**OURS, "tensorflow": ours})
    assert found.found.cluster == {}
    assert plugin_options(found) == []
    found = of_job(task("ps", 1), task(), plugins={"tensorflow": []})
    assert found.found.cluster == {}
    assert plugin_options(found) == ["plugins = { tensorflow = [], svc = [] }"]
    found = of_job(task("master", 1), task(), plugins={**OURS, "tensorflow": ["--chief=master"]})
    assert plugin_options(found)[0] == 'tf_config = "plugin"'


def test_a_deadline_that_all_pods_have() -> None:
    limited = {"spec": {**POD, "activeDeadlineSeconds": 7200}}
    assert "deadline = 2h" in of_job(task("ps", 1, template=limited), task(template=limited)).job
    assert not any("deadline" in one for one in of_job(task("ps", 1, template=limited), task()).job)


def test_pods_of_a_job_apart() -> None:
    def template(labels: dict[str, str]) -> dict[str, Any]:
        term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": labels}}
        apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        return {"spec": {**POD, "affinity": apart}}

    job, own = {"volcano.sh/job-name": "mnist"}, {"volcano.sh/task-spec": "worker"}
    assert 'spread = "node"' in of_job(task(template=template(job))).role()
    assert 'spread = "node"' in of_job(task(template=template({**job, **own}))).role()
    assert 'spread = "node"' in of_job(task("ps", 1), task(template=template({**job, **own}))).role()
    # All pods of a job with two tasks are more than those of one.
    assert 'spread = "node"' not in of_job(task("ps", 1), task(template=template(job))).role()
    assert 'spread = "node"' not in of_job(task(template=template({"team": "a"}))).role()


# --- volumes -----------------------------------------------------------------------------------------------------


def test_volumes_of_the_job() -> None:
    claim = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "10Gi"}}}
    found = of_job(
        task(), volumes=[{"mountPath": "/data", "volumeClaimName": "d"}, {"mountPath": "/runs", "volumeClaim": claim}]
    )
    assert 'mount pvc "d" at "/data"' in found.role()
    assert any(one.startswith('mount claim 10Gi at "/runs"') for one in found.job)


def test_names_that_the_controller_has_written_are_not_refused() -> None:
    claim = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "10Gi"}}}
    volume = {"mountPath": "/runs", "volumeClaimName": "mnist-pvc-0123456789ab", "volumeClaim": claim}
    assert of_job(task(), volumes=[volume]).told == []


# --- what holds a job --------------------------------------------------------------------------------------------


def test_a_cron_job() -> None:
    job = manifest(task())
    document = {
        **job,
        "kind": "CronJob",
        "spec": {"schedule": "0 2 * * *", "suspend": False, "jobTemplate": {"spec": job["spec"]}},
    }
    found = read_one(document)
    assert found.found.name == "mnist"
    assert found.told[0].startswith("not-kept: the schedule of the CronJob (schedule, suspend) is left out: ")


def test_a_job_template() -> None:
    document = {**manifest(task()), "apiVersion": "flow.volcano.sh/v1alpha1", "kind": "JobTemplate"}
    found = read_one(document)
    assert found.role() == ["replicas = 2"]
    assert "the JobTemplate around the job" in found.told[0]


def test_other_kinds_are_others() -> None:
    for kind, version in (("Queue", "scheduling.volcano.sh/v1beta1"), ("Job", "batch/v1"), ("JobFlow", "x")):
        assert groups([Document(Source("x", ""), of({"kind": kind, "apiVersion": version}))]) == []


# --- what the webhook refuses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (manifest(task(), policies=[EVICTED, EVICTED]), "there are two policies on PodEvicted"),
        (manifest(task(), minAvailable=5), "minAvailable exceeds the 2 replicas"),
        (manifest(task(minAvailable=5)), "minAvailable exceeds the 2 replicas of the task"),
        (manifest(task(), plugins={"gang": []}), "Volcano has no plugin gang"),
        (manifest(task(), policies=[{"event": "Foo", "action": "RestartJob"}]), 'it must be "*" or "PodPending"'),
        (manifest(task(), policies=[{"event": "PodFailed", "action": "Complete"}]), "the action must be"),
        (manifest(task(), policies=[{"action": "RestartJob"}]), "either events or an exitCode"),
        (manifest(task(), policies=[{"exitCode": 0, "action": "RestartJob"}]), "exitCode 0"),
        (manifest(task(), queue="A b"), "is not the name of a queue"),
        (
            manifest(task(), networkTopology={"highestTierName": "rack", "highestTierAllowed": 0}),
            "highestTierName cannot be set beside highestTierAllowed",
        ),
        (
            manifest(
                task(
                    partitionPolicy={
                        "totalPartitions": 2,
                        "partitionSize": 1,
                        "networkTopology": {"highestTierName": "rack", "highestTierAllowed": 1},
                    }
                )
            ),
            "highestTierName cannot be set beside highestTierAllowed",
        ),
        (manifest(task(), volumes=[{"mountPath": "/a"}]), "either volumeClaim or volumeClaimName"),
        (manifest(task(), maxRetry="3"), "must be a whole number"),
    ],
)
def test_what_the_server_refuses(document: dict[str, Any], words: str) -> None:
    found = read_one(document)
    assert any(told.startswith("server-refuses") and words in told for told in found.told)
    assert not found.found.law


def test_a_field_that_nobody_knows() -> None:
    found = read_one(manifest(task(), retryDelay=3))
    assert found.told == [
        "read-differently: spec.retryDelay becomes an unchecked patch: Volcano has no such field here; its server "
        "drops it, or refuses it if kubectl validates"
    ]
    assert found.found.law


# --- the shell that builds TF_CONFIG -------------------------------------------------------------------------------

SHELL = """\
PS_HOST=`cat /etc/volcano/ps.host | sed 's/$/&:2222/g' | sed 's/^/"/;s/$/"/' | tr "\\n" ","`;
WORKER_HOST=`cat /etc/volcano/worker.host | sed 's/$/&:2222/g' | sed 's/^/"/;s/$/"/' | tr "\\n" ","`;
export TF_CONFIG={\\"cluster\\":{\\"ps\\":[${PS_HOST}],\\"worker\\":[${WORKER_HOST}]},\
\\"task\\":{\\"type\\":\\"ROLE\\",\\"index\\":${VK_TASK_INDEX}},\\"environment\\":\\"cloud\\"};
python /app/train.py --steps=5
"""


def of_shell(ps: str, worker: str) -> Read:
    def template(text: str) -> dict[str, Any]:
        return {"spec": {**POD, "containers": [{"name": "c", "image": "r/x:1", "command": ["sh", "-c", text]}]}}

    return of_job(task("ps", 1, template=template(ps)), task(template=template(worker)))


def test_a_shell_that_builds_tf_config_is_kept_and_the_shorter_job_offered() -> None:
    found = of_shell(SHELL.replace("ROLE", "ps"), SHELL.replace("ROLE", "worker"))
    (told,) = found.messages
    assert told.helps == (
        'remove cluster { discovery = "none" } and plugins, and write command = "exec python /app/train.py --steps=5"',
    )
    assert found.found.cluster == {"discovery": "none"}
    assert "cat /etc/volcano" in str(found.found.role("ps").statements)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ROLE", "chief"),
        ("worker.host", "ps.host"),
        ("python /app/train.py", "python /app/train.py; rm -r /data"),
        ("${VK_TASK_INDEX}", "0"),
        ("export TF_CONFIG", "sleep 5\nexport TF_CONFIG"),
    ],
)
def test_only_a_shell_that_is_all_known(old: str, new: str) -> None:
    ps, worker = (SHELL.replace(old, new).replace("ROLE", role) for role in ("ps", "worker"))
    assert of_shell(ps, worker).messages == []


# --- anything ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [None], {"a": 1}, True, 10**30, -1])
@pytest.mark.parametrize(
    "place",
    [
        *("spec", "tasks", "task", "policies", "policy", "plugins", "volumes", "template", "dependsOn", "replicas"),
        *("minAvailable", "maxRetry", "metadata", "queue", "name"),
    ],
)
def test_any_tree_is_read(place: str, value: object) -> None:
    document = manifest(task(policies=[COMPLETE]), task("ps", 1), policies=[EVICTED], plugins=OURS)
    spec: dict[str, Any] = document["spec"]
    first: dict[str, Any] = spec["tasks"][0]
    match place:
        case "spec" | "metadata":
            document[place] = value
        case "tasks" | "plugins" | "volumes" | "minAvailable" | "maxRetry" | "queue" | "policies":
            spec[place] = value
        case "task":
            spec["tasks"] = [value, task()]
        case "policy":
            spec["policies"] = [value]
        case _:
            first[place] = value
    read_one(document)
