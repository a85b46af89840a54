"""What can stand where the cursor is, for the words of a whole command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.cli.commands import SUMMARIES, load
from tfdsl.cli.completing.candidate import Answer, Candidate, behind

if TYPE_CHECKING:
    from tfdsl.cli.arguments import Flag, Positional
    from tfdsl.cli.completing.typed import Typed

_HELP = ("help", "--help", "-h")


def answered(words: Sequence[str], at: int) -> Answer:
    """What can stand for the word at ``at``; ``words`` come after the program's name.

    Only what begins with the word is in the answer, but files, which a shell knows better.
    """
    current = words[at]
    found = _answer(words, at)
    fitting = {one.text: one for one in found.candidates if one.text.startswith(current) and one.text.isprintable()}
    return Answer(tuple(fitting.values()), found.files)


def _answer(words: Sequence[str], at: int) -> Answer:
    if at == 0:
        return Answer(tuple(_commands(words[0])))
    name = words[0]
    if name in _HELP:
        return Answer(tuple(Candidate(*one) for one in SUMMARIES.items()) if at == 1 else ())
    if name not in SUMMARIES:
        return Answer()
    from tfdsl.cli.completing.typed import typed

    return _of_command(typed(load(name).COMMAND, words[1:], at - 1))


def _commands(current: str) -> Iterator[Candidate]:
    if current.startswith("-"):
        yield Candidate("--help", "show the commands")
        yield Candidate("--version", "show the version")
    else:
        yield from (Candidate(*one) for one in SUMMARIES.items())


def _of_command(typed: Typed) -> Answer:
    from tfdsl.cli.completing.typed import flags_of, split

    if typed.awaiting is not None:
        return _value(typed, typed.awaiting, typed.current)
    if typed.ended or not typed.current.startswith("-"):
        return _argument(typed)
    name, value = split(typed.current)
    flag = next((one for one in flags_of(typed.command) if name in (one.name, one.short)), None)
    if value is not None and flag is not None and flag.value is not None:
        before = typed.current[: len(typed.current) - len(value)]
        return behind(before, _value(typed, flag, value))
    return Answer(tuple(_flags(typed)))


def _flags(typed: Typed) -> Iterator[Candidate]:
    """The long names; a short one where it is typed, so that a space follows it."""
    from tfdsl.cli.completing.typed import unused

    for flag in unused(typed):
        yield Candidate(flag.name, flag.doc)
        if flag.short is not None and flag.short == typed.current:
            yield Candidate(flag.short, flag.doc)


def _value(typed: Typed, flag: Flag, word: str) -> Answer:
    """What can be the value of a flag; ``word``: what there is of it."""
    if flag.one_of:
        return Answer(tuple(map(Candidate, flag.one_of)))
    from tfdsl.cli.completing.file_names import FileNames
    from tfdsl.cli.completing.values import NAMES, VALUES, Asked

    values = NAMES.get(flag.name) or VALUES[flag.value or ""]
    return values(Asked(typed, word, FileNames(typed)))


def _argument(typed: Typed) -> Answer:
    positional = _positional(typed)
    if positional is None:
        return Answer()
    from tfdsl.cli.completing.file_names import FileNames
    from tfdsl.cli.completing.values import ARGUMENTS, Asked

    return ARGUMENTS[positional.name](Asked(typed, typed.current, FileNames(typed)))


def _positional(typed: Typed) -> Positional | None:
    """The argument that the current word is."""
    declared = typed.command.positionals
    if len(typed.before) < len(declared):
        return declared[len(typed.before)]
    return declared[-1] if declared and declared[-1].many else None
