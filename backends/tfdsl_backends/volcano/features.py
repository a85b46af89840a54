"""What the releases of Volcano and its job plugins do, as data.

Sources: the job controllers of 1.9.1, 1.13.3 and 1.15.1, which were run, and the code at the tags of the other points
(``pkg/controllers/job``). A release that is not in the list does what the newest one before it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tfdsl.backend import Unit
from tfdsl.record import Record

API_VERSION = "batch.volcano.sh/v1alpha1"
VERSIONS = ("1.5.0", "1.6", "1.9", "1.11", "1.12.0", "1.12.4", "1.13.0", "1.13.2", "1.14", "1.15")
"""Releases from which something is different, oldest first."""


SIDECARS = "1.9"
"""From here the CRD keeps ``restartPolicy`` of an init container; before, a sidecar would keep the command waiting."""


class Features(Record):
    """What one release does.

    ``reaches_count``: TaskFailed fires when the restarts reach ``maxRetry``; before 1.6 when they are above it.
    ``annotates_index``: pods carry ``volcano.sh/task-index`` as an annotation, which a fieldRef can read.
    ``counts_once``: a restart of a pod or task is counted once; before 1.14 at times twice.
    ``fails_deleted``: a pod that is being deleted is still watched, so its end counts first (PodFailed, an exit
    status, or TaskCompleted) and PodEvicted comes after it. Commit c1c35de8a, which 1.12 and 1.13 got late.
    """

    reaches_count: bool
    annotates_index: bool
    counts_once: bool
    fails_deleted: bool


def features(unit: Unit) -> Features:
    """What the release that ``unit`` is for does."""
    without = not unit.at_least("1.12.4") or (unit.at_least("1.13") and not unit.at_least("1.13.2"))
    return Features(
        reaches_count=unit.at_least("1.6"),
        annotates_index=unit.at_least("1.9"),
        counts_once=unit.at_least("1.14"),
        fails_deleted=not without,
    )


class Plugin(Record):
    """A plugin of jobs (pkg/controllers/job/plugins of Volcano 1.15; its factory.go has their names).

    ``since``: the first release that has it, where the oldest known has not. ``adds``: the plugins that the webhook
    adds beside it. ``flags``: its flags with their defaults, ``None`` where they are not known. ``variables``: what it
    sets in every container; ``{TASK}`` stands for the name of each task. ``written``: its arguments are the compiler's.
    """

    name: str
    since: str = ""
    adds: tuple[str, ...] = ()
    flags: Mapping[str, bool | int | str] | None = None
    variables: tuple[str, ...] = ()
    written: bool = False


PLUGINS: Final = {
    plugin.name: plugin
    for plugin in (
        Plugin("env", flags={}, variables=("VC_TASK_INDEX", "VK_TASK_INDEX"), written=True),
        Plugin(
            "svc",
            flags={"publish-not-ready-addresses": False, "disable-network-policy": False, "inject-hosts-env": True},
            variables=("VC_{TASK}_HOSTS", "VC_{TASK}_NUM"),
            written=True,
        ),
        Plugin(
            "ssh",
            flags={"ssh-key-file-path": "/root/.ssh", "ssh-private-key": "", "ssh-public-key": "", "ssh-port": 22},
        ),
        Plugin(
            "tensorflow",
            adds=("svc",),
            flags={"ps": "ps", "worker": "worker", "chief": "chief", "evaluator": "evaluator", "port": 2222},
            written=True,
        ),
        Plugin("mpi", "1.6", ("svc", "ssh"), flags={"master": "master", "worker": "worker", "port": 22}),
        Plugin(
            "pytorch",
            "1.7",
            ("svc",),
            flags={
                "master": "master",
                "worker": "worker",
                "port": 23456,
                "wait-master-enabled": False,
                "wait-master-timeout": 300,
                "wait-master-image": "busybox:1.36.1",
            },
        ),
        Plugin("hcclrank", "1.13", flags={"master": "master", "worker": "worker"}),
        Plugin("ray", "1.13", ("svc",)),
    )
}


def plugin_variables(plugins: Iterable[str], tasks: Iterable[str]) -> frozenset[str]:
    """The variables that ``plugins`` set in every container of a job with ``tasks``."""
    upper = [task.replace("-", "_").upper() for task in tasks] or [""]
    patterns = [pattern for name in plugins if name in PLUGINS for pattern in PLUGINS[name].variables]
    return frozenset(pattern.format(TASK=task) for pattern in patterns for task in upper)
