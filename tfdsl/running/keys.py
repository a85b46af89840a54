"""What ``run`` does with each key of a job (:mod:`tfdsl.ir.fields`): the table that keeps anything from being lost.

``done``: as the language says. ``sought``: done, or what keeps it from being done is reported where it is found out.
``told``: not done, and said once at the start with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from tfdsl.record import Record
from tfdsl.vocabulary.attributes import ATTRIBUTES, IN_MEMORY
from tfdsl.vocabulary.statements import MOUNT_KINDS, POLICY_KEYS, RUN_TIME_MARKS, STEPS

Fate: TypeAlias = Literal["done", "sought", "told"]


class Row(Record):
    """What becomes of ``key``. ``why``: the reason that is reported, and what happens instead."""

    key: str
    fate: Fate
    why: str = ""


_CLUSTER: Final = "it is about a cluster"
_IMAGE: Final = "commands run in this environment"
_USER: Final = "commands run as you"
_VARIABLES: Final = "variables come from this environment and from --env-file"

_JOB: Final[dict[str, str]] = {
    "namespace": _CLUSTER,
    "labels": _CLUSTER,
    "common_labels": _CLUSTER,
    "annotations": _CLUSTER,
    "queue": _CLUSTER,
    "priority": _CLUSTER,
    "scheduler": _CLUSTER,
    "ttl": "nothing of the job is left when it has ended",
    "suspend": "the job starts now",
}
_ROLE: Final[dict[str, str]] = {
    "image": _IMAGE,
    "image_pull_policy": _IMAGE,
    "image_pull_secrets": _IMAGE,
    "env_from": _VARIABLES,
    "gpu_resource": "devices are those that CUDA finds",
    "gpu_memory": "a device is given as a whole",
    "port": "each replica has a free port of this machine",
    "ports": "replicas share the ports of this machine",
    "host_network": "every replica uses the network of this machine",
    "run_as_user": _USER,
    "run_as_group": _USER,
    "fs_group": _USER,
    "privileged": _USER,
    "capabilities": _USER,
    "restricted": _USER,
    "spread": "there is one machine",
}
"""Attribute → why it is not done, where the reason is not that it is about a cluster."""

_DONE: Final = ("replicas", "min_available", "after", "server", "logdir", "command", "args", "stop_grace")
_SOUGHT: Final = ("gpu", "workdir", "cpu", "memory", "cpu_limit", "memory_limit", *IN_MEMORY, "env")
_MOUNTS_TOLD: Final = {
    "storage_class": "a claim is a folder of this run",
    "access_modes": "a claim is a folder of this run",
}
_STEP_TOLD: Final = {
    "image": _IMAGE,
    "env_from": _VARIABLES,
    "gpu": "devices are given to commands",
    "ports": "replicas share the ports of this machine",
}
_WITH_RUN_TIME: Final = ("env", "command", "args", "workdir")


def rows() -> Iterator[Row]:
    """The table, in the order of the model."""
    yield from _of_job()
    yield from _of_roles()
    yield from _of_mounts()
    yield from (Row(f"outputs[]{part}", "sought") for part in ("", ".when", ".index", ".overwrite"))
    for field in ("outputs[].source", "outputs[].destination"):
        yield from (Row(f"{field}{mark}", "sought") for mark in RUN_TIME_MARKS)
    yield from _of_steps()
    # Nothing is evicted here, and no node is lost, unless it is injected.
    yield from (Row(key, "done") for key in POLICY_KEYS)


def _of_job() -> Iterator[Row]:
    yield from (Row(f"job.{name}", "told", why) for name, why in _JOB.items())
    # The machine of tfdsl.lifecycle does these; replicas are started together, and at the end all are stopped.
    for name in ("gang", "retries", "deadline", "cleanup", "checkpoint"):
        yield Row(f"job.{name}", "done")
    yield Row("cluster.discovery", "done")
    yield Row("cluster.protocol", "done")
    yield Row("build", "told", f"no image is built: {_IMAGE}")


def _of_roles() -> Iterator[Row]:
    for name in (row.name for row in ATTRIBUTES if row.in_role and row.name not in (*_DONE, *_SOUGHT)):
        yield Row(f"roles[].{name}", "told", _ROLE.get(name, _CLUSTER))
    yield from (Row(f"roles[].{name}", "done") for name in _DONE)
    yield from (Row(f"roles[].{name}", "sought") for name in _SOUGHT)
    yield from (Row(f"roles[].{name}{mark}", "sought") for name in _WITH_RUN_TIME for mark in RUN_TIME_MARKS)
    yield Row("roles[].env{pod_field}", "told", "the replica is not a pod, and gets what describes this machine")


def _of_mounts() -> Iterator[Row]:
    for kind in MOUNT_KINDS:
        key, options = f"mounts[{kind.name}]", ("readonly", *(option.name for option in kind.options))
        yield Row(key, "sought")
        for option in options:
            why = _MOUNTS_TOLD.get(option)
            yield Row(f"{key}.{option}", "sought" if why is None else "told", why or "")
        if kind.source != "size":
            yield from (Row(f"{key}{mark}", "sought") for mark in RUN_TIME_MARKS)
        if "sub_path" in options:
            yield from (Row(f"{key}.sub_path{mark}", "sought") for mark in RUN_TIME_MARKS)


def _of_steps() -> Iterator[Row]:
    for kind in STEPS:
        key = f"steps[{kind}]"
        yield Row(key, "sought")
        yield from (Row(f"{key}.{name}", "done") for name in ("command", "args"))
        yield from (Row(f"{key}.{name}", "sought") for name in ("workdir", "env", "cpu", "memory"))
        for name, why in _STEP_TOLD.items():
            if name != "ports" or kind == "sidecar":
                yield Row(f"{key}.{name}", "told", why)
        yield from (Row(f"{key}.{name}{mark}", "sought") for name in _WITH_RUN_TIME for mark in RUN_TIME_MARKS)
        yield Row(f"{key}.env{{pod_field}}", "told", "the replica is not a pod, and gets what describes this machine")


TABLE: Final[dict[str, Row]] = {row.key: row for row in rows()}
