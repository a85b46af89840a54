"""Jobs, with the documents beside them, as one job of the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from tfdsl.diagnostics.command_rules import NO_ROLE, NOT_KEPT, READ_DIFFERENTLY, SERVER_REFUSES
from tfdsl.draft import Attribute, Draft, Policy
from tfdsl.manifest.nodes import Node, View, view
from tfdsl.patterns import regex
from tfdsl.reading import Asked
from tfdsl.record import replace
from tfdsl.vocabulary.attributes import ROLES, ROLES_BY_NAME
from tfdsl_backends.kubernetes.options import JOB_NAME, JOB_NAMES
from tfdsl_backends.kubernetes.placement import ORDER
from tfdsl_backends.kubernetes.reading.beside import Beside
from tfdsl_backends.kubernetes.reading.discovery import main_container
from tfdsl_backends.kubernetes.reading.forms import job_of, kind
from tfdsl_backends.kubernetes.reading.metadata import job_name, read_limits, read_metadata
from tfdsl_backends.kubernetes.reading.parts import (
    JOB_LABEL,
    ROLE_LABEL,
    TENSORBOARD_LABEL,
    Part,
    is_pinned,
    job_parts,
    replicas_of,
)
from tfdsl_backends.kubernetes.reading.refusals import refusals
from tfdsl_backends.kubernetes.reading.replicas import merged
from tfdsl_backends.kubernetes.reading.restarts import Restarts, completions, restarts
from tfdsl_backends.podspec.normal.rules import GENERATED
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE, PORT_NAME
from tfdsl_backends.podspec.reading.facts import PodFacts
from tfdsl_backends.podspec.reading.pods import read_pods

if TYPE_CHECKING:
    Host: TypeAlias = Callable[[str, int], str]

USUAL_RETRIES: Final = 3
"""``retries`` where a policy restarts anything and nothing is written."""

_NAME: Final = regex(JOB_NAME)


def read_jobs(documents: Sequence[Node], asked: Asked) -> Draft | None:
    """The job that the Jobs in ``documents`` make, with what belongs to them."""
    for document in documents:
        _cron(view(document), asked)
    documents = [job_of(document) for document in documents]
    parts = job_parts(documents)
    roles = roles_of(parts, asked)
    if not roles:
        return None
    told = {diagnostic.message: diagnostic for one in reversed(parts) for diagnostic in refusals(one.root)}
    for diagnostic in sorted(told.values(), key=lambda diagnostic: diagnostic.span.start):
        asked.report(diagnostic)
    refused = any(diagnostic.rule is SERVER_REFUSES for diagnostic in told.values())
    draft = job_of_parts(parts, roles, Beside(documents), asked)
    draft.law = draft.law and not refused
    return draft


def job_of_parts(
    parts: Sequence[Part],
    roles: Mapping[str, Sequence[Part]],
    beside: Beside,
    asked: Asked,
) -> Draft:
    """The job whose roles are ``roles``."""
    first, pinned = parts[0], is_pinned(parts)
    count = {role: replicas_of(of_role) for role, of_role in roles.items()}
    ending = max((f"-{role}-{max(number - 1, 0)}" for role, number in count.items()), key=len)
    name = job_name(first.job, first.root["metadata"]["name"], ending, asked)
    draft = Draft(name, "kubernetes", first.root.span)
    draft.renamed = {one.role: role for role, of_role in roles.items() for one in of_role if one.role != role}
    _keep_names(draft, roles, asked, pinned=pinned)
    read_metadata(draft, [one.root for one in parts])
    read_limits(draft, [one.spec for one in parts])
    for role in roles:
        if count[role] != 1:
            draft.role(role).set("replicas", count[role], roles[role][0].spec["completions"].span)
    hosts = _hosts(draft, roles) if pinned else {}
    at = _nowhere if any(map(_must_be_patched, parts)) else _hosts_of(draft, hosts)
    facts = _facts(name, count, at, beside, pinned=pinned)
    facts = replace(facts, filled_in=first.root["metadata"]["uid"].present)
    pods = {role: _template(of_role) for role, of_role in roles.items()}
    board = beside.tensorboard
    read_pods(draft, {**pods, "tensorboard": board} if board is not None else pods, facts, asked)
    if not pinned:
        _merged(draft, roles, asked)
        if not beside.has_service(name):
            draft.options.set("service", False, first.root.span)
    _policies(draft, {role: restarts(of_role[0].spec) for role, of_role in roles.items()})
    if not pinned:
        _completions(draft, roles, count)
    return draft


def roles_of(parts: Sequence[Part], asked: Asked) -> dict[str, list[Part]] | None:
    """The Jobs of each role, in the order of the language."""
    found: dict[str, list[Part]] = {}
    for one in parts:
        role = _role(one, asked)
        if role is None:
            place = one.root["metadata"]["name"]
            known = ", ".join(ORDER)
            diagnostic = NO_ROLE(place.span, what="the Job", name=one.name or one.role)
            asked.report(diagnostic.help(f"say which it is with --role {one.role}=ROLE; roles are {known}"))
            return None
        found.setdefault(role, []).append(one)
    return {role.name: sorted(found[role.name], key=_number) for role in ROLES if role.name in found}


def _role(one: Part, asked: Asked) -> str | None:
    said = asked.roles.get(one.role) or asked.roles.get(one.name)
    if said is not None:
        return said if said in ORDER else None
    if one.role in ROLES_BY_NAME:
        return one.role if one.role in ORDER else None
    return next((role.name for role in ROLES if one.role in role.aliases and role.name in ORDER), None)


def _keep_names(draft: Draft, roles: Mapping[str, Sequence[Part]], asked: Asked, *, pinned: bool) -> None:
    """Jobs that the compiler would call otherwise, and their pods with them, keep their names."""
    for role, parts in roles.items():
        named = [one for one in parts if one.name and (one.index is None or pinned)]
        bases = {one.name.removesuffix(f"-{_number(one)}") if pinned else one.name for one in named}
        base = bases.pop() if len(bases) == 1 else ""
        base = base if _NAME.fullmatch(base) else ""
        if base and base != f"{draft.name}-{role}":
            draft.options.entry("job_names", role, base, named[0].root["metadata"]["name"].span)
        for one in named:
            own = f"{base or f'{draft.name}-{role}'}{f'-{_number(one)}' if pinned else ''}"
            if one.name != own:
                place = one.root["metadata"]["name"].span
                difference = "the Job of a role is called so, and its pods, too"
                asked.report(READ_DIFFERENTLY(place, what=f"the name {one.name}", word=own, difference=difference))


def _template(parts: Sequence[Part]) -> View:
    """The pod template of a role."""
    places = [one.spec["template"] for one in parts]
    nodes = [place.node for place in places if place.node is not None]
    return View(merged(nodes), places[0].path, places[0].span) if len(nodes) == len(places) else places[0]


def _number(one: Part) -> int:
    return one.index or 0


def _hosts(draft: Draft, roles: Mapping[str, Sequence[Part]]) -> dict[tuple[str, int], str]:
    """The nodes in the order in which the roles take them."""
    placed = [(role, one) for role in ORDER for one in roles.get(role, ())]
    hosts = [one.host or "" for _, one in placed]
    draft.options.set("hosts", hosts, placed[0][1].pod["nodeName"].span)
    return {(role, _number(one)): one.host or "" for role, one in placed}


def _hosts_of(draft: Draft, hosts: Mapping[tuple[str, int], str]) -> Host:
    """The host of a replica: its node, or what the Service makes of its name."""
    options = [one for one in draft.options.statements if isinstance(one, Attribute)]
    named = {one.key: one.value for one in options if one.name == JOB_NAMES.name}

    def host(role: str, index: int) -> str:
        own = f"{named.get(role, f'{draft.name}-{role}')}-{index}.{draft.name}"
        return hosts.get((role, index), own)

    return host


def _facts(name: str, count: Mapping[str, int], host: Host, beside: Beside, *, pinned: bool) -> PodFacts:
    return PodFacts(
        replicas=count,
        address=lambda role, index, port: f"{host(role, index)}:{port}",
        index_field=INDEX_FIELD,
        index_variable=INDEX_VARIABLE,
        labels=frozenset((JOB_LABEL, ROLE_LABEL, TENSORBOARD_LABEL, *GENERATED)),
        spread_labels=_spread_labels(name),
        claims=beside.claims(name),
        priority=True,
        scheduler=True,
        on_hosts=pinned,
    )


def _must_be_patched(one: Part) -> bool:
    """Whether a field has to be patched that addresses are made of, so that the TF_CONFIG must be the job's own."""
    pinned = one.host is not None
    declared = any(port["name"].text == PORT_NAME for port in main_container(one.pod)["ports"].items())
    on_network = one.pod["hostNetwork"].flag is True and not pinned and not declared
    return on_network or (pinned and one.pod["subdomain"].present) or one.pod["hostname"].present


