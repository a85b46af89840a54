"""A job on YARN: what its client says of the applications that ``submit.sh`` has submitted.

``submit.sh`` stays until the job has ended, and marks what it submits with a tag. An application carries the job's name
(and the role's, where each role is an application), which several can have: the applications of a run are the latest
of each name that started together. Which task a container runs only the tasks themselves know, who write it into their
logs; YARN has these when the application has ended.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from getpass import getuser
from itertools import zip_longest
from typing import Final

from tfdsl.backend import Document, Unit
from tfdsl.backend.cluster import (
    Answer,
    Call,
    End,
    Live,
    LogOptions,
    Part,
    Phase,
    Place,
    Reason,
    Replica,
    ReplicaPhase,
    Row,
    Sign,
    Step,
    completed_with,
    cut,
    reasons,
)
from tfdsl.backend.flow import FlowUnit
from tfdsl.record import Record, replace
from tfdsl.rules.flows import name_in
from tfdsl.vocabulary.attributes import ROLE_NAMES
from tfdsl_backends.hadoop.flows import flow_tag
from tfdsl_backends.scripts import operating as flows
from tfdsl_backends.scripts.operating import STAMP, ScriptFlows, Told, called
from tfdsl_backends.yarn.applications import applications
from tfdsl_backends.yarn.lower import appname
from tfdsl_backends.yarn.options import TAG, features
from tfdsl_backends.yarn.reasons import ROWS

_ID: Final = re.compile(r"application_[0-9]{1,20}_[0-9]{1,12}")
_PHASES: Final[dict[str, Phase]] = {
    **dict.fromkeys(("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED"), "waiting"),
    "RUNNING": "running",
    "SUCCEEDED": "succeeded",
    "FAILED": "failed",
    "KILLED": "aborted",
}
"""Of the state of an application, or of its final state once it is FINISHED."""
_NOT_ENDED: Final = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"
_TOGETHER: Final = 600
"""Seconds within which the applications of a run have started."""
_TOTAL: Final = re.compile(
    r"^Total number of [^:\n]{0,200}(?:\(.{0,1000}\))? ?:\s*(?P<count>\d{1,9})\s*$", re.MULTILINE
)
_BEGINS: Final = re.compile(r"^[ \t]*(?:application|container)_\d", re.MULTILINE)
_NAMES: Final = re.compile(r"is (?P<id>application_[0-9]{1,20}_[0-9]{1,12}); its logs:")
_FIELD: Final = re.compile(r"^\t(?P<name>[A-Z][A-Za-z-]*(?: [A-Za-z-]+){0,4}) : ?(?P<value>.*)$", re.MULTILINE)
_CONTAINER: Final = re.compile(r"^Container: (?P<id>container_\w{1,80}) on (?P<node>\S+)", re.MULTILINE)
_PARTS: Final = re.compile(r"^(?=Container: container_)", re.MULTILINE)
_ATTEMPT: Final = re.compile(r"\bcontainer_(?:e\d{1,9}_)?\d{1,20}_\d{1,12}_(?P<attempt>\d{1,9})_\d{1,12}\b")
_TASK: Final = r"(?P<role>[a-z]+)\[(?P<index>\d{1,6})\]"
_OF_TASK: Final = re.compile(rf"^\[tfjob {_TASK}\] (?P<words>.*)$", re.MULTILINE)
_EXITS: Final = re.compile(r"exits with (?P<status>\d{1,3})")
_VERDICT: Final = re.compile(
    r"^\[tfjob [^ ]+\] (?:stopped \((?P<other>\w+)\)|(?P<own>fail|restart|missing)): (?P<words>.*)$", re.MULTILINE
)
_ABOUT: Final = re.compile(rf"(?P<task>{_TASK}) ")
_KILLED: Final = re.compile(
    r"containerID=(?P<id>container_\w{1,80})\] is running (?:\S+ )?beyond (?:the )?'?(?P<what>(?i:physical|virtual))"
)
_STAMP: Final = re.compile(
    r"^\d{4}-\d\d-\d\d[ T][\d:,.]+,?\s+(?P<level>[A-Z]+)\s+(?:\S+: )?|^\d\d/\d\d/\d\d [\d:]+ (?P<old>[A-Z]+) (?:\S+: )?"
)
_CLASSES: Final = re.compile(
    r"^(?:Exception in thread \"\S+\" |Caused by: )?(?:[\w.$]+(?:Exception|Error)(?:\([\w.$]+\))?: )*"
)
_NEWS: Final = ("INFO", "WARN", "DEBUG")
_ERROR: Final = re.compile(r"(?:Exception|Error|denied|permission)\b")
_LAST: Final = 5
_MOST_SAID: Final = 1 << 16
"""Characters at the end of an answer in which an error is looked for."""
_TAIL: Final = "-16384"
"""Bytes at the end of each log, in which a task says who it is and how it has ended."""


class _App(Record):
    """A row of the list of applications."""

    id: str
    name: str
    user: str
    queue: str
    state: str
    final: str
    ours: bool = False

    @property
    def phase(self) -> Phase:
        """In the words of the language."""
        return _PHASES.get(self.final if self.state == "FINISHED" else self.state, "unknown")

    @property
    def order(self) -> tuple[int, int]:
        """By when it was submitted."""
        _, start, number = self.id.split("_")
        return int(start), int(number)

    @property
    def ended(self) -> bool:
        """Whether nothing more happens to it."""
        return self.state in ("FINISHED", "FAILED", "KILLED")


class _Yarn:
    """The ``cluster`` of YARN."""

    INSTALL: Final = "run this where the client of Hadoop is, as on an edge node of the cluster"
    UNIQUE: Final = False
    STAYS: Final = True
    ID: tuple[str, re.Pattern[str]] = "the id of an application, as application_1795991729105_0003", _ID
    OPTIONS: Final = "submit.sh"
    rows: Sequence[Row] = ROWS

    # --- reading ---

    def reads(self, place: Place) -> list[Call]:
        """All applications of DistributedShell that YARN still knows, and those that ``submit.sh`` has tagged."""
        return _lists("ALL", place)

    def more(self, place: Place, answers: Sequence[Answer]) -> list[Call]:
        """The reports of the run's applications, their containers while they run, and the ends of the logs after it."""
        if len(answers) > len(self.reads(place)):
            return []
        run = _run(_apps(answers), place)
        reports = [Call(("yarn", "application", "-status", app.id), f"the report of {app.id}") for app in run]
        return [*reports, *filter(None, map(_containers, run))]

    def live(self, place: Place, answers: Sequence[Answer]) -> Live | None:
        """The latest run of the name, or the one with an application."""
        every = _apps(answers)
        run = _run(every, place)
        if not run:
            return None
        lists = len(self.reads(place))
        reports = [_report(answers[lists + at]) if lists + at < len(answers) else {} for at in range(len(run))]
        starts = [int(report.get("Start-Time", "0") or 0) for report in reports]
        together = [
            (app, report)
            for app, report, start in zip(run, reports, starts, strict=True)
            if not start or max(starts) - start <= 1000 * _TOGETHER
        ]
        rest = iter(answers[lists + len(run) :])
        asked = [app for app in run if _containers(app)]
        texts = {app.id: _of_last_attempt(next(rest, Answer(1, "", ""))) for app in asked}
        return _live(place, together, texts, every)

    def lists(self, place: Place) -> list[Call]:
        """All applications of DistributedShell."""
        return _lists("ALL", place)

    def listed(self, place: Place, answers: Sequence[Answer]) -> list[Live]:
        """Those of the user, a line for each application."""
        return [
            Live("yarn", app.name, "", app.id, app.phase, "", app.queue, submission=_submission(app))
            for app in _of_user(_apps(answers))
        ]

    # --- submitting ---

    def asks(self, place: Place, documents: Sequence[Document], folder: str) -> list[Call]:
        """YARN cannot be asked without submitting."""
        return []

    def steps(self, place: Place, documents: Sequence[Document], folder: str, submission: str) -> list[Step]:
        """``submit.sh``, which stays until the job has ended."""
        script = f"{folder}/{place.name}/submit.sh" if folder else "submit.sh"
        call = Call(("bash", script, *place.options), f"job {place.name}", stays=True)
        return [Step(call, f"job/{place.name}", lambda answer: None, made=_named)]

    def objection(self, answer: Answer, *, replaces: bool) -> str:
        """Nothing is asked."""
        return ""

    def refusal(self, answer: Answer) -> str:
        """The exception among what a client says, without traces, times and news."""
        said = f"{answer.err}\n{answer.out[-_MOST_SAID:]}"
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        stamped = [(match, line[match.end() if match else 0 :]) for line in lines for match in [_STAMP.match(line)]]
        told = [text for match, text in stamped if match is None or (match["level"] or match["old"]) not in _NEWS]
        told = [text for text in told if not text.startswith(("at ", "..."))]
        errors = [text for text in told if _ERROR.search(text)]
        if answer.status and not errors and not told:
            return f"the command ended with status {answer.status}"
        return cut(_CLASSES.sub("", (errors or told)[-1])) if errors or told else ""

    def is_there(self, answer: Answer) -> bool:
        """Names are not unique."""
        return False

    def is_gone(self, answer: Answer) -> bool:
        """Whether YARN does not know the application any more."""
        return "doesn't exist in RM" in answer.err + answer.out

    def log(self, place: Place, live: Live, replica: Replica, container: str, options: LogOptions) -> Call | str | None:
        """What the client prints of the container's logs; there is nothing before the end of its application."""
        if not live.ended:
            return "YARN has the logs when the job has ended"
        if options.previous or options.since is not None or options.tail is not None:
            return "yarn logs prints all of a log: without --previous, --since and --tail"
        match = re.fullmatch(r"container_(?:e\d+_)?(\d+_\d+)_\d+_\d+", replica.name)
        if match is None:
            return None
        words = ("yarn", "logs", "-applicationId", f"application_{match[1]}", "-containerId", replica.name)
        return Call((*words, "-log_files", "stdout,stderr"), f"the log of {replica.task}")

    # --- ending ---

    def parts(self, place: Place) -> list[Call]:
        """The applications that have not ended."""
        return _lists(_NOT_ENDED, place)

    def found(self, place: Place, answers: Sequence[Answer]) -> list[Part]:
        """Those of the name, or of the run of the application that is meant; their logs stay.

        Of a name, those of another user are not ours: anyone may end them where YARN has no access lists.
        """
        every = _apps(answers)
        mine = _run(every, place) if place.id else [app for app in _of_user(every) if _is_of(app, place)]
        found: list[Part] = []
        for app in mine:
            what = f"application/{app.id}"
            end = Call(("yarn", "application", "-kill", app.id), what)
            is_ours = app.ours or _has_no_tags(place)
            submission = app.id if is_ours and (place.id or app.user == _user()) else ""
            found.append(Part(what, app.id, submission, end, made_as=f"job/{place.name}"))
            found.append(Part(f"the logs of {app.id}", "", submission, end, stays=True))
        return found

    def resumes(self, place: Place, live: Live, answers: Sequence[Answer]) -> str:
        """Nothing does."""
        return "YARN lets no application go on that has ended: tfdsl submit starts it again"


