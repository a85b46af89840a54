"""Rules of patches for every target of the family; each adds those of its own object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.patch.rules import POD, Complaint, Derived, FixedSet, PatchRules, Since
from tfdsl_backends.podspec.patching.object_checks import any_object
from tfdsl_backends.podspec.patching.walking import Node

if TYPE_CHECKING:
    from tfdsl.emit.located import Plain

_TARGET: Final = "the target decides it: choose another with -t TARGET"
_NAME: Final = "write it after the word job: job NAME { … }"
_DISCOVERY: Final = 'leave it out with cluster { discovery = "none" }, then set env = { TF_CONFIG = … }'
_FOUND: Final = "the tasks use it to find each other; cluster { discovery = … } decides how"

REPLICAS: Final = "write replicas = … in the role; 0 leaves the role out"
MINIMUM: Final = "write min_available = … in the roles; gang = false asks for no minimum"

_DERIVED: Final = (
    Derived("*", ("apiVersion",), "apiVersion", _TARGET),
    Derived("*", ("kind",), "kind", _TARGET),
    Derived("*", ("metadata", "name"), "the name of an object", _NAME),
    Derived("*", ("metadata", "generateName"), "generateName", _NAME),
    Derived("*", ("metadata", "namespace"), "the namespace", 'write namespace = "…" in the job'),
    Derived(POD, ("spec", "containers", "*", "env", "[name=TF_CONFIG]"), "TF_CONFIG", _DISCOVERY),
    Derived(
        POD,
        ("spec", "containers", "*", "ports", "[name=tfjob-port]"),
        "the port of the TensorFlow server",
        "write port = … in the job or role",
        discovery=True,
    ),
    *(
        Derived(POD, ("metadata", "labels", f"tfdsl/{key}"), f"the label tfdsl/{key}", "a selector also uses it")
        for key in ("job", "role", "tensorboard")
    ),
    Derived("Service", ("spec", "selector"), "the selector of a Service", "it follows from the labels of the pods"),
    Derived("Service", ("spec", "clusterIP"), "clusterIP", _FOUND, discovery=True),
    Derived(
        "Deployment", ("spec", "selector"), "the selector of a Deployment", "it follows from the labels of the pods"
    ),
    Derived("Deployment", ("spec", "replicas"), "the replicas of a role", REPLICAS),
)

BY_POD_NAME: Final = (
    Derived(POD, ("spec", "hostname"), "hostname", _FOUND, discovery=True),
    Derived(POD, ("spec", "subdomain"), "subdomain", _FOUND, discovery=True),
)
"""Of targets whose tasks find each other by the names of their pods, and not by a Service of each."""


def sidecars(version: str) -> Since:
    """Sidecars: they would block a pod for ever on a server that drops the field that makes them sidecars.

    ``version``: the first of the target whose server keeps it (Kubernetes 1.29's pods).
    """
    return Since(POD, ("spec", "initContainers", "*", "restartPolicy"), version, "restartPolicy of an init container")


def rules(
    derived: tuple[Derived, ...],
    fixed: tuple[FixedSet, ...],
    check: Callable[[Node], Iterator[Complaint]],
    since: tuple[Since, ...],
) -> PatchRules:
    """The rules of a target. ``check`` says what a server refuses in the target's own object, given any object."""

    def check_all(documents: Sequence[Plain | None]) -> Iterator[Complaint]:
        for number, data in enumerate(documents):
            node = Node(number, (), data)
            yield from any_object(node)
            yield from check(node)

    return PatchRules((*derived, *_DERIVED), fixed, check_all, since)
