"""Mounts as volumes and volume mounts.

Mounts with one source share one volume. A volume's name tells what it is (``pvc-mnist-data``), depends on its source
only, and is a DNS label of at most 63 characters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.emit.located import Data, Located, at, child
from tfdsl.ir import model
from tfdsl.ir.model import Mount, Role, Text
from tfdsl.record import Record
from tfdsl_backends.podspec.run_time import expanded, literal

if TYPE_CHECKING:
    from tfdsl_backends.podspec.plan import Index, PodPlan

LONGEST_NAME = 63
_Source: TypeAlias = tuple[str, ...]


class PodVolumes(Record):
    """The ``volumes`` of a pod and the ``volumeMounts`` of its container."""

    volumes: list[Data]
    mounts: list[Data]


def pod_volumes(role: Role, plan: PodPlan) -> PodVolumes:
    """The volumes of ``role``'s pods, in the order of first use; /dev/shm last."""
    names: dict[_Source, str] = {}
    volumes: list[Data] = []
    mounts: list[Data] = []
    for mount in role.mounts:
        if isinstance(mount, model.ClaimMount) and mount.claim not in plan.claims:
            if mount.claim in plan.claim_volumes:
                mounts.append(_mount(mount, plan.claim_volumes[mount.claim], plan.index))
            continue
        source = _source(mount, plan)
        if source not in names:
            names[source] = _name(source, {*names.values(), *plan.reserved_volumes, *plan.claim_volumes.values()})
            volumes.append(Located({"name": names[source], **_volume(mount, plan)}, mount.path))
        mounts.append(_mount(mount, names[source], plan.index))
    if role.shm is not None:
        name = _name(("shm",), {*names.values(), *plan.reserved_volumes, *plan.claim_volumes.values()})
        shm: Data = {"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": at(role, "shm")}}
        place = child(role.path, "shm")
        volumes.append(Located(shm, place))
        mounts.append(Located({"name": name, "mountPath": "/dev/shm"}, place))
    return PodVolumes(volumes, mounts)


def _source(mount: Mount, plan: PodPlan) -> _Source:
    """What makes two mounts one volume: kind, source, and the options that belong to the volume."""
    match mount:
        case model.PvcMount():
            return "pvc", literal(mount.claim)
        case model.ClaimMount():
            return "pvc", plan.claims[mount.claim]
        case model.HostMount():
            return "host", literal(mount.source), *((mount.type,) if mount.type else ())
        case model.NfsMount():
            return "nfs", mount.server, literal(mount.share)
        case model.ConfigMapMount() | model.SecretMount():
            items = tuple(text for pair in mount.items.items() for text in pair)
            return mount.kind, literal(mount.name), *((mount.mode,) if mount.mode else ()), *items
        case _:
            return mount.kind, mount.at


def _name(source: _Source, taken: set[str]) -> str:
    """A name for the volume of ``source``: readable, and with a hash where it was cut or is taken."""
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(source).lower()).strip("-")
    if len(name) > LONGEST_NAME or name in taken:
        from hashlib import sha256  # one in a thousand jobs gets here

        digest = sha256("\0".join(source).encode("utf-8", "surrogatepass")).hexdigest()[:8]
        name = f"{name[: LONGEST_NAME - 9].rstrip('-')}-{digest}"
    return name


def _volume(mount: Mount, plan: PodPlan) -> dict[str, Data]:
    match mount:
        case model.PvcMount():
            return {"persistentVolumeClaim": {"claimName": literal(mount.claim)}}
        case model.ClaimMount():
            return {"persistentVolumeClaim": {"claimName": plan.claims[mount.claim]}}
        case model.HostMount():
            return {"hostPath": {"path": literal(mount.source), "type": at(mount, "type")}}
        case model.NfsMount():
            return {"nfs": {"server": mount.server, "path": literal(mount.share)}}
        case model.ConfigMapMount():
            return {"configMap": {"name": literal(mount.name), **_files(mount)}}
        case model.SecretMount():
            return {"secret": {"secretName": literal(mount.name), **_files(mount)}}
        case model.ScratchMount():
            return {"emptyDir": {"sizeLimit": at(mount, "size")}}
        case model.MemoryMount():
            return {"emptyDir": {"medium": "Memory", "sizeLimit": at(mount, "size")}}
        case model.HdfsMount() | model.ArchiveMount():
            raise AssertionError(f"the support table refuses mount {mount.kind}")


def _files(mount: model.ConfigMapMount | model.SecretMount) -> dict[str, Data]:
    """``defaultMode`` as the number that the octal text means, and ``items``."""
    return {
        "defaultMode": Located(int(mount.mode, 8), f"{mount.path}.mode") if mount.mode else None,
        "items": [{"key": key, "path": path} for key, path in mount.items.items()] or None,
    }


def _mount(mount: Mount, name: str, index: Index) -> Data:
    return Located(
        {
            "name": name,
            "mountPath": at(mount, "at"),
            "readOnly": Located(True, f"{mount.path}.readonly") if mount.readonly else None,
            **_sub_path(mount, index),
        },
        mount.path,
    )


def _sub_path(mount: Mount, index: Index) -> dict[str, Data]:
    text: Text | None = getattr(mount, "sub_path", None)
    if text is None:
        return {}
    place = f"{mount.path}.sub_path"
    if isinstance(text, str):
        return {"subPath": Located(text, place)}
    return {"subPathExpr": Located(expanded(text, index), place)}
