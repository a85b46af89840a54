"""The option ``placement`` and ``spread`` as one ``-placement_spec`` for each application.

DistributedShell knows only tags of its own application. Where a constraint names another role, every application gets a
tag that has the run in it, so that no other job's containers are meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, child
from tfdsl.emit.script import Quoted
from tfdsl_backends.yarn.constraints import (
    SELF,
    Constraint,
    ConstraintError,
    Near,
    Several,
    all_near,
    parse,
    written,
)
from tfdsl_backends.yarn.features import features

if TYPE_CHECKING:
    from tfdsl.ir.model import Role
    from tfdsl_backends.yarn.applications import Application

OPTION: Final = "placement"
_RUN: Final = "\0"
"""Stands for the run, which only submit.sh knows."""


def constraints(unit: Unit) -> dict[str, Constraint]:
    """Role → its constraint, for the roles of the job whose text is one."""
    found: dict[str, Constraint] = {}
    for role, text in unit.entries(OPTION).items():
        if unit.job.role(role) is None:
            continue
        try:
            found[role] = parse(str(text))
        except ConstraintError:
            continue  # the checks say why
    return found


def other_roles(unit: Unit, role: str, near: Near) -> list[str]:
    """The other roles of the job that ``near``, of ``role``, is about."""
    return [tag for space, tag in near.tags if not space and tag != role and unit.job.role(tag) is not None]


def placement_spec(unit: Unit, app: Application) -> list[Data]:
    """``-placement_spec`` and its value; empty without a constraint."""
    form = features(unit.version).placement
    role = app.roles[0]
    placed = unit.once(constraints).get(role.name)
    spread = next((one for one in app.roles if one.spread == "node"), None) if app.containers > 1 else None
    meant = app.name in _roles_meant(unit)
    if not form or (placed is None and spread is None and not meant):
        return []
    own = _own_tag(unit, app)
    apart = Near("NOTIN", "NODE", (("", role.name),)) if spread is not None else None
    whole = placed if apart is None else apart if placed is None else Several("AND", (apart, placed))
    spec = form.replace("tag", own).replace("N", str(app.containers), 1)
    if whole is not None:
        spec += f",{written(whole, lambda space, tag: _tag(unit, role, own, space, tag))}"
    word: Data = Quoted(f'"{spec.replace(_RUN, "$run")}"') if _RUN in spec else spec  # no character of it is special
    return ["-placement_spec", Located(word, child(spread.path, "spread")) if spread is not None else word]


def _own_tag(unit: Unit, app: Application) -> str:
    """The tag of an application's own containers."""
    return _run_tag(app.name) if app.name and _roles_meant(unit) else app.name or "task"


def _tag(unit: Unit, role: Role, own: str, space: str, tag: str) -> str:
    if space in ("", SELF) and tag == role.name:
        return own
    if not space and unit.job.role(tag) is not None:
        return f"all/{_run_tag(tag)}"
    return f"{space}/{tag}" if space else tag


def _run_tag(role: str) -> str:
    return f"{role}-{_RUN}"


def _roles_meant(unit: Unit) -> set[str]:
    """The roles that a constraint of another role is about: their containers must have tags, too."""
    found = unit.once(constraints)
    return {name for role, one in found.items() for near in all_near(one) for name in other_roles(unit, role, near)}
