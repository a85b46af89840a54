"""The policies of a Volcano job as ``on … => …``; the inverse of :mod:`.policies`.

Two ways are tried. If the language with its defaults says what the manifest does, only what differs from the defaults
is written; whether it does is worked out as the compiler does it. Otherwise each policy becomes one statement, beside
the option ``policies = "written"``. If one of them has no word (a status above 255, an action that the language does
not allow on an event), all are patches, for a list of policies cannot be half a patch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from tfdsl.backend import Unit
from tfdsl.backend.draft import Attribute, Bare, Draft, Patch, Policy, Value
from tfdsl.emit import located
from tfdsl.emit.located import Plain
from tfdsl.ir import model
from tfdsl.manifest.nodes import View, plain
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import BOARD, decider
from tfdsl.vocabulary.quantities import duration
from tfdsl.vocabulary.statements import ACTIONS_OF
from tfdsl_backends.volcano import policies
from tfdsl_backends.volcano.controller import (
    MAX_RETRY,
    NOTHING,
    Decided,
    Reaction,
    Reactions,
    Task,
    Trigger,
    common,
    decided,
)

WORDS: Final = {**{action: word for word, action in policies.ACTIONS.items()}, NOTHING: "ignore"}
"""Volcano's action → ours."""

EVENTS: Final = {
    "PodFailed": "failed",
    "PodEvicted": "evicted",
    "PodPending": "pending",
    "Unknown": "unknown",
    "TaskCompleted": "completed",
    "TaskFailed": "restarted",
}
"""Volcano's event → ours."""

_TIMED: Final = ("failed", "evicted", "pending")
_HIGHEST_STATUS: Final = 255
RESTARTS_IN_PLACE: Final = "restart container"


class RoleTask(Record):
    """A task that is a role: its replicas, and ``maxRetry`` of the task."""

    role: str
    task: Task
    replicas: int
    max_retry: int = MAX_RETRY


class JobPolicies(Record):
    """What a manifest says about failures and ends.

    ``job``: what its own policies say. ``max_retry``: how often it may start. ``retries`` and ``restart_policy``: where
    that is written. ``unit``: what the compiler would work on, of a job and the option ``policies``. ``lists``: where
    the policies are, and the numbers that they need, as a patch would name the place.
    """

    tasks: Sequence[RoleTask]
    job: Reactions
    max_retry: int
    unit: Callable[[model.Job, str], Unit]
    lists: Sequence[tuple[str, View]]
    retries: Span | None = None
    restart_policy: Span | None = None

    @property
    def trainers(self) -> list[RoleTask]:
        """All but tensorboard, which policies of the job do not cover and which restarts by itself."""
        return [task for task in self.tasks if task.role != BOARD]

    @property
    def decided(self) -> Decided:
        """What follows what in each task."""
        return decided([task.task for task in self.tasks], self.job)


class Said(Record):
    """A statement to be: its subject (``None``: the job), event, action, delay in milliseconds, count and place."""

    role: str | None
    event: str
    action: str
    delay: int = 0
    count: int = 0
    codes: tuple[int, ...] = ()
    span: Span | None = None

    @property
    def meaning(self) -> tuple[object, ...]:
        """What it says, of whomever and wherever."""
        return self.event, self.action, self.delay, self.count, self.codes

    @property
    def has_word(self) -> bool:
        """Whether the language can say it."""
        if self.action not in ACTIONS_OF[self.event] or not all(1 <= code <= _HIGHEST_STATUS for code in self.codes):
            return False
        return not self.delay or self.event in _TIMED

    @property
    def words(self) -> str:
        """The event as it is written after ``on``."""
        if self.event == "exit":
            return f"exit {_statuses(self.codes)}"
        if self.event == "restarted":
            return f"restarted {self.count}"
        return f"{self.event} after {duration(self.delay).text}" if self.delay else self.event


class Statements(Record):
    """The policies of a job in the language. ``retries``: ``None`` where nothing is written."""

    said: tuple[Said, ...]
    retries: int | None
    restart_policy: str = ""
    as_written: bool = False
    patches: tuple[Patch, ...] = ()


def said_of(role: str | None, trigger: Trigger, reaction: Reaction, count: int = 0) -> Said:
    """What follows ``trigger`` as a statement; ``count``: of the restarts that TaskFailed counts."""
    action = WORDS.get(reaction.action, reaction.action)
    if isinstance(trigger, int):
        return Said(role, "exit", action, reaction.timeout, codes=(trigger,), span=reaction.span)
    event = EVENTS[trigger]
    return Said(role, event, action, reaction.timeout, count if event == "restarted" else 0, span=reaction.span)


