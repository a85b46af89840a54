"""The intermediate representation of one job, as one target is to run it.

All layers are merged, all names resolved, all defaults written out; what remains is data, and a backend may rely on
every constraint that stands here.

The annotations are pydantic's; :mod:`tfdsl.ir.schema` makes pydantic models of them, which validate whole jobs in the
tests and give the JSON Schema. The compiler itself makes the records without them: it has just checked every value, and
loading pydantic costs more than compiling a job.

Every node has a ``path``, its place in the IR (``roles[worker].mounts[0]``; the job's own is empty). ``path.field``
is the key under which :class:`tfdsl.ir.origins.Origins` knows the source text of a field, and under which a
backend's support table speaks of it (with the brackets emptied).

Units: quantities are :class:`~tfdsl.vocabulary.quantities.Quantity` (thousandths), durations
:class:`~tfdsl.vocabulary.quantities.Duration` (milliseconds); both remember how they were written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from tfdsl.record import KeywordRecord, replace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Annotated

    from pydantic import Field

    from tfdsl.vocabulary.quantities import Duration, Quantity

RoleName: TypeAlias = Literal["chief", "master", "ps", "worker", "evaluator", "tensorboard"]
EventName: TypeAlias = Literal["completed", "failed", "exit", "evicted", "pending", "restarted", "unknown"]
ActionName: TypeAlias = Literal[
    "complete job",
    "fail job",
    "abort job",
    "restart container",
    "restart pod",
    "restart role",
    "restart job",
    "ignore",
]


class Part(KeywordRecord):
    """Base of all records of the IR: frozen, made with keywords."""

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> Self:
        """A record out of its fields by name; an unknown or a missing one is a ``TypeError``."""
        return cls(**fields)

    def but(self, **changes: object) -> Self:
        """The same with other values for some fields."""
        return replace(self, **changes)


class Node(Part):
    """Base of what has a place in the IR."""

    path: str = ""


class TaskIndex(Part):
    """``${task.index}``: the replica's own index, known only when it runs."""

    kind: Literal["task_index"] = "task_index"


class EnvVar(Part):
    """``${env.NAME}``: an environment variable of the replica, known only when it runs."""

    kind: Literal["env"] = "env"
    name: str


class RunTimeText(Part):
    """A text with parts that are known only when the replica runs; neighbouring literal parts are joined."""

    parts: tuple[str | TaskIndex | EnvVar, ...]


Text: TypeAlias = str | RunTimeText


class SecretRef(Part):
    """``secret(name, key)``."""

    kind: Literal["secret"] = "secret"
    name: str
    key: str


class ConfigMapRef(Part):
    """``configmap(name, key)``."""

    kind: Literal["configmap"] = "configmap"
    name: str
    key: str


EnvValue: TypeAlias = str | RunTimeText | SecretRef | ConfigMapRef


# --- mounts ----------------------------------------------------------------------------------------------------


class BaseMount(Node):
    """What all mounts have. ``at`` has no final ``/`` (but for ``/`` itself); on YARN and Slider it may be relative."""

    at: str
    readonly: bool = False


class PvcMount(BaseMount):
    """An existing PersistentVolumeClaim."""

    kind: Literal["pvc"] = "pvc"
    claim: Text
    sub_path: Text | None = None


class ClaimMount(BaseMount):
    """A claim made for this job; ``claim`` is the :attr:`Claim.name` in :attr:`Job.claims`."""

    kind: Literal["claim"] = "claim"
    claim: str
    sub_path: Text | None = None


class HostMount(BaseMount):
    """A folder or file of the node. ``type`` is Kubernetes' hostPath type (``Directory`` …)."""

    kind: Literal["host"] = "host"
    source: Text
    type: str | None = None


class NfsMount(BaseMount):
    """An NFS export."""

    kind: Literal["nfs"] = "nfs"
    server: str
    share: Text


class ConfigMapMount(BaseMount):
    """A ConfigMap as files. ``items``: key → file name; ``mode``: octal text such as ``0440``."""

    kind: Literal["configmap"] = "configmap"
    name: Text
    items: dict[str, str] = {}
    mode: str | None = None


class SecretMount(BaseMount):
    """A Secret as files. ``items``: key → file name; ``mode``: octal text such as ``0440``."""

    kind: Literal["secret"] = "secret"
    name: Text
    items: dict[str, str] = {}
    mode: str | None = None


class ScratchMount(BaseMount):
    """Node disk that lives with the pod."""

    kind: Literal["scratch"] = "scratch"
    size: Quantity | None = None


class MemoryMount(BaseMount):
    """A tmpfs of ``size``."""

    kind: Literal["memory"] = "memory"
    size: Quantity


class HdfsMount(BaseMount):
    """A file or folder of HDFS, fetched before the command starts."""

    kind: Literal["hdfs"] = "hdfs"
    uri: Text


