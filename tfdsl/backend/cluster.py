"""What a job is like on its cluster, and what a target's ``cluster`` module says about its client's command lines.

Such a module does nothing itself: it names command lines and reads their answers. :mod:`tfdsl.operating` runs them.
What a cluster answers is text of a stranger: it is cut, counted and shown with escapes made visible, and a field that
is missing or has another form than expected is unknown, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.backend import Document, Unit
    from tfdsl.backend.flow import FlowUnit

Phase: TypeAlias = Literal[
    "waiting", "starting", "running", "restarting", "succeeded", "failed", "aborted", "suspended", "unknown"
]
ReplicaPhase: TypeAlias = (
    Phase
    | Literal["absent", "waiting", "preparing", "running", "succeeded", "failed", "lost", "stopping", "stopped"]
    | Literal["not run"]
)
"""Of a replica of a job, or of a job of a flow: that has the phases of jobs, or it is ``not run``."""
Basis: TypeAlias = Literal["object", "event", "log", "inferred"]
"""What a reason rests on: the state of an object, an event, a log, or what must have happened."""

ENDED: Final = frozenset({"succeeded", "failed", "aborted"})
"""Phases of a job in which nothing more happens to it."""


class End(Record):
    """How a replica's command last ended. ``status``: the exit status. ``why``: a word such as ``evicted``."""

    status: int | None = None
    why: str = ""
    at: str = ""


class Replica(Record):
    """One copy of a role; of a flow one job, which has the index -1.

    ``name``: what the cluster calls it. ``id``: what tells it from one that had its place before. ``restarts``:
    ``None`` if nobody counts them.

    ``containers``: programs whose logs can be read, the steps first, the role's own last. ``waits_for``: the jobs of
    its flow that have to end before it can begin.
    """

    role: str
    index: int
    phase: ReplicaPhase
    name: str = ""
    node: str = ""
    restarts: int | None = None
    end: End | None = None
    containers: tuple[str, ...] = ()
    id: str = ""
    waits_for: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        """Its name in the language, as ``worker[1]``."""
        return f"{self.role}[{self.index}]" if self.index >= 0 else self.role


class Reason(Record):
    """Why a job is as it is.

    ``sentence``: in the words of the language. ``help``: what to do. ``object``: what was read, as ``pod/train-ps-0``,
    and ``words``: what it says of itself. ``key``: the attribute of ``roles`` (of the job, if there are none) or option
    that it is about (several in order, as ``queue|gpu``); ``value``: the one that is meant, if there can be several.
    ``slug``: which kind of reason it is. ``event``: the event of a policy that this is. ``place``: where in a file
    that was asked for, as ``train.tfjob:14``, and ``written``: the
    amount or time there, if it is one. ``task`` and ``part``: the replica that it was first seen of, and the
    step, if it is about one; ``log``: the last lines that this printed.
    """

    slug: str
    sentence: str
    basis: Basis
    help: str = ""
    object: str = ""
    words: str = ""
    key: str = ""
    value: str = ""
    roles: tuple[str, ...] = ()
    event: str = ""
    place: str = ""
    written: str = ""
    at: str = ""
    task: str = ""
    part: str = ""
    log: tuple[str, ...] = ()


class Run(Record):
    """An earlier run of a flow. ``since``: when it got its phase (ISO 8601), or when it was submitted."""

    id: str
    phase: Phase
    since: str = ""