def merged(said: Iterable[Said]) -> Iterator[Said]:
    """Statuses with one action in one statement."""
    groups: dict[tuple[str | None, str, int], list[Said]] = {}
    for policy in said:
        if policy.event == "exit":
            groups.setdefault((policy.role, policy.action, policy.delay), []).append(policy)
        else:
            yield policy
    for (role, action, delay), members in groups.items():
        codes = tuple(sorted(code for member in members for code in member.codes))
        yield Said(role, "exit", action, delay, codes=codes, span=members[0].span)


def _statuses(codes: Sequence[int]) -> str:
    """Statuses as ``exit`` takes them: ``3``, ``1..127`` or a list."""
    if len(codes) == 1:
        return str(codes[0])
    if len(codes) > 2 and codes[-1] - codes[0] == len(codes) - 1:
        return f"{codes[0]}..{codes[-1]}"
    return f"[{', '.join(map(str, codes))}]"


def default_retries(said: Sequence[Said]) -> int:
    """``retries`` where nothing is written."""
    return 3 if any(policy.action.startswith("restart") for policy in said) else 0


def job_of(read: JobPolicies, said: Sequence[Said], retries: int) -> model.Job | None:
    """A job of these roles and policies; ``None`` where the language has no such job."""
    try:
        return model.Job(
            name="job",
            roles=tuple(_role(task) for task in read.tasks),
            policies=tuple(_policy(policy) for policy in said),
            retries=retries,
            cluster=model.Cluster(discovery="none"),
        )
    except ValueError:  # what pydantic raises is one
        return None


def _role(role_task: RoleTask) -> model.Role:
    fields: dict[str, object] = {
        "name": role_task.role,
        "replicas": role_task.replicas,
        "image": "image",
        "command": ("command",),
    }
    return model.Role.model_validate(fields | ({"logdir": "/logs"} if role_task.role == BOARD else {}))


def _policy(policy: Said) -> model.Policy:
    fields: dict[str, object] = {
        "role": policy.role,
        "event": policy.event,
        "codes": policy.codes,
        "action": policy.action,
    }
    if policy.count:
        fields["count"] = policy.count
    if policy.delay:
        fields["delay"] = duration(policy.delay)
    return model.Policy.model_validate(fields)


def is_same(unit: Unit, read: JobPolicies, wanted: Decided, *, as_written: bool = False) -> bool:
    """Whether the compiler writes what the manifest says.

    With each policy ``as_written``, an option or a patch says how containers restart and how often the job starts.
    """
    if not as_written and wanted.restarts and policies.job_max_retry(unit) != read.max_retry:
        return False
    written: list[Task] = []
    for task in read.tasks:
        role = next(role for role in unit.job.roles if role.name == task.role)
        restart_policy = policies.decisions(unit).roles[task.role].restart_policy
        counted = "TaskFailed" in wanted.tasks[task.task.name]
        if as_written:
            restart_policy = task.task.restart_policy
        if restart_policy != task.task.restart_policy:
            return False
        if counted and policies.task_max_retry(unit, role) != task.max_retry:
            return False
        written.append(Task(task.task.name, _reactions(policies.task_entries(unit, role)), restart_policy))
    return _does(decided(written, _reactions(policies.job_entries(unit)))) == _does(wanted)


def _does(deciding: Decided) -> list[object]:
    """What follows what; that the job is complete when its one task is needs no policy."""
    alone = ("TaskCompleted", ("CompleteJob", 0)) if len(deciding.tasks) == 1 else None
    tasks = [
        {(trigger, reaction.does) for trigger, reaction in reactions.items() if (trigger, reaction.does) != alone}
        for reactions in deciding.tasks.values()
    ]
    unknown = deciding.job.get("Unknown")
    return [*tasks, unknown.does if unknown is not None else None]


def _reactions(entries: Iterable[policies.Entry]) -> Reactions:
    """What entries of the compiler say, the first for a trigger."""
    said: Reactions = {}
    for entry in entries:
        trigger: Trigger = entry.event if entry.code is None else entry.code
        if isinstance(trigger, int) and "PodFailed" in said:
            continue
        delay = entry.policy.delay.ms if entry.policy.delay is not None else 0
        said.setdefault(trigger, Reaction(entry.written_action, delay))
    return said


_ENDS: Final = ("TerminateJob", 0)


