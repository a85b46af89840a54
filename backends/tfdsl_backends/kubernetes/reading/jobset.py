"""A JobSet as a job of the language: each of its replicated Jobs is a role.

Sources: `api/jobset/v1alpha2` and the controller of JobSet 0.12. Plain Jobs neither wait for each other nor start
again together, so what a JobSet says about that is told, with the words that Volcano has for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.import_rules import NOT_KEPT, READ_DIFFERENTLY
from tfdsl.draft import Bare, Policy
from tfdsl.manifest.nodes import Mapping, Node, Scalar, mapping
from tfdsl.manifest.view import View, view
from tfdsl.vocabulary.quantities import duration
from tfdsl_backends.kubernetes.reading.beside import Beside
from tfdsl_backends.kubernetes.reading.discovery import config_of
from tfdsl_backends.kubernetes.reading.forms import job_of
from tfdsl_backends.kubernetes.reading.jobs import job_of_parts, roles_of
from tfdsl_backends.kubernetes.reading.parts import Part, replicas_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Mapping as Mapping_

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.draft import Draft
    from tfdsl.reading import Asked

_DECIDING: Final = ("chief", "master", "worker")
_UNREAD: Final = {
    "coordinator": "it only labels the Jobs",
    "managedBy": "another controller than that of JobSet would handle it",
    "volumeClaimPolicies": "write mount claim SIZE for a claim of the job",
}


def read_jobset(root: View, asked: Asked) -> Draft | None:
    """The job that a JobSet describes."""
    parts = list(_parts(root))
    roles = roles_of(parts, asked)
    if roles is None or not parts:
        return None
    names = {role: of_role[0].role for role, of_role in roles.items()}
    single = {role: replicas_of(of_role) == 1 for role, of_role in roles.items()}
    name, spec = root["metadata"]["name"].text or "", root["spec"]
    subdomain = spec["network"]["subdomain"].text or name

    def host(role: str, index: int) -> str:
        numbers = f"{index}-0" if single[role] else f"0-{index}"
        return f"{name}-{names[role]}-{numbers}.{subdomain}"

    draft = job_of_parts(parts, roles, Beside(()), asked, host)
    draft.law = False
    _metadata(draft, root)
    _network(draft, spec["network"])
    for diagnostic in _told(root, roles, draft):
        asked.report(diagnostic)
    return draft


def _parts(root: View) -> Iterator[Part]:
    """A Job for each replicated Job, with as many pods as all of its replicas have."""
    name = root["metadata"]["name"].text or "job"
    for one in root["spec"]["replicatedJobs"].items():
        spec = one["template"]["spec"]
        copies = one["replicas"].number
        if copies == 0 or not isinstance(spec.node, Mapping):
            continue
        job = job_of(_job(root, one, spec.node))
        part = view(job)
        yield Part(part, name, one["name"].text or "", None, config_of(part["spec"]["template"]["spec"]))


def _job(root: View, one: View, spec: Mapping) -> Node:
    """The Job of a replicated Job, in which its pods are indexes."""
    span = one.span
    pods = _number(one["template"]["spec"]) * max(one["replicas"].number or 1, 1)
    counted: dict[str, Node] = {key: Scalar(pods, one["replicas"].span) for key in ("completions", "parallelism")}
    own = {key: entry.value for key, entry in spec.entries.items()}
    metadata: dict[str, Node] = {"name": Scalar(f"{root['metadata']['name'].text}-{one['name'].text}", span)}
    for key in ("namespace", "labels", "annotations"):
        node = root["metadata"][key].node
        if node is not None:
            metadata[key] = node
    return mapping(
        {
            "apiVersion": Scalar("batch/v1", span),
            "kind": Scalar("Job", span),
            "metadata": mapping(metadata, root["metadata"].span),
            "spec": Mapping(mapping({**own, **counted}, spec.span).entries, spec.span),
        },
        span,
    )


def _number(spec: View) -> int:
    for key in ("completions", "parallelism"):
        number = spec[key].number
        if number is not None and number > 0:
            return number
    return 1


def _metadata(draft: Draft, root: View) -> None:
    """What the JobSet says of all its Jobs."""
    spec = root["spec"]
    ttl = spec["ttlSecondsAfterFinished"]
    if ttl.number is not None and ttl.number >= 0:
        draft.job.set("ttl", Bare(duration(ttl.number * 1000).text), ttl.span)
    if spec["suspend"].flag:
        draft.job.set("suspend", True, spec["suspend"].span)


def _network(draft: Draft, network: View) -> None:
    """The Service, which a JobSet has unless it says that it does not."""
    draft.options.statements = [one for one in draft.options.statements if getattr(one, "name", "") != "service"]
    if network["enableDNSHostnames"].flag is False and draft.cluster.get("discovery") == "none":
        draft.options.set("service", False, network["enableDNSHostnames"].span)


def _told(root: View, roles: Mapping_[str, Sequence[Part]], draft: Draft) -> Iterator[Diagnostic]:
    """What plain Jobs do otherwise, or not at all."""
    spec = root["spec"]
    yield from _success(spec, roles, draft)
    yield from _failure(spec["failurePolicy"])
    yield from _order(spec)
    for one in spec["replicatedJobs"].items():
        copies, pods = one["replicas"].number or 1, _number(one["template"]["spec"])
        if copies > 1 and pods > 1:
            what = f"{copies} Jobs of {pods} pods"
            difference = "a role has one number for its replicas"
            yield READ_DIFFERENTLY(
                one["replicas"].span, what=what, word=f"{copies * pods} replicas", difference=difference
            )
    for key, reason in _UNREAD.items():
        if spec[key].present:
            yield NOT_KEPT(spec.key(key), what=key, reason=reason)


def _success(spec: View, roles: Mapping_[str, Sequence[Part]], draft: Draft) -> Iterator[Diagnostic]:
    """When the job is complete."""
    policy = spec["successPolicy"]
    by_name = {of_role[0].role: role for role, of_role in roles.items()}
    named = [by_name[name.text or ""] for name in policy["targetReplicatedJobs"].items() if name.text in by_name]
    targets = named or list(roles)
    _only(draft, targets)
    usual = next((role for role in _DECIDING if role in roles), "")
    whole = [one for one in draft.job.statements if isinstance(one, Policy) and one.action == "complete job"]
    if policy["operator"].text == "Any" or len(targets) == 1:
        if targets != [usual]:
            for role in targets:
                draft.job.add(Policy(f"{role} completed", "complete job", policy.span))
        return
    if whole or not usual:
        return
    what = f"a JobSet that is complete when {', '.join(targets)} are" if named else "a JobSet without successPolicy"
    difference = f"the job is complete when {usual} is"
    yield READ_DIFFERENTLY(policy.span, what=what, word=f"the end of {usual}", difference=difference)


def _only(draft: Draft, targets: Sequence[str]) -> None:
    """Without completions that end a role which does not count, and without those that follow from what is left."""

    def ends(one: object) -> str | None:
        return one.event.partition(" ")[0] if isinstance(one, Policy) and one.action == "complete job" else None

    kept = [one for one in draft.job.statements if (ends(one) or targets[0]).partition("[")[0] in targets]
    if not any("[" in (ends(one) or "") for one in kept):
        kept = [one for one in kept if ends(one) is None]
    draft.job.statements = kept


def _failure(policy: View) -> Iterator[Diagnostic]:
    """What happens when one of the Jobs has failed."""
    most = policy["maxRestarts"].number
    if most is not None and most > 0:
        reason = f"plain Jobs do not start again together; for Volcano write on failed => restart job, retries = {most}"
        yield NOT_KEPT(policy["maxRestarts"].span, what=f"maxRestarts {most}", reason=reason)
    if policy["rules"].present:
        reason = "nothing looks at all Jobs; for Volcano write policies, which can end or restart the job"
        yield NOT_KEPT(policy.key("rules"), what="the rules of failurePolicy", reason=reason)


def _order(spec: View) -> Iterator[Diagnostic]:
    """Which Jobs wait for others."""
    order = spec["startupPolicy"]["startupPolicyOrder"]
    if order.text == "InOrder":
        reason = "plain Jobs start at once; for Volcano write after = [ … ] in the roles that wait"
        yield NOT_KEPT(order.span, what="startupPolicyOrder InOrder", reason=reason)
    for one in spec["replicatedJobs"].items():
        for other in one["dependsOn"].items():
            reason = f'plain Jobs start at once; for Volcano write after = ["{other["name"].text}"] in the role'
            yield NOT_KEPT(other.span, what=f"dependsOn {other['name'].text}", reason=reason)
