"""The options that select what is compiled: targets, profile, params, options of targets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.backend import Backend
from tfdsl.cli.arguments import Arguments, Flag, quote, right
from tfdsl.cli.inputs import the_file
from tfdsl.cli.report import refuse
from tfdsl.compiling.front_end import Input, choice_of, once, part, project_of, read as read_input, source_of, target_of
from tfdsl.compiling.masking import Hidden, hidden_in
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, UNREADABLE_FILE, UNUSABLE_TARGET
from tfdsl.diagnostics.render import Format
from tfdsl.record import Record, replace
from tfdsl.semantics.request import Choice, Form, Given as ParamGiven, GivenOption, Request
from tfdsl.source_files import STDIN, Inputs, is_descriptor, read
from tfdsl.text import Argument, Source, Span

if TYPE_CHECKING:
    from tfdsl.source_files import Opener

TARGET = Flag(
    "--target",
    "a target, in its default version if it names none",
    short="-t",
    value="TARGET[@VERSION]",
    many=True,
)
PROFILE = Flag("--profile", "use the values of this profile for params", value="NAME")
SET = Flag("--set", "set a param; PARAM=@FILE reads a list, one item per line", value="PARAM=VALUE", many=True)
PARAMS = Flag("--params", "set params from a file of PARAM = VALUE lines; --set wins", value="FILE", many=True)
OPTION = Flag(
    "--option",
    "set an option of a target; =@FILE reads a list, one item per line",
    short="-O",
    value="TARGET.KEY=VALUE",
    many=True,
)
JOB = Flag("--job", "only this job of the file, or all jobs of its matrix", value="NAME")
FLOW = Flag("--flow", "only this flow of the file, with its jobs", value="NAME")
NAME = Flag("--name", "give the one job this name instead of its own", value="NAME")
ALLOW_READ = Flag(
    "--allow-read", "another folder from which files may be read that you do not name yourself", value="DIR", many=True
)
OF_JOBS = (JOB, FLOW, NAME, PROFILE, PARAMS, SET, OPTION)
"""Which jobs of the file, and with which values; for all commands that take a job to a target."""
STRICT = Flag("--strict", "report what a target does differently as an error")
QUIET = Flag("--quiet", "only errors and warnings: no notes, no progress, not what was written", short="-q")
NOTES = Flag("--notes", "show also what tfdsl decides, and what targets do nearly")


def again(arguments: Arguments, command: str, *more: str, target: Choice | None = None) -> str:
    """``tfdsl COMMAND`` with the file and the choices of ``arguments``, and ``more`` options, for a shell.

    ``target``: the only one of several that is named, with its options.
    """
    files, words = [argument.text for argument in arguments.rest], list[str]()
    for flag in (TARGET, *OF_JOBS, ALLOW_READ):
        given = arguments.values(flag.name)
        if target is not None and flag is OPTION:
            given = [one for one in given if _whose(one) is target.backend]
        texts = [target.shown] if target is not None and flag is TARGET else [one.text for one in given]
        words += [word for text in texts for word in (flag.short or flag.name, text)]
    words += more
    looks_like_options = any(name[:1] == "-" and name != "-" for name in files)
    words = [*words, "--", *files] if looks_like_options else [*files, *words]
    return " ".join(map(quote, ["tfdsl", command, *words]))


class Selection(Record):
    """What was chosen; ``errors`` when it makes no sense. ``hidden``: the values that messages must not show.

    ``allowed``: the folders of ``--allow-read``.
    """

    choices: tuple[Choice, ...]
    request: Request
    errors: tuple[Diagnostic, ...]
    hidden: Hidden
    allowed: tuple[str, ...] = ()


def selection(arguments: Arguments) -> Selection:
    """Read the options of this module out of ``arguments``."""
    errors: list[Diagnostic] = []
    names = [piece for argument in arguments.values(TARGET.name) for piece in _pieces(argument)]
    choices = right([choice_of(name.text, name.span) for name in names], errors)
    params = right(map(_param, arguments.values(SET.name)), errors)
    values = right([_values(argument, arguments) for argument in arguments.values(PARAMS.name)], errors)
    asked = {choice.backend.name for choice in choices}
    given = [option for argument in arguments.values(OPTION.name) for option in _option(argument, asked)]
    options = right(given, errors)
    errors += _no_folders(arguments.values(ALLOW_READ.name))
    profile = arguments.value(PROFILE.name)
    request = Request(
        None if profile is None else profile.text,
        tuple(params),
        tuple(options),
        arguments.value(JOB.name),
        arguments.value(NAME.name),
        values=tuple(values),
        flow=arguments.value(FLOW.name),
    )
    errors += [] if request.flow is None else _not_with_flow(arguments)
    words = [argument.text for flag in (SET, OPTION) for argument in arguments.values(flag.name)]
    hidden = hidden_in(words, request)
    return Selection(tuple(once(choices)), request, tuple(errors), hidden, allowed_in(arguments))


class Opened(Record):
    """The file of a command, what it may read, and what it is: a program, or a job or a flow as JSON."""

    source: Source
    inputs: Inputs
    given: Input


def opened(arguments: Arguments, picked: Selection, errors: Sequence[Diagnostic] = (), form: Format = "text") -> Opened:
    """Open the file of a command. It ends if the command line is wrong, in ``errors`` too, or the file unreadable."""
    refuse([*picked.errors, *errors], arguments, form, picked.hidden)
    source = the_file(arguments, form)
    inputs = Inputs(source, picked.allowed)
    return Opened(source, inputs, read_input(source, inputs))


def in_project(picked: Selection, given: Input) -> Selection:
    """``picked`` with what the project of a text adds: its targets, if there are none, and its labels.

    ``errors``: what is wrong with its settings.
    """
    project = project_of(source_of(given).origin, picked.choices, picked.allowed)
    return replace(picked, choices=project.choices, request=project.labelled(picked.request), errors=project.problems)


def options_of_others(arguments: Arguments, choices: Iterable[Choice]) -> list[Diagnostic]:
    """The options of targets that are not among ``choices``, which are the project's."""
    if arguments.value(TARGET.name) is not None:
        return []  # which has been looked at
    asked = {choice.backend.name for choice in choices}
    named = [(argument, _whose(argument)) for argument in arguments.values(OPTION.name)]
    return [
        _of_other(argument, backend) for argument, backend in named if asked and backend and backend.name not in asked
    ]


