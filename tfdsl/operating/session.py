"""One job on its cluster, read again and again, and explained in the words of its file."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Final

from tfdsl import targets
from tfdsl.backend import Backend, Document, Unit
from tfdsl.backend.cluster import (
    Answer,
    Call,
    Cluster,
    Live,
    Place,
    Reason,
    Replica,
    Sign,
    completed_with,
    cut,
    digest,
    reasons,
)
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, CLIENT_MISSING, CLUSTER_REFUSES, NOT_OPERATED
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.runner import PATIENCE, TIMED_OUT, ask, listen
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.text import Span

PAUSE: Final = 2.0
"""Seconds between two readings of a job."""
AWAY: Final = 120.0
"""Seconds for which a job that is waited for may be unreadable, as while a server starts again."""
_LEAST: Final = 0.001
_MOST_ROUNDS: Final = 8
"""Of questions about a job; those of a round are made from the answers before."""
_AMOUNT: Final = regex(r"[0-9][0-9A-Za-z.]{0,20}")
_HALF: Final = "the answer ends in the middle"


class Session:
    """A job (``place.unit`` and ``documents`` if there is a file) or flow, and the client that speaks for its cluster.

    ``place.namespace`` is for jobs that name none. A namespace that a job names does not matter where there are none.
    ``unread``: what could not be read the last time. ``has_answered``: whether the cluster has taken or shown the job.
    ``patience``: seconds for one answer. ``until``: when all is to end, on the clock of :func:`time.monotonic`.

    Raises:
        ProblemError: Nobody knows how to speak with the target, or its client has nothing of what is given.
    """

    def __init__(self, backend: Backend, place: Place, documents: Sequence[Document] = ()) -> None:
        cluster = backend.load_cluster() if place.flow is None else backend.load_flow_cluster()
        if cluster is None:
            advice = f"the page of the target says which commands to use: {backend.docs}" if backend.docs else ""
            what = backend.name if place.flow is None else f"{backend.name} about flows"
            raise ProblemError(NOT_OPERATED, *filter(None, [advice]), target=what)
        if place.id and cluster.UNIQUE:
            raise _wrong(f"--id cannot be used with {backend.name}, where a name has one job")
        if place.id and not cluster.ID[1].fullmatch(place.id):
            raise _wrong(f"--id needs {cluster.ID[0]}, not {place.id}")
        given = [*place.flags[::2], *(["--namespace"] if place.namespace else [])]
        if given and not backend.pods:
            which = enumeration(targets.with_pods())
            raise _wrong(f"{given[0]} cannot be used with {backend.name}: it is for kubectl, so for {which}")
        job = place.unit.job if place.unit is not None else place.flow.flow if place.flow is not None else None
        if job is not None and job.namespace and backend.pods:
            place = replace(place, namespace=job.namespace)
        self.backend = backend
        self.cluster: Cluster = cluster
        self.place = place
        self.documents = tuple(documents)
        self.patience = PATIENCE
        self.until: float | None = None
        self.has_answered = False
        self.unread: list[str] = []

    def left(self, seconds: float) -> float:
        """``seconds``, or as many as are left until the end."""
        return seconds if self.until is None else max(min(seconds, self.until - monotonic()), _LEAST)

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self.until is not None and monotonic() >= self.until

    @property
    def name(self) -> str:
        """As a command line names the job."""
        return f"{self.backend.name}/{self.place.name or self.place.id}"

    def ask(self, calls: Sequence[Call]) -> list[Answer]:
        """The answers of the client.

        Raises:
            ProblemError: There is no client.
        """
        with self._client():
            answers = ask(calls, self.left(self.patience))
        return [
            answer if answer.status or call.is_whole(answer.out) else replace(answer, status=1, err=_HALF)
            for call, answer in zip(calls, answers, strict=True)
        ]

    def listen(self, call: Call, hear: Callable[[bytes], None]) -> Answer:
        """The answer to a call that stays, which ``hear`` gets as it comes.

        Raises:
            ProblemError: There is no client.
        """
        with self._client():
            return listen(call, hear, self.until)

    @contextmanager
    def _client(self) -> Generator[None]:
        try:
            yield
        except ProblemError as problem:
            if problem.rule is not CLIENT_MISSING:
                raise
            raise problem.with_help(self.cluster.INSTALL) from problem

    def needed(self, calls: Sequence[Call]) -> list[Answer]:
        """The same; none may fail."""
        answers = self.ask(calls)
        for call, answer in zip(calls, answers, strict=True):
            if answer.status:
                raise self.refused(call, answer)
        return answers

    def refused(self, call: Call, answer: Answer, doing: str = "read") -> ProblemError:
        """That the client could not do what was asked."""
        reason = self.cluster.refusal(answer) or cut(answer.err)
        known = reasons(self.cluster.rows, [Sign("refusal", "", reason)])
        advice = [f"{one.sentence}: {one.help}" for one in known[:1] if one.help]
        problem = ProblemError(CLUSTER_REFUSES, *advice, what=f"cannot {doing} {call.about}", reason=reason)
        if answer.status == TIMED_OUT and self.is_over:
            problem.status = TIMED_OUT
        return problem

    def read(self) -> Live | None:
        """The job as it is now, ``None`` if there is none.

        Raises:
            ProblemError: The job itself could not be read.
        """
        calls, answers = list[Call](), list[Answer]()
        asked = self.cluster.reads(self.place)
        for _ in range(_MOST_ROUNDS):
            calls, answers = [*calls, *asked], [*answers, *self.ask(asked)]
            if answers[0].status and not (self.place.id and self.cluster.is_gone(answers[0])):
                raise self.refused(calls[0], answers[0])
            asked = self.cluster.more(self.place, answers)
            if not asked:
                break
        live = self.cluster.live(self.place, answers)
        notes = self.unread = [
            f"{call.about} could not be read: {self.cluster.refusal(answer)}"
            for call, answer in zip(calls[1:], answers[1:], strict=True)
            if answer.status
        ]
        if live is None:
            if self.place.flow is not None and answers[0].err.strip():
                self.unread.append(self.cluster.refusal(answers[0]))
            return None
        return self.explained(replace(live, notes=(*live.notes, *notes)))

    def read_again(self) -> Live | None:
        """The same of a job that is waited for: a cluster that has answered and is away for a while is asked again.

        Raises:
            ProblemError: The job could not be read for as long as that.
        """
        until = monotonic() + AWAY
        while True:
            try:
                live = self.read()
            except ProblemError as problem:
                knows = self.has_answered and problem.rule is CLUSTER_REFUSES
                if not knows or self.is_over or monotonic() > until:
                    raise
            else:
                self.has_answered = True
                return live
            sleep(self.left(PAUSE))

    def list(self) -> Sequence[Live]:
        """The jobs of the namespace or the user, by name."""
        answers = self.needed(self.cluster.lists(self.place))
        return sorted(self.cluster.listed(self.place, answers), key=lambda live: (live.name, live.id))

    def watch(self) -> Iterator[Live | None]:
        """The job as it is, again and again until it has ended or is gone, or the time is over."""
        live = self.read_again()
        while True:
            yield live
            if live is None or live.ended or self.is_over:
                return
            sleep(self.left(PAUSE))
            if self.is_over:
                return
            live = self.read_again()

    def explained(self, live: Live) -> Live:
        """``live`` with what the file says: lines, retries, and policies that must have decided."""
        unit, flow = self.place.unit, self.place.flow
        if unit is not None:
            counts: dict[str, int] = {role.name: role.replicas for role in unit.job.roles if not role.is_board}
            live = replace(live, retries=unit.job.retries, replicas=completed_with(live.replicas, counts))
        if self.is_other(live):
            what = "flow" if flow is not None else "job"
            note = f"the {what} was submitted from another text, so no lines are shown"
            return replace(live, notes=(*live.notes, note))
        why = [_placed(one, self.place_of(one)) for one in live.reasons]
        if flow is not None:
            from tfdsl.operating.flows import explained

            return explained(replace(live, reasons=tuple(why)), flow.flow)
        if unit is None:
            return live
        return replace(live, reasons=(*why[:1], *_policies(live, unit), *why[1:]))

    def place_of(self, reason: Reason) -> Span | None:
        """Where in the file a reason has its cause; ``None`` if it is about something that the file does not say."""
        flow = self.place.flow
        if flow is not None:
            run = next((run.path for run in flow.flow.runs if (run.job,) == reason.roles), "")
            return flow.origins.written(reason.key or run)
        return None if self.place.unit is None else place_of(reason, self.place.unit)

    def of_job(self, live: Live, job: Replica) -> Session:
        """What reads one job of a flow, with its lines unless the flow was submitted from another text."""
        flow = self.place.flow
        units = {} if flow is None or self.is_other(live) else flow.by_name()
        unit = units[job.role].unit if job.role in units else None
        place = replace(self.place, name=job.name, id=job.id, unit=unit, flow=None, options=())
        one = Session(self.backend, place)
        one.patience, one.until = self.patience, self.until
        return one

    def is_other(self, live: Live) -> bool:
        """Whether it is known that a job or flow was submitted from another text than the file's."""
        return bool(live.digest and self.documents) and live.digest != digest(self.documents)


