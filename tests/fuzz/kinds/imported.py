"""Manifests that come back as they were, with one odd field more: the rest is still kept, and the field is or is named.

What is kept is seen in the documents that the imported job compiles to, not in the normal form, in which import itself
compares. Keys that are written again (names inside a pod, defaults) are learned from the manifest without the field.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.fuzz.case import Case, Finding, kept
from tests.importing import cases, shapes
from tests.importing.leaves import ANEW, Leaf, compiled, leaves
from tests.unit.backends.structural import schema, violations
from tfdsl.backend.patch_rules import is_map
from tfdsl.importing.manifests import import_manifests
from tfdsl.manifest import yaml
from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence, plain
from tfdsl.text import Source
from tfdsl_backends.podspec.reading.objects import schemas

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

    from tfdsl.backend.patch_rules import Node as Schema
    from tfdsl.diagnostics import Diagnostic

WORDS = ("x", "a_b", "8080", "${ODD}", "{{odd}}", "$(ODD)", "<odd>", "Odd Text", "a/b:{{tag}}", "1.5", "true", "10Gi")
"""Texts that people write, and some that are not what they look like."""
FREE = ("odd", "example.com/odd")
"""Keys of maps that take any."""
SERVERS = frozenset(
    {"status", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"}
    | {"deletionGracePeriodSeconds", "managedFields", "ownerReferences", "finalizers"}
)
"""Fields of the server, which are left out."""
TOLERATED = {
    # The end of the path of a value, or a value there → why it is not asked for.
    "template.metadata.name": "pods have other names",
    "template.metadata.generateName": "pods have other names",
    "template.metadata.namespace": "pods are where their job is",
    "metadata.generateName": "the name counts",
    "allowPrivilegeEscalation=True": "the default",
    "hostUsers=True": "the default",
    "enableServiceLinks=True": "the default",
    "startupPolicyOrder=AnyOrder": "the default",
    "retentionPolicy.whenDeleted=Delete": "the default",
    "networkTopology.mode=hard": "the default",
    "mountPropagation=None": "the default",
    "fsGroupChangePolicy=Always": "the default",
    "podReplacementPolicy=TerminatingOrFailed": "the default",
    "topologyPolicy=none": "the default",
    "network.publishNotReadyAddresses=True": "the default",
    "network.enableDNSHostnames=True": "the default",
    "ports.hostIP": "without a hostPort nothing looks at it",
    "tasks.maxRetry": "Volcano looks at it for TaskFailed alone",
    "volumeMounts.subPathExpr": "one without a reference is a subPath",
    "spec.serviceAccount": "the old name of serviceAccountName",
    "dependsOn.iteration": "for Volcano whatever is not any is all",
    "policies.events": "each event is a policy of its own, and one that never acts is left out",
    "spec.completionMode=NonIndexed": "the default",
    "terminationMessagePolicy=File": "the default",
    "failureThreshold=3": "the default",
    "spec.maxRetry": "Volcano looks at it only where a policy restarts, and the odd one may be the only one",
    "spec.affinity=": "a fault: a term without anything in it matches no node, and the normal form leaves it out",
    "replicatedJobs.template.spec.suspend": "JobSet suspends all its Jobs or none",
    "startupPolicy.startupPolicyOrder=InOrder": "of a single Job, or dependsOn says the same",
}
KINDS = {
    ("kubeflow.org/v1", "TFJob"): ("TFJob", "tfjob", "tfjob"),
    ("batch.volcano.sh/v1alpha1", "Job"): ("Job.batch.volcano.sh", "volcano", "volcano-job"),
    ("batch/v1", "Job"): ("Job", "kubernetes", "batch-job"),
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): ("JobSet", "jobset", "jobset"),
}
"""Of each API its kind among the schemas of patches, the target, and the schema of the server."""


class Base(NamedTuple):
    """A proved manifest. ``kind``: of its schema; ``leaves``: those that come back."""

    name: str
    document: dict[str, Any]
    kind: str
    target: str
    schema: str
    leaves: frozenset[Leaf]

    def refuses(self, document: dict[str, Any]) -> bool:
        """Whether the server refuses ``document`` by its schema."""
        return bool(violations(document, _schema(self.schema)))


@cache
def _schema(name: str) -> Any:
    return schema(name)


@cache
def bases(every: int = 1) -> tuple[Base, ...]:
    """Of ``every`` so many cases and shapes one, without those that are no single job of Kubernetes that comes back."""
    texts = [
        (case.name, file.read_text("utf-8")) for case in cases.cases() for file in case.files if _is_yaml(file.name)
    ]
    texts += [(shape.name, shape.text) for shape in shapes.shapes()]
    found = [base for name, text in texts[::every] if (base := _base(name, text)) is not None]
    assert found
    return tuple(found)


def _is_yaml(name: str) -> bool:
    return name.endswith((".yaml", ".json"))


def _base(name: str, text: str) -> Base | None:
    documents: list[Any] = [plain(one.node) for one in yaml.read(Source(name, text), lambda _: None)]
    first = documents[0] if len(documents) == 1 else None
    if not isinstance(first, dict) or (first.get("apiVersion"), first.get("kind")) not in KINDS:
        return None
    kind, target, own_schema = KINDS[first["apiVersion"], first["kind"]]
    [result, *others] = import_manifests([Source("base.yaml", json.dumps(first))])
    if others or [(job.kept, job.target) for job in result.jobs] != [(True, target)]:
        return None
    own = frozenset(leaves(first)) & frozenset(leaves(compiled(result, target)))
    base = Base(name, first, kind, target, own_schema, own)
    return None if base.refuses(first) else base


# --- one odd field


class Odd(NamedTuple):
    """A field that is added. ``path``: where, with numbers; ``value``: what."""

    path: tuple[str | int, ...]
    value: Any

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the path."""
        return tuple(step for step in self.path if isinstance(step, str))


