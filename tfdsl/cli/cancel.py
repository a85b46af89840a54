"""``tfdsl cancel``: end jobs on their cluster."""

from __future__ import annotations

from tfdsl.cli import clusters
from tfdsl.cli.arguments import Arguments, Command
from tfdsl.cli.report import OK
from tfdsl.cli.streams import out
from tfdsl.operating.submitting import cancel, ending, shown

COMMAND = Command(
    "cancel",
    (clusters.WHICH,),
    (*clusters.OF_CLUSTERS, clusters.DRY_RUN),
    ("tfdsl cancel mnist.tfjob -t volcano", "tfdsl cancel volcano/mnist -n training"),
    "Only what tfdsl submit has made is deleted, and it waits until that is gone. Claims stay, with their data.\n"
    "Exit status: 0 the jobs have ended, 1 they have not, 3 there is no such job.",
)


def run(arguments: Arguments) -> int:
    """End the jobs."""
    jobs = clusters.meant(arguments)
    for session in jobs.sessions:
        with clusters.problems(arguments, jobs.hidden):
            if arguments.on(clusters.DRY_RUN.name):
                for call in ending(session):
                    out(f"{shown(call)}\n")
                continue
            ended, stays = cancel(session)
        jobs.say(f"ended {', '.join(ended)}", out)
        if stays:
            jobs.say(f"stays: {', '.join(stays)}", out)
    return OK
