"""``tfdsl graph``: a job as a picture."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, cast

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import FILE, Arguments, Command, Flag, quote
from tfdsl.cli.report import OK, end, report
from tfdsl.cli.streams import out
from tfdsl.compiling.front_end import hidden_with
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import OUTPUT_NOT_WRITTEN, OUTPUT_PLACE
from tfdsl.text import Argument

if TYPE_CHECKING:
    from tfdsl.drawing.graphs import Format, Graph
    from tfdsl.drawing.picture import Direction, Picture

OUTPUT = Flag(
    "--output", "a file (.svg, .mmd, .dot or .json), a folder, or - for standard output", short="-o", value="PATH"
)
FORMAT = Flag(
    "--format",
    "of a file it is that of its name (default: mermaid)",
    value="FORMAT",
    one_of=("mermaid", "svg", "dot", "json"),
)
DIRECTION = Flag("--direction", "where links lead to (default: down)", value="SIDE", one_of=("down", "right"))

COMMAND = Command(
    "graph",
    (FILE,),
    (
        chosen.TARGET,
        OUTPUT,
        FORMAT,
        DIRECTION,
        *chosen.OF_JOBS,
        chosen.ALLOW_READ,
    ),
    (
        "tfdsl graph mnist.tfjob -o mnist.svg",
        "tfdsl graph mnist.tfjob -t kubernetes",
        "tfdsl graph nightly.tfjob --flow nightly -o nightly.svg",
    ),
    "Without -t: the job as it is written. With -t also what there is on the cluster for it.\n"
    "Several jobs, or one job for several targets, are below each other in one picture; a folder gets a file for\n"
    "each. Jobs that differ only in their names, as those of a matrix often do, are drawn once.",
)

_ENDINGS: Final[dict[str, Format]] = {
    ".svg": "svg",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".dot": "dot",
    ".gv": "dot",
    ".json": "json",
}
_ENDING_OF: Final[dict[Format, str]] = {"svg": ".svg", "mermaid": ".mmd", "dot": ".dot", "json": ".json"}


def run(arguments: Arguments) -> int:
    """Draw the jobs of the file."""
    picked = chosen.selection(arguments)
    place = arguments.value(OUTPUT.name)
    form = _format(place, arguments)
    errors = [form] if isinstance(form, Diagnostic) else []
    file = chosen.opened(arguments, picked, errors)
    assert isinstance(form, str)
    from tfdsl.drawing.graphs import drawn, graphs, has_errors

    result = graphs(file.given, picked.request, picked.choices)
    hidden = hidden_with(file.given, picked.hidden)
    if has_errors(result):
        return report(result.diagnostics, (), hidden=hidden)
    direction = cast("Direction", arguments.text(DIRECTION.name) or "down")

    def text(of: Sequence[Graph]) -> str:
        return drawn([_shown(graph, hidden) for graph in of], form, of, direction)

    if place is None or place.text == "-":
        out(text(result.graphs))
        return OK
    taken = [source.origin for source in (file.source, *file.inputs.sources) if source.origin is not None]
    return _write(result.graphs, place, form, text, taken)


def _format(place: Argument | None, arguments: Arguments) -> Format | Diagnostic:
    """The format that is asked for, by its name or by the ending of a file."""
    asked = cast("Format", arguments.text(FORMAT.name))
    if place is None or place.text == "-":
        return asked or "mermaid"
    path = place.text
    if not path:
        return OUTPUT_PLACE(place.span, what="-o has an empty path").help("write -o . to use the current folder")
    if _is_folder(path):
        return asked or "svg"
    ending = os.path.splitext(path)[1].lower()
    if asked:
        return asked
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    problem = OUTPUT_PLACE(place.span, what=f"{path} does not say which kind of picture it is")
    stem = path[: len(path) - len(ending)] if ending else path
    return problem.help(f"write -o {quote(stem + '.svg')}, .mmd or .dot, or add --format")


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) or path.endswith((os.sep, "/"))


def _shown(graph: Graph, hidden: Hidden) -> Picture:
    if not hidden.values:
        return graph.picture
    from tfdsl.drawing.graphs import with_texts

    return with_texts(graph.picture, lambda text: hide(text, hidden))


def _write(
    made: Sequence[Graph], place: Argument, form: Format, text: Callable[[Sequence[Graph]], str], taken: Sequence[str]
) -> int:
    """Write the pictures into one file or, for a folder, one for each; never over one of ``taken``."""
    from tfdsl.writing import File, write_all

    path = place.text
    if _is_folder(path):
        parts = zip(_names(made, _ENDING_OF[form]), made, strict=True)
        files = [File(os.path.join(path, *name), text([graph]), root=path) for name, graph in parts]
    else:
        files = [File(path, text(made))]
    failure = write_all(files, taken)
    if failure is not None:
        end([OUTPUT_NOT_WRITTEN(place.span, path=failure.path, reason=failure.reason)])
    return OK


def _names(made: Sequence[Graph], ending: str) -> list[list[str]]:
    """The path of each picture below a folder: with a folder for each target if there are several."""
    targets = list(dict.fromkeys(graph.picture.target for graph in made))
    several = len(targets) > 1
    return [
        [*([graph.picture.target.replace(" ", "-")] if several else []), f"{graph.picture.name}{ending}"]
        for graph in made
    ]
