"""``tfdsl logs``: what the tasks of a job print."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import monotonic

from tfdsl.backend.cluster import LogOptions
from tfdsl.cli import clusters
from tfdsl.cli.arguments import Arguments, Command, Flag, Positional
from tfdsl.cli.clusters import OnCluster
from tfdsl.cli.report import ERRORS, OK, refuse
from tfdsl.cli.streams import out, takes_colour
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.operating.flow_logs import names, show_logs
from tfdsl.operating.logs import with_log
from tfdsl.operating.runner import TIMED_OUT
from tfdsl.operating.session import Session
from tfdsl.operating.submitting import no_job
from tfdsl.running.screen import Lines, Screen

FOLLOW = Flag("--follow", "go on until the job has ended, through restarts", short="-f")
PREVIOUS = Flag("--previous", "of the run before the last restart in place", short="-p")
SINCE = Flag("--since", "only what was printed in this time: 10m", value="DURATION")
TAIL = Flag("--tail", "only the last lines of each task", value="N")

COMMAND = Command(
    "logs",
    (
        clusters.WHICH,
        Positional(
            "TASK",
            "a role, a replica or a step: ps, worker[1], worker[1]/fetch; of a flow also a job: train, train/worker[1]",
            required=False,
            many=True,
        ),
    ),
    (*clusters.OF_CLUSTERS, FOLLOW, PREVIOUS, SINCE, TAIL, clusters.TIMEOUT),
    (
        "tfdsl logs mnist.tfjob -t volcano",
        "tfdsl logs volcano/mnist 'worker[1]' --tail 20",
        "tfdsl logs volcano/mnist --follow",
    ),
    "Each line is behind its task, as tfdsl run prints it. With one task and without a terminal, the bytes are\n"
    "printed as they are, secrets too. Exit status: 0 something was shown, 1 not; with --follow: 0 the job succeeded,\n"
    "1 it did not; 3 there is no such job, 124 the time of --timeout is over.",
)  # fmt: skip


def run(arguments: Arguments) -> int:
    """Show the logs."""
    options = _options(arguments)
    timeout = clusters.timeout_of(arguments)
    jobs = clusters.meant(arguments)
    session = clusters.one_of(jobs, arguments)
    with clusters.problems(arguments, jobs.hidden):
        return follow(session, jobs, timeout, [one.text for one in arguments.rest[1:]], options)


def _options(arguments: Arguments) -> LogOptions:
    tail, since = arguments.value(TAIL.name), arguments.value(SINCE.name)
    if tail is not None and not (tail.text.isdecimal() and tail.text.isascii() and len(tail.text) < 10):
        refuse([BAD_ARGUMENT(tail.span, what=f"--tail needs a number of lines, not {tail.text}")], arguments)
    follows, previous = arguments.on(FOLLOW.name), arguments.on(PREVIOUS.name)
    if follows and previous:
        refuse([BAD_ARGUMENT(arguments.line, what="--previous cannot be used with --follow")], arguments)
    seconds = None if since is None else max(round(clusters.duration(SINCE.name, since, arguments)), 1)
    return LogOptions(follows, previous, seconds, None if tail is None else int(tail.text))


class _Shown:
    """Shows what programs print; ``raw``: as it is."""

    def __init__(self, names: list[str], *, raw: bool) -> None:
        self._raw = raw
        self._names = set(names)
        self._colour = takes_colour(sys.stdout)
        self._screen = Screen(names, out, out, colour=self._colour)
        self._lines: dict[str, Lines] = {}

    def show(self, name: str, data: bytes) -> None:
        """Show bytes of a program."""
        if self._raw:
            out(data)
            return
        if name not in self._names:  # a step that was not there before
            self._names.add(name)
            self._screen = Screen(sorted(self._names), out, out, colour=self._colour)
        self._screen.lines(name, self._lines.setdefault(name, Lines()).feed(data))

    def end(self) -> None:
        """Show what is left of lines that did not end."""
        for name, lines in self._lines.items():
            self._screen.lines(name, lines.end())


def follow(
    session: Session,
    jobs: OnCluster,
    timeout: float | None,
    wanted: Sequence[str] = (),
    options: LogOptions = LogOptions(follow=True),  # noqa: B008  (a record)
) -> int:
    """Show the logs of a job; returns the exit status."""
    session.until = None if timeout is None else monotonic() + timeout
    live = session.read_again()
    if live is None:
        raise no_job(session)
    tasks = names(session, live, wanted, options)
    shown = _Shown(tasks, raw=not clusters.is_terminal() and len(tasks) == 1)
    try:
        end = show_logs(session, live, wanted, options, shown.show, jobs.say)
    finally:
        shown.end()
    if not options.follow:
        return OK
    if not end.ended:
        return TIMED_OUT
    what = "job"
    if session.place.flow is not None:
        what, end = "flow", with_log(session, end)
    jobs.say(f"{what} {end.name}: {end.phase}" + (f": {end.reasons[0].sentence}" if end.reasons else ""))
    return OK if end.phase == "succeeded" else ERRORS