def beside_defaults(read: JobPolicies) -> Statements | None:
    """The statements that give the manifest's policies beside the defaults; ``None`` where there are none."""
    if any(trainer.task.restart_policy not in ("Never", "OnFailure") for trainer in read.trainers):
        return None
    wanted = read.decided
    said = [policy for task in read.trainers for policy in _of_role(task, wanted.tasks[task.task.name])]
    if "Unknown" in wanted.job:
        said.append(said_of(None, "Unknown", wanted.job["Unknown"]))
    said = _without_completion(read, [*_for_all(read, [*merged(said)])])
    if not all(
        policy.has_word and (policy.action != "ignore" or policy.event not in ("failed", "evicted")) for policy in said
    ):
        return None  # nobody would ask to ignore failures: the manifest is silent about them
    retries = _retries(read, wanted, said)
    made = job_of(read, said, retries)
    if made is None or not is_same(read.unit(made, "all"), read, wanted):
        return None
    return Statements(tuple(said), None if retries == default_retries(said) else retries)


def _of_role(task: RoleTask, does: Reactions) -> Iterator[Said]:
    """What a role says if the language adds the rest."""
    for trigger in ("TaskCompleted", "PodPending"):
        if trigger in does:
            yield said_of(task.role, trigger, does[trigger])
    yield from _in_its_pod(task, does) if task.task.restart_policy == "OnFailure" else _with_new_pods(task, does)


def _in_its_pod(task: RoleTask, does: Reactions) -> Iterator[Said]:
    """The same of a role whose containers restart in place."""
    yield Said(task.role, "failed", RESTARTS_IN_PLACE)
    evicted, restarted = does.get("PodEvicted"), does.get("TaskFailed")
    if evicted is not None and evicted.does != _ENDS:
        yield said_of(task.role, "PodEvicted", evicted)
    if restarted is not None and restarted.does != _ENDS:
        yield said_of(task.role, "TaskFailed", restarted, task.max_retry)


def _with_new_pods(task: RoleTask, does: Reactions) -> Iterator[Said]:
    """The same of a role whose pods do not restart."""
    failed, evicted = does.get("PodFailed"), does.get("PodEvicted")
    yield Said(task.role, "failed", "ignore") if failed is None else said_of(task.role, "PodFailed", failed)
    differs = (None if evicted is None else evicted.does) != (None if failed is None else failed.does)
    if differs:
        yield Said(task.role, "evicted", "ignore") if evicted is None else said_of(task.role, "PodEvicted", evicted)
    for trigger, reaction in does.items():
        is_eviction = differs and evicted is not None and reaction.action == evicted.action
        if isinstance(trigger, int) and not (is_eviction and trigger in (policies.KILLED, policies.TERMINATED)):
            yield said_of(task.role, trigger, reaction)


def _for_all(read: JobPolicies, said: Sequence[Said]) -> Iterator[Said]:
    """What every role says in the same way, said once; a failure that ends the job is the default."""
    for policy in said:
        same = [other for other in said if other.meaning == policy.meaning]
        if policy.event in ("completed", "unknown") or len(same) < len(read.trainers):
            yield policy
        elif same[0] is policy and policy.meaning != ("failed", "fail job", 0, 0, ()):
            yield Said(None, policy.event, policy.action, policy.delay, policy.count, policy.codes, policy.span)


def _without_completion(read: JobPolicies, said: Sequence[Said]) -> list[Said]:
    """Without the completion that the language adds: that of the chief, else of the workers."""
    ends = [policy for policy in said if policy.event == "completed" and policy.action == "complete job"]
    is_default = len(ends) == 1 and ends[0].role == decider({task.role for task in read.tasks})
    return [policy for policy in said if not (is_default and policy is ends[0])]


def _retries(read: JobPolicies, wanted: Decided, said: Sequence[Said]) -> int:
    """The restarts that are allowed: those that the job counts, else those in place."""
    if wanted.restarts:
        return read.max_retry - 1
    counted = {trainer.max_retry for trainer in read.trainers if trainer.task.restart_policy == "OnFailure"}
    if counted and not any(policy.event == "restarted" for policy in said):
        return max(counted) - 1
    return default_retries(said)


_ORDER: Final = ("completed", "exit", "failed", "evicted", "pending", "restarted", "unknown")


def read_policies(draft: Draft, read: JobPolicies) -> None:
    """Write to ``draft`` what ``read`` says about failures, completion and retries."""
    statements = beside_defaults(read) or _as_written(read) or _as_patches(read)
    for policy in sorted(statements.said, key=lambda policy: _ORDER.index(policy.event)):
        draft.block(policy.role, written=policy.event != "evicted").add(
            Policy(policy.words, policy.action, policy.span)
        )
    counted = any(place.present for path, place in read.lists if path.endswith(".maxRetry"))
    draft.block(written=counted).set("retries", statements.retries, read.retries)
    if statements.as_written:
        draft.options.add(Attribute("policies", "written"))
    if statements.restart_policy:
        draft.options.add(Attribute("restart_policy", statements.restart_policy, read.restart_policy))
    draft.options.add(*statements.patches)


