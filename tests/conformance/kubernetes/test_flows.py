"""Compiled flows on Argo, to their end, with a fault in each place. Their jobs are TFJobs or Jobs whose pods run."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes import argo, images, node
from tests.conformance.kubernetes.api import YAML
from tests.conformance.kubernetes.argo import GROUP, WORKFLOWS, Run
from tests.conformance.kubernetes.created import unused_name
from tests.conformance.kubernetes.generated import HOSTILE, quoted
from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.processes import Processes
    from tests.conformance.kubernetes.work import Work

pytestmark = pytest.mark.long

TARGETS = {"tfjob@1.8": "/apis/kubeflow.org/v1/{}/tfjobs", "kubernetes": "/apis/batch/v1/{}/jobs"}
PODS = f"/api/v1/namespaces/{node.NAMESPACE}/pods"
LONG = "sleep 300"
BREAK = "\n"
WAIT = "until [ -e /runs/NAME.go ]; do sleep 0.5; done"
LINE = ("run a", "run b after a", "run c after b")
"""Three jobs in a row."""

WORDS = (
    *(word for word in HOSTILE if len(word) < 100),
    "{{workflow.name}} {{=workflow.uid}} {{inputs.parameters.x}} {{{ $(ARGO_POD_NAME) $$(ARGO_POD_NAME) $$",
)


class Flow:
    """A flow of a file, compiled for a target."""

    def __init__(
        self, api: Api, work: Work, folder: Path, target: str, more: tuple[str, ...], jobs: dict[str, str]
    ) -> None:
        self.api, self.work, self.runs, self.target = api, work, work.folder / "runs", target
        self.name = unused_name("flow")
        self.folder = folder / self.name
        self.folder.mkdir()
        written = [self._job(job, command) for job, command in jobs.items()]
        body = "".join(f"  {line}\n" for line in ('service_account = "NAME"', *more)).replace("NAME", self.name)
        (self.folder / "flow.tfjob").write_text("".join(written) + f"flow {self.name} {{\n{body}}}\n")
        ran = tfdsl("compile", "flow.tfjob", "--flow", self.name, "-t", target, "-o", "out", cwd=self.folder)
        assert ran.status == 0, ran.err

    def _job(self, job: str, command: str) -> str:
        """A job that writes that it has begun, does ``command``, and writes that it ends. NAME is that of the flow."""
        script = f"echo $0+ >>/runs/NAME.log; {command}; echo $0- >>/runs/NAME.log".replace("NAME", self.name)
        words = ["/bin/busybox", "sh", "-c", script, job]
        return f"""\
