"""Pod templates written as YAML, read into a draft whose statements are shown as they are written."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from typing import TYPE_CHECKING, Any

import yaml

from tfdsl.backend.draft import Attribute, Bare, Draft, Mount, Output, Step, Text
from tfdsl.backend.reading import Asked
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence, view
from tfdsl.record import replace
from tfdsl.text import Source, Span
from tfdsl_backends.podspec.reading.facts import PodFacts, PodsRead
from tfdsl_backends.podspec.reading.pods import read_pods

if TYPE_CHECKING:
    from tfdsl.backend.draft import Statement, Value
    from tfdsl.diagnostics import Diagnostic

SPAN = Span(Source("pods.yaml", ""), 0, 0)
FACTS = PodFacts(
    replicas={"worker": 2, "ps": 2, "chief": 1},
    address=lambda role, index, port: f"mnist-{role}-{index}:{port}",
    index_field="metadata.labels['example.com/replica-index']",
)


def node(data: object) -> Node:
    """Python data as a tree."""
    if isinstance(data, AbstractMapping):
        return Mapping({str(key): Entry(str(key), SPAN, node(value)) for key, value in data.items()}, SPAN)
    if isinstance(data, list):
        return Sequence(tuple(map(node, data)), SPAN)
    assert data is None or isinstance(data, str | int | float | bool)
    return Scalar(data, SPAN)


class Result:
    """What was read: the draft, what was learnt, and what was said."""

    def __init__(self, draft: Draft, learnt: PodsRead, messages: list[Diagnostic]) -> None:
        self.draft = draft
        self.learnt = learnt
        self.messages = messages

    def role(self, name: str = "worker") -> list[str]:
        """The statements of a role as they are written."""
        return [shown(one) for one in self.draft.role(name).statements]

    @property
    def job(self) -> list[str]:
        return [shown(one) for one in self.draft.job.statements]

    @property
    def options(self) -> list[str]:
        return [shown(one) for one in self.draft.options.statements]


def read(facts: PodFacts | None = None, /, **templates: str | dict[str, Any]) -> Result:
    """The draft of the templates, role → YAML of the template's ``spec``, or the template as data."""
    pods = {}
    for role, text in templates.items():
        data = {"spec": yaml.safe_load(text)} if isinstance(text, str) else text
        pods[role] = view(node(data))
    draft = Draft("mnist", "tfjob", SPAN)
    messages: list[Diagnostic] = []
    learnt = read_pods(draft, pods, facts or FACTS, Asked({}, messages.append))
    return Result(draft, learnt, messages)


def container(text: str = "", pod: str = "") -> str:
    """The ``spec`` of a pod with one container that has the fields of ``text``, and the fields of ``pod``."""
    own = {"name": "tensorflow", "image": "mnist:1", **(yaml.safe_load(text) or {})}
    return yaml.safe_dump({"containers": [own], **(yaml.safe_load(pod) or {})})


def words(text: str = "", pod: str = "", facts: PodFacts | None = None) -> list[str]:
    """What a worker with that container says beside its image."""
    return [one for one in read(facts, worker=container(text, pod)).role() if one != 'image = "mnist:1"']


def with_facts(**changes: Any) -> PodFacts:
    return replace(FACTS, **changes)


def shown(one: Statement) -> str:
    """A statement as it is written."""
    if isinstance(one, Attribute):
        name = one.name if one.key is None else f"{one.name}[{one.key}]"
        return f"{name} = {literal(one.value)}"
    if isinstance(one, Mount):
        source = "" if one.source is None else f" {literal(one.source)}"
        options = ", ".join(f"{name} = {literal(value)}" for name, value in one.options)
        block = f" {{ {options} }}" if options else ""
        return f"mount {one.kind}{source} at {literal(one.at)}{' readonly' if one.readonly else ''}{block}"
    if isinstance(one, Step):
        return f"{one.kind} {one.name} {{ {', '.join(map(shown, one.statements))} }}"
    if isinstance(one, Output):
        overwrite = " overwrite" if one.overwrite else ""
        return f"output {literal(one.source)} to {literal(one.destination)} on {one.when}{overwrite}"
    raise AssertionError(one)


def literal(value: Value) -> str:
    if isinstance(value, Bare):
        return value.words
    if isinstance(value, Text):
        return '"' + "".join(f"${{{p.words}}}" if isinstance(p, Bare) else p for p in value.parts) + '"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, AbstractMapping):
        return "{ " + ", ".join(f"{key} = {literal(one)}" for key, one in value.items()) + " }"
    return "[" + ", ".join(map(literal, value)) + "]"