def _nowhere(role: str, index: int) -> str:
    """An address that no TF_CONFIG has."""
    return f"{role}.{index}.invalid"


def _spread_labels(name: str) -> Callable[[str], Mapping[str, str]]:
    def labels(role: str) -> Mapping[str, str]:
        return {TENSORBOARD_LABEL: name} if role == "tensorboard" else {JOB_LABEL: name, ROLE_LABEL: role}

    return labels


def _merged(draft: Draft, roles: Mapping[str, Sequence[Part]], asked: Asked) -> None:
    """Jobs of single replicas that are on no hosts become one Job of their role."""
    for role, parts in roles.items():
        if parts[0].index is None:
            continue
        draft.law = False
        first = parts[0].root["metadata"]["name"]
        what = f"the Job {parts[0].name}" if len(parts) == 1 else f"{parts[0].name} to {parts[-1].name}"
        difference = "the replicas of a role are one Indexed Job, whose index each replica gets"
        asked.report(READ_DIFFERENTLY(first.span, what=what, word=f"role {role}", difference=difference))


def _policies(draft: Draft, found: Mapping[str, Restarts]) -> None:
    """Policies of the job where all roles have them, else of each role; the retries that most Jobs allow."""
    every = list(found.values())
    same = all(one.policies == every[0].policies or _said(one) == _said(every[0]) for one in every)
    for role, one in found.items():
        for policy in one.policies:
            (draft.job if same else draft.role(role)).add(policy)
        if same:
            break
    counts = [(one.retries, one.span) for one in every if one.retries is not None]
    if counts:
        numbers = [number for number, _ in counts]
        retries, span = max(counts, key=lambda one: numbers.count(one[0]))
        if retries != USUAL_RETRIES:
            draft.job.set("retries", retries, span)


def _said(one: Restarts) -> list[tuple[str, str]]:
    return [(policy.event, policy.action) for policy in one.policies]


def _completions(draft: Draft, roles: Mapping[str, Sequence[Part]], count: Mapping[str, int]) -> None:
    """One replica of several that ends its role; the chief, which would end the job otherwise, still does."""
    found = {role: completions(parts[0].spec) for role, parts in roles.items() if count[role] > 1}
    if not any(found.values()):
        return
    for role, indexes in found.items():
        for index, span in indexes:
            if index < count[role]:
                draft.job.add(Policy(f"{role}[{index}] completed", "complete job", span))
    for chief in ("chief", "master"):
        if chief in roles:
            draft.job.add(Policy(f"{chief} completed", "complete job", roles[chief][0].root.span))


def _cron(root: View, asked: Asked) -> None:
    """What a CronJob says beside its Job."""
    if kind(root) != "CronJob":
        return
    schedule = root["spec"]["schedule"]
    what = f"the schedule {schedule.text}" if schedule.text else "the schedule"
    reason = "a .tfjob describes one run; a CronJob can hold the Job that is compiled from it"
    asked.report(NOT_KEPT(root["spec"].key("schedule"), what=what, reason=reason))
