"""JobSets as jobs of the language; the inverse of :mod:`tfdsl_backends.jobset.lower`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from tfdsl.backend.draft import Attribute, Draft, Policy
from tfdsl.backend.reading import Asked, Field, Group
from tfdsl.diagnostics.command_rules import NO_ROLE, NO_WORDS, NOT_KEPT, READ_DIFFERENTLY
from tfdsl.manifest.nodes import Document, Node, Sequence as Listed, View, changed, child, items, scalar, view
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import (
    BOARD,
    DEFAULT_RETRIES,
    LEADERS,
    MOST_REPLICAS,
    MOST_RETRIES,
    ROLES,
    ROLES_BY_NAME,
    decider,
)
from tfdsl_backends.jobset.lifecycle import BY_LIMIT, FAIL, Failure, Job, Manifest, read_manifest
from tfdsl_backends.jobset.normal import aligned, completed, is_jobset, normal, with_claims
from tfdsl_backends.jobset.options import EXCLUSIVE, JOB_NAME
from tfdsl_backends.jobset.patch_rules import RULES
from tfdsl_backends.jobset.policies import LABELS
from tfdsl_backends.podspec.fields import DEADLINE, SUSPEND, TTL
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE
from tfdsl_backends.podspec.reading.batch import ending_alone, read_field, refusals
from tfdsl_backends.podspec.reading.beside import kept_claims
from tfdsl_backends.podspec.reading.facts import ClaimFacts, PodFacts
from tfdsl_backends.podspec.reading.fields import metadata_fields, plain
from tfdsl_backends.podspec.reading.mounts import claim_facts, stem
from tfdsl_backends.podspec.reading.objects import Neighbours, job_name, read_metadata, unless_refused
from tfdsl_backends.podspec.reading.pods import add_missing_images, read_pods
from tfdsl_backends.podspec.reading.values import STATUSES, on_exit

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

_TARGET: Final = "jobset"


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """Each JobSet with the claims and the Service of TensorBoard that the compiler would write beside it."""
    found: list[Group] = []
    neighbours = Neighbours(documents)
    for document in documents:
        root = view(document.node)
        if is_jobset(root):
            found.append(Group("JobSet", (document, *belonging(neighbours, root))))
    return found


@unless_refused
def read(group: Group, asked: Asked) -> Draft | None:
    """The job that a JobSet describes; ``None`` where its Jobs cannot be roles (reported as an error).

    A JobSet that the server or its controller refuses is read as far as it goes, and need not come back.
    """
    document, beside = group.documents[0], group.documents[1:]
    root = view(with_claims(completed(document.node)))
    for diagnostic in refusals(root, "JobSet", RULES, "JobSet"):
        asked.report(diagnostic)
    found = roles(root, asked)
    if not found:
        return None
    draft = Draft(job_name(document, root["metadata"], asked, letter_first=True), _TARGET, root.span)
    draft.renamed = {one.name: one.role for one in found if one.name != one.role}
    draft.law = all(one.copies == 1 for one in found)
    draft.wanted = (wanted(document.node, found), *(one.node for one in beside))
    read_metadata(draft, root["metadata"], without=frozenset((QUEUE_LABEL,)))
    read_settings(draft, root, found)
    read_order(draft, found, asked)
    read_limits(draft, found)
    facts = _facts(draft, root, found, claims(root, beside))
    templates = {one.role: one.spec["template"] for one in found}
    for one in found:
        if one.replicas != 1:
            draft.role(one.role).set("replicas", one.replicas, one.spec["completions"].span)
        else:
            draft.role(one.role)
    read_pods(draft, templates, facts, asked)
    add_missing_images(draft, templates, facts, asked)
    read_policies(draft, root, found)
    return draft


def _facts(draft: Draft, root: View, found: Sequence[RoleOf], made: Mapping[str, ClaimFacts]) -> PodFacts:
    names = named(found)
    copies = {one.role: one.copies for one in found}
    domain = root["spec"]["network"]["subdomain"].text or draft.name

    def address(role: str, index: int, port: int) -> str:
        numbers = f"0-{index}" if copies.get(role, 1) == 1 else f"{index}-0"
        return f"{draft.name}-{names.get(role, role)}-{numbers}.{domain}:{port}"

    return PodFacts(
        replicas={one.role: one.replicas for one in found},
        address=address,
        index_field=INDEX_FIELD,
        index_variable=INDEX_VARIABLE,
        spread_labels=lambda role: {
            f"{LABELS}/jobset-name": draft.name,
            f"{LABELS}/replicatedjob-name": names.get(role, role),
        },
        claims=made,
        priority=True,
        scheduler=True,
    )


class RoleOf(Record):
    """A replicated Job as a role. ``name``: its own; ``copies``: how many Jobs it is; ``job``: its entry."""

    role: str
    name: str
    copies: int
    replicas: int
    job: View

    @property
    def spec(self) -> View:
        """``spec`` of the Job."""
        return self.job["template"]["spec"]


def roles(root: View, asked: Asked) -> list[RoleOf]:
    """The roles in the order of the language; none if it cannot express a Job or the set (reported)."""
    entries: list[View] = []
    for one in root["spec"]["replicatedJobs"].items():
        if one["replicas"].number == 0:
            asked.report(NOT_KEPT(one.span, what=f"replicated Job {one['name'].text}", reason="it has no replicas"))
        else:
            entries.append(one)
    found: dict[str, RoleOf] = {}
    for entry in entries:
        role = _role(entry, entries, found, asked)
        if role is None:
            return []
        found[role] = _of(role, entry)
        if not _fits(found[role], asked):
            return []
    if not any(ROLES_BY_NAME[role].trains for role in found):
        asked.report(NO_WORDS(root.span, what="the job", reason="it has neither a chief (master) nor workers"))
        return []
    return [found[row.name] for row in ROLES if row.name in found]


def named(found: Sequence[RoleOf]) -> dict[str, str]:
    """Role → the name of its replicated Job."""
    return {one.role: one.name for one in found}


def wanted(document: Node, found: Sequence[RoleOf]) -> Node:
    """What the job has to compile to: the JobSet without Jobs that have no replicas."""
    names = {one.name for one in found}

    def kept(jobs: Node) -> Node:
        return Listed(tuple(item for item in items(jobs) if scalar(child(item, "name")) in names), jobs.span)

    return changed(document, ("spec", "replicatedJobs"), kept)


def _of(role: str, one: View) -> RoleOf:
    spec, copies = one["template"]["spec"], max(one["replicas"].number or 1, 1)
    pods = max(1, spec["completions"].number or 0, spec["parallelism"].number or 0)
    return RoleOf(role, one["name"].text or "", copies, copies * pods, one)


def _role(one: View, entries: Sequence[View], found: dict[str, RoleOf], asked: Asked) -> str | None:
    """The role of the entry ``one``; ``None`` if it cannot be a role (reported)."""
    name = one["name"].text or ""
    role = asked.roles.get(name) or _known(name)
    if role is None and len(entries) == 1:
        role = "worker"
    taken = role in found or (role in LEADERS and any(leader in found for leader in LEADERS))
    if role in ROLES_BY_NAME and not taken:
        return role
    error = NO_ROLE(one["name"].span, what="the replicated Job", name=name)
    known = ", ".join(row.name for row in ROLES)
    asked.report(error.help(f"say which it is with --role {name}=ROLE; roles are {known}"))
    return None


def _known(name: str) -> str | None:
    if name in ROLES_BY_NAME:
        return name
    said = next((row.name for row in ROLES if name in row.aliases), None)
    return said or next((row.name for row in ROLES if name in row.akin), None)


def _fits(one: RoleOf, asked: Asked) -> bool:
    """Whether the role may have so many replicas; reports what becomes of several Jobs."""
    place = one.job["replicas"] if one.copies > 1 else one.spec["completions"]
    what = f"role {one.role} with {one.replicas} replicas"
    if one.replicas > MOST_REPLICAS:
        asked.report(NO_WORDS(place.span, what=what, reason=f"it can have {MOST_REPLICAS:,}"))
        return False
    if one.replicas > 1 and ROLES_BY_NAME[one.role].single:
        error = NO_WORDS(place.span, what=what, reason=f"a job has one {one.role}")
        asked.report(error.help(f"write --role {one.name}=worker to read it as that"))
        return False
    if one.copies > 1:
        pods = one.replicas // one.copies
        jobs = f"{one.copies} Jobs of {pods} pod{'' if pods == 1 else 's'}"
        difference = "they are one Job, so the names of their pods are others, and it fails and completes as one"
        asked.report(READ_DIFFERENTLY(place.span, what=jobs, word=f"{one.replicas} replicas", difference=difference))
    return True


_NAME: Final = regex(JOB_NAME)


def read_settings(draft: Draft, root: View, found: Sequence[RoleOf]) -> None:
    """Attributes of the job and options of the target."""
    spec, metadata = root["spec"], root["metadata"]
    queue = metadata["labels"][QUEUE_LABEL]
    draft.job.set("queue", queue.text or None, queue.span)
    for field in (TTL, SUSPEND):
        read_field(draft, field, spec[field.path])
    _network(draft, spec["network"])
    topology = metadata["annotations"][EXCLUSIVE]
    if topology.text:
        statements = draft.job.statements
        draft.job.statements = [
            statement for statement in statements if statement.identity != f"annotations[{EXCLUSIVE}]"
        ]
        draft.options.set("exclusive_topology", topology.text, topology.span)
    chosen, coordinator = spec["coordinator"]["replicatedJob"], spec["coordinator"]
    role = next((one.role for one in found if one.name == chosen.text), None)
    if role is not None and not coordinator["jobIndex"].number and not coordinator["podIndex"].number:
        draft.options.set("coordinator", role, chosen.span)
    for one in found:
        if one.name != one.role and _NAME.fullmatch(one.name):
            draft.options.entry("job_names", one.role, one.name, one.job["name"].span)


def _network(draft: Draft, network: View) -> None:
    if network["enableDNSHostnames"].flag is False:
        draft.options.set("service", False, network["enableDNSHostnames"].span)
    domain = network["subdomain"]
    if domain.text and domain.text != draft.name:
        draft.options.set("subdomain", domain.text, domain.span)


def read_order(draft: Draft, found: Sequence[RoleOf], asked: Asked) -> None:
    """``after`` of each role."""
    roles = {one.name: one.role for one in found}
    for one in found:
        place = one.job["dependsOn"]
        others = [other for other in place.items() if other["name"].text in roles]
        for other in others:
            if other["status"].text == "Complete":
                draft.law = False
                what, word = f"status Complete of {other['name'].text}", "after"
                difference = "the role starts when the other runs, not when it has completed"
                asked.report(READ_DIFFERENTLY(other["status"].span, what=what, word=word, difference=difference))
        names = [roles[other["name"].text or ""] for other in others]
        if names:
            draft.role(one.role).add(Attribute("after", names, place.span))


def read_limits(draft: Draft, found: Sequence[RoleOf]) -> None:
    """The deadline, if that of all Jobs but TensorBoard's is the same."""
    places = [one.spec[DEADLINE.path] for one in found if one.role != BOARD]
    if len({place.number for place in places}) == 1:
        read_field(draft, DEADLINE, places[0])


