"""A job on Slurm: what squeue says of it and its steps, and what its script has written into the folder of the run.

What the queue has forgotten, sacct knows, if the site keeps accounts: with the same fields but for restarts.

``submit.sh`` gives each run a folder of its own, in which the script logs: ``StdOut`` of the job leads to it. So a job
is ours if its log is in such a folder, and nothing else has to be remembered.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

from tfdsl.backend import Document
from tfdsl.backend.cluster import (
    ENDED,
    Answer,
    Call,
    End,
    Live,
    LogOptions,
    Part,
    Phase,
    Place,
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
from tfdsl.rules.flows import name_in
from tfdsl_backends.scripts import operating as flows
from tfdsl_backends.scripts.operating import STAMP, ScriptFlows, Told, called
from tfdsl_backends.slurm.reasons import ROWS

_FIELDS: Final = {
    "id": "JobID:16",
    "whole": "HetJobID:16",
    "offset": "HetJobOffset:8",
    "name": "Name:128",
    "state": "State:20",
    "reason": "Reason:200",
    "restarts": "RestartCnt:8",
    "partition": "Partition:64",
    "submitted": "SubmitTime:24",
    "started": "StartTime:24",
    "ended": "EndTime:24",
    "log": "StdOut:1024",
}
_ACCOUNT: Final = {
    "number": "JobID",
    "id": "JobIDRaw",
    "name": "JobName",
    "state": "State",
    "reason": "Reason",
    "partition": "Partition",
    "submitted": "Submit",
    "started": "Start",
    "ended": "End",
    "exit": "ExitCode",
    "memory": "MaxRSS",
    "line": "SubmitLine",
}
"""What sacct is asked for, of jobs and steps; the last can have any characters."""
_REMEMBERED: Final = "now-30days"
_NO_TIME: Final = ("", "N/A", "Unknown", "None")
_PHASES: Final[dict[str, Phase]] = {
    "PENDING": "waiting",
    "CONFIGURING": "starting",
    "RUNNING": "running",
    "COMPLETING": "running",
    "STAGE_OUT": "running",
    "SIGNALING": "running",
    "STOPPED": "suspended",
    "SUSPENDED": "suspended",
    "REQUEUED": "restarting",
    "REQUEUE_FED": "restarting",
    "COMPLETED": "succeeded",
    "CANCELLED": "aborted",
    **dict.fromkeys(
        ("FAILED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "DEADLINE"), "failed"
    ),
}
_HELD: Final = ("JobHeldUser", "job requeued in held state", "launch failed requeued held", "JobHeldAdmin")
_RUN: Final = re.compile(rf"(?P<run>/.*/(?P<name>[a-z0-9-]+)-{STAMP})/job\.log")
_SAID: Final = re.compile(r"\d\d:\d\d:\d\d \[[a-z0-9-]+\] (?P<words>.*)")
_ENDED: Final = re.compile(
    r"(?P<role>[a-z]+)-(?P<index>\d{1,6}) (?:exited (?P<status>\d{1,3})|(?P<word>completed|was lost))\b"
)
_STEP: Final = re.compile(r"[0-9.+]+\|(?P<role>[a-z]+)-(?P<index>\d{1,6})\|(?P<node>[^|]*)\|")
_REPLICA: Final = re.compile(r"(?P<role>[a-z]+)-(?P<index>\d{1,6})")
_OUTPUT: Final = re.compile(r"--output=(?P<log>/.+?/job\.log) ")
_NUMBERED: Final = re.compile(r"(?P<whole>\d{1,12})(?:\+(?P<offset>\d{1,4}))?(?P<step>\.\w{1,12})?")
_EXIT: Final = re.compile(r"(?P<status>\d{1,3}):(?P<signal>\d{1,3})")
_KILLED: Final = "task 0: Out Of Memory"
"""What srun says if the kernel has ended a program of its step."""
_NO_PORTS: Final = "sock_bind_listen_range: all ports in range"
"""What srun says if the site gives it ports (``SrunPortRange``) and all are in use; its step never begins then."""
_OUT_OF_MEMORY: Final = "OUT_OF_MEMORY"
_KILLED_STATUSES: Final = (75, 128 + 9)
_LOG: Final = re.compile(r"(?P<role>[a-z]+)-(?P<index>\d{1,6})\.log")
_SUBMITTED: Final = re.compile(r": submitted as (?P<id>\d+); logs in ")
_TOLD: Final = re.compile(r"^\[tfjob\] [a-z]+-\d{1,6}: (.*)$", re.MULTILINE)
"""What the script of a replica says before it runs the command, or instead."""
_ALL_READ: Final = 4
_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_LINES: Final = "5000"


class _Slurm:
    """The ``cluster`` of Slurm."""

    INSTALL: Final = "run this where Slurm's commands are, as on a login node of the cluster"
    UNIQUE: Final = False
    STAYS: Final = False
    ID: tuple[str, re.Pattern[str]] = "a number", _NUMBER
    OPTIONS: Final = "sbatch"
    rows: Sequence[Row] = ROWS

    # --- reading ---

    def reads(self, place: Place) -> list[Call]:
        """All runs of the job that Slurm still knows, or the one with a number."""
        which = ("--job", place.id) if place.id else ("--me", "--name", place.name)
        return [_squeue("--states=all", *which)]

    def more(self, place: Place, answers: Sequence[Answer]) -> list[Call]:
        """Its steps, or what the accounting knows if the queue does not; and the end of what its script has logged."""
        job, asked = _latest(_jobs(answers[0], place.name)), len(answers)
        if job is None and asked == 1:
            return [_sacct(place)]
        is_past = job is None
        job = job or _latest(_accounted(answers[1], place.name))
        if job is None or asked > _ALL_READ:
            return []
        if asked == _ALL_READ:
            return _last_words(job, answers[2])
        if is_past:
            return _files(job) if asked == 2 else []
        components = [one["id"] for one in _rows(answers[0]) if one["whole"] == job["id"]]
        ids = ",".join(components or [job["id"]])
        steps = Call(
            ("squeue", "--noheader", "--steps", "--job", ids, "--format=%i|%j|%N|%M"), "steps", is_whole=_is_whole
        )
        return [steps, *_files(job)] if asked == 1 else []

    def live(self, place: Place, answers: Sequence[Answer]) -> Live | None:
        """The latest run of the name."""
        steps, log, files = (answers[at] if at < len(answers) else Answer(0, "", "") for at in (1, 2, 3))
        jobs, past = _jobs(answers[0], place.name), list[dict[str, str]]()
        if not jobs:
            jobs, past = _accounted(steps, place.name), _accounts(steps)
        job = _latest(jobs)
        if job is None:
            return None
        said, cause = _words(log.out)
        told = _TOLD.findall(answers[_ALL_READ].out) if len(answers) > _ALL_READ else []
        live = _live(job, said)
        run = _RUN.fullmatch(job["log"])
        counts: dict[str, int] = (
            {} if place.unit is None else {role.name: role.replicas for role in place.unit.job.roles}
        )
        folder = run["run"] if run else ""
        unread = any(answer.status for answer in answers[1:])
        mine = [one for one in past if one["whole"] == job["whole"] and one["step"]]
        there = _replicas("" if past else steps.out, said, folder, files.out, mine)
        waits = live.phase in ("waiting", "suspended")
        replicas = completed_with(there, counts, "unknown" if unread else "waiting" if waits else "absent")
        others = len({one["id"] for one in jobs}) - 1
        notes = (f"Slurm knows {others} more of this name; this is the latest, --id names another",) if others else ()
        is_well = live.phase in ("running", "succeeded")
        signs = [] if is_well else _signs(job, said, live, replicas, mine, told, cause)
        return Live(
            "slurm", live.name, "", live.id, live.phase, live.since, live.queue, live.restarts, None,
            replicas, reasons(ROWS, signs), notes, live.submission,
        )  # fmt: skip

    def lists(self, place: Place) -> list[Call]:
        """All jobs of the user."""
        return [_squeue("--states=all", "--me")]

    def listed(self, place: Place, answers: Sequence[Answer]) -> list[Live]:
        """Those that ``submit.sh`` has submitted, and the others."""
        return [_live(job, []) for job in _jobs(answers[0])]

    # --- submitting ---

    def asks(self, place: Place, documents: Sequence[Document], folder: str) -> list[Call]:
        """``sbatch --test-only``."""
        return [Call(called(place, folder, "submit.sh", "--test-only"), "Slurm")]

    def steps(self, place: Place, documents: Sequence[Document], folder: str, submission: str) -> list[Step]:
        """``submit.sh``, which gives the run its folder."""

        def made(answer: str) -> str:
            match = _SUBMITTED.search(answer)
            return f"job/{match['id']}" if match else ""

        def undo(answer: str) -> Call | None:
            return Call(("scancel", made(answer).partition("/")[2]), made(answer)) if made(answer) else None

        call = Call(called(place, folder, "submit.sh"), f"job {place.name}")
        return [Step(call, f"job/{place.name}", undo, made=made)]

    def objection(self, answer: Answer, *, replaces: bool) -> str:
        """What sbatch complains of."""
        return self.refusal(answer) if answer.status else ""

    def refusal(self, answer: Answer) -> str:
        """The lines of Slurm's commands that are errors."""
        lines = [line.strip() for line in answer.err.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line] or lines[-1:]
        return cut(" ".join(errors)) or f"the command ended with status {answer.status}"

    def is_there(self, answer: Answer) -> bool:
        """Names are not unique."""
        return False

    def is_gone(self, answer: Answer) -> bool:
        """Whether Slurm does not know the job any more."""
        return "Invalid job id" in answer.err

    def log(self, place: Place, live: Live, replica: Replica, container: str, options: LogOptions) -> Call | str | None:
        """The file of the replica, in which all its attempts are."""
        if not replica.name or options.previous or options.since is not None:
            return None
        lines = "+1" if options.tail is None else str(options.tail)
        follow = ("-F",) if options.follow else ()
        return Call(
            ("tail", "-n", lines, *follow, "--", replica.name), f"the log of {replica.task}", stays=options.follow
        )

    # --- ending ---

    def parts(self, place: Place) -> list[Call]:
        """The jobs of the user that have not ended, or the one with the number, whoever's it is."""
        return [_squeue(*(("--job", place.id) if place.id else ("--me",)))]

    def found(self, place: Place, answers: Sequence[Answer]) -> list[Part]:
        """Those of the name, or the one with the number."""
        return [
            Part(what, job["id"], _submission(job), Call(("scancel", job["id"]), what), made_as=f"job/{job['name']}")
            for job in _jobs(answers[0], place.name)
            for what in [f"job/{job['id']}"]
        ]

    def resumes(self, place: Place, live: Live, answers: Sequence[Answer]) -> Call | str:
        """``scontrol release``."""
        if not any(part.id == live.id and part.submission for part in self.found(place, answers)):
            return f"job {live.name} was not submitted by tfdsl and this user"
        if live.phase not in ("aborted", "suspended"):
            return f"job {live.name} is {live.phase}, not held"
        return Call(("scontrol", "release", live.id), "the job")


