"""Roles of the IR, and what belongs to them."""

from functools import partial
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from tfdsl.ir.amounts import Count, Cpu, CpuLimit, Delay, Memory, MemoryLimit
from tfdsl.ir.mounts import Mount
from tfdsl.ir.part import After, Node, holds, refuse, unset
from tfdsl.ir.read_only import EMPTY
from tfdsl.ir.step import Ports, Step, bare, filled_in
from tfdsl.ir.text import Clean, Command, EnvName, EnvSource, EnvValue, FullText, Map, Text, Word
from tfdsl.ir.unions import OneOf
from tfdsl.rules import job as rules
from tfdsl.rules import mounts as mount_rules
from tfdsl.rules import names, tolerations
from tfdsl.rules.ports import default_port
from tfdsl.vocabulary.attributes import HIGHEST_ID, MOST_REPLICAS

RoleName: TypeAlias = Literal["chief", "master", "ps", "worker", "evaluator", "tensorboard"]
AccessMode: TypeAlias = Literal["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]
Labels: TypeAlias = Annotated[Map[str, Clean], holds(names.labels)]
NodeLabel: TypeAlias = Annotated[str | tuple[str, ...], OneOf(text=Clean, list=tuple[Clean, ...])]
NodeLabels: TypeAlias = Annotated[Map[str, NodeLabel], holds(names.node_labels)]
Annotations: TypeAlias = Annotated[Map[str, Clean], holds(names.annotation_keys)]
Resources: TypeAlias = Annotated[Map[str, Count], holds(names.resources)]
Index: TypeAlias = Annotated[int, Field(ge=0)]
Id: TypeAlias = Annotated[int, Field(ge=0, le=HIGHEST_ID)]


def _called(what: str) -> After:
    return holds(partial(names.object_name, what=what))


class Claim(Node):
    """A claim to be made for the job, named ``<job>-<name>``; one claim may be mounted by several roles.

    ``path`` is that of the first mount that asks for it. ``access_modes``: unless given, ``ReadWriteMany`` when several
    replicas mount it, else ``ReadWriteOnce``.
    """

    name: Annotated[str, holds(partial(names.label_name, what="claim"))]
    size: Memory
    storage_class: Annotated[Word, _called("StorageClass")] | None = None
    access_modes: tuple[AccessMode, ...] = ()
    keep: bool = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        broken = mount_rules.access_modes(self.access_modes) if self.access_modes else None
        if broken is not None:
            refuse("Claim", self, [broken.below("access_modes")])
        return self


class Output(Node):
    """A file or folder copied when the command has ended, by the replicas of the role that holds it.

    ``index``: only that replica copies (``None``: every replica does). ``when``: ``success``, ``failure``, ``always``.
    """

    source: FullText
    destination: FullText
    when: Literal["success", "failure", "always"] = "success"
    index: Index | None = None
    overwrite: bool = False


class Toleration(Node):
    """A Kubernetes toleration."""

    key: Clean | None = None
    operator: Literal["Exists", "Equal"] | None = None
    value: Clean | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    toleration_seconds: int | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        written = {name: value for name, value in self if value is not None}
        refuse("Toleration", self, tolerations.toleration(written))
        return self


class Role(Node):
    """The replicas of one role. ``path`` is ``roles[NAME]``.

    ``command``: argv in exec form, or one text for ``/bin/sh -c TEXT sh ARGS…``, or empty for the image's entrypoint.
    ``cpu`` and ``memory`` are the request; ``cpu_limit`` and ``memory_limit`` the limit (equal unless written), or
    ``"none"``.
    ``min_available`` is ``replicas`` unless written, of tensorboard 0. ``steps`` stand in the order in which they
    start.
    """

    name: RoleName
    replicas: Annotated[int, Field(ge=1, le=MOST_REPLICAS)] = 1
    min_available: Annotated[int, Field(ge=0, le=MOST_REPLICAS)] = Field(default_factory=unset)
    after: tuple[RoleName, ...] = ()
    server: bool = False
    logdir: FullText | None = None
    labels: Labels = EMPTY
    annotations: Annotations = EMPTY
    image: Annotated[Word, holds(names.image)] | None = None
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    image_pull_secrets: tuple[Annotated[Word, _called("Secret")], ...] = ()
    command: Command = ()
    args: tuple[Text, ...] = ()
    workdir: FullText | None = None
    env: Map[EnvName, EnvValue] = EMPTY
    env_from: tuple[EnvSource, ...] = ()
    cpu: Cpu | None = None
    memory: Memory | None = None
    cpu_limit: CpuLimit | None = None
    memory_limit: MemoryLimit | None = None
    gpu: Annotated[int, Field(ge=0)] = 0
    gpu_resource: Annotated[Word, holds(names.resource_name)] | None = None
    gpu_memory: Memory | None = None
    resources: Resources = EMPTY
    shm: Memory | None = None
    port: Annotated[int, Field(ge=1, le=65535)] = Field(default_factory=unset)
    ports: Ports = EMPTY
    host_network: bool = False
    service_account: Annotated[Word, _called("ServiceAccount")] | None = None
    run_as_user: Id | None = None
    run_as_group: Id | None = None
    fs_group: Id | None = None
    privileged: bool = False
    capabilities: tuple[Annotated[str, holds(names.capability)], ...] = ()
    stop_grace: Delay | None = None
    node_selector: NodeLabels = EMPTY
    node_label: Word | None = None
    tolerations: tuple[Toleration, ...] = ()
    spread: Literal["node", "none"] = "none"
    mounts: tuple[Mount, ...] = ()
    outputs: tuple[Output, ...] = ()
    steps: tuple[Step, ...] = ()

    def derived(self) -> dict[str, Any]:
        """Defaults that follow from other fields of the role."""
        board = self.name == "tensorboard"
        return {
            "min_available": 0 if board else self.replicas,
            "cpu_limit": self.cpu,
            "memory_limit": self.memory,
            "port": default_port(self.name),
        }

    def stated(self) -> dict[str, Any]:
        """The fields that differ from their defaults; an empty command keeps tensorboard from having its own."""
        stated = super().stated()
        if self.name == "tensorboard" and "command" in self.model_fields_set:
            stated["command"] = self.command
        if self.steps:
            stated["steps"] = tuple(bare(step, self) for step in self.steps)
        return stated

    @model_validator(mode="after")
    def _complete(self) -> Self:
        refuse(f"Role {self.name}", self, (*rules.of_role(self), *rules.apart_in_role(self)))
        own = vars(self)
        own.update((name, value) for name, value in self.derived().items() if own[name] is None)
        if self.replicas == 1:
            own["outputs"] = tuple(one if one.index is None else one.but(index=None) for one in self.outputs)
        if self.steps:
            own["steps"] = tuple(filled_in(step, self) for step in self.steps)
        return self
