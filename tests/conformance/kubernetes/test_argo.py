"""What the Workflows that we emit rely on, on Argo's own controller and executor: pods run, and rights are checked.

The Workflows are written by hand, as small as the question, and run side by side: the executor looks at an object every
five seconds, the controller at a Workflow every ten.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes import argo, images, node
from tests.conformance.kubernetes.api import MERGE_PATCH
from tests.conformance.kubernetes.argo import GROUP, WORKFLOWS, Run
from tests.conformance.kubernetes.created import unused_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.processes import Processes
    from tests.conformance.kubernetes.work import Work

    Object = dict[str, Any]

pytestmark = pytest.mark.long

NAME = "{{workflow.name}}"
MARK = "{{=workflow.uid[0:8]}}"
JOBS = f"/apis/batch/v1/namespaces/{node.NAMESPACE}/jobs"
TFJOBS = f"/apis/kubeflow.org/v1/namespaces/{node.NAMESPACE}/tfjobs"
RETRY = {
    "limit": "2",
    "retryPolicy": "Always",
    "expression": "lastRetry.status == 'Error' || lastRetry.exitCode != '64'",
}
FLAGS = ["--server-side", "--force-conflicts"]


def failed(first: int, last: int) -> str:
    return ",".join(f"status.conditions.{at}.type=Failed" for at in range(first, last + 1))


JOB_ENDS = {"successCondition": "status.completionTime", "failureCondition": failed(0, 2)}
TFJOB_ENDS = {"successCondition": "status.completionTime", "failureCondition": failed(1, 5)}
JOBSET_ENDS = {"successCondition": "status.terminalState=Completed", "failureCondition": "status.terminalState=Failed"}
VOLCANO_ENDS = {
    "successCondition": "status.state.phase=Completed",
    "failureCondition": "status.state.phase in (Failed, Terminated, Aborted)",
}


def made(version: str, kind: str, name: str, **more: object) -> Object:
    """An object that the run owns."""
    owner = {"apiVersion": f"{GROUP}/v1alpha1", "kind": "Workflow", "name": NAME, "uid": "{{workflow.uid}}"}
    about = {"name": f"{NAME}-{name}", "labels": {"mark": MARK}, "ownerReferences": [owner]}
    return {"apiVersion": version, "kind": kind, "metadata": about, **more}


def pod(command: str, container: str = "main") -> Object:
    program = {
        "name": container,
        "image": f"{images.REPOSITORY}/pause:1",
        "command": ["/bin/busybox", "sh", "-c", command],
    }
    return {"spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [program]}}


def job(name: str, command: str) -> Object:
    return made("batch/v1", "Job", name, spec={"backoffLimit": 0, "template": pod(command)})


def applied(data: Object | str, ends: dict[str, str] | None = None, **more: object) -> Object:
    manifest = data if isinstance(data, str) else json.dumps(data)
    return {"resource": {"action": "apply", "flags": FLAGS, "manifest": manifest, **(ends or {})}, **more}


def watched(name: str, command: str, **more: object) -> Object:
    """The template that makes a Job and waits for its end."""
    return applied(job(name, command), JOB_ENDS, retryStrategy=RETRY, **more)


class Flows:
    """Workflows that a test submits."""

    def __init__(self, api: Api, folder: Path) -> None:
        self.api, self.folder = api, folder
        self.started: list[str] = []
        self.account("flows", dict.fromkeys(("jobs", "tfjobs", "jobsets", "configmaps"), ("create", "get", "patch")))

    def account(self, name: str, verbs: dict[str, tuple[str, ...]]) -> None:
        """A service account with these rights on these resources, and none on ``workflowtaskresults``.

        With ``create`` and ``patch`` on those the pod that watches says that a result will come. If it ends before (it
        is killed, or ended by a deadline, Replace, Terminate or Stop), the controller waits for that result for ever.
        """
        groups = ["", "batch", "kubeflow.org", "jobset.x-k8s.io", "batch.volcano.sh"]
        rules = [{"apiGroups": groups, "resources": [one], "verbs": allowed} for one, allowed in verbs.items()]
        rights = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{node.NAMESPACE}"
        subject = {"kind": "ServiceAccount", "name": name, "namespace": node.NAMESPACE}
        about = {"metadata": {"name": name}}
        self.api.call("POST", f"/api/v1/namespaces/{node.NAMESPACE}/serviceaccounts", about)
        self.api.call("POST", f"{rights}/roles", {**about, "rules": rules})
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
        self.api.call("POST", f"{rights}/rolebindings", {**about, "roleRef": role, "subjects": [subject]})

    def start(self, tasks: dict[str, str], templates: dict[str, Object], target: bool = True, **spec: object) -> Run:
        """Submit a Workflow whose tasks, with what each depends on, use the templates of their names."""
        name = unused_name("wf")
        listed = [
            {"name": task, "template": task, **({"depends": after} if after else {})} for task, after in tasks.items()
        ]
        graph = {"failFast": False, "tasks": listed, **({"target": " ".join(tasks)} if target else {})}
        whole = [{"name": "main", "dag": graph}, *({"name": key, **each} for key, each in templates.items())]
        body = {
            "apiVersion": f"{GROUP}/v1alpha1",
            "kind": "Workflow",
            "metadata": {"name": name},
            "spec": {"entrypoint": "main", "serviceAccountName": "flows", "templates": whole, **spec},
        }
        answer = self.api.call("POST", f"{WORKFLOWS}?fieldValidation=Strict", body)
        assert answer.fine, answer.message
        self.started.append(name)
        return Run(self.api, name)

    def one(self, template: Object, **spec: object) -> Run:
        """A Workflow of one task, ``a``."""
        return self.start({"a": ""}, {"a": template}, **spec)


@pytest.fixture(scope="module")
def flows(api: Api, workflows: Path) -> Iterator[Flows]:
    started = Flows(api, workflows)
    yield started
    for name in started.started:
        api.delete(f"{WORKFLOWS}/{name}")


# --- what the graph makes of the ends of its tasks -------------------------------------------------------------------

AFTER_FAILURE = "({0}.Failed || {0}.Errored)"
ANYWAY = "({0}.Succeeded || {0}.Failed || {0}.Errored)"


def test_the_end_of_a_flow_is_that_of_all_its_tasks(flows: Flows) -> None:
    """A failed job leaves its branch, others go on; the job after its failure runs, and does not turn it green.

    Without ``target`` the phase is that of the leaves alone: of the job that runs after the failure.
    """
    fine, bad = "sleep 1", "exit 3"
    handled = {"a": "", "n": AFTER_FAILURE.format("a")}
    both = {"a": watched("a", bad), "n": watched("n", fine)}
    green = flows.start(handled, both, target=False)
    red = flows.start(handled, both)
    omitted = flows.start(
        {"a": "", "n": AFTER_FAILURE.format("a"), "m": "n.Succeeded"},
        {"a": watched("a", fine), "n": watched("n", fine), "m": watched("m", fine)},
    )
    branches = flows.start(
        {"a": "", "b": "a.Succeeded", "c": "b.Succeeded", "d": "", "e": "d.Succeeded", "f": ANYWAY.format("a")},
        {"a": watched("a", bad), **{name: watched(name, fine) for name in "bcdef"}},
    )
    assert (green.ends(), red.ends()) == ("Succeeded", "Failed")
    assert red.tasks() | {"a": "Failed", "n": "Succeeded"} == red.tasks()
    assert omitted.ends() == "Succeeded", omitted.said()
    assert omitted.tasks() | {"a": "Succeeded", "n": "Omitted", "m": "Omitted"} == omitted.tasks()
    assert branches.ends() == "Failed"
    wanted = {"a": "Failed", "b": "Omitted", "c": "Omitted", "d": "Succeeded", "e": "Succeeded", "f": "Succeeded"}
    assert branches.tasks() | wanted == branches.tasks()


# --- what becomes of the text of a manifest --------------------------------------------------------------------------


def test_what_is_escaped_arrives_as_it_is_written(flows: Flows) -> None:
    """Argo replaces what stands in double braces, and the kubelet ``$(NAME)``."""
    hostile = (
        '{{workflow.name}} {{=1+1}} {{inputs.parameters.x}} {{{ $(ARGO_POD_NAME) $$(ARGO_POD_NAME) $$ "q" \\u007b \n }}'
    )
    written = json.dumps(made("v1", "ConfigMap", "a", data={"text": "HERE"}))
    escaped = written.replace("HERE", json.dumps(hostile)[1:-1].replace("{", "\\u007b").replace("$", "\\u0024"))
    large = written.replace(
        "HERE", json.dumps(hostile)[1:-1].replace("{", "\\u007b").replace("$", "\\u0024") + "x" * 150_000
    )
    bare = written.replace("HERE", f"{NAME} {{{{foo}}}} $(ARGO_WORKFLOW_NAME) $$(NOPE)")
    unknown = written.replace("HERE", "{{inputs.parameters.x}}")
    runs = [flows.one(applied(text)) for text in (escaped, large, bare, unknown)]
    assert [run.ends() for run in runs] == ["Succeeded", "Succeeded", "Succeeded", "Failed"]
    texts = [flows.api.get(f"/api/v1/namespaces/{node.NAMESPACE}/configmaps/{run.name}-a").get("data") for run in runs]
    assert texts[0] == {"text": hostile}
    assert texts[1] == {"text": hostile + "x" * 150_000}
    assert texts[2] == {"text": f"{runs[2].name} {{{{foo}}}} {runs[2].name} $(NOPE)"}
    assert "failed to resolve {{inputs.parameters.x}}" in runs[3].status()["message"]


def test_what_a_run_owns_has_its_mark_and_goes_with_it(flows: Flows) -> None:
    run = flows.one(watched("a", "sleep 300"))
    run.until(lambda: flows.api.get(f"{JOBS}/{run.name}-a"), "the Job is made")
    about = flows.api.get(f"{JOBS}/{run.name}-a")["metadata"]
    whole = flows.api.get(run.place)["metadata"]
    assert about["labels"]["mark"] == whole["uid"][:8]
    assert [owner["uid"] for owner in about["ownerReferences"]] == [whole["uid"]]
    flows.api.delete(run.place)
    run.until(lambda: not flows.api.get(f"{JOBS}/{run.name}-a"), "the Job is deleted with the Workflow")
    run.until(lambda: not run.watchers(), "so is the pod that watched it")


# --- how the end of an object is seen --------------------------------------------------------------------------------


def tfjob(command: str, restart: str = "Never") -> Object:
    chief = {"replicas": 1, "restartPolicy": restart, "template": pod(command, "tensorflow")}
    del chief["template"]["spec"]["restartPolicy"]
    worker = {"replicas": 1, "restartPolicy": "Never", "template": pod("sleep 300", "tensorflow")}
    policy = {"cleanPodPolicy": "Running", "backoffLimit": 3}
    spec = {"runPolicy": policy, "tfReplicaSpecs": {"Chief": chief, "Worker": worker}}
    return made("kubeflow.org/v1", "TFJob", "a", spec=spec)


def test_how_jobs_and_tfjobs_end(flows: Flows) -> None:
    """A restart is neither end. A TFJob has ``completionTime`` in both ends, so failure is asked first."""
    (flows.folder / "tries").mkdir(exist_ok=True)
    once = "[ -e /tries/$0 ] || { touch /tries/$0; exit 130; }; sleep 8"
    restarted = tfjob(once, "ExitCode")
    template = restarted["spec"]["tfReplicaSpecs"]["Chief"]["template"]["spec"]
    template["volumes"] = [{"name": "tries", "hostPath": {"path": str(flows.folder / "tries")}}]
    template["containers"][0]["volumeMounts"] = [{"name": "tries", "mountPath": "/tries"}]
    template["containers"][0]["command"].append(NAME)
    again = job("a", "exit 3")
    again["spec"]["backoffLimit"] = 1
    runs = {
        "fine": flows.one(watched("a", "sleep 1")),
        "again": flows.one(applied(again, JOB_ENDS, retryStrategy=RETRY)),
        "tf": flows.one(applied(tfjob("sleep 1"), TFJOB_ENDS)),
        "tf failed": flows.one(applied(tfjob("sleep 1; exit 3"), TFJOB_ENDS)),
        "tf restarted": flows.one(applied(restarted, TFJOB_ENDS)),
    }
    ends = {what: run.ends() for what, run in runs.items()}
    wanted = dict.fromkeys(runs, "Succeeded") | {"again": "Failed", "tf failed": "Failed"}
    assert ends == wanted, [run.said() for run in runs.values()]
    assert flows.api.get(f"{JOBS}/{runs['again'].name}-a")["status"]["failed"] == 2
    assert (flows.folder / "tries" / runs["tf restarted"].name).exists()
    assert "(exit code 64): failure condition" in runs["again"].message("a(0)")
    assert "a(1)" not in runs["again"].tasks(), "a job that has failed is not tried again"


BY_HAND = {
    "jobset completed": ({"restarts": 1}, {"terminalState": "Completed"}, "Succeeded"),
    "jobset failed": ({"restarts": 1}, {"terminalState": "Failed"}, "Failed"),
    **{
        f"volcano {phase}": ({"state": {"phase": before}}, {"state": {"phase": phase}}, end)
        for before, phase, end in (
            ("Restarting", "Completed", "Succeeded"),
            ("Restarting", "Failed", "Failed"),
            ("Terminating", "Terminated", "Failed"),
            ("Aborting", "Aborted", "Failed"),
        )
    },
}


def test_how_jobsets_and_volcano_jobs_end(flows: Flows) -> None:
    """Their controllers are not here: the states are written as they were recorded from them."""
    spec = pod("true")["spec"]
    jobset = made(
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        "a",
        spec={"replicatedJobs": [{"name": "w", "replicas": 1, "template": {"spec": {"template": {"spec": spec}}}}]},
    )
    tasks = [{"name": "w", "replicas": 1, "template": {"spec": spec}}]
    volcano = made("batch.volcano.sh/v1alpha1", "Job", "a", spec={"minAvailable": 1, "tasks": tasks})
    runs = {}
    for what in BY_HAND:
        data, ends = (jobset, JOBSET_ENDS) if what.startswith("jobset") else (volcano, VOLCANO_ENDS)
        runs[what] = (flows.one(applied(data, ends)), flows.api.place(data["apiVersion"], data["kind"], node.NAMESPACE))
    for what, (run, place) in runs.items():
        run.until(lambda at=f"{place}/{run.name}-a": flows.api.get(at), "the object is made")
        set_status(flows.api, f"{place}/{run.name}-a", BY_HAND[what][0])
    for run, _ in runs.values():
        run.until(lambda run=run: run.tasks().get("a") == "Running", "it is watched")
        assert run.status()["phase"] == "Running", run.said()
    for what, (run, place) in runs.items():
        set_status(flows.api, f"{place}/{run.name}-a", BY_HAND[what][1])
    assert {what: run.ends() for what, (run, _) in runs.items()} == {what: row[2] for what, row in BY_HAND.items()}


def set_status(api: Api, place: str, status: Object) -> None:
    answer = api.call("PUT", f"{place}/status", {**api.get(place), "status": status})
    assert answer.fine, answer.message


# --- faults ----------------------------------------------------------------------------------------------------------


def test_the_pod_that_watches_may_go(flows: Flows, work: Work) -> None:
    """Deleted, drained, killed, evicted (both are Failed for Argo): another one meets the object that is there."""
    little = {"containers": [{"name": "main", "resources": {"limits": {"ephemeral-storage": "40Ki"}}}]}
    deleted, drained, killed = (flows.one(watched("a", "sleep 60")) for _ in range(3))
    evicted = flows.one(watched("a", "sleep 300", podSpecPatch=json.dumps(little)))
    found = {}
    for run in (deleted, drained, killed):
        watches(run)
        found[run] = flows.api.get(f"{JOBS}/{run.name}-a")["metadata"]["uid"]
    place, name = f"/api/v1/namespaces/{node.NAMESPACE}/pods", drained.watchers()[0]["metadata"]["name"]
    about = {"name": name, "namespace": node.NAMESPACE}
    flows.api.post(f"{place}/{name}/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": about})
    flows.api.delete(f"{place}/{deleted.watchers()[0]['metadata']['name']}")
    node.kill(work, killed.watchers()[0])
    for run, first in ((deleted, "Error"), (drained, "Error"), (killed, "Failed")):
        assert run.ends(200) == "Succeeded", run.said()
        assert run.tasks() | {"a(0)": first, "a(1)": "Succeeded"} == run.tasks(), run.said()
        assert flows.api.get(f"{JOBS}/{run.name}-a")["metadata"]["uid"] == found[run]
    evicted.until(lambda: "a(1)" in evicted.tasks(), "another try", 200)
    assert evicted.tasks()["a(0)"] == "Failed"
    assert "ephemeral local storage" in evicted.message("a(0)")


def watches(run: Run) -> None:
    """Wait until its first object is made and watched."""
    run.until(lambda: run.api.get(f"{JOBS}/{run.name}-a"), "the Job is made")
    run.until(lambda: run.tasks().get("a(0)") == "Running", "it is watched")


def test_an_object_that_is_deleted_fails_its_job(flows: Flows) -> None:
    run = flows.one(watched("a", "sleep 300"))
    watches(run)
    flows.api.delete(f"{JOBS}/{run.name}-a")
    assert run.ends() == "Failed"
    assert "has been deleted while its status was still being checked" in run.message("a(0)")
    assert not flows.api.get(f"{JOBS}/{run.name}-a"), "it is not made again"


def test_the_controller_may_end_and_come_back(flows: Flows, work: Work, processes: Processes) -> None:
    run = flows.start({"a": "", "b": "a.Succeeded"}, {"a": watched("a", "sleep 5"), "b": watched("b", "sleep 1")})
    run.until(lambda: flows.api.get(f"{JOBS}/{run.name}-a"), "the first Job is made")
    processes.stop(argo.CONTROLLER)
    run.until(lambda: flows.api.get(f"{JOBS}/{run.name}-a")["status"].get("completionTime"), "the first Job ends")
    assert run.status()["phase"] == "Running"
    argo.start_controller(work, processes)
    assert run.ends() == "Succeeded", run.said()


def test_every_right_is_needed(flows: Flows) -> None:
    """``create`` and ``patch`` to apply, ``get`` to watch; without them the message of the server is the job's."""
    verbs = ("create", "get", "patch")
    runs = {}
    for missing in (*verbs, None):
        account = f"without-{missing}".lower()
        flows.account(account, {"jobs": tuple(verb for verb in verbs if verb != missing)})
        runs[missing] = flows.one(watched("a", "sleep 1"), serviceAccountName=account)
    nobody = flows.one(watched("a", "sleep 1"), serviceAccountName="nobody")
    assert {missing: run.ends() for missing, run in runs.items()} == dict.fromkeys(verbs, "Failed") | {
        None: "Succeeded"
    }
    for missing in verbs:
        assert f'cannot {missing} resource "jobs"' in runs[missing].message("a(0)"), runs[missing].said()
    assert nobody.ends() in ("Error", "Failed")
    assert 'serviceaccount "nobody" not found' in nobody.said()