def _squeue(*which: str) -> Call:
    fields = ",".join(f"{field}|" for field in _FIELDS.values())
    return Call(("squeue", "--noheader", *which, f"--Format={fields}"), "jobs", is_whole=_is_whole)


def _is_whole(out: str) -> bool:
    """Whether an answer does not end within a row."""
    return out.endswith("\n") or not out


def _rows(answer: Answer) -> list[dict[str, str]]:
    """The jobs of an answer, and the components of those that have several."""
    rows = [[cell.strip() for cell in line.split("|")[:-1]] for line in answer.out.splitlines()]
    jobs = [dict(zip(_FIELDS, row, strict=True)) for row in rows if len(row) == len(_FIELDS)]
    return [job for job in jobs if _NUMBER.fullmatch(job["id"])]


def _jobs(answer: Answer, name: str = "") -> list[dict[str, str]]:
    """The jobs of an answer, if they are called ``name``; of one with components, the first."""
    return [job for job in _rows(answer) if job["offset"] in ("0", "N/A") and name in ("", job["name"])]


def _latest(jobs: Sequence[dict[str, str]]) -> dict[str, str] | None:
    return max(jobs, key=lambda job: int(job["id"]), default=None)


def _sacct(place: Place) -> Call:
    which = (f"--job={place.id}",) if place.id else (f"--uid={os.getuid()}", f"--name={place.name}")
    since = () if place.id else (f"--starttime={_REMEMBERED}",)
    fields = ",".join(_ACCOUNT.values())
    about = "Slurm's accounting, without which a job is forgotten some minutes after its end,"
    return Call(("sacct", "--noheader", "--parsable2", *which, *since, f"--format={fields}"), about, is_whole=_is_whole)


