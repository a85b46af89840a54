"""A node whose pods really run: bridge, containerd, kubelet, scheduler and CoreDNS. Needs root.

All state lies in the work folder; what cannot (the bridge, mounts, control groups, links that the kubelet makes under
``/var``) is taken away by :func:`stop`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conformance.kubernetes import control_plane
from tests.conformance.kubernetes.processes import NotStartedError

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.images import Image
    from tests.conformance.kubernetes.processes import Processes
    from tests.conformance.kubernetes.work import Work

NAME = "node-1"
BRIDGE = "tfdsl0"
ADDRESS = control_plane.NODE
NETWORK = ADDRESS.rpartition(".")[0]
PACKAGES = ("containerd", "runc", "containernetworking-plugins", "busybox-static", "iproute2")
NAMESPACE = "node"
"""The namespace whose pods the node runs; those of all others belong to the stand-in kubelet."""

TAINT = {"key": "conformance.invalid/pods", "effect": "NoSchedule"}


def install_packages() -> None:
    """Install the Debian packages that are missing. Raises :class:`NotStartedError`."""
    if os.geteuid() != 0:
        raise NotStartedError("pods cannot be run: a node needs root")
    if shutil.which("dpkg") is None:
        raise NotStartedError("pods cannot be run: the node's programs come from Debian packages, and there is no dpkg")
    missing = [name for name in PACKAGES if subprocess.run(["dpkg", "-s", name], capture_output=True).returncode]
    if missing:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        _run("apt-get", "update", "-qq")
        _run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing, environment=quiet)


def start(work: Work, processes: Processes, api: Api, images: list[Image]) -> None:
    """Start everything beside a control plane that runs, and wait until the node takes pods."""
    stop(work, processes)  # what an interrupted run has left
    _bridge()
    _containerd(work, processes)
    for image in images:
        if image.name not in _ctr(work, "images", "ls", "-q").split():
            add_image(work, image)
    tolerated = {"scheduler.alpha.kubernetes.io/defaultTolerations": [{**TAINT, "operator": "Exists"}]}
    control_plane.make_namespace(api, processes, NAMESPACE, tolerated)
    control_plane.start_scheduler(work, processes)
    _coredns(work, processes)
    api.delete(f"/api/v1/nodes/{NAME}")  # that of an earlier kubelet would look ready
    _kubelet(work, processes)

    def ready() -> bool:
        if not processes.running("kubelet") and "server is not initialized yet" in processes.tail("kubelet"):
            _kubelet(work, processes)  # containerd answers a moment before the part of it does that the kubelet asks
        return _ready(api)

    processes.wait("kubelet", ready, 90)


def add_image(work: Work, image: Image) -> None:
    """Give the node an image."""
    _ctr(work, "images", "import", str(image.archive))


def kill(work: Work, pod: dict[str, Any]) -> None:
    """Kill the first container of a pod, as the kernel does that has no memory left."""
    name = pod["status"]["containerStatuses"][0]["containerID"].removeprefix("containerd://")
    _ctr(work, "tasks", "kill", "-s", "SIGKILL", name)


def stop(work: Work, processes: Processes) -> None:
    """End the node's programs and its containers, and take away what lies outside of the work folder."""
    processes.stop("kubelet", "coredns", "kube-scheduler")
    if processes.running("containerd"):
        address = ["ctr", "-a", work.folder / "c.sock", "-n", "k8s.io"]
        for kind, force in (("tasks", ["-f"]), ("containers", [])):
            for name in _ctr(work, kind, "ls", "-q").split():
                subprocess.run([*address, kind, "rm", *force, name], capture_output=True)  # it may end by itself
        processes.stop("containerd")
    _unmount(work)
    subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)
    for group in (*Path("/sys/fs/cgroup").glob("*/kubepods"), Path("/sys/fs/cgroup/kubepods")):
        subprocess.run(["find", group, "-depth", "-type", "d", "-exec", "rmdir", "{}", "+"], capture_output=True)
    for link in Path("/var/log/containers").glob("*"):
        if link.is_symlink() and link.readlink().is_relative_to(work.folder):
            link.unlink()
    for leftover in Path("/var/lib/cni/results").glob(f"{BRIDGE}-*"):
        leftover.unlink()
    for name in ("kubelet", "pod-logs", "cni-data"):
        shutil.rmtree(work.folder / name, ignore_errors=True)


def _unmount(work: Work) -> None:
    for _ in range(3):  # mounts lie on mounts
        found = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        for place in sorted((path for path in found if path.startswith(f"{work.folder}/")), reverse=True):
            subprocess.run(["umount", "-l", place], capture_output=True)


