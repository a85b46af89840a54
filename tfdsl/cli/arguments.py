"""Parse a command line against the table of what a command takes.

``argparse`` costs 10 ms of a start-up budget of 30, and stops at the first mistake without a suggestion. Here a
command is a :class:`Command`, a table from which its help is printed too. A mistake is a diagnostic whose place is a
part of the command line, so it is shown like any other, also as JSON.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Protocol, TypeVar, cast

from tfdsl.cli.commands import SUMMARIES
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, MISSING_ARGUMENT, UNKNOWN_FLAG
from tfdsl.diagnostics.render.text import NARROW, fold
from tfdsl.record import Record
from tfdsl.text import Argument, Source, Span

Right = TypeVar("Right")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_[]")


class Flag(Record):
    """``--name`` or ``--name VALUE``. ``value``: the name of the value in the help, ``None`` for a switch."""

    name: str
    doc: str
    short: str | None = None
    value: str | None = None
    many: bool = False
    one_of: tuple[str, ...] = ()


COLOUR = Flag(
    "--color", "when to use colour in messages (default: auto)", value="WHEN", one_of=("auto", "always", "never")
)
"""An option of every command."""

TEXT_OR_JSON = Flag(
    "--format", "text for people, json for programs (default: text)", value="FORMAT", one_of=("text", "json")
)
"""An option of commands whose answer programs read too."""


class Positional(Record):
    """An argument without a flag."""

    name: str
    doc: str
    required: bool = True
    many: bool = False


FILE = Positional("FILE", "a .tfjob file, a job or a flow as JSON, or - for standard input")
"""The argument of commands that take one job."""


class Command(Record):
    """What a command takes. ``examples``: command lines that work in a folder with ``mnist.tfjob`` in it.

    ``absent``: options of other commands that people expect here and that have a value, with what to know instead.
    """

    name: str
    positionals: tuple[Positional, ...]
    flags: tuple[Flag, ...]
    examples: tuple[str, ...]
    notes: str = ""
    absent: Mapping[str, str] = {}

    @property
    def summary(self) -> str:
        """What the command does, as the overview has it."""
        return SUMMARIES[self.name]


class Arguments:
    """A parsed command line. ``errors`` is empty if the command line fits the table.

    ``dashes``: how many of ``rest`` stand before ``--``.
    """

    def __init__(self, command: Command, line: Span) -> None:
        self.command = command
        self.line = line
        self.flags: dict[str, list[Argument]] = {}
        self.rest: list[Argument] = []
        self.dashes = 0
        self.help = False
        self.errors: list[Diagnostic] = []

    def values(self, flag: str) -> Sequence[Argument]:
        """Every value of a flag, in order."""
        return self.flags.get(flag, ())

    def value(self, flag: str) -> Argument | None:
        """The value of a flag; the last one if it is repeated."""
        values = self.flags.get(flag)
        return values[-1] if values else None

    def text(self, flag: str, default: str = "") -> str:
        """The text of a flag's value."""
        argument = self.value(flag)
        return default if argument is None else argument.text

    def on(self, flag: str) -> bool:
        """Whether a switch is on the command line."""
        return flag in self.flags


def command_line(words: Sequence[str]) -> tuple[Source, list[Span]]:
    """The command line as a text, quoted as a shell would need it, and the place of each word in it."""
    pieces = ["tfdsl", *(quote(word) for word in words)]
    source = Source("<command line>", " ".join(pieces))
    spans: list[Span] = []
    at = 0
    for piece in pieces:
        spans.append(Span(source, at, at + len(piece)))
        at += len(piece) + 1
    return source, spans[1:]


def quote(word: str) -> str:
    """``word`` as a POSIX shell takes it."""
    return word if word and _PLAIN.issuperset(word) else "'" + word.replace("'", "'\\''") + "'"


def parse(command: Command, words: Sequence[str], spans: Sequence[Span], line: Span) -> Arguments:
    """The arguments of ``command``; ``words`` come after its name, ``spans`` are their places in ``line``."""
    arguments = Arguments(command, line)
    flags = {flag.name: flag for flag in (*command.flags, COLOUR)}
    flags |= {flag.short: flag for flag in command.flags if flag.short is not None}
    pending = list(zip(words, spans, strict=True))
    pending.reverse()
    while pending:
        word, span = pending.pop()
        if word == "--":
            arguments.dashes = len(arguments.rest)
            arguments.rest += [Argument(*pair) for pair in reversed(pending)]
            break
        if word in ("-h", "--help"):
            arguments.help = True
        elif word == "-" or not word.startswith("-"):
            arguments.rest.append(Argument(word, span))
        else:
            _flag(arguments, flags, word, span, pending)
    if not arguments.help:
        _positionals(arguments)
    return arguments


