"""Variables of a shell script that the script itself sets, in the words after that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfdsl.manifest.script import Assignment, Command, Script, Unknown, Word, joined
from tfdsl.manifest.words import ASSIGNS
from tfdsl.patterns import regex
from tfdsl.record import replace

_BLANKS: Final = regex(r"\s+")
_DECLARING: Final = frozenset({"export", "declare", "local", "readonly", "typeset"})


def expanded(script: Script) -> tuple[Command, ...]:
    """The commands with the values that the text itself gives to variables."""
    values: dict[str, tuple[Word, ...]] = {}
    commands: list[Command] = []
    for command in script.commands:
        words = tuple(word for one in command.words for word in _expand(one, values))
        made: list[Assignment] = []
        for assignment in command.assignments:
            value = tuple(word for one in assignment.words for word in _expand(one, values, split=assignment.array))
            made.append(replace(assignment, words=value))
        if not words:
            _assign(values, made)
        elif words[0].text in _DECLARING:
            _assign(values, (found for word in words[1:] if (found := _exported(word)) is not None))
        commands.append(replace(command, words=words, assignments=tuple(made)))
    return tuple(commands)


def _assign(values: dict[str, tuple[Word, ...]], assignments: Iterable[Assignment]) -> None:
    for one in assignments:
        before = values.get(one.name, ()) if one.more else ()
        if one.array or not before:
            values[one.name] = (*before, *one.words)
        else:
            joined = Word(tuple(part for word in (*before, *one.words) for part in word.parts), before[0].span)
            values[one.name] = (joined,)


def _exported(word: Word) -> Assignment | None:
    first = word.parts[0] if word.parts else None
    match = ASSIGNS.match(first) if isinstance(first, str) else None
    if match is None or not isinstance(first, str):
        return None
    rest = tuple(part for part in (first[match.end() :], *word.parts[1:]) if part != "")
    return Assignment(match[1], (Word(rest, word.span),), more=bool(match[2]))


def _expand(word: Word, values: Mapping[str, tuple[Word, ...]], *, split: bool = True) -> Iterator[Word]:
    """The words that ``word`` becomes: an unquoted value is split at its blanks, an array has one for each item."""
    if not word.unknown:
        yield word
        return
    items = values.get(word.unknown[0].name)
    if items is not None and len(word.parts) == 1 and word.unknown[0].every and word.unknown[0].quoted:
        yield from items  # each with the place at which it is written
        return
    made: list[list[str | Unknown]] = [[]]
    there = not split
    for part in word.parts:
        value = values.get(part.name) if isinstance(part, Unknown) and part.name else None
        if isinstance(part, str):
            made[-1].append(part)
        elif value is None:
            made[-1].append(part.default if part.default is not None else part)
            there = there or part.quoted
        elif part.every:
            fields = [[list(item.parts)] if part.quoted else _fields(item.parts) for item in value]
            _add(made, [field for item in fields for field in item])
        else:
            own = value[0].parts if value else ()
            _add(made, [list(own)] if part.quoted or not split else _fields(own))
            there = there or part.quoted
    for number, parts in enumerate(made):
        if any(part != "" for part in parts) or (there and number == 0):
            yield Word(joined(parts), word.span)


def _add(made: list[list[str | Unknown]], pieces: list[list[str | Unknown]]) -> None:
    """Join the first of ``pieces`` to the last word; the others are words of their own."""
    for number, piece in enumerate(pieces):
        if number:
            made.append(piece)
        else:
            made[-1].extend(piece)


def _fields(parts: Sequence[str | Unknown]) -> list[list[str | Unknown]]:
    fields: list[list[str | Unknown]] = [[]]
    for part in parts:
        if isinstance(part, str):
            _add(fields, [[piece] for piece in _BLANKS.split(part)])
        else:
            fields[-1].append(part)
    return fields
