"""``tfdsl cancel``: end jobs on their cluster."""

from __future__ import annotations

from tfdsl.cli import clusters
from tfdsl.cli.arguments import Arguments, Command
from tfdsl.cli.clusters import OnCluster
from tfdsl.cli.report import OK
from tfdsl.cli.streams import Ended, out
from tfdsl.operating.session import Session
from tfdsl.operating.submitting import NO_JOB, cancel, ending, shown

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
    statuses = {OK}
    for session in jobs.sessions:
        try:
            with clusters.problems(arguments, jobs.hidden):
                _end(session, jobs, dry=arguments.on(clusters.DRY_RUN.name))
        except Ended as end:  # the others are ended all the same
            statuses.add(end.status)
    return max(statuses - {OK, NO_JOB}, default=max(statuses))


def _end(session: Session, jobs: OnCluster, *, dry: bool) -> None:
    if dry:
        for call in ending(session):
            out(f"{shown(call)}\n")
        return
    ended, stays = cancel(session)
    jobs.say(f"ended {', '.join(ended)}", out)
    if stays:
        jobs.say(f"stays: {', '.join(stays)}", out)
