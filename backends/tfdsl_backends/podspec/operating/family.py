"""A job of the Kubernetes family on its cluster: the target's own objects, its pods, and their events, as one picture.

A target gives a :class:`Facts` for what its objects say, and a name for each role; all else is the same for all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from tfdsl.backend import Document, Unit
from tfdsl.backend.cluster import (
    ENDED,
    Answer,
    Call,
    Live,
    LogOptions,
    Part,
    Phase,
    Place,
    Replica,
    Row,
    Sign,
    Step,
    completed_with,
    cut,
    reasons,
)
from tfdsl.record import Record, replace
from tfdsl.vocabulary.attributes import ROLE_NAMES
from tfdsl_backends.podspec.objects import DIGEST, SUBMISSION
from tfdsl_backends.podspec.operating import submitting
from tfdsl_backends.podspec.operating.kubectl import (
    EVENT,
    POD,
    STATE,
    Columns,
    Object,
    get,
    kubectl,
    number,
    rows,
    text,
)
from tfdsl_backends.podspec.operating.pods import NOT_NOISE, Pod, event_signs, is_over, newest, phase_of, pod_of
from tfdsl_backends.podspec.operating.reasons import ROWS


class Kind(Record):
    """A kind of objects that a job has beside its pods. ``selectors``: of those of the job called ``{name}``."""

    resource: str
    columns: Columns
    selectors: tuple[str, ...] = ("--field-selector", "metadata.name={name}")


class Facts(Record):
    """What a target's objects say of a job. ``phase``: empty if the pods say it better; ``hint``: without them.

    ``counts``: the names of its parts, and how many replicas each has.
    """

    phase: Phase | None = None
    hint: Phase = "unknown"
    since: str = ""
    restarts: int | None = None
    queue: str = ""
    counts: Mapping[str, int] = {}
    signs: tuple[Sign, ...] = ()


class Labels(Record):
    """Labels of pods: their job's name, the name of their role, and which replica of it they are."""

    job: str
    role: str
    index: str


