"""JobSets as jobs of the language; the inverse of :mod:`tfdsl_backends.jobset.lower`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from tfdsl.backend.draft import Attribute, Draft, Policy
from tfdsl.backend.reading import Asked, Field, Group
from tfdsl.diagnostics.command_rules import NO_WORDS, NOT_KEPT
from tfdsl.manifest.nodes import Document, Node, Sequence as Listed, View, changed, child, items, scalar, view
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import (
    BOARD,
    DEFAULT_RETRIES,
    MOST_REPLICAS,
    MOST_RETRIES,
    ROLES,
    decider,
)
from tfdsl_backends.jobset.lifecycle import BY_LIMIT, FAIL, Failure, Job, Manifest, pods_of, read_manifest
from tfdsl_backends.jobset.normal import aligned, completed, is_jobset, normal, with_claims
from tfdsl_backends.jobset.options import EXCLUSIVE, JOB_INDEX_FIELD, JOB_NAME
from tfdsl_backends.jobset.patch_rules import RULES
from tfdsl_backends.jobset.policies import LABELS
from tfdsl_backends.podspec.fields import DEADLINE, SUSPEND, TTL
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE, Index
from tfdsl_backends.podspec.reading.batch import ending_alone, read_field, refusals
from tfdsl_backends.podspec.reading.beside import kept_claims
from tfdsl_backends.podspec.reading.facts import ClaimFacts, PodFacts
from tfdsl_backends.podspec.reading.fields import metadata_fields, plain
from tfdsl_backends.podspec.reading.mounts import claim_facts, stem
from tfdsl_backends.podspec.reading.objects import Neighbours, job_name, read_metadata, unless_refused
from tfdsl_backends.podspec.reading.pods import add_missing_images, read_pods
from tfdsl_backends.podspec.reading.roles import Member, roles_of
from tfdsl_backends.podspec.reading.values import STATUSES, on_exit

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

_TARGET: Final = "jobset"


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """Each JobSet with the claims and the Service of TensorBoard that the compiler would write beside it."""
    found_groups: list[Group] = []
    neighbours = Neighbours(documents)
    for document in documents:
        root = view(document.node)
        if is_jobset(root):
            found_groups.append(Group("JobSet", (document, *belonging(neighbours, root))))
    return found_groups


@unless_refused
def read(group: Group, asked: Asked) -> Draft | None:
    """The job that a JobSet describes; ``None`` where its Jobs cannot be roles (reported as an error).

    A JobSet that the server or its controller refuses is read as far as it goes, and need not come back.
    """
    document, beside = group.documents[0], group.documents[1:]
    root = view(with_claims(completed(document.node)))
    for diagnostic in refusals(root, "JobSet", RULES, "JobSet"):
        asked.report(diagnostic)
    parts = roles(root, asked)
    if not parts:
        return None
    for part in parts:
        if part.spec[SUSPEND.path].flag:
            reason = "the controller sets it as it is in spec of the JobSet"
            asked.report(NOT_KEPT(part.spec[SUSPEND.path].span, what=f"suspend of {part.name}", reason=reason))
    draft = Draft(job_name(document, root["metadata"], asked, letter_first=True), _TARGET, root.span)
    draft.renamed = {part.name: part.role for part in parts if part.name != part.role}
    draft.wanted = (wanted(document.node, parts), *(manifest.node for manifest in beside))
    read_metadata(draft, root["metadata"], without=frozenset((QUEUE_LABEL,)))
    read_settings(draft, root, parts)
    read_order(draft, parts)
    read_limits(draft, parts)
    facts = _facts(draft, root, parts, claims(root, beside))
    draft.places = {part.role: part.job.span for part in parts}
    templates = {part.role: part.spec["template"] for part in parts}
    for part in parts:
        if part.replicas != 1:
            place = part.job["replicas"] if part.copies > 1 else part.spec["completions"]
            draft.role(part.role).set("replicas", part.replicas, place.span)
        else:
            draft.role(part.role)
    read_pods(draft, templates, facts, asked)
    add_missing_images(draft, templates, facts, asked)
    read_policies(draft, root, parts)
    return draft


def _facts(draft: Draft, root: View, parts: Sequence[RoleOf], made: Mapping[str, ClaimFacts]) -> PodFacts:
    names = named(parts)
    pods = {part.role: part.replicas // part.copies for part in parts}
    domain = root["spec"]["network"]["subdomain"].text or draft.name

    def address(role: str, index: int, port: int) -> str:
        job, pod = divmod(index, pods.get(role, 1))
        return f"{draft.name}-{names.get(role, role)}-{job}-{pod}.{domain}:{port}"

    return PodFacts(
        replicas={part.role: part.replicas for part in parts},
        address=address,
        index_field=INDEX_FIELD,
        index_variable=INDEX_VARIABLE,
        indexes={part.role: (_index_field(part), Index().variable) for part in parts if part.copies > 1},
        spread_labels=lambda role: {
            f"{LABELS}/jobset-name": draft.name,
            f"{LABELS}/replicatedjob-name": names.get(role, role),
        },
        claims=made,
        priority=True,
        scheduler=True,
    )


def _index_field(part: RoleOf) -> str:
    """The field with the index of a replica, where a role has several Jobs; none counts over Jobs of several pods."""
    return JOB_INDEX_FIELD if part.replicas == part.copies else ""


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
    for item in root["spec"]["replicatedJobs"].items():
        if item["replicas"].number == 0:
            asked.report(NOT_KEPT(item.span, what=f"replicated Job {item['name'].text}", reason="it has no replicas"))
        else:
            entries.append(item)
    members = [Member(entry["name"].text or "", _replicas(entry), entry["name"].span) for entry in entries]
    taken = roles_of(members, "replicated Job", root["spec"]["replicatedJobs"].span, asked, board=True)
    if taken is None:
        return []
    by_role = {
        taken[member.name]: _of(taken[member.name], entry) for member, entry in zip(members, entries, strict=True)
    }
    if not all(_fits(part, asked) for part in by_role.values()):
        return []
    return [by_role[row.name] for row in ROLES if row.name in by_role]


def named(parts: Sequence[RoleOf]) -> dict[str, str]:
    """Role → the name of its replicated Job."""
    return {part.role: part.name for part in parts}


def wanted(document: Node, parts: Sequence[RoleOf]) -> Node:
    """What the job has to compile to: the JobSet without Jobs that have no replicas."""
    names = {part.name for part in parts}

    def kept(jobs: Node) -> Node:
        return Listed(tuple(item for item in items(jobs) if scalar(child(item, "name")) in names), jobs.span)

    return changed(document, ("spec", "replicatedJobs"), kept)


def _copies(entry: View) -> int:
    return max(entry["replicas"].number or 1, 1)


def _replicas(entry: View) -> int:
    return _copies(entry) * pods_of(entry["template"]["spec"])


def _of(role: str, entry: View) -> RoleOf:
    return RoleOf(role, entry["name"].text or "", _copies(entry), _replicas(entry), entry)


def _fits(part: RoleOf, asked: Asked) -> bool:
    """Whether the role may have so many replicas."""
    place = part.job["replicas"] if part.copies > 1 else part.spec["completions"]
    what = f"role {part.role} with {part.replicas} replicas"
    if part.replicas > MOST_REPLICAS:
        asked.report(NO_WORDS(place.span, what=what, reason=f"it can have {MOST_REPLICAS:,}"))
    return part.replicas <= MOST_REPLICAS


_NAME: Final = regex(JOB_NAME)


def read_settings(draft: Draft, root: View, parts: Sequence[RoleOf]) -> None:
    """Attributes of the job and options of the target."""
    spec, metadata = root["spec"], root["metadata"]
    queue = metadata["labels"][QUEUE_LABEL]
    draft.job.set("queue", queue.text or None, queue.span)
    for field in (TTL, SUSPEND):
        read_field(draft, field, spec[field.path])
    _network(draft, spec["network"])
    _restarts(draft, spec["failurePolicy"])
    topology = metadata["annotations"][EXCLUSIVE]
    if topology.text:
        statements = draft.job.statements
        draft.job.statements = [
            statement for statement in statements if statement.identity != f"annotations[{EXCLUSIVE}]"
        ]
        draft.options.set("exclusive_topology", topology.text, topology.span)
    chosen, coordinator = spec["coordinator"]["replicatedJob"], spec["coordinator"]
    role = next((part.role for part in parts if part.name == chosen.text), None)
    if role is not None and not coordinator["jobIndex"].number and not coordinator["podIndex"].number:
        draft.options.set("coordinator", role, chosen.span)
    for part in parts:
        if part.name != part.role and _NAME.fullmatch(part.name):
            draft.options.entry("job_names", part.role, part.name, part.job["name"].span)
    for part in parts:
        if part.copies > 1:
            draft.options.entry("jobs", part.role, part.copies, part.job["replicas"].span)


def _restarts(draft: Draft, policy: View) -> None:
    """The strategy, if the job restarts."""
    if policy["restartStrategy"].text in (None, "Recreate") and policy.present:
        draft.options.set("restart_strategy", "Recreate", policy.span)


def _network(draft: Draft, network: View) -> None:
    if network["enableDNSHostnames"].flag is False:
        draft.options.set("service", False, network["enableDNSHostnames"].span)
    domain = network["subdomain"]
    if domain.text and domain.text != draft.name:
        draft.options.set("subdomain", domain.text, domain.span)


def read_order(draft: Draft, parts: Sequence[RoleOf]) -> None:
    """``after`` of each role."""
    roles = {part.name: part.role for part in parts}
    for part in parts:
        place = part.job["dependsOn"]
        others = [other for other in place.items() if other["name"].text in roles]
        names = [roles[other["name"].text or ""] for other in others]
        if names:
            draft.role(part.role).add(Attribute("after", names, place.span))


def read_limits(draft: Draft, parts: Sequence[RoleOf]) -> None:
    """The deadline, if that of all Jobs but TensorBoard's is the same."""
    places = [part.spec[DEADLINE.path] for part in parts if part.role != BOARD]
    if len({place.number for place in places}) == 1:
        read_field(draft, DEADLINE, places[0])


