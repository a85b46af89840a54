"""Policies: what each event allows, and how policies depend on each other (language reference, "Statements": on)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import command_rules, name_rules, value_rules
from tfdsl.diagnostics.suggest import enumeration, listing
from tfdsl.rules.broken import Broken

if TYPE_CHECKING:
    from tfdsl.rules.protocols import Job, Policy
    from tfdsl.vocabulary.statements import Event


def fits(event: Event, action: str | None, *, subject: bool, delay: bool) -> Iterator[Broken]:
    """Subject, delay and action must fit the event. ``action`` is ``None`` when it is not known."""
    name = event.name
    if event.needs_role and not subject:
        broken = Broken(value_rules.COMPLETED_NEEDS_ROLE, ("event",))
        yield broken.help(f"write on worker {name} => {action or event.actions[0]}")
    if subject and not event.takes_subject:
        broken = Broken(value_rules.SUBJECT_NOT_TAKEN, ("role",), {"event": name})
        yield broken.help("put it in the job block, without a role")
    if delay and not event.takes_delay:
        yield Broken(value_rules.DELAY_NOT_TAKEN, ("delay",), {"event": name})
    if event.needs_delay and not delay:
        yield Broken(value_rules.DELAY_MISSING, ("event",), {"event": name}).help(f"for example {name} after 10m")
    if action is not None and action not in event.actions:
        broken = Broken(value_rules.ACTION_NOT_TAKEN, ("action",), {"event": name, "action": action})
        yield broken.help(f"use {listing(event.actions)}")


def statuses(codes: Sequence[int]) -> Broken | None:
    """The exit statuses of an ``exit`` event."""
    for at, code in enumerate(codes):
        if not 1 <= code <= 255:
            return status(str(code), at)
        if code in codes[:at]:
            return Broken(value_rules.EXIT_RANGE, (at,), {"problem": f"exit status {code} is repeated"})
    return None if codes else Broken(value_rules.EXIT_RANGE, (), {"problem": "exit needs at least one exit status"})


def status(written: str, *place: int) -> Broken:
    """``written`` is not the exit status of a failed process."""
    hint = "; exit 0 is success" if written == "0" else ""
    problem = f"an exit status must be from 1 to 255, not {written}{hint}"
    return Broken(value_rules.EXIT_RANGE, place, {"problem": problem})


def replica(role: str, replicas: int, index: int | str, number: int | None) -> Broken | None:
    """``role`` has a replica ``index``, as it is written; ``number``: as a number, ``None`` for what is too large."""
    if number is not None and 0 <= number < replicas:
        return None
    shown = "0" if replicas == 1 else f"0 to {replicas - 1}"
    return Broken(value_rules.OUTPUT_INDEX, ("index",), {"role": role, "index": index, "range": shown})


def no_such_role(job: str, name: str, known: Iterable[str]) -> Broken:
    """The subject of a policy or an output is not a role of the job."""
    names = tuple(known)
    broken = Broken(name_rules.ROLE_NOT_IN_JOB, ("role",), {"job": job, "name": name})
    return broken.help(f"its roles are {enumeration(names)}" if names else f"add role {name} {{ }}")


def subjects(job: Job) -> Iterator[Broken]:
    """The subject of every policy must exist."""
    replicas = {role.name: role.replicas for role in job.roles}
    for at, policy in enumerate(job.policies):
        if policy.role is None:
            continue
        if policy.role not in replicas:
            yield no_such_role(job.name, policy.role, replicas).below("policies", at)
        elif policy.index is not None:
            broken = replica(policy.role, replicas[policy.role], policy.index, policy.index)
            if broken is not None:
                yield broken.below("policies", at)


def same(policy: Policy, other: Policy) -> Broken | None:
    """Two policies with one subject and event conflict. The place is that of ``policy``, the note that of ``other``."""
    subject = "the job" if policy.role is None else policy.role
    subject += "" if policy.index is None else f"[{policy.index}]"
    common = sorted({*other.codes} & {*policy.codes})
    if policy.event != "exit":
        return Broken(value_rules.DUPLICATE_POLICY, (), {"subject": subject, "event": policy.event})
    if common:
        codes = ", ".join(str(code) for code in common[:5])
        return Broken(value_rules.OVERLAPPING_EXIT, (), {"subject": subject, "codes": codes})
    return None


def apart(policies: Sequence[Policy]) -> Iterator[Broken]:
    """No two policies can conflict."""
    groups: dict[tuple[str | None, int | None, str], list[int]] = {}
    for at, policy in enumerate(policies):
        group = groups.setdefault((policy.role, policy.index, policy.event), [])
        for before in group:
            broken = same(policy, policies[before])
            if broken is not None:
                broken = broken.below("policies", at, "event").marked("handled again here")
                yield broken.note(("policies", before, "event"), "first handled here")
                break
        group.append(at)


def restarts(job: Job) -> Iterator[Broken]:
    """``restarted`` needs ``restart container``, and restarting needs retries."""
    for at, policy in enumerate(job.policies):
        if policy.event == "restarted" and not _restarts_container(job, policy):
            subject = "the job" if policy.role is None else f"role {policy.role}"
            broken = Broken(value_rules.RESTARTED_ALONE, ("policies", at, "event"), {"subject": subject})
            yield broken.help("add on failed => restart container")
    if job.retries != 0:
        return
    for at, policy in enumerate(job.policies):
        if policy.action.startswith("restart"):
            broken = Broken(value_rules.RETRIES_ZERO, ("retries",), {"action": policy.action})
            broken = broken.note(("policies", at, "action"), "restarts here")
            yield broken.help("leave out retries for 3, or set a number")
            return


def _restarts_container(job: Job, restarted: Policy) -> bool:
    return any(
        policy.action == "restart container" and (policy.role is None or restarted.role in (None, policy.role))
        for policy in job.policies
    )


def shape(policy: Policy, count: int | None) -> Iterator[Broken]:
    """A policy that comes as data must have what its event needs, and nothing else. ``count``: of ``restarted``."""
    if policy.index is not None and policy.role is None:
        yield _not_a_policy("index", "the index of a policy needs its role")
    if policy.codes and policy.event != "exit":
        yield _not_a_policy("codes", f"only exit has codes, not {policy.event}")
    if count is not None and policy.event != "restarted":
        yield _not_a_policy("count", f"only restarted has a count, not {policy.event}")
    if count is None and policy.event == "restarted":
        yield _not_a_policy("event", "restarted needs a count")
    broken = statuses(policy.codes) if policy.event == "exit" else None
    if broken is not None:
        yield broken.below("codes")


def _not_a_policy(field: str, problem: str) -> Broken:
    return Broken(command_rules.NOT_A_JOB, (field,), {"problem": problem})