def belonging(neighbours: Neighbours, jobset: View) -> list[Document]:
    """Those of ``neighbours`` that the compiler writes beside ``jobset``."""
    name, namespace = jobset["metadata"]["name"].text, jobset["metadata"]["namespace"].text
    if name is None:
        return []
    made = {f"{name}-{stem(path)}" for path, _ in _mounted(jobset)}
    return [one for one in neighbours.of(namespace, name) if _belongs(view(one.node), name, made)]


def _belongs(root: View, name: str, claims: set[str]) -> bool:
    """Whether it is the Service of TensorBoard, or one of ``claims``."""
    kind, own = root["kind"].text, root["metadata"]["name"].text
    if kind == "Service":
        return own == f"{name}-{BOARD}" and root["spec"]["selector"][f"{LABELS}/jobset-name"].text == name
    return kind == "PersistentVolumeClaim" and own in claims and claim_facts(root) is not None


def _mounted(jobset: View) -> Iterator[tuple[str, str]]:
    """Path and name of each volume that a container mounts."""
    for one in jobset["spec"]["replicatedJobs"].items():
        for container in one["template"]["spec"]["template"]["spec"]["containers"].items():
            for mount in container["volumeMounts"].items():
                if mount["mountPath"].text and mount["name"].text:
                    yield mount["mountPath"].text, mount["name"].text


