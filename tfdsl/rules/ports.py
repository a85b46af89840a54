"""Further ports of containers (language reference, "Attributes": ports)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.patterns import regex
from tfdsl.rules.broken import KEY, Broken, Place

if TYPE_CHECKING:
    from tfdsl.rules.protocols import Role, Step

LONGEST_NAME = 15
OWN_NAMES = {"tfjob-port": "the port of the TensorFlow server", "http": "the port of TensorBoard"}
"""The names that targets give to ``port``, and what it is."""

_NAME = regex(r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")


def default_port(role: str) -> int:
    """The port of a role that does not say otherwise."""
    return 6006 if role == "tensorboard" else 2222


def port_names(ports: Mapping[str, object]) -> Iterator[Broken]:
    """Names of ports (Kubernetes, IsValidPortName), other than that of the role's own."""
    for name in ports:
        problem = _problem(name)
        if problem is not None:
            values = {"name": f'"{name}"', "what": "port", "problem": problem}
            yield Broken(value_rules.OBJECT_NAME, (name, KEY), values)


def _problem(name: str) -> str | None:
    if len(name) > LONGEST_NAME:
        return f"it has {len(name)} characters; at most {LONGEST_NAME} are allowed"
    if name in OWN_NAMES:
        return f"{OWN_NAMES[name]} has this name"
    if not _NAME.fullmatch(name):
        return "use lowercase letters, digits and single -, with at least one letter"
    return None


def numbers(role: Role) -> Iterator[Broken]:
    """All containers of a replica share its address, so no port has two names."""
    own = role.port if role.port is not None else default_port(role.name)
    first: dict[int, tuple[str, Place | None]] = {own: ("port", None if role.port is None else ("port",))}
    for place, name, number in _named(role):
        words, before = first.setdefault(number, (name, place))
        if (words, before) != (name, place):
            values = {"role": role.name, "number": number, "first": words, "second": name}
            broken = Broken(value_rules.PORT_TWICE, place, values).marked("used again here")
            yield broken if before is None else broken.note(before, "first used here")


def _named(role: Role) -> Iterator[tuple[Place, str, int]]:
    for name, number in role.ports.items():
        yield ("ports", name), f"ports.{name}", number
    for at, step in enumerate(role.steps):
        for name, number in step.ports.items():
            yield ("steps", at, "ports", name), f"ports.{name} of {step.kind} {step.name}", number


def misplaced(step: Step) -> Broken | None:
    """A prepare step has ended before anything could reach a port of it."""
    if step.kind == "sidecar" or not step.ports:
        return None
    broken = Broken(name_rules.MISPLACED_ATTRIBUTE, ("ports",), {"name": "ports", "where": f"{step.kind} block"})
    return broken.help("only a sidecar has ports")