def belonging(neighbours: Neighbours, jobset: View) -> list[Document]:
    """Those of ``neighbours`` that the compiler writes beside ``jobset``."""
    name, namespace = jobset["metadata"]["name"].text, jobset["metadata"]["namespace"].text
    if name is None:
        return []
    made = {f"{name}-{stem(path)}" for path, _ in _mounted(jobset)}
    return [document for document in neighbours.of(namespace, name) if _belongs(view(document.node), name, made)]


def _belongs(root: View, name: str, claims: set[str]) -> bool:
    """Whether it is the Service of TensorBoard, or one of ``claims``."""
    kind, own = root["kind"].text, root["metadata"]["name"].text
    if kind == "Service":
        return own == f"{name}-{BOARD}" and root["spec"]["selector"][f"{LABELS}/jobset-name"].text == name
    return kind == "PersistentVolumeClaim" and own in claims and claim_facts(root) is not None


def _mounted(jobset: View) -> Iterator[tuple[str, str]]:
    """Path and name of each volume that a container mounts."""
    for entry in jobset["spec"]["replicatedJobs"].items():
        for container in entry["template"]["spec"]["template"]["spec"]["containers"].items():
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

_ENDS: Final = ("fail job", "restart job")
"""What is done where a failure ends the Job of its pod."""
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