def _wrong(what: str) -> ProblemError:
    problem = ProblemError(BAD_ARGUMENT, what=what)
    problem.status = 2
    return problem


def place_of(reason: Reason, unit: Unit) -> Span | None:
    """Where in the file a reason has its cause; ``None`` if it is about something that the file does not say."""
    from tfdsl.ir.fields import walk

    job, origins = unit.job, unit.origins
    if reason.value:
        for item in walk(job, origins):
            parts = vars(item.node).values() if item.key.startswith(("mounts[", "steps[")) else ()
            if reason.value in (item.shown, *map(str, parts)) and item.role in ("", *reason.roles):
                return origins.span(item.path)
    roles = [role for role in job.roles if role.name in reason.roles] or job.roles
    steps = [step for role in roles for step in role.steps if step.name == reason.part]
    keys = reason.key.split("|") if reason.key else []
    own = [f"{step.path}.{key}" for step in steps for key in keys]
    kinds = [item.path for key in keys for item in walk(job, origins) if "[" in key and item.key == key]
    paths = [path for key in keys for path in (*(f"{role.path}.{key}" for role in roles), key)]
    paths = [*own, *(path for path in paths if not steps or reason.key != "command"), *kinds]
    places = [*map(origins.written, paths), *map(unit.option_spans.get, keys)]
    written = next((place for place in places if place is not None), None)
    return written or (origins.span(steps[0].path) if steps else None)