def _places(
    data: object, schema: Schema, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Schema]]:
    """Each map of ``data`` that the schema knows, with its node."""
    if isinstance(data, dict):
        if is_map(schema):
            yield path, schema
        for key, value in data.items():
            below = schemas().below(schema, key)
            if below is not None:
                yield from _places(value, below, (*path, key))
    elif isinstance(data, list) and isinstance(schema, list) and schema[0] == "l":
        for number, item in enumerate(data):
            yield from _places(item, schema[1], (*path, number))


def _value(chance: random.Random, schema: Schema, depth: int = 3) -> Any:
    """A value of the schema's type, mostly."""
    if chance.random() < 0.02:
        return chance.choice(WORDS)
    if isinstance(schema, str):
        number = chance.choice((1, 2, 3, 30, 1000))
        return {"s": chance.choice(WORDS), "i": number, "n": number, "b": True,
                "x": chance.choice((1, 8080, "1", "500m", "2Gi"))}.get(schema, {"a": "b"})  # fmt: skip
    if isinstance(schema, list) and schema[0] == "e":
        return chance.choice(schema[1:])
    if isinstance(schema, list) and schema[0] == "l":
        return [_value(chance, schema[1], depth - 1) for _ in range(chance.choice((1, 1, 2)))]
    if isinstance(schema, list) and schema[0] == "m":
        return {chance.choice(FREE): _value(chance, schema[1], depth - 1)}
    keys = list(schemas().keys(schema))
    if not keys or depth <= 0:
        return {}
    few = chance.sample(keys, min(len(keys), chance.choice((1, 2, 3))))
    return {key: _value(chance, schemas().keys(schema)[key], depth - 1) for key in few}


