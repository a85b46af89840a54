"""The intermediate representation of one job, as one target is to run it: what a target is given, and nothing else.

All layers are merged, all names resolved, all defaults filled in; what remains is data. The models take what the
language takes: a value that breaks a rule is a ``pydantic.ValidationError`` with the rule's code and words
(:mod:`tfdsl.rules`), whether the job comes from a text, from JSON or from Python.

Every node has a ``path``, its place in the IR. ``path.field`` is the key under which
:class:`tfdsl.ir.fields.Origins` knows the source text of a field, and under which a backend's support table speaks of
it (with the brackets emptied).

Units: quantities are :class:`~tfdsl.vocabulary.quantities.Quantity` (thousandths), durations
:class:`~tfdsl.vocabulary.quantities.Duration` (milliseconds); both remember how they were written.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias

from pydantic import Field, PrivateAttr, model_validator

from tfdsl.ir.part import (
    EMPTY,
    Command,
    ConfigMapKeys,
    ConfigMapRef,
    EnvSource,
    EnvValue,
    EnvVar,
    Node,
    Part,
    PodField,
    ReadOnlyMap,
    RunTimeText,
    SecretKeys,
    SecretRef,
    TaskIndex,
    Text,
    refuse,
    unset,
)
from tfdsl.rules import job as job_rules, mounts as mount_rules, policies as policy_rules, values as value_rules
from tfdsl.rules.broken import Broken
from tfdsl.rules.values import pattern_of
from tfdsl.vocabulary import statements
from tfdsl.vocabulary.attributes import (
    BOARD,
    DEFAULT_RETRIES,
    IN_MEMORY,
    ROLE_NAMES,
    Cleanup,
    NoLimit,
    PullPolicy,
    RoleName,
    Spread,
    TaintEffect,
    TolerationOperator,
    decider,
)
from tfdsl.vocabulary.quantities import Duration, Quantity
from tfdsl.vocabulary.statements import (
    EVENTS,
    RESTARTS,
    AccessMode,
    ActionName,
    Discovery,
    EventName,
    HostType,
    OutputWhen,
    Protocol,
    StepKind,
)

__all__ = [
    "ActionName",
    "ArchiveMount",
    "BaseMount",
    "Build",
    "Claim",
    "ClaimMount",
    "Cluster",
    "ConfigMapKeys",
    "ConfigMapMount",
    "ConfigMapRef",
    "CopyStep",
    "EnvSource",
    "EnvValue",
    "EnvVar",
    "EventName",
    "HdfsMount",
    "HostMount",
    "Job",
    "MemoryMount",
    "Mount",
    "NfsMount",
    "Node",
    "Output",
    "Part",
    "PodField",
    "Policy",
    "PvcMount",
    "Role",
    "RoleName",
    "RunStep",
    "RunTimeText",
    "ScratchMount",
    "SecretKeys",
    "SecretMount",
    "SecretRef",
    "Step",
    "TaskIndex",
    "Text",
    "Toleration",
]

DURABLE = tuple(kind.name for kind in statements.MOUNT_KINDS if kind.durable)
"""Kinds of mounts that outlive the job, whatever they are of."""


class BaseMount(Node):
    """What all mounts have. ``at`` has no final ``/`` (but for ``/`` itself); on YARN and Slider it may be relative."""

    settled = {"at": lambda path: path.rstrip("/") or "/"}  # noqa: RUF012
    at: str
    readonly: bool = False


class PvcMount(BaseMount):
    """An existing PersistentVolumeClaim."""

    block = "mount pvc"
    kind: Literal["pvc"] = "pvc"
    claim: Text
    sub_path: Text | None = None


class ClaimMount(BaseMount):
    """A claim made for this job; ``claim`` is the name of one in the ``claims`` of the job."""

    block = "mount claim"
    kind: Literal["claim"] = "claim"
    claim: str
    sub_path: Text | None = None


class HostMount(BaseMount):
    """A folder or file of the node. ``type`` is Kubernetes' hostPath type (``Directory`` …)."""

    block = "mount host"
    kind: Literal["host"] = "host"
    source: Text
    type: HostType | None = None