def _flag(arguments: Arguments, flags: dict[str, Flag], word: str, span: Span, pending: list[tuple[str, Span]]) -> None:
    name, value = split_flag(word)
    flag = flags.get(name)
    if flag is None:
        why = arguments.command.absent.get(name)
        near = flags.get(_nearest(name, flags) or "")
        takes_value = why is not None or (near is not None and near.value is not None)
        follows = value is None and pending and not pending[-1][0].startswith("-")
        if follows and (takes_value or not os.path.exists(pending[-1][0])):
            pending.pop()
        arguments.errors.append(_unknown(name, span, flags) if why is None else _no_flag(name, span).help(why))
        return
    if flag.value is None:
        if value is not None:
            arguments.errors.append(BAD_ARGUMENT(span, what=f"{flag.name} does not take a value"))
        arguments.flags.setdefault(flag.name, []).append(Argument("", span))
        return
    if value is not None:
        argument = Argument(value, _value_span(span, word, value))
    elif pending and (pending[-1][0] == "-" or not pending[-1][0].startswith("-")):
        argument = Argument(*pending.pop())
    else:
        arguments.errors.append(MISSING_ARGUMENT(span, what=f"{flag.name} needs a value: {flag.value}"))
        return
    if "=" in flag.value and (apart := _apart(argument, pending)) is not None:
        together = BAD_ARGUMENT(argument.span.to(apart.span), what=f"write {flag.name} {apart.text}, without spaces")
        arguments.errors.append(together)
        return
    _keep(arguments, flag, argument)


def _apart(argument: Argument, pending: list[tuple[str, Span]]) -> Argument | None:
    """``n=3`` if ``argument`` is ``n`` and the next words are ``= 3``, ``=3`` or ``3``; these are taken."""
    name = argument.text.rstrip("=:")
    words = [word for word, _ in pending[:-3:-1]]
    if not name or "=" in name or not words or words[0].startswith("-"):
        return None
    count = 2 if words[0] == "=" and len(words) == 2 else 1
    value = "".join(words[:count]).removeprefix("=")
    if not value or (name == argument.text and not words[0].startswith("=") and os.path.exists(value)):
        return None
    span = pending[-count][1]
    del pending[-count:]
    return Argument(f"{name}={value}", span)


def _keep(arguments: Arguments, flag: Flag, argument: Argument) -> None:
    earlier = arguments.flags.setdefault(flag.name, [])
    if earlier and not flag.many:
        error = BAD_ARGUMENT(argument.span, what=f"{flag.name} is repeated").marked("repeated here")
        error = error.note(earlier[0].span, "first used here")
        arguments.errors.append(error)
    if flag.one_of and argument.text not in flag.one_of:
        arguments.errors.append(not_one_of(flag.name, argument, flag.one_of))
    earlier.append(argument)


def right(results: Iterable[Right | Diagnostic], errors: list[Diagnostic]) -> list[Right]:
    """The results that are not errors; the others go to ``errors``."""
    done = list(results)
    errors += [result for result in done if isinstance(result, Diagnostic)]
    return [result for result in done if not isinstance(result, Diagnostic)]


def not_one_of(what: str, argument: Argument, words: Iterable[str]) -> Diagnostic:
    """An error for a value that is not one of ``words``, with the one that was probably meant."""
    from tfdsl.diagnostics.suggest import closest, listing

    choices = tuple(words)
    error = BAD_ARGUMENT(argument.span, what=f"{what} must be {listing(choices)}, not {argument.text}")
    near = closest(argument.text, choices)
    return error if near is None else error.help(f"did you mean {near}?")


