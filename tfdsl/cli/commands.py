"""The commands, and what ``tfdsl --help`` prints. It imports nothing, so it appears at once."""

from __future__ import annotations

SUMMARIES = {
    "compile": "write the manifests of a job for one or more targets",
    "check": "report mistakes, and what a target cannot do or does differently",
    "fmt": "format files",
    "import": "write the job that a manifest describes",
    "explain": "explain a message or any word of the language",
    "targets": "list the targets, their versions and options",
    "diff": "show what differs between two jobs as the cluster would see them",
    "where": "show which line made which: from a job to its output, and back",
    "graph": "draw a job: who talks to whom, and what it reads and writes",
    "tfconfig": "show the cluster spec that each task will see",
    "info": "list the params, profiles, jobs and includes of a file",
    "matrix": "list the jobs of a file, with the values of their matrix",
    "simulate": "predict how a job ends on each target when something happens to it",
    "run": "run a job as processes of this machine",
    "submit": "submit a job to its cluster",
    "status": "show how a job is on its cluster, and why it waits or has failed",
    "logs": "print what the tasks of a job on its cluster print",
    "cancel": "end a job on its cluster",
    "resume": "let a suspended or aborted job go on",
    "completion": "print the script by which bash, zsh or fish completes commands",
    "new": "write a first job to start from",
    "schema": "print the JSON Schema of a job, or of the settings of a project",
    "lsp": "serve an editor on standard input and output",
}
"""Name and summary, in the order of the overview."""


_HEAD = """\
tfdsl compiles one description of a distributed TensorFlow job for the cluster that runs it.

usage: tfdsl COMMAND ...

commands:
"""

_TAIL = """
options:
  -h, --help      show this help; tfdsl COMMAND --help shows the help of a command
  -V, --version   show the version

example:
  tfdsl new mnist
  tfdsl check mnist.tfjob -t tfjob
  tfdsl compile mnist.tfjob -t volcano

Exit status: 0 no errors, 1 errors in the input, 2 wrong use or a file that cannot be
read or written, 70 a bug in tfdsl.
"""

_LEAST = 80
"""Columns that the overview needs."""


def overview(columns: int | None = None) -> str:
    """The commands and what each does. ``columns``: the width of the terminal, if there is one."""
    if columns is not None and columns < _LEAST:
        return _narrow(columns)
    width = max(map(len, SUMMARIES)) + 2
    return _HEAD + "".join(f"  {name:<{width}}{summary}\n" for name, summary in SUMMARIES.items()) + _TAIL


def _narrow(columns: int) -> str:
    from tfdsl.diagnostics.render.text import fold

    lines = _HEAD.splitlines()
    for name, summary in SUMMARIES.items():
        lines += [f"  {name}", *(f"      {part}" for part in fold(summary, columns - 6, columns - 6))]
    lines += _TAIL.replace("can be\nread", "can be read").splitlines()
    return "".join(f"{part}\n" for line in lines for part in fold(line, columns, columns))
