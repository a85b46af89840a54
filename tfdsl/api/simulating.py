"""How a job ends when something happens to it, and which jobs a file makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfdsl.api.asking import argument, target_of
from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.diagnostics import Diagnostic, public
from tfdsl.api.errors import usage_error
from tfdsl.api.failing import compile_error
from tfdsl.api.loaded import Call, asked_of
from tfdsl.api.values import Value
from tfdsl.compiling.jobs import matrix_jobs
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.lifecycle.faults import Injected, parse
from tfdsl.lifecycle.scenario import Prediction
from tfdsl.simulating import OnTarget, simulated

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class Ending:
    """How a job ends.

    ``outcome``: ``succeeded``, ``failed``, ``aborted``, or ``None`` when it does not end. ``replaced``, ``in_place``:
    how often each replica (``worker[1]``) started again, in a new pod or where it was. ``left``: what is left of the
    replicas, by phase. ``unplayed``: what was injected and could not happen.
    """

    outcome: str | None
    cause: str
    retries: int
    replaced: dict[str, int]
    in_place: dict[str, int]
    left: dict[str, str]
    story: tuple[str, ...]
    unplayed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TargetEnding:
    """How a job ends on a target.

    ``differs``: in what this is not the language's meaning (``outcome``, ``restarts``, ``left``); ``diagnostics``: the
    messages that tell it.
    """

    target: str
    version: str
    ending: Ending
    differs: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """What becomes of ``job`` when ``inject`` happens: by the language, and on each target."""

    job: str
    inject: tuple[str, ...]
    language: Ending
    targets: tuple[TargetEnding, ...]


@dataclass(frozen=True, slots=True)
class MatrixJob:
    """A job of a file. ``block``: the name of its block, as written. ``index``: ``None`` without a matrix."""

    name: str
    block: str
    index: int | None
    values: dict[str, str | int | float | bool]


def simulate(
    source: Source | None = None,
    targets: str | Iterable[str] = (),
    inject: str | Iterable[str] | None = None,
    *,
    text: str | None = None,
    base: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
    name: str | None = None,
) -> tuple[Scenario, ...]:
    """Predict how a job ends when something happens to it; ``tfdsl simulate`` shows the same.

    ``targets``: one, several or none, as ``-t`` takes them; the language's own meaning is always there. ``inject``:
    what happens, as ``--inject`` takes it, all of it to one job; without it the usual faults are played one by one.
    ``options``: for one target alone. The other arguments are those of :func:`compile`.

    Raises:
        CompileError: The job has errors, a target refuses something, or there is no such replica.
        UsageError: There is no such target or version, or ``inject`` has another form.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    choices = [target_of(one) for one in ((targets,) if isinstance(targets, str) else targets)]
    if options and len(choices) != 1:
        raise TypeError("options= belongs to one target")
    faults = None if inject is None else _faults((inject,) if isinstance(inject, str) else tuple(inject))
    loaded = loaded_of(source, text, base, profile, params, params_file)
    asked = asked_of(loaded, Call(choices[0] if choices else None, options or {}, job, name))
    done = simulated(asked.given, asked.request, choices, faults, named=True)
    if not done.jobs:
        raise compile_error(f"cannot simulate {loaded.path}", asked.shown(done.diagnostics))
    return tuple(
        Scenario(
            one.name,
            tuple(fault.text for fault in played.faults),
            _ending(played.language, asked.hidden),
            tuple(_on_target(target, asked.hidden) for target in played.targets),
        )
        for one in done.jobs
        for played in one.scenarios
    )


def _faults(texts: Sequence[str]) -> tuple[Injected, ...] | None:
    faults: list[Injected] = []
    for text in texts:
        found = parse(text, argument("inject", text))
        if not isinstance(found, Injected):
            raise usage_error(found)
        faults.append(found)
    return tuple(faults)


def _on_target(one: OnTarget, hidden: Hidden) -> TargetEnding:
    return TargetEnding(one.target, one.version, _ending(one.prediction, hidden), one.differs, public(one.messages))


def _ending(prediction: Prediction, hidden: Hidden) -> Ending:
    return Ending(
        prediction.outcome,
        hide(prediction.cause, hidden),
        prediction.retries,
        {str(one.task): one.starts - 1 for one in prediction.replicas if one.starts > 1},
        {str(one.task): one.restarts for one in prediction.replicas if one.restarts},
        prediction.left(),
        prediction.story,
        prediction.unplayed,
    )


def matrix(
    source: Source | None = None,
    *,
    text: str | None = None,
    base: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    job: str | None = None,
) -> tuple[MatrixJob, ...]:
    """The jobs of a file, with the values of their matrix; nothing is compiled. Quantities and durations are texts.

    The arguments are those of :func:`compile`.

    Raises:
        CompileError: The text has errors in what names its jobs, or no such job.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    loaded = loaded_of(source, text, base, profile, params, params_file)
    asked = asked_of(loaded, Call(job=job))
    found = matrix_jobs(asked.given, asked.request)
    if found.diagnostics:
        raise compile_error(f"cannot list the jobs of {loaded.path}", asked.shown(found.diagnostics))
    return tuple(
        MatrixJob(one.name, one.block, one.index, {name: value.data for name, value in one.values.items()})
        for one in found.jobs
    )
