"""A flow on its cluster as one thing: what each of its jobs waits for, why others do not run, and when it is due."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tfdsl.backend.cluster import ENDED, End, Live, Replica
from tfdsl.lifecycle.flow import is_met
from tfdsl.record import replace
from tfdsl.rules.flows import in_order, next_start

if TYPE_CHECKING:
    from tfdsl.ir.flow import Flow


def explained(live: Live, flow: Flow) -> Live:
    """``live`` with what the jobs that have not begun wait for, why others will not run, and when it is due."""
    phases: dict[str, str] = {one.role: one.phase for one in live.replicas}
    known = {run.job for run in flow.runs}
    jobs = tuple(_explained(one, flow, phases, over=live.ended) if one.role in known else one for one in live.replicas)
    notes = live.notes
    if live.scheduled and flow.time_zone is None:
        notes = (*notes, "the schedule has the time zone of its engine; the time of the next run is that of UTC")
    return replace(live, replicas=jobs, notes=notes, due=_due(flow) if live.scheduled else "")


def _explained(job: Replica, flow: Flow, phases: Mapping[str, str], *, over: bool) -> Replica:
    run = flow.run_of(job.role)
    if job.phase not in ("waiting", "not run") or job.end is not None:
        return job
    ends = [(before, phases.get(before, "unknown")) for before in run.after]
    whys = [has(one, end) for one, end in ends if end == "not run" or (end in ENDED and not is_met(run.ending, end))]
    if not whys and not over and job.phase == "waiting":
        return replace(job, waits_for=tuple(one for one, end in ends if end not in ENDED))
    return replace(job, phase="not run", end=End(why=whys[0] if whys else "the flow ended before" if over else ""))


def has(job: str, phase: str) -> str:
    """How a job of a flow has ended, as ``tfdsl simulate`` says it."""
    return {"aborted": f"{job} was aborted", "not run": f"{job} did not run"}.get(phase, f"{job} has {phase}")


def _due(flow: Flow) -> str:
    """When the schedule of a flow starts the next run, in its time zone or in UTC (ISO 8601); empty if unknown."""
    from zoneinfo import ZoneInfo

    with suppress(KeyError, ValueError, OSError):  # this machine does not know the zone
        zone = UTC if flow.time_zone is None else ZoneInfo(flow.time_zone)
        found = None if flow.schedule is None else next_start(flow.schedule, datetime.now(zone))
        return "" if found is None else found.isoformat(timespec="minutes")
    return ""


def in_turn(live: Live, flow: Flow) -> list[Replica]:
    """The jobs, each after those that it comes after; those that the file does not have last."""
    order = {job: at for at, job in enumerate(in_order({run.job: run.after for run in flow.runs}))}
    return sorted(live.replicas, key=lambda one: order.get(one.role, len(order)))


def has_begun(job: Replica) -> bool:
    """Whether the cluster may have something of a job."""
    return bool(job.name) and job.phase not in ("absent", "not run") and not job.waits_for