def _ready(api: Api) -> bool:
    node = api.get(f"/api/v1/nodes/{NAME}")
    conditions = node.get("status", {}).get("conditions", [])
    ready = any(entry["type"] == "Ready" and entry["status"] == "True" for entry in conditions)
    return ready and node["spec"].get("taints") == [TAINT]


# --- the programs --------------------------------------------------------------------------------------------------


def _bridge() -> None:
    """One bridge has the pods, the node's address and the DNS server.

    Its hardware address is fixed: it would be the lowest of its ports, change with the pods that come and go, and
    leave pods without DNS for up to a minute.
    """
    if subprocess.run(["ip", "link", "show", BRIDGE], capture_output=True).returncode:
        _run("ip", "link", "add", BRIDGE, "address", "0a:58:0a:57:00:01", "type", "bridge")
    _run("ip", "address", "replace", f"{ADDRESS}/24", "dev", BRIDGE)
    _run("ip", "link", "set", BRIDGE, "up")


def _containerd(work: Work, processes: Processes) -> None:
    folder = work.folder
    pool = {"subnet": f"{NETWORK}.0/24", "rangeStart": f"{NETWORK}.10", "gateway": ADDRESS}
    addresses = {
        "type": "host-local",
        "dataDir": str(folder / "cni-data"),
        "ranges": [[pool]],
        "routes": [{"dst": "0.0.0.0/0"}],
    }
    bridge = {"type": "bridge", "bridge": BRIDGE, "isGateway": True, "hairpinMode": True, "ipam": addresses}
    network = {"cniVersion": "0.4.0", "name": BRIDGE, "plugins": [bridge, {"type": "loopback"}]}
    (work.sub("cni") / "10-pods.conflist").write_text(json.dumps(network))
    # restrict_oom_score_adj: a container of ours may itself run without the right to lower the score.
    (folder / "containerd.toml").write_text(f"""\
version = 2
root = "{folder}/root"
state = "{folder}/state"
[grpc]
  address = "{folder}/c.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "{folder}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "conformance.invalid/pause:1"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  stream_server_address = "127.0.0.1"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "{folder}/cni"
""")
    processes.start("containerd", ["containerd", "-c", folder / "containerd.toml"])
    processes.wait("containerd", lambda: _containerd_answers(work), 30)


def _containerd_answers(work: Work) -> bool:
    return not subprocess.run(["ctr", "-a", work.folder / "c.sock", "version"], capture_output=True).returncode


def _ctr(work: Work, *arguments: str) -> str:
    return _run("ctr", "-a", str(work.folder / "c.sock"), "-n", "k8s.io", *arguments)


def _coredns(work: Work, processes: Processes) -> None:
    ready = f"127.0.0.1:{work.port('coredns-ready')}"
    (work.folder / "Corefile").write_text(f"""\
.:53 {{
    bind {ADDRESS}
    ready {ready}
    errors
    kubernetes cluster.local {{
        kubeconfig {work.kubeconfig}
        ttl 0
    }}
}}
""")
    processes.start("coredns", [work.programs / "cluster", "coredns", "-conf", work.folder / "Corefile"])
    processes.wait("coredns", lambda: control_plane.answers(f"http://{ready}/ready"), 60)


def _kubelet(work: Work, processes: Processes) -> None:
    configuration = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": ADDRESS,
        "port": work.port("kubelet"),
        "readOnlyPort": 0,
        "healthzBindAddress": "127.0.0.1",
        "healthzPort": work.port("kubelet-health"),
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "failCgroupV1": False,
        "failSwapOn": False,
        "enforceNodeAllocatable": [],
        "containerRuntimeEndpoint": f"unix://{work.folder}/c.sock",
        "podLogsDir": str(work.folder / "pod-logs"),
        # How full the machine is decides nothing: no pods are evicted, and no images removed, which are nowhere else.
        "evictionHard": {"memory.available": "0%", "nodefs.available": "0%", "imagefs.available": "0%"},
        "imageGCHighThresholdPercent": 100,
        "clusterDNS": [ADDRESS],
        "clusterDomain": "cluster.local",
        "resolvConf": "",
        "makeIPTablesUtilChains": False,
        "registerWithTaints": [TAINT],
    }
    (work.folder / "kubelet.yaml").write_text(json.dumps(configuration))
    processes.start(
        "kubelet",
        [
            *(work.programs / "cluster", "kubelet", "--config", work.folder / "kubelet.yaml"),
            *("--kubeconfig", work.kubeconfig, "--root-dir", work.folder / "kubelet"),
            *("--cert-dir", work.sub("kubelet-keys"), "--hostname-override", NAME, "--node-ip", ADDRESS),
        ],
    )


def _run(*command: str, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise NotStartedError(f"{' '.join(command[:4])}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
