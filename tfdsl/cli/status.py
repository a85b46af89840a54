"""``tfdsl status``: how jobs are on their cluster, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic

from tfdsl.backend.cluster import Call, Live
from tfdsl.cli import clusters
from tfdsl.cli.arguments import TEXT_OR_JSON, Arguments, Command, Flag, Positional
from tfdsl.cli.clusters import OnCluster
from tfdsl.cli.report import ERRORS, OK, document, lines_for_people, refuse
from tfdsl.cli.streams import out
from tfdsl.compiling.masking import NOTHING
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.operating import showing
from tfdsl.operating.logs import with_log
from tfdsl.operating.runner import TIMED_OUT
from tfdsl.operating.session import Session
from tfdsl.operating.submitting import NO_JOB, left_over, no_job, shown

WATCH = Flag("--watch", "show it again and again until it has ended; on a pipe, what changes", short="-w")
WAIT = Flag("--wait", "wait until it has ended")

COMMAND = Command(
    "status",
    (Positional(clusters.WHICH.name, clusters.WHICH.doc, required=False),),
    (*clusters.OF_CLUSTERS, WATCH, WAIT, clusters.TIMEOUT, clusters.DRY_RUN, TEXT_OR_JSON),
    (
        "tfdsl status mnist.tfjob -t volcano",
        "tfdsl status volcano/mnist --watch",
        "tfdsl status -t slurm",
    ),
    "It says how each replica is and why the job waits or has failed, with the line of the file that it is about.\n"
    "Without a job: all jobs of the namespace or the user. It changes nothing.\n"
    "Exit status: 0 it was read, 1 it could not be read, 3 there is no such job, 124 the time of --timeout is over.\n"
    "With --wait: 0 the job succeeded, 1 it did not.",
)


def run(arguments: Arguments) -> int:
    """Read the jobs and show them."""
    watches = arguments.on(WATCH.name)
    if watches and arguments.text(TEXT_OR_JSON.name) == "json":
        what = "--watch cannot be used with --format json"
        refuse([BAD_ARGUMENT(arguments.line, what=what).help("--wait prints the document at the end")], arguments)
    if not arguments.rest:
        waits = [flag.name for flag in (WATCH, WAIT) if arguments.on(flag.name)]
        refuse([BAD_ARGUMENT(arguments.line, what=f"{name} needs a job") for name in waits[:1]], arguments)
        return _list(arguments)
    jobs = clusters.meant(arguments)
    with clusters.problems(arguments, jobs.hidden):
        if arguments.on(clusters.DRY_RUN.name):
            return _dry_run([call for one in jobs.sessions for call in one.cluster.reads(one.place)])
        if watches or arguments.on(WAIT.name):
            return watch(clusters.one_of(jobs, arguments), jobs, clusters.timeout_of(arguments), arguments)
        for session in jobs.sessions:
            _limit(session, clusters.timeout_of(arguments))
        states = [session.read() for session in jobs.sessions]
        pairs = zip(jobs.sessions, states, strict=True)
        lives = [with_log(session, live) for session, live in pairs if live is not None]
        if not lives:
            raise no_job(jobs.sessions[0], left_over(jobs.sessions[0]))
        _show(jobs, lives, arguments)
        missing = [session for session, live in zip(jobs.sessions, states, strict=True) if live is None]
        for session in missing:
            jobs.say(str(no_job(session)))
        return NO_JOB if missing else OK


def _limit(session: Session, timeout: float | None) -> None:
    """A single reading may take all of the time."""
    if timeout is not None:
        session.patience, session.until = timeout, monotonic() + timeout


def _show(jobs: OnCluster, lives: list[Live], arguments: Arguments) -> None:
    if arguments.text(TEXT_OR_JSON.name) == "json":
        out(document(showing.VERSION, {"jobs": [showing.data(live, jobs.hidden) for live in lives]}))
        return
    for number, live in enumerate(lives):
        out("\n" if number else "")
        out(lines_for_people(showing.lines(live), jobs.hidden))


def _dry_run(calls: Iterable[Call]) -> int:
    """Print how the jobs are read."""
    for call in calls:
        out(f"{shown(call)}\n")
    return OK


def watch(session: Session, jobs: OnCluster, timeout: float | None, arguments: Arguments) -> int:
    """Show the job until it has ended."""
    before: Live | None = None
    session.until = None if timeout is None else monotonic() + timeout
    watches = arguments.on(WATCH.name)
    for live in session.watch():
        if live is None:
            raise no_job(session)
        if watches and clusters.is_terminal():
            text = lines_for_people(showing.lines(live), jobs.hidden)
            out(f"\x1b[H\x1b[2J{text}" if before is None or text != _text(before, jobs) else "")
        elif watches:
            out(lines_for_people(showing.changes(before, live), jobs.hidden))
        before = live
    assert before is not None
    if not watches:
        _show(jobs, [with_log(session, before)], arguments)
    if not before.ended:
        return TIMED_OUT
    waits = arguments.on(WAIT.name) or arguments.command.name == "submit"
    return OK if before.phase == "succeeded" or not waits else ERRORS


def _text(live: Live, jobs: OnCluster) -> str:
    return lines_for_people(showing.lines(live), jobs.hidden)


def _list(arguments: Arguments) -> int:
    session = clusters.of_target(arguments)
    if arguments.on(clusters.DRY_RUN.name):
        return _dry_run(session.cluster.lists(session.place))
    with clusters.problems(arguments):
        _limit(session, clusters.timeout_of(arguments))
        jobs = session.list()
    if arguments.text(TEXT_OR_JSON.name) == "json":
        out(document(showing.VERSION, {"jobs": [showing.data(live) for live in jobs]}))
    else:
        out(lines_for_people(_table(list(jobs)), NOTHING) or "no jobs\n")
    return OK


def _table(jobs: list[Live]) -> Iterator[str]:
    rows = [showing.line(live) for live in jobs]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(len(rows[0]) if rows else 0)]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True) if width).rstrip()
