"""``tfdsl matrix``: the jobs of a file, with their names and the values of their axes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import FILE, TEXT_OR_JSON, Arguments, Command
from tfdsl.cli.report import OK, document, end_if, lines_for_people
from tfdsl.cli.streams import columns, out
from tfdsl.compiling.jobs import MatrixJob, matrix_jobs
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.simulating import table

COMMAND = Command(
    "matrix",
    (FILE,),
    (chosen.JOB, chosen.NAME, chosen.PROFILE, chosen.PARAMS, chosen.SET, chosen.ALLOW_READ, TEXT_OR_JSON),
    ("tfdsl matrix mnist.tfjob", "tfdsl matrix mnist.tfjob --format json"),
    "A job whose condition is false is left out. --job NAME takes any name of the first column, or that of a block.",
)


def run(arguments: Arguments) -> int:
    """Print the jobs of a file with the values of their axes."""
    picked = chosen.selection(arguments)
    listed = matrix_jobs(chosen.opened(arguments, picked).given, picked.request)
    end_if(listed.diagnostics, hidden=picked.hidden)
    as_json = arguments.text(TEXT_OR_JSON.name) == "json"
    out(_json(listed.jobs, picked.hidden) if as_json else _text(listed.jobs, picked.hidden))
    return OK


def _text(jobs: Sequence[MatrixJob], hidden: Hidden) -> str:
    """One table for the jobs of each block, or of neighbouring blocks with the same axes."""
    tables = ["\n".join(_table(list(group))) for _, group in groupby(jobs, key=lambda job: list(job.values))]
    return lines_for_people("\n\n".join(tables).split("\n"), hidden)


def _table(jobs: Sequence[MatrixJob]) -> Iterator[str]:
    head = ("job", *jobs[0].values)
    rows = [head, *((job.name, *(value.text for value in job.values.values())) for job in jobs)]
    yield from table(rows, columns(sys.stdout))


def _json(jobs: Sequence[MatrixJob], hidden: Hidden) -> str:
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
    return document(1, {"jobs": data})
