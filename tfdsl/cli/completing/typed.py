"""What has been typed: the words of a command line, and which of them is being completed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfdsl.cli.arguments import COLOUR, Command, Flag
from tfdsl.record import Record

HELP = Flag("--help", "show the help of the command", short="-h")


class Typed(Record):
    """The words behind the name of a command.

    ``current``: the word before the cursor, which need not be whole. ``flags``: values that are typed elsewhere, in
    order; of a switch the empty text. ``before``: the arguments before the cursor, ``rest``: all arguments without the
    current word. ``awaiting``: the flag whose value the current word is. ``ended``: after ``--`` there are no flags.
    """

    command: Command
    current: str
    flags: dict[str, list[str]]
    before: tuple[str, ...]
    rest: tuple[str, ...]
    awaiting: Flag | None
    ended: bool

    def values(self, flag: str) -> Sequence[str]:
        """Every value of a flag."""
        return self.flags.get(flag, ())


def flags_of(command: Command) -> tuple[Flag, ...]:
    """All flags that a command takes."""
    return (*command.flags, COLOUR, HELP)


def typed(command: Command, words: Sequence[str], at: int) -> Typed:
    """``words`` come after the name of the command; the one at ``at`` is being completed."""
    known = {name: flag for flag in flags_of(command) for name in (flag.name, flag.short) if name is not None}
    flags: dict[str, list[str]] = {}
    before: list[str] = []
    after: list[str] = []
    awaiting: Flag | None = None
    here: Flag | None = None
    ended = ended_here = False
    for index, word in enumerate(words):
        waiting, awaiting = awaiting, None
        if index == at:
            here, ended_here = waiting, ended
        elif waiting is not None:
            flags.setdefault(waiting.name, []).append(word)
        elif ended or word == "-" or not word.startswith("-"):
            (before if index < at else after).append(word)
        elif word == "--":
            ended = True
        else:
            name, value = split(word)
            flag = known.get(name)
            if flag is not None and flag.value is not None and value is None:
                awaiting = flag
            elif flag is not None:
                flags.setdefault(flag.name, []).append(value or "")
    return Typed(command, words[at], flags, tuple(before), (*before, *after), here, ended_here)


def split(word: str) -> tuple[str, str | None]:
    """A flag as it is typed, and the value in the same word: ``--set=a``, ``-t=volcano``, ``-tvolcano``."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None
    return word[:2], word[2:].removeprefix("=") if len(word) > 2 else None


def unused(typed: Typed) -> Iterator[Flag]:
    """The flags that can still be written."""
    return (flag for flag in flags_of(typed.command) if flag.many or flag.name not in typed.flags)
