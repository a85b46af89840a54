"""What a target adds to the pods of one role, and how the pods of Indexed Jobs (batch/v1) know their index.

Source of the latter, and of the rules by which a Job tells failures apart: Kubernetes `pkg/apis/batch` and
`pkg/controller/job` (`pod_failure_policy.go`, `indexed_job_utils.go`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.emit.located import Data, Located, child
from tfdsl.record import Record, replace

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role


CONTAINER = "tensorflow"
"""Name of the container, as the TFJob operator looks for it."""

PORT_NAME = "tfjob-port"
"""Name of the TensorFlow port, as the TFJob operator looks for it."""


class Index(Record):
    """How a replica knows its index: an env entry filled from a field of its pod, or a number known beforehand.

    ``variable``: the entry's name; ``field``: the ``fieldPath`` it is filled from; ``constant``: the index itself,
    for a pod template that serves one replica only (the other two are not used then).
    """

    variable: str = "TASK_INDEX"
    field: str = ""
    constant: int | None = None

    @property
    def reference(self) -> str:
        """The text that is, or that Kubernetes replaces by, the index: ``0`` or ``$(TASK_INDEX)``."""
        return f"$({self.variable})" if self.constant is None else str(self.constant)


class Program(Record):
    """A fixed POSIX shell program around a command: ``/bin/sh -c TEXT sh PARAMETERS… COMMAND…``.

    ``text`` and ``parameters`` are as the process is to get them; Kubernetes' ``$(NAME)`` in a parameter is written
    as :class:`Reference`.
    """

    text: str
    parameters: tuple[Data, ...] = ()


class PodPlan(Record):
    """What a target adds to the pods of one role; what is empty is not written.

    ``index``: how a replica knows its index. ``tf_config``: the value of a TF_CONFIG entry, in which
    ``index.reference`` stands for the index. ``hosts``: role → ``host:port`` of each replica, for the flags.
    ``wrapper``: a program around everything else. ``spread_labels``: labels that the pods of this role, and no others,
    have. ``claims``: claim of the job → name of the PersistentVolumeClaim to mount; ``claim_volumes``: claim → name of
    the volume that the target's controller adds for it; the target itself mounts any other claim.
    ``resources``: device resources beside those of the language; ``device_count``: the one that counts devices.
    ``reserved_volumes``: volume names that the target's controller adds. ``istio_annotation``, ``visible_devices`` and
    ``cluster_dns``: the options of :mod:`tfdsl_backends.podspec.options`.
    """

    index: Index
    restart_policy: Data = None
    labels: Mapping[str, Data] = {}
    annotations: Mapping[str, Data] = {}
    tf_config: str | None = None
    hosts: Mapping[str, Sequence[str]] = {}
    wrapper: Program | None = None
    spread_labels: Mapping[str, str] = {}
    claims: Mapping[str, str] = {}
    claim_volumes: Mapping[str, str] = {}
    resources: Mapping[str, Data] = {}
    device_count: str = ""
    reserved_volumes: frozenset[str] = frozenset()
    port_name: str | None = PORT_NAME
    host_port: bool = False
    host_network: bool = False
    node_name: Data = None
    subdomain: Data = None
    active_deadline_seconds: Data = None
    priority_class: Data = None
    scheduler: Data = None
    istio_annotation: bool = True
    visible_devices: str = "void"
    cluster_dns: bool = True


def index_of(role: Role, field: str, variable: str = "TASK_INDEX") -> Index:
    """The index of the replicas of ``role`` from ``field`` of their pod; 0 where there is but one.

    The variable gets another name if the role's own env, or that of a step, has one of that name.
    """
    if role.replicas == 1:
        return Index(constant=0)
    while variable in role.env or any(variable in step.env for step in role.steps):
        variable = f"TFDSL_{variable}"
    return Index(variable, field)


def with_options(unit: Unit, plan: PodPlan) -> PodPlan:
    """``plan`` with what the options of :mod:`tfdsl_backends.podspec.options` say."""
    return replace(
        plan,
        istio_annotation=unit.flag("istio_annotation"),
        visible_devices=unit.text("nvidia_visible_devices"),
        cluster_dns=unit.flag("cluster_dns"),
    )


INDEX_FIELD: Final = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
"""Where the pod of an Indexed Job has its replica's index (the label of that name came with 1.28)."""

INDEX_VARIABLE: Final = "JOB_COMPLETION_INDEX"
"""The Job controller adds this variable at the end of env unless it is there already; its users need it before."""

MOST_RULES: Final = 20
"""Rules of a ``podFailurePolicy`` (batch/v1, validation of Jobs)."""

PolicyAction: TypeAlias = Literal["FailJob", "Ignore", "Count"]


def indexed(role: Role, pods: int) -> dict[str, Data]:
    """``pods`` replicas of the role at once, each with its index."""
    number = Located(pods, child(role.path, "replicas"))
    return {"completionMode": "Indexed", "completions": number, "parallelism": number}


def watched(role: Role) -> Sequence[str | None]:
    """The containers whose exit statuses decide, each in a rule of its own; ``None``: one rule for all.

    Steps that prepare are among them, sidecars are not: the kubelet stops these, so they end with a status too.
    """
    prepares = [step.name for step in role.steps if step.kind == "prepare"]
    return [None] if prepares and len(prepares) == len(role.steps) else [CONTAINER, *prepares]


def disrupted(action: PolicyAction) -> Data:
    """The rule of a ``podFailurePolicy`` for pods that were evicted or preempted, or lost their node."""
    return {"action": action, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


def exited(
    action: PolicyAction, operator: Literal["In", "NotIn"], statuses: Sequence[int], containers: Sequence[str | None]
) -> Iterator[Data]:
    """The rules for exit statuses, one for each of ``containers``."""
    for name in containers:
        on_exit: Data = {"containerName": name, "operator": operator, "values": list(statuses)}
        yield {"action": action, "onExitCodes": on_exit}