def _lists(states: str, place: Place) -> list[Call]:
    calls = [_list(states, "applications")]
    return calls if _has_no_tags(place) else [*calls, _list(states, "applications that submit.sh has tagged", TAG)]


def _list(states: str, about: str, tag: str = "") -> Call:
    words = ("yarn", "application", "-list", "-appStates", states, "-appTypes", "YARN")
    return Call((*words, "-appTags", tag) if tag else words, about, is_whole=_is_whole)


def _has_no_tags(place: Place) -> bool:
    unit = place.unit or place.flow
    return unit is not None and not features(unit.version).tags


def _is_whole(out: str) -> bool:
    """Whether a list has as many rows as its first line says, also those that a name with a line break has broken."""
    total = _TOTAL.search(out)
    return total is not None and out.endswith("\n") and len(_BEGINS.findall(out)) >= int(total["count"])


def _rows(out: str) -> Iterator[list[str]]:
    """The rows of a list that have as many cells as its head: a name may have tabs, to make it look otherwise."""
    table = [[cell.strip() for cell in line.split("\t")] for line in out.splitlines()]
    head = next((row for row in table if row[0] in ("Application-Id", "Container-Id")), list[str]())
    for row in table:
        if len(row) == len(head) and _BEGINS.match(row[0]):
            yield row


