"""``tfdsl new``: write a first job to start from."""

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
    (Positional("NAME", "the name of the job, written to NAME.tfjob (default: train)", required=False),),
    (),
    ("tfdsl new mnist",),
)

_JOB = """\
# A distributed TensorFlow job.
#
#   tfdsl check {name}.tfjob --all-targets      check the job for every target
#   tfdsl compile {name}.tfjob -t {first:<13} write a manifest to standard output
#   tfdsl compile {name}.tfjob -t {last} --set workers=8 -o out
#   tfdsl explain retries                       explain any word of this file

param workers: int = 2 {{ description = "training replicas", min = 1, max = 64 }}

# Used with --profile large.
profile large {{ workers = 16 }}

job {name} {{
  # A fixed version, so that this file always runs the same program.
  image   = "tensorflow/tensorflow:2.16.1"
  command = ["python", "/app/train.py"]

  # The resources of each replica; a role may override them. Add gpu = 1 for one GPU each.
  cpu    = 2
  memory = 4Gi

  # gang = true starts all replicas together or none; the scheduler has to support it.
  gang = false

  # Data and results. The program gets the checkpoint folder in CHECKPOINT_DIR.
  # mount pvc "{name}-data" at "/data" readonly
  # mount pvc "runs" at "/runs"
  # checkpoint = "/runs/${{job.name}}"

  role chief  {{ }}
  role worker {{ replicas = workers }}
  role ps     {{ cpu = 1, memory = 2Gi }}

  # The number of restarts in the job's whole life. Without a policy, any failure ends the job.
  retries = 3

  # What is different on one target goes in its block, which overrides everything above.
{blocks}
}}
"""


def starter(name: str) -> str:
    """The text of a first job called ``name``."""
    starters = [target for target in targets.built_in() if target.starter]
    names = [target.name for target in starters]
    return _JOB.format(name=name, first=names[0], last=names[-1], blocks="\n".join(map(_block, starters)))


def _block(target: Backend) -> str:
    """The block of a target, on one line if it has one item."""
    if len(target.starter) == 1:
        return f"  target {target.name} {{ {target.starter[0]} }}"
    return "\n".join([f"  target {target.name} {{", *(f"    {line}" for line in target.starter), "  }"])


def run(arguments: Arguments) -> int:
    """Write ``NAME.tfjob``; a file that exists is not changed."""
    argument = arguments.rest[0] if arguments.rest else None
    name = argument.text if argument else "train"
    place = argument.span if argument else arguments.line
    if not re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", name):
        what = f"{name} is not a job name: use at most 63 lower-case letters, digits and -, a letter first"
        report([BAD_ARGUMENT(place, what=what)], ())
        return USAGE
    path = f"{name}.tfjob"
    there = os.path.lexists(path)
    failure = Failure(path, "the file exists already") if there else write_all([File(path, starter(name))])
    if failure is not None:
        return report([OUTPUT_NOT_WRITTEN(place, path=path, reason=failure.reason)], ())
    err(f"wrote {visible(path)}; try: tfdsl compile {visible(path)} -t {targets.names()[0]}\n")
    return OK