def _accounts(answer: Answer) -> list[dict[str, str]]:
    """The jobs and steps of an answer of sacct, with ``whole``, ``offset`` and ``log`` as squeue names them."""
    found: list[dict[str, str]] = []
    for line in answer.out.splitlines():
        cells = line.split("|", len(_ACCOUNT) - 1)
        one = dict(zip(_ACCOUNT, cells, strict=False))
        number = _NUMBERED.fullmatch(cells[0])
        if number is None or len(cells) < len(_ACCOUNT):
            continue
        log = _OUTPUT.search(one["line"])
        more = {"log": log["log"].replace("%%", "%") if log else "", "restarts": ""}
        found.append({**one, **number.groupdict(""), **more, "state": one["state"].partition(" ")[0]})
    return found


def _accounted(answer: Answer, name: str) -> list[dict[str, str]]:
    """The jobs of the name in an answer of sacct; of one with components, the first."""
    return [
        one
        for one in _accounts(answer)
        if not one["step"] and one["offset"] in ("", "0") and one["name"] == name and _NUMBER.fullmatch(one["id"])
    ]


def _time(told: str) -> str:
    """A time of Slurm's, if it is one."""
    return "" if told in _NO_TIME else told


def _files(job: dict[str, str]) -> list[Call]:
    run = _RUN.fullmatch(job["log"])
    has_run = bool(_time(job["started"])) if job["state"] != "PENDING" else job["restarts"] != "0"
    if run is None or not has_run:  # nothing is there yet
        return []
    return [
        Call(("tail", "-n", _LINES, "--", job["log"]), "the log of the job"),
        Call(("ls", "--", run["run"]), "the folder of the run"),
    ]