def split_flag(word: str) -> tuple[str, str | None]:
    """A flag as it is typed, and the value in the same word: ``--set=a``, ``-t=volcano``, ``-tvolcano``."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None
    return word[:2], word[2:].removeprefix("=") if len(word) > 2 else None


def _value_span(span: Span, word: str, value: str) -> Span:
    exact = len(word) == span.end - span.start  # false if the word had to be quoted
    return Span(span.source, span.end - len(value), span.end) if exact and value else span


def _unknown(name: str, span: Span, flags: dict[str, Flag]) -> Diagnostic:
    error = _no_flag(name, span)
    near = _nearest(name, flags)
    return error if near is None else error.help(f"did you mean {near}?")


def _nearest(name: str, flags: Mapping[str, Flag]) -> str | None:
    """The option that was probably meant. Of two letters each is as near as the other, unless only the case differs."""
    from tfdsl.diagnostics.suggest import closest

    if len(name) == 2:
        return name.swapcase() if name.swapcase() in flags else None
    return closest(name, [*(flag for flag in flags if len(flag) > 2), "--help"])


def _no_flag(name: str, span: Span) -> Diagnostic:
    return UNKNOWN_FLAG(Span(span.source, span.start, min(span.end, span.start + len(name))), name=name)


def _positionals(arguments: Arguments) -> None:
    declared = arguments.command.positionals
    most = len(declared)
    endless = any(positional.many for positional in declared)
    for argument in () if endless else arguments.rest[most:]:
        error = BAD_ARGUMENT(argument.span, what=f"unexpected argument {argument.text}")
        arguments.errors.append(_as_target(arguments, argument, error))
    needed = [positional.name for positional in declared if positional.required]
    if len(arguments.rest) < len(needed) and not arguments.errors:
        names = " ".join(needed[len(arguments.rest) :])
        arguments.errors.append(MISSING_ARGUMENT(arguments.line, what=f"{arguments.command.name} needs {names}"))


def _as_target(arguments: Arguments, argument: Argument, error: Diagnostic) -> Diagnostic:
    """``error``, with the option for an argument that is a target or the version of one."""
    from tfdsl import targets

    if all(flag.name != "--target" for flag in arguments.command.flags):
        return error
    named = arguments.value("--target")
    if named is not None and argument.text.replace(".", "").isdecimal():
        return error.help(f"write -t {named.text}@{argument.text}")
    return error.help(f"write -t {argument.text}") if targets.find(argument.text.partition("@")[0]) else error


_WIDTH = 26
_LONGEST = 120
"""Columns of the longest line on a wide terminal, and in a file."""


def command_help(command: Command, columns: int | None = None) -> str:
    """Usage, arguments, options and examples of a command. ``columns``: the width of the terminal, if there is one."""
    usage = " ".join([f"usage: tfdsl {command.name}", *map(usage_of, command.positionals), "[options]"])
    parts = [usage + "\n", _folded(command.summary[0].upper() + command.summary[1:] + ".", columns)]
    if command.positionals:
        parts.append(
            _table("arguments", [(positional.name, positional.doc) for positional in command.positionals], columns)
        )
    flags = [(_spelling(flag), flag_doc(flag)) for flag in (*command.flags, COLOUR)]
    parts.append(_table("options", [*flags, ("-h, --help", "show this help")], columns))
    if command.notes:
        parts.append(_folded(command.notes, columns))
    examples = "".join(f"  {example}\n" for example in command.examples)
    parts.append(f"example{'s' * (len(command.examples) > 1)}:\n{examples}")
    return "\n".join(parts)


def _folded(text: str, columns: int | None) -> str:
    if columns is None or columns >= NARROW:
        return text + "\n"
    return "".join(f"{part}\n" for line in text.split("\n") for part in fold(line, columns, columns))


def usage_of(positional: Positional) -> str:
    """An argument as a line of usage has it."""
    name = f"{positional.name}..." if positional.many else positional.name
    return name if positional.required else f"[{name}]"


def _spelling(flag: Flag) -> str:
    names = f"{flag.short}, {flag.name}" if flag.short else f"    {flag.name}"
    return names if flag.value is None else f"{names} {flag.value}"


def flag_doc(flag: Flag) -> str:
    """What a flag does, and which values it takes."""
    extra = [f"one of {', '.join(flag.one_of)}"] if flag.one_of else []
    extra += ["may be repeated"] if flag.many else []
    return f"{flag.doc} ({'; '.join(extra)})" if extra else flag.doc


def _table(title: str, rows: Iterable[tuple[str, str]], columns: int | None) -> str:
    lines = [f"{title}:"]
    if columns is not None and columns < NARROW:
        for left, right in rows:
            lines += [f"  {left.strip()}", *(f"      {part}" for part in fold(right, columns - 6, columns - 6))]
        return "\n".join(lines) + "\n"
    room = _LONGEST - _WIDTH - 3
    for left, right in rows:
        first, *more = fold(right, room, room)
        if len(left) >= _WIDTH:
            lines += [f"  {left}", f"  {'':<{_WIDTH}} {first}"]
        else:
            lines.append(f"  {left:<{_WIDTH}} {first}")
        lines += [f"  {'':<{_WIDTH}} {part}" for part in more]
    return "\n".join(lines) + "\n"


# --- the modules of the commands ---


class CommandModule(Protocol):
    """A module of :mod:`tfdsl.cli` with one command."""

    COMMAND: Command

    def run(self, arguments: Arguments, /) -> int:
        """Run the command; returns the exit status."""
        ...


_MODULES = {"import": "import_manifest"}
"""Commands whose name no module can have."""


def load(name: str) -> CommandModule:
    """Import the module of a command."""
    return cast("CommandModule", import_module(f"tfdsl.cli.{_MODULES.get(name, name)}"))
