"""``tfdsl new``: a first job to start from."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.cli.arguments import Command, Positional
from tfdsl.cli.report import OK, USAGE, report
from tfdsl.cli.streams import err
from tfdsl.diagnostics.render.columns import visible
from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT, OUTPUT_NOT_WRITTEN
from tfdsl.writing import Failure, File, write_all

if TYPE_CHECKING:
    from tfdsl.backend import Backend
    from tfdsl.cli.arguments import Arguments

COMMAND = Command(
    "new",
    "write a first job to start from",
    (Positional("NAME", "name of the job; the file is NAME.tfjob (default: train)", required=False),),
    (),
    ("tfdsl new mnist",),
)

_JOB = """\
# A distributed TensorFlow job.
#
#   tfdsl check {name}.tfjob --all-targets      what each target makes of it
#   tfdsl compile {name}.tfjob -t {first:<13} a manifest, to standard output
#   tfdsl compile {name}.tfjob -t {last} --set workers=8 -o out
#   tfdsl explain retries                       more about any word of this file

param workers: int = 2 {{ description = "training replicas", min = 1, max = 64 }}

# Taken with --profile large.
profile large {{ workers = 16 }}

job {name} {{
  # A fixed version, so that the same file always runs the same program.
  image   = "tensorflow/tensorflow:2.16.1"
  command = ["python", "/app/train.py"]

  # What each replica gets; a role may say otherwise. A device each: gpu = 1
  cpu    = 2
  memory = 4Gi

  # Start all replicas together or none? That needs a scheduler which can.
  gang = false

  # Data and results. The program finds its folder in CHECKPOINT_DIR.
  # mount pvc "{name}-data" at "/data" readonly
  # mount pvc "runs" at "/runs"
  # checkpoint = "/runs/${{job.name}}"

  role chief  {{ }}
  role worker {{ replicas = workers }}
  role ps     {{ cpu = 1, memory = 2Gi }}

  # All restarts of the job's life together; without a policy any failure ends the job.
  retries = 3

  # What one target does otherwise stands in its block, which has the last word.
{blocks}
}}
"""


def starter(name: str) -> str:
    """The text of a first job called ``name``."""
    starters = [target for target in targets.built_in() if target.starter]
    names = [target.name for target in starters]
    return _JOB.format(name=name, first=names[0], last=names[-1], blocks="\n".join(map(_block, starters)))


def _block(target: Backend) -> str:
    """What the target needs, on one line where it fits."""
    if len(target.starter) == 1:
        return f"  target {target.name} {{ {target.starter[0]} }}"
    return "\n".join([f"  target {target.name} {{", *(f"    {line}" for line in target.starter), "  }"])


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
    there = os.path.lexists(path)
    failure = Failure(path, "there is such a file already") if there else write_all([File(path, starter(name))])
    if failure is not None:
        return report([OUTPUT_NOT_WRITTEN(place, path=path, reason=failure.reason)], ())
    err(f"wrote {visible(path)}; try: tfdsl compile {visible(path)} -t {targets.names()[0]}\n")
    return OK
