"""What every front end reads in the same way: the name of a target, of a job, and the settings of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Backend
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.name_rules import UNKNOWN_JOB
from tfdsl.diagnostics.suggest import closest, listing
from tfdsl.pipeline import Choice
from tfdsl.record import replace
from tfdsl.semantics.target_names import target_called
from tfdsl.semantics.target_options import unknown_version
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.pipeline import Request
    from tfdsl.semantics.project import Program


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


def missing_job(program: Program, name: str, place: Span) -> Diagnostic | None:
    """That ``program`` has no job ``name``, which ``place`` asks for."""
    known = [job.name.text for job in program.jobs]
    if name in known:
        return None
    near = closest(name, known)
    advice = f"did you mean {near}?" if near else f"there are {listing(known)}" if known else ""
    error = UNKNOWN_JOB(place, name=name)
    return error.help(advice) if advice else error


def renamed(program: Program, job: str, name: str) -> Program:
    """``program`` with another name for one job; all that follows from the name follows from the new one."""
    jobs = (replace(one, name=replace(one.name, text=name)) if one.name.text == job else one for one in program.jobs)
    return replace(program, jobs=tuple(jobs))


def in_project(request: Request, program: Program) -> tuple[Request, tuple[Diagnostic, ...]]:
    """``request`` with the levels that count for the main file of ``program``, and what is wrong with them."""
    from tfdsl.lint.settings import settings_for

    found = settings_for(program.files[0].source.origin)
    return (replace(request, levels=found.levels) if found.levels else request), found.problems
