"""``tfdsl submit``: compile jobs and submit them to their cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import monotonic

from tfdsl.cli import clusters, selection as chosen
from tfdsl.cli.arguments import FILE, Arguments, Command, Flag, Positional
from tfdsl.cli.clusters import OnCluster
from tfdsl.cli.report import OK, refuse
from tfdsl.cli.status import WAIT
from tfdsl.cli.streams import err, out
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.operating.submitting import commands, for_shell, submit
from tfdsl.record import replace
from tfdsl.source_files import STDIN

FOLLOW = Flag("--follow", "print what the tasks print, until the job has ended", short="-f")
REPLACE = Flag("--replace", "delete an earlier job of the name first, if tfdsl submitted it; claims stay")

COMMAND = Command(
    "submit",
    (
        FILE,
        Positional(
            "OPTION",
            "behind --: options of the program that submits, as --reservation=today",
            required=False,
            many=True,
        ),
    ),
    (
        *clusters.OF_CLUSTERS,
        chosen.STRICT,
        WAIT,
        FOLLOW,
        clusters.TIMEOUT,
        REPLACE,
        clusters.DRY_RUN,
    ),
    (
        "tfdsl submit mnist.tfjob -t tfjob",
        "tfdsl submit mnist.tfjob -t volcano --replace --follow",
        "tfdsl submit mnist.tfjob -t slurm --wait -- --reservation=today",
        "tfdsl submit mnist.tfjob -t jobset --dry-run",
    ),
    "All objects of the jobs are created, or none. The client of the cluster does the talking, with its own\n"
    "configuration. Ctrl-C while waiting leaves the job running.\n"
    "Exit status: 0 submitted, 1 errors in the file or the cluster refuses it. With --wait or --follow: 0 the job\n"
    "succeeded, 1 it did not, 3 it is gone, 124 the time of --timeout is over.",
)


def run(arguments: Arguments) -> int:
    """Submit the jobs of the file."""
    timeout = clusters.timeout_of(arguments)
    jobs = clusters.meant(arguments, strict=arguments.on(chosen.STRICT.name), quiet=False)
    stays = any(session.cluster.STAYS for session in jobs.sessions)
    waits = stays or arguments.on(WAIT.name) or arguments.on(FOLLOW.name)
    if waits:
        session = clusters.one_of(jobs, arguments)
        session.until = monotonic() + timeout if stays and timeout is not None else None
    if arguments.on(clusters.DRY_RUN.name):
        return _print(jobs, arguments)
    if stays:
        status, _, cancel = clusters.next_commands(jobs.sessions[0], arguments)
        what = "job has" if jobs.sessions[0].place.flow is None else "last job has"
        jobs.say(f"submitting, and staying until the {what} ended; elsewhere: {status}, {cancel}")
    with clusters.problems(arguments, jobs.hidden):
        done = submit(jobs.sessions, jobs.made, replaces=arguments.on(REPLACE.name), tell=jobs.say)
    jobs.say(f"submitted {', '.join(done.made)}", out)
    if done.used:
        jobs.say(f"used as it is: {', '.join(done.used)}", out)
    for session in () if stays else jobs.sessions:
        for command in clusters.next_commands(session, arguments):
            jobs.say(f"  {command}", out)
    return _wait(jobs, arguments, timeout, done.made) if waits else OK


def _print(jobs: OnCluster, arguments: Arguments) -> int:
    """Print the command lines; files that the client reads are compiled first, into a folder called as the first job.

    What would be replaced is read for it.
    """
    folder = jobs.sessions[0].place.name
    while os.path.lexists(folder) and not os.path.isdir(folder):
        folder += "-"
    if jobs.sessions[0].backend.output == "files":
        out(f"{_compilation(jobs, arguments, folder)}\n")
    for session in jobs.sessions:
        with clusters.problems(arguments, jobs.hidden):
            for line in commands(session, folder, replaces=arguments.on(REPLACE.name)):
                out(f"{line}\n")
    return OK


def _compilation(jobs: OnCluster, arguments: Arguments, folder: str) -> str:
    """The command line that compiles the jobs into ``folder``, with the file itself if it cannot be read again."""
    file, source = arguments.rest[0], jobs.made[0].source
    once = chosen.read_once(arguments)
    what = "--dry-run prints a command line, which cannot read {} again"
    errors = [BAD_ARGUMENT(one.span, what=what.format(one.text)) for one in once if one is not file]
    refuse([error.help("write the values to a file") for error in errors], arguments, hidden=jobs.hidden)
    is_piped = bool(once) and source is not None
    arguments.rest[:] = [file._replace(text=STDIN) if is_piped else file]
    line = chosen.again(arguments, "compile", "-o", folder)
    return for_shell(line, source.text if source is not None and is_piped else "")


def _wait(jobs: OnCluster, arguments: Arguments, timeout: float | None, made: Sequence[str]) -> int:
    session = jobs.sessions[0]
    session.has_answered = True
    run = made[-1].rpartition("/")[2]  # of a flow what it needs comes first
    if not session.cluster.UNIQUE and run != session.place.name:  # another run of the name may come
        session.place = replace(session.place, id=run)
    try:
        with clusters.problems(arguments, jobs.hidden):
            if arguments.on(FOLLOW.name):
                from tfdsl.cli.logs import follow

                return follow(session, jobs, timeout)
            from tfdsl.cli.status import watch

            return watch(session, jobs, timeout, arguments)
    except KeyboardInterrupt:
        jobs.say(f"the job goes on: {clusters.next_commands(session, arguments)[0]}", err)
        raise