def claims(jobset: View, documents: Sequence[Document]) -> dict[str, ClaimFacts]:
    """What is known of claims, by the name of the PersistentVolumeClaim.

    Those that the JobSet makes and removes are among them, if each is called after the path at which it is mounted.
    """
    found = kept_claims(document.node for document in documents)
    paths = {name: path for path, name in _mounted(jobset)}
    for policy in jobset["spec"]["volumeClaimPolicies"].items():
        if policy["retentionPolicy"]["whenDeleted"].text not in (None, "Delete"):
            continue
        for template in policy["templates"].items():
            name, facts = template["metadata"]["name"].text, claim_facts(template)
            if name and facts is not None and name in paths and stem(paths[name]) == name:
                found[f"{name}-{jobset['metadata']['name'].text}"] = facts
    return found


Done: TypeAlias = Literal["fail job", "restart job", "restart pod", "restart container"]

_TERMINATED: Final = 143
_MOST_APART: Final = 64
"""Replicas of a role that are asked for one by one."""


class _Read(Record):
    """What one role does about failures.

    ``failed``, ``evicted``: what is done; ``exits``: policies about statuses; ``more``: about single replicas, and
    restarts in place that are used up. ``retries``: how often it restarts, ``None`` where nothing counts. The places
    are those of the limit and of the rules. ``chosen``, ``limited``: whether the manifest says what is done about a
    failure, and how often; servers have defaults for both.
    """

    failed: Done
    evicted: Done
    limit: Span
    rules: Span
    exits: tuple[Policy, ...] = ()
    more: tuple[Policy, ...] = ()
    retries: int | None = None
    chosen: bool = True
    limited: bool = True