def test_a_workflow_may_have_one_mebibyte(flows: Flows) -> None:
    """The controller refuses to write a larger one, after it has started pods."""
    runs = []
    for size in (100_000, 110_000):
        objects = {f"a{at}": made("v1", "ConfigMap", f"a{at}", data={"pad": "x" * size}) for at in range(10)}
        runs.append(flows.start(dict.fromkeys(objects, ""), {name: applied(data) for name, data in objects.items()}))
    assert [run.ends(200) for run in runs] == ["Succeeded", "Error"]
    assert "workflow is longer than maximum allowed size" in runs[1].status()["message"]


def test_one_manifest_is_one_object(flows: Flows) -> None:
    two = "\n---\n".join(json.dumps(made("v1", "ConfigMap", name)) for name in "ab")
    assert flows.one(applied(two)).ends() == "Failed"


def test_a_deadline_and_a_stop_end_no_job(flows: Flows) -> None:
    """Argo ends its own pods alone; ``onExit`` can delete what the run has made, and is left out by Terminate."""
    flows.account("stops", {"jobs": ("create", "get", "patch", "list", "delete")})
    flags = ["jobs.batch", "--selector", f"mark={MARK}", "--wait=false"]
    stop = {"stop": {"resource": {"action": "delete", "flags": flags}}}
    long = {"a": watched("a", "sleep 300")}
    account = {"serviceAccountName": "stops"}
    late = flows.one(long["a"], activeDeadlineSeconds=40, **account)
    cleaned = flows.start({"a": ""}, long | stop, onExit="stop", activeDeadlineSeconds=40, **account)
    asked = {how: flows.start({"a": ""}, long | stop, onExit="stop", **account) for how in ("Stop", "Terminate")}
    for how, run in asked.items():
        watches(run)
        flows.api.call("PATCH", run.place, {"spec": {"shutdown": how}}, MERGE_PATCH)
    runs = {"late": late, "cleaned": cleaned, **asked}
    assert {what: run.ends() for what, run in runs.items()} == dict.fromkeys(runs, "Failed")
    assert "longer than the specified deadline" in late.message("a(0)")
    left = {what: bool(flows.api.get(f"{JOBS}/{run.name}-a")) for what, run in runs.items()}
    assert left == {"late": True, "cleaned": False, "Stop": False, "Terminate": True}


