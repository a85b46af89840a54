"""The words of a command line or a shell script, with places: what POSIX sh, and bash with its arrays, makes of a text.

Nothing is run. ``$X``, ``${X…}``, ``$(…)`` and `` `…` `` stay in the word as they are written; where the text itself
sets a variable, :mod:`tfdsl.manifest.expansion` replaces it. Which way an ``if`` goes is not known: all its commands
are there, in the order written, and so are those of functions.
"""

from __future__ import annotations

import re
from typing import Final

from tfdsl.manifest.script import Assignment, Command, HereDocument, Place, Problem, Script, Unknown, Word, joined
from tfdsl.patterns import regex
from tfdsl.text import Span

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
            words = self.array(start)
            command.assignments.append(Assignment(assigns[1], words, array=True, more=bool(assigns[2])))
        elif assigns:
            self.at = assigns.end()
            value = self.word()
            command.assignments.append(Assignment(assigns[1], (value,), more=bool(assigns[2])))
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
                found = _DOUBLE.match(text, at)
                at = found.end() - 1 if found else len(text)
            elif char == opening:
                depth += 1
            elif char == closing:
                depth -= 1
                if not depth:
                    return at + 1
            at += 1
        raise self.error(f"the {opening} is never closed", start, start + 1)

    def redirect(self, operator: str) -> None:
        """Read the word after a redirection, which is no word of the command."""
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
