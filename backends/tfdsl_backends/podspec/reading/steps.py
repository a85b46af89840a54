"""Init containers as steps; the inverse of ``podspec.steps``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tfdsl.draft import Attribute, Step, Value
from tfdsl.reading import Asked
from tfdsl.rules.job import step_name
from tfdsl.rules.values import image
from tfdsl_backends.podspec.expansion import Scope
from tfdsl_backends.podspec.reading import commands, variables
from tfdsl_backends.podspec.reading.amounts import GPU, amount, plain_resources
from tfdsl_backends.podspec.reading.scopes import scope_of
from tfdsl_backends.podspec.reading.settings import named_ports, of_container
from tfdsl_backends.podspec.reading.texts import word

if TYPE_CHECKING:
    from tfdsl.manifest.view import View
    from tfdsl_backends.podspec.reading.facts import PodFacts


class OfRole:
    """What steps have from their role: its statements by identity, and its mounts by path."""

    def __init__(
        self, role: str, facts: PodFacts, attributes: Mapping[str, Attribute], places: Mapping[str, str]
    ) -> None:
        self.role = role
        self.facts = facts
        self.attributes = attributes
        self.places = places

    def value(self, identity: str) -> Value | None:
        """The value of an attribute of the role."""
        found = self.attributes.get(identity)
        return None if found is None else found.value


def steps(spec: View, role: OfRole, asked: Asked) -> Iterator[Step]:
    """The steps that the compiler gives back."""
    names: set[str] = set()
    for container in spec["initContainers"].items():
        name = container["name"].text or ""
        kind = "sidecar" if container["restartPolicy"].text == "Always" else "prepare"
        if name in names or step_name(name, kind) is not None or not _has_its_mounts(container, role.places):
            continue
        statements = _statements(container, kind, role, asked)
        if statements is not None:
            names.add(name)
            yield Step(kind, name, tuple(statements), container.span)


def _has_its_mounts(container: View, places: Mapping[str, str]) -> bool:
    """Whether its mounts are mounts of the role: it gets all of them."""
    for place in container["volumeMounts"].items():
        path = (place["mountPath"].text or "").rstrip("/")
        if places.get(path, "") != place["name"].text:
            return False
    return True


def _statements(container: View, kind: str, role: OfRole, asked: Asked) -> list[Attribute] | None:
    found: list[Attribute] = []
    name = word(container["image"].text)
    if name is not None and image(name) is not None:
        return None
    other_image = name is not None and name != role.value("image")
    if other_image and name is not None:
        found.append(Attribute("image", name, container["image"].span))
    words = commands.words(container, None, asked)
    if words is None or words.joined or words.server is not None:
        return None
    scope = scope_of(role.role, container, words, role.facts)
    found += commands.statements(words, scope, flags=False)
    if not other_image and not any(one.name == "command" for one in found):
        return None
    found += [one for one in of_container(container) if one.value != role.value("workdir")]
    found += _variables(container, role, scope, asked)
    found += [one for one in plain_resources(container) if one.value != role.value(one.name)]
    gpu = amount(container["resources"]["limits"][str(role.value("gpu_resource") or GPU)])
    if gpu is not None and gpu.whole:
        found.append(Attribute("gpu", gpu.whole, container["resources"].span))
    if kind == "sidecar":
        found += named_ports(container, None)
    return found


def _variables(container: View, role: OfRole, scope: Scope, asked: Asked) -> Iterator[Attribute]:
    for one in variables.variables(container, scope, asked):
        if one.name != scope.index and one.value != role.value(f"env[{one.name}]"):
            yield Attribute("env", one.value, one.span, one.name)
    sources = variables.env_from(container)
    if sources is not None and sources != (role.value("env_from") or []):
        yield Attribute("env_from", sources, container["envFrom"].span)
