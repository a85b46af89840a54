"""JobSets as they are written, and what the mutating webhook of JobSet makes of them before anybody reads them.

Source: `pkg/webhooks/jobset_webhook.go` of JobSet 0.12 (``Default``). The order of startupPolicy InOrder, which is
deprecated, becomes the dependencies that say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tfdsl.manifest.nodes import (
    Mapping,
    Node,
    Sequence,
    changed,
    child,
    each,
    items,
    mapping,
    put,
    scalar,
    text,
    with_value,
    without,
)

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View

GROUP: Final = "jobset.x-k8s.io/"
API_VERSION: Final = "jobset.x-k8s.io/v1alpha2"
_JOBS: Final = ("spec", "replicatedJobs")
_POD: Final = ("template", "spec", "template", "spec")


def is_jobset(root: View) -> bool:
    """Whether a document is a JobSet."""
    return root["kind"].text == "JobSet" and (root["apiVersion"].text or "").startswith(GROUP)


def completed(document: Node) -> Node:
    """A JobSet as it is stored: pods restart in place unless they say something else, the order is in the Jobs."""
    if scalar(child(document, "kind")) != "JobSet":
        return document
    return _in_order(changed(document, _JOBS, lambda jobs: each(jobs, _with_restart_policy)))


def _with_restart_policy(job: Node) -> Node:
    pod = child(job, *_POD)
    if not isinstance(pod, Mapping) or pod.get("restartPolicy") is not None:
        return job
    return put(job, (*_POD, "restartPolicy"), text("OnFailure", pod.span))


def _in_order(document: Node) -> Node:
    """``document`` with each Job depending on the one before it, where the startupPolicy says that."""
    place = child(document, "spec", "startupPolicy")
    if scalar(child(place, "startupPolicyOrder")) != "InOrder":
        return document
    before: list[Node] = []

    def depends(job: Node) -> Node:
        own = child(job, "name")
        new = job
        if before and isinstance(job, Mapping) and job.get("dependsOn") is None:
            one = mapping({"name": before[-1], "status": text("Ready", job.span)}, job.span)
            new = with_value(job, "dependsOn", Sequence((one,), job.span))
        if own is not None:
            before.append(own)
        return new

    ordered = changed(document, _JOBS, lambda jobs: each(jobs, depends))
    return changed(ordered, ("spec",), _without_order)


def _without_order(spec: Node) -> Node:
    return without(spec, ("startupPolicy",)) if isinstance(spec, Mapping) else spec


def with_claims(document: Node) -> Node:
    """A JobSet with the claims that it makes as volumes of the pods that mount them, as its controller adds them."""
    name = scalar(child(document, "metadata", "name"))
    claims = {claim: f"{claim}-{name}" for claim in claim_names(document)}
    if not claims:
        return document
    return changed(document, _JOBS, lambda jobs: each(jobs, lambda job: changed(job, _POD, _with(claims))))


def claim_names(document: Node) -> list[str]:
    """The names of the claims that a JobSet makes."""
    policies = items(child(document, "spec", "volumeClaimPolicies"))
    templates = [one for policy in policies for one in items(child(policy, "templates"))]
    names = [scalar(child(one, "metadata", "name")) for one in templates]
    return [name for name in names if isinstance(name, str)]


def _with(claims: dict[str, str]) -> Callable[[Node], Node]:
    """What adds a volume to a pod for each of ``claims`` that it mounts and that is no volume yet."""

    def in_pod(pod: Node) -> Node:
        if not isinstance(pod, Mapping):
            return pod
        there = {scalar(child(one, "name")) for one in items(pod.get("volumes"))}
        containers = [*items(pod.get("containers")), *items(pod.get("initContainers"))]
        mounts = [mount for container in containers for mount in items(child(container, "volumeMounts"))]
        mounted = {scalar(child(mount, "name")) for mount in mounts}
        added = [_volume(name, claim, pod) for name, claim in claims.items() if name in mounted - there]
        if not added:
            return pod
        return with_value(pod, "volumes", Sequence((*items(pod.get("volumes")), *added), pod.span))

    return in_pod


def _volume(name: str, claim: str, pod: Mapping) -> Node:
    source = mapping({"claimName": text(claim, pod.span)}, pod.span)
    return mapping({"name": text(name, pod.span), "persistentVolumeClaim": source}, pod.span)
