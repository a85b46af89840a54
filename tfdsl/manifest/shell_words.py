"""The words of a command line or a shell script, with places: what POSIX sh, and bash with its arrays, makes of it.

Nothing is run. ``$X``, ``${X…}``, ``$(…)`` and `` `…` `` stay in the word as they are written; where the text itself
sets a variable, :func:`expanded` replaces it. Which way an ``if`` goes is not known: all its commands are there, in the
order written, and so are those of functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Span

Place: TypeAlias = "Callable[[int, int], Span]"
"""From a start and an end in the text to the place in the source."""


class Unknown(Record):
    """An expansion. ``name``: of the variable, empty for a command. ``written``: as it is written.

    ``quoted``: within ``"…"``, so its value is not split. ``default``: the word after ``:-`` or ``-``. ``every``: it is
    ``${name[@]}``.
    """

    name: str
    written: str
    span: Span
    quoted: bool = False
    default: str | None = None
    every: bool = False


class Word(Record):
    """One word: texts, and expansions without a value."""

    parts: tuple[str | Unknown, ...]
    span: Span

    @property
    def text(self) -> str:
        """What the command gets; an expansion as it is written."""
        return "".join(part if isinstance(part, str) else part.written for part in self.parts)

    @property
    def unknown(self) -> tuple[Unknown, ...]:
        """The expansions of which the text does not say the value."""
        return tuple(part for part in self.parts if isinstance(part, Unknown))


class Assignment(Record):
    """``NAME=word`` or ``NAME=(words)``; ``more``: it is ``+=``."""

    name: str
    words: tuple[Word, ...]
    array: bool = False
    more: bool = False


class HereDocument(Record):
    """The lines after ``<<WORD``, without the last."""

    text: str
    span: Span


class Command(Record):
    """A simple command: its words, without assignments before them and without redirections.

    ``end``: the operator after it (``;``, a line end, ``|``, ``&&``, ``)``); of a pattern of ``case`` it is ``)``, and
    of the name of a function that is defined here ``(``.
    """

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    span: Span
    end: str = ""
    documents: tuple[HereDocument, ...] = ()


class Problem(Record):
    """Why a shell could not read the text to its end."""

    message: str
    span: Span


class Script(Record):
    """What a text consists of, as far as it could be read."""

    commands: tuple[Command, ...]
    problem: Problem | None = None


def joined(parts: Sequence[str | Unknown]) -> tuple[str | Unknown, ...]:
    """``parts`` with neighbouring texts as one."""
    joined: list[str | Unknown] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, str) and isinstance(last, str):
            joined[-1] = last + part
        elif part != "":
            joined.append(part)
    return tuple(joined)


# --- reading them ---

_BLANK: Final = regex(r"(?:[ \t\r]|\\\r?\n)+")
_LITERAL: Final = regex(r"[^\s\\'\"$`;&|<>()]+")
_IN_QUOTES: Final = regex(r"[^\\\"$`]+")
_DOUBLE: Final = regex(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_OPERATOR: Final = regex(r"\n|&&|\|\||;;&?|;&|<<-|<<<|<<|>>|>&|<&|&>>?|>\||<>|[;&|<>()]")
_REDIRECTIONS: Final = frozenset({"<<-", "<<<", "<<", ">>", ">&", "<&", "&>", "&>>", ">|", "<>", "<", ">"})
_NAME: Final = regex(r"[A-Za-z_][A-Za-z0-9_]*")
ASSIGNS: Final = regex(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_SPECIAL: Final = regex(r"[0-9@*#?$!-]")
_BRACED: Final = regex(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?:(\[@\]|\[\*\])|:?-((?:[^{}$`\"'\\]|\\.)*))?\}")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "e": "\x1b"}
_RESERVED: Final = frozenset({"if", "then", "elif", "else", "while", "until", "do", "{", "!", "time"})
_CLOSING: Final = frozenset({"fi", "done", "esac", "}"})


def read_script(text: str, place: Place) -> Script:
    """The commands of ``text``, each expansion as it is written."""
    return _Scanner(text, place).script()


def within(span: Span, text: str) -> Place:
    """Places in ``text``, which is what ``span`` holds; the whole span where it is written with escapes."""
    offset = span.source.text.find(text, span.start, span.end) if text else -1
    if offset < 0:
        return lambda start, end: span
    return lambda start, end: Span(span.source, offset + start, offset + end)


class _ReadingError(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class _Building:
    """A command that is being read."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.words: list[Word] = []
        self.assignments: list[Assignment] = []
        self.documents: list[HereDocument] = []
        self.last = start


class _Scanner:
    """One run over a text."""

    def __init__(self, text: str, place: Place) -> None:
        self.text = text
        self.place = place
        self.at: int = 0
        self.made: list[tuple[_Building, str]] = []
        self.command = _Building(0)
        self.waiting: list[tuple[str, bool, _Building]] = []

    def script(self) -> Script:
        problem: Problem | None = None
        try:
            while self.at < len(self.text):
                self.token()
        except _ReadingError as error:
            problem = error.problem
        self.finish("")
        return Script(tuple(self.command_of(one, end) for one, end in self.made), problem)

    def command_of(self, one: _Building, end: str) -> Command:
        span = self.place(one.start, max(one.last, one.start))
        return Command(tuple(one.words), tuple(one.assignments), span, end, tuple(one.documents))

    def token(self) -> None:
        """Read a blank, a comment, an operator or a word."""
        blank = _BLANK.match(self.text, self.at)
        if blank:
            self.at = blank.end()
            return
        char = self.text[self.at]
        if char == "#":
            end = self.text.find("\n", self.at)
            self.at = end if end >= 0 else len(self.text)
            return
        operator = _OPERATOR.match(self.text, self.at)
        if operator is None:
            self.take_word()
        elif operator[0] in _REDIRECTIONS:
            self.at = operator.end()
            self.redirect(operator[0])
        elif operator[0] == "(" and self.text.startswith("((", self.at) and not self.command.words:
            self.at = self.closing(self.at, "(", ")")
        else:
            self.at = operator.end()
            self.finish(operator[0])
            if operator[0] == "\n":
                self.here_documents()

    def finish(self, operator: str) -> None:
        """End the command with ``operator``."""
        command = self.command
        if command.words or command.assignments or operator == "(":
            self.made.append((command, operator))
        self.command = _Building(self.at)

    def take_word(self) -> None:
        start = self.at
        command = self.command
        if not (command.words or command.assignments):
            command.start = start
        assigns = ASSIGNS.match(self.text, start) if not command.words else None
        if assigns and self.text.startswith("(", assigns.end()):
            self.at = assigns.end() + 1
            command.assignments.append(Assignment(assigns[1], self.array(start), array=True, more=bool(assigns[2])))
        elif assigns:
            self.at = assigns.end()
            command.assignments.append(Assignment(assigns[1], (self.word(),), more=bool(assigns[2])))
        else:
            word = self.word()
            if word.text.isdecimal() and self.text[self.at : self.at + 1] in ("<", ">"):
                return  # the number of a redirection
            plain = self.text[start : self.at]
            if not command.words and not command.assignments and plain in _RESERVED:
                return
            if not command.words and not command.assignments and plain in _CLOSING:
                return
            command.words.append(word)
        command.last = self.at

    def array(self, start: int) -> tuple[Word, ...]:
        """The words up to ``)``."""
        words: list[Word] = []
        while True:
            blank = _BLANK.match(self.text, self.at)
            if blank:
                self.at = blank.end()
            char = self.text[self.at : self.at + 1]
            if char == "":
                raise self.error("the ( is never closed", start, start + 1)
            if char == ")":
                self.at += 1
                return tuple(words)
            if char == "\n":
                self.at += 1
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = end if end >= 0 else len(self.text)
            elif char in ";&|<>(":
                raise self.error(f"a {char} is not expected here", self.at, self.at + 1)
            else:
                words.append(self.word())

    def word(self) -> Word:
        """The word here, which may be empty (``X=``)."""
        start = self.at
        parts: list[str | Unknown] = []
        while self.at < len(self.text):
            literal = _LITERAL.match(self.text, self.at)
            char = self.text[self.at]
            if literal:
                parts.append(literal[0])
                self.at = literal.end()
            elif char == "'":
                end = self.text.find("'", self.at + 1)
                if end < 0:
                    raise self.error("the ' is never closed", self.at, self.at + 1)
                parts.append(self.text[self.at + 1 : end])
                self.at = end + 1
            elif char == '"':
                parts.extend(self.quoted())
            elif char == "\\":
                parts.extend(self.escaped())
            elif self.text.startswith("$'", self.at):
                parts.append(self.ansi())
            elif char in "$`":
                parts.append(self.expansion(quoted=False))
            else:
                break
        return Word(joined(parts), self.place(start, self.at))

    def escaped(self) -> list[str | Unknown]:
        if self.text.startswith(("\\\n", "\\\r\n"), self.at):
            self.at = self.text.index("\n", self.at) + 1
            return []
        self.at = min(self.at + 2, len(self.text))
        return [self.text[self.at - 1]]  # a backslash at the very end is itself

    def quoted(self) -> list[str | Unknown]:
        """The parts within ``"…"``."""
        start = self.at
        self.at += 1
        parts: list[str | Unknown] = []
        while self.at < len(self.text):
            literal = _IN_QUOTES.match(self.text, self.at)
            if literal:
                parts.append(literal[0])
                self.at = literal.end()
                continue
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return parts
            if char != "\\":
                parts.append(self.expansion(quoted=True))
            elif self.text[self.at + 1 : self.at + 2] in ("$", "`", '"', "\\", "\n"):
                parts.extend(self.escaped())
            else:
                parts.append("\\")
                self.at += 1
        raise self.error('the " is never closed', start, start + 1)

    def ansi(self) -> str:
        """The text of ``$'…'``."""
        start = self.at
        self.at += 2
        text = ""
        while self.at < len(self.text) and self.text[self.at] != "'":
            if self.text[self.at] == "\\":
                self.at += 1
                char = self.text[self.at : self.at + 1]
                text += _ESCAPES.get(char, f"\\{char}")
            else:
                text += self.text[self.at]
            self.at += 1
        if self.at >= len(self.text):
            raise self.error("the ' is never closed", start, start + 2)
        self.at += 1
        return text

    def expansion(self, *, quoted: bool) -> str | Unknown:
        """The ``$…`` or `` `…` `` here; a ``$`` before something else is a text."""
        start, text = self.at, self.text
        braced = _BRACED.match(text, start)
        if braced:
            self.at = braced.end()
            default = braced[3] if braced[3] is not None else None
            return Unknown(braced[1], braced[0], self.place(start, self.at), quoted, default, bool(braced[2]))
        name = _NAME.match(text, start + 1) if text[start] == "$" else None
        if name or (text[start] == "$" and _SPECIAL.match(text, start + 1)):
            self.at = name.end() if name else start + 2
            return Unknown(text[start + 1 : self.at], text[start : self.at], self.place(start, self.at), quoted)
        if text.startswith("$(", start):
            self.at = self.closing(start + 1, "(", ")")
        elif text.startswith("${", start):
            self.at = self.closing(start + 1, "{", "}")
        elif text[start] == "`":
            end = text.find("`", start + 1)
            if end < 0:
                raise self.error("the ` is never closed", start, start + 1)
            self.at = end + 1
        else:
            self.at += 1
            return "$"
        return Unknown("", text[start : self.at], self.place(start, self.at), quoted)

    def closing(self, start: int, opening: str, closing: str) -> int:
        """The offset after the ``closing`` that belongs to the ``opening`` at ``start``."""
        depth, at, text = 0, start, self.text
        while at < len(text):
            char = text[at]
            if char == "\\":
                at += 1
            elif char == "'":
                end = text.find("'", at + 1)
                at = end if end >= 0 else len(text)
            elif char == '"':
                match = _DOUBLE.match(text, at)
                at = match.end() - 1 if match else len(text)
            elif char == opening:
                depth += 1
            elif char == closing:
                depth -= 1
                if not depth:
                    return at + 1
            at += 1
        raise self.error(f"the {opening} is never closed", start, start + 1)

    def redirect(self, operator: str) -> None:
        """Read the word after a redirection, which is not a word of the command."""
        blank = _BLANK.match(self.text, self.at)
        if blank:
            self.at = blank.end()
        if self.text.startswith("(", self.at):  # <(command)
            self.at = self.closing(self.at, "(", ")")
            return
        word = self.word()
        if operator in ("<<", "<<-"):
            self.waiting.append((word.text, operator == "<<-", self.command))

    def here_documents(self) -> None:
        """Read the lines of the here-documents that the line before has begun."""
        for delimiter, tabs, command in self.waiting:
            start = self.at
            while True:
                if self.at >= len(self.text):
                    self.waiting = []
                    message = f"the here-document never ends: it needs a line {delimiter}"
                    raise self.error(message, start, min(start + 1, len(self.text)))
                end = self.text.find("\n", self.at)
                end = end if end >= 0 else len(self.text)
                line = self.text[self.at : end]
                if (line.lstrip("\t") if tabs else line) == delimiter:
                    break
                self.at = end + 1
            last = min(self.at, len(self.text))
            command.documents.append(HereDocument(self.text[start:last], self.place(start, last)))
            self.at = min(end + 1, len(self.text))
        self.waiting = []

    def error(self, message: str, start: int, end: int) -> _ReadingError:
        return _ReadingError(Problem(message, self.place(start, end)))


# --- expansion ---
#
# Variables of a shell script that the script itself sets, in the words after that.

_BLANKS: Final = regex(r"\s+")
_DECLARING: Final = frozenset({"export", "declare", "local", "readonly", "typeset"})


def expanded(script: Script) -> tuple[Command, ...]:
    """The commands with the values that the text itself gives to variables."""
    values: dict[str, tuple[Word, ...]] = {}
    commands: list[Command] = []
    for command in script.commands:
        words = tuple(word for one in command.words for word in _expand(one, values))
        assignments: list[Assignment] = []
        for assignment in command.assignments:
            value = tuple(word for one in assignment.words for word in _expand(one, values, split=assignment.array))
            assignments.append(replace(assignment, words=value))
        if not words:
            _assign(values, assignments)
        elif words[0].text in _DECLARING:
            _assign(values, (found for word in words[1:] if (found := _exported(word)) is not None))
        commands.append(replace(command, words=words, assignments=tuple(assignments)))
    return tuple(commands)


def _assign(values: dict[str, tuple[Word, ...]], assignments: Iterable[Assignment]) -> None:
    for assignment in assignments:
        before = values.get(assignment.name, ()) if assignment.more else ()
        if assignment.array or not before:
            values[assignment.name] = (*before, *assignment.words)
        else:
            joined = Word(tuple(part for word in (*before, *assignment.words) for part in word.parts), before[0].span)
            values[assignment.name] = (joined,)


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