class Live(Record):
    """A job on its cluster. Empty texts and ``None`` are unknown.

    ``id``: the cluster's own for this run. ``since``: when it got its phase (ISO 8601). ``restarts``: as the cluster
    counts them; ``retries``: how many the file allows. ``submission`` and ``digest``: what ``tfdsl submit`` has noted.
    ``notes``: what could not be read. ``earlier``: other runs of a flow, the latest first. ``scheduled``: whether its
    schedule is there and starts runs; ``due``: when it starts the next one (ISO 8601).
    """

    target: str
    name: str
    namespace: str = ""
    id: str = ""
    phase: Phase = "unknown"
    since: str = ""
    queue: str = ""
    restarts: int | None = None
    retries: int | None = None
    replicas: tuple[Replica, ...] = ()
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    submission: str = ""
    digest: str = ""
    earlier: tuple[Run, ...] = ()
    scheduled: bool = False
    due: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing more happens to it."""
        return self.phase in ENDED


class Place(Record):
    """Which job, and where. ``flags``: handed to the client as they are (``--context``, ``--kubeconfig``).

    ``options``: of the program that submits it. ``unit``: the job of a file, if there is one; ``flow``: a flow of one.
    """

    name: str = ""
    namespace: str = ""
    id: str = ""
    flags: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    unit: Unit | None = None
    flow: FlowUnit | None = None


class Call(Record):
    """One command line of a client. ``about``: what it reads or does, for messages.

    ``folder``: where it runs. ``stays``: it runs until the job has ended, so no time limit of one question applies.
    ``is_whole``: whether an answer that came was not cut off on its way.
    """

    words: tuple[str, ...]
    about: str
    stdin: str = ""
    folder: str = ""
    stays: bool = False
    is_whole: Callable[[str], bool] = lambda out: True


class Answer(Record):
    """What a command line gave. ``status``: its exit status."""

    status: int
    out: str
    err: str


class Step(Record):
    """A part of a submission: what it makes, and the call that takes it back, made from the answer.

    ``stays_if_there``: an object that exists already is used, as a claim is. ``made``: what the answer calls it.
    ``looks``: how it is seen whether it exists, where somebody else may have to create it.
    """

    call: Call
    what: str
    undo: Callable[[str], Call | None]
    stays_if_there: bool = False
    made: Callable[[str], str] = lambda answer: ""
    looks: Call | None = None


class Part(Record):
    """Something of a job that the cluster holds, as ``service/train``. ``stays``: it is never deleted, like a claim.

    ``made_as``: what a :class:`Step` that makes it again calls it, if that is not ``what``.
    """

    what: str
    id: str
    submission: str
    end: Call
    stays: bool = False
    made_as: str = ""


class LogOptions(Record):
    """Which part of a log. ``since``: a duration as the language writes it, in seconds."""

    follow: bool = False
    previous: bool = False
    since: int | None = None
    tail: int | None = None


class Cluster(Protocol):
    """The functions of a target's ``cluster`` module. A list of answers belongs to the calls of the function before."""

    INSTALL: str
    """What to do where the client is missing."""
    UNIQUE: bool
    """Whether there can be only one job of a name."""
    STAYS: bool
    """Whether what submits a job stays until the job has ended."""
    ID: tuple[str, re.Pattern[str]]
    """What ``--id`` takes, in words and as a pattern, where there can be several jobs of a name."""
    OPTIONS: str
    """The program that the words behind ``--`` of ``tfdsl submit`` go to; empty if there is none."""
    rows: Sequence[Row]
    """What is known of reasons; those for what a server refuses have the source ``refusal``."""

    def reads(self, place: Place, /) -> Sequence[Call]:
        """How a job is read; the first call reads the job itself."""
        ...

    def more(self, place: Place, answers: Sequence[Answer], /) -> Sequence[Call]:
        """What else is read after ``answers`` to all calls so far; it is asked until it has nothing more to ask."""
        ...

    def live(self, place: Place, answers: Sequence[Answer], /) -> Live | None:
        """The job, ``None`` if there is none."""
        ...

    def lists(self, place: Place, /) -> Sequence[Call]:
        """How the jobs of a namespace or a user are listed."""
        ...

    def listed(self, place: Place, answers: Sequence[Answer], /) -> Sequence[Live]:
        """The jobs without their replicas."""
        ...

    def asks(self, place: Place, documents: Sequence[Document], folder: str, /) -> Sequence[Call]:
        """Questions whether the server would take the job."""
        ...

    def steps(self, place: Place, documents: Sequence[Document], folder: str, submission: str, /) -> Sequence[Step]:
        """How it is submitted. ``folder``: where its files are; ``submission``: its id."""
        ...

    def objection(self, answer: Answer, /, *, replaces: bool) -> str:
        """What an answer to :meth:`asks` has against the job; empty if it would be taken."""
        ...

    def refusal(self, answer: Answer, /) -> str:
        """Why a call was refused, in one line."""
        ...

    def is_there(self, answer: Answer, /) -> bool:
        """Whether a call was refused because the object exists."""
        ...

    def is_gone(self, answer: Answer, /) -> bool:
        """Whether a call was refused because the object does not exist any more."""
        ...

    def log(
        self, place: Place, live: Live, replica: Replica, container: str, options: LogOptions, /
    ) -> Call | str | None:
        """How the log of one program is read, or why it cannot be; ``None`` if it is not there (yet)."""
        ...

    def parts(self, place: Place, /) -> Sequence[Call]:
        """How the parts of all jobs are listed that ``tfdsl submit`` can have made."""
        ...

    def found(self, place: Place, answers: Sequence[Answer], /) -> Sequence[Part]:
        """The parts of all jobs."""
        ...

    def resumes(self, place: Place, live: Live, answers: Sequence[Answer], /) -> Call | str:
        """How it goes on, or why it cannot; ``answers`` of :meth:`parts`."""
        ...