def odd_field(chance: random.Random, base: Base) -> Odd | None:
    """A field that ``base`` does not have: one that the schema knows, seldom one that it does not."""
    path, schema = chance.choice(list(_places(base.document, schemas().kinds[base.kind])))
    if isinstance(schema, list) and schema[0] == "m":
        return Odd((*path, chance.choice(FREE)), _value(chance, schema[1]))
    if chance.random() < 0.05:
        return Odd((*path, "oddField"), chance.choice((1, "x", True, {"a": 1}, [1])))
    free = [key for key in schemas().keys(schema) if key not in at(base.document, path) and key not in SERVERS]
    return Odd((*path, key := chance.choice(free)), _value(chance, schemas().keys(schema)[key])) if free else None


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    """What is at ``path``."""
    for step in path:
        data = data[step]
    return data


def with_odd(base: Base, odd: Odd) -> Any:
    """The document of ``base`` with the field."""
    document = json.loads(json.dumps(base.document))
    at(document, odd.path[:-1])[odd.path[-1]] = odd.value
    return document


# --- what is proved


def lost(base: Base, odd: Odd) -> list[str]:
    """What is neither kept nor named, in words.

    Where the server would refuse the manifest, there is no way to keep all of it; then a warning is enough.
    """
    manifest = with_odd(base, odd)
    text = json.dumps(manifest, indent=1)
    result = import_manifests([Source("odd.yaml", text)])[0]
    told = [one for one in result.diagnostics if one.rule.slug != "import-embedded"]
    warned = any(one.level != "info" for one in told)
    if not result.jobs:
        return [] if warned else ["no job, and no error"]
    proved = result.jobs[0].kept is True
    if base.refuses(manifest):
        return ["refused by the server, and nothing is said"] if not (proved or told) else []
    got = frozenset(leaves(compiled(result, base.target)))
    kept_keys = {path[-1] for path, _ in got}
    document = yaml.read(Source("odd.yaml", text), lambda _: None)[0].node
    gone = [leaf for leaf in base.leaves - got if not is_named(told, document, leaf[0])]
    if not is_named(told, document, odd.keys):
        own = [*leaves(odd.value, odd.keys)] or [(odd.keys, "")]
        gone += [
            (path, value) for path, value in own if path[-1] not in kept_keys and not is_named(told, document, path)
        ]
    words = [f"{'.'.join(path)} = {value}" for path, value in gone if not is_tolerated(path, value)]
    return sorted(words) if proved or warned else ["no proof, and no warning", *sorted(words)]


def is_tolerated(path: tuple[str, ...], value: str) -> bool:
    """Whether a value need not come back."""
    whole = ".".join(path)
    reviewed = (*TOLERATED, *ANEW)
    return whole.endswith(reviewed) or f"{whole}={value}".endswith(reviewed)


def is_named(told: Iterable[Diagnostic], document: Node, path: tuple[str, ...]) -> bool:
    """Whether a message is about what is at ``path``: its place is there or around it, or it has a last key."""
    spans = [span for node in _below(document, path) for span in [node.span]]
    lines = {span.source.position(span.start)[0] for span in spans}
    return any(
        any(key in one.message for key in path[-3:])
        or one.span.source.position(one.span.start)[0] in lines
        or any(one.span.start < span.end and span.start < one.span.end for span in spans)
        for one in told
        if one.span.end - one.span.start < len(one.span.source.text) // 2
    )


def _below(node: Node, path: tuple[str, ...]) -> Iterator[Node]:
    if isinstance(node, Sequence):
        for item in node.items:
            yield from _below(item, path)
    elif not path:
        yield node
    elif isinstance(node, Mapping) and path[0] in node.entries:
        entry = node.entries[path[0]]
        if len(path) == 1:
            yield Scalar(entry.key, entry.key_span)
        yield from _below(entry.value, path[1:])


def make(chance: random.Random, every: int = 1) -> Case:
    """A manifest with one odd field; ``every``: of so many manifests one can be it."""
    odd = None
    while odd is None:
        base = chance.choice(bases(every))
        odd = odd_field(chance, base)
    field = odd

    def prove() -> None:
        words = lost(base, field)
        if words:
            raise Finding(f"{base.name}: {'.'.join(map(str, field.path))} = {field.value!r}: {'; '.join(words)}")

    return Case(prove, {".yaml": kept(json.dumps(with_odd(base, field), indent=1))})