# --- each policy as it is ----------------------------------------------------------------------------------------


def _as_written(read: JobPolicies) -> Statements | None:
    """One statement for each policy; ``None`` where one has no word."""
    wanted = read.decided
    shared = _for_the_job(read, wanted)
    said = [said_of(None, trigger, reaction, read.tasks[0].max_retry) for trigger, reaction in shared.items()]
    for task in read.tasks:
        own = wanted.tasks[task.task.name]
        said += [
            said_of(task.role, trigger, reaction, task.max_retry)
            for trigger, reaction in own.items()
            if trigger not in shared
        ]
    in_place = _in_place(read, wanted)
    said += _restarts_in_place(read, in_place)
    said = list(merged(said))
    if not all(policy.has_word for policy in said):
        return None
    retries = _written_retries(read, wanted)
    made = job_of(read, said, default_retries(said) if retries is None else retries)
    if made is None or not is_same(read.unit(made, "written"), read, wanted, as_written=True):
        return None
    restart_policy = "" if in_place is not None else _one_restart_policy(read)
    return Statements(tuple(said), retries, restart_policy, as_written=True)


def _for_the_job(read: JobPolicies, wanted: Decided) -> Reactions:
    """What is said once: what follows in every role, if the job says it or there are several roles."""
    every = common(wanted.tasks[trainer.task.name] for trainer in read.trainers)
    counts = {task.max_retry for task in read.trainers}
    shared = {
        trigger: reaction
        for trigger, reaction in every.items()
        if (trigger in read.job or len(read.trainers) > 1)
        and trigger != "TaskCompleted"
        and (trigger != "TaskFailed" or len(counts) == 1)
    }
    return shared | {trigger: reaction for trigger, reaction in wanted.job.items() if trigger == "Unknown"}


def _in_place(read: JobPolicies, wanted: Decided) -> frozenset[str] | None:
    """The roles that ``failed => restart container`` is for; ``None`` where an option has to say the restartPolicy.

    A pod that is lost fires PodFailed too, and a role for which that has an action cannot say both.
    """
    tasks = [trainer for trainer in read.trainers if trainer.task.restart_policy == "OnFailure"]
    others = {trainer.task.restart_policy for trainer in read.trainers} - {"OnFailure", "Never"}
    lost = any("PodFailed" in wanted.tasks[task.task.name] for task in tasks)
    return None if lost or others else frozenset(task.role for task in tasks)


def _restarts_in_place(read: JobPolicies, roles: frozenset[str] | None) -> list[Said]:
    if not roles:
        return []
    subjects = [None] if len(roles) == len(read.trainers) else [task.role for task in read.tasks if task.role in roles]
    return [Said(subject, "failed", RESTARTS_IN_PLACE, span=read.restart_policy) for subject in subjects]


def _one_restart_policy(read: JobPolicies) -> str:
    """The restartPolicy of all pods; empty where they have several, which are patches of the roles."""
    kinds = {trainer.task.restart_policy for trainer in read.trainers}
    return kinds.pop() if len(kinds) == 1 else ""


def _written_retries(read: JobPolicies, wanted: Decided) -> int | None:
    """``retries``, where it is not the default and something restarts pods; no restart at all cannot be said."""
    retries = read.max_retry - 1
    return retries if wanted.restarts and retries not in (0, MAX_RETRY) else None


# --- as patches --------------------------------------------------------------------------------------------------


def _as_patches(read: JobPolicies) -> Statements:
    """The lists of policies as they are."""
    patches: list[Patch] = []
    for path, place in read.lists:
        value = _value(plain(place.node) if place.node is not None else None)
        if value:
            why = "" if patches else "The language has no words for these policies."
            patches.append(Patch(path, "=", value, why=why, span=place.span))
    return Statements((), None, _one_restart_policy(read), as_written=True, patches=tuple(patches))


def _value(data: Plain | None) -> Value:
    """Data of a manifest as a value of the language."""
    if isinstance(data, dict):
        return {key: _value(item) for key, item in data.items()}
    if isinstance(data, list):
        return [_value(item) for item in data]
    if isinstance(data, float):
        return Bare(located.without_exponent(data))
    return "" if data is None else data
