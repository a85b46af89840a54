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
from tfdsl import targets
from tfdsl.backend.patch_rules import is_map
from tfdsl.compiling import pipeline
from tfdsl.diagnostics import Diagnostic
from tfdsl.importing.manifests import Imported, import_manifests
from tfdsl.manifest import yaml
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence, plain
from tfdsl.semantics.request import Choice, Given, Request
from tfdsl.text import Source
from tfdsl_backends.podspec.reading.objects import schemas

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from tfdsl.backend.patch_rules import Node as Schema

Leaf = tuple[tuple[str, ...], str]
"""The keys above a value, without the numbers of list items, and the value as text."""

WORDS = (
    "x",
    "a_b",
    "8080",
    "${ODD}",
    "{{odd}}",
    "$(ODD)",
    "<odd>",
    "Odd Text",
    "a/b:{{tag}}",
    "1.5",
    "true",
    "10Gi",
    "",
)
"""Texts that people write, and some that are not what they look like."""

TOLERATED = {
    # A key of the odd field → why it is not asked for.
    "status": "the server's",
}


class Base(NamedTuple):
    """A proved manifest. ``kind``: of its schema; ``leaves``: those that come back."""

    name: str
    documents: list[Any]
    kind: str
    target: str
    leaves: frozenset[Leaf]


