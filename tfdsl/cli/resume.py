"""``tfdsl resume``: let a job go on that is suspended, or was aborted."""

from __future__ import annotations

from tfdsl.cli import clusters
from tfdsl.cli.arguments import Arguments, Command
from tfdsl.cli.report import OK
from tfdsl.cli.streams import out
from tfdsl.operating.submitting import resume

COMMAND = Command(
    "resume",
    (clusters.WHICH,),
    clusters.OF_CLUSTERS,
    ("tfdsl resume mnist.tfjob -t volcano", "tfdsl resume slurm/mnist"),
    "Volcano lets aborted jobs go on, the other targets suspended or held ones. A job in a queue of Kueue is Kueue's.\n"
    "Exit status: 0 it goes on, 1 it cannot, 3 there is no such job.",
)


def run(arguments: Arguments) -> int:
    """Let the jobs go on."""
    jobs = clusters.meant(arguments)
    for session in jobs.sessions:
        with clusters.problems(arguments, jobs.hidden):
            resume(session)
        jobs.say(f"{session.name} goes on", out)
    return OK
