"""A text with its params and its profile, and what the compiler makes of it for a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tfdsl.api.asking import argument, options_of, params_of, secrets_in
from tfdsl.api.errors import usage_error
from tfdsl.api.reading import source_of
from tfdsl.api.values import Value
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.front_end import Input, ReadyJob
from tfdsl.compiling.masking import Hidden, hidden_in, masked
from tfdsl.compiling.pipeline import Choice, Outcome, Request
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.name_rules import NAME_FOR_SEVERAL
from tfdsl.record import Record, replace
from tfdsl.semantics.derived import Asked
from tfdsl.settings.finding import Settings, settings_for
from tfdsl.source_files import Inputs

if TYPE_CHECKING:
    import os

    from tfdsl.ir.model import Job


class Loaded(Record):
    """What was read. ``problems``: of the project's settings. ``hidden``: the secrets among the params.

    ``strict``: whether the project sets it.
    """

    given: Input
    request: Request
    problems: tuple[Diagnostic, ...]
    hidden: Hidden
    strict: bool = False

    @property
    def path(self) -> str:
        """The name that messages show for the text."""
        return front_end.path_of(self.given)


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
    params_file: str | os.PathLike[str] | None = None,
) -> Loaded:
    """Read a text and what it includes.

    The settings are those of the project that the file, or ``base``, belongs to, but for its targets; a text without
    ``base`` belongs to none.
    """
    source = source_of(path, text, base)
    given = front_end.read(source, Inputs(source))
    values = () if params_file is None else (source_of(params_file, None, None),)
    request = Request(profile, params_of(params or {}), values=values)
    settings = settings_for(source.origin) if source.origin is not None else Settings()
    request = front_end.Project(settings, (), settings.problems).request(request)
    hidden = secrets_in(params or {})
    if values:
        of_file = hidden_in((), Request(values=values))
        hidden = Hidden((*hidden.values, *of_file.values), of_file.paths)
    return Loaded(given, request, settings.problems, hidden, settings.strict)


def load_job(job: Job) -> Loaded:
    """A job made in Python."""
    return Loaded(front_end.of_job(job), Request(), (), Hidden())


def outcome(loaded: Loaded, call: Call) -> Outcome:
    """What the compiler makes of ``loaded`` for ``call``, without secrets in its messages.

    Raises:
        UsageError: A new name is given for one of several jobs.
    """
    asked = asked_of(loaded, call)
    done = front_end.compiled(asked.given, asked.request, asked.choices, strict=call.strict or loaded.strict)
    several = next((one for one in done.diagnostics if one.rule is NAME_FOR_SEVERAL), None)
    if several is not None:
        raise usage_error(replace(several, helps=tuple(text.replace("--job", "job=") for text in several.helps)))
    diagnostics = asked.shown(done.diagnostics)
    return replace(done, made=() if pipeline.has_errors(diagnostics) else done.made, diagnostics=diagnostics)


def jobs_of(loaded: Loaded, call: Call) -> tuple[tuple[Job, ...], tuple[Diagnostic, ...]]:
    """The jobs of ``loaded`` for a target, none when the text has errors, and its diagnostics."""
    asked = asked_of(loaded, call)
    program, choices = asked.given, asked.choices
    if isinstance(program, ReadyJob):
        diagnostics = asked.shown(program.diagnostics)
        return (() if program.job is None else (program.job,)), diagnostics
    checked = pipeline.check(program, asked.request, choices)
    diagnostics = (*program.diagnostics, *checked.diagnostics)
    said = Outcome(tuple(one.backend for one in choices), (), diagnostics, checked.conditions)
    diagnostics = asked.shown(pipeline.settle([said], [program], strict=False, paths=[loaded.path]))
    if pipeline.has_errors(diagnostics):
        return (), diagnostics
    units = (pipeline.unit_of(one.backend, values) for one in choices for values in checked.jobs)
    return tuple(unit.job for unit in units), diagnostics


class Asking(Record):
    """A call, as the pipeline takes it."""

    given: Input
    request: Request
    choices: tuple[Choice, ...]
    problems: tuple[Diagnostic, ...]
    hidden: Hidden

    def shown(self, diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The problems of the call and ``diagnostics``, without secrets."""
        return tuple(masked([*self.problems, *diagnostics], self.hidden))


def asked_of(loaded: Loaded, call: Call) -> Asking:
    """``call`` about ``loaded``, as the pipeline takes it."""
    options = () if call.choice is None else options_of(call.choice.backend.name, call.options)
    hidden = Hidden((*loaded.hidden.values, *secrets_in(call.options).values), loaded.hidden.paths)
    choices = () if call.choice is None else (call.choice,)
    job = None if call.job is None else Asked(call.job, argument("job", call.job))
    name = None if call.name is None else Asked(call.name, argument("name", call.name))
    request = replace(loaded.request, job=job, name=name, options=options)
    return Asking(loaded.given, request, choices, loaded.problems, hidden)
