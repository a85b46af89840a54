"""What a job reads and writes outside of its replicas, and which role does so.

What only a replica itself has (``scratch``, ``memory``, ``/dev/shm``) is a line of its role's box.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.drawing.words import output as output_words
from tfdsl.drawing.words import shown
from tfdsl.record import Record
from tfdsl.rules.values import literal, parts_of
from tfdsl.target_objects import CLAIM

if TYPE_CHECKING:
    from tfdsl.drawing.picture import LinkKind
    from tfdsl.ir.model import Job, Mount, Role

Key: TypeAlias = tuple[str, str]
"""What kind of thing a store is, and its name."""


class Store(Record):
    """One store. ``key`` is that of the object where it is one; ``path``: the first statement that names it."""

    key: Key
    name: str
    what: str
    path: str


class Use(Record):
    """That a role uses a store: how, in a few words, and the IR path of the statement."""

    store: Store
    role: str
    kind: LinkKind
    words: str
    path: str


def uses(job: Job) -> Iterator[Use]:
    """All uses, role by role in the order of the job."""
    for role in job.roles:
        yield from _mounts(job, role)
        yield from _variables(role)
        yield from _outputs(job, role)
        yield from _logs(job, role)


# --- mounts ----------------------------------------------------------------------------------------------------------


def _mounts(job: Job, role: Role) -> Iterator[Use]:
    for mount in role.mounts:
        store = _store(job, mount)
        if store is not None:
            yield Use(store, role.name, "mount", _mounted(mount, store), mount.path)


def _mounted(mount: Mount, store: Store) -> str:
    """``/data (read-only)``, ``corpus at /data``."""
    part = ""
    if (mount.kind == "pvc" or mount.kind == "claim") and mount.sub_path is not None:
        part = f"{shown(mount.sub_path)} at "
    elif mount.kind == "hdfs":
        part = f"{shown(mount.uri).removeprefix(store.name)} at "
    elif mount.kind == "archive":
        rest = shown(mount.source).removeprefix(store.name)
        part = f"{rest} unpacked at " if rest else "unpacked at "
    only = " (read-only)" if mount.readonly and mount.kind in ("pvc", "claim", "host", "nfs") else ""
    return f"{part}{shown(mount.at)}{only}"


def _store(job: Job, mount: Mount) -> Store | None:
    if mount.kind == "pvc":
        return Store((CLAIM, shown(mount.claim)), shown(mount.claim), "existing claim", mount.path)
    if mount.kind == "claim":
        claim = next(one for one in job.claims if one.name == mount.claim)
        what = f"new claim of {claim.size.text}" + (", kept" if claim.keep else "")
        return Store((CLAIM, f"{job.name}-{claim.name}"), shown(claim.name), what, mount.path)
    if mount.kind == "host":
        return Store(("host", shown(mount.source)), shown(mount.source), "on the node", mount.path)
    if mount.kind == "nfs":
        export = f"{shown(mount.server)}:{shown(mount.share)}"
        return Store(("nfs", export), export, "NFS export", mount.path)
    if mount.kind == "configmap":
        return _config_map(shown(mount.name), mount.path)
    if mount.kind == "secret":
        return _secret(shown(mount.name), mount.path)
    if mount.kind == "hdfs":
        return _remote(mount.uri, mount.path)
    if mount.kind == "archive":
        source = shown(mount.source)
        return _remote(mount.source, mount.path) or Store(("archive", source), source, "archive", mount.path)
    return None


def _secret(name: str, path: str) -> Store:
    return Store(("Secret", name), name, "Secret", path)


def _config_map(name: str, path: str) -> Store:
    return Store(("ConfigMap", name), name, "ConfigMap", path)


def _remote(text: object, path: str) -> Store | None:
    """The file system of a URI: what is before its path."""
    scheme, mark, rest = shown(text).partition("://")
    if not mark:
        return None
    name = f"{scheme}://{rest.partition('/')[0]}"
    return Store(("files", name), name, "HDFS" if scheme == "hdfs" else "remote files", path)


# --- variables -------------------------------------------------------------------------------------------------------


def _variables(role: Role) -> Iterator[Use]:
    """Variables of the command and its steps, and what the image is pulled with."""
    for name, value in role.env.items():
        path = f"{role.path}.env[{name}]"
        if isinstance(value, str):
            continue
        if value.kind == "secret":
            store = _secret(shown(value.name), path)
        elif value.kind == "configmap":
            store = _config_map(shown(value.name), path)
        else:
            continue
        yield Use(store, role.name, "variables", f"variable {shown(name)}", path)
    for number, source in enumerate(role.env_from):
        path = f"{role.path}.env_from[{number}]"
        make = _secret if source.kind == "secret" else _config_map
        yield Use(make(shown(source.name), path), role.name, "variables", "all keys as variables", path)
    for number, name in enumerate(role.image_pull_secrets):
        path = f"{role.path}.image_pull_secrets[{number}]"
        yield Use(_secret(shown(name), path), role.name, "variables", "pulls the image", path)


# --- outputs, checkpoints, logs --------------------------------------------------------------------------------------


def _outputs(job: Job, role: Role) -> Iterator[Use]:
    for one in role.outputs:
        store = store_of(job, role, one.destination, one.path)
        if store is not None:
            yield Use(store, role.name, "output", output_words(one), one.path)


def _logs(job: Job, role: Role) -> Iterator[Use]:
    if role.logdir is not None:
        path = f"{role.path}.logdir"
        store = store_of(job, role, role.logdir, path)
        if store is not None:
            yield Use(store, role.name, "logs", f"shows {shown(role.logdir)}", path)


def store_of(job: Job, role: Role, place: object, path: str) -> Store | None:
    """What a file or folder of ``role`` is in: a file system of its own, or the mount with the longest path."""
    remote = _remote(place, path)
    if remote is not None:
        return remote
    text = literal((parts_of(place) or ("",))[0])
    around = [mount for mount in role.mounts if f"{text}/".startswith(f"{mount.at.rstrip('/')}/")]
    return _store(job, max(around, key=lambda mount: len(mount.at))) if around else None