def _apps(answers: Sequence[Answer]) -> list[_App]:
    """The applications of the lists, in order; the second has those that are ours.

    One that comes twice is left out: a name with a line break can look like a row about somebody else's.
    """
    tagged = {row[0] for answer in answers[1:2] for row in _rows(answer.out)}
    rows = [row for answer in answers[:1] for row in _rows(answer.out)]
    times = Counter(row[0] for row in rows)
    found = [
        _App(number, name, user, queue, state, final, number in tagged)
        for number, name, _, user, queue, state, final, *_ in rows
        if _ID.fullmatch(number) and times[number] == 1
    ]
    return sorted(found, key=lambda app: app.order)


def _user() -> str:
    """Who asks, as far as that is known here: a cluster may call people otherwise."""
    name = os.environ.get("HADOOP_USER_NAME", "")
    with suppress(OSError, KeyError, ImportError):
        name = name or getuser()
    return name


def _of_user(apps: Sequence[_App]) -> list[_App]:
    """Those of whoever asks; all if there is none."""
    name = _user()
    return [app for app in apps if app.user == name] or list(apps)


def _submission(app: _App) -> str:
    return app.id if app.ours else ""


def _names(unit: Unit) -> set[str]:
    return {appname(unit, one) for one in applications(unit)}


def _is_of(app: _App, place: Place) -> bool:
    """Whether an application is one of the job, by its name."""
    if place.unit is not None:
        return app.name in _names(place.unit)
    return app.name in {place.name, *(f"{place.name}-{role}" for role in ROLE_NAMES)}