# --- CronWorkflow ----------------------------------------------------------------------------------------------------

CRONS = f"/apis/{GROUP}/v1alpha1/namespaces/{node.NAMESPACE}/cronworkflows"


def test_a_cron_workflow_starts_and_is_replaced(flows: Flows) -> None:
    """A run that is replaced leaves its Job running beside the new one.

    A name that is too long, a bad line and an unknown zone are accepted by the server, and nothing ever runs.
    """
    names = {what: unused_name(what) for what in ("left", "zone", "line")} | {"long": "long".ljust(53, "g")}
    odd = {"zone": {"timezone": "Europe/Nowhere"}, "line": {"schedules": ["61 * * * *"]}}
    for what, name in names.items():
        templates = [
            {"name": "main", "dag": {"tasks": [{"name": "a", "template": "a"}]}},
            {"name": "a", **watched("a", "sleep 600")},
        ]
        spec = {
            "schedules": ["*/2 * * * *"],  # longer than it takes a busy machine to make the first Job
            "timezone": "Europe/Berlin",
            "concurrencyPolicy": "Replace",
            "workflowSpec": {"entrypoint": "main", "serviceAccountName": "flows", "templates": templates},
            **odd.get(what, {}),
        }
        body = {"apiVersion": f"{GROUP}/v1alpha1", "kind": "CronWorkflow", "metadata": {"name": name}, "spec": spec}
        answer = flows.api.call("POST", f"{CRONS}?fieldValidation=Strict", body)
        assert answer.fine, answer.message
    try:
        _replaced(flows, names)
    finally:
        for name in names.values():
            flows.api.delete(f"{CRONS}/{name}")


def _replaced(flows: Flows, names: dict[str, str]) -> None:
    def started(what: str) -> list[str]:
        runs = flows.api.items(WORKFLOWS, f"workflows.{GROUP}/cron-workflow={names[what]}")
        return sorted(one["metadata"]["name"] for one in runs)

    def active(name: str) -> bool:
        return flows.api.get(f"{JOBS}/{name}-a").get("status", {}).get("active") == 1

    anything = Run(flows.api, names["left"])
    anything.until(lambda: started("left"), "the first run", 150)
    (first,) = started("left")
    assert first.removeprefix(f"{names['left']}-").isdigit()
    anything.until(lambda: active(first), "its Job runs")
    anything.until(lambda: any(active(name) for name in started("left") if name != first), "the next run's Job", 150)
    assert Run(flows.api, first).ends() == "Failed"
    assert "'Terminate'" in Run(flows.api, first).said()
    assert active(first)
    assert [what for what in names if not started(what)] == ["zone", "line", "long"]
