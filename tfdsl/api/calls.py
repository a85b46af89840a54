"""The arguments of a call as the compiler takes them: a text with its params and its profile, a target, options."""

from __future__ import annotations

import errno
import inspect
import math
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias, TypedDict, TypeVar, Union, cast

from tfdsl import diagnostics
from tfdsl.api.diagnostics import UsageError, usage_error
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.front_end import Input, Ready, choice_of
from tfdsl.compiling.masking import Hidden, hidden_in, hidden_values, masked
from tfdsl.compiling.pipeline import Outcome
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.name_rules import NAME_FOR_SEVERAL
from tfdsl.record import Record, replace
from tfdsl.semantics.request import Choice, Given, GivenOption, Request
from tfdsl.settings import Settings
from tfdsl.settings.finding import settings_for
from tfdsl.source_files import Inputs, contents, decode
from tfdsl.text import Argument, Source, Span
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from tfdsl.ir.flow import WholeFlow
    from tfdsl.ir.model import Job


Value: TypeAlias = Union[bool, int, float, Decimal, str, Quantity, Duration, "Sequence[Value]", "Mapping[str, Value]"]
"""What a param or an option can be given as. A ``str`` for a quantity or a duration is read as one."""

_ESCAPES = {code: f"\\u{{{code:x}}}" for code in (*range(32), 127)} | {ord("\\"): "\\\\", ord('"'): '\\"'}


def source_of(where: str, name: str, value: Value) -> Source:
    """``value`` as a literal of the language, called ``params["workers"]`` in messages."""
    place = f'{where}["{name}"]'
    return Source(place, _literal(value, place))


