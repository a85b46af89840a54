"""``tfdsl diff``: what differs between two jobs as the cluster would see them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import Arguments, Command, Flag, Positional
from tfdsl.cli.report import ERRORS, OK, document, end, refuse, report
from tfdsl.cli.streams import out, takes_colour
from tfdsl.comparing.comparison import Change, Hunk, Result, Row, changes, compared, hunks, targets_for, value_texts
from tfdsl.comparing.sides import Side, open_side, path_of
from tfdsl.compiling.masking import Hidden, hidden_texts, hide
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, MISSING_ARGUMENT
from tfdsl.diagnostics.render.columns import line_of
from tfdsl.manifest.nodes import Node, plain
from tfdsl.source_files import STDIN
from tfdsl.text import Span

FORMAT = Flag(
    "--format",
    "text: a unified diff (default); summary: a line per difference",
    value="FORMAT",
    one_of=("text", "summary", "json"),
)

COMMAND = Command(
    "diff",
    (
        Positional("A", "a .tfjob file, FILE@REVISION of git, a manifest, a job or a flow as JSON, or -"),
        Positional("B", "the same"),
    ),
    (
        chosen.TARGET,
        chosen.JOB,
        chosen.FLOW,
        chosen.PROFILE,
        chosen.PARAMS,
        chosen.SET,
        chosen.OPTION,
        chosen.ALLOW_READ,
        FORMAT,
    ),
    (
        "tfdsl diff mnist.tfjob mnist.tfjob -t tfjob",
        "tfdsl diff mnist.tfjob mnist.tfjob -t volcano --format summary",
    ),
    "Both sides are brought into the normal form of the target: what the server adds is left out, and a default is\n"
    "the same as nothing. Without -t: the target of a manifest, else those that the project sets (tfdsl.toml), else\n"
    "those that A has blocks for, else those of B.\n"
    "Params and options apply to both sides. Exit status: 0 no difference, 1 a difference, 2 no answer.",
)


def run(arguments: Arguments) -> int:
    """Read the sides, compare them, and print what differs."""
    picked = chosen.selection(arguments)
    first, second = arguments.rest
    twice = first.text == second.text == STDIN
    errors = [BAD_ARGUMENT(second.span, what="standard input can be read only once")] if twice else []
    refuse([*picked.errors, *errors], arguments, hidden=picked.hidden)
    diagnostics: list[Diagnostic] = []
    report_one = diagnostics.append
    opened = [open_side(argument.text, argument.span, picked.allowed, report_one) for argument in (first, second)]
    sides = [side for side in opened if side is not None]
    if len(sides) < 2:
        end(_errors(diagnostics), hidden=picked.hidden)
    pair = sides[0], sides[1]
    choices = targets_for(*pair, picked.choices, second.span, report_one, picked.allowed)
    if not choices and not diagnostics:
        missing = MISSING_ARGUMENT(arguments.line, what="diff needs a target: -t TARGET")
        end([missing], hidden=_hidden(sides, picked.hidden))
    results = compared(pair, choices, picked.request, report_one, picked.allowed) if choices else None
    hidden = _hidden(sides, picked.hidden)
    if results is None:
        end(_errors(diagnostics), hidden=hidden)
    report(diagnostics, (), hidden=hidden)
    out(shown(results, (path_of(pair[0]), path_of(pair[1])), hidden, arguments.text(FORMAT.name, "text")))
    return OK if all(result.same for result in results) else ERRORS


def _errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [diagnostic for diagnostic in diagnostics if diagnostic.level == "error"]


def _hidden(sides: Iterable[Side], hidden: Hidden) -> Hidden:
    """The values of the command line and of the files of ``env_file()`` that nothing may show."""
    secrets = set[str]().union(*(getattr(side, "hidden", set[str]()) for side in sides))
    return Hidden((*hidden.values, *hidden_texts(secrets).values), hidden.paths) if secrets else hidden


_COLUMN: Final = 56
"""Where the places of changed lines begin, unless a line is longer."""
_COLOURS: Final = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m"}


def shown(results: Sequence[Result], names: tuple[str, str], hidden: Hidden, form: str) -> str:
    """The differences in one of the formats; in those for people nothing where nothing differs."""
    if form == "json":
        return _document(results, names, hidden)
    lines = [
        line
        for result in results
        if not result.same
        for line in (_summary if form == "summary" else _unified)(result, names)
    ]
    colour = form == "text" and takes_colour(sys.stdout)
    return "".join(_line(hide(line, hidden), colour=colour) for line in lines)


def _line(line: str, *, colour: bool) -> str:
    text = line_of(line)
    start = _COLOURS.get(text[:1]) if colour else None
    return f"{text}\n" if start is None else f"{start}{text}\x1b[0m\n"


# --- a unified diff --------------------------------------------------------------------------------------------


def _unified(result: Result, names: tuple[str, str]) -> Iterator[str]:
    target = f"{result.target} {result.version}"
    yield f"--- {names[0]}: {result.first or 'no such job'} ({target})"
    yield f"+++ {names[1]}: {result.second or 'no such job'} ({target})"
    for pair in result.compared.objects if result.compared is not None else ():
        for hunk in hunks(pair.first, pair.second):
            yield from _hunk(hunk, pair.name)


def _hunk(hunk: Hunk, name: str) -> Iterator[str]:
    counts = [sum(row.sign != sign for row in hunk.rows) for sign in "+-"]
    yield f"@@ -{hunk.first},{counts[0]} +{hunk.second},{counts[1]} @@ {name}"
    yield from map(_row, hunk.rows)


def _row(row: Row) -> str:
    text = f"{row.sign}{row.line.text}"
    return text if row.sign == " " else f"{text:<{_COLUMN}}  # {_place(row.line.span)}"


def _place(span: Span) -> str:
    return f"{span.source.path}:{span.source.position(span.start)[0]}"


# --- a summary -------------------------------------------------------------------------------------------------


def _summary(result: Result, names: tuple[str, str]) -> Iterator[str]:
    if result.compared is None:
        yield f"{result.first or result.second} ({result.target}): only in {names[0] if result.first else names[1]}"
        return
    name = result.first if result.first == result.second else f"{result.first} → {result.second}"
    yield f"{name} ({result.target} {result.version})"
    several = len(result.compared.objects) > 1
    # a request and its limit come from one attribute; whose line it is, is said by the first of them
    lines: dict[tuple[str, str, str], str] = {}
    for change in changes(result.compared):
        key = (change.words or f"{change.object} {change.path}", *value_texts(change.first, change.second))
        lines.setdefault(key, f"  {_change(change, names, several=several)}")
    yield from lines.values()


def _change(change: Change, names: tuple[str, str], *, several: bool) -> str:
    if not change.path:
        return f"{change.object}: only in {names[0] if change.second is None else names[1]}"
    what = change.words or (f"{change.object} {change.path}" if several else change.path)
    places = ", ".join(dict.fromkeys(_place(node.span) for node in (change.first, change.second) if node is not None))
    first, second = value_texts(change.first, change.second)
    return f"{what} {first} → {second}  ({places})"


# --- JSON ------------------------------------------------------------------------------------------------------


def _document(results: Sequence[Result], names: tuple[str, str], hidden: Hidden) -> str:
    data = {
        "same": all(result.same for result in results),
        "a": names[0],
        "b": names[1],
        "jobs": [_job(result, hidden) for result in results],
    }
    return document(1, data)


def _job(result: Result, hidden: Hidden) -> dict[str, object]:
    differences = changes(result.compared) if result.compared is not None else []
    return {
        "a": result.first,
        "b": result.second,
        "target": result.target,
        "target_version": result.version,
        "same": result.same,
        "differences": [_difference(change, hidden) for change in differences],
    }


def _difference(change: Change, hidden: Hidden) -> dict[str, object]:
    return {
        "object": change.object,
        "path": change.path,
        "words": change.words,
        "a": _side(change.first, hidden),
        "b": _side(change.second, hidden),
    }


def _side(node: Node | None, hidden: Hidden) -> dict[str, object] | None:
    """The value of one side and where it is from; ``null`` where the side has none."""
    if node is None:
        return None
    line, column = node.span.source.position(node.span.start)
    value: object = plain(node)
    if hidden.values:
        value = json.loads(hide(json.dumps(value, ensure_ascii=False), hidden))
    return {"value": value, "path": node.span.source.path, "line": line, "column": column}