def leaves(data: object, above: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """The leaves of plain data."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*above, key))
    elif isinstance(data, list):
        for item in data:
            yield from leaves(item, above)
    elif data is not None:
        yield above, str(data)


def compiled(result: Imported, target: str) -> list[Any]:
    """The documents that the imported text compiles to, its params with the values that stand in for placeholders."""
    program = pipeline.load(Source("imported.tfjob", result.text), lambda path: "nothing is included")
    backend = targets.find(target)
    assert backend is not None
    given = tuple(Given(name, Source("param", value)) for name, value in shapes.params(result.text).items())
    made = pipeline.run(program, Request(params=given), [Choice(backend)]).made
    return [plain_data(document.data) for one in made for document in one.documents]


def plain_data(data: object) -> Any:
    """Compiled data without places."""
    from tfdsl.emit.located import plain as without_places

    return without_places(data)  # type: ignore[arg-type]


@cache
def bases() -> tuple[Base, ...]:
    """The manifests of Kubernetes among the cases and shapes that are one job and come back."""
    found: list[Base] = []
    files = [file for case in cases.cases() for file in case.files if file.suffix in (".yaml", ".json")]
    for file in sorted({*files, *(shape.path for shape in shapes.shapes())}):
        text = file.read_text("utf-8")
        documents = [plain(one.node) for one in yaml.read(Source(file.name, text), lambda _: None)]
        base = _base(file.stem, documents)
        if base is not None:
            found.append(base)
    assert found
    return tuple(found)


def _base(name: str, documents: list[Any]) -> Base | None:
    first = documents[0] if documents else None
    if not isinstance(first, dict) or len(documents) != 1:
        return None
    api, kind = str(first.get("apiVersion")), str(first.get("kind"))
    known = {"kubeflow.org/v1": "TFJob", "batch/v1": "Job", "jobset.x-k8s.io/v1alpha2": "JobSet"}
    if api == "batch.volcano.sh/v1alpha1" and kind == "Job":
        kind = "Job.batch.volcano.sh"
    elif known.get(api) != kind:
        return None
    [result, *others] = import_manifests([Source("base.yaml", json.dumps(documents[0]))])
    if others or [job.kept for job in result.jobs] != [True]:
        return None
    target = result.jobs[0].target
    own = frozenset(leaves(documents)) & frozenset(leaves(compiled(result, target)))
    return Base(name, documents, kind, target, own)


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
    if chance.random() < 0.04:
        return chance.choice(WORDS)
    if isinstance(schema, str):
        number = chance.choice((0, 1, 2, 3, 30, 1000, 65534))
        return {"s": chance.choice(WORDS), "i": number, "n": number, "b": chance.random() < 0.5,
                "x": chance.choice((1, 8080, "1", "500m", "2Gi"))}.get(schema, {"a": "b"})  # fmt: skip
    if isinstance(schema, list) and schema[0] == "e":
        return chance.choice(schema[1:])
    if isinstance(schema, list) and schema[0] == "l":
        return [_value(chance, schema[1], depth - 1) for _ in range(chance.choice((1, 1, 2)))]
    if isinstance(schema, list) and schema[0] == "m":
        return {chance.choice(("odd", "example.com/odd")): _value(chance, schema[1], depth - 1)}
    keys = list(schemas().keys(schema))
    if not keys or depth <= 0:
        return {}
    few = chance.sample(keys, min(len(keys), chance.choice((1, 1, 2))))
    return {key: _value(chance, schemas().keys(schema)[key], depth - 1) for key in few}


def odd_field(chance: random.Random, base: Base) -> Odd | None:
    """A field that ``base`` does not have: one that the schema knows, seldom one that it does not."""
    places = list(_places(base.documents[0], schemas().kinds[base.kind]))
    path, schema = chance.choice(places)
    holder = at(base.documents[0], path)
    if isinstance(schema, list) and schema[0] == "m":
        free = ["odd", "example.com/odd"]
        wanted = schema[1]
        return Odd((*path, chance.choice(free)), _value(chance, wanted))
    if chance.random() < 0.05:
        return Odd((*path, "oddField"), chance.choice((1, "x", True, {"a": 1}, [1])))
    free = [key for key in schemas().keys(schema) if key not in holder and key not in TOLERATED]
    if not free:
        return None
    key = chance.choice(free)
    return Odd((*path, key), _value(chance, schemas().keys(schema)[key]))


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    """What is at ``path``."""
    for step in path:
        data = data[step]
    return data


def with_odd(base: Base, odd: Odd) -> Any:
    """The document of ``base`` with the field."""
    document = json.loads(json.dumps(base.documents[0]))
    at(document, odd.path[:-1])[odd.path[-1]] = odd.value
    return document


# --- what is proved


def lost(base: Base, odd: Odd) -> list[str]:
    """What is neither kept nor named, in words."""
    text = json.dumps(with_odd(base, odd), indent=1)
    results = import_manifests([Source("odd.yaml", text)])
    result = results[0]
    told = result.diagnostics
    if not result.jobs:
        return [] if any(one.level == "error" for one in told) else ["no job, and no error"]
    got = frozenset(leaves(compiled(result, result.jobs[0].target)))
    paths = {path for path, _ in got}
    document = yaml.read(Source("odd.yaml", text), lambda _: None)[0].node
    named = [one for one in told if one.rule.slug != "import-embedded"]
    words = [
        f"{'.'.join(path)} = {value}"
        for path, value in sorted(base.leaves - got)
        if not is_named(named, document, path)
    ]
    own = [path for path, _ in leaves(odd.value, odd.keys)] or [odd.keys]
    words += [
        f"the field {'.'.join(path)}" for path in own if path not in paths and not is_named(named, document, path)
    ]
    if result.jobs[0].kept is not True and not any(one.level in ("warning", "error") for one in told):
        words.append("no proof, and no warning")
    return words


def is_named(told: list[Diagnostic], document: Node, path: tuple[str, ...]) -> bool:
    """Whether a message is about what is at ``path``: its place is in it or around it, or it has the key in words."""
    spans = [node.span for node in _below(document, path)]
    lines = {span.source.position(span.start)[0] for span in spans}
    for one in told:
        first = one.span.source.position(one.span.start)[0]
        if first in lines or any(span.start <= one.span.start < span.end for span in spans):
            return True
        if path[-1] in one.message:
            return True
    return False


def _below(node: Node, path: tuple[str, ...]) -> Iterator[Node]:
    if isinstance(node, Sequence):
        for item in node.items:
            yield from _below(item, path)
    elif not path:
        yield node
    elif isinstance(node, Mapping) and path[0] in node.entries:
        entry: Entry = node.entries[path[0]]
        if len(path) == 1:
            yield Scalar(entry.key, entry.key_span)
        yield from _below(entry.value, path[1:])


def make(chance: random.Random) -> Case:
    """A manifest with one odd field."""
    odd = None
    while odd is None:
        base = chance.choice(bases())
        odd = odd_field(chance, base)
    field = odd

    def prove() -> None:
        words = lost(base, field)
        if words:
            raise Finding(f"{base.name}: {'.'.join(map(str, field.path))} = {field.value!r}: {'; '.join(words)}")

    return Case(prove, {".yaml": kept(json.dumps(with_odd(base, field), indent=1))})