# --- reasons ---


class Sign(Record):
    """Something that a cluster says: ``reason`` is its word for it, ``words`` the rest.

    ``source``: where it was read: a key of a target's own. ``who``: the replica, ``None`` if it is about the whole job;
    ``part``: its step, if it is about one.
    """

    source: str
    reason: str
    words: str = ""
    object: str = ""
    who: Replica | None = None
    part: str = ""
    status: int | None = None
    at: str = ""


class Row(Record):
    """A kind of reason: which signs it explains, and how.

    ``sources``: those it is looked for in. ``reason`` and ``words``: patterns that the sign's must match; ``words`` may
    name groups, which ``sentence`` and ``help`` show. They also know ``{who}`` (with
    ``{was}`` and ``{be}``), ``{status}``, ``{reason}`` and ``{said}``, the sign's words. ``key`` as in
    :class:`Reason`, ``value`` the group or word with the value. ``tier``: 1
    explains, 2 is left out where something explains, 3 is the word of a parent or a consequence, and comes last.
    """

    slug: str
    sources: tuple[str, ...]
    reason: str
    words: str
    sentence: str
    help: str = ""
    key: str = ""
    value: str = ""
    event: str = ""
    tier: int = 1
    basis: Basis = "object"


_BASES: Final[Mapping[str, Basis]] = {"event": "event", "gone": "event", "log": "log"}
"""By the source of a sign."""
MOST_SIGNS: Final = 20_000
_MOST_WORDS: Final = 500
_MOST_READ: Final = 8000


def reasons(rows: Sequence[Row], signs: Sequence[Sign]) -> tuple[Reason, ...]:
    """What ``rows`` say of ``signs``, best first; the first row that fits explains a sign.

    Replicas to which the same happened share a reason. Where more replicas ended, the one that ended first comes first.
    """
    found: dict[tuple[str, str, str], list[tuple[Row, Sign, Mapping[str, str]]]] = {}
    seen: set[tuple[str, str, str]] = set()
    for sign in signs[:MOST_SIGNS]:
        fit = _fitting(rows, sign)
        if fit is None:
            continue
        row, groups = fit
        who = sign.who.task if sign.who is not None else ""
        if (row.slug, who, sign.part) in seen and who:
            continue
        seen.add((row.slug, who, sign.part))
        same = groups.get(row.value, "") or (str(sign.status) if "{status}" in row.sentence else "")
        found.setdefault((row.slug, same, sign.part), []).append((row, sign, groups))
    order = {row.slug: number for number, row in reversed(list(enumerate(rows)))}
    ranked = sorted(found.values(), key=lambda same: _rank(same, order))
    best = min((same[0][0].tier for same in ranked), default=1)
    return tuple(_reason(same) for same in ranked if same[0][0].tier != 2 or best == 2)