def read_policies(draft: Draft, root: View, found: Sequence[RoleOf]) -> None:
    """Policies of the job where most roles have them, else of each role; ``retries``."""
    _read_end(draft, root, found)
    manifest = read_manifest(root, named(found))
    jobs = [(one, manifest.jobs[one.role]) for one in found if one.role in manifest.jobs and one.role != BOARD]
    roles = {one.role: _read_role(manifest, job, one) for one, job in jobs}
    if not roles:
        return
    every = list(roles.values())
    usual = _most([one.failed for one in every])
    if usual != "fail job":
        saying = [one for one in every if one.failed == usual]
        first = next((one for one in saying if one.chosen), saying[0])
        draft.block(written=first.chosen).add(Policy("failed", usual, first.limit))
    _read_evicted(draft, roles)
    same = all(_said(one.exits) == _said(every[0].exits) and one.failed == usual for one in every)
    for role, one in roles.items():
        block = draft.role(role)
        if one.failed != usual:
            draft.block(role, written=one.chosen).add(Policy("failed", one.failed, one.limit))
        if not same or one is every[0]:
            (draft.job if same else block).add(*one.exits)
        for policy in one.more:
            draft.block(written=_is_written(one, policy)).add(policy)
    _read_retries(draft, root, manifest, every)


def _read_evicted(draft: Draft, roles: Mapping[str, _Read]) -> None:
    """``evicted``, where it is not what a failure is."""
    if all(one.evicted == one.failed for one in roles.values()):
        return
    if len({one.evicted for one in roles.values()}) == 1:
        one = next(one for one in roles.values() if one.evicted != one.failed)
        draft.job.add(Policy("evicted", one.evicted, one.rules))
        return
    for role, one in roles.items():
        if one.evicted != one.failed:
            draft.role(role).add(Policy("evicted", one.evicted, one.rules))


def _most(actions: Sequence[Done]) -> Done:
    """The action of most; of equally many the first."""
    return max(actions, key=actions.count)


def _said(policies: Sequence[Policy]) -> list[tuple[str, str]]:
    return [(policy.event, policy.action) for policy in policies]


def _read_retries(draft: Draft, root: View, manifest: Manifest, roles: Sequence[_Read]) -> None:
    said = {(policy.action, _is_written(role, policy)) for role in roles for policy in (*role.exits, *role.more)}
    said |= {(action, True) for role in roles for action in (role.failed, role.evicted)}
    counts = [(role.retries, role.limit, role.limited) for role in roles if role.retries is not None]
    if ("restart job", True) in said or ("restart job", False) in said:
        span = root["spec"]["failurePolicy"]["maxRestarts"].span
        counts = [(manifest.restarts, span, ("restart job", True) in said), *counts]
    if counts:
        retries, span, limited = counts[0]
        if retries != DEFAULT_RETRIES and retries > 0:
            draft.block(written=limited).set("retries", min(retries, MOST_RETRIES), span)


def _is_written(role: _Read, policy: Policy) -> bool:
    """Whether the manifest says it; restarts in place are counted to a limit, for which servers have a default."""
    return role.limited or " restarted " not in policy.event


# --- the end -----------------------------------------------------------------------------------------------------


