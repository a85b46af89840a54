"""Submit jobs, all or none; end them, and let them go on. What is deleted is ours, and is named by the cluster's id."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from time import monotonic, sleep
from typing import Final

from tfdsl.backend import Unit
from tfdsl.backend.cluster import Answer, Call, Live, Part, Sign, Step, reasons
from tfdsl.compiling.output_files import is_stream, output_files
from tfdsl.compiling.pipeline import Made
from tfdsl.diagnostics.command_rules import CLUSTER_REFUSES, JOB_EXISTS, NO_JOB_THERE, NOT_OURS
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.session import PAUSE, Session, place_of
from tfdsl.record import Record
from tfdsl.writing import File, write_all

_TO_GO: Final = 300.0
"""Seconds in which what is deleted should be gone."""
_FIRST_PAUSE: Final = 0.1


class Submitted(Record):
    """``id``: of the submission. ``made``: what there is now, and ``used``: what was there and is used."""

    id: str
    made: tuple[str, ...]
    used: tuple[str, ...] = ()


def new_id() -> str:
    """An id for a submission that no other has."""
    return os.urandom(8).hex()


def submit(sessions: Sequence[Session], made: Sequence[Made], *, replaces: bool = False) -> Submitted:
    """Submit the jobs of ``sessions``, which were compiled to ``made``, together: all or none.

    ``replaces``: what an earlier submission has made of the same names is deleted first, but no claims.

    Raises:
        ProblemError: A job exists, or the cluster refuses something. What was made is gone again, or is named.
        OSError: The files that a client reads cannot be written.
    """
    for session in sessions:
        live = session.read() if session.cluster.UNIQUE and not replaces else None
        if live is not None:
            raise _exists(session, live)
    with tempfile.TemporaryDirectory(prefix="tfdsl-") as folder:
        _write_files(made, folder)
        return _submitted(sessions, folder, replaces=replaces)


def _submitted(sessions: Sequence[Session], folder: str, *, replaces: bool) -> Submitted:
    submission = new_id()
    steps = [(session, step) for session in sessions for step in _steps(session, folder, submission)]
    for session in sessions:
        calls = session.cluster.asks(session.place, _unit(session), session.documents, folder)
        for call, answer in zip(calls, session.ask(calls), strict=True):
            objection = session.cluster.objection(answer, replaces=replaces)
            if objection:
                raise _refused(session, call, objection)
    if replaces:
        for session in sessions:
            _make_room(session, {step.what for other, step in steps if other is session and not step.stays_if_there})
    return _made(submission, steps)


def _write_files(jobs: Iterable[Made], folder: str) -> None:
    """Write what a client reads from files; manifests are handed to it."""
    files = [
        File(os.path.join(folder, *output.name.split("/")), output.written.text, output.executable, private=True)
        for made in jobs
        if not is_stream(made)
        for output in output_files(made)
    ]
    failure = write_all(files)
    if failure is not None:
        raise OSError(f"cannot write {failure.path}: {failure.reason}")


def _unit(session: Session) -> Unit:
    assert session.place.unit is not None
    return session.place.unit


def _steps(session: Session, folder: str, submission: str) -> Sequence[Step]:
    return session.cluster.steps(session.place, _unit(session), session.documents, folder, submission)


def _exists(session: Session, live: Live) -> ProblemError:
    advice = [f"tfdsl status {session.name} says how it is"]
    advice += ["--replace deletes it first"] if live.submission else ["give this one another name: --name NAME"]
    return ProblemError(JOB_EXISTS, *advice, name=live.name, phase=live.phase)


def _refused(session: Session, call: Call, words: str) -> ProblemError:
    """That the cluster refuses the job, in our words if there are some for it, with the line that it is about."""
    why = next(iter(reasons(session.cluster.rows, [Sign("refusal", "", words)])), None)
    if why is None:
        return ProblemError(CLUSTER_REFUSES, what=f"{session.name} is refused", reason=words)
    place = place_of(why, _unit(session))
    advice = [*([f"asked for at {':'.join(map(str, place.path_and_line))}"] if place else []), why.help]
    return ProblemError(CLUSTER_REFUSES, *filter(None, advice), what=f"{session.name} is refused", reason=why.sentence)


def _made(submission: str, steps: Sequence[tuple[Session, Step]]) -> Submitted:
    done: list[tuple[Session, Step, Answer]] = []
    used: list[str] = []
    try:
        for session, step in steps:
            (answer,) = session.ask([step.call])
            if not answer.status:
                done.append((session, step, answer))
            elif step.stays_if_there and session.cluster.is_there(answer):
                used.append(step.what)
            else:
                raise _refused(session, step.call, session.cluster.refusal(answer))
    except (ProblemError, KeyboardInterrupt) as problem:
        left = list(_taken_back(done))
        if isinstance(problem, KeyboardInterrupt):
            raise
        advice = [*problem.help, *([f"delete it: {', '.join(left)} could not be deleted"] if left else [])]
        raise problem.with_help(*advice) from problem
    return Submitted(submission, tuple(step.made(answer.out) or step.what for _, step, answer in done), tuple(used))


def _taken_back(done: Sequence[tuple[Session, Step, Answer]]) -> Iterator[str]:
    """Delete what was made, the last first; what could not be deleted."""
    for session, step, answer in reversed(done):
        call = step.undo(answer.out)
        failed = True
        with suppress(ProblemError):
            failed = call is None or bool(session.ask([call])[0].status)
        if failed:
            yield step.what


def _parts(session: Session) -> list[Part]:
    calls = session.cluster.parts(session.place)
    answers = session.ask(calls)
    if answers[0].status:
        raise session.refused(calls[0], answers[0])
    return list(session.cluster.found(session.place, answers))


def _make_room(session: Session, names: set[str]) -> None:
    """Delete what stands in the way, with all that its submission has made."""
    parts = _parts(session)
    there = [part for part in parts if (part.made_as or part.what) in names and not part.stays]
    foreign = next((part for part in there if not part.submission), None)
    if foreign is not None:
        raise ProblemError(NOT_OURS, name=foreign.what, done="replaced")
    ids = {part.submission for part in there}
    _end(session, [part for part in parts if part.submission in ids and not part.stays])


def _end(session: Session, parts: Sequence[Part]) -> None:
    """End ``parts``, and wait until they are gone."""
    for part in parts:
        (answer,) = session.ask([part.end])
        if answer.status and not session.cluster.is_gone(answer):
            raise session.refused(part.end, answer, "delete")
    gone, pause = {part.id for part in parts}, _FIRST_PAUSE
    until = monotonic() + _TO_GO
    while gone and any(part.id in gone for part in _parts(session)):
        if monotonic() > until:
            names = ", ".join(part.what for part in parts)
            raise ProblemError(CLUSTER_REFUSES, what=f"cannot end {session.name}", reason=f"{names} is still there")
        sleep(pause)
        pause = min(2 * pause, PAUSE)


def cancel(session: Session) -> tuple[list[str], list[str]]:
    """End the job; returns what was ended, and what stays.

    Raises:
        ProblemError: There is no such job, it is not ours, or the cluster refuses it.
    """
    parts = _mine(session)
    ended = [part for part in parts if not part.stays]
    _end(session, ended)
    return [part.what for part in ended], [part.what for part in parts if part.stays]


def ending(session: Session) -> list[Call]:
    """The command lines by which :func:`cancel` ends the job."""
    return [part.end for part in _mine(session) if not part.stays]


def _mine(session: Session) -> list[Part]:
    """What the job's submission has made."""
    live = session.read()
    if live is not None and not live.submission:
        raise ProblemError(NOT_OURS, "use the cluster's own command", name=session.name, done="ended")
    parts = _parts(session)
    submission = live.submission if live is not None else _left_over(session, parts)
    if not submission:
        raise no_job(session)
    names = _names(session)
    return [part for part in parts if part.submission == submission or (part.stays and part.what in names)]


