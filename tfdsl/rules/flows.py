"""Rules of flows, for texts, JSON and Python alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Protocol, TypeVar

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.patterns import regex
from tfdsl.rules import values
from tfdsl.rules.broken import Broken, Place
from tfdsl.vocabulary.names import LONGEST_LABEL
from tfdsl.vocabulary.quantities import Duration

T = TypeVar("T")


class Run(Protocol):
    """A job of a flow, and the jobs that it comes after."""

    @property
    def job(self) -> str:
        """Its name."""
        ...

    @property
    def after(self) -> Sequence[str]:
        """Those before it."""
        ...

    @property
    def ending(self) -> str:
        """With which end of these it runs."""
        ...


class Flow(Protocol):
    """What the rules ask of a flow."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def schedule(self) -> str | None:
        """When it runs."""
        ...

    @property
    def time_zone(self) -> str | None:
        """Where the schedule's clock is."""
        ...

    @property
    def runs(self) -> Sequence[Run]:
        """Its jobs, in the order of the file."""
        ...


def of_flow(flow: Flow) -> Iterator[Broken]:
    """What a flow breaks; places are those of its model (``runs``, number, field)."""
    if not flow.runs:
        yield Broken(value_rules.FLOW_WITHOUT_RUN, (), {"flow": flow.name}).help("write run JOB in it")
    if flow.time_zone is not None and flow.schedule is None:
        yield Broken(value_rules.ZONE_WITHOUT_SCHEDULE, ("time_zone",)).help("set schedule too, or remove time_zone")
    first: dict[str, int] = {}
    for at, run in enumerate(flow.runs):
        before = first.setdefault(run.job, at)
        if before != at:
            twice = Broken(value_rules.RUN_TWICE, ("runs", at, "job"), {"flow": flow.name, "job": run.job})
            twice = twice.note(("runs", before, "job"), "first here").marked("again here")
            yield twice.help(
                "write one run of it, or a job for each: they can use one template, or be those of a matrix"
            )
    for at, run in enumerate(flow.runs):
        for broken in _of_run(flow, run, first):
            yield broken.below("runs", at)
    names = ring({run.job: run.after for run in flow.runs})
    if names:
        at = first[names[0]]
        place = ("runs", at, "after", list(flow.runs[at].after).index(names[-1]))
        yield Broken(value_rules.RUN_CYCLE, place, of_ring(flow.name, names)).help(BREAK)


def _of_run(flow: Flow, run: Run, known: Mapping[str, int]) -> Iterator[Broken]:
    named: dict[str, int] = {}
    for at, job in enumerate(run.after):
        place, words = ("after", at), {"flow": flow.name, "job": job}
        if job == run.job:
            yield Broken(value_rules.AFTER_ITSELF, place, words)
        elif job not in known:
            yield Broken(value_rules.NOT_IN_FLOW, place, words).help(f"write run {job} too")
        elif named.setdefault(job, at) != at:
            twice = Broken(value_rules.AFTER_TWICE, place, {"job": job})
            yield twice.note(("after", named[job]), "first here").marked("again here")
    name = name_in(flow.name, run.job)
    if len(name) > LONGEST_LABEL >= max(len(flow.name), len(run.job)):
        problem = values.label_problem(name)
        long = Broken(value_rules.JOB_NAME, ("job",), {"name": values.quoted(name), "problem": problem})
        yield long.help("this is its name in the flow: shorten that of the flow or of the job")
    if run.ending == "failed" and len(run.after) > 1:
        words = {"ending": run.ending, "expected": "one job", "given": f"{len(run.after):,}"}
        yield Broken(value_rules.ENDING_OF_ONE, ("ending",), words).help(
            "write ended, or for each of them another job that runs after it"
        )
    if run.ending != "succeeded" and not run.after:
        words = {"ending": run.ending, "expected": "a job", "given": "none"}
        yield Broken(value_rules.ENDING_OF_ONE, ("ending",), words)


def in_order(uses: Mapping[str, Sequence[str]]) -> list[str]:
    """Each name after those that it uses; those that wait for a cycle are left out."""
    waiting = {name: {used for used in before if used in uses} for name, before in uses.items()}
    users: dict[str, list[str]] = {}
    for name, before in waiting.items():
        for used in before:
            users.setdefault(used, []).append(name)
    order = [name for name, before in waiting.items() if not before]
    for name in order:  # which grows
        for user in users.get(name, ()):
            waiting[user].discard(name)
            order += [] if waiting[user] else [user]
    return order