def _read_end(draft: Draft, root: View, found: Sequence[RoleOf]) -> None:
    """Whose end is the end of the job, unless that is what the language does by itself."""
    policy = root["spec"]["successPolicy"]
    targets = {target.text for target in policy["targetReplicatedJobs"].items()}
    roles = [one for one in found if one.name in targets or (not targets and one.role != BOARD)]
    if len(roles) != 1 and policy["operator"].text != "Any":
        return
    usual = decider([one.role for one in found]) or ""
    single = {one.role: _single(one) for one in roles}
    if [one.role for one in roles] == [usual] and not single[usual]:
        return
    for role in roles:
        for index in single[role.role]:
            draft.job.add(Policy(f"{role.role}[{index}] completed", "complete job", policy.span))
        if not single[role.role]:
            draft.job.add(Policy(f"{role.role} completed", "complete job", policy.span))


def _single(one: RoleOf) -> list[int]:
    """The replicas each of which completes the Job, if it says no more than that."""
    indexes = [index for index, _ in ending_alone(one.spec)]
    return indexes if one.replicas > 1 and all(index < one.replicas for index in indexes) else []


# --- failures ----------------------------------------------------------------------------------------------------
#
# The rules of a JobSet can say the same in many ways, so they are not read one by one: what happens to a failed pod of
# each role is worked out as the controllers do, and that is written as policies. What compiles differently from what it
# was becomes a patch.


def _read_role(manifest: Manifest, job: Job, one: RoleOf) -> _Read:
    """What ``job`` and the JobSet do about a failed pod of the role."""
    limit, rules = one.spec["backoffLimit"].span, one.spec["podFailurePolicy"].span
    pod, limited = one.spec["template"]["spec"], one.spec["backoffLimit"].present
    if job.controlled.in_place and job.controlled.limit > 1:
        chosen = pod["restartPolicy"].span != pod.span
        return replace(_in_place(manifest, job, one.role, limit, rules), chosen=chosen, limited=limited)
    named_ = sorted({status for rule in job.controlled.rules for status in rule.statuses if status in STATUSES})
    other = next((status for status in STATUSES if status not in named_), 0)
    several = 1 < one.replicas <= _MOST_APART and any(rule.patterns for rule in manifest.rules)
    table = [_acts(manifest, job, [*named_, other], index) for index in range(one.replicas if several else 1)]
    usual: dict[int, Done] = {status: _most([acts[status] for acts in table]) for status in (*named_, other)}
    evicted, counted = _evicted(manifest, job, usual[other])
    differs = evicted == "restart pod" and not counted and usual[other] == "restart pod"
    more = [policy for index, acts in enumerate(table) for policy in _own(one.role, index, acts, usual, other, rules)]
    if differs:
        more.append(Policy(f"{one.role} evicted", evicted, rules))
    exits = _exits(usual, usual[other], rules)
    return _Read(
        usual[other],
        evicted,
        limit,
        rules,
        tuple(exits),
        tuple(more),
        job.controlled.limit if "restart pod" in usual.values() else None,
        chosen=usual[other] != "restart pod" or limited or one.spec["backoffLimitPerIndex"].present,
        limited=limited,
    )


def _evicted(manifest: Manifest, job: Job, usual: Done) -> tuple[Done, bool]:
    """What is done about an evicted pod, and whether a limit counts that; ``usual`` where its status decides."""
    found = job.controlled.rule_for(_TERMINATED, disrupted=True)
    if found is None or not found[1].disrupted or any(not rule.disrupted for rule in job.controlled.rules[: found[0]]):
        return usual, True
    return _failed(manifest, job, _TERMINATED, 0, evicted=True)


def _acts(manifest: Manifest, job: Job, statuses: Sequence[int], index: int) -> dict[int, Done]:
    """What is done about one replica, by the status of its container."""
    return {status: _failed(manifest, job, status, index, evicted=False)[0] for status in statuses}


def _exits(acts: Mapping[int, Done], usual: Done, span: Span, of: str = "") -> list[Policy]:
    """Policies for the statuses about which something else is done than ``usual``."""
    return _by_status({status: act for status, act in acts.items() if act != usual}, span, of)


def _by_status(acts: Mapping[int, Done], span: Span, of: str) -> list[Policy]:
    """Policies for each of these statuses."""
    statuses: dict[Done, set[int]] = {}
    for status, act in acts.items():
        statuses.setdefault(act, set()).add(status)
    return [policy for act, found in statuses.items() for policy in on_exit(found, act, span, of)]


def _own(
    role: str, index: int, acts: Mapping[int, Done], usual: Mapping[int, Done], other: int, span: Span
) -> Iterator[Policy]:
    """Policies of one replica, where something else is done about it than about most of its role."""
    of = f"{role}[{index}] "
    if acts[other] != usual[other]:
        yield Policy(f"{of}failed", acts[other], span)
        yield from _exits(acts, acts[other], span, of)
        return
    yield from _by_status({status: act for status, act in acts.items() if act != usual[status]}, span, of)