class Family:
    """The ``cluster`` of a target of the family.

    ``kinds``: the job's own first. ``facts``: reads them, lists in the order of ``kinds``. ``pod_name``: a pattern of
    pods' names with the groups ``role`` and ``index``, in which ``{name}`` is the job's, and ``{jobs}`` that of any
    of its own objects. ``parts``: the names that an option gives to roles. ``suspended``: where ``suspend`` is.
    """

    INSTALL: Final = "install it: https://kubernetes.io/docs/tasks/tools/"
    UNIQUE: bool = True
    STAYS: Final = False
    ID: tuple[str, re.Pattern[str]] = "no value", re.compile(r"(?!)")
    OPTIONS: Final = ""

    def __init__(
        self,
        target: str,
        kinds: Sequence[Kind],
        labels: Labels,
        pod_name: str,
        facts: Callable[[Sequence[Sequence[Object]]], Facts],
        own_rows: Sequence[Row] = (),
        parts: Callable[[Unit], Mapping[str, str]] = lambda unit: {},
        suspended: tuple[str, ...] = (),
        job_of: Callable[[Object], str] = lambda one: str(one["name"]),
    ) -> None:
        self.target = target
        self.kinds = tuple(kinds)
        self.labels = labels
        self.pod_name = pod_name
        self.facts = facts
        self.rows = (*own_rows, *ROWS)
        self.parts_of = parts
        self.suspended = suspended
        self.job_of = job_of

    # --- reading ---

    def reads(self, place: Place) -> list[Call]:
        """One call for each kind, one for the pods, one for the events; they run at the same time."""
        objects = [
            get(
                place,
                kind.resource,
                kind.columns,
                kind.resource.partition(".")[0],
                *_filled(kind.selectors, place.name),
            )
            for kind in self.kinds
        ]
        pods = get(place, "pods", POD, "pods", "-l", f"{self.labels.job}={place.name}")
        events = get(place, "events", EVENT, "events", "--field-selector", NOT_NOISE)
        return [*objects, pods, events]

    def more(self, place: Place, answers: Sequence[Answer]) -> tuple[()]:
        """Nothing: all is found by the job's name."""
        return ()

    def live(self, place: Place, answers: Sequence[Answer]) -> Live | None:
        """The job, as its objects, pods and events say."""
        tables = [list(rows(answer, kind.columns)) for kind, answer in zip(self.kinds, answers, strict=False)]
        tables[0] = [one for one in tables[0] if self.job_of(one) == place.name]
        if not tables[0]:
            return None
        facts, job = self.facts(tables), tables[0][0]
        roles = self._roles(place.unit)
        pods, events = (rows(answers[at], columns) for at, columns in ((-2, POD), (-1, EVENT)))
        jobs = "|".join(re.escape(str(one["name"])) for one in tables[0])
        name = re.compile(self.pod_name.replace("{name}", re.escape(place.name)).replace("{jobs}", jobs))
        found = newest(self._pods(pods, roles, name))
        uids = {str(one["uid"]) for table in tables for one in table}

        def replica_of(pod: str) -> tuple[str, int] | None:
            match = name.fullmatch(pod)
            return (roles[match["role"]], int(match["index"])) if match and match["role"] in roles else None

        readable = not answers[-2].status
        phase = facts.phase or (phase_of(found) if readable else facts.hint)
        created = min(str(one["created"]) for one in tables[0])
        signs = [sign for pod in found for sign in pod.signs]
        ended = phase in ENDED
        signs += event_signs(events, created, uids, found, replica_of, ended=ended)
        counts = {roles[part]: count for part, count in facts.counts.items() if part in roles}
        if place.unit is not None:
            counts |= {role.name: role.replicas for role in place.unit.job.roles if not role.is_board}
        complete = len(found) >= sum(counts.values()) and all(pod.replica.node for pod in found)
        seen = bool(found) or any(sign.source == "gone" for sign in signs)
        signs = [sign for sign in signs if not is_over(sign, ended=ended, complete=complete, seen=seen)]
        replicas = completed_with([pod.replica for pod in found], counts, "absent" if readable else "unknown")
        ends = [replace(sign, source="end") for sign in facts.signs if phase == "failed" and sign.words]
        why = reasons(self.rows, [*signs, *facts.signs]) or reasons(self.rows, ends)
        return Live(
            self.target,
            place.name,
            text(job, "namespace") or place.namespace,
            str(job["uid"]),
            phase,
            facts.since or created,
            facts.queue,
            facts.restarts,
            None,
            _as_job(replicas, phase),
            () if phase == "succeeded" else why,
            (),
            text(job["annotations"], SUBMISSION),
            text(job["annotations"], DIGEST),
        )

    def lists(self, place: Place) -> list[Call]:
        """The jobs of a namespace, by their own objects."""
        return [get(place, kind.resource, kind.columns, kind.resource.partition(".")[0]) for kind in self.kinds[:1]]

    def listed(self, place: Place, answers: Sequence[Answer]) -> list[Live]:
        """The jobs with what their own objects say."""
        groups: dict[str, list[Object]] = {}
        for one in rows(answers[0], self.kinds[0].columns):
            if self.job_of(one):
                groups.setdefault(self.job_of(one), []).append(one)
        found: list[Live] = []
        for name, objects in groups.items():
            facts = self.facts([objects, *([] for _ in self.kinds[1:])])
            since = facts.since or str(objects[0]["created"])
            ids = str(objects[0]["uid"]), text(objects[0]["annotations"], SUBMISSION)
            found.append(
                Live(self.target, name, str(objects[0]["namespace"]), ids[0], facts.phase or facts.hint, since,
                     facts.queue, facts.restarts, submission=ids[1])
            )  # fmt: skip
        return found

    def _roles(self, unit: Unit | None) -> dict[str, str]:
        """Name on the cluster → role; a target without an option for it uses the role's own name."""
        roles = {name: name for name in ROLE_NAMES}
        return roles if unit is None else roles | {part: role for role, part in self.parts_of(unit).items()}

    def _pods(self, objects: Iterable[Object], roles: Mapping[str, str], name: re.Pattern[str]) -> Iterable[Pod]:
        for one in objects:
            role = roles.get(text(one["labels"], self.labels.role).lower())
            index = number(one["labels"], self.labels.index)
            match = name.fullmatch(str(one["name"])) if index is None else None
            index = int(match["index"]) if match is not None else index
            if role is not None and index is not None:
                yield pod_of(one, role, index)

    def refusal(self, answer: Answer) -> str:
        """What ``kubectl`` says of a failure, without what it prints before."""
        return cut(" ".join(_errors(answer))) or f"kubectl ended with status {answer.status}"

    def objection(self, answer: Answer, *, replaces: bool) -> str:
        """Its errors but those about claims that exist, objects that are replaced, and webhooks without a dry run."""
        errors = [
            line
            for line in _errors(answer)
            if "does not support dry run" not in line
            and not ("(AlreadyExists)" in line and (replaces or "persistentvolumeclaims" in line))
        ]
        return cut(" ".join(errors)) if answer.status else ""

    def is_there(self, answer: Answer) -> bool:
        """Whether the server says so."""
        return "(AlreadyExists)" in answer.err

    def is_gone(self, answer: Answer) -> bool:
        """Whether the server does not find it, or finds another in its place."""
        return "(NotFound)" in answer.err or "(Conflict)" in answer.err

    # --- logs ---

    def log(self, place: Place, live: Live, replica: Replica, container: str, options: LogOptions) -> Call | str | None:
        """The log of one container of a pod that is there."""
        if replica.phase == "absent" or not replica.name:
            return None
        words = ["logs", replica.name, "-c", container]
        words += ["--follow"] if options.follow else []
        words += ["--previous"] if options.previous else []
        words += [f"--since={options.since}s"] if options.since is not None else []
        words += [f"--tail={options.tail}"] if options.tail is not None else []
        return Call(kubectl(place, *words), f"the log of {replica.task}", stays=options.follow)

    # --- submitting and ending ---

    def asks(self, place: Place, documents: Sequence[Document], folder: str) -> list[Call]:
        """A dry run on the server, with its admission."""
        return submitting.asks(place, documents)

    def steps(self, place: Place, documents: Sequence[Document], folder: str, submission: str) -> list[Step]:
        """An object after the other."""
        return submitting.steps(place, documents, submission)

    def parts(self, place: Place) -> list[Call]:
        """All objects that a submission may have made."""
        return [get(place, resource, STATE, resource.partition(".")[0]) for resource in self._resources]

    def found(self, place: Place, answers: Sequence[Answer]) -> list[Part]:
        """All that the answers list."""
        return [
            part
            for resource, answer in zip(self._resources, answers, strict=True)
            for one in rows(answer, STATE)
            if (part := submitting.part(place, resource, one)) is not None
        ]

    @property
    def _resources(self) -> tuple[str, ...]:
        return self.kinds[0].resource, *submitting.BESIDE

    def resumes(self, place: Place, live: Live, answers: Sequence[Answer]) -> Call | str:
        """Set ``suspend`` back."""
        if live.phase != "suspended":
            return f"job {live.name} is {live.phase}, not suspended"
        if live.queue:
            return f"job {live.name} waits in the queue {live.queue} of Kueue, which lets it go on"
        names = [str(one["name"]) for one in rows(answers[0], STATE) if self.job_of(one) == live.name]
        patch = "false"
        for name in reversed(self.suspended):
            patch = f'{{"{name}":{patch}}}'
        words = ("patch", self.kinds[0].resource, *names, "--type=merge", "-p", patch)
        return Call(kubectl(place, *words), "the job")


def _errors(answer: Answer) -> list[str]:
    lines = [line.strip() for line in answer.err.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error", "the connection", "unable"))]
    return errors or lines[-1:]


def _filled(selectors: Sequence[str], name: str) -> list[str]:
    return [selector.replace("{name}", name) for selector in selectors]


def _as_job(replicas: tuple[Replica, ...], phase: Phase) -> tuple[Replica, ...]:
    """Of a job that has ended, nothing is waited for: what runs is being stopped."""
    if phase not in ENDED:
        return replicas
    return tuple(replace(one, phase="stopping") if one.phase in ("waiting", "running") else one for one in replicas)
