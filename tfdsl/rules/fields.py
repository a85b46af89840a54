"""The rule of each field, beside its type, that a value has to follow alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from tfdsl.rules import flows, job, mounts, values
from tfdsl.rules.broken import Broken
from tfdsl.vocabulary.attributes import ATTRIBUTES
from tfdsl.vocabulary.types import StringType

Rule: TypeAlias = Callable[[Any], Broken | Iterable[Broken] | None]


def _called(what: str) -> Rule:
    """The name of an object, as far as it is known before the replica runs."""
    return lambda name: values.object_name(name, what) if isinstance(name, str) else None


def _each(rule: Callable[[Any], Broken | None]) -> Callable[[Sequence[object]], Iterator[Broken]]:
    return lambda items: (
        broken.below(at)
        for at, item in enumerate(items)
        if isinstance(item, str) and (broken := rule(item)) is not None
    )


def _file_names(items: Mapping[str, object]) -> Iterator[Broken]:
    for key, name in items.items():
        broken = mounts.inside("configmap", name)
        if broken is not None:
            yield broken.below(key)


RULES: dict[str, Rule] = {
    **{row.name: _called(row.type.names) for row in ATTRIBUTES if isinstance(row.type, StringType) and row.type.names},
    # attributes of jobs and roles, and options of statements
    "namespace": partial(values.label_name, what="namespace"),
    "priority": _called("PriorityClass"),
    "labels": values.labels,
    "common_labels": values.labels,
    "annotations": values.annotation_keys,
    "image": values.image,
    "image_pull_secrets": _each(partial(values.object_name, what="Secret")),
    "gpu_resource": values.resource_name,
    "resources": values.resources,
    "ports": job.port_names,
    "node_selector": values.node_labels,
    "storage_class": _called("StorageClass"),
    "access_modes": lambda modes: mounts.access_modes(modes) if modes else None,
    "sub_path": partial(mounts.inside, "pvc"),
    "items": _file_names,
    # fields of the IR, by their block
    "job.name": values.job_name,
    "flow.name": partial(values.label_name, what="flow"),
    "flow.schedule": flows.schedule,
    "flow.time_zone": flows.time_zone,
    "flow run.job": values.job_name,
    "claim.name": partial(values.label_name, what="claim"),
    "mount.at": mounts.path,
    "mount pvc.claim": _called("claim"),
    "mount configmap.name": _called("ConfigMap"),
    "mount secret.name": _called("Secret"),
    "mount host.source": partial(mounts.source, "host"),
    "mount hdfs.uri": partial(mounts.source, "hdfs"),
    "mount archive.source": partial(mounts.source, "archive"),
    "copy.source": values.copied,
    "secret.name": _called("Secret"),
    "secret.key": lambda key: values.data_key(key, "Secret"),
    "configmap.name": _called("ConfigMap"),
    "configmap.key": lambda key: values.data_key(key, "ConfigMap"),
    "pod_field.field": values.pod_field,
}


def rule_of(block: str, name: str) -> Rule | None:
    """The rule of a field of ``block``, if it has one."""
    return RULES.get(f"{block}.{name}") or RULES.get(f"{block.partition(' ')[0]}.{name}") or RULES.get(name)


def broken_by(block: str, name: str, value: object) -> Iterable[Broken]:
    """What the rule of a field of ``block`` says about ``value``."""
    rule = rule_of(block, name)
    return listed(None if rule is None else rule(value))


def listed(result: Broken | Iterable[Broken] | None) -> Iterable[Broken]:
    """All that a rule found."""
    return (result,) if isinstance(result, Broken) else result or ()
