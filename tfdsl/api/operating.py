"""Jobs on their clusters: submitted, read, followed and ended, as the commands of the same names do."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Unpack

from tfdsl.api.calls import Compiling, Loaded, call_of, outcome, taking, target_of
from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.diagnostics import UsageError, compile_error
from tfdsl.backend import Backend
from tfdsl.backend.cluster import End, Live, LogOptions, Place, Reason, Replica
from tfdsl.compiling import pipeline
from tfdsl.compiling.pipeline import Output
from tfdsl.operating import submitting
from tfdsl.operating.flow_logs import show_logs
from tfdsl.operating.logs import with_log
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.session import Session, placed

__all__ = ["Cancelled", "ClusterError", "End", "Live", "OnCluster", "Reason", "Replica", "Submitted", "cancel", "logs"]
__all__ += ["resume", "status", "submit"]


class ClusterError(RuntimeError):
    """The cluster or its client refuses something, does not answer, or is not there. The command exits with 1 or 3.

    ``help``: what to do about it, if that is known.
    """

    __module__ = "tfdsl"

    def __init__(self, message: str, advice: tuple[str, ...] = ()) -> None:
        super().__init__(message, advice)
        self.help = advice

    def __str__(self) -> str:
        """What is wrong, in one line."""
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Submitted:
    """``made``: what there is now, as ``tfjob/mnist``; ``used``: claims that were there and are used."""

    made: tuple[str, ...]
    used: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cancelled:
    """``ended``: what was ended; ``stays``: what is kept, with its data."""

    ended: tuple[str, ...]
    stays: tuple[str, ...]


class OnCluster(Compiling, total=False):
    """Which job, and where. ``name``: without a source, of a job that is there."""

    namespace: str | None
    context: str | None
    kubeconfig: str | os.PathLike[str] | None
    id: str | None


_WHERE = ("namespace", "context", "kubeconfig", "id")


def _sessions(source: Source | None, target: str, given: OnCluster) -> tuple[list[Session], list[Output]]:
    """The jobs and flows that are meant, and what they were compiled to, if there is a source."""
    choice = target_of(target)
    context, kubeconfig = given.get("context"), given.get("kubeconfig")
    flags = [] if context is None else ["--context", context]
    flags += [] if kubeconfig is None else ["--kubeconfig", os.fspath(kubeconfig)]
    place = Place(given.get("name") or "", given.get("namespace") or "", given.get("id") or "", tuple(flags))
    if source is None and given.get("text") is None:
        if not place.name and not place.id:
            raise TypeError("give a source, or the name= of a job that is there")
        return [_session(choice.backend, place)], []
    rest: Compiling = {name: value for name, value in given.items() if name not in _WHERE}  # type: ignore[assignment]
    loaded: Loaded = loaded_of(source, rest)
    done = outcome(loaded, call_of(choice, rest))
    if pipeline.has_errors(done.diagnostics):
        raise compile_error(f"cannot compile {loaded.path} for {target}", done.diagnostics)
    sessions = [_session(choice.backend, placed(place, made), made) for made in done.outputs]
    return sessions, list(done.outputs)


def _session(backend: Backend, place: Place, made: Output | None = None) -> Session:
    try:
        return Session(backend, place, () if made is None else made.documents)
    except ProblemError as problem:
        raise _error(problem) from None


def _error(problem: ProblemError) -> ClusterError:
    return ClusterError(str(problem), problem.help)


def _only(source: Source | None, target: str, given: OnCluster) -> Session:
    sessions, _ = _sessions(source, target, given)
    if len(sessions) != 1:
        raise UsageError(f"the source has {len(sessions)} jobs: choose one with job=")
    return sessions[0]


@taking(OnCluster)
def submit(source: Source, target: str, *, replaces: bool = False, **given: Unpack[OnCluster]) -> Submitted:
    """Compile the jobs of ``source`` and submit them, all or none.

    ``replaces``: what tfdsl has submitted under the same names is deleted first, but no claims. ``context``,
    ``kubeconfig``: for kubectl; so is ``namespace``, for jobs that name none. The other arguments are those of
    :func:`compile`. On yarn it returns when the job has ended, well or not.

    Raises:
        CompileError: The job has errors, or the target refuses something.
        ClusterError: The job exists, the cluster refuses something, there is no client, or it is not kubectl.
            Nothing stays of it.
        UsageError: There is no such target or version.
    """
    sessions, made = _sessions(source, target, given)
    try:
        done = submitting.submit(sessions, made, replaces=replaces)
    except ProblemError as problem:
        raise _error(problem) from None
    return Submitted(done.made, done.used)


@taking(OnCluster)
def status(source: Source | None, target: str, **given: Unpack[OnCluster]) -> Live | None:
    """How a job is on its cluster and why, ``None`` if there is none. It changes nothing.

    ``source``: ``None`` with the ``name`` of a job that is there; then no lines are known.

    Raises:
        CompileError: The job has errors.
        ClusterError: The job cannot be read, or there is no client.
        UsageError: There is no such target, or the source has several jobs.
    """
    session = _only(source, target, given)
    try:
        live = session.read()
        return None if live is None else with_log(session, live)
    except ProblemError as problem:
        raise _error(problem) from None


@taking(OnCluster)
def logs(
    source: Source | None,
    target: str,
    tasks: Iterable[str] = (),
    *,
    tail: int | None = None,
    previous: bool = False,
    **given: Unpack[OnCluster],
) -> Mapping[str, bytes]:
    """What tasks have printed, byte for byte, by their names (``worker[1]``, ``worker[1]/fetch``).

    Those of a flow have the job before them (``train/worker[1]``). ``tasks``: only those, as the command takes them.
    ``tail``: only the last lines of each; without it, a log is read whole into memory. ``previous``: of the run before
    the last restart in place.

    Raises:
        ClusterError: There is no such job, or nothing of it can be read.
        UsageError: There is no such target, or the source has several jobs.
    """
    session = _only(source, target, given)
    found: dict[str, bytearray] = {}

    def show(name: str, data: bytes) -> None:
        found.setdefault(name, bytearray()).extend(data)

    def tell(_: str) -> None:
        """Nobody reads it."""

    try:
        live = session.read()
        if live is None:
            raise submitting.no_job(session)
        options = LogOptions(previous=previous, tail=tail)
        show_logs(session, live, tuple(tasks), options, show, tell)
    except ProblemError as problem:
        raise _error(problem) from None
    return {name: bytes(data) for name, data in found.items()}


@taking(OnCluster)
def cancel(source: Source | None, target: str, **given: Unpack[OnCluster]) -> Cancelled:
    """End a job that tfdsl has submitted, and wait until it is gone. Claims stay.

    Raises:
        ClusterError: There is no such job, it is not one of ours, or the cluster refuses it.
        UsageError: There is no such target, or the source has several jobs.
    """
    try:
        ended, stays = submitting.cancel(_only(source, target, given))
    except ProblemError as problem:
        raise _error(problem) from None
    return Cancelled(tuple(ended), tuple(stays))


@taking(OnCluster)
def resume(source: Source | None, target: str, **given: Unpack[OnCluster]) -> None:
    """Let a job go on that is suspended, held or was aborted.

    Raises:
        ClusterError: There is no such job, or it cannot go on.
        UsageError: There is no such target, or the source has several jobs.
    """
    try:
        submitting.resume(_only(source, target, given))
    except ProblemError as problem:
        raise _error(problem) from None
