"""Argo Workflows: its controller beside the control plane, and an executor's image for the pods that watch.

Both come from the Go module. Its archive lacks one file for Linux, ``go/argo/osspecific/signal_linux.go`` here, and a file
of the module cache cannot be overlaid, so a copy of the module is built.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conformance.kubernetes import control_plane, images, node, programs

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.processes import Processes
    from tests.conformance.kubernetes.work import Work

NAMESPACE = "argo"
"""Of the controller's settings; it sees the Workflows of every namespace."""

MODULE = programs.MODULE / "argo"
NAME = "github.com/argoproj/argo-workflows/v4"
PROGRAMS = ("workflow-controller", "argoexec")
RESOURCES = "manifests/base/crds/full"
UNUSED = ("ui", "docs", "test", "examples", "sdks", "hack", "community", "node_modules")
CONTROLLER = "workflow-controller"


def build(work: Work) -> images.Image:
    """Build what is missing: the programs, and the image of the executor. Raises :class:`programs.NotBuiltError`."""
    source = work.folder / "argo" / "source"
    missing = [name for name in PROGRAMS if not programs.is_ready(work.programs / name)]
    if missing or not (source / RESOURCES).is_dir():
        _copy_source(source)
    if missing:
        programs.go_build(source.parent, ["tool"], work.programs)
    return images.of_program(work, work.programs / "argoexec")


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
    executor = build(work)
    for path in sorted((work.folder / "argo" / "source" / RESOURCES).glob("*.yaml")):
        group, _, kind = path.stem.partition("_")
        place = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{kind}.{group}"
        if path.stem != "kustomization" and not api.get(place):
            control_plane.install(api, path.read_text())
    node.add_image(work, executor)
    control_plane.make_namespace(api, processes, NAMESPACE)
    to_server = (node.ADDRESS, str(work.port("argo-to-server")))
    forwarding = [sys.executable, "-m", "tests.conformance.kubernetes.forwarding", *to_server]
    processes.start("argo-to-server", [*forwarding, "127.0.0.1", str(work.port("kube-apiserver"))])
    _settings(api, to_server)
    start_controller(work, processes, executor)


def start_controller(work: Work, processes: Processes, executor: images.Image) -> None:
    """Start the controller alone, which may have run before."""
    processes.start(
        CONTROLLER,
        [
            *(work.programs / CONTROLLER, "--kubeconfig", work.kubeconfig, "--namespace", NAMESPACE),
            *("--executor-image", executor.name, "--executor-image-pull-policy", "IfNotPresent"),
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
