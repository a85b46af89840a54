"""Which role of the language each part of a job is that a manifest gives a name of its own.

What is called like a role is that role. Other frameworks have names of their own for who leads and who works, and a job
of one part needs no name at all: that part is the workers. Everything else has to be said with ``--role``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tfdsl.backend.reading import Asked
from tfdsl.diagnostics.command_rules import NO_ROLE, NO_WORDS, READ_DIFFERENTLY
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import BOARD, LEADERS, ROLES, ROLES_BY_NAME, decider

_MORE: Final = {
    "master": ("mpimaster", "mpi-master", "main"),
    "chief": ("mpilauncher", "mpi-launcher", "driver", "scheduler", "primary", "learner"),
    "ps": ("pserver", "paramserver", "parameterserver", "parameter-server"),
    "worker": ("mpiworker", "mpi-worker", "nodes", "proc", "procs", "process", "slice", "slices", "actor", "actors"),
}
"""Role → what examples for MPI, Ray, JAX, MXNet and PaddlePaddle call such a part, beside the usual words."""

_BY_OTHER_NAME: Final = {
    name.lower(): row.name for row in ROLES for name in (*row.aliases, *row.akin, *_MORE.get(row.name, ()))
}
_BY_WORD: Final = {**{role: role for role in ROLES_BY_NAME}, **_BY_OTHER_NAME}
_FIRST: Final = frozenset(("initializer", "init", "download", "downloader", "prepare", "preprocess", "setup", "loader"))
"""Words for what runs before the training."""
_MOST_NOTES: Final = 5
_WORD: Final = regex("[a-z]+")


class Member(Record):
    """A part of a job: its ``name``, how many replicas it has, and where the name is."""

    name: str
    replicas: int
    span: Span

    @property
    def words(self) -> list[str]:
        """Those of its name, the last first: ``gpu-workers`` are workers."""
        return _WORD.findall(self.name.lower())[::-1]

    @property
    def comes_first(self) -> bool:
        """Whether it runs before the training, to go by its name."""
        return not _FIRST.isdisjoint(self.words)

    @property
    def like(self) -> str | None:
        """The role of which a word in its name is."""
        return None if self.comes_first else next((_BY_WORD[word] for word in self.words if word in _BY_WORD), None)


def roles_of(members: Sequence[Member], what: str, place: Span, asked: Asked, *, board: bool) -> dict[str, str] | None:
    """Name → role; ``None`` where one cannot be a role (reported as an error).

    ``what``: as the manifest calls a part; ``place``: of all of them; ``board``: whether one can be the TensorBoard.
    """
    taken = _taken(members, asked, what, board=board)
    unknown = [member for member in members if member.name not in taken]
    if not members:
        asked.report(NO_WORDS(place, what="a job without replicas", reason="it has no role"))
    elif unknown:
        _tell(members, unknown, what, taken, asked)
    elif decider(taken.values()) is None:
        reason = f"there is neither a chief (master) nor a worker among its {what}s"
        asked.report(NO_WORDS(place, what="the job", reason=reason))
    else:
        return taken
    return None


def _taken(members: Sequence[Member], asked: Asked, what: str, *, board: bool) -> dict[str, str]:
    """Name → role, of those for which there is one."""
    taken: dict[str, str] = {}
    by_word = {member.name: member.like for member in members}
    for names in (asked.roles, {name: name for name in ROLES_BY_NAME}, _BY_OTHER_NAME, by_word):
        for member in members:
            role = names.get(member.name)
            if role is None or member.name in taken or (member.name in asked.roles and names is not asked.roles):
                continue
            if _is_free(role, member, taken) and (role != BOARD or board):
                taken[member.name] = role
    known = {*taken, *taken.values(), *asked.roles}
    left = [member for member in members if member.name not in known and not member.comes_first]
    if len(left) == 1:
        _guess(left[0], len(members), what, taken, asked)
    return taken


def _guess(member: Member, number: int, what: str, taken: dict[str, str], asked: Asked) -> None:
    """The workers, if there are none; leaders beside them are ps, the other role of several replicas."""
    if number == 1 or "worker" not in taken.values():
        role, why = "worker", "nothing else is the workers"
    elif member.like in LEADERS and member.replicas > 1 and "ps" not in taken.values():
        role, why = "ps", f"a job has one {member.like}, and this has {member.replicas} replicas"
    else:
        return
    taken[member.name] = role
    if number > 1:
        diagnostic = READ_DIFFERENTLY(member.span, what=f"{what} {member.name}", word=f"role {role}", difference=why)
        asked.report(diagnostic.help(f"--role {member.name}=ROLE says another"))


def _is_free(role: str, member: Member, taken: Mapping[str, str]) -> bool:
    """Whether the language has that role, for so many replicas, and nothing else is it."""
    known = ROLES_BY_NAME.get(role)
    if known is None or role in taken.values() or (known.single and member.replicas > 1):
        return False
    return role not in LEADERS or not any(leader in taken.values() for leader in LEADERS)


def _tell(
    members: Sequence[Member], unknown: Sequence[Member], what: str, taken: Mapping[str, str], asked: Asked
) -> None:
    """One error for all that are no role."""
    first, *others = unknown
    wanted = asked.roles.get(first.name, first.name)
    if wanted in ROLES_BY_NAME:
        reason = _why_not(wanted, first, what, taken)
        error = NO_WORDS(first.span, what=f"{what} {first.name} as role {wanted}", reason=reason)
    else:
        error = NO_ROLE(first.span, what=what if what == "task" else f"the {what}", name=first.name)
    for other in others[:_MOST_NOTES]:
        error = error.note(other.span, "nor is this")
    if any(member.comes_first for member in unknown):
        error = error.help("what runs before the training can be a prepare step of the role that needs it")
    asked.report(error.help(f"say which role each {what} is, e.g. {' '.join(_options(members, taken))}"))


def _why_not(role: str, member: Member, what: str, taken: Mapping[str, str]) -> str:
    """Why ``member`` cannot be ``role``."""
    other = next((name for name, of in taken.items() if of == role or {of, role} <= set(LEADERS)), None)
    if other is not None:
        return f"{what} {other} is role {taken[other]} already"
    several = ROLES_BY_NAME[role].single and member.replicas > 1
    return f"a job has one {role}" if several else "the job has no Service for it"


def _options(members: Sequence[Member], taken: Mapping[str, str]) -> Iterator[str]:
    """The options of ``tfdsl import`` that would name each of ``members``."""
    led = any(leader in taken.values() for leader in LEADERS)
    names = ("worker", "ps", "evaluator") if led else ("worker", "chief", "ps", "evaluator")
    free = [role for role in names if role not in taken.values()]
    for member in sorted(members, key=lambda member: member.comes_first):
        if member.name in taken:
            continue
        fits = [role for role in free if not (ROLES_BY_NAME[role].single and member.replicas > 1)]
        role = next(iter(reversed(fits) if member.comes_first else fits), None)
        if role is not None:
            free.remove(role)
        yield f"--role {member.name}={role or 'ROLE'}"
