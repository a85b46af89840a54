"""Submit jobs, all or none; end them, and let them go on. What is deleted is ours, and is named by the cluster's id."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from time import monotonic, sleep
from typing import Final, TypeAlias

from tfdsl.backend.cluster import Answer, Call, Live, Part, Sign, Step, reasons
from tfdsl.compiling.output_files import is_stream, output_files
from tfdsl.compiling.pipeline import Output
from tfdsl.diagnostics.command_rules import CLUSTER_REFUSES, JOB_EXISTS, NO_JOB_THERE, NOT_OURS
from tfdsl.diagnostics.render.columns import visible
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.runner import TIMED_OUT
from tfdsl.operating.session import PAUSE, Session
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.writing import File, write_all

_TO_GO: Final = 300.0
"""Seconds in which what is deleted should be gone."""
_FIRST_PAUSE: Final = 0.1
_LONGEST_LINE: Final = 1 << 16


class Submitted(Record):
    """``made``: what there is now, and ``used``: what was there and is used."""

    made: tuple[str, ...]
    used: tuple[str, ...] = ()


_Making: TypeAlias = "tuple[Session, Step, str]"
"""A part of a submission, and the id of that, which no other job has."""


def submit(
    sessions: Sequence[Session],
    made: Sequence[Output],
    *,
    replaces: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> Submitted:
    """Submit the jobs of ``sessions``, which were compiled to ``made``, together: all or none.

    ``replaces``: what an earlier submission has made of the same names is deleted first, but no claims. ``tell``: what
    has become of it when it is interrupted.

    Raises:
        ProblemError: A job exists, or the cluster refuses something. What was made is gone again, or is named.
    """
    for session in sessions:
        live = session.read() if session.cluster.UNIQUE and not replaces else None
        if live is not None:
            raise _exists(session, live)
    try:
        folder = tempfile.TemporaryDirectory(prefix="tfdsl-")
    except OSError as error:
        raise _not_written(sessions[0], error.strerror or str(error)) from error
    with folder as name:
        failure = write_all(_files(made, name))
        if failure is not None:
            raise _not_written(sessions[0], failure.reason)
        return _submitted(sessions, name, tell, replaces=replaces)


def _not_written(session: Session, reason: str) -> ProblemError:
    what = f"cannot write the files of {session.name} for its client"
    return ProblemError(CLUSTER_REFUSES, "TMPDIR names the folder for them", what=what, reason=reason)


def _submitted(sessions: Sequence[Session], folder: str, tell: Callable[[str], None], *, replaces: bool) -> Submitted:
    steps = _all_steps(sessions, folder)
    staying = next((session for session in sessions if session.cluster.STAYS), None)
    if staying is not None and len(sessions) > 1:
        reason = "what submits a job stays until it has ended"
        advice = "choose one: --job NAME"
        raise ProblemError(CLUSTER_REFUSES, advice, what=f"cannot submit {len(sessions)} jobs at once", reason=reason)
    for session in sessions:
        calls = session.cluster.asks(session.place, session.documents, folder)
        for call, answer in zip(calls, session.ask(calls), strict=True):
            objection = session.cluster.objection(answer, replaces=replaces)
            if objection:
                problem = _refused(session, call, objection)
                left = left_over(session) if session.cluster.is_there(answer) else []
                raise problem.with_help(*problem.help, *_of_left(left)) from None
    for session in sessions:
        if replaces:
            _end(session, _in_the_way(session, _ALL_OR_NOTHING))
        elif not session.cluster.UNIQUE and session.place.flow is None:
            there = [part.what for part in _in_the_way(session, "nothing was submitted")]
            if there:
                names = ", ".join(there)
                tell(
                    f"{session.name} waits or runs already as {names}; this is another run: --replace ends those first"
                )
    return _made(steps, tell) if staying is None else _stayed(staying, steps[0][1], tell)


def _stayed(session: Session, step: Step, tell: Callable[[str], None]) -> Submitted:
    """Submit a job by what stays until it has ended, and itself says what it leaves when it is interrupted."""
    rest = bytearray()

    def hear(data: bytes) -> None:
        rest.extend(data)
        while (end := rest.find(b"\n")) >= 0 or len(rest) > _LONGEST_LINE:
            line = rest[: end if end >= 0 else _LONGEST_LINE]
            del rest[: len(line) + (end >= 0)]
            tell(line.decode("utf-8", "replace"))

    answer = session.listen(step.call, hear)
    if rest:
        hear(b"\n")
    made = step.made(answer.out)
    if answer.status == TIMED_OUT and session.is_over:
        raise session.refused(step.call, answer, "wait for the end of")
    if answer.status and not made:
        raise _refused(session, step.call, session.cluster.refusal(answer))
    return Submitted((made or step.what,))


def _all_steps(sessions: Sequence[Session], folder: str) -> list[_Making]:
    return [
        (session, step, submission)
        for session in sessions
        for submission in [os.urandom(8).hex()]
        for step in _steps(session, folder, submission)
    ]


def _files(jobs: Iterable[Output], folder: str) -> list[File]:
    """What a client reads from files; manifests are handed to it."""
    return [
        File(os.path.join(folder, *output.name.split("/")), output.written.text, output.executable, private=True)
        for made in jobs
        if not is_stream(made)
        for output in output_files(made)
    ]


def _steps(session: Session, folder: str, submission: str) -> Sequence[Step]:
    return session.cluster.steps(session.place, session.documents, folder, submission)


def _exists(session: Session, live: Live) -> ProblemError:
    advice = [f"tfdsl status {session.name} says how it is"]
    advice += ["--replace deletes it first"] if live.submission else ["give this one another name: --name NAME"]
    return ProblemError(JOB_EXISTS, *advice, name=live.name, phase=live.phase)


def _refused(session: Session, call: Call, words: str) -> ProblemError:
    """That the cluster refuses the job, in our words if there are some for it, with the line that it is about."""
    why = next(iter(reasons(session.cluster.rows, [Sign("refusal", "", words)])), None)
    if why is None:
        return ProblemError(CLUSTER_REFUSES, what=f"{session.name} is refused", reason=words)
    place = session.place_of(why)
    advice = [*([f"asked for at {':'.join(map(str, place.path_and_line))}"] if place else []), why.help]
    return ProblemError(CLUSTER_REFUSES, *filter(None, advice), what=f"{session.name} is refused", reason=why.sentence)


def _made(steps: Sequence[_Making], tell: Callable[[str], None]) -> Submitted:
    done: list[tuple[Session, Step, Answer]] = []
    used: list[str] = []
    unanswered: _Making | None = None
    try:
        for making in steps:
            session, step, _ = unanswered = making
            (answer,) = session.ask([step.call])
            if not answer.status:
                done.append((session, step, answer))
            elif step.stays_if_there and (session.cluster.is_there(answer) or _is_seen(session, step, tell)):
                used.append(step.what)
            else:
                if answer.status < TIMED_OUT and not _NO_ANSWER.search(answer.err):
                    unanswered = None
                raise _refused(session, step.call, session.cluster.refusal(answer))
            unanswered = None
    except BaseException as problem:
        left = list(_taken_back(done))
        may_be = _without_answer(*unanswered) if unanswered is not None else []
        advice = [f"delete it: {', '.join(left)} could not be deleted"] if left else []
        advice += [f"{name} was asked for and may be there: tfdsl status says whether it is" for name in may_be]
        if isinstance(problem, ProblemError):
            raise problem.with_help(*problem.help, *advice) from problem
        for line in advice or ["interrupted: what was made is deleted again"]:
            tell(line)
        raise
    return Submitted(tuple(step.made(answer.out) or step.what for _, step, answer in done), tuple(used))


def _is_seen(session: Session, step: Step, tell: Callable[[str], None]) -> bool:
    """Whether what could not be created is there, or may be, because this user may not look."""
    if step.looks is None:
        return False
    (answer,) = session.ask([step.looks])
    if answer.status and not session.cluster.is_gone(answer):
        tell(f"{step.what} can neither be created nor seen: it has to be there, created by somebody who may")
        return True
    return not answer.status


_NO_ANSWER: Final = regex(r"(?i:time(?:d |)out|deadline exceeded|connection|unable to connect|\bEOF\b)")
"""In what a client says if the server may have done it all the same."""


def _taken_back(done: Sequence[tuple[Session, Step, Answer]]) -> Iterator[str]:
    """Delete what was made, the last first; what could not be deleted."""
    for session, step, answer in reversed(done):
        if not _is_done(session, step.undo(answer.out)):
            yield step.what


def _is_done(session: Session, call: Call | None) -> bool:
    with suppress(ProblemError):
        return call is not None and not session.ask([call])[0].status
    return False


def _without_answer(session: Session, step: Step, submission: str) -> list[str]:
    """Delete what a call that was not answered has made after all; what may be there."""
    with suppress(ProblemError):
        for pause in (0, PAUSE):  # the server may still be at it
            sleep(pause)
            made = [part for part in _parts(session) if (part.submission, part.what) == (submission, step.what)]
            if made:
                return [part.what for part in made if part.stays or not _is_done(session, part.end)]
    return [step.what]


def _parts(session: Session, *advice: str) -> list[Part]:
    """All parts of all jobs.

    Raises:
        ProblemError: A list could not be read, so it is not known what is there.
    """
    calls = session.cluster.parts(session.place)
    answers = session.ask(calls)
    for call, answer in zip(calls, answers, strict=True):
        if answer.status and not (session.place.id and session.cluster.is_gone(answer)):
            problem = session.refused(call, answer)
            raise problem.with_help(*problem.help, *advice)
    return list(session.cluster.found(session.place, answers))


_ALL_OR_NOTHING: Final = "nothing is deleted if not all can be read that may belong to the job"


def _in_the_way(session: Session, advice: str) -> list[Part]:
    """What stands in the way of the job, with all that its submission has made; ``advice`` if that cannot be read."""
    names = {step.what for step in _steps(session, "", "") if not step.stays_if_there}
    parts = _parts(session, advice)
    there = [part for part in parts if (part.made_as or part.what) in names and not part.stays]
    foreign = next((part for part in there if not part.submission), None)
    if foreign is not None and session.cluster.UNIQUE:
        raise ProblemError(NOT_OURS, name=foreign.what, done="replaced")
    ids = {part.submission for part in there if part.submission}
    return [part for part in parts if part.submission in ids and not part.stays]


def _end(session: Session, parts: Sequence[Part]) -> None:
    """End ``parts``, and wait until they are gone."""
    for part in parts:
        (answer,) = session.ask([part.end])
        if answer.status and not session.cluster.is_gone(answer):
            raise session.refused(part.end, answer, "delete")
    gone, pause = {part.id for part in parts}, _FIRST_PAUSE
    until = monotonic() + _TO_GO
    names = ", ".join(part.what for part in parts)
    while gone and any(part.id in gone for part in _parts(session, f"{names} may still be there, but will go")):
        if monotonic() > until:
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
    """What the job's submission has made, or all runs that have not ended where several can have its name."""
    if not session.cluster.UNIQUE:
        runs = _parts(session, _ALL_OR_NOTHING)
        mine = [part for part in runs if part.submission]
        if not runs:
            what, how = f"cannot end {session.name}", f"tfdsl status {session.name} says how the last one has ended"
            problem = ProblemError(CLUSTER_REFUSES, how, what=what, reason="no run waits or runs")
            problem.status = NO_JOB
            raise problem
        if not mine:
            raise ProblemError(NOT_OURS, "use the cluster's own command", name=session.name, done="ended")
        return mine
    live = session.read()
    if live is not None and not live.submission:
        raise ProblemError(NOT_OURS, "use the cluster's own command", name=session.name, done="ended")
    parts = _parts(session, _ALL_OR_NOTHING)
    submission = live.submission if live is not None else _left_over(session, parts)
    mine = [part for part in parts if part.submission == submission]
    if not submission or all(part.stays for part in mine):
        raise no_job(session)
    names = _names(session)
    return [*mine, *(part for part in parts if part.stays and part.what in names and part not in mine)]


