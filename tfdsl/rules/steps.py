"""Steps beside the command of a role (language reference, "Steps")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.rules.broken import Broken
from tfdsl.rules.names import as_label, label_problem

if TYPE_CHECKING:
    from tfdsl.rules.protocols import Role, Step

RESERVED = "tensorflow"
"""The name of the container that runs the command."""


def step_name(name: str, kind: str) -> Broken | None:
    """The name of a step must be a DNS label, and another one than that of the command's container."""
    problem = "the container of the command has this name" if name == RESERVED else label_problem(name)
    if problem is None:
        return None
    broken = Broken(value_rules.STEP_NAME, (), {"name": f'"{name}"', "kind": kind, "problem": problem})
    near = as_label(name)
    return broken.help(f'write "{near}"') if near and near not in (name, RESERVED) else broken


def started(role: Role) -> Iterator[Broken]:
    """Every step has something to run: a command, or the entrypoint of another image than the role's."""
    for at, step in enumerate(role.steps):
        if not step.command and step.image in (None, role.image):
            values = {"kind": step.kind, "name": step.name}
            broken = Broken(value_rules.STEP_WITHOUT_COMMAND, ("steps", at, "name"), values)
            yield broken.help('for example command = ["python", "/app/fetch.py"]')


def apart(steps: Sequence[Step]) -> Iterator[Broken]:
    """No two steps of a role have one name."""
    first: dict[str, int] = {}
    for at, step in enumerate(steps):
        before = first.setdefault(step.name, at)
        if before != at:
            kind = step.kind if step.kind == steps[before].kind else "a step"
            values = {"name": f"{kind} {step.name}", "where": "role"}
            broken = Broken(name_rules.DUPLICATE_BLOCK, ("steps", at, "name"), values)
            yield broken.note(("steps", before, "name"), "first here").marked("again here")


def both_kinds(name: str, kind: str, first: str) -> Broken:
    """A step is of another kind than in a lower layer."""
    broken = Broken(value_rules.STEP_OF_BOTH_KINDS, ("again",), {"name": name, "kind": kind, "first": first})
    broken = broken.note(("first",), f"a {first} step here").marked(f"a {kind} step here")
    return broken.help(f"give it another name, or take the other one away: unset {first} {_written(name)}")


def _written(name: str) -> str:
    """The name of a step as it is written."""
    return name if name.isidentifier() else f'"{name}"'
