"""What we add to pods that the source does not mention: reported once per job, each with the way to leave it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import child
from tfdsl_backends.podspec.environment import hides_devices
from tfdsl_backends.podspec.options import NO_SIDECAR, VISIBLE_DEVICES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic, Rule
    from tfdsl.ir.model import Role
    from tfdsl.text import Span
    from tfdsl_backends.podspec.messages import PodRules


def check_additions(unit: Unit, rules: PodRules) -> Iterator[Diagnostic]:
    """What is added to the pods of the job."""
    yield from _limits(unit, rules.limits)
    yield from _sidecar(unit, rules.no_sidecar)
    yield from _devices(unit, rules.hidden_devices)


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
        yield diagnostic.help(f"write {other} to set another limit; unpatch in target {unit.target} removes one")


def _sidecar(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    left = any(NO_SIDECAR not in role.annotations for role in unit.job.roles)
    if unit.flag("istio_annotation") and left:
        yield rule(unit.origins.span("")).help(
            f"write istio_annotation = false in target {unit.target} to leave it out"
        )


def _devices(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    value = unit.text("nvidia_visible_devices")
    hidden = [role for role in unit.job.roles if _is_hidden(unit, role)]
    if value and hidden:
        names = ", ".join(role.name for role in hidden)
        diagnostic = rule(unit.origins.span(hidden[0].path), roles=names, value=value)
        yield diagnostic.help(f'write nvidia_visible_devices = "" in target {unit.target} to leave it out')


def _is_hidden(unit: Unit, role: Role) -> bool:
    return hides_devices(unit.job, role) and VISIBLE_DEVICES not in role.env
