"""Keeping secrets of the command line and of its files of values, or of a Python program, out of what is printed.

A value that ``--set`` or ``-O`` gives under the name or in the form of a secret comes from a store of secrets; logs are
read by more people than that. So does such a value in a file that ``env_file()`` reads. What stands in the job's own
files is shown: who reads the message can read the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.syntax import ast
from tfdsl.text import Source, Span
from tfdsl.vocabulary.secrets import is_secret

if TYPE_CHECKING:
    from tfdsl.semantics.request import Request


MASK: Final = "***"
_LONG: Final = 8
"""Characters from which a value is hidden inside of words too, and where only its beginning is shown."""
_SHORTEST: Final = 4
"""Characters of a value that is hidden; what is shorter keeps nobody out, and would blot out words of the messages."""
_FLAG: Final = regex(r"--(?:set|option)=|-O=?")
_GIVEN: Final = ("<command line>", "--set ", "-O ", "params[", "options[")


class Hidden(Record):
    """The values that are not to be printed. ``paths``: files that hold nothing but values of options."""

    values: tuple[str, ...] = ()
    paths: frozenset[str] = frozenset()


NOTHING: Final = Hidden()


def hidden_in(words: Iterable[str], request: Request | None = None) -> Hidden:
    """The secrets in the words of a command line, whatever they are read as, and in the files that they name."""
    pairs = (_FLAG.sub("", word).partition("=") for word in words)
    values = [value for name, _, value in pairs if value[:1] != "@" and is_secret(name.strip(), value)]
    if request is None:
        return Hidden(tuple(_spellings(values)))
    paths: list[str] = []
    given = [(param.name, param.source, param.form) for param in request.params]
    given += [(option.key, option.source, option.form) for option in request.options]
    for name, source, form in given:
        found = [
            text for text in (source.text.split("\n") if form == "lines" else [source.text]) if is_secret(name, text)
        ]
        found += [] if form == "lines" else _in_map(name, source)
        values += map(str.strip, found)
        paths += [source.path] if found else []
    for source in request.values:
        found = list(_of_file(source))
        values += found
        paths += [source.path] if found else []
    return Hidden(tuple(_spellings(values)), frozenset(paths))


def _in_map(name: str, source: Source) -> list[str]:
    """The secrets in a value that is written as a map or list, each under its own key."""
    if source.text.lstrip()[:1] not in ("{", "["):
        return []
    from tfdsl.syntax.parser import parse_expression

    expression, _ = parse_expression(source)
    return [text for key, text in _texts(name, expression) if is_secret(key, text) or is_secret(name, text)]


def _of_file(source: Source) -> Iterator[str]:
    """The secrets among the texts of a file of values, each under the name of its param or key."""
    from tfdsl.syntax.parser import parse_values

    entries, _ = parse_values(source)
    for entry in entries:
        yield from (text for name, text in _texts(entry.key.text, entry.value) if is_secret(name, text))


def _texts(name: str, value: ast.Expr) -> Iterator[tuple[str, str]]:
    """The literal texts of a value, with their names."""
    if isinstance(value, ast.Str):
        yield name, "".join(part for part in value.parts if isinstance(part, str))
    elif isinstance(value, ast.ListExpr):
        for item in value.items:
            yield from _texts(name, item)
    elif isinstance(value, ast.MapExpr):
        for entry in value.entries:
            yield from _texts(entry.key.text, entry.value)
    elif isinstance(value, ast.Binary | ast.Choice):
        for part in (value.left, value.right) if isinstance(value, ast.Binary) else (value.yes, value.no):
            yield from _texts(name, part)


def hidden_values(values: Iterable[tuple[str, str]]) -> Hidden:
    """The secrets among texts that a program gives under a name."""
    return Hidden(tuple(_spellings(text for name, text in values if is_secret(name, text))))


def hidden_texts(texts: Iterable[str]) -> Hidden:
    """A mask of all ``texts``, in each spelling in which they could be printed."""
    return Hidden(tuple(_spellings(texts)))


def _spellings(values: Iterable[str]) -> Iterator[str]:
    """Each value as it is, in quotes of a shell and in quotes of the language."""
    spellings: set[str] = set()
    for value in values:
        spellings |= {value, value.replace("'", "'\\''"), value.replace("\\", "\\\\").replace('"', '\\"')}
    return iter(sorted(text for text in spellings if len(text) >= _SHORTEST))


def masked(diagnostics: Sequence[Diagnostic], hidden: Hidden) -> Sequence[Diagnostic]:
    """``diagnostics`` without the values, in their texts and in the places that they show."""
    return [_Masking(hidden).diagnostic(diagnostic) for diagnostic in diagnostics] if hidden.values else diagnostics


def hide(text: str, hidden: Hidden) -> str:
    """``text`` without the values."""
    for start, end in reversed(_places(text, hidden)):
        text = f"{text[:start]}{MASK}{text[end:]}"
    return text


def _places(text: str, hidden: Hidden) -> list[tuple[int, int]]:
    """Where values stand in ``text``, in order; of a long one the beginning is enough."""
    ranges: list[tuple[int, int]] = []
    for value in hidden.values:
        head = re.escape(value[:_LONG])
        for match in re.finditer(head if len(value) >= _LONG else rf"(?<!\w){head}(?!\w)", text):
            end = match.end()
            while end < len(text) and end - match.start() < len(value) and text[end] == value[end - match.start()]:
                end += 1
            ranges.append((match.start(), end))
    return _joined(sorted(ranges))


def _joined(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Places that overlap as one."""
    joined: list[tuple[int, int]] = []
    for start, end in places:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


class _Masking:
    """Masks what several diagnostics show; ``sources``: those that have been masked."""

    def __init__(self, hidden: Hidden) -> None:
        self.hidden = hidden
        self.sources: dict[Source, Source] = {}

    def diagnostic(self, problem: Diagnostic) -> Diagnostic:
        """A diagnostic without the values."""
        text = self._text
        return replace(
            problem,
            message=text(problem.message),
            span=self._span(problem.span),
            labels=tuple(
                replace(label, span=self._span(label.span), message=text(label.message)) for label in problem.labels
            ),
            helps=tuple(map(text, problem.helps)),
            fixes=tuple(
                replace(
                    fix,
                    title=text(fix.title),
                    edits=tuple(replace(edit, span=self._span(edit.span), text=text(edit.text)) for edit in fix.edits),
                )
                for fix in problem.fixes
            ),
            mark=text(problem.mark),
        )

    def _text(self, text: str) -> str:
        return hide(text, self.hidden)

    def _span(self, span: Span) -> Span:
        """The same place in the masked source, if its source is one that the command line gave."""
        source = span.source
        if not source.path.startswith(_GIVEN) and source.path not in self.hidden.paths:
            return span
        if source not in self.sources:
            self.sources[source] = Source(source.path, self._text(source.text), source.origin)
        places = _places(source.text, self.hidden)
        start, end = (_moved(offset, places) for offset in (span.start, span.end))
        return Span(self.sources[source], start, end)


def _moved(offset: int, places: Iterable[tuple[int, int]]) -> int:
    """Where ``offset`` is when every place has become a mask; inside of one it goes to its end."""
    moved = offset
    for start, end in places:
        if offset >= end:
            moved -= end - start - len(MASK)
        elif offset > start:
            moved = moved - (offset - start) + len(MASK)
    return moved