def _run(apps: Sequence[_App], place: Place) -> list[_App]:
    """The applications of one run, the first first: from the last on, as long as no name comes again."""
    mine = [app for app in (apps if place.id else _of_user(apps)) if _is_of(app, place)]
    runs: list[list[_App]] = []
    for app in reversed(mine):
        if not runs or app.name in {one.name for one in runs[-1]} or place.name in {app.name, runs[-1][0].name}:
            runs.append([])
        runs[-1].insert(0, app)
    meant = [run for run in runs if not place.id or place.id in {app.id for app in run}]
    return meant[0] if meant else []


def _containers(app: _App) -> Call | None:
    """How it is read what its containers do, or have done."""
    if app.ended:
        words = ("yarn", "logs", "-applicationId", app.id, "-log_files", "stdout,stderr", "-size", _TAIL)
        return Call(words, f"the logs of {app.id}")
    if app.state != "RUNNING":
        return None
    attempt = app.id.replace("application", "appattempt")
    return Call(("yarn", "container", "-list", f"{attempt}_000001"), f"the containers of {app.id}")


def _attempt(text: str) -> int:
    """Which attempt of an application's master a container belongs to; 0 if that is not said."""
    match = _ATTEMPT.search(text)
    return int(match["attempt"]) if match is not None else 0


def _of_last_attempt(answer: Answer) -> Answer:
    """Logs without those of earlier attempts: when its master has ended, an application starts all tasks again."""
    parts = _PARTS.split(answer.out)
    attempts = [_attempt(part.partition("\n")[0]) for part in parts]
    last = max(attempts)
    return replace(answer, out="".join(part for part, own in zip(parts, attempts, strict=True) if own == last))


def _report(answer: Answer) -> dict[str, str]:
    """The fields of an application's report; its diagnostics have many lines."""
    found = {match["name"]: match["value"].strip() for match in _FIELD.finditer(answer.out)}
    begin = answer.out.find("\tDiagnostics : ")
    end = answer.out.rfind("\n\tUnmanaged Application : ")
    if begin >= 0:
        found["Diagnostics"] = answer.out[begin + len("\tDiagnostics : ") : end if end > begin else None].strip()
    for name in ("Start-Time", "Finish-Time"):
        found[name] = found.get(name, "") if re.fullmatch(r"\d{1,15}", found.get(name, "")) else ""
    return found