def _names(session: Session) -> set[str]:
    """What the file says that there is; nothing without one."""
    return {step.what for step in _steps(session, "", "")} if session.documents else set[str]()


def _left_over(session: Session, parts: Sequence[Part]) -> str:
    """The submission that was killed before it made the job itself."""
    names = _names(session)
    return next((part.submission for part in parts if part.what in names and not part.stays and part.submission), "")


def left_over(session: Session) -> list[str]:
    """What is there of a job of a file that was submitted, claims aside; nothing if that cannot be read."""
    with suppress(ProblemError):
        parts = _parts(session)
        submission = _left_over(session, parts)
        return [part.what for part in parts if submission and part.submission == submission and not part.stays]
    return []


def _of_left(left: Sequence[str]) -> list[str]:
    return [f"an earlier submission has left {', '.join(left)}: tfdsl cancel with the file deletes it"] if left else []


def resume(session: Session) -> None:
    """Let a suspended or aborted job go on.

    Raises:
        ProblemError: There is no such job, or it cannot go on.
    """
    live = session.read()
    if live is None:
        raise no_job(session)
    calls = session.cluster.parts(session.place)
    answers = session.ask(calls)
    if answers[0].status:
        raise session.refused(calls[0], answers[0])
    call = session.cluster.resumes(session.place, live, answers)
    if isinstance(call, str):
        raise ProblemError(CLUSTER_REFUSES, what=f"cannot resume {session.name}", reason=call)
    (answer,) = session.ask([call])
    if answer.status:
        raise session.refused(call, answer, "resume")