class NfsMount(BaseMount):
    """An NFS export."""

    block = "mount nfs"
    kind: Literal["nfs"] = "nfs"
    server: str
    share: Text

    @model_validator(mode="after")
    def _is_export(self) -> Self:
        broken = mount_rules.source("nfs", f"{self.server}:{pattern_of(self.share)}")
        if broken is not None:
            refuse("NfsMount", self, [broken.below("share")])
        return self


class ConfigMapMount(BaseMount):
    """A ConfigMap as files. ``items``: key → file name; ``mode``: octal text such as ``0440``."""

    block = "mount configmap"
    kind: Literal["configmap"] = "configmap"
    name: Text
    sub_path: Text | None = None
    items: Mapping[str, str] = EMPTY
    mode: str | None = None


class SecretMount(BaseMount):
    """A Secret as files. ``items``: key → file name; ``mode``: octal text such as ``0440``."""

    block = "mount secret"
    kind: Literal["secret"] = "secret"
    name: Text
    sub_path: Text | None = None
    items: Mapping[str, str] = EMPTY
    mode: str | None = None


class ScratchMount(BaseMount):
    """Node disk that lives with the pod."""

    block = "mount scratch"
    kind: Literal["scratch"] = "scratch"
    size: Quantity | None = None


class MemoryMount(BaseMount):
    """A tmpfs of ``size``."""

    block = "mount memory"
    kind: Literal["memory"] = "memory"
    size: Quantity | None = None


class HdfsMount(BaseMount):
    """A file or folder of HDFS, fetched before the command starts; it is never written back."""

    block = "mount hdfs"
    kind: Literal["hdfs"] = "hdfs"
    readonly: bool = True
    uri: Text


class ArchiveMount(BaseMount):
    """An archive (``.tar .tar.gz .tgz .zip``; a URI or a local file) unpacked at ``at`` before the command starts."""

    block = "mount archive"
    kind: Literal["archive"] = "archive"
    readonly: bool = True
    source: Text


