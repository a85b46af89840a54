"""Roles: which there are, how many replicas, who waits for whom (language reference, "Attributes")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, listing
from tfdsl.semantics.values import ListData
from tfdsl.vocabulary import roles as rows
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved

    Report = Callable[[Diagnostic], None]


def check(job: resolved.Job, report: Report) -> None:
    """Which roles there are and what each says of its replicas."""
    chief, master = job.role("chief"), job.role("master")
    if chief is not None and master is not None:
        second, first = sorted((chief, master), key=lambda role: -role.name_span.start)
        report(value_rules.CHIEF_AND_MASTER(second.name_span).note(first.name_span, "the other one"))
    if job.complete and not any(rows.BY_NAME[role.name].trains for role in job.roles):
        report(value_rules.NO_TRAINING_ROLE(job.name_span).help("add role worker { }"))
    for role in job.roles:
        _replicas(role, report)
        _min_available(role, report)
        _limits(role, report)
    _after(job, report)
    _server(job, report)
    _logdir(job, report)


def _replicas(role: resolved.Role, report: Report) -> None:
    if rows.BY_NAME[role.name].single and role.replicas > 1:
        span = role.settings["replicas"].value.span
        report(value_rules.SINGLE_REPLICA(span, role=role.name, given=role.replicas))


def _min_available(role: resolved.Role, report: Report) -> None:
    least = role.data("min_available")
    if isinstance(least, int) and role.counted and least > role.replicas:
        span = role.settings["min_available"].value.span
        report(value_rules.MIN_AVAILABLE(span, given=least, role=role.name, replicas=role.replicas))


def _limits(role: resolved.Role, report: Report) -> None:
    for name in ("cpu", "memory"):
        limit, request = role.data(f"{name}_limit"), role.data(name)
        if isinstance(limit, Quantity) and isinstance(request, Quantity) and limit.milli < request.milli:
            setting = role.settings[f"{name}_limit"]
            found = value_rules.LIMIT_BELOW_REQUEST(
                setting.value.span, name=f"{name}_limit", given=limit.text, request=request.text
            )
            report(found.note(role.settings[name].value.span, "the request").marked("the limit"))


def _after(job: resolved.Job, report: Report) -> None:
    names = [role.name for role in job.roles]
    waits: dict[str, list[str]] = {}
    for role in sorted(job.roles, key=lambda role: role.name_span.start):  # a cycle is met in file order
        data = role.data("after")
        for item in data.items if isinstance(data, ListData) else ():
            if not isinstance(item.data, str):
                continue
            if item.data not in names:
                found = name_rules.ROLE_NOT_IN_JOB(item.span, job=job.name, name=item.data)
                near = closest(item.data, names)
                report(found.help(f"did you mean {near}?" if near else f"its roles are {listing(names)}"))
            elif item.data == role.name or _reaches(waits, item.data, role.name):
                report(value_rules.AFTER_CYCLE(item.span, role=role.name).marked("the circle closes here"))
            else:
                waits.setdefault(role.name, []).append(item.data)


def _reaches(waits: dict[str, list[str]], start: str, goal: str) -> bool:
    todo, seen = [start], {start}
    while todo:
        for name in waits.get(todo.pop(), ()):
            if name == goal:
                return True
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return False


def _server(job: resolved.Job, report: Report) -> None:
    """With all workers plain servers somebody else has to run the command."""
    worker = job.role("worker")
    if (
        worker is not None
        and worker.data("server") is True
        and job.role("chief") is None
        and job.role("master") is None
    ):
        span = worker.settings["server"].value.span
        report(value_rules.SERVER_WITHOUT_CHIEF(span).help("add role chief { }"))


def _logdir(job: resolved.Job, report: Report) -> None:
    board = job.role("tensorboard")
    if not job.complete or "logdir" in job.meant or "checkpoint" in job.meant:
        return
    if board is not None and "logdir" not in board.settings and "checkpoint" not in job.settings:
        report(value_rules.MISSING_LOGDIR(board.name_span).help('for example logdir = "/logs"'))