def _in_place(manifest: Manifest, job: Job, role: str, limit: Span, rules: Span) -> _Read:
    retries, used_up = max(job.controlled.limit - 1, 1), max(job.controlled.limit, 1)
    more: tuple[Policy, ...] = ()
    if _by_set(manifest, Failure(job.name, BY_LIMIT, "")) == "restart job":
        more = (Policy(f"{role} restarted {used_up}", "restart job", limit),)
        retries = max(manifest.restarts, used_up)
    return _Read("restart container", "restart container", limit, rules, (), more, retries)


def _failed(manifest: Manifest, job: Job, status: int, index: int, *, evicted: bool) -> tuple[Done, bool]:
    found = job.controlled.rule_for(status, disrupted=evicted)
    if found is not None:
        number, rule = found
        if rule.action == "FailJob":
            return _by_set(manifest, job.failed_by(number, rule, index, status)), False
        if rule.action == "Ignore":
            return "restart pod", False
    if job.controlled.limit > 0 and not job.controlled.in_place:  # in place, the first restart of one ends the Job
        return "restart pod", True
    return _by_set(manifest, Failure(job.name, BY_LIMIT, "")), False


def _by_set(manifest: Manifest, failure: Failure) -> Done:
    """What the JobSet does about a failed Job; when no restart is left, the JobSet fails."""
    action = manifest.action(failure)
    counted = action == "RestartJobSet"
    return "fail job" if action == FAIL or (counted and not manifest.restarts) else "restart job"


# --- for the page about migration ---

_JOB: Final = "spec.replicatedJobs[].template.spec"

FIELDS: Final[tuple[Field, ...]] = (
    *metadata_fields(),
    Field("metadata.annotations.alpha.jobset.sigs.k8s.io/exclusive-topology", "exclusive_topology", "in target jobset"),
    Field("spec.replicatedJobs[].name", "role", "job_names in target jobset keeps other names"),
    Field("spec.replicatedJobs[].replicas", "replicas", "times the completions of its Job: a role is one Job"),
    Field("spec.replicatedJobs[].dependsOn", "after", "status Ready; Complete is read as that"),
    Field("spec.replicatedJobs[].groupName", "", "a patch"),
    Field("spec.startupPolicy", "after", "InOrder: each after the one before it"),
    Field("spec.successPolicy", "on completed", "of one role, or the first of several; a patch for all of several"),
    Field("spec.failurePolicy.maxRestarts", "retries", "where the job restarts"),
    Field("spec.failurePolicy.restartStrategy", "", "BlockingRecreate; a patch for others"),
    Field("spec.failurePolicy.rules[]", "on failed, on exit, on evicted", "what they do, not how they are written"),
    Field("spec.network.enableDNSHostnames", "service", "in target jobset"),
    Field("spec.network.subdomain", "subdomain", "in target jobset"),
    Field("spec.network.publishNotReadyAddresses", "", "a patch for false"),
    Field("spec.coordinator", "coordinator", "in target jobset; a patch for another pod than the first"),
    *plain((SUSPEND, TTL), "spec"),
    Field("spec.managedBy", "", "a patch"),
    Field("spec.volumeClaimPolicies[].templates[]", "mount claim", "of those that are deleted; a patch for others"),
    Field(f"{_JOB}.completions, parallelism", "replicas"),
    Field(f"{_JOB}.completionMode", "", "Indexed"),
    Field(f"{_JOB}.backoffLimit", "retries", "retries + 1 under OnFailure; its default, 6, in target jobset"),
    Field(f"{_JOB}.backoffLimitPerIndex, maxFailedIndexes", "", "patches"),
    Field(f"{_JOB}.activeDeadlineSeconds", "deadline", "if all Jobs have it"),
    Field(f"{_JOB}.podFailurePolicy.rules[]", "on exit, on evicted", "what they do, not how they are written"),
    Field(f"{_JOB}.successPolicy.rules[].succeededIndexes", "on completed", "one index; a patch for several"),
    Field(f"{_JOB}.podReplacementPolicy", "", "a patch"),
    Field(
        f"{_JOB}.template.spec.restartPolicy",
        "on failed",
        "OnFailure: restart container; by default in target jobset",
    ),
    Field("status", "", "left out: it is the server's"),
)
