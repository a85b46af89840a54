"""A text with its params and its profile, and what the compiler makes of it for a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import pipeline
from tfdsl.api.asking import argument, options_of, params_of, secrets_in
from tfdsl.api.errors import UsageError
from tfdsl.api.reading import source_of
from tfdsl.inputs import Inputs
from tfdsl.masking import Hidden, masked
from tfdsl.pipeline import Outcome
from tfdsl.record import Record, replace
from tfdsl.request import in_project, missing_job, renamed

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from tfdsl.api.values import Value
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.ir.model import Job
    from tfdsl.pipeline import Choice, Request
    from tfdsl.semantics.project import Program


class Loaded(Record):
    """What was read. ``problems``: of the project's settings. ``hidden``: the secrets among the params."""

    program: Program
    request: Request
    problems: tuple[Diagnostic, ...]
    hidden: Hidden

    @property
    def path(self) -> str:
        """The name that messages show for the text."""
        return self.program.files[0].source.path


class Call(Record):
    """What one call asks for. ``choice``: the target, if it needs one. ``name``: instead of the job's own."""

    choice: Choice | None = None
    options: Mapping[str, Value] = {}
    job: str | None = None
    name: str | None = None
    strict: bool = False


def load_text(
    path: str | os.PathLike[str] | None,
    text: str | None,
    base: str | os.PathLike[str] | None,
    profile: str | None,
    params: Mapping[str, Value] | None,
) -> Loaded:
    """Read a text and what it includes.

    The levels of lint rules are those of the project that the file, or ``base``, belongs to; a text without ``base``
    belongs to none.
    """
    source = source_of(path, text, base)
    program = pipeline.load(source, Inputs(source))
    request = pipeline.Request(profile, params_of(params or {}))
    problems: tuple[Diagnostic, ...] = ()
    if source.origin is not None:
        request, problems = in_project(request, program)
    return Loaded(program, request, problems, secrets_in(params or {}))


def outcome(loaded: Loaded, call: Call) -> Outcome:
    """What the compiler makes of ``loaded`` for ``call``, without secrets in its messages.

    Raises:
        UsageError: A new name is given for one of several jobs.
    """
    asked = _asked(loaded, call)
    done = pipeline.compile_program(asked.program, asked.request, asked.choices, strict=call.strict)
    diagnostics = asked.shown(done.diagnostics)
    return replace(done, made=() if pipeline.has_errors(diagnostics) else done.made, diagnostics=diagnostics)


def jobs_of(loaded: Loaded, call: Call) -> tuple[tuple[Job, ...], tuple[Diagnostic, ...]]:
    """The jobs of ``loaded`` for a target, none when the text has errors, and its diagnostics."""
    asked = _asked(loaded, call)
    program, choices = asked.program, asked.choices
    checked = pipeline.check(program, asked.request, choices)
    said = Outcome(tuple(one.backend for one in choices), (), (*program.diagnostics, *checked.diagnostics))
    diagnostics = asked.shown(pipeline.settle([said], [program], strict=False, paths=[loaded.path]))
    if pipeline.has_errors(diagnostics):
        return (), diagnostics
    units = (pipeline.unit_of(one.backend, values) for one in choices for values in checked.jobs)
    return tuple(unit.job for unit in units), diagnostics


class _Asked(Record):
    """A call on a text, as the pipeline takes it."""

    program: Program
    request: Request
    choices: tuple[Choice, ...]
    problems: tuple[Diagnostic, ...]
    hidden: Hidden

    def shown(self, diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The problems of the call and ``diagnostics``, without secrets."""
        return tuple(masked([*self.problems, *diagnostics], self.hidden))


def _asked(loaded: Loaded, call: Call) -> _Asked:
    program, problems, job = loaded.program, loaded.problems, call.job
    absent = None if job is None else missing_job(program, job, argument("job", job))
    if absent is not None:
        problems = (*problems, absent)
    elif call.name is not None:
        program = renamed(program, _one_job(program, job, call.name), call.name)
        job = call.name
    options = () if call.choice is None else options_of(call.choice.backend.name, call.options)
    hidden = Hidden((*loaded.hidden.values, *secrets_in(call.options).values))
    choices = () if call.choice is None else (call.choice,)
    return _Asked(program, replace(loaded.request, job=job, options=options), choices, problems, hidden)


def _one_job(program: Program, job: str | None, name: str) -> str:
    """The job that gets another name."""
    names = [one.name.text for one in program.jobs]
    if job is None and len(names) > 1:
        raise UsageError(f"name= is for one job; choose one of {', '.join(names)} with job=")
    chosen = job or "".join(names)
    if name in names and name != chosen:
        raise UsageError(f"name={name!r} is the name of another job of {program.files[0].source.path}")
    return chosen
