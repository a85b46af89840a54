"""The commands, each with a summary for the overview; everything else is in the module of the command."""

from __future__ import annotations

TYPE_CHECKING = False  # spares ``--help`` and ``--version`` the import of typing
if TYPE_CHECKING:
    from typing import Protocol

    from tfdsl.cli.arguments import Arguments, Command

    class CommandModule(Protocol):
        """``tfdsl.cli.<name>``."""

        COMMAND: Command

        def run(self, arguments: Arguments, /) -> int:
            """Run the command; returns the exit status."""
            ...


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
    "completion": "print the script by which bash, zsh or fish completes commands",
    "new": "write a first job to start from",
    "schema": "print the JSON Schema of a job, or of the settings of a project",
    "lsp": "serve an editor on standard input and output",
}
"""Name and summary, in the order of the overview."""


_MODULES = {"import": "import_manifest"}
"""Commands whose name no module can have."""


def load(name: str) -> CommandModule:
    """Import the module of a command."""
    from importlib import import_module
    from typing import cast

    return cast("CommandModule", import_module(f"tfdsl.cli.{_MODULES.get(name, name)}"))
