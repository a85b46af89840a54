"""The functions of expressions; their names and signatures are in :mod:`tfdsl.vocabulary.functions`."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration, fold, folded, is_sure, words_of
from tfdsl.patterns import regex
from tfdsl.semantics import operators
from tfdsl.semantics.project import not_read, shown_path
from tfdsl.semantics.scope import EnvFile, Scope
from tfdsl.semantics.values import (
    POISON,
    Data,
    Entry,
    ListData,
    MapData,
    PodField,
    Poison,
    Reference,
    RunTimeText,
    Value,
    a_kind,
    is_number,
    kind_of,
    list_data,
    map_data,
    show,
)
from tfdsl.source_files import is_file_name
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import foreign, functions as rows
from tfdsl.vocabulary.attributes import ENV_NAME
from tfdsl.vocabulary.secrets import is_secret


def call(name: ast.Name, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    """The result of ``name(arguments…)``."""
    row = rows.BY_NAME.get(name.text)
    if row is None:
        return _meant(name, name_rules.UNKNOWN_FUNCTION(name.span, name=name.text))
    if len(arguments) < row.least or (row.most is not None and len(arguments) > row.most):
        plural = "s" if row.least != 1 else ""
        expected = f"{'at least ' if row.most is None else ''}{row.least} argument{plural}"
        return name_rules.ARGUMENT_COUNT(span, name=name.text, expected=expected, given=str(len(arguments))).help(
            f"write {row.signature}"
        )
    if any(isinstance(argument.data, Poison) for argument in arguments):
        return POISON
    for argument in arguments[: _TEXTS.get(name.text, 0)]:
        if not isinstance(argument.data, str):
            return _wrong(name.text, argument, "a string")
    return _FUNCTIONS[name.text](name.text, arguments, scope, span)


def _meant(name: ast.Name, unknown: Diagnostic) -> Diagnostic:
    """``unknown``, about a function that does not exist, with what to write instead."""
    instead = folded(foreign.FUNCTIONS).get(fold(name.text))
    if instead is not None:
        return unknown.help(instead)
    aliases = words_of(rows.FUNCTIONS)
    near = closest(name.text, rows.BY_NAME, aliases)
    if near is None:
        return unknown.help(f"functions are {enumeration(rows.BY_NAME)}")
    sure = is_sure(name.text, near, rows.BY_NAME) or aliases.mean_same(name.text)
    return unknown.help(f"did you mean {near}()?").replacing(f"write {near}", near, safe=sure)


def _wrong(name: str, argument: Value, expected: str) -> Diagnostic:
    data = argument.data
    given = "a text known only at run time" if isinstance(data, RunTimeText) else a_kind(data)
    return name_rules.ARGUMENT_TYPE(argument.span, name=f"{name}()", expected=expected, given=given)


def _reference(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    key = arguments[1] if len(arguments) > 1 else None
    return Reference("secret" if name == "secret" else "configmap", arguments[0], key)


def _pod_field(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    return PodField(arguments[0])


def _extreme(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    best = arguments[0]
    if not is_number(best.data) and kind_of(best.data) not in (
        "quantity",
        "duration",
        "quantity or duration",
    ):
        return _wrong(name, best, "numbers, quantities or durations")
    for argument in arguments[1:]:
        less = operators.binary("<", argument.data, best.data, argument.span)
        if isinstance(less, Diagnostic):
            return _wrong(name, argument, f"{a_kind(best.data)} like the first")
        if less is (name == "min"):
            best = argument
    return best.data


def _len(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    data = arguments[0].data
    if isinstance(data, ListData):
        return len(data.items)
    if isinstance(data, MapData):
        return len(data.entries)
    return len(data) if isinstance(data, str) else _wrong(name, arguments[0], "a list, map or string")


def _on_text(work: Callable[[str], str]) -> Callable[[str, list[Value], Scope, Span], Data | Diagnostic]:
    return lambda name, arguments, scope, span: work(_text(arguments[0]))


def _text(argument: Value) -> str:
    """The text of an argument that :func:`call` knows to be one."""
    assert isinstance(argument.data, str)
    return argument.data


def _join(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    separator = _text(arguments[0])
    if not isinstance(arguments[1].data, ListData):
        return _wrong(name, arguments[1], "a list")
    pieces: list[str] = []
    for item in arguments[1].data.items:
        if isinstance(item.data, Poison):
            return POISON
        piece = show(item.data)
        if piece is None:
            return _wrong(name, item, "elements that can be part of a text")
        pieces.append(piece)
    if sum(len(piece) + len(separator) for piece in pieces) > 2 * operators.LONGEST_TEXT:
        return operators.text_too_long(span)
    return separator.join(pieces)


def _split(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    separator, text = map(_text, arguments)
    if not separator:
        return value_rules.EMPTY(arguments[0].span, what="the separator of split()")
    parts = text.split(separator, operators.LONGEST_LIST)
    return list_data(tuple(Value(part, arguments[1].span) for part in parts))


def _replace(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    text, old, new = map(_text, arguments)
    if not old:
        return value_rules.EMPTY(arguments[1].span, what="the text to replace")
    if len(text) + text.count(old) * (len(new) - len(old)) > operators.LONGEST_TEXT:
        return operators.text_too_long(span)
    return text.replace(old, new)


def _format(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    template = _text(arguments[0])
    if not scope.globals.spend(template.count("%")):
        return operators.exhausted(span)
    rest = iter(arguments[1:])
    pieces: list[str] = []
    length = done = 0
    at = template.find("%")
    while at >= 0:
        letter = template[at + 1 : at + 2]
        piece = "%" if letter == "%" else _directive(letter, rest, arguments[0].span, name)
        if isinstance(piece, Diagnostic):
            return piece
        pieces += (template[done:at], piece)
        length += at - done + len(piece)
        if length > operators.LONGEST_TEXT:
            return operators.text_too_long(span)
        done = at + 2
        at = template.find("%", done)
    pieces.append(template[done:])
    extra = next(rest, None)
    if extra is not None:
        return value_rules.FORMAT_PROBLEM(extra.span, problem="there is no %s or %d for this argument")
    return "".join(pieces)


def _directive(letter: str, rest: object, span: Span, name: str) -> str | Diagnostic:
    if letter not in ("s", "d"):
        return value_rules.FORMAT_PROBLEM(span, problem=f"%{letter} is not a directive").help("use %s, %d or %%")
    argument: Value | None = next(rest, None)  # type: ignore[call-overload]  # an iterator over values  # pyright: ignore
    if argument is None:
        return value_rules.FORMAT_PROBLEM(span, problem=f"%{letter} has no argument")
    if letter == "d" and (isinstance(argument.data, bool) or not isinstance(argument.data, int)):
        return _wrong(name, argument, "an int for %d")
    text = show(argument.data)
    return text if text is not None else _wrong(name, argument, "a value that can be part of a text for %s")


def _file(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    return _read(_text(arguments[0]), arguments[0].span, scope)


def _read(path: str, at: Span, scope: Scope) -> str | Diagnostic:
    """Text of a file named relative to the source of ``at``."""
    if posixpath.isabs(path) or path.startswith("~"):
        return value_rules.FILE_PROBLEM(at, path=shown_path(path), reason="the path must be relative to the source")
    if at.source.origin is None:
        return value_rules.FILE_PROBLEM(at, path=path, reason="the source has no folder")
    full = posixpath.normpath(posixpath.join(posixpath.dirname(at.source.origin), path))
    text = scope.globals.files.get(full)
    if text is None:
        read = scope.globals.program.read(full) if is_file_name(path) else "it is not a file name"
        if isinstance(read, str):
            return not_read(value_rules.FILE_PROBLEM, at, path, read)
        if len(read.text.encode("utf-8", "surrogatepass")) > LARGEST_FILE:
            return value_rules.FILE_PROBLEM(at, path=path, reason="it is larger than 1 MiB")
        text = scope.globals.files[full] = read.text
    return text


def _env_file(name: str, arguments: list[Value], scope: Scope, span: Span) -> Data | Diagnostic:
    """The lines of a file as a map whose keys and values are all at the call; its secrets are noted as such."""
    path = _text(arguments[0])
    text = _read(path, arguments[0].span, scope)
    if isinstance(text, Diagnostic):
        return text
    file = scope.globals.env_files.get(text)
    if file is None:
        file = scope.globals.env_files[text] = read_env_file(text)
        scope.globals.program.hidden.update(value for key, value in file.values.items() if is_secret(key, value))
    problem = _wrong_lines(file, path, span)
    if problem is not None:
        return problem
    quotes = _quotes(file, path, span)
    if quotes is not None:
        scope.report(quotes)
    return map_data({key: Entry(key, span, Value(value, span)) for key, value in file.values.items()})


_FUNCTIONS: dict[str, Callable[[str, list[Value], Scope, Span], Data | Diagnostic]] = {
    "secret": _reference,
    "configmap": _reference,
    "pod_field": _pod_field,
    "min": _extreme,
    "max": _extreme,
    "len": _len,
    "lower": _on_text(str.lower),
    "upper": _on_text(str.upper),
    "trim": _on_text(str.strip),
    "join": _join,
    "split": _split,
    "replace": _replace,
    "format": _format,
    "file": _file,
    "env_file": _env_file,
}

_TEXTS = {
    "secret": 2,
    "configmap": 2,
    "pod_field": 1,
    "lower": 1,
    "upper": 1,
    "trim": 1,
    "join": 1,
    "split": 2,
    "replace": 3,
    "format": 1,
    "file": 1,
    "env_file": 1,
}
"""How many of the first arguments are texts."""

LARGEST_FILE = 1 << 20
"""The most bytes that ``file()`` and ``env_file()`` read."""


# --- files of KEY=VALUE lines ----------------------------------------------------------------------------------
# As ``docker run --env-file`` and ``kubectl create configmap --from-env-file`` read them: blanks before a key do not
# count, blank lines and lines that begin with ``#`` are skipped, and the value is everything after the first ``=``. No
# message contains a value or a line, because such files are where people keep their secrets.

_KEY = regex(ENV_NAME)
_EXPORT = regex(r"export\s")
_MOST_LISTED = 5


def read_env_file(text: str) -> EnvFile:
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


def _wrong_lines(file: EnvFile, path: str, span: Span) -> Diagnostic | None:
    """The error about the first wrong line of ``file``, at the call, which names the others."""
    if not file.problems:
        return None
    (first, words), *others = file.problems.items()
    diagnostic = value_rules.ENV_FILE(span, path=path, line=first, problem=words)
    return diagnostic.help(f"{_listed([at for at, _ in others])} also wrong") if others else diagnostic


def _quotes(file: EnvFile, path: str, span: Span) -> Diagnostic | None:
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