def union(sets: Iterable[int]) -> int:
    """Sets of jobs as the bits of numbers, together: so all jobs before each of many cost little."""
    every = 0
    for one in sets:
        every |= one
    return every


BREAK = "remove one of these from after"
"""How a ring is broken."""


def of_ring(flow: str, names: Sequence[str]) -> dict[str, str]:
    """The words of the message about a ring."""
    return {"flow": flow, "ring": " → ".join((*names, names[0]))}


def ring(uses: Mapping[str, Sequence[str]]) -> list[str]:
    """Names each of which is used by the next, and the last by the first; empty if there is no cycle of several."""
    uses = {name: [used for used in before if used != name] for name, before in uses.items()}
    done = set(in_order(uses))
    left = [name for name in uses if name not in done]
    if not left:
        return []
    seen: dict[str, None] = {}
    name = left[0]
    while name not in seen:
        seen[name] = None
        name = next(used for used in uses[name] if used in uses and used not in done)
    found = [*seen][[*seen].index(name) :]
    first = min(range(len(found)), key=lambda at: left.index(found[at]))
    return [found[first], *reversed(found[first + 1 :]), *reversed(found[:first])]


SHORTEST_TTL = 60
"""Seconds that a finished job of a flow stays at least: engines look again after some time, and would miss its end."""


class Job(Protocol):
    """A job that a flow holds."""

    @property
    def name(self) -> str:
        """Its own name."""
        ...

    @property
    def namespace(self) -> str | None:
        """Where its objects are."""
        ...

    @property
    def ttl(self) -> Duration | None:
        """How long it stays when it has ended."""
        ...


def of_whole(flow: Flow, own: str | None, jobs: Sequence[Job]) -> Iterator[Broken]:
    """What a flow that holds its ``jobs`` breaks with them. ``own``: its namespace."""
    first: dict[str, int] = {}
    for at, job in enumerate(jobs):
        before = first.setdefault(job.name, at)
        if before != at:
            twice = Broken(name_rules.DUPLICATE_JOB, ("jobs", at, "name"), {"name": job.name})
            yield twice.note(("jobs", before, "name"), "first here").marked("again here")
    unknown = [(at, run.job) for at, run in enumerate(flow.runs) if run.job not in first]
    for at, name in unknown:
        near = closest(name, first)
        advice = f"did you mean {near}?" if near else f"there are {enumeration(first)}" if first else "add it to jobs"
        yield Broken(name_rules.UNKNOWN_JOB, ("runs", at, "job"), {"name": name}).help(advice)
    named: list[tuple[str, str, Place]] = [(name, f"job {name}", ("jobs", at, "name")) for name, at in first.items()]
    for place, other, words in clashes([*named, *names(flow)]):
        clash = Broken(value_rules.SAME_NAME_IN_FLOW, place, words).note(other, f"{words['first']} is here")
        yield clash.help(CLASH)
    if flow.runs and not unknown:
        its = [jobs[first[run.job]] for run in flow.runs]
        yield from of_its_jobs(flow, own, [job.namespace for job in its], [job.ttl for job in its])


def of_its_jobs(
    flow: Flow, own: str | None, namespaces: Sequence[str | None], ttls: Sequence[Duration | None]
) -> Iterator[Broken]:
    """What the jobs of a flow break together. ``own``: its namespace; the others: those of the jobs of its runs."""
    for at, (run, ttl) in enumerate(zip(flow.runs, ttls, strict=True)):
        if ttl is not None and ttl.ms < SHORTEST_TTL * 1000:
            shown = {"flow": flow.name, "job": run.job, "ttl": str(ttl)}
            yield Broken(value_rules.SHORT_TTL, ("runs", at, "job"), shown).help("set ttl to 1m or more")
    wanted = own if own is not None else namespaces[0]
    for at, (run, namespace) in enumerate(zip(flow.runs, namespaces, strict=True)):
        if namespace != wanted and not (namespace is None and own is not None):
            where = f"namespace {namespace}" if namespace is not None else "no namespace"
            words = {"flow": flow.name, "job": run.job, "where": where, "wanted": wanted or "none"}
            yield Broken(value_rules.OTHER_NAMESPACE, ("runs", at, "job"), words).help(
                "give all jobs of the flow one namespace, or set it in the flow"
            )
            return


