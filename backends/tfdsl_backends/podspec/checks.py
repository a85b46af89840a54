"""Checks that hold for the pods of every target of the Kubernetes family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Located, child, plain, unwrap
from tfdsl.ir.process_limits import LONGEST_STRING
from tfdsl.record import Record, replace
from tfdsl_backends.podspec.command import flags_need_shell, needs_start
from tfdsl_backends.podspec.paths import check_paths
from tfdsl_backends.podspec.resource_names import check_resource_names
from tfdsl_backends.podspec.shell_names import check_shell_names
from tfdsl_backends.podspec.template import container

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.emit.located import Data
    from tfdsl.ir.model import Role
    from tfdsl_backends.podspec.plan import PodPlan
    from tfdsl_backends.podspec.rules import PodRules


class Name(Record):
    """A name that a target makes from the job's. ``what``: whose name it is, e.g. ``the pod of worker 12``."""

    what: str
    text: str
    limit: int = 63


def check_names(unit: Unit, rules: PodRules, names: Sequence[Name]) -> Iterator[Diagnostic]:
    """One error, at the job's name, for the name that is furthest over its limit; it shows that name in full."""
    over = [name for name in names if len(name.text) > name.limit]
    if not over:
        return
    worst = max(over, key=lambda name: len(name.text) - name.limit)
    excess = len(worst.text) - worst.limit
    found = rules.name_too_long(
        unit.origins.span(""), what=worst.what, longest=worst.text, length=len(worst.text), limit=worst.limit
    )
    room = len(unit.job.name) - excess
    advice = f"shorten the job's name to at most {room} characters" if room > 0 else "shorten the names it is made of"
    yield replace(found.help(advice), target=unit.target)


def check_first_letter(unit: Unit, rules: PodRules, what: str) -> Iterator[Diagnostic]:
    """An error when the job's name cannot be that of a Service, which begins with a letter (RFC 1035)."""
    if not unit.job.name[:1].isalpha():
        yield replace(rules.name_first_letter(unit.origins.span(""), what=what), target=unit.target)


def check_pods(unit: Unit, rules: PodRules, plans: Sequence[tuple[Role, PodPlan]]) -> Iterator[Diagnostic]:
    """What would keep the container of a role from starting."""
    yield from check_paths(unit, rules)
    for role, plan in plans:
        yield from check_resource_names(unit, rules, role)
        yield from check_shell_names(unit, rules, role, plan)
        if needs_start(unit.job, role, plan):
            yield _no_command(unit, rules, role, plan)
        else:
            yield from _too_large(unit, rules, role, plan)


def _no_command(unit: Unit, rules: PodRules, role: Role, plan: PodPlan) -> Diagnostic:
    if role.outputs:
        starter = "the program that copies its outputs"
    elif flags_need_shell(unit.job, role, plan):
        starter = "the program that works out --task_index"
    else:
        starter = "the program that sets TF_CONFIG"
    found = rules.no_command(unit.origins.span(role.path), role=role.name, starter=starter)
    return replace(found.help("write the image's entrypoint as command, or as entrypoint in build"), target=unit.target)


def _too_large(unit: Unit, rules: PodRules, role: Role, plan: PodPlan) -> Iterator[Diagnostic]:
    for what, path, text in _strings(unit, role, plan):
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > LONGEST_STRING:
            found = rules.value_too_large(unit.origins.span(path), what=what, role=role.name, size=size)
            yield replace(found, target=unit.target)


def check_injected(unit: Unit, rules: PodRules, role: Role, maker: str, tf_config: str) -> Iterator[Diagnostic]:
    """The TF_CONFIG that ``maker``, a part of the target, adds to the pods of ``role``."""
    size = len(f"TF_CONFIG={tf_config}".encode())
    if size > LONGEST_STRING:
        place = unit.origins.span(child(role.path, "replicas"))
        found = rules.value_too_large(place, what=f"variable TF_CONFIG from {maker}", role=role.name, size=size)
        yield replace(found.help("lower replicas"), target=unit.target)


def _strings(unit: Unit, role: Role, plan: PodPlan) -> Iterator[tuple[str, str, str]]:
    """What each string that the process gets is, its place, and its text."""
    made = container(unit.job, role, plan, [])
    for field, what in (("command", "an argument"), ("args", "an argument")):
        for word in _items(made[field]):
            yield what, _place(word, role), str(plain(word))
    for entry in _items(made["env"]):
        data = unwrap(entry)
        if isinstance(data, dict) and "value" in data:
            name = str(plain(data["name"]))
            place = _place(data["value"], role) if not isinstance(entry, Located) else entry.path
            yield f"variable {name}", place, f"{name}={plain(data['value'])}"


def _items(data: Data) -> Sequence[Data]:
    items = unwrap(data)
    return items if isinstance(items, list) else ()


def _place(data: Data, role: Role) -> str:
    return data.path if isinstance(data, Located) else role.path