job {job} {{
  image = "{images.named("pause")}"
  namespace = "{node.NAMESPACE}"
  mount host "{self.runs}" at "/runs"
  command = [{", ".join(quoted(word) for word in words)}]
  args = [{", ".join(quoted(word) for word in WORDS)}]
  on failed => fail job
  role worker {{ }}
}}
"""

    def kubectl(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = ["kubectl", "--kubeconfig", str(self.work.kubeconfig), *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.folder / "out")

    def allow(self) -> None:
        """Give its pods what they need."""
        done = self.kubectl("apply", "-f", f"{self.name}.rbac.yaml")
        assert done.returncode == 0, done.stderr

    def create(self, *more: str) -> str:
        """What was created."""
        done = self.kubectl("create", "-f", f"{self.name}.yaml", "-o", "name", *more)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip().partition("/")[2]

    def start(self) -> Run:
        return Run(self.api, self.create())

    def objects(self, run: Run | None = None) -> dict[str, dict[str, Any]]:
        """The objects of its jobs, or those of a run of it: job → object."""
        place = TARGETS[self.target].format(f"namespaces/{node.NAMESPACE}")
        found = self.api.items(place, f"tfdsl/flow={self.name}")
        mark = self.api.get(run.place)["metadata"]["uid"][:8] if run else ""
        wanted = [
            one for one in found if mark in one["metadata"]["name"] and "deletionTimestamp" not in one["metadata"]
        ]
        start = f"{self.name}-"
        return {one["metadata"]["name"].removeprefix(start).partition("-")[0]: one for one in wanted}

    def log(self) -> list[str]:
        """What its jobs have written: ``JOB+`` when one begins, ``JOB-`` when it has done its work."""
        path = self.runs / f"{self.name}.log"
        return path.read_text().split() if path.exists() else []

    def go(self) -> None:
        """End the jobs that :data:`WAIT`."""
        (self.runs / f"{self.name}.go").touch()

    def watches(self, run: Run, job: str) -> dict[str, Any]:
        """The pod that waits for a job whose own pod runs."""
        run.until(lambda: f"{job}+" in self.log(), f"job {job} runs")
        run.until(lambda: [pod for pod in run.watchers() if _is_ready(pod)], "it is watched")
        return run.watchers()[-1]


def _is_ready(pod: dict[str, Any]) -> bool:
    return all(one["ready"] for one in pod["status"].get("containerStatuses", [{"ready": False}]))


class Flows:
    """Makes flows; what is left of them goes at the end."""

    def __init__(self, api: Api, work: Work, folder: Path) -> None:
        self.api, self.work, self.folder = api, work, folder
        self.made: list[Flow] = []

    def __call__(self, target: str, *lines: str, **jobs: str) -> Flow:
        """A flow whose jobs ``a``, ``b``, ``c`` do nothing, except as ``jobs`` says."""
        used = {line.split()[1] for line in lines if line.startswith("run ")}
        commands = {job: jobs.get(job, "true") for job in sorted(used)}
        self.made.append(Flow(self.api, self.work, self.folder, target, lines, commands))
        return self.made[-1]


@pytest.fixture
def flows(api: Api, work: Work, workflows: Path, tmp_path: Path) -> Iterator[Flows]:
    made = Flows(api, work, tmp_path)
    yield made
    for flow in made.made:
        for kind in ("cronworkflows", "workflows"):
            for one in api.items(WORKFLOWS.replace("workflows", kind), f"tfdsl/flow={flow.name}"):
                api.delete(f"{WORKFLOWS.replace('workflows', kind)}/{one['metadata']['name']}")


@pytest.mark.parametrize("target", TARGETS)
def test_how_flows_end(flows: Flows, target: str) -> None:
    """All succeed, also two runs at once; one fails, others go on; one is too long; one has no rights."""
    fine = flows(target, *LINE, a="printf '%s\\0' \"$@\" >/runs/NAME.words")
    failing = flows(
        target, *LINE, "run d after b failed", "run e after [b, d] ended", "run f after d failed", b="exit 3"
    )
    late = flows(target, "deadline = 90s", "run a", "run b after a", a=LONG)
    for flow in (fine, failing, late):
        flow.allow()
    forbidden = flows(target, *LINE)
    runs = [flow.start() for flow in (fine, fine, failing, late)]
    account = {"metadata": {"name": forbidden.name}}
    flows.api.post(f"/api/v1/namespaces/{node.NAMESPACE}/serviceaccounts", account)
    runs.append(forbidden.start())
    assert [run.ends(240) for run in runs] == ["Succeeded", "Succeeded", "Failed", "Failed", "Failed"]

    assert sorted(fine.log()) == sorted([f"{job}{sign}" for sign in "+-" for job in "abc"] * 2)
    for run in runs[:2]:
        assert set(fine.objects(run)) == {"a", "b", "c"}
        assert run.tasks() | dict.fromkeys("abc", "Succeeded") == run.tasks()
    words = (fine.runs / f"{fine.name}.words").read_bytes().decode().split("\0")[:-1]
    assert words == list(WORDS)

    ended = {"a": "Succeeded", "b": "Failed", "c": "Omitted", "d": "Succeeded", "e": "Succeeded", "f": "Omitted"}
    assert runs[2].tasks() | ended == runs[2].tasks()
    assert failing.log() == ["a+", "a-", "b+", "d+", "d-", "e+", "e-"]

    assert late.log() == ["a+"]
    assert not late.objects(), "the job is deleted after the deadline"
    assert "is forbidden: User" in runs[4].said()
    assert not forbidden.objects()


def _second(run: Run) -> bool:
    return any(task.endswith("(1)") and phase == "Running" for task, phase in run.tasks().items())


@pytest.mark.parametrize("target", TARGETS)
def test_the_pods_that_watch_may_go(flows: Flows, work: Work, target: str) -> None:
    """Drained, killed, deleted: the job runs on, once, and so does the flow. With the flow all of it goes."""
    what = ("drained", "killed", "deleted", "removed")
    made = {name: flows(target, "run a", "run b after a", a=WAIT) for name in what}
    for flow in made.values():
        flow.allow()
    runs = {name: flow.start() for name, flow in made.items()}
    pods = {name: flow.watches(runs[name], "a") for name, flow in made.items()}
    about = {"name": pods["drained"]["metadata"]["name"], "namespace": node.NAMESPACE}
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": about}
    flows.api.post(f"{PODS}/{about['name']}/eviction", eviction)
    node.kill(work, pods["killed"])
    flows.api.delete(f"{PODS}/{pods['deleted']['metadata']['name']}")
    flows.api.delete(runs["removed"].place)
    runs["removed"].until(lambda: not made["removed"].objects(), "the objects of the flow are gone")
    for name in what[:-1]:
        runs[name].until(lambda run=runs[name]: _second(run), "another pod watches")
        made[name].go()
        assert runs[name].ends(240) == "Succeeded", runs[name].said()
        assert made[name].log() == ["a+", "a-", "b+", "b-"]


def test_the_controller_may_die_and_come_back(flows: Flows, work: Work, processes: Processes) -> None:
    flow = flows("kubernetes", *LINE, a=WAIT)
    flow.allow()
    run = flow.start()
    flow.watches(run, "a")
    processes.stop(argo.CONTROLLER, seconds=0)
    flow.go()
    run.until(lambda: "a-" in flow.log(), "the first job ends")
    argo.start_controller(work, processes)
    assert run.ends() == "Succeeded", run.said()
    assert flow.log() == ["a+", "a-", "b+", "b-", "c+", "c-"]


def test_who_may_not_create_roles(flows: Flows) -> None:
    """The Role is in a file of its own; who may create Workflows alone can start a flow that others have allowed."""
    flow = flows("kubernetes", "run a")
    flow.allow()
    rights = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{node.NAMESPACE}"
    rule = {"apiGroups": [GROUP], "resources": ["workflows"], "verbs": ["create"]}
    user = unused_name("user")
    flows.api.post(f"{rights}/roles", {"metadata": {"name": user}, "rules": [rule]})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    flows.api.post(f"{rights}/rolebindings", {"metadata": {"name": user}, "roleRef": role, "subjects": [subject]})
    refused = flow.kubectl("create", "--as", user, "-f", f"{flow.name}.rbac.yaml")
    assert refused.returncode != 0
    assert "forbidden" in refused.stderr
    assert Run(flows.api, flow.create("--as", user)).ends() == "Succeeded"


def test_one_run_replaces_the_last(flows: Flows) -> None:
    """At each time there are the objects of one run."""
    flow = flows(
        "kubernetes",
        'schedule = "*/2 * * * *"',
        'time_zone = "Europe/Berlin"',
        'overlap = "replace"',
        "run a",
        a="sleep 600",
    )
    flow.allow()
    flow.create()
    waiting = Run(flows.api, flow.name)
    waiting.until(flow.objects, "the first run makes its job", 150)
    (first,) = flow.objects().values()
    waiting.until(lambda: flow.log() == ["a+"] * 2, "the second run's job begins", 150)
    (second,) = flow.objects().values()
    assert second["metadata"]["name"] != first["metadata"]["name"]
    runs = flows.api.items(WORKFLOWS, f"tfdsl/flow={flow.name}")
    old = next(one for one in runs if first["metadata"]["name"].endswith(f"-{one['metadata']['uid'][:8]}-worker"))
    assert Run(flows.api, old["metadata"]["name"]).ends() == "Failed"


@pytest.mark.parametrize("jobs", [199, 200])
def test_the_server_takes_as_many_jobs_as_we_do(flows: Flows, tmp_path: Path, jobs: int) -> None:
    """The limit is in Argo's schema from 4.0 on; for an older one we have none."""
    names = [f"j{number}" for number in range(jobs)]
    text = "".join(f'job {name} {{ image = "x:1", command = "true", role worker {{ }} }}\n' for name in names)
    (tmp_path / "many.tfjob").write_text(f"{text}flow many {{\n{''.join(f'  run {name}{BREAK}' for name in names)}}}\n")
    made = [
        tfdsl("compile", "many.tfjob", "-t", "tfjob", "-O", f"tfjob.argo={version}", cwd=tmp_path)
        for version in ("4.0", "3.7")
    ]
    fits = jobs < 200
    assert [ran.status for ran in made] == [0 if fits else 1, 0]
    assert "at most 200" in made[0].err or fits
    answer = flows.api.call("POST", f"{WORKFLOWS}?dryRun=All", made[1].out, YAML)
    assert answer.fine == fits, answer.message
    assert "must have at most 200 items" in answer.message or fits