def _last_words(job: dict[str, str], log: Answer) -> list[Call]:
    """How the log of the replica is read that the script of a failed job has named last."""
    said, _ = _words(log.out)
    match, run = _ENDED.match(said[-1] if said else ""), _RUN.fullmatch(job["log"])
    if match is None or run is None or _live(job, said).phase != "failed":
        return []
    role, index = match.group("role", "index")
    return [Call(("tail", "-n", "3", "--", f"{run['run']}/{role}-{index}.log"), f"the log of {role}[{index}]")]


def _words(log: str) -> tuple[list[str], str]:
    """What the script has said, and the first cause that srun has named since replicas were last started."""
    said: list[str] = []
    cause = ""
    for line in log.splitlines():
        match = _SAID.fullmatch(line.strip())
        if match is not None:
            said.append(match["words"])
            cause = "" if line.endswith("retries used)") else cause
        elif _KILLED in line or _NO_PORTS in line:
            cause = cause or line
    return said, cause


def _submission(job: dict[str, str]) -> str:
    run = _RUN.fullmatch(job["log"])
    return run["run"].rpartition("/")[2] if run is not None and run["name"] == job["name"] else ""


def _live(job: dict[str, str], said: Sequence[str]) -> Live:
    phase = _PHASES.get(job["state"], "unknown")
    if phase == "waiting" and job["reason"] in _HELD:
        phase = "aborted" if any("lets it go on" in words for words in said[-1:]) else "suspended"
    ended = phase in ENDED and job["state"] != "PENDING"
    times = [job["ended"] if ended else "", job["started"] if phase == "running" else ""]
    since = next(filter(_time, times), job["submitted"])
    restarts = int(job["restarts"]) if _NUMBER.fullmatch(job["restarts"]) else None
    return Live(
        "slurm", job["name"], "", job["id"], phase, since, job["partition"], restarts, submission=_submission(job)
    )