def read_policies(draft: Draft, root: View, parts: Sequence[RoleOf]) -> None:
    """Policies of the job where most roles have them, else of each role; ``retries``."""
    _read_end(draft, root, parts)
    manifest = read_manifest(root, named(parts))
    jobs = [(part, manifest.jobs[part.role]) for part in parts if part.role in manifest.jobs and part.role != BOARD]
    roles = {part.role: _read_role(manifest, job, part) for part, job in jobs}
    if not roles:
        return
    ending = [part.spec["template"]["spec"]["restartPolicy"] for part, _ in jobs if roles[part.role].failed in _ENDS]
    in_place = [place for place in ending if place.text == "OnFailure"]
    if len(in_place) * 2 > len(ending):
        draft.options.set("restart_policy", "OnFailure", in_place[0].span)
    every = list(roles.values())
    usual = _most([reading.failed for reading in every])
    if usual != "fail job":
        saying = [reading for reading in every if reading.failed == usual]
        first = next((reading for reading in saying if reading.chosen), saying[0])
        draft.block(written=first.chosen).add(Policy("failed", usual, first.limit))
    _read_evicted(draft, roles)
    same = all(_said(reading.exits) == _said(every[0].exits) and reading.failed == usual for reading in every)
    for role, reading in roles.items():
        block = draft.role(role)
        if reading.failed != usual:
            draft.block(role, written=reading.chosen).add(Policy("failed", reading.failed, reading.limit))
        if not same or reading is every[0]:
            (draft.job if same else block).add(*reading.exits)
        for policy in reading.more:
            draft.block(written=_is_written(reading, policy)).add(policy)
    _read_retries(draft, root, manifest, every)


def _read_evicted(draft: Draft, roles: Mapping[str, _Read]) -> None:
    """``evicted``, where it is not what a failure is."""
    if all(reading.evicted == reading.failed for reading in roles.values()):
        return
    if len({reading.evicted for reading in roles.values()}) == 1:
        reading = next(reading for reading in roles.values() if reading.evicted != reading.failed)
        draft.job.add(Policy("evicted", reading.evicted, reading.rules))
        return
    for role, reading in roles.items():
        if reading.evicted != reading.failed:
            draft.role(role).add(Policy("evicted", reading.evicted, reading.rules))


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