def _placed(reason: Reason, place: Span | None) -> Reason:
    if place is None:
        return reason
    written = place.text if _AMOUNT.fullmatch(place.text) else ""
    return replace(reason, place=":".join(map(str, place.path_and_line)), written=written)


def _policies(live: Live, unit: Unit) -> Iterator[Reason]:
    """The policy that decides about the first reason, if the file has one and the job has come to that."""
    from tfdsl.ir import policies

    first = next(iter(live.reasons), None)
    if first is None or not first.event or not (live.ended or live.phase == "restarting"):
        return
    role = next((role for role in unit.job.roles if role.name in first.roles), None)
    if role is None:
        return
    if first.event == "evicted":
        policy = policies.on_eviction(unit.job, role)
    else:
        ends = [one.end.status for one in live.replicas if one.role == role.name and one.end is not None]
        status = next((end for end in ends if end), None)
        policy = policies.on_failure(unit.job, role) if status is None else policies.on_exit(unit.job, role, status)
    if policy is not None and policy.written:
        codes = f" {policies.ranges(policy.codes, '..')}" if policy.codes else ""
        subject = f"{policy.role} " if policy.role else ""
        sentence = f"the job has a policy for this: on {subject}{policy.event}{codes} => {policy.action}"
        yield _placed(Reason("policy", sentence, "inferred"), unit.origins.span(policy.path))
