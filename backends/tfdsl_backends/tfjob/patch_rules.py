"""What may not be patched in a TFJob, and what its operator and the API server would refuse.

Source: training-operator `pkg/apis/kubeflow.org/v1` and `pkg/webhooks/tensorflow` (validateTFReplicaSpecs).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend.patch_rules import Complaint, Derived, FixedSet, Since
from tfdsl.diagnostics.suggest import listing
from tfdsl_backends.podspec.patching import MINIMUM, REPLICAS, Node, numbers, part, rules, sidecars
from tfdsl_backends.tfjob.options import SIDECARS

_ROLES: Final = ("spec", "tfReplicaSpecs")
_TEMPLATE: Final = (*_ROLES, "*", "template")
_RESTART: Final = "write a policy, e.g. on failed => restart container"
_DYNAMIC: Final = "write dynamic_workers = true in target tfjob"
_NAME: Final = "the operator names the pods JOB-ROLE-INDEX"
NUMBERS: Final = ("activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
RESTARTS: Final = ("Always", "OnFailure", "Never", "ExitCode")
_CLEANUPS: Final = ("All", "Running", "None")
MANAGERS: Final = ("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue")
_MAIN: Final = "tensorflow"


def _check(node: Node) -> Iterator[Complaint]:
    if node["kind"].data != "TFJob":
        return
    policy = node["spec"]["runPolicy"]
    yield from numbers(policy, NUMBERS)
    if policy.has("cleanPodPolicy") and policy["cleanPodPolicy"].data not in _CLEANUPS:
        yield policy["cleanPodPolicy"].complain(f"cleanPodPolicy must be {listing(_CLEANUPS)}")
    if policy.has("managedBy") and policy["managedBy"].data not in MANAGERS:
        yield policy["managedBy"].complain(f"managedBy must be {listing(MANAGERS)}")
    success = node["spec"]["successPolicy"]
    if success.data not in (None, "", "AllWorkers"):
        yield success.complain('successPolicy must be "" or "AllWorkers"')
    for _, role in node["spec"]["tfReplicaSpecs"].entries():
        if role.has("restartPolicy") and role["restartPolicy"].data not in RESTARTS:
            yield role["restartPolicy"].complain(f"restartPolicy must be {listing(RESTARTS)}")
        containers = role["template"]["spec"]["containers"]
        if all(container["name"].data != _MAIN for container in containers.items()):
            first = next(containers.items(), containers)
            yield part(first, "name").complain(f"the operator needs a container called {_MAIN}")


RULES: Final = rules(
    (
        Derived("TFJob", (*_ROLES, "*", "replicas"), "the replicas of a role", REPLICAS),
        Derived("TFJob", ("spec", "enableDynamicWorker"), "what a failed worker does", _DYNAMIC),
        Derived("TFJob", ("spec", "runPolicy", "schedulingPolicy", "minAvailable"), "the minimum of the gang", MINIMUM),
        # The operator overwrites both in every pod (pkg/controller.v1/tensorflow, createNewPod and setRestartPolicy).
        Derived("TFJob", (*_TEMPLATE, "spec", "restartPolicy"), "the restartPolicy of a pod", _RESTART),
        Derived("TFJob", (*_TEMPLATE, "metadata", "name"), "the name of a pod", _NAME),
    ),
    (FixedSet("TFJob", _ROLES, "role", "write role NAME { … } in the job"),),
    _check,
    (
        sidecars(SIDECARS),
        Since("TFJob", ("spec", "runPolicy", "suspend"), "1.7", "suspend"),
        Since("TFJob", ("spec", "runPolicy", "managedBy"), "1.9", "managedBy"),
    ),
)
