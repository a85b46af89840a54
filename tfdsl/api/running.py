"""Running jobs on this machine, as ``tfdsl run`` does."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from tfdsl.api.calls import Call, ReadingJob, argument, asked_of, taking
from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.diagnostics import Diagnostics, UsageError, compile_error, public
from tfdsl.compiling.front_end import Ready
from tfdsl.compiling.jobs import plain_flows
from tfdsl.compiling.masking import hide, masked
from tfdsl.compiling.pipeline import has_errors
from tfdsl.diagnostics import Diagnostic as Said
from tfdsl.record import replace
from tfdsl.running.local_job import LocalJob, Loop
from tfdsl.running.mounts import Given, MountOptions, given_mount
from tfdsl.running.preparing import OF_IMAGES, Prepared, Settings, devices, scaled
from tfdsl.running.screen import Result, Screen, last_words, shown_line
from tfdsl.vocabulary.quantities import Duration

if TYPE_CHECKING:
    from tfdsl.compiling.masking import Hidden


@dataclass(frozen=True, slots=True)
class ReplicaRun:
    """How one replica has ended.

    ``phase``: ``succeeded``, ``failed``, ``gone`` if it was stopped, ``lost``, or ``waiting`` if it never began.
    ``status``: the exit status of its command, 128 + N after signal N; ``None`` if it did not end by itself.
    ``starts``, ``restarts``: how often it was started from scratch, and again in place.
    """

    phase: str
    status: int | None
    starts: int
    restarts: int


@dataclass(frozen=True, slots=True)
class JobRun:
    """How one job has run here.

    ``outcome``: ``succeeded``, ``failed`` or ``aborted``. ``seconds``: how long it ran. ``replicas``: by name, such as
    ``worker[1]``. ``last``: the last lines of the replica that is the cause. ``diagnostics``: the warnings and notes,
    among them what of the job is not done here.
    """

    job: str
    outcome: str
    cause: str
    seconds: float
    replicas: dict[str, ReplicaRun]
    last: tuple[str, ...]
    diagnostics: Diagnostics

    @property
    def succeeded(self) -> bool:
        """Whether the job has completed."""
        return self.outcome == "succeeded"


class Running(ReadingJob, total=False):
    """The arguments of :func:`run` beside what is run."""

    mounts: Mapping[str, str | os.PathLike[str]] | None
    env: Mapping[str, str] | None
    scale: Mapping[str, int] | None
    timeout: str | Duration | None


@taking(Running)
def run(
    source: Source | None = None,
    *,
    cpu: bool = False,
    show: bool = False,
    **given: Unpack[Running],
) -> tuple[JobRun, ...]:
    """Run jobs as processes of this machine, one after the other, and wait until they have ended.

    Each replica gets a port, its variables and its mounts; what happens to it is what the policies of the job say.
    Nothing is printed unless ``show`` is true. Ctrl-C stops the processes and is a ``KeyboardInterrupt`` then; a second
    one kills them. Flows are for ``tfdsl run``.

    Args:
        source: What :func:`compile` takes: a file, a program or a job made in Python.
        cpu: Hide the GPUs of this machine.
        show: Print what the tasks write and how the jobs have ended, as the command does.
        text: A text instead of a file.
        base: The folder from which the includes of ``text`` are found; without it, it can have none.
        profile: Take the params of this profile.
        params: Values for params, over the profile.
        params_file: A file of ``NAME = VALUE`` lines, over the profile and below ``params``.
        job: Run only the job of this name, or all jobs of its matrix.
        mounts: Folders of this machine by the path at which tasks see them.
        env: Variables beside those of this process.
        scale: Numbers of replicas by role; 0 leaves a role out.
        timeout: Fail what still runs after this time, such as ``"10m"``.

    Raises:
        CompileError: The job has errors, or cannot run here.
        UsageError: It is a flow, ``timeout`` is not a duration, or this is not the main thread, which signals go to.
        FileNotFoundError: There is no such file; another ``OSError`` when a process cannot be started.
    """
    if threading.current_thread() is not threading.main_thread():
        raise UsageError("run() works in the main thread only, because it listens to signals")
    loaded = loaded_of(source, given, Running)
    asked = asked_of(loaded, Call(job=given.get("job")))
    scale = given.get("scale") or {}
    levels = {slug: level for slug, level in asked.request.levels.items() if slug not in OF_IMAGES}
    found = plain_flows(asked.given, replace(asked.request, scale=scale, levels=levels))
    if found.flows and not has_errors(found.diagnostics):
        raise UsageError("run() runs jobs, and the file has a flow: name one of its jobs with job=")
    said = [*asked.problems, *(one for one in found.diagnostics if one.rule.slug not in OF_IMAGES)]
    jobs = [*found.beside]
    if isinstance(asked.given, Ready):  # of which no text says how many replicas it has
        jobs = [replace(one, job=scaled(one.job, scale)) for one in jobs]
    mounts = _mounts(given.get("mounts") or {}, said)
    settings = Settings(os.environ | (given.get("env") or {}), cpu=cpu, mounts=mounts)
    prepared = [Prepared(plain, settings, devices(os.environ)) for plain in jobs]
    said += [one for each in prepared for one in each.diagnostics]
    shown = list(masked(said, asked.hidden))
    if has_errors(shown):
        raise compile_error(f"cannot run {loaded.path}", shown)
    return _Runs(prepared, asked.hidden, shown, show=show).run(_limit(given.get("timeout")))


def _mounts(mounts: Mapping[str, str | os.PathLike[str]], said: list[Said]) -> MountOptions:
    named = {at: os.fspath(path) for at, path in mounts.items()}
    read = [given_mount(f"{at}={path}", argument(f'mounts["{at}"]', path), [at]) for at, path in named.items()]
    said += [one for one in read if not isinstance(one, Given)]
    return MountOptions({one.at: one for one in read if isinstance(one, Given)})


def _limit(timeout: str | Duration | None) -> Duration | None:
    if timeout is None or isinstance(timeout, Duration):
        return timeout
    try:
        return Duration(timeout)
    except ValueError:
        raise UsageError(f'timeout must be a duration such as "10m", not {timeout}') from None


class _Runs:
    """The jobs of one call, on their way."""

    def __init__(self, prepared: list[Prepared], hidden: Hidden, said: list[Said], *, show: bool) -> None:
        self._waiting = deque(prepared)
        self._hidden = hidden
        self._diagnostics = public(said)
        self._show = show
        self._jobs: dict[str, LocalJob] = {}
        self._results: list[Result] = []
        self._loop = Loop(lambda text: self._tell(f"{text}\n"))

    def run(self, limit: Duration | None) -> tuple[JobRun, ...]:
        left = len(self._waiting)
        self._loop.run(self._next, self._results.append, 1, {"timeout": limit})
        self._tell(last_words(self._results, left - len(self._results)))
        if self._loop.ended_by is not None:
            signal.raise_signal(self._loop.ended_by)  # Ctrl-C is a KeyboardInterrupt, as ever
        return tuple(map(self._ended, self._results))

    def _next(self) -> LocalJob | None:
        if not self._waiting:
            return None
        prepared = self._waiting.popleft()
        screen = Screen(prepared.names(), self._write, self._tell)
        self._jobs[prepared.job.name] = job = prepared.begin(screen, self._loop, self._loop.timers)
        return job

    def _write(self, text: str) -> None:
        if self._show:
            sys.stdout.write(text)

    def _tell(self, text: str) -> None:
        if self._show:
            sys.stderr.write(text)

    def _ended(self, result: Result) -> JobRun:
        replicas = {
            str(task): ReplicaRun(one.phase, one.status, one.starts, one.restarts)
            for task, one in self._jobs[result.job].machine.state.replicas.items()
        }
        cause = hide(result.cause, self._hidden)
        last = tuple(map(shown_line, result.last))
        return JobRun(result.job, result.outcome, cause, result.seconds, replicas, last, self._diagnostics)
