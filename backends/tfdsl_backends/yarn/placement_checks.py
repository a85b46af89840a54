"""What Hadoop would refuse about ``placement``, take for something else, or never satisfy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl_backends.hadoop.checks import check_role_options
from tfdsl_backends.yarn import messages
from tfdsl_backends.yarn.applications import per_role
from tfdsl_backends.yarn.constraints import SELF, Constraint, ConstraintError, Near, all_near, beyond_first_form, parse
from tfdsl_backends.yarn.features import features
from tfdsl_backends.yarn.options import is_yarn_tf
from tfdsl_backends.yarn.placement import OPTION, constraints, other_roles

if TYPE_CHECKING:
    from tfdsl.text import Span

FORMS = (
    "write IN or NOTIN,NODE or RACK,TAG; CARDINALITY,NODE,TAG,MIN,MAX; NAME=VALUE or NAME!=VALUE of a node "
    "attribute; or AND(…:…), OR(…:…)"
)


def check_placement(unit: Unit) -> Iterator[Diagnostic]:
    """Each role's constraint, then what they are together."""
    given = unit.entries(OPTION)
    if not given:
        return
    have = features(unit.version)
    if is_yarn_tf(unit) or not have.placement:
        what = "the yarn-tf client" if is_yarn_tf(unit) else f"Hadoop {unit.shown_version}"
        diagnostic = messages.PLACEMENT_VERSION(unit.option_place(OPTION), what=what, part="constraints")
        yield diagnostic.help(
            'write dialect = "stock"' if is_yarn_tf(unit) else 'write version = "3.3", or node_label in the role'
        )
        return
    yield from check_role_options(unit, messages.SHARED, OPTION)
    for role, text in given.items():
        if unit.job.role(role) is not None:
            yield from _one(unit, role, str(text), first_form=have.placement == "tag=N")
    yield from _one_application(unit)
    yield from _cycles(unit)


def _place(unit: Unit, role: str) -> Span:
    return unit.option_place(f"{OPTION}[{role}]")


def _one(unit: Unit, role: str, text: str, *, first_form: bool) -> Iterator[Diagnostic]:
    place = _place(unit, role)
    try:
        constraint = parse(text)
    except ConstraintError as error:
        yield messages.PLACEMENT_FORM(place, role=role, why=error).help(FORMS)
        return
    beyond = _beyond(unit, role, constraint) if first_form else ""
    if beyond:
        diagnostic = messages.PLACEMENT_VERSION(place, what=f"Hadoop {unit.shown_version}", part=beyond)
        yield diagnostic.help('write version = "3.3"')
        return
    for near in all_near(constraint):
        yield from _unknown_tags(unit, role, near)
    for near in all_near(constraint, certain=True):
        if near.needs_one and any(space in ("", SELF) and tag == role for space, tag in near.tags):
            yield messages.PLACEMENT_OF_ITSELF(place, role=role, word=near.word)


def _beyond(unit: Unit, role: str, constraint: Constraint) -> str:
    """What of a constraint Hadoop 3.1 does not know."""
    spread = unit.job.role(role)
    if spread is not None and spread.spread == "node" and spread.replicas > 1:
        return 'AND(…), which joins it with spread = "node"'
    others = [tag for near in all_near(constraint) for tag in other_roles(unit, role, near)]
    return beyond_first_form(constraint) or (
        f"tags of other applications, such as that of {others[0]}" if others else ""
    )


def _unknown_tags(unit: Unit, role: str, near: Near) -> Iterator[Diagnostic]:
    """Tags that no container of the application has, so that nothing or everything satisfies the constraint."""
    for space, tag in near.tags:
        if (not space and unit.job.role(tag) is None) or (space == SELF and tag != role):
            diagnostic = messages.PLACEMENT_TAG(_place(unit, role), tag=tag)
            yield diagnostic.help(f"write all/{tag} for containers of other applications, or the name of a role")


def _one_application(unit: Unit) -> Iterator[Diagnostic]:
    """One application places all its containers alike."""
    if len(unit.job.roles) > 1 and not per_role(unit) and unit.once(constraints):
        diagnostic = messages.PLACEMENT_ONE(unit.option_place(OPTION))
        yield diagnostic.help('write applications = "per-role"')


def _cycles(unit: Unit) -> Iterator[Diagnostic]:
    """Roles whose first containers wait for each other."""
    waits = {
        role: {tag for near in all_near(one, certain=True) if near.needs_one for tag in other_roles(unit, role, near)}
        for role, one in unit.once(constraints).items()
    }
    for role in waits:
        reached: set[str] = set()
        todo = set(waits[role])
        while todo:
            reached |= todo
            todo = {after for one in todo for after in waits.get(one, ())} - reached
        if role in reached:
            yield messages.PLACEMENT_CYCLE(_place(unit, role), roles=" and ".join(sorted(reached)))
            return
