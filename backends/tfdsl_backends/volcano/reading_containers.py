"""Containers that the language has no words for.

Where the compiler tells the tasks of each other, the ports of a container and its TF_CONFIG cannot be patched, because
others follow from them. So a job with such containers, and with the tensorflow plugin, keeps that as an option.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.rules.job import LONGEST_NAME, OWN_NAMES, port_names
from tfdsl_backends.podspec.plan import CONTAINER, PORT_NAME

if TYPE_CHECKING:
    from tfdsl.manifest.view import View


def has_usual_containers(task: View) -> bool:
    """Whether the language can say the ports of every container of ``task``, and the first one runs the command."""
    spec = task["template"]["spec"]
    on_node = spec["hostNetwork"].flag is True
    if not _is_first(spec):
        return False
    containers = [*spec["containers"].items(), *spec["initContainers"].items()]
    if not all(_is_said(port, on_node=on_node) for one in containers for port in one["ports"].items()):
        return False
    names = [port["name"].text for one in containers[:1] for port in one["ports"].items()]
    return not on_node or PORT_NAME in names


def _is_first(spec: View) -> bool:
    """Whether the container that runs the command is the first, so that the others can be added to it."""
    containers = [*spec["containers"].items()]
    named = [one["name"].text == CONTAINER for one in containers]
    with_port = [any(port["name"].text == PORT_NAME for port in one["ports"].items()) for one in containers]
    marks = named if any(named) else with_port
    return not any(marks) or marks[0]


def _is_said(port: View, *, on_node: bool) -> bool:
    name, number = port["name"].text, port["containerPort"].number
    if port["hostPort"].present or port["protocol"].text not in (None, "TCP"):
        return False
    if not name or name == PORT_NAME:
        return not on_node or name == PORT_NAME
    return (
        name not in OWN_NAMES and len(name) <= LONGEST_NAME and number is not None and not [*port_names({name: number})]
    )