def _flows_there(session: Session) -> str:
    with suppress(ProblemError):
        return ", ".join(dict.fromkeys(one.name for one in session.list()))
    return ""


NO_JOB: Final = 3


def no_job(session: Session, left: Sequence[str] = ()) -> ProblemError:
    """That there is no such job; ``left``: of :func:`left_over`."""
    where = f" in namespace {session.place.namespace}" if session.place.namespace else ""
    advice, name = f"tfdsl status -t {session.backend.name} lists them", f"job {session.name}"
    if session.place.flow is not None:
        name = f"flow {session.place.name}"
        there = _flows_there(session)
        advice = f"there is {there}: a flow that was renamed is found by the name that it had" if there else ""
    advices = filter(None, [advice, *session.unread, *_of_left(left)])
    problem = ProblemError(NO_JOB_THERE, *advices, name=name, where=where)
    problem.status = NO_JOB
    return problem


def commands(session: Session, folder: str, *, replaces: bool) -> Iterator[str]:
    """The client's command lines of a submission, for a shell; ``replaces``: after those that delete an earlier one."""
    calls = [part.end for part in _in_the_way(session, _ALL_OR_NOTHING)] if replaces else []
    calls += [*session.cluster.asks(session.place, session.documents, folder)]
    calls += [step.call for _, step, _ in _all_steps([session], folder)]
    for call in calls:
        yield shown(call)


def shown(call: Call) -> str:
    """A command line as a POSIX shell takes it."""
    line = shlex.join(call.words)
    return for_shell(f"cd {shlex.quote(call.folder)} && {line}" if call.folder else line, call.stdin)


def for_shell(line: str, given: str = "") -> str:
    """A quoted command line that can be pasted, with ``given`` as its standard input; nothing commands a terminal."""
    line, end = _PIECE.sub(lambda piece: visible(piece[0]), line), "TFDSL"
    while end in given.splitlines():
        end += "_"
    return f"{line} <<'{end}'\n{given.rstrip()}\n{end}" if given else line


_PIECE: Final = regex(r"[^\n\t]+")
"""Line breaks and tabs are in quotes, and mean what they are."""
