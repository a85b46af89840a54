"""What is said before a job starts: what ``run`` does not use, and what keeps the job from being started."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.backend import spoken
from tfdsl.diagnostics import Diagnostic, run_rules
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.ir.fields import walk
from tfdsl.ir.model import Job
from tfdsl.lifecycle.events import Task
from tfdsl.running import devices
from tfdsl.running.keys import TABLE

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins
    from tfdsl.running.plan import Problem
    from tfdsl.text import Span

MOST_REPLICAS: Final = 500
"""How many replicas are started: more are a slip, and would bring any one machine down."""


def not_used(job: Job, origins: Origins) -> list[Diagnostic]:
    """What ``job`` says and ``run`` does not do, one message for each reason.

    Raises:
        LookupError: a key has no row, so that something would be lost without a word.
    """
    reasons: dict[str, tuple[Span, dict[str, None]]] = {}
    for item in walk(job, origins):
        row = TABLE.get(item.key)
        if row is None:
            raise LookupError(f"the table of run has no row for {item.key}")
        span = origins.written(item.path)
        if row.fate != "told" or span is None:
            continue
        _, names = reasons.setdefault(row.why, (span, {}))
        names[spoken(item.key)] = None
    return [run_rules.NOT_USED(span, what=enumeration(names), why=why) for why, (span, names) in reasons.items()]


def sidecars(job: Job, origins: Origins) -> Iterator[Diagnostic]:
    """The sidecars that only their image can start."""
    for role in job.roles:
        for step in role.steps:
            if step.kind == "sidecar" and not step.command:
                yield run_rules.SIDECAR_NOT_STARTED(origins.span(step.path), step=step.name)


def fewer_devices(job: Job, origins: Origins, given: Mapping[Task, str], found: Sequence[str]) -> Iterator[Diagnostic]:
    """The replicas for which there are not enough devices."""
    without = devices.short(job, given)
    if without:
        role = job.role(without[0].role)
        assert role is not None
        has = f"this machine has {len(found)}" if found else "this machine has none"
        names = enumeration(map(str, without))
        yield run_rules.FEWER_DEVICES(
            origins.span(f"{role.path}.gpu"), wanted=devices.wanted(job), has=has, short=f"{names} run with fewer"
        ).help("--cpu hides all devices, so that every replica has the same")


def too_many(job: Job, origins: Origins) -> Iterator[Diagnostic]:
    """A job for a cluster, with more replicas than a machine can start."""
    count = sum(role.replicas for role in job.roles)
    if count > MOST_REPLICAS:
        largest = max(job.roles, key=lambda role: role.replicas)
        error = run_rules.TOO_MANY(origins.span(f"{largest.path}.replicas"), count=count, most=MOST_REPLICAS)
        yield error.help(f"start fewer: --scale {largest.name}=2")


def problems(found: Iterable[Problem], origins: Origins) -> list[Diagnostic]:
    """What keeps the job from being started, at the places in its text."""
    return [one.rule(origins.span(one.path), **one.values).help(one.help) for one in found]