def _rank(same: list[tuple[Row, Sign, Mapping[str, str]]], order: Mapping[str, int]) -> tuple[int, str, int]:
    row = same[0][0]
    first = min((sign.at for _, sign, _ in same if sign.at), default="")
    return row.tier, first if row.event else "", order[row.slug]


def _fitting(rows: Sequence[Row], sign: Sign) -> tuple[Row, Mapping[str, str]] | None:
    for row in rows:
        if sign.source in row.sources and re.fullmatch(row.reason, sign.reason):
            match = re.search(row.words, sign.words[:_MOST_READ])
            if match is not None:
                return row, {key: value or "" for key, value in match.groupdict().items()}
    return None


def _reason(same: list[tuple[Row, Sign, Mapping[str, str]]]) -> Reason:
    same = sorted(same, key=lambda one: one[1].at)
    row, sign, groups = same[0]
    if row.basis == "inferred":  # those that followed were ended because of it
        same = [one for one in same if one[1].at == sign.at]
    replicas = [each.who for _, each, _ in same if each.who is not None]
    several = len({one.task for one in replicas}) > 1 and not sign.part
    values = {
        "who": f"{f'the step {sign.part} of ' if sign.part else ''}{named(replicas) or 'the job'}",
        "status": str(sign.status),
        "said": cut(sign.words),
        "reason": sign.reason,
        "at": sign.at or "it is not known when",
        "was": "were" if several else "was",
        "be": "are" if several else "is",
        **{name: cut(group) for name, group in groups.items()},
    }
    return Reason(
        row.slug,
        row.sentence.format_map(values),
        _BASES.get(sign.source, row.basis) if row.basis == "object" else row.basis,
        row.help.format_map(values),
        sign.object,
        cut(sign.words) or sign.reason,
        row.key.format_map(values),
        values.get(row.value, ""),
        tuple(dict.fromkeys(one.role for one in replicas)),
        row.event,
        at=sign.at,
        task=sign.who.task if sign.who is not None else "",
        part=sign.part,
    )


def cut(text: str) -> str:
    """``text`` in one line, of a length that people read."""
    line = " ".join(text[: 4 * _MOST_WORDS].split())
    return line if len(line) <= _MOST_WORDS else line[: _MOST_WORDS - 2] + " …"


_MOST_NAMES: Final = 3


def named(replicas: Sequence[Replica]) -> str:
    """``worker[0], worker[1] and 6 more``."""
    names = list(dict.fromkeys(one.task for one in sorted(replicas, key=lambda one: (one.role, one.index))))
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[: _MOST_NAMES - 1])} and {len(names) - _MOST_NAMES + 1:,} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def completed_with(
    replicas: Sequence[Replica], counts: Mapping[str, int], phase: ReplicaPhase = "absent"
) -> tuple[Replica, ...]:
    """``replicas`` and those of ``counts`` (role → replicas) that are not among them, in order."""
    there = {(one.role, one.index) for one in replicas}
    others = [
        Replica(role, index, phase)
        for role, count in counts.items()
        for index in range(min(count, MOST_SIGNS))
        if (role, index) not in there
    ]
    order = {role: number for number, role in enumerate(counts)}
    return tuple(sorted([*replicas, *others], key=lambda one: (order.get(one.role, len(order)), one.role, one.index)))


def digest(documents: Sequence[Document]) -> str:
    """A hash of what was compiled, by which a job on a cluster is known to be of the present text."""
    import json
    from hashlib import sha256

    from tfdsl.emit.located import plain

    text = json.dumps([plain(one.data) for one in documents], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:32]