def _names(session: Session) -> set[str]:
    """What the file says that there is; nothing without one."""
    return {step.what for step in _steps(session, "", "")} if session.place.unit is not None else set[str]()


def _left_over(session: Session, parts: Sequence[Part]) -> str:
    """The submission that was killed before it made the job itself."""
    names = _names(session)
    return next((part.submission for part in parts if part.what in names and not part.stays and part.submission), "")


def resume(session: Session) -> None:
    """Let a suspended or aborted job go on.

    Raises:
        ProblemError: There is no such job, or it cannot go on.
    """
    live = session.read()
    if live is None:
        raise no_job(session)
    calls = session.cluster.parts(session.place)
    call = session.cluster.resumes(session.place, live, session.ask(calls))
    if isinstance(call, str):
        raise ProblemError(CLUSTER_REFUSES, what=f"cannot resume {session.name}", reason=call)
    (answer,) = session.ask([call])
    if answer.status:
        raise session.refused(call, answer, "resume")


def no_job(session: Session) -> ProblemError:
    """That there is no such job."""
    where = f" in namespace {session.place.namespace}" if session.place.namespace else ""
    advice = f"tfdsl status -t {session.backend.name} lists them"
    problem = ProblemError(NO_JOB_THERE, advice, name=session.name, where=where)
    problem.status = 3
    return problem


def commands(session: Session, folder: str) -> Iterator[str]:
    """The client's command lines of a submission, for a shell."""
    calls = [*session.cluster.asks(session.place, _unit(session), session.documents, folder)]
    calls += [step.call for step in _steps(session, folder, new_id())]
    for call in calls:
        yield shown(call)


def shown(call: Call) -> str:
    """A command line as a POSIX shell takes it."""
    line = shlex.join(call.words)
    line = f"cd {shlex.quote(call.folder)} && {line}" if call.folder else line
    return f"{line} <<'TFDSL'\n{call.stdin.rstrip()}\nTFDSL" if call.stdin else line