def _whose(option: Argument) -> Backend | None:
    """The target that has the option of a command line."""
    return targets.find(option.text.partition(".")[0])


def read_once(arguments: Arguments) -> list[Argument]:
    """What another command cannot read again, the file first: standard input, and descriptors."""
    named = [(one, one.text) for one in (*arguments.rest[:1], *arguments.values(PARAMS.name))]
    named += [(one, one.text.partition("=@")[2]) for flag in (SET, OPTION) for one in arguments.values(flag.name)]
    return [one for one, path in named if path == STDIN or is_descriptor(path)]


def _of_other(argument: Argument, backend: Backend) -> Diagnostic:
    return BAD_ARGUMENT(argument.span, what=f"{backend.name} has an option, but is not one of the targets (-t)")


def inputs(arguments: Arguments, source: Source, opened: Opener = read) -> Inputs:
    """What the text ``source`` may read; ``opened`` opens a file."""
    return Inputs(source, allowed_in(arguments), opened)


def allowed_in(arguments: Arguments) -> tuple[str, ...]:
    """The folders of ``--allow-read``."""
    return tuple(argument.text for argument in arguments.values(ALLOW_READ.name))


def _not_with_flow(arguments: Arguments) -> list[Diagnostic]:
    return [
        BAD_ARGUMENT(argument.span, what=f"{flag.name} cannot be used with {FLOW.name}")
        for flag in (JOB, NAME)
        if (argument := arguments.value(flag.name)) is not None
    ]


def _no_folders(argument: Iterable[Argument]) -> list[Diagnostic]:
    return [
        BAD_ARGUMENT(word.span, what=f"--allow-read needs a folder; {word.text or '(no name)'} is not a folder")
        for word in argument
        if not os.path.isdir(word.text)
    ]


def unusable(arguments: Arguments) -> list[Diagnostic]:
    """What is wrong with the targets that are installed beside the built-in ones."""
    targets.every()
    return [UNUSABLE_TARGET(arguments.line, problem=problem) for problem in targets.problems()]


def every_target() -> tuple[Choice, ...]:
    """Each target in the version of the file, else its default."""
    return tuple(map(Choice, targets.every()))


def _pieces(argument: Argument) -> Iterable[Argument]:
    """``a,b`` as two values."""
    exact = argument.span.text == argument.text
    at = 0
    for text in argument.text.split(","):
        start = argument.span.start + at
        yield Argument(text, Span(argument.span.source, start, start + len(text)) if exact else argument.span)
        at += len(text) + 1


def _param(argument: Argument) -> ParamGiven | Diagnostic:
    name, equals, text = argument.text.partition("=")
    if not equals or not name.strip():
        error = BAD_ARGUMENT(argument.span, what=f"--set needs PARAM=VALUE, not {argument.text}")
        name, colon, text = argument.text.partition(":")
        return error.help(f"write --set {name}={text}") if colon and name.isidentifier() else error
    value = _value(f"--set {name}", text, argument)
    return value if isinstance(value, Diagnostic) else ParamGiven(name.strip(), *value)


def _values(argument: Argument, arguments: Arguments) -> Source | Diagnostic:
    """The text of a file of values."""
    if argument.text == STDIN and any(word.text == STDIN for word in arguments.rest):
        return BAD_ARGUMENT(argument.span, what="standard input can be read only once")
    return _readable(argument, argument.text)


def _readable(argument: Argument, path: str) -> Source | Diagnostic:
    source = read(path)
    if isinstance(source, str):
        return UNREADABLE_FILE(argument.span, path=path or "(no name)", reason=source)
    return source


def _option(argument: Argument, asked: set[str]) -> list[GivenOption | Diagnostic]:
    """The option, or all that is wrong with it."""
    path, equals, text = argument.text.partition("=")
    target, dot, key = path.partition(".")
    if not equals or not dot or not key:
        return [BAD_ARGUMENT(argument.span, what=f"-O needs TARGET.KEY=VALUE, not {argument.text}")]
    backend = target_of(target, part(argument.span, argument.text, 0, len(target)))
    value = _value(f"-O {path}", text, argument)
    if isinstance(backend, Diagnostic) or isinstance(value, Diagnostic):
        return [result for result in (value, backend) if isinstance(result, Diagnostic)]
    if asked and backend.name not in asked:
        return [_of_other(argument, backend)]
    return [GivenOption(backend.name, key, *value)]


def _value(shown: str, text: str, argument: Argument) -> tuple[Source, Form] | Diagnostic:
    """The text of a value, and how it is read."""
    if not text.startswith("@"):
        return Source(shown, text), "text"
    source = _readable(argument, text[1:])
    return source if isinstance(source, Diagnostic) else (source, "lines")