class ArchiveMount(BaseMount):
    """An archive (``.tar .tar.gz .tgz .zip``; a URI or a local file) unpacked at ``at`` before the command starts."""

    kind: Literal["archive"] = "archive"
    source: Text


Mount: TypeAlias = (
    PvcMount
    | ClaimMount
    | HostMount
    | NfsMount
    | ConfigMapMount
    | SecretMount
    | ScratchMount
    | MemoryMount
    | HdfsMount
    | ArchiveMount
)


class Claim(Node):
    """A claim to be made for the job, named ``<job>-<name>``; one claim may be mounted by several roles.

    ``path`` is that of the first mount that asks for it.
    """

    name: str
    size: Quantity
    storage_class: str | None = None
    access_modes: tuple[str, ...]
    keep: bool = False


class Output(Node):
    """A file or folder copied when the command has ended, by the replicas of the role that holds it.

    ``index``: only that replica copies (``None``: every replica does). ``when``: ``success``, ``failure``, ``always``.
    """

    source: Text
    destination: Text
    when: Literal["success", "failure", "always"] = "success"
    index: int | None = None
    overwrite: bool = False


# --- roles and policies ----------------------------------------------------------------------------------------


class Toleration(Node):
    """A Kubernetes toleration."""

    key: str | None = None
    operator: Literal["Exists", "Equal"] | None = None
    value: str | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    toleration_seconds: int | None = None


class Role(Node):
    """The replicas of one role. ``path`` is ``roles[NAME]``.

    ``command``: argv in exec form, or one text for ``/bin/sh -c TEXT sh ARGS…``, or empty for the image's entrypoint.
    ``cpu`` and ``memory`` are the request; ``cpu_limit`` and ``memory_limit`` the limit (equal unless written).
    """

    name: RoleName
    replicas: Annotated[int, Field(ge=1)]
    min_available: Annotated[int, Field(ge=0)]
    after: tuple[RoleName, ...] = ()
    server: bool = False
    logdir: Text | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    image: str | None = None
    image_pull_policy: str | None = None
    image_pull_secrets: tuple[str, ...] = ()
    command: tuple[Text, ...] | Text = ()
    args: tuple[Text, ...] = ()
    workdir: Text | None = None
    env: dict[str, EnvValue] = {}
    cpu: Quantity | None = None
    memory: Quantity | None = None
    cpu_limit: Quantity | None = None
    memory_limit: Quantity | None = None
    gpu: Annotated[int, Field(ge=0)] = 0
    gpu_resource: str | None = None
    gpu_memory: Quantity | None = None
    resources: dict[str, Quantity] = {}
    shm: Quantity | None = None
    port: Annotated[int, Field(ge=1, le=65535)] = 2222
    host_network: bool = False
    service_account: str | None = None
    node_selector: dict[str, str] = {}
    node_label: str | None = None
    tolerations: tuple[Toleration, ...] = ()
    spread: Literal["node", "none"] = "none"
    mounts: tuple[Mount, ...] = ()
    outputs: tuple[Output, ...] = ()


class Policy(Node):
    """What happens on an event. ``role`` is ``None`` for a policy without subject.

    ``codes``: the exit statuses of an ``exit`` event, ascending. ``count``: of ``restarted N``. ``delay``: ``after``.
    ``written`` is false for the defaults that the language adds.
    """

    role: RoleName | None = None
    index: int | None = None
    event: EventName
    codes: tuple[int, ...] = ()
    count: int | None = None
    delay: Duration | None = None
    action: ActionName
    written: bool = True


class Cluster(Node):
    """How the tasks learn of each other."""

    discovery: Literal["tf_config", "flags", "both", "none"] = "tf_config"
    protocol: str = "grpc"


class CopyStep(Node):
    """``copy SOURCE to DESTINATION``."""

    source: str
    destination: str


class RunStep(Node):
    """``run COMMAND``."""

    command: str


class Build(Node):
    """The Dockerfile of the job's image."""

    base: str
    workdir: str | None = None
    steps: tuple[CopyStep | RunStep, ...] = ()
    entrypoint: tuple[str, ...] = ()
    hadoop: str | None = None


class Job(Node):
    """One job for one target. Roles stand in the order chief, master, ps, worker, evaluator, tensorboard."""

    name: str
    namespace: str | None = None
    user: str | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    queue: str | None = None
    priority: str | int | None = None
    scheduler: str | None = None
    gang: bool = True
    retries: Annotated[int, Field(ge=0)] = 0
    deadline: Duration | None = None
    ttl: Duration | None = None
    cleanup: Literal["running", "all", "none"] = "running"
    suspend: bool = False
    checkpoint: Text | None = None
    roles: Annotated[tuple[Role, ...], Field(min_length=1)]
    policies: tuple[Policy, ...] = ()
    claims: tuple[Claim, ...] = ()
    cluster: Cluster = Cluster(path="cluster")
    build: Build | None = None

    def role(self, name: str) -> Role | None:
        """The role of that name, if the job has it."""
        return next((role for role in self.roles if role.name == name), None)
