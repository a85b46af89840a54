"""What the tasks of a job or flow print: of a flow one job after the other, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import sleep

from tfdsl.backend.cluster import MOST_SIGNS, Live, LogOptions, Replica
from tfdsl.backend.flow import FlowUnit
from tfdsl.diagnostics.command_rules import CLUSTER_REFUSES, NO_SUCH_TASK
from tfdsl.operating.flows import has_begun, in_turn
from tfdsl.operating.logs import WANTED, Follower, programs
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.runner import TIMED_OUT
from tfdsl.operating.session import PAUSE, Session
from tfdsl.operating.submitting import no_job


def flow_programs(flow: FlowUnit, wanted: Sequence[str]) -> dict[str, list[str]]:
    """The jobs of a flow that ``wanted`` names, each with the tasks that are wanted of it; all without any.

    A word is a job (``train``), a task of a job (``train/worker[1]``), or a task of every job that has the role.

    Raises:
        ProblemError: It is none of them.
    """
    jobs = {job.run.job: [role.name for role in job.unit.job.roles] for job in flow.jobs}
    found: dict[str, list[str]] = {} if wanted else {job: [] for job in jobs}
    for word in wanted:
        job, _, task = word.partition("/")
        match = WANTED.fullmatch(task if job in jobs else word)
        role = match["role"] if match is not None else ""
        those = [job] if job in jobs and (role in jobs[job] or not task) else []
        those = those if job in jobs else [one for one, roles in jobs.items() if role in roles]
        if not those:
            raise ProblemError(NO_SUCH_TASK, job=flow.name, name=word)
        for one in those:
            found.setdefault(one, []).append(task if job in jobs else word)
    return {job: [] if "" in words else words for job, words in found.items()}


def names(session: Session, live: Live, wanted: Sequence[str], options: LogOptions) -> list[str]:
    """What ``wanted`` names: programs of a job, or replicas of a flow, as JOB/ROLE[INDEX].

    Raises:
        ProblemError: There is no such task.
    """
    flow = session.place.flow
    if flow is None:
        return [program.name for program in programs(live, wanted, previous=options.previous)]
    units = flow.by_name()
    return [
        f"{job}/{role.name}[{index}]"
        for job, words in flow_programs(flow, wanted).items()
        for role in units[job].unit.job.roles
        for index in range(min(role.replicas, MOST_SIGNS))
        if not words or any(word.partition("/")[0] in (role.name, f"{role.name}[{index}]") for word in words)
    ]


def show_logs(
    session: Session,
    live: Live,
    wanted: Sequence[str],
    options: LogOptions,
    show: Callable[[str, bytes], None],
    tell: Callable[[str], None],
) -> Live:
    """Show the logs of a job as a :class:`Follower` does, or of a flow's jobs, one after the other; names are JOB/TASK.

    What of a flow has not begun is said.

    Raises:
        ProblemError: There was nothing to show.
    """
    flow = session.place.flow
    if flow is None:
        return Follower(session, wanted, options, show, tell).run(live)
    tasks = flow_programs(flow, wanted)
    shown: set[str] = set()
    done: set[str] = set()

    def show_task(name: str, data: bytes) -> None:
        shown.add(name)
        show(name, data)

    while True:
        jobs = [one for one in in_turn(live, flow.flow) if one.role in tasks and one.role not in done]
        job = next(filter(has_begun, jobs), None)
        if job is not None:
            done.add(job.role)
            _show_job(session, live, job, tasks[job.role], options, show_task, tell)
            if not options.follow:
                continue
        if session.is_over or (job is None and (live.ended or not options.follow)):
            break
        sleep(0 if job is not None else session.left(PAUSE))
        after = session.read_again()
        if after is None:
            raise no_job(session)
        live = after
    for one in jobs:
        if not has_begun(one):
            why = one.end.why if one.end is not None else ", ".join(f"waits for {each}" for each in one.waits_for)
            tell(f"{one.role}: {'did not run' if live.ended else 'has not begun'}{f': {why}' if why else ''}")
    if not shown and not options.follow:
        raise ProblemError(CLUSTER_REFUSES, what="there is nothing to show", reason=f"flow {live.name} is {live.phase}")
    return live


def _show_job(
    session: Session,
    live: Live,
    job: Replica,
    words: Sequence[str],
    options: LogOptions,
    show: Callable[[str, bytes], None],
    tell: Callable[[str], None],
) -> None:
    one = session.of_job(live, job)
    try:
        found = one.read()
        if found is None:
            tell(f"{job.role}: the cluster does not know it any more")
            return
        Follower(
            one, words, options, lambda name, data: show(f"{job.role}/{name}", data),
            lambda text: tell(f"{job.role}: {text}"),
        ).run(found)  # fmt: skip
    except ProblemError as problem:
        if problem.status == TIMED_OUT or problem.rule not in (CLUSTER_REFUSES, NO_SUCH_TASK):
            raise
        tell(f"{job.role}: {problem}")