def _replicas(steps: str, said: Sequence[str], run: str, files: str, past: Sequence[dict[str, str]]) -> list[Replica]:
    """Those that have a step, or a log among ``files``, with what the script has said of them, or the accounting."""
    stepped = _step_ends(past)
    ends = {key: end for key, end in stepped.items() if end is not None}
    starts: dict[tuple[str, int], int] = {}
    for words in said:
        match = _ENDED.match(words)
        if match is not None:
            key = match["role"], int(match["index"])
            status = 0 if match["word"] == "completed" else int(match["status"]) if match["status"] else None
            last = ends.get(key)
            if last is None or last.status != status or not words.endswith("used)"):
                ends[key] = End(status, "lost" if match["word"] == "was lost" else "")
            starts[key] = starts.get(key, 0) + words.endswith("retries used)")
    nodes = {(one["role"], int(one["index"])): one["node"] for line in steps.splitlines() if (one := _STEP.match(line))}
    logs = [(one["role"], int(one["index"])) for name in files.splitlines() if (one := _LOG.fullmatch(name))]
    found: list[Replica] = []
    for role, index in dict.fromkeys([*nodes, *ends, *stepped, *logs]):
        end, here = ends.get((role, index)), nodes.get((role, index), "")
        now: ReplicaPhase = "stopped" if end is None else "succeeded" if end.status == 0 else "failed"
        now = "running" if here else "lost" if end is not None and end.why == "lost" else now
        log = f"{run}/{role}-{index}.log" if run else ""
        found.append(Replica(role, index, now, log, here, starts.get((role, index), 0), end, id=run))
    return found


def _step_ends(past: Sequence[dict[str, str]]) -> dict[tuple[str, int], End | None]:
    """How the last step of each replica has ended for the accounting; ``None``: it was ended with the job."""
    found: dict[tuple[str, int], End | None] = {}
    for step in past:
        replica, code = _REPLICA.fullmatch(step["name"]), _EXIT.fullmatch(step["exit"])
        if replica is None:
            continue
        status, signal = (int(code["status"]), int(code["signal"])) if code is not None else (0, 15)
        signal = status if status in (9, 15) else signal  # Slurm keeps 137 and 143 so
        end = End(128 + signal if signal else status, at=_time(step["ended"]))
        if step["state"] == _OUT_OF_MEMORY:
            end = End(128 + 9, _OUT_OF_MEMORY, step["ended"])
        is_stopped = step["state"] == "CANCELLED" or signal == 15
        found[replica["role"], int(replica["index"])] = None if is_stopped else end
    return found


def _signs(
    job: dict[str, str],
    said: Sequence[str],
    live: Live,
    replicas: Sequence[Replica],
    past: Sequence[dict[str, str]],
    told: Sequence[str],
    cause: str,
) -> list[Sign]:
    name, words = f"job/{job['id']}", said[-1] if said else ""
    match = _ENDED.match(words)
    who = next((one for one in replicas if match and words.startswith(f"{one.role}-{one.index} ")), None)
    reason, _, _ = job["reason"].partition(",")
    if job["state"] == "PENDING":
        last = [Sign("log", "held", words, name, who)] if live.phase == "aborted" else []
        return [*last, Sign("pending", reason, job["reason"], name, at=_time(job["started"]))]
    state = Sign("state", f"{job['state']}/{reason}", "", name)
    if live.phase != "failed":
        return [state]
    if _NO_PORTS in cause:
        return [Sign("log", "ports", cause, name), state]
    if words and told and who is not None:
        return [Sign("log", "prepared", told[-1], name, who), state]
    if words:
        by_kernel = cause and who is not None and who.end is not None and who.end.status in _KILLED_STATUSES
        return [Sign("log", "killed" if by_kernel else "ended", words, name, who), state]
    failed = {f"{one.role}-{one.index}": one for one in replicas if one.end is not None and one.end.status}
    return [
        *(
            Sign(
                "step",
                "killed" if step["state"] == _OUT_OF_MEMORY else "ended",
                f"{step['name']} exited {one.end.status} (MaxRSS {step['memory'] or 'unknown'})",
                f"step/{step['number']}",
                one,
                at=_time(step["ended"]),
            )
            for step in past
            for one in [failed.get(step["name"])]
            if one is not None and one.end is not None
        ),
        state,
    ]


