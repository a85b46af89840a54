"""What we add to pods that the source does not mention: reported once per job, each with the way to leave it out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.emit.located import child
from tfdsl.ir.model import Role, Step
from tfdsl.vocabulary.quantities import Quantity
from tfdsl_backends.podspec.environment import hides_devices, hides_from_step, on_nvidia_nodes
from tfdsl_backends.podspec.options import NO_SIDECAR, VISIBLE_DEVICES

if TYPE_CHECKING:
    from tfdsl.text import Span
    from tfdsl_backends.podspec.messages import PodRules


def check_additions(unit: Unit, rules: PodRules) -> Iterator[Diagnostic]:
    """What is added to the pods of the job."""
    yield from _limits(unit, rules.limits)
    yield from _sidecar(unit, rules.no_sidecar)
    yield from _devices(unit, rules.hidden_devices)
    yield from _steps(unit, rules.step_resources)


def check_sidecar_nodes(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    """For a target whose versions are not those of Kubernetes: what the nodes must be, at the first sidecar."""
    for role in unit.job.roles:
        for step in role.steps:
            if step.kind == "sidecar":
                yield rule(unit.origins.span(step.path), name=step.name)
                return


def _steps(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    """What steps add to the size of a replica, once for all roles that inherit them."""
    reported: set[Span] = set()
    for role in unit.job.roles:
        for step in role.steps:
            more = _more(unit, role, step)
            span = unit.origins.span(step.path)
            if more and span not in reported:
                reported.add(span)
                yield rule(span, kind=step.kind, name=step.name, role=role.name, more=" and ".join(more))


def _more(unit: Unit, role: Role, step: Step) -> list[str]:
    """What each replica asks of its node for ``step``: a sidecar adds to the command, a prepare step runs before it."""
    more: list[str] = []
    for name in ("cpu", "memory"):
        amount: Quantity | None = getattr(step, name)
        own: Quantity | None = getattr(role, name)
        if amount is None:
            continue
        if step.kind == "sidecar" and unit.origins.written(child(step.path, name)) is None:
            more.append(f"{name} {amount.text} more, like the role's own")
        elif step.kind == "prepare" and own is not None and amount.milli > own.milli:
            more.append(f"{name} {amount.text}, although the command needs {own.text}")
    return more


def _limits(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    """One info, at the first amount that is written without a limit of its own."""
    places: dict[str, Span] = {}
    for role in unit.job.roles:
        for name in ("memory", "cpu"):
            written = unit.origins.written(child(role.path, name))
            own = unit.origins.written(child(role.path, f"{name}_limit"))
            if written is not None and own is None:
                places.setdefault(name, written)
    if places:
        names = " and ".join(places)
        diagnostic = rule(min(places.values(), key=lambda span: span.start), names=names)
        other = " or ".join(f"{name}_limit" for name in places)
        yield diagnostic.help(f'write {other} to set another limit, or "none" for no limit')


def _sidecar(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    left = any(NO_SIDECAR not in role.annotations for role in unit.job.roles)
    if unit.flag("istio_annotation") and left:
        yield rule(unit.origins.span("")).help(
            f"write istio_annotation = false in target {unit.target} to leave it out"
        )


def _devices(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    value = unit.text("nvidia_visible_devices")
    hidden: list[tuple[str, str]] = []
    for role in unit.job.roles if value and on_nvidia_nodes(unit.job) else ():
        hidden += [(role.name, role.path)] if _is_hidden(unit, role) else []
        hidden += [(f"{step.kind} {step.name}", step.path) for step in role.steps if hides_from_step(role, step)]
    if hidden:
        names = ", ".join(dict.fromkeys(name for name, _ in hidden))
        diagnostic = rule(unit.origins.span(hidden[0][1]), roles=names, value=value)
        yield diagnostic.help(f'write nvidia_visible_devices = "" in target {unit.target} to leave it out')


def _is_hidden(unit: Unit, role: Role) -> bool:
    return hides_devices(unit.job, role) and VISIBLE_DEVICES not in role.env
