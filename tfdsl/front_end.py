"""What every front end does in the same way.

It reads a text or a job as JSON, finds a target by its name, takes the settings of the project, and compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tfdsl import pipeline, ready_job
from tfdsl.backend import Backend
from tfdsl.diagnostics import Diagnostic
from tfdsl.masking import Hidden, hidden_texts
from tfdsl.pipeline import Choice, Outcome
from tfdsl.ready_job import ReadyJob
from tfdsl.record import replace
from tfdsl.semantics.project import Program
from tfdsl.semantics.target_names import target_called
from tfdsl.semantics.target_options import unknown_version
from tfdsl.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.pipeline import Request
    from tfdsl.semantics.project import Reader
    from tfdsl.text import Source


Input: TypeAlias = Program | ReadyJob
"""What a command, an editor or a Python program gives to be compiled."""


def choice_of(text: str, place: Span) -> Choice | Diagnostic:
    """The target that ``volcano`` or ``volcano@1.9`` names, or why there is none. ``place``: where ``text`` is."""
    name, at, version = text.partition("@")
    backend = target_of(name, part(place, text, 0, len(name)))
    if not isinstance(backend, Backend) or not at:
        return Choice(backend) if isinstance(backend, Backend) else backend
    found = backend.find_version(version)
    if found is None:
        return unknown_version(part(place, text, len(name) + 1, len(text)), backend.name, version, backend.versions)
    return Choice(backend, found.shown)


def target_of(name: str, place: Span) -> Backend | Diagnostic:
    """The target called ``name``, or that there is none."""
    target = target_called(name, place)
    # A fix would edit a text, and the place may be a command line.
    return replace(target, fixes=()) if isinstance(target, Diagnostic) else target


def part(place: Span, text: str, start: int, end: int) -> Span:
    """The part of ``text`` from ``start`` to ``end``; the whole place where the text is not written as it is."""
    return Span(place.source, place.start + start, place.start + end) if place.text == text else place


def read(source: Source, reader: Reader) -> Input:
    """The program that ``source`` is the main text of, or the job that it holds as JSON."""
    return ready_job.read_json(source) if ready_job.is_json(source) else pipeline.load(source, reader)


def run(given: Input, request: Request, choices: Sequence[Choice] = ()) -> Outcome:
    """Check ``given``, and make its jobs for every target of ``choices``."""
    if isinstance(given, ReadyJob):
        return ready_job.run(given, request, choices)
    return pipeline.run(given, request, choices)


def compiled(given: Input, request: Request, choices: Sequence[Choice], *, strict: bool = False) -> Outcome:
    """The same as :func:`run`, as the user sees it: diagnostics settled, and nothing made when one is an error."""
    outcome = run(given, request, choices)
    diagnostics = settled([outcome], [given], strict=strict, paths=[path_of(given)])
    made = () if pipeline.has_errors(diagnostics) else outcome.made
    return Outcome(outcome.targets, made, tuple(diagnostics), outcome.conditions)


def settled(
    outcomes: Iterable[Outcome], inputs: Iterable[Input], *, strict: bool, paths: Iterable[str]
) -> list[Diagnostic]:
    """What is to be said about ``outcomes`` (:func:`tfdsl.pipeline.settle`); only texts have waivers."""
    programs = [one for one in inputs if isinstance(one, Program)]
    return pipeline.settle(outcomes, programs, strict=strict, paths=paths)


def profiles_of(given: Input) -> tuple[str, ...]:
    """The names of its profiles."""
    return () if isinstance(given, ReadyJob) else tuple(given.profiles)


def has_jobs(given: Input) -> bool:
    """Whether there is a job in it; a text without one is for others to include."""
    return isinstance(given, ReadyJob) or bool(given.jobs)


def path_of(given: Input) -> str:
    """The name that messages show for what was read."""
    return given.source.path if isinstance(given, ReadyJob) else given.files[0].source.path


def hidden_with(given: Input, hidden: Hidden) -> Hidden:
    """``hidden``, and the secrets of the files that ``env_file()`` has read for ``given`` so far."""
    secrets: set[str] = set() if isinstance(given, ReadyJob) else given.hidden
    return Hidden((*hidden.values, *hidden_texts(secrets).values), hidden.paths) if secrets else hidden


def in_project(request: Request, given: Input) -> tuple[Request, tuple[Diagnostic, ...]]:
    """``request`` with the levels that count for the main file of ``given``, and what is wrong with them."""
    if isinstance(given, ReadyJob):  # which lint is not asked about
        return request, ()
    from tfdsl.lint.settings import settings_for

    found = settings_for(given.files[0].source.origin)
    return (replace(request, levels=found.levels) if found.levels else request), found.problems