CLUSTER: Final = _Slurm()


# --- flows ---

_OF_FLOW: Final = re.compile(
    rf"(?P<id>\d+)(?:\+\d+)? (?P<state>[A-Z_]+) tfdsl-flow:(?P<flow>[a-z0-9-]+):(?P<run>{STAMP})"
)
"""A job in the answer of squeue, known by the comment that ``flow.sh`` has given it."""


class _Flows(ScriptFlows, _Slurm):
    """Flows, all of whose jobs are submitted at once."""

    TARGET = "slurm"
    rows: Sequence[Row] = (*flows.ROWS, *ROWS)

    def text(self, flow: FlowUnit) -> str:
        """The text of ``flow.sh``."""
        from tfdsl_backends.slurm.flows import LOWERING

        return str(LOWERING.generate(flow)[0].data)

    def unfinished(self, place: Place, told: Told, answers: Sequence[Answer], *, gone: bool) -> Replica:
        """A job that Slurm still has."""
        phase = _PHASES.get(told.why, "unknown")
        return told.replica("waiting" if phase == "unknown" else phase, name_in(place.name, told.job))

    def lists(self, place: Place) -> list[Call]:
        """The jobs of the user that have not ended, with their comments."""
        return self.parts(place)

    def listed(self, place: Place, answers: Sequence[Answer]) -> list[Live]:
        """Their flows."""
        return [Live("slurm", match["flow"], "", match["run"]) for match in _of_flows(answers[0])]

    def asks(self, place: Place, documents: Sequence[Document], folder: str) -> list[Call]:
        """``sbatch --test-only`` for each job."""
        assert place.flow is not None
        jobs = [Place(f"{place.name}/{job.run.job}", options=place.options) for job in place.flow.jobs]
        return [
            Call(called(job, folder, "submit.sh", "--test-only"), f"job {job.name.rpartition('/')[2]}") for job in jobs
        ]

    def steps(self, place: Place, documents: Sequence[Document], folder: str, submission: str) -> list[Step]:
        """``flow.sh``, which submits all jobs or none."""

        def undo(answer: str) -> Call | None:
            numbers = re.findall(r" is job (\d+);", answer)
            return Call(("scancel", *reversed(numbers)), flows.run_in(answer)) if numbers else None

        call = Call(called(place, folder, "flow.sh"), f"flow {place.name}")
        return [Step(call, f"flow/{place.name}", undo, made=flows.run_in)]

    def refusal(self, answer: Answer) -> str:
        """What sbatch complains of, else what ``flow.sh`` says."""
        errors = [line for line in answer.err.splitlines() if "error" in line]
        return super().refusal(answer) if errors else cut(answer.err) or super().refusal(answer)

    def parts(self, place: Place) -> list[Call]:
        """The jobs of the user that have not ended, with their comments."""
        return [Call(("squeue", "--me", "--noheader", "--format=%i %T %k"), "jobs", is_whole=_is_whole)]

    def found(self, place: Place, answers: Sequence[Answer]) -> list[Part]:
        """Those of the flow, the last first: one that comes after any end of another must not start when that ends."""
        jobs = {
            int(match["id"]): match["run"]
            for match in _of_flows(answers[0])
            if match["flow"] == place.name and place.id in ("", match["run"])
        }
        return [
            Part(f"job/{number}", str(number), jobs[number], Call(("scancel", str(number)), f"job/{number}"),
                 made_as=f"flow/{place.name}")
            for number in sorted(jobs, reverse=True)
        ]  # fmt: skip


def _of_flows(answer: Answer) -> list[re.Match[str]]:
    return [match for line in answer.out.splitlines() if (match := _OF_FLOW.fullmatch(line.strip()))]


FLOWS: Final = _Flows()
