"""Argo Workflows: its controller beside the control plane, and an executor's image for the pods that watch.

Both come from the Go module. Its archive lacks a file for Linux, of which ``go/argo/osspecific`` has one; a file of the
module cache cannot be overlaid, so a copy of the module is built.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from typing import TYPE_CHECKING, Any

from tests.conformance.kubernetes import control_plane, images, node, programs
from tests.conformance.kubernetes.processes import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.processes import Processes
    from tests.conformance.kubernetes.work import Work

NAMESPACE = "argo"
"""Of the controller's settings; it sees the Workflows of every namespace."""

MODULE = programs.MODULE / "argo"
NAME = "github.com/argoproj/argo-workflows/v4"
CONTROLLER = "workflow-controller"
EXECUTOR = "argoexec"
RESOURCES = "manifests/base/crds"
VALIDATED = ("workflows", "cronworkflows")
"""What we emit: the server has the full schemas of these, which take it seconds each."""
UNUSED = ("ui", "docs", "test", "examples", "sdks", "hack", "community", "node_modules")
GROUP = "argoproj.io"
WORKFLOWS = f"/apis/{GROUP}/v1alpha1/namespaces/{node.NAMESPACE}/workflows"
ENDS = ("Succeeded", "Failed", "Error")


def build(work: Work) -> None:
    """Build the programs that are not ready. Raises :class:`programs.NotBuiltError`."""
    source = work.folder / "argo" / "source"
    _copy_source(source)
    missing = [name for name in (CONTROLLER, EXECUTOR) if not programs.is_ready(work.programs / name)]
    if missing:
        programs.go_build(source.parent, ["tool"], work.programs)


def _copy_source(source: Path) -> None:
    """The module as its checksum says, and the file that it lacks."""
    shutil.rmtree(source.parent, ignore_errors=True)
    shutil.copytree(MODULE, source.parent)
    found = json.loads(programs.go(MODULE, "mod", "download", "-json", NAME))
    shutil.copytree(found["Dir"], source, ignore=shutil.ignore_patterns(*UNUSED), copy_function=shutil.copyfile)
    shutil.move(source.parent / "osspecific" / "signal_linux.go", source / "workflow/executor/osspecific")
    programs.go(source.parent, "mod", "edit", "-replace", f"{NAME}=./{source.name}")


def start(work: Work, processes: Processes, api: Api) -> None:
    """Start the controller beside a control plane and a node that run, and give the node the executor."""
    build(work)
    schemas = work.folder / "argo" / "source" / RESOURCES
    for path in sorted((schemas / "minimal").glob("argoproj.io_*.yaml")):
        kind = path.stem.partition("_")[2]
        if not api.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{kind}.{GROUP}"):
            control_plane.install(api, (schemas / "full" / path.name if kind in VALIDATED else path).read_text())
    node.add_image(work, images.of_program(work, work.programs / EXECUTOR))
    control_plane.make_namespace(api, processes, NAMESPACE)
    to_server = (node.ADDRESS, str(work.port("argo-to-server")))
    forwarding = [sys.executable, "-m", "tests.conformance.kubernetes.forwarding", *to_server]
    processes.start("argo-to-server", [*forwarding, "127.0.0.1", str(work.port("kube-apiserver"))])
    _settings(api, to_server)
    start_controller(work, processes)


def start_controller(work: Work, processes: Processes) -> None:
    """Start the controller alone, which may have run before."""
    processes.start(
        CONTROLLER,
        [
            *(work.programs / CONTROLLER, "--kubeconfig", work.kubeconfig, "--namespace", NAMESPACE),
            *("--executor-image", images.named(EXECUTOR), "--executor-image-pull-policy", "IfNotPresent"),
        ],
        {"LEADER_ELECTION_DISABLE": "true"},
    )


def _settings(api: Api, to_server: tuple[str, str]) -> None:
    address, port = to_server
    environment = {"KUBERNETES_SERVICE_HOST": address, "KUBERNETES_SERVICE_PORT": port}
    executor = {"env": [{"name": name, "value": value} for name, value in environment.items()]}
    data = {"executor": json.dumps(executor), "metricsConfig": json.dumps({"enabled": False})}
    about = {"name": "workflow-controller-configmap"}
    place = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
    api.delete(f"{place}/{about['name']}")
    api.post(place, {"metadata": about, "data": data})


def stop(processes: Processes) -> None:
    """End what :func:`start` has started."""
    processes.stop(CONTROLLER, "argo-to-server")


class Run:
    """A Workflow in the namespace whose pods run."""

    def __init__(self, api: Api, name: str) -> None:
        self.api, self.name = api, name
        self.place = f"{WORKFLOWS}/{name}"

    def status(self) -> dict[str, Any]:
        """Its status, as the controller has written it last."""
        return dict(self.api.get(self.place).get("status", {}))

    def tasks(self) -> dict[str, str]:
        """Its nodes with their phases; the nth try of a task is called ``TASK(n)``."""
        return {one["displayName"]: one["phase"] for one in self.status().get("nodes", {}).values()}

    def message(self, task: str) -> str:
        """What the controller says of a node."""
        nodes = self.status().get("nodes", {}).values()
        return next((one.get("message", "") for one in nodes if one["displayName"] == task), "")

    def watchers(self) -> list[dict[str, Any]]:
        """The pods that apply and watch its objects, those that run, the newest last."""
        pods = self.api.items(f"/api/v1/namespaces/{node.NAMESPACE}/pods", f"workflows.{GROUP}/workflow={self.name}")
        running = [
            pod for pod in pods if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]
        ]
        return sorted(running, key=lambda pod: pod["metadata"]["creationTimestamp"])

    def until(self, holds: Callable[[], object], what: str, seconds: float = 90) -> None:
        """Wait until ``holds`` is true."""
        end = time.monotonic() + PATIENCE * seconds
        while not holds():
            assert time.monotonic() < end, f"{self.name}: not in {seconds:.0f} s: {what}; {self.said()}"
            time.sleep(0.2)

    def ends(self, seconds: float = 120) -> str:
        """The phase in which it ends."""
        self.until(lambda: self.status().get("phase") in ENDS, "the Workflow ends", seconds)
        return str(self.status()["phase"])

    def said(self) -> str:
        """All that a failed test has to know."""
        status = self.status()
        nodes = [(one["displayName"], one["phase"], one.get("message")) for one in status.get("nodes", {}).values()]
        return f"{status.get('phase')} {status.get('message')} {nodes}"