def _time(milliseconds: str) -> str:
    if not int(milliseconds or 0):
        return ""
    return datetime.fromtimestamp(int(milliseconds[:13]) // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _named(said: str) -> str:
    """What ``submit.sh`` has submitted, as it says."""
    return ", ".join(dict.fromkeys(f"application/{match['id']}" for match in _NAMES.finditer(said)))


def _live(
    place: Place, run: Sequence[tuple[_App, Mapping[str, str]]], texts: Mapping[str, Answer], every: Sequence[_App]
) -> Live:
    counts = _counts(place)
    boards = (
        {role.name for role in place.unit.job.roles if role.is_board} if place.unit is not None else {"tensorboard"}
    )
    job = [app for app, _ in run if app.name.removeprefix(f"{place.name}-") not in boards] or [app for app, _ in run]
    phase = _together([_phase(app, report, texts.get(app.id)) for app, report in run if app in job])
    ended = all(app.ended for app in job)
    since = max((_time(report.get("Finish-Time" if ended else "Start-Time", "")) for _, report in run), default="")
    said = {
        app.id: f"{report.get('Diagnostics', '')}\n{texts[app.id].out if app.ended and app.id in texts else ''}"
        for app, report in run
    }
    replicas = [one for app, _ in run if app.ended for one in _replicas(texts.get(app.id), said[app.id])]
    notes: list[str] = []
    for app, _ in run:
        if app.state == "RUNNING" and app.id in texts:
            alike, note = _running(app, texts[app.id], _counts_of(app, place))
            replicas += alike
            notes += [note] if note else []
    there = {(one.role, one.index): one for one in replicas}
    missing: ReplicaPhase = "waiting" if phase in ("waiting", "starting") else "unknown"
    whole = completed_with(list(there.values()), counts, missing)
    signs = [sign for app, report in run for sign in _signs(app, report, said[app.id], whole, place, texts.get(app.id))]
    why = (
        ()
        if phase in ("running", "succeeded") and not any(one.source == "containers" for one in signs)
        else reasons(ROWS, signs)
    )
    notes += [
        f"YARN does not say how {app.id} is to this user" for app, report in run if report.get("Diagnostics") == "N/A"
    ]
    for app, _ in run:
        attempt = _attempt(texts[app.id].out) if app.id in texts else 0
        if attempt > 1:
            notes.append(f"its application master was started again: all tasks are those of attempt {attempt}")
    others = len({app.id for app in _of_user(every) if _is_of(app, place)} - {app.id for app, _ in run})
    if others and not place.id:
        notes.append(f"YARN knows {others} more applications of this name; this is the latest run, --id names another")
    first = run[0][0]
    submission = _submission(first) or (first.id if _has_no_tags(place) else "")
    return Live(
        "yarn", place.name, "", first.id, phase, since, first.queue, None, None,
        whole, _with_log(why, whole, said), tuple(notes), submission,
    )  # fmt: skip


def _phase(app: _App, report: Mapping[str, str], containers: Answer | None) -> Phase:
    if app.phase == "waiting" and "AM container is launched" in report.get("Diagnostics", ""):
        return "starting"
    if app.phase == "running" and _tasks_of(containers) == 0:
        return "starting"
    return app.phase


def _together(phases: Sequence[Phase]) -> Phase:
    """The phase of a job by those of its applications."""
    order: tuple[Phase, ...] = ("running", "starting", "waiting", "unknown", "failed", "aborted")
    for phase in order:
        if phase in phases:
            return phase
    return "succeeded"


def _counts(place: Place) -> dict[str, int]:
    return {} if place.unit is None else {role.name: role.replicas for role in place.unit.job.roles}


def _counts_of(app: _App, place: Place) -> Mapping[str, int]:
    counts = _counts(place)
    role = app.name.removeprefix(f"{place.name}-")
    return {role: counts[role]} if app.name != place.name and role in counts else counts


def _tasks_of(containers: Answer | None) -> int | None:
    """How many run, without the application master's, whose number is 1; ``None`` if that is not known."""
    if containers is None or containers.status or not _TOTAL.search(containers.out):
        return None
    return len(_running_rows(containers))


def _running_rows(containers: Answer) -> list[list[str]]:
    return [row for row in _rows(containers.out) if row[3] == "RUNNING" and not row[0].endswith("_000001")]


def _running(app: _App, containers: Answer, counts: Mapping[str, int]) -> tuple[list[Replica], str]:
    """The replicas of an application that runs, if its containers are all there, or none; otherwise a note."""
    there, wanted = _tasks_of(containers), sum(counts.values())
    if there is None:
        return [], ""
    if wanted and (there >= wanted or not there):
        rows = _running_rows(containers)
        node = rows[0][4].partition(":")[0] if len(rows) == 1 else ""
        names = [(role, index) for role, count in counts.items() for index in range(count)]
        return [Replica(role, index, "running" if there else "waiting", node=node) for role, index in names], ""
    what = f"{there} of {wanted}" if wanted else f"{there}"
    return [], f"{what} containers of {app.id} run; which tasks are in them YARN does not say"


def _replicas(logs: Answer | None, said: str) -> Iterator[Replica]:
    """Those that have a log, with what they say of their own end and that of others."""
    words = [match["words"] for match in _VERDICT.finditer(said)]
    culprits = {(about["role"], int(about["index"])) for one in words if (about := _ABOUT.match(one))}
    killed = {match["id"] for match in _KILLED.finditer(said)}
    text = logs.out if logs is not None else ""
    heads = list(_CONTAINER.finditer(text))
    for head, after in zip_longest(heads, heads[1:]):
        own = text[head.end() : after.start() if after is not None else None]
        tasks = list(_OF_TASK.finditer(own))
        if not tasks:
            continue
        task = tasks[-1]
        status = next((int(exits["status"]) for one in reversed(tasks) if (exits := _EXITS.match(one["words"]))), None)
        role, index = task["role"], int(task["index"])
        now: ReplicaPhase = "succeeded" if status == 0 else "failed" if (role, index) in culprits else "stopped"
        end = None if now == "stopped" else End(status)  # it has the status of the one that has failed
        if head["id"] in killed:
            now, end = "failed", End(None, "out of memory")
        elif status is None and now == "failed":
            now = "lost"
        yield Replica(role, index, now, head["id"], head["node"].partition("_")[0], None, end, id=head["id"])


def _signs(
    app: _App,
    report: Mapping[str, str],
    said: str,
    replicas: Sequence[Replica],
    place: Place,
    containers: Answer | None,
) -> Iterator[Sign]:
    name, diagnostics = f"application/{app.id}", report.get("Diagnostics", "").removeprefix("N/A")
    tasks = {one.task: one for one in replicas}
    holders = {one.name: one for one in replicas if one.name}
    verdicts = dict.fromkeys((match["own"] or match["other"], match["words"]) for match in _VERDICT.finditer(said))
    culprits = {about["task"] for _, words in verdicts if (about := _ABOUT.match(words))}
    culprit = tasks.get(next(iter(culprits), "")) if len(culprits) == 1 else None
    for match in _KILLED.finditer(diagnostics):
        who = holders.get(match["id"], culprit)
        line = diagnostics[match.start() : match.start() + 400].partition("\n")[0]
        master = match["id"].endswith("_000001")
        yield Sign("master" if master else "memory", match["what"].lower(), line, name, who)
    for verdict, words in verdicts:
        about = _ABOUT.match(words)
        who = tasks.get(about["task"]) if about else None
        yield Sign("log", verdict, words, name, who)
    if not verdicts and app.phase == "failed":  # a job of one task has no coordinator
        for one in replicas:
            if one.end is not None and one.end.status:
                yield Sign("log", "fail", f"{one.task} exited with {one.end.status}", name, one)
    if app.state == "RUNNING":
        there, wanted = _tasks_of(containers), sum(_counts_of(app, place).values())
        if there is not None and there < wanted:
            yield Sign("containers", "fewer", f"{there} of {wanted}", name)
        return
    state = "ACCEPTED" if app.phase == "waiting" else app.final if app.state == "FINISHED" else app.state
    state = "DEADLINE" if state == "KILLED" and _is_late(report, place) else state
    yield Sign("report", state, diagnostics, name)


def _is_late(report: Mapping[str, str], place: Place) -> bool:
    """Whether the application was killed about when the job's deadline passed."""
    limit = place.unit.job.deadline if place.unit is not None else None
    begin, end = (int(report.get(name, "") or 0) for name in ("Start-Time", "Finish-Time"))
    return (
        limit is not None and begin > 0 and -60_000 <= end - begin - limit.ms <= 120_000 and end - begin > limit.ms / 2
    )


def _with_log(why: Sequence[Reason], replicas: Sequence[Replica], said: Mapping[str, str]) -> tuple[Reason, ...]:
    """The last lines of the first reason's task, from what was read anyway."""
    first = next(iter(why), None)
    holder = next((one for one in replicas if first is not None and one.task == first.task and one.name), None)
    if first is None or holder is None or first.event != "failed":
        return tuple(why)
    own = [
        part for text in said.values() for part in text.split("\nContainer: ") if part.startswith(f"{holder.name} on ")
    ]
    logs = [part.partition("\nLogType:")[2].partition("\nLogContents:\n") for part in own]
    for _, _, contents in sorted(logs):  # stderr before stdout
        log = contents.partition("\nEnd of LogType:")[0]
        lines = [line for line in log.splitlines() if line.strip() and not line.startswith("[tfjob ")]
        if lines:
            return (replace(first, log=tuple(map(cut, lines[-_LAST:]))), *why[1:])
    return tuple(why)


CLUSTER: Final = _Yarn()


# --- flows ---


class _Flows(ScriptFlows, _Yarn):
    """Flows: ``flow.sh`` stays until the end; the applications of a run have its tag."""

    TARGET = "yarn"
    rows: Sequence[Row] = (*flows.ROWS, *ROWS)

    def text(self, flow: FlowUnit) -> str:
        """The text of ``flow.sh``."""
        from tfdsl_backends.yarn.flows import LOWERING

        return str(LOWERING.generate(flow)[0].data)

    def more(self, place: Place, answers: Sequence[Answer]) -> list[Call]:
        """The applications of the run that ``flow.sh`` has told of."""
        run = flows.run_in(answers[0].out).removeprefix("flow/")
        if not run or len(answers) > 1 or _has_no_tags(place):
            return []
        return [_list("ALL", "the applications of the flow", flow_tag(place.name, run))]

    def unfinished(self, place: Place, told: Told, answers: Sequence[Answer], *, gone: bool) -> Replica:
        """A job whose submit.sh runs, or that has not begun."""
        apps = _of_flow_job(place, told.job, answers)
        name = name_in(place.name, told.job)
        if apps:
            return told.replica(_together([app.phase for app in apps]), name, apps[0].id)
        if gone:
            return told.replica("not run", "")
        return told.replica("starting", name) if told.why else told.replica("waiting", "")

    def ended(self, place: Place, job: Replica, answers: Sequence[Answer]) -> Replica:
        """With its application, if YARN still knows it."""
        apps = _of_flow_job(place, job.role, answers) if job.name else []
        killed = job.phase == "failed" and {app.phase for app in apps} == {"aborted"}
        return replace(job, id=apps[0].id, phase="aborted" if killed else job.phase) if apps else job

    def steps(self, place: Place, documents: Sequence[Document], folder: str, submission: str) -> list[Step]:
        """``flow.sh``, which stays until all jobs have ended."""
        call = Call(called(place, folder, "flow.sh"), f"flow {place.name}", stays=True)
        return [Step(call, f"flow/{place.name}", lambda answer: None, made=flows.run_in)]

    def parts(self, place: Place) -> list[Call]:
        """The runs whose ``flow.sh`` is running, and the applications of all runs that have not ended."""
        assert place.flow is not None
        run = ("--run", place.id) if place.id else ()
        calls = [self.script(place.flow, "the runs of the flow", "--active", *run)]
        tag = flow_tag(place.name, place.id)
        return calls if _has_no_tags(place) else [*calls, _list(_NOT_ENDED, "the applications of the flow", tag)]

    def found(self, place: Place, answers: Sequence[Answer]) -> list[Part]:
        """First what starts jobs, then the applications of this user."""
        assert place.flow is not None
        made = f"flow/{place.name}"
        found = [
            Part(
                f"flow/{run}", run, run, self.script(place.flow, f"flow/{run}", "--cancel", "--run", run), made_as=made
            )
            for run in answers[0].out.split()
            if re.fullmatch(STAMP, run)
        ]
        for app in _apps(answers[1:2]):
            what = f"application/{app.id}"
            if place.id or app.user == _user():
                end = Call(("yarn", "application", "-kill", app.id), what)
                found.append(Part(what, app.id, app.id, end, made_as=made))
        return found


def _of_flow_job(place: Place, job: str, answers: Sequence[Answer]) -> list[_App]:
    """The applications of a job in the list of those of the run."""
    assert place.flow is not None
    jobs = place.flow.by_name()
    names = _names(jobs[job].unit) if job in jobs else {name_in(place.name, job)}
    return [app for app in _apps(answers[1:2]) if app.name in names]


FLOWS: Final = _Flows()
