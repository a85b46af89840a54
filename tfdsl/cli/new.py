"""``tfdsl new``: a first job to start from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.cli.arguments import Command, Positional
from tfdsl.cli.report import ERRORS, OK, USAGE, report
from tfdsl.cli.streams import err
from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT, OUTPUT_NOT_WRITTEN

if TYPE_CHECKING:
    from tfdsl.cli.arguments import Arguments

COMMAND = Command(
    "new",
    "write a first job to start from",
    (Positional("NAME", "name of the job; the file is NAME.tfjob (default: train)", required=False),),
    (),
    ("tfdsl new mnist",),
)

_JOB = """\
param workers: int = 2 {{ description = "training replicas", min = 1, max = 64 }}

job {name} {{
  image   = "tensorflow/tensorflow:2.16.1"
  command = ["python", "/app/train.py"]

  role chief  {{ cpu = 2, memory = 4Gi }}
  role worker {{ replicas = workers, cpu = 2, memory = 4Gi }}
  role ps     {{ cpu = 1, memory = 2Gi }}

  on failed => restart container
}}
"""


def run(arguments: Arguments) -> int:
    """Write ``NAME.tfjob``; a file of that name is left alone."""
    given = arguments.rest[0] if arguments.rest else None
    name = given.text if given else "train"
    place = given.span if given else arguments.line
    if not re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", name):
        what = f"{name} is no name of a job: small letters, digits and -, a letter first, at most 63 characters"
        report([BAD_ARGUMENT(place, what=what)], ())
        return USAGE
    path = f"{name}.tfjob"
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(_JOB.format(name=name))
    except OSError as error:
        reason = (
            "there is such a file already" if isinstance(error, FileExistsError) else (error.strerror or "").lower()
        )
        report([OUTPUT_NOT_WRITTEN(place, path=path, reason=reason)], ())
        return ERRORS
    err(f"wrote {path}; try: tfdsl compile {path} -t tfjob\n")
    return OK