def _read_end(draft: Draft, root: View, parts: Sequence[RoleOf]) -> None:
    """Whose end is the end of the job, unless that is what the language does by itself."""
    policy = root["spec"]["successPolicy"]
    targets = {target.text for target in policy["targetReplicatedJobs"].items()}
    roles = [part for part in parts if part.name in targets or (not targets and part.role != BOARD)]
    if len(roles) != 1 and policy["operator"].text != "Any":
        place = policy if policy.present else root["spec"]["replicatedJobs"]
        draft.options.set("success", "all", place.span)
        return
    usual = decider([part.role for part in parts]) or ""
    single = {part.role: _single(part) for part in roles}
    if [part.role for part in roles] == [usual] and not single[usual]:
        return
    for role in roles:
        for index in single[role.role]:
            draft.job.add(Policy(f"{role.role}[{index}] completed", "complete job", policy.span))
        if not single[role.role]:
            draft.job.add(Policy(f"{role.role} completed", "complete job", policy.span))


def _single(part: RoleOf) -> list[int]:
    """The replicas each of which completes the Job, if it says no more than that."""
    indexes = [index for index, _ in ending_alone(part.spec)]
    return indexes if part.replicas > 1 and all(index < part.replicas for index in indexes) else []


# --- failures ----------------------------------------------------------------------------------------------------
#
# The rules of a JobSet can say the same in many ways, so they are not read one by one: what happens to a failed pod of
# each role is worked out as the controllers do, and that is written as policies. What compiles differently from what it
# was becomes a patch.


def _read_role(manifest: Manifest, job: Job, part: RoleOf) -> _Read:
    """What ``job`` and the JobSet do about a failed pod of the role."""
    limit, rules = part.spec["backoffLimit"].span, part.spec["podFailurePolicy"].span
    pod, limited = part.spec["template"]["spec"], part.spec["backoffLimit"].present
    if job.controlled.in_place and job.controlled.limit > 1:
        chosen = pod["restartPolicy"].span != pod.span
        return replace(_in_place(manifest, job, part.role, limit, rules), chosen=chosen, limited=limited)
    named_ = sorted({status for rule in job.controlled.rules for status in rule.statuses if status in STATUSES})
    other = next((status for status in STATUSES if status not in named_), 0)
    several = 1 < part.replicas <= _MOST_APART and any(rule.patterns for rule in manifest.rules)
    table = [_acts(manifest, job, [*named_, other], index) for index in range(part.replicas if several else 1)]
    usual: dict[int, Done] = {status: _most([acts[status] for acts in table]) for status in (*named_, other)}
    evicted, counted = _evicted(manifest, job, usual[other])
    differs = evicted == "restart pod" and not counted and usual[other] == "restart pod"
    more = [policy for index, acts in enumerate(table) for policy in _own(part.role, index, acts, usual, other, rules)]
    if differs:
        more.append(Policy(f"{part.role} evicted", evicted, rules))
    exits = _exits(usual, usual[other], rules)
    return _Read(
        usual[other],
        evicted,
        limit,
        rules,
        tuple(exits),
        tuple(more),
        job.controlled.limit if "restart pod" in usual.values() else None,
        chosen=usual[other] != "restart pod" or limited or part.spec["backoffLimitPerIndex"].present,
        limited=limited,
    )


def _evicted(manifest: Manifest, job: Job, usual: Done) -> tuple[Done, bool]:
    """What is done about an evicted pod, and whether a limit counts that; ``usual`` where its status decides."""
    numbered = job.controlled.rule_for(_TERMINATED, "", disrupted=True)
    if (
        numbered is None
        or not numbered[1].disrupted
        or any(not rule.disrupted for rule in job.controlled.rules[: numbered[0]])
    ):
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
    return [policy for act, numbers in statuses.items() for policy in on_exit(numbers, act, span, of)]


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
    numbered = job.controlled.rule_for(status, "", disrupted=evicted)
    if numbered is not None:
        number, rule = numbered
        if rule.action == "FailJob":
            return _by_set(manifest, job.failed_by(number, rule, index, status, "")), False
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
    Field("spec.replicatedJobs[].replicas", "jobs", "in target jobset; replicas is that times completions"),
    Field("spec.replicatedJobs[].dependsOn", "after", "status Ready; a patch for Complete"),
    Field("spec.replicatedJobs[].groupName", "", "a patch"),
    Field("spec.startupPolicy", "after", "InOrder: each after the one before it"),
    Field(
        "spec.successPolicy",
        "on completed, success",
        "of one role, or the first of several; all of several in target jobset",
    ),
    Field("spec.failurePolicy.maxRestarts", "retries", "where the job restarts"),
    Field("spec.failurePolicy.restartStrategy", "restart_strategy", "in target jobset"),
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
        "OnFailure: restart container; the default is in target jobset, as restart_policy where nothing restarts",
    ),
    Field("status", "", "left out: it is the server's"),
)
