"""What of a job keeps its old name when kustomize renames its objects.

Kustomize changes ``metadata.name`` of every object, and follows the references to it that it knows: those of
Kubernetes' own kinds. It does not look into texts, into the objects of other kinds, and at labels that a controller
derives from a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, cast

from tfdsl import targets
from tfdsl.compiling.output_files import json_object
from tfdsl.emit.located import Plain, plain
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.backend import Backend
    from tfdsl.compiling.pipeline import Made


class Kept(Record):
    """``what`` keeps its old name, and what comes of that."""

    what: str
    consequence: str


HOSTS: Final = Kept("the hosts in TF_CONFIG or flags", "the tasks wait for hosts that do not exist")
SUBDOMAIN: Final = Kept("the subdomain of its pods", "their host names lead nowhere")
CLAIM: Final = Kept("the claim that its pods mount", "the pods wait for a claim that does not exist")
SELECTOR: Final = Kept(
    "the labels by which its pods are found", "the Service or policy that asks for them finds no pod"
)


def kept_names(made: Made) -> list[Kept]:
    """What keeps its old name; empty if the job works under another one."""
    backend = targets.find(made.unit.target)
    objects = [_object(document.data) for document in made.documents if document.file is None]
    if backend is None or not backend.pods:
        return []
    names = {name for one in objects if (name := _name(one)) is not None}
    hosts = _hosts(made, backend)
    found = [kept for one in objects for kept in _in_object(one, names, hosts, backend)]
    return list(dict.fromkeys(found))


def _object(data: object) -> Mapping[str, Plain]:
    found = plain(cast("Plain", data))
    return found if isinstance(found, dict) else {}


def _name(one: Mapping[str, Plain]) -> str | None:
    metadata = one.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else None


def _hosts(made: Made, backend: Backend) -> frozenset[str]:
    """The hosts that tasks are told, as far as the compiler knows them."""
    hosts: set[str] = set()
    for task in backend.load().tasks(made.unit):
        for flag in task.flags:
            hosts.update(_host(address) for address in flag.partition("=")[2].split(","))
        hosts.update(map(_host, _addresses(json_object(task.tf_config or "{}"))))
    return frozenset(host for host in hosts if made.unit.job.name in host)


def _addresses(config: Mapping[str, Plain] | None) -> Iterator[str]:
    """The addresses in a TF_CONFIG; one that the job has written itself can hold anything."""
    cluster = (config or {}).get("cluster")
    for tasks in cluster.values() if isinstance(cluster, dict) else ():
        addresses = tasks.values() if isinstance(tasks, dict) else tasks if isinstance(tasks, list) else ()
        yield from (address for address in addresses if isinstance(address, str))


def _host(address: str) -> str:
    return address.partition(":")[0]


def _in_object(one: Mapping[str, Plain], names: set[str], hosts: frozenset[str], backend: Backend) -> Iterator[Kept]:
    native = _is_native(str(one.get("apiVersion", "")))
    for key, value in _entries({key: value for key, value in one.items() if key != "metadata"}):
        if key == "subdomain" and value in names:
            yield SUBDOMAIN
        elif key == "claimName" and value in names and not native:
            yield CLAIM
        elif backend.writes_label(key) and value in names:
            yield SELECTOR
        elif any(host in value for host in hosts):
            yield HOSTS


def _is_native(version: str) -> bool:
    """Whether an API group is one of Kubernetes' own."""
    group, slash, _ = version.partition("/")
    return not slash or "." not in group or group.endswith(".k8s.io")


def _entries(data: Plain, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts in ``data``, each with the key that it is under, or that its list is under."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _entries(value, name)
    elif isinstance(data, list):
        for value in data:
            yield from _entries(value, key)
    elif isinstance(data, str):
        yield key, data