AnyMount: TypeAlias = (
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
Mount: TypeAlias = Annotated[AnyMount, Field(discriminator="kind")]


class Step(Node):
    """A container beside that of the command, with the mounts of its role. ``path`` is ``roles[NAME].steps[N]``.

    ``kind``: ``prepare`` runs before the command, ``sidecar`` beside it. A step of a role has everything filled in:
    ``image``, ``workdir``, ``env_from``, ``cpu`` and ``memory`` are the role's unless written, ``env`` is the role's
    with its own. ``cpu`` and ``memory`` are the request and the limit.
    """

    block = "step"
    kind: StepKind
    name: str
    image: str | None = None
    command: Command = ()
    args: tuple[Text, ...] = ()
    workdir: Text | None = None
    env: Mapping[str, EnvValue] = EMPTY
    env_from: tuple[EnvSource, ...] = Field(default_factory=unset)
    cpu: Quantity | None = None
    memory: Quantity | None = None
    gpu: int = 0
    ports: Mapping[str, int] = EMPTY

    def derived(self) -> dict[str, Any]:
        """What is the role's until it is filled in."""
        return {"env_from": None}

    @model_validator(mode="after")
    def _check(self) -> Self:
        name, misplaced = job_rules.step_name(self.name, self.kind), job_rules.misplaced_ports(self)
        broken = [name.below("name")] if name is not None else []
        refuse("Step", self, [*broken, *([misplaced] if misplaced is not None else [])])
        return self


def requested(request: Quantity | None, limit: Quantity | NoLimit | None) -> Quantity | None:
    """What a replica requests: a limit alone is also the request."""
    return limit if request is None and isinstance(limit, Quantity) else request


class InMemory(NamedTuple):
    """Memory that an attribute of a role mounts: the attribute, the path and the size."""

    name: str
    at: str
    size: Quantity


def in_memory(role: "Role") -> list[InMemory]:
    """What the attributes of ``role`` mount that is memory."""
    sizes = ((name, at, getattr(role, name)) for name, at in IN_MEMORY.items())
    return [InMemory(name, at, size) for name, at, size in sizes if size is not None]


def inherited(role: "Role") -> dict[str, Any]:
    """What a step of ``role`` has that does not say otherwise, but for ``env``."""
    return {
        "image": role.image,
        "workdir": role.workdir,
        "env_from": role.env_from,
        "cpu": requested(role.cpu, role.cpu_limit),
        "memory": requested(role.memory, role.memory_limit),
    }


def filled_in(step: Step, role: "Role") -> Step:
    """``step`` with what it has from ``role``."""
    fields = {name: value for name, value in inherited(role).items() if getattr(step, name) is None}
    if role.env:
        fields["env"] = ReadOnlyMap({**role.env, **step.env})
    return step.placed(step.path, **fields)


def bare(step: Step, role: "Role") -> Step:
    """``step`` without what it has from ``role``."""
    fields = step.stated()
    for name, value in inherited(role).items():
        if fields.get(name) == value:
            fields.pop(name, None)
    env = {name: value for name, value in step.env.items() if name not in role.env or role.env[name] != value}
    fields.pop("env", None)
    return Step.model_validate(fields | ({"env": env} if env else {}))


class Claim(Node):
    """A claim to be made for the job, named ``<job>-<name>``; one claim may be mounted by several roles.

    ``path`` is that of the first mount that asks for it. ``access_modes``: unless given, ``ReadWriteMany`` when several
    replicas mount it, else ``ReadWriteOnce``.
    """

    block = "claim"
    name: str
    size: Quantity
    storage_class: str | None = None
    access_modes: tuple[AccessMode, ...] = ()
    keep: bool = False


class Output(Node):
    """A file or folder copied when the command has ended, by the replicas of the role that holds it.

    ``index``: only that replica copies (``None``: every replica does). ``when``: ``success``, ``failure``, ``always``.
    """

    block = "output"
    source: Text
    destination: Text
    when: OutputWhen = "success"
    index: int | None = None
    overwrite: bool = False


class Toleration(Node):
    """A Kubernetes toleration."""

    block = "toleration"
    key: str | None = None
    operator: TolerationOperator | None = None
    value: str | None = None
    effect: TaintEffect | None = None
    toleration_seconds: int | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        written = {name: value for name, value in self if value is not None}
        refuse("Toleration", self, value_rules.toleration(written))
        return self


class Role(Node):
    """The replicas of one role. ``path`` is ``roles[NAME]``.

    ``command``: argv in exec form, or one text for ``/bin/sh -c TEXT sh ARGS…``, or empty for the image's entrypoint.
    ``cpu`` and ``memory`` are the request; ``cpu_limit`` and ``memory_limit`` the limit (equal unless written), or
    ``"none"``.
    ``min_available`` is ``replicas`` unless written, of tensorboard 0. ``steps`` stand in the order in which they
    start.
    """

    block = "role"
    name: RoleName
    replicas: int = 1
    min_available: int = Field(default_factory=unset)
    after: tuple[RoleName, ...] = ()
    server: bool = False
    logdir: Text | None = None
    labels: Mapping[str, str] = EMPTY
    annotations: Mapping[str, str] = EMPTY
    image: str | None = None
    image_pull_policy: PullPolicy | None = None
    image_pull_secrets: tuple[str, ...] = ()
    command: Command = ()
    args: tuple[Text, ...] = ()
    workdir: Text | None = None
    env: Mapping[str, EnvValue] = EMPTY
    env_from: tuple[EnvSource, ...] = ()
    cpu: Quantity | None = None
    memory: Quantity | None = None
    cpu_limit: Quantity | NoLimit | None = None
    memory_limit: Quantity | NoLimit | None = None
    gpu: int = 0
    gpu_resource: str | None = None
    gpu_memory: Quantity | None = None
    resources: Mapping[str, Quantity] = EMPTY
    shm: Quantity | None = None
    tmp_size: Quantity | None = None
    port: int = Field(default_factory=unset)
    ports: Mapping[str, int] = EMPTY
    host_network: bool = False
    service_account: str | None = None
    run_as_user: int | None = None
    run_as_group: int | None = None
    fs_group: int | None = None
    privileged: bool = False
    restricted: bool = False
    capabilities: tuple[str, ...] = ()
    stop_grace: Duration | None = None
    node_selector: Mapping[str, str | tuple[str, ...]] = EMPTY
    node_label: str | None = None
    tolerations: tuple[Toleration, ...] = ()
    spread: Spread = "none"
    mounts: tuple[Mount, ...] = ()
    outputs: tuple[Output, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def is_board(self) -> bool:
        """Whether it is tensorboard, which trains nothing and decides nothing."""
        return self.name == BOARD

    def derived(self) -> dict[str, Any]:
        """Defaults that follow from other fields of the role."""
        return {
            "min_available": 0 if self.is_board else self.replicas,
            "cpu_limit": self.cpu,
            "memory_limit": self.memory,
            "port": job_rules.default_port(self.name),
        }

    def stated(self) -> dict[str, Any]:
        """The fields that differ from their defaults; an empty command keeps tensorboard from having its own."""
        stated = super().stated()
        if self.is_board and "command" in self.model_fields_set:
            stated["command"] = self.command
        if self.steps:
            stated["steps"] = tuple(bare(step, self) for step in self.steps)
        return stated

    @model_validator(mode="after")
    def _complete(self) -> Self:
        refuse(f"Role {self.name}", self, (*job_rules.of_role(self), *job_rules.apart_in_role(self)))
        own = vars(self)
        own.update((name, value) for name, value in self.derived().items() if own[name] is None)
        if self.replicas == 1:
            own["outputs"] = tuple(
                output if output.index is None else output.but(index=None) for output in self.outputs
            )
        if self.steps:
            own["steps"] = tuple(filled_in(step, self) for step in self.steps)
        return self


class CopyStep(Node):
    """``copy SOURCE to DESTINATION``."""

    block = "copy"
    kind: Literal["copy"] = "copy"
    source: str
    destination: str


class RunStep(Node):
    """``run COMMAND``."""

    block = "run"
    kind: Literal["run"] = "run"
    command: str


class Build(Node):
    """The Dockerfile of the job's image."""

    block = "build"
    base: str
    workdir: str | None = None
    steps: tuple[Annotated[CopyStep | RunStep, Field(discriminator="kind")], ...] = ()
    entrypoint: tuple[str, ...] = ()
    hadoop: str | None = None


_EVENTS = {event.name: event for event in EVENTS}


class Policy(Node):
    """What happens on an event. ``role`` is ``None`` for a policy without subject.

    ``codes``: the exit statuses of an ``exit`` event, ascending. ``count``: of ``restarted N``. ``delay``: ``after``.
    """

    block = "policy"
    settled = {"codes": lambda codes: tuple(sorted(codes))}  # noqa: RUF012
    role: RoleName | None = None
    index: int | None = None
    event: EventName
    codes: tuple[int, ...] = ()
    count: int | None = None
    delay: Duration | None = None
    action: ActionName
    _written: bool = PrivateAttr(default=True)

    @property
    def written(self) -> bool:
        """Whether it is not one of the defaults that the language adds."""
        return self._written

    @classmethod
    def default(cls, **fields: object) -> Self:
        """A policy that the language adds, because none is written for the case."""
        made = cls.model_validate(fields)
        made._written = False
        return made

    @model_validator(mode="after")
    def _check(self) -> Self:
        subject, delay = self.role is not None, self.delay is not None
        fits = policy_rules.fits(_EVENTS[self.event], self.action, subject=subject, delay=delay)
        refuse("Policy", self, (*fits, *policy_rules.shape(self, self.count)))
        return self


CHECKPOINT_VARIABLE = "CHECKPOINT_DIR"


def completed(job: "Job") -> dict[str, Any]:
    """The fields of ``job`` with its defaults filled in, its roles in order and every part in its place."""
    board = job.board
    checkpoint = job.checkpoint if job.checkpoint is not None or board is None else board.logdir
    roles = sorted(job.roles, key=lambda role: ROLE_NAMES.index(role.name))
    policies = (*job.policies, *default_policies(roles, job.policies))
    return {
        "retries": job.retries if "retries" in job.model_fields_set else retries(policies),
        "checkpoint": checkpoint,
        "roles": tuple(_role(role, checkpoint) for role in roles),
        "policies": tuple(policy.placed(f"policies[{at}]") for at, policy in enumerate(policies)),
        "claims": tuple(_claims(job.claims, roles)),
        "cluster": job.cluster.placed("cluster"),
        "build": _build(job.build),
    }


def stated_of(job: "Job") -> dict[str, Any]:
    """The fields of ``job`` in which :func:`completed` filled in something, as they were before."""
    fields: dict[str, Any] = {"roles": tuple(_bare_role(role, job) for role in job.roles)}
    if job.retries != retries(job.policies):
        fields["retries"] = job.retries
    if "checkpoint" in job.model_fields_set and job.checkpoint is not None:
        fields["checkpoint"] = job.checkpoint
    if job.claims:
        fields["claims"] = tuple(_bare_claims(job))
    policies = tuple(policy for policy in job.policies if policy.written)
    return fields | ({"policies": policies} if policies else {})


def retries(policies: Iterable[Policy]) -> int:
    """Retries of a job that has none written; tensorboard's own restarts count for nothing."""
    return DEFAULT_RETRIES if any(policy.written and policy.action in RESTARTS for policy in policies) else 0


def default_policies(roles: Sequence[Role], written: Sequence[Policy]) -> list[Policy]:
    """The language's defaults that the written policies leave room for.

    The job completes when its chief (master) has, else when all workers that run the command have; any written
    ``completed => complete job`` replaces this, and so does a ``completed`` policy of that role. Any failure without
    subject fails the job. tensorboard restarts in place and never ends the job.
    """
    names = [role.name for role in roles]
    policies: list[Policy] = []
    if not any(p.event == "completed" and p.action == "complete job" for p in written):
        deciding = decider(names)
        if deciding is not None and not any(p.event == "completed" and p.role == deciding for p in written):
            policies.append(Policy.default(role=deciding, event="completed", action="complete job"))
    if not any(p.event == "failed" and p.role is None for p in written):
        policies.append(Policy.default(event="failed", action="fail job"))
    if BOARD in names and not any(p.event == "failed" and p.role == BOARD for p in written):
        policies.append(Policy.default(role=BOARD, event="failed", action="restart container"))
    return policies


# --- roles -----------------------------------------------------------------------------------------------------


def _role(role: Role, checkpoint: Text | None) -> Role:
    """``role`` in its place, with what it has from its job."""
    path = f"roles[{role.name}]"
    fields: dict[str, object] = {
        "mounts": tuple(mount.placed(f"{path}.mounts[{at}]") for at, mount in enumerate(role.mounts)),
        "outputs": tuple(output.placed(f"{path}.outputs[{at}]") for at, output in enumerate(role.outputs)),
        "tolerations": tuple(one.placed(f"{path}.tolerations[{at}]") for at, one in enumerate(role.tolerations)),
    }
    if checkpoint is not None and CHECKPOINT_VARIABLE not in role.env:
        fields["env"] = ReadOnlyMap({**role.env, CHECKPOINT_VARIABLE: checkpoint})
    if role.steps:
        fields["steps"] = tuple(_step(step, checkpoint, at, path) for at, step in enumerate(role.steps))
    if role.is_board:
        logdir = checkpoint if role.logdir is None else role.logdir
        fields["logdir"] = logdir
        if "command" not in role.model_fields_set:
            fields["command"] = board_command(logdir or "", role.port)
    return role.placed(path, **fields)


def _step(step: Step, checkpoint: Text | None, at: int, path: str) -> Step:
    """``step`` in its place, with the variable that its role has from its job."""
    own = {} if checkpoint is None or CHECKPOINT_VARIABLE in step.env else {CHECKPOINT_VARIABLE: checkpoint}
    return step.placed(f"{path}.steps[{at}]", env=ReadOnlyMap({**step.env, **own}))


def board_command(logdir: Text, port: int) -> tuple[Text, ...]:
    """What tensorboard runs unless it is told (language reference, "tensorboard")."""
    return ("tensorboard", "--logdir", logdir, "--bind_all", "--port", str(port))


def _bare_role(role: Role, job: "Job") -> Role:
    """``role`` without what it has from its job."""
    fields = role.stated()
    env = fields.get("env", {})
    if next(reversed(env), None) == CHECKPOINT_VARIABLE and env[CHECKPOINT_VARIABLE] == job.checkpoint:
        fields["env"] = {name: value for name, value in env.items() if name != CHECKPOINT_VARIABLE}
    if role.is_board:
        if "checkpoint" in job.model_fields_set and role.logdir == job.checkpoint:
            fields.pop("logdir", None)
        if role.command == board_command(role.logdir or "", role.port):
            fields.pop("command", None)
    return Role.model_validate(fields)


# --- claims ----------------------------------------------------------------------------------------------------


def _claims(claims: Iterable[Claim], roles: Iterable[Role]) -> Iterator[Claim]:
    """The claims in the places of their first mounts, with the access modes that their mounts ask for."""
    mounted = _mounted(roles)
    for claim in claims:
        path, replicas = mounted[claim.name]
        yield claim.placed(path, access_modes=claim.access_modes or _access_modes(replicas))


def _bare_claims(job: "Job") -> Iterator[Claim]:
    mounted = _mounted(job.roles)
    for claim in job.claims:
        fields = claim.stated()
        if claim.access_modes == _access_modes(mounted[claim.name][1]):
            fields.pop("access_modes", None)
        yield Claim.model_validate(fields)


def _mounted(roles: Iterable[Role]) -> dict[str, tuple[str, int]]:
    """By the name of a claim its first mount, and how many replicas mount it."""
    mounted: dict[str, tuple[str, int]] = {}
    for role in roles:
        for at, mount in enumerate(role.mounts):
            if isinstance(mount, ClaimMount):
                path, replicas = mounted.get(mount.claim, (f"roles[{role.name}].mounts[{at}]", 0))
                mounted[mount.claim] = (path, replicas + role.replicas)
    return mounted


def _access_modes(replicas: int) -> tuple[str, ...]:
    return ("ReadWriteMany" if replicas > 1 else "ReadWriteOnce",)


# --- build -----------------------------------------------------------------------------------------------------


def _build(build: Build | None) -> Build | None:
    if build is None:
        return None
    steps = tuple(step.placed(f"build.steps[{at}]") for at, step in enumerate(build.steps))
    return build.placed("build", steps=steps)


Subject: TypeAlias = tuple[str | None, int | None]
"""Of a policy: its role and its index."""


class Cluster(Node):
    """How the tasks learn of each other."""

    block = "cluster"
    discovery: Discovery = "tf_config"
    protocol: Protocol = "grpc"


class Job(Node):
    """One job for one target. Roles stand in the order chief, master, ps, worker, evaluator, tensorboard.

    ``retries``: unless written 3 when a policy restarts anything, else 0. ``checkpoint``: unless written tensorboard's
    ``logdir``; every role has it as the variable ``CHECKPOINT_DIR``. ``policies``: the written ones, then the defaults
    of the language that they leave room for.
    """

    block = "job"
    name: str
    namespace: str | None = None
    labels: Mapping[str, str] = EMPTY
    common_labels: Mapping[str, str] = EMPTY
    annotations: Mapping[str, str] = EMPTY
    queue: str | None = None
    priority: int | str | None = None
    scheduler: str | None = None
    gang: bool = True
    retries: int = Field(default_factory=unset)
    deadline: Duration | None = None
    ttl: Duration | None = None
    cleanup: Cleanup = "running"
    suspend: bool = False
    checkpoint: Text | None = None
    roles: tuple[Role, ...]
    policies: tuple[Policy, ...] = ()
    claims: tuple[Claim, ...] = ()
    cluster: Cluster = Cluster()
    build: Build | None = None
    # For the policies that are its first member: thousands may name one replica each, and each is asked about.
    _by_subject: tuple[tuple[Policy, ...], dict[Subject, tuple[Policy, ...]]] = PrivateAttr(default=((), {}))

    def policies_of(self, role: str | None, index: int | None) -> tuple[Policy, ...]:
        """The policies whose subject is exactly that: a replica, a role (``index`` ``None``), or none at all."""
        if self._by_subject[0] is not self.policies:
            table: dict[Subject, list[Policy]] = {}
            for policy in self.policies:
                table.setdefault((policy.role, policy.index), []).append(policy)
            self._by_subject = (self.policies, {subject: tuple(policies) for subject, policies in table.items()})
        return self._by_subject[1].get((role, index), ())

    def role(self, name: str) -> Role | None:
        """The role of that name, if the job has it."""
        return next((role for role in self.roles if role.name == name), None)

    def labels_of(self, owner: "Job | Role") -> Mapping[str, str]:
        """The labels of its own object, or of the pods of a role: the common ones, over which the owner's win."""
        return {**self.common_labels, **owner.labels}

    @property
    def board(self) -> Role | None:
        """Its tensorboard, if it has one."""
        return self.role(BOARD)

    @property
    def training_roles(self) -> list[Role]:
        """All of its roles but tensorboard."""
        return [role for role in self.roles if not role.is_board]

    def _repr_html_(self) -> str:
        """A table of its roles, for notebooks."""
        from tfdsl.ir.fields import roles_table

        return roles_table(self)

    def stated(self) -> dict[str, Any]:
        """The fields that differ from their defaults, without what the job has filled in."""
        filled_in = ("retries", "checkpoint", "roles", "policies", "claims")
        stated = {name: value for name, value in super().stated().items() if name not in filled_in}
        return stated | stated_of(self)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        vars(self)["policies"] = tuple(policy for policy in self.policies if policy.written)
        refuse(f"Job {self.name}", self, self._broken())
        vars(self).update(completed(self))
        return self

    def _broken(self) -> "Iterator[Broken]":
        yield from job_rules.of_job(self, range(len(self.roles)))
        yield from job_rules.apart_in_job(self)
        kept = {claim.name for claim in self.claims if claim.keep}
        for at, role in enumerate(self.roles):
            lasting = [
                place
                for place, mount in enumerate(role.mounts)
                if mount.kind in DURABLE or (isinstance(mount, ClaimMount) and mount.claim in kept)
            ]
            yield from (broken.below("roles", at) for broken in mount_rules.durable(role, lasting))
        places = [
            (("roles", at, "mounts", number, "claim"), mount.claim)
            for at, role in enumerate(self.roles)
            for number, mount in enumerate(role.mounts)
            if isinstance(mount, ClaimMount)
        ]
        yield from job_rules.matched([claim.name for claim in self.claims], places)