# --- names -------------------------------------------------------------------------------------------------------


def name_in(flow: str, job: str) -> str:
    """What a job is called in a flow; a run's mark may come behind it."""
    return f"{flow}-{job}"


CLASH = "give one of them another name"
"""What to do about two things of one name."""


def names(flow: Flow) -> Iterator[tuple[str, str, Place]]:
    """Each name that a flow takes, its own and those of its jobs in it: what is called so, and where that is set."""
    yield flow.name, f"flow {flow.name}", ("name",)
    for at, run in enumerate(flow.runs):
        yield name_in(flow.name, run.job), f"job {run.job} of flow {flow.name}", ("runs", at, "job")


def clashes(named: Iterable[tuple[str, str, T]]) -> Iterator[tuple[T, T, Mapping[str, str]]]:
    """The places of two things that have one name, the later one first, and the words of the message about them.

    ``named``: name, what is called so, its place.
    """
    first: dict[str, tuple[str, T]] = {}
    for name, what, place in named:
        other, before = first.setdefault(name, (what, place))
        if other != what:
            yield place, before, {"first": other, "second": what, "name": name}


# --- schedules ---------------------------------------------------------------------------------------------------

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of the month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 6, _DAYS),
)
MACROS = ("@hourly", "@daily", "@weekly", "@monthly")
_OTHER_MACROS = {"@midnight": "@daily", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *"}
_HOW = "use *, numbers, A-B, lists with commas, and */STEP or A-B/STEP"
_ITEM = regex(r"(?:\*|([0-9]{1,4}|[A-Za-z]{3})(?:-([0-9]{1,4}|[A-Za-z]{3}))?)(?:/([0-9]{1,4}))?")


def schedule(text: str) -> Broken | None:
    """The five fields of cron (crontab(5)), as all engines read them, or one of :data:`MACROS`.

    Sunday is 0 only, for Argo (robfig/cron) has no 7. A step needs a range: ``5/15`` is 5 for cron, 5-59/15 for Argo.
    Of both kinds of days one has to match; with a ``*`` in one of them both for cron, but not for Argo.
    """
    problem, advice = _schedule_problem(text)
    if problem is None:
        return None
    broken = Broken(value_rules.SCHEDULE, (), {"given": values.quoted(text), "problem": problem})
    return broken.help(advice) if advice else broken


def _schedule_problem(text: str) -> tuple[str | None, str]:
    if text.startswith("@"):
        if text in MACROS:
            return None, ""
        other = _OTHER_MACROS.get(text.lower())
        known = f"write {other}" if other else "write the five fields for other times"
        return f"only {enumeration(MACROS)} begin with @", known
    fields = [field for field in text.replace("\t", " ").split(" ") if field]
    if fields and fields[0].startswith(("TZ=", "CRON_TZ=")):
        return "the time zone is an attribute of its own", f'write time_zone = "{fields[0].partition("=")[2]}"'
    if len(fields) != len(_FIELDS):
        advice = 'minute, hour, day of the month, month, day of the week: "0 2 * * 1-5" is 2:00 from Monday to Friday'
        if len(fields) == len(_FIELDS) + 1:
            advice = "a schedule has no seconds and no years: remove that field"
        return f"it has {len(fields)} fields, not 5", advice
    chosen: list[set[int]] = []
    for field, (what, low, high, names) in zip(fields, _FIELDS, strict=True):
        found = _field(field, low, high, names)
        if isinstance(found, tuple):
            return f"{what} {field} {found[0]}", found[1]
        chosen.append(found)
    days, months = chosen[2], chosen[3]
    if fields[4] == "*" and all(min(days) > _LENGTHS[month - 1] for month in months):
        return "no month that it names has such a day", ""
    for what, field, other in (("day of the month", fields[2], fields[4]), ("day of the week", fields[4], fields[2])):
        if other != "*" != field and "*" in field:
            advice = f"write * for one of them, or the days of {field} as a list of numbers"
            return f"engines differ on {what} {field} beside {other}", advice
    return None, ""


def _field(text: str, low: int, high: int, names: Sequence[str]) -> set[int] | tuple[str, str]:
    """The numbers that a field stands for, or what is wrong with it and what to do."""
    found: set[int] = set()
    for item in text.split(","):
        match = _ITEM.fullmatch(item)
        if match is None:
            return "cannot be read", "write * for any" if item == "?" else _HOW
        first, last, step = match.groups()
        ends = [_number(each, low, names) for each in (first, last) if each is not None]
        if any(number is None for number in ends):
            return (f"is not one of {names[0]} to {names[-1]}" if names else "is not a number"), ""
        numbers = [number for number in ends if number is not None]
        if not all(low <= number <= high for number in numbers):
            sunday = "Sunday is 0" if high == len(_DAYS) - 1 and 7 in numbers else ""
            return f"is not from {low} to {high}", sunday
        begin, end = (*numbers, *numbers)[:2] if numbers else (low, high)
        if len(numbers) == 1 and step is not None:
            most = names[-1] if first.upper() in names else high
            return "has a step without a range", f"write {first}-{most}/{step}"
        if begin > end:
            least, most = (names[0], names[-1]) if names else (low, high)
            return "begins with the greater number", f"write two ranges: {first}-{most},{least}-{last}"
        if step is not None and not 0 < int(step) <= high - low:
            return f"has a step that is not from 1 to {high - low}", ""
        found.update(range(begin, end + 1, int(step or 1)))
    return found


def _number(text: str, low: int, names: Sequence[str]) -> int | None:
    if text.isdigit():
        return int(text)
    return names.index(text.upper()) + low if text.upper() in names else None


_MEANT = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *"}
_MOST_DAYS = 8 * 366 + 1
"""From one 29 February to the next, over a year such as 2100."""


def next_start(text: str, now: datetime) -> datetime | None:
    """When a valid schedule is due next after ``now``, by whose clock it goes; ``None`` if it never is.

    A time that the clock skips has no run, one that it repeats has two.
    """
    fields = _MEANT.get(text, text).split()
    found = [_field(field, low, high, names) for field, (_, low, high, names) in zip(fields, _FIELDS, strict=True)]
    minutes, hours, days, months, weekdays = (set[int]() if isinstance(one, tuple) else one for one in found)
    either = fields[2] != "*" != fields[4]
    for ahead in range(_MOST_DAYS):
        day = now.date() + timedelta(ahead)
        is_day, is_weekday = day.day in days, day.isoweekday() % 7 in weekdays
        if day.month not in months or not (is_day or is_weekday if either else is_day and is_weekday):
            continue
        times = [
            datetime.combine(day, time(hour, minute, fold=fold), now.tzinfo)
            for hour in hours for minute in minutes for fold in (0, 1)
        ]  # fmt: skip
        instants = sorted(one.astimezone(UTC) for one in times if _is_there(one))
        later = next((one for one in instants if one > now), None)
        if later is not None:
            return later.astimezone(now.tzinfo)
    return None


def _is_there(moment: datetime) -> bool:
    """Whether the clock shows this time on that day."""
    return moment.astimezone(UTC).astimezone(moment.tzinfo).replace(tzinfo=None) == moment.replace(tzinfo=None)


_WORD = r"[A-Za-z][A-Za-z0-9_]*+(?:-[A-Za-z][A-Za-z0-9_]*+)*+"
_ZONE = regex(rf"Etc/GMT[+-][0-9]{{1,2}}|GMT[+-]0|{_WORD}(?:/{_WORD})*+")
_OFFSET = regex(r"(?:UTC|GMT)?([+-])0?([0-9]{1,2})(?::?00)?")


def time_zone(text: str) -> Broken | None:
    """A name of the time zone database has words between slashes; which there are changes every year."""
    if _ZONE.fullmatch(text):
        return None
    broken = Broken(value_rules.TIME_ZONE, (), {"given": values.quoted(text)})
    offset = _OFFSET.fullmatch(text)
    if offset is not None:
        zone = f"Etc/GMT{'-' if offset[1] == '+' else '+'}{offset[2]}"
        return broken.help(f'for example "Europe/Berlin"; the zone called "{zone}" has the other sign')
    return broken.help('for example "Europe/Berlin", or "UTC"')
