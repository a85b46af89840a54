"""Files of ``KEY=VALUE`` lines, which ``env_file()`` reads.

As ``docker run --env-file`` and ``kubectl create configmap --from-env-file`` read them: blanks before a key do not
count, blank lines and lines that begin with ``#`` are skipped, and the value is everything after the first ``=``. No
message contains a value or a line, because such files are where people keep their secrets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, value_rules
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.vocabulary.attributes import ENV_NAME

if TYPE_CHECKING:
    from tfdsl.text import Span

_KEY = regex(ENV_NAME)
_EXPORT = regex(r"export\s")
_MOST_LISTED = 5


class EnvFile(Record):
    """What a file contains: ``values`` by key, what is wrong by line, and the ``quoted`` keys with their lines."""

    values: dict[str, str]
    problems: dict[int, str]
    quoted: dict[int, str]


def read(text: str) -> EnvFile:
    """Read the lines of a file."""
    values: dict[str, str] = {}
    problems: dict[int, str] = {}
    quoted: dict[int, str] = {}
    lines: dict[str, int] = {}
    for number, line in _lines(text):
        key, equals, value = line.partition("=")
        problem = _problem(key, equals, lines)
        if problem:
            problems[number] = problem
            continue
        lines[key], values[key] = number, value
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            quoted[number] = key
    return EnvFile(values, problems, quoted)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that set something, from their first character that is not blank, with their numbers."""
    for number, line in enumerate(text.split("\n"), 1):
        content = line.removesuffix("\r").lstrip()
        if content and not content.startswith("#"):
            yield number, content


def _problem(key: str, equals: str, lines: dict[str, int]) -> str:
    """Why a line cannot be read; empty if it can."""
    if _EXPORT.match(key):
        return "export belongs to a shell: write KEY=VALUE"
    if not equals:
        return "it is not KEY=VALUE"
    if not key:
        return "there is no key before ="
    if key != key.rstrip():
        return "there is a blank before ="
    if _KEY.fullmatch(key) is None:
        return "the key may have only letters, digits, _, . and -, and cannot start with a digit"
    return f"{key} is set twice, first in line {lines[key]}" if key in lines else ""


def problem(file: EnvFile, path: str, span: Span) -> Diagnostic | None:
    """The error about the first wrong line of ``file``, at the call, which names the others."""
    if not file.problems:
        return None
    (first, words), *others = file.problems.items()
    diagnostic = value_rules.ENV_FILE(span, path=path, line=first, problem=words)
    return diagnostic.help(f"{_listed([at for at, _ in others])} also wrong") if others else diagnostic


def quotes(file: EnvFile, path: str, span: Span) -> Diagnostic | None:
    """The warning about values in quotes, at the call."""
    if not file.quoted:
        return None
    line, key = next(iter(file.quoted.items()))
    diagnostic = value_rules.ENV_FILE_QUOTES(span, path=path, line=line, key=key)
    others = [at for at in file.quoted if at != line]
    diagnostic = diagnostic.help(f"{_listed(others)} also quoted") if others else diagnostic
    return diagnostic.help("remove them from the file, unless the program expects them")


def _listed(lines: list[int]) -> str:
    """Line numbers as the subject of a sentence."""
    if len(lines) == 1:
        return f"line {lines[0]} is"
    shown = ", ".join(map(str, lines[:_MOST_LISTED]))
    return (
        f"lines {shown} and {len(lines) - _MOST_LISTED:,} more are"
        if len(lines) > _MOST_LISTED
        else (f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]} are")
    )