def named_texts(name: str, value: Value) -> Iterator[tuple[str, str]]:
    """Every text in ``value``, under ``name``; what is in a map under its key as well."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            for inner, text in named_texts(key, item):
                yield from ((name, text), (inner, text))
    elif isinstance(value, Sequence):
        for item in value:
            yield from named_texts(name, item)


def _literal(value: object, place: str) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Quantity | Duration):
        return str(value)
    if isinstance(value, float | Decimal):
        return _number(value, place)
    if isinstance(value, SupportsIndex):  # int, and whole numbers of numpy
        return str(value.__index__())
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        entries = (f"{_quoted(key)} = {_literal(item, place)}" for key, item in items)
        return f"{{ {', '.join(entries)} }}"
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return f"[{', '.join(_literal(item, place) for item in cast('Sequence[object]', value))}]"
    raise TypeError(f"{place} must be a str, number, bool, quantity, duration, list or dict, not {_kind(value)}")


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _number(value: float | Decimal, place: str) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{place} must be a finite number, not {value}")
    return format(value if isinstance(value, Decimal) else Decimal(repr(float(value))), "f")


def _quoted(text: str) -> str:
    escaped = text.translate(_ESCAPES).replace("${", "\\${")
    return f'"{escaped}"'


TEXT = "<text>"
"""What messages call a text that is in no file."""


def text_source(path: str | os.PathLike[str] | None, text: str | None, base: str | os.PathLike[str] | None) -> Source:
    """The text in the file at ``path``, or ``text``, whose includes are found from the folder ``base``.

    Raises:
        OSError: The file is not there (``FileNotFoundError``) or may not be read.
        UsageError: It is not a text file.
        TypeError: Both a path and a text, or neither, or ``base`` without a text.
    """
    if text is not None:
        if path is not None:
            raise TypeError("give a path or text=, not both")
        return Source(TEXT, text, None if base is None else os.path.join(os.fspath(base), TEXT))
    if base is not None:
        raise TypeError("base= belongs to text=; includes of a file are found from its own folder")
    if path is None:
        raise TypeError("give a path or text=")
    return _file(os.fspath(path))


def _file(path: str) -> Source:
    _refuse_what_cannot_be_opened(path)
    data = contents(path)
    source = data if isinstance(data, str) else decode(data, path, path)
    if isinstance(source, str):
        raise UsageError(f"cannot read {path}: {source}")
    return source


def _refuse_what_cannot_be_opened(path: str) -> None:
    """Raise what ``open`` would raise, without opening a pipe or a device."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if "\n" in path or "{" in path:
            error.add_note("To compile a text instead of a file, write text=...")
        raise
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def argument(name: str, text: str) -> Span:
    """The place of an argument in messages."""
    return Span(Source(f"{name}=", text), 0, len(text))


def target_of(target: str) -> Choice:
    """The target and version that ``volcano@1.9`` names.

    Raises:
        UsageError: There is no such target or version.
    """
    choice = choice_of(target, argument("target", target))
    if isinstance(choice, diagnostics.Diagnostic):
        raise usage_error(choice)
    return choice


def params_of(params: Mapping[str, Value]) -> tuple[Given, ...]:
    """Values for params, read as literals."""
    return tuple(Given(name, source_of("params", name, value), "literal") for name, value in params.items())


def options_of(target: str, options: Mapping[str, Value]) -> tuple[GivenOption, ...]:
    """Values for the options of a target, read as literals."""
    return tuple(
        GivenOption(target, name, source_of("options", name, value), "literal") for name, value in options.items()
    )


def secrets_in(values: Mapping[str, Value]) -> Hidden:
    """The secrets among values that a program gives, which no message and no traceback may show."""
    return hidden_values(pair for name, value in values.items() for pair in named_texts(name, value))


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


def call_of(choice: Choice | None, given: Compiling, *, strict: bool = False) -> Call:
    """What is asked for by the arguments of a call.

    Raises:
        TypeError: There are options without a target.
    """
    options = given.get("options") or {}
    if choice is None and options:
        raise TypeError("options= belongs to a target")
    return Call(choice, options, given.get("job"), given.get("name"), strict)


class Reading(TypedDict, total=False):
    """How a text is read. What it means is in the words of :func:`tfdsl.compile`."""

    text: str | None
    base: str | os.PathLike[str] | None
    profile: str | None
    params: Mapping[str, Value] | None
    params_file: str | os.PathLike[str] | None


class ReadingJob(Reading, total=False):
    """The same for a function that is about one job."""

    job: str | None


class Compiling(ReadingJob, total=False):
    """The same for a function that compiles."""

    options: Mapping[str, Value] | None
    name: str | None


F = TypeVar("F", bound=Callable[..., object])


def taking(arguments: type) -> Callable[[F], F]:
    """Let ``help()`` show the arguments of a record in place of ``**given``."""

    def shown(function: F) -> F:
        own = inspect.signature(function)
        parameters = [parameter for parameter in own.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        parameters += [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=getattr(kind, "__forward_arg__", kind)
            )
            for name, kind in arguments.__annotations__.items()
        ]
        setattr(function, "__signature__", own.replace(parameters=parameters))  # noqa: B010  (functions have none)
        return function

    return shown


def check_names(given: Mapping[str, object], arguments: type) -> None:
    """Refuse arguments that a record does not have."""
    for name in given:
        if name not in arguments.__annotations__:
            raise TypeError(f"got an unexpected keyword argument {name!r}")


def load_text(path: str | os.PathLike[str] | None, given: Reading) -> Loaded:
    """Read a text and what it includes.

    The settings are those of the project that the file, or ``base``, belongs to, but for its targets; a text without
    ``base`` belongs to none.
    """
    params, params_file = given.get("params") or {}, given.get("params_file")
    source = text_source(path, given.get("text"), given.get("base"))
    read = front_end.read(source, Inputs(source))
    values = () if params_file is None else (text_source(params_file, None, None),)
    request = Request(given.get("profile"), params_of(params), values=values)
    settings = settings_for(source.origin) if source.origin is not None else Settings()
    request = front_end.Project(settings, (), settings.problems).request(request)
    hidden = secrets_in(params)
    if values:
        of_file = hidden_in((), Request(values=values))
        hidden = Hidden((*hidden.values, *of_file.values), of_file.paths)
    return Loaded(read, request, settings.problems, hidden, settings.strict)


def load_node(node: Job | WholeFlow) -> Loaded:
    """A job or a flow made in Python."""
    return Loaded(front_end.of_node(node), Request(), (), Hidden())


def outcome(loaded: Loaded, call: Call) -> Outcome:
    """What the compiler makes of ``loaded`` for ``call``, without secrets in its messages.

    Raises:
        UsageError: A new name is given for one of several jobs.
    """
    asked = asked_of(loaded, call)
    done = front_end.compiled(asked.given, asked.request, asked.choices, strict=call.strict or loaded.strict)
    several = next((diagnostic for diagnostic in done.diagnostics if diagnostic.rule is NAME_FOR_SEVERAL), None)
    if several is not None:
        raise usage_error(replace(several, helps=tuple(text.replace("--job", "job=") for text in several.helps)))
    diagnostics = asked.shown(done.diagnostics)
    wrong = pipeline.has_errors(diagnostics)
    made, flows = ((), ()) if wrong else (done.made, done.flows)
    return replace(done, made=made, flows=flows, diagnostics=diagnostics)


def jobs_of(loaded: Loaded, call: Call) -> tuple[tuple[Job, ...], tuple[Diagnostic, ...]]:
    """The jobs of ``loaded`` for a target, none when the text has errors, and its diagnostics."""
    asked = asked_of(loaded, call)
    program, choices = asked.given, asked.choices
    if isinstance(program, Ready):
        diagnostics = asked.shown(program.diagnostics)
        return tuple(job for job, _ in program.jobs), diagnostics
    checked = pipeline.check(program, asked.request, choices)
    diagnostics = (*program.diagnostics, *checked.diagnostics)
    said = Outcome(tuple(choice.backend for choice in choices), (), diagnostics, checked.conditions)
    diagnostics = asked.shown(pipeline.settle([said], [program], strict=False, paths=[loaded.path]))
    if pipeline.has_errors(diagnostics):
        return (), diagnostics
    units = (pipeline.unit_of(choice.backend, values) for choice in choices for values in checked.jobs)
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
    job = None if call.job is None else Argument(call.job, argument("job", call.job))
    name = None if call.name is None else Argument(call.name, argument("name", call.name))
    request = replace(loaded.request, job=job, name=name, options=options)
    return Asking(loaded.given, request, choices, loaded.problems, hidden)
