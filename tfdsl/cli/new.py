"""``tfdsl new``: write a first job to start from, or an example with its files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

from tfdsl import targets
from tfdsl.backend import Backend
from tfdsl.cli.arguments import Arguments, Command, Flag, Positional, not_one_of
from tfdsl.cli.report import OK, USAGE, report
from tfdsl.cli.streams import err, out
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, OUTPUT_NOT_WRITTEN
from tfdsl.diagnostics.render.columns import visible
from tfdsl.writing import Failure, File, write_all

COMMAND = Command(
    "new",
    (Positional("NAME", "name of the job, which is written to NAME.tfjob", required=False),),
    (Flag("--from", "write an example and its files into the folder NAME (default: EXAMPLE)", value="EXAMPLE"),),
    ("tfdsl new digits", "tfdsl new", "tfdsl new --from mnist", "tfdsl new --from mnist letters"),
    "Without arguments, the examples are listed. Files that exist are not changed.",
)

_FIRST_JOB = """\
# A distributed TensorFlow job.
#
#   tfdsl check {name}.tfjob --all-targets      check the job for every target
#   tfdsl compile {name}.tfjob -t {first:<13} write a manifest to standard output
#   tfdsl compile {name}.tfjob -t {last} --set workers=8 -o out
#   tfdsl explain retries                       explain any word of this file
#   tfdsl new                                   list examples, some with the program

param workers: int = 2 {{ description = "training replicas", min = 1, max = 64 }}

# Used with --profile large.
profile large {{ workers = 16 }}

job {name} {{
  # A fixed version, so that this file always runs the same program.
  image   = "registry.example.com/{name}:1.0"
  command = ["python", "train.py"]

  # The resources of each replica; a role may override them. Add gpu = 1 for one GPU each.
  cpu    = 2
  memory = 4Gi

  # gang = true starts all replicas together or none; the scheduler has to support it.
  gang = false

  # What outlives the replicas. The program gets the checkpoint folder in CHECKPOINT_DIR.
  # mount pvc "runs" at "/runs"
  # checkpoint = "/runs/${{job.name}}"

  # The chief runs the command. It drives the workers and the parameter servers, which are plain TensorFlow servers;
  # without server = true, they run the command too.
  role chief  {{ }}
  role worker {{ replicas = workers, server = true }}
  role ps     {{ server = true, cpu = 1, memory = 2Gi }}

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
    return _FIRST_JOB.format(name=name, first=names[0], last=names[-1], blocks="\n".join(map(_block, starters)))


def _block(target: Backend) -> str:
    """The block of a target, on one line if it has one item."""
    if len(target.starter) == 1:
        return f"  target {target.name} {{ {target.starter[0]} }}"
    return "\n".join([f"  target {target.name} {{", *(f"    {line}" for line in target.starter), "  }"])


def run(arguments: Arguments) -> int:
    """Write what is asked for, all files or none; a file that exists is not changed."""
    example, argument = arguments.value("--from"), arguments.rest[0] if arguments.rest else None
    if example is None and argument is None:
        return _list()
    if example is not None and example.text not in NAMES:
        report([not_one_of("--from", example, NAMES).help("`tfdsl new` lists what each of them shows")], ())
        return USAGE
    if argument is not None and not re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", argument.text):
        what = f"{argument.text} is not a job name: use at most 63 lower-case letters, digits and -, a letter first"
        report([BAD_ARGUMENT(argument.span, what=what)], ())
        return USAGE
    files = _files(example.text if example else None, argument.text if argument else None)
    there = next((file.path for file in files if os.path.lexists(file.path)), None)
    failure = write_all(files) if there is None else Failure(there, "the file exists already")
    if failure is not None:
        place = argument or example
        assert place is not None
        return report([OUTPUT_NOT_WRITTEN(place.span, path=failure.path, reason=failure.reason)], ())
    return _say(files)


def _files(example: str | None, name: str | None) -> list[File]:
    """What is to be written, the job first."""
    if example is None:
        assert name is not None
        return [File(f"{name}.tfjob", starter(name))]
    texts = files(example)
    if name is not None:
        texts[MAIN] = renamed(texts[MAIN], name)
    folder = name or example
    return [File(os.path.join(folder, file), text) for file, text in sorted(texts.items())]


def _say(files: list[File]) -> int:
    """Name the files that were written, and what to try next."""
    paths = [visible(file.path) for file in files]
    job = next(file for file in files if file.path.endswith(".tfjob"))
    target = wanted_targets(job.text, targets.names())[0]
    err(f"wrote {', '.join(paths)}; try: tfdsl compile {visible(job.path)} -t {target}\n")
    return OK


def _list() -> int:
    """Name the examples, each with what it shows."""
    width = max(map(len, NAMES))
    rows = [(name, summary(files(name)[MAIN])) for name in NAMES]
    out("".join(f"{name:<{width}}  {summary}\n" for name, summary in rows))
    err("to write one of them: tfdsl new --from EXAMPLE; a first job: tfdsl new NAME\n")
    return OK


NAMES: Final = (
    "mnist",
    "single-gpu",
    "multi-worker",
    "evaluator",
    "secrets",
    "prepare",
    "spot",
    "profiles",
    "sweep",
    "nightly",
    "two-clusters",
)
"""In the order of ``examples/README.md``. The other folders there are for the tests."""

MAIN: Final = "main.tfjob"
_NAMED: Final = re.compile(r"^(flow|job) (\S+)", re.M)
_TARGETS: Final = re.compile(r"^# Targets: (.+)\.$", re.M)


def files(name: str) -> dict[str, str]:
    """The files of an example, by name; the job's own is ``main.tfjob``."""
    folder = os.path.join(_root(), name)
    found: dict[str, str] = {}
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry)
        if os.path.isfile(path):  # in a checkout, the outputs are in a folder beside them
            with open(path, encoding="utf-8") as file:
                found[entry] = file.read()
    return found


def summary(text: str) -> str:
    """What an example is about: the first line of its ``main.tfjob``."""
    return text.partition("\n")[0].removeprefix("# ").removesuffix(".")


def wanted_targets(text: str, known: Sequence[str]) -> Sequence[str]:
    """The targets that an example is for: those that its first comment names, else all that are ``known``."""
    line = _TARGETS.search(text.partition("\n\n")[0])
    return known if line is None else line[1].split(", ")


def renamed(text: str, name: str) -> str:
    """The text of an example with another name for its flow, or for its job."""
    lines = list(_NAMED.finditer(text))
    line = next((match for match in lines if match[1] == "flow"), lines[0])
    return text[: line.start(2)] + name + text[line.end(2) :]


def _root() -> str:
    package = os.path.dirname(os.path.dirname(__file__))
    installed = os.path.join(package, "examples")
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), "examples")
