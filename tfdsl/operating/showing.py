"""A job on its cluster, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from tfdsl.backend.cluster import End, Live, Reason, Replica, named
from tfdsl.compiling.masking import NOTHING, Hidden, hide
from tfdsl.diagnostics.render.json import Json
from tfdsl.record import Record, fields_of

VERSION: Final = 1
"""Of the form that :func:`data` gives."""
MOST_ONE_BY_ONE: Final = 12
"""Replicas of a role that are listed; of more they are counted, and only those that differ are listed."""
_USUAL: Final = ("running", "succeeded")
_KILLED: Final = 137
_NO_WORDS: Final = "Error"
"""What Kubernetes says of every command that has failed."""


def lines(live: Live) -> Iterator[str]:
    """A job with its replicas and reasons."""
    where = f", namespace {live.namespace}" if live.namespace else ""
    number = f" {live.id}" if _is_shown(live) else ""
    yield f"{live.name} ({live.target}{number}{where}): {live.phase}{f' since {live.since}' if live.since else ''}"
    facts = [f"queue {live.queue}"] if live.queue else []
    facts += [] if live.restarts is None else [f"restarts: {live.restarts}"]
    facts += [] if live.retries is None else [f"retries of the job: {live.retries}"]
    if facts:
        yield f"  {'; '.join(facts)}"
    yield from _replicas(live.replicas)
    for at, reason in enumerate(live.reasons):
        yield ""
        yield from _reason(reason, "also" if at else "why")
    for note in live.notes:
        yield f"note: {note}"
    if live.due:
        yield f"next run: {live.due}"
    for run in live.earlier:
        yield f"earlier run: {run.id} {run.phase}{f' since {run.since}' if run.since else ''}"


def _replicas(replicas: Sequence[Replica]) -> Iterator[str]:
    roles: dict[str, list[Replica]] = {}
    for one in replicas:
        roles.setdefault(one.role, []).append(one)
    listed: list[Replica] = []
    for role, ones in roles.items():
        if len(ones) <= MOST_ONE_BY_ONE:
            listed += ones
            continue
        counted = Counter(one.phase for one in ones)
        yield f"  {role}: {', '.join(f'{count:,} {phase}' for phase, count in counted.most_common())}"
        usual = counted.most_common(1)[0][0]
        odd = [one for one in ones if one.phase != usual and one.phase not in _USUAL]
        listed += odd[:MOST_ONE_BY_ONE]
        if len(odd) > MOST_ONE_BY_ONE:
            yield f"    of those not {usual}, the first {MOST_ONE_BY_ONE} are listed"
    phases = {one.task: one.phase for one in replicas}
    rows = [(one.task, one.phase, one.node or "-", _restarts(one), _why(one, phases)) for one in listed]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(3)]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
        yield f"  {'  '.join([*cells, *filter(None, row[3:])])}".rstrip()


def _restarts(one: Replica) -> str:
    return "" if not one.restarts else "1 restart" if one.restarts == 1 else f"{one.restarts} restarts"


def _end(end: End | None) -> str:
    if end is None or (not end.why and end.status is None):
        return ""
    status = "" if end.status is None else f"exit status {end.status}"
    killed = " (killed)" if end.status == _KILLED and not end.why else ""
    return f"{end.why}, {status}" if end.why and status else f"{end.why or status}{killed}"


def _why(one: Replica, phases: Mapping[str, str]) -> str:
    """How it has ended, or what a job of a flow waits for."""
    waits = [f"{job}, which is {phases.get(job, 'unknown')}" for job in one.waits_for]
    return _end(one.end) or (f"waits for {'; '.join(waits)}" if waits else "")


def _reason(reason: Reason, word: str) -> Iterator[str]:
    mark = " (inferred)" if reason.basis == "inferred" else ""
    yield f"{word}: {reason.sentence}{mark}"
    if reason.place:
        yield f"  at {reason.place}{f' ({reason.written})' if reason.written else ''}"
    if reason.help:
        yield f"  help: {reason.help}"
    if reason.object and reason.words not in ("", _NO_WORDS) and reason.words not in reason.sentence:
        yield f"  {reason.object} says: {reason.words}"
    if reason.log:
        yield f"  the last lines of {reason.task}{f'/{reason.part}' if reason.part else ''}:"
        yield from (f"    {line}" for line in reason.log)


def _is_shown(live: Live) -> bool:
    """Whether people use the cluster's own id: a number or an application, no UUID."""
    return "-" not in live.id


def line(live: Live) -> tuple[str, ...]:
    """A job in the list of all, as cells."""
    mine = "" if live.submission else "not submitted by tfdsl"
    return live.name, live.id if _is_shown(live) else "", live.phase, live.since, live.queue, mine


def changes(before: Live | None, live: Live) -> Iterator[str]:
    """What has changed, a line each."""
    if before is None or before.phase != live.phase:
        yield f"{live.name}: {live.phase}"
    old = {(one.role, one.index): one for one in before.replicas} if before is not None else {}
    phases: dict[str, list[Replica]] = {}
    for one in live.replicas:
        earlier = old.get((one.role, one.index))
        if earlier is None or (earlier.phase, earlier.restarts, earlier.id) != (one.phase, one.restarts, one.id):
            words = " ".join(filter(None, [one.phase, _restarts(one), _end(one.end)]))
            phases.setdefault(words, []).append(one)
    for words, ones in phases.items():
        yield f"{named(ones)}: {words}"
    known: set[str] = {one.sentence for one in before.reasons} if before is not None else set()
    for reason in live.reasons:
        if reason.sentence not in known:
            yield f"why: {reason.sentence}"


def data(live: Live, hidden: Hidden = NOTHING) -> Json:
    """A job for programs: the fields of :class:`tfdsl.backend.cluster.Live`, without ``hidden`` values."""
    return _plain(live, hidden)


def _plain(value: object, hidden: Hidden) -> Json:
    if isinstance(value, Record):
        return {name: _plain(getattr(value, name), hidden) for name in fields_of(type(value))}
    if isinstance(value, tuple):
        return [_plain(one, hidden) for one in cast("tuple[object, ...]", value)]
    assert value is None or isinstance(value, str | int)
    return hide(value, hidden) if isinstance(value, str) else value
