"""``tfdsl matrix``: the jobs of a file, with their names and the values of their axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import TEXT_OR_JSON, Arguments, Command, Positional
from tfdsl.cli.inputs import named_files
from tfdsl.cli.report import OK, USAGE, report, wrong_use
from tfdsl.cli.streams import out
from tfdsl.compiling.front_end import read
from tfdsl.compiling.masking import Hidden

if TYPE_CHECKING:
    from tfdsl.compiling.jobs import MatrixJob

COMMAND = Command(
    "matrix",
    "list the jobs of a file, with the values of their matrix",
    (Positional("FILE", "a .tfjob file, a job as JSON, or - for standard input"),),
    (chosen.JOB, chosen.NAME, chosen.PROFILE, chosen.PARAMS, chosen.SET, chosen.ALLOW_READ, TEXT_OR_JSON),
    ("tfdsl matrix mnist.tfjob", "tfdsl matrix mnist.tfjob --format json"),
    "A job whose condition is false is left out. --job NAME takes any name of the first column, or that of a block.",
)

_VERSION = 1
"""Of the JSON form."""


def run(arguments: Arguments) -> int:
    """Print the jobs."""
    picked = chosen.selection(arguments)
    if picked.errors:
        return wrong_use(picked.errors, "text", "tfdsl matrix --help", picked.hidden)
    named = named_files(arguments.rest[:1])
    if named.unreadable:
        report(named.unreadable, ())
        return USAGE
    from tfdsl.compiling.jobs import matrix_jobs

    source = named.sources[0]
    found = matrix_jobs(read(source, chosen.inputs(arguments, source)), picked.request)
    if found.diagnostics:
        return report(found.diagnostics, (), hidden=picked.hidden)
    as_json = arguments.text(TEXT_OR_JSON.name) == "json"
    out(_json(found.jobs, picked.hidden) if as_json else _text(found.jobs, picked.hidden))
    return OK


def _text(jobs: Sequence[MatrixJob], hidden: Hidden) -> str:
    """One table for the jobs of each block, or of neighbouring blocks with the same axes."""
    tables = ["\n".join(_table(list(group))) for _, group in groupby(jobs, key=lambda job: list(job.values))]
    from tfdsl.compiling.masking import hide
    from tfdsl.diagnostics.render.columns import line_of

    lines = "\n\n".join(tables).split("\n")
    return "".join(f"{line_of(hide(line, hidden))}\n" for line in lines)


def _table(jobs: Sequence[MatrixJob]) -> Iterator[str]:
    from tfdsl.simulating import table

    head = ("job", *jobs[0].values)
    yield from table([head, *((job.name, *(value.text for value in job.values.values())) for job in jobs)])


def _json(jobs: Sequence[MatrixJob], hidden: Hidden) -> str:
    from tfdsl.compiling.masking import hide
    from tfdsl.diagnostics.render.json import dumped

    data = [
        {
            "job": job.name,
            "block": job.block,
            "index": job.index,
            "values": {
                name: hide(value.data, hidden) if isinstance(value.data, str) else value.data
                for name, value in job.values.items()
            },
        }
        for job in jobs
    ]
    return dumped({"version": _VERSION, "jobs": data})
