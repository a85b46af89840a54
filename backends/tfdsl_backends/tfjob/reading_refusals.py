"""What of a TFJob the API server, the webhook of the operator or the operator itself does not take or not look at.

Sources: the CRD of training-operator 1.9 (types, list map keys), `pkg/webhooks/tensorflow` (validateTFReplicaSpecs),
and what the API server answered where that is noted in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.import_rules import NOT_KEPT, READ_DIFFERENTLY, SERVER_REFUSES
from tfdsl.record import replace
from tfdsl_backends.podspec import patching, quantities
from tfdsl_backends.podspec.plan import CONTAINER
from tfdsl_backends.podspec.reading.objects import dotted, unfit
from tfdsl_backends.tfjob.old_forms import API_VERSION, FORK, OF_AN_ITEM, OLD_POLICIES
from tfdsl_backends.tfjob.patch_rules import MANAGERS

if TYPE_CHECKING:
    from tfdsl.manifest.view import View
    from tfdsl.text import Span

_RESTARTS: Final = ("Always", "OnFailure", "Never", "ExitCode")
_NUMBERS: Final = ("activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
_NO_FIELD: Final = f"a TFJob of {API_VERSION} has no such field, and the server drops it"
_READ: Final = (("status",), ("spec", "tensorboard"))
"""What has no place in v1 but is read, or belongs to the server."""

_KEYS: Final = {
    "containers": ("name",),
    "initContainers": ("name",),
    "volumes": ("name",),
    "imagePullSecrets": ("name",),
    "env": ("name",),
    "ports": ("containerPort", "protocol"),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
}
"""Lists of a pod → what no two of their items have in common."""


def left_out(root: View, job: View) -> Iterator[Diagnostic]:
    """What is not kept, or means something else today. ``job``: ``root`` as v1 has it."""
    version = root["apiVersion"].text or ""
    if version != API_VERSION:
        forked = version.startswith(FORK)
        difference = "that is what Kubeflow's operator serves" if forked else "operators of today serve no other"
        yield READ_DIFFERENTLY(root["apiVersion"].span, what=version, word=API_VERSION, difference=difference)
        yield from _other_decider(root["spec"], job["spec"]["tfReplicaSpecs"])
    else:
        yield from _ignored_places(root)
    for one in unfit(job.node, "TFJob") if job.node is not None else ():
        if one.unknown and one.path not in _READ and one.path[-1] != "creationTimestamp":
            yield NOT_KEPT(one.span, what=one.name, reason=_NO_FIELD)
    restarts = [role["template"]["spec"]["restartPolicy"] for _, role in job["spec"]["tfReplicaSpecs"].entries()]
    for restart in [one for one in restarts if one.present][:1]:
        reason = "the operator overwrites it with that of each role"
        yield NOT_KEPT(restart.span, what="restartPolicy of the pods", reason=reason)


def _other_decider(spec: View, roles: View) -> Iterator[Diagnostic]:
    """A policy of the first API by which another task than today's completes the job."""
    policy = spec["terminationPolicy"]["chief"]
    name, index = policy["replicaName"].text or "MASTER", policy["replicaIndex"].number or 0
    today = "Master" if roles["Master"].present else "Worker"
    if policy.present and (name.lower() != today.lower() or index):
        reason = f"the job is complete with replica 0 of {today}"
        yield NOT_KEPT(policy.span, what=f"terminationPolicy {name} {index}", reason=reason)


def _ignored_places(root: View) -> Iterator[Diagnostic]:
    """Fields of older APIs in a manifest of v1."""
    spec = root["spec"]
    for key in OLD_POLICIES:
        if spec[key].present:
            difference = "operators since 1.0.1 look for it there only"
            yield READ_DIFFERENTLY(
                spec.key(key), what=f"spec.{key}", word=f"spec.runPolicy.{key}", difference=difference
            )
    for name, role in spec["tfReplicaSpecs"].entries():
        for key in OF_AN_ITEM:
            if role[key].present:
                yield NOT_KEPT(role.key(key), what=f"spec.tfReplicaSpecs.{name}.{key}", reason=_NO_FIELD)


def refusals(root: View, job: View) -> Iterator[Diagnostic]:
    """What the server does not take."""
    for one in unfit(job.node, "TFJob") if job.node is not None else ():
        if not one.unknown:
            yield SERVER_REFUSES(one.span, what=one.name, reason=f"it must be {one.wanted}")
    namespace = job["metadata"]["namespace"]
    if namespace.text and not patching.is_dns_label(namespace.text):
        reason = "a namespace has at most 63 lowercase letters, digits and -"
        yield SERVER_REFUSES(namespace.span, what=f"namespace {namespace.text}", reason=reason)
    yield from _policies(job["spec"])
    for name, role in job["spec"]["tfReplicaSpecs"].entries():
        yield from _role(name, role, of_today=root["apiVersion"].text == API_VERSION)


def never(span: Span, what: str, reason: str) -> Diagnostic:
    """That the server takes what no job has run with: it is left out, and nobody can miss it."""
    return replace(NOT_KEPT(span, what=what, reason=reason), level="warning")


def _policies(spec: View) -> Iterator[Diagnostic]:
    policy = spec["runPolicy"]
    for key in _NUMBERS:
        number = policy[key].number
        if number is not None and number < 0:
            yield never(policy[key].span, f"{key} {number}", "it is negative")
    manager = policy["managedBy"]
    if manager.text is not None and manager.text not in MANAGERS:
        yield SERVER_REFUSES(manager.span, what=f"managedBy {manager.text}", reason=f"it is {' or '.join(MANAGERS)}")


def _role(name: str, role: View, *, of_today: bool) -> Iterator[Diagnostic]:
    restart = role["restartPolicy"]
    if restart.text and restart.text not in _RESTARTS:
        reason = "no pod can be created with it"
        yield never(restart.span, f"restartPolicy {restart.text} of {name}", reason)
    containers = [*role["template"]["spec"]["containers"].items()]
    if not containers:
        yield SERVER_REFUSES(role.span, what=name, reason="its template has no container")
    elif of_today and all(one["name"].text != CONTAINER for one in containers):
        reason = f"one of its containers must be called {CONTAINER}"
        yield SERVER_REFUSES(containers[0]["name"].span, what=name, reason=reason)
    for one in containers:
        if not one["image"].text:
            yield SERVER_REFUSES(one.span, what=f"container {one['name'].text or ''} of {name}".replace("  ", " "),
                                 reason="it has no image")  # fmt: skip
        yield from _amounts(one["resources"])
    yield from _twice(role["template"]["spec"])


def _amounts(resources: View) -> Iterator[Diagnostic]:
    """Amounts that are none."""
    for part in ("requests", "limits"):
        for name, amount in resources[part].entries():
            if amount.text is not None and quantities.amount(amount.text) is None:
                yield SERVER_REFUSES(amount.span, what=f"{name} {amount.text}", reason="it is not an amount")


def _twice(place: View) -> Iterator[Diagnostic]:
    """Items of a list that the server takes for one."""
    for key, value in place.entries():
        if key in ("containers", "initContainers"):
            for container in value.items():
                yield from _twice(container)
        seen: set[tuple[str | None, ...]] = set()
        for item in value.items() if key in _KEYS else ():
            identity = tuple(item[name].words or ("TCP" if name == "protocol" else None) for name in _KEYS[key])
            if identity in seen:
                words = "/".join(str(part) for part in identity)
                yield SERVER_REFUSES(item.span, what=dotted(item.path), reason=f"{words} is there twice")
            seen.add(identity)
