"""The intermediate representation of one job, as one target is to run it: what a target is given, and nothing else.

All layers are merged, all names resolved, all defaults filled in; what remains is data. The models take what the
language takes: a value that breaks a rule is a ``pydantic.ValidationError`` with the rule's code and words
(:mod:`tfdsl.rules`), whether the job comes from a text, from JSON or from Python.

Every node has a ``path``, its place in the IR. ``path.field`` is the key under which
:class:`tfdsl.ir.origins.Origins` knows the source text of a field, and under which a backend's support table speaks of
it (with the brackets emptied).

Units: quantities are :class:`~tfdsl.vocabulary.quantities.Quantity` (thousandths), durations
:class:`~tfdsl.vocabulary.quantities.Duration` (milliseconds); both remember how they were written.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, PrivateAttr, model_validator

from tfdsl.ir import defaults
from tfdsl.ir.amounts import Delay, TimeLimit
from tfdsl.ir.build import Build, CopyStep, RunStep
from tfdsl.ir.mounts import (
    DURABLE,
    ArchiveMount,
    BaseMount,
    ClaimMount,
    ConfigMapMount,
    HdfsMount,
    HostMount,
    MemoryMount,
    Mount,
    NfsMount,
    PvcMount,
    ScratchMount,
    SecretMount,
)
from tfdsl.ir.part import Node, Part, holds, refuse, unset
from tfdsl.ir.policy import ActionName, EventName, Policy
from tfdsl.ir.read_only import EMPTY
from tfdsl.ir.role import Annotations, Claim, Labels, Output, Role, RoleName, Toleration
from tfdsl.ir.step import Step
from tfdsl.ir.text import (
    ConfigMapKeys,
    ConfigMapRef,
    EnvSource,
    EnvValue,
    EnvVar,
    FullText,
    PodField,
    Priority,
    RunTimeText,
    SecretKeys,
    SecretRef,
    TaskIndex,
    Text,
    Word,
)
from tfdsl.rules import claims, names, outputs
from tfdsl.rules import job as rules
from tfdsl.rules.broken import Broken
from tfdsl.vocabulary.attributes import MOST_RETRIES

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


Subject: TypeAlias = tuple[str | None, int | None]
"""Of a policy: its role and its index."""


class Cluster(Node):
    """How the tasks learn of each other."""

    discovery: Literal["tf_config", "flags", "both", "none"] = "tf_config"
    protocol: Literal["grpc", "grpc+gdr", "grpc+mpi", "grpc+verbs"] = "grpc"


class Job(Node):
    """One job for one target. Roles stand in the order chief, master, ps, worker, evaluator, tensorboard.

    ``retries``: unless written 3 when a policy restarts anything, else 0. ``checkpoint``: unless written tensorboard's
    ``logdir``; every role has it as the variable ``CHECKPOINT_DIR``. ``policies``: the written ones, then the defaults
    of the language that they leave room for.
    """

    name: Annotated[str, holds(names.job_name)]
    namespace: Annotated[Word, holds(partial(names.label_name, what="namespace"))] | None = None
    labels: Labels = EMPTY
    annotations: Annotations = EMPTY
    queue: Word | None = None
    priority: Priority | None = None
    scheduler: Word | None = None
    gang: bool = True
    retries: Annotated[int, Field(ge=0, le=MOST_RETRIES)] = Field(default_factory=unset)
    deadline: TimeLimit | None = None
    ttl: Delay | None = None
    cleanup: Literal["running", "all", "none"] = "running"
    suspend: bool = False
    checkpoint: FullText | None = None
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

    def stated(self) -> dict[str, Any]:
        """The fields that differ from their defaults, without what the job has filled in."""
        filled_in = ("retries", "checkpoint", "roles", "policies", "claims")
        stated = {name: value for name, value in super().stated().items() if name not in filled_in}
        return stated | defaults.stated(self)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        vars(self)["policies"] = tuple(policy for policy in self.policies if policy.written)
        refuse(f"Job {self.name}", self, self._broken())
        vars(self).update(defaults.completed(self))
        return self

    def _broken(self) -> "Iterator[Broken]":
        yield from rules.of_job(self, range(len(self.roles)))
        yield from rules.apart_in_job(self)
        kept = {claim.name for claim in self.claims if claim.keep}
        for at, role in enumerate(self.roles):
            lasting = [
                place
                for place, mount in enumerate(role.mounts)
                if mount.kind in DURABLE or (isinstance(mount, ClaimMount) and mount.claim in kept)
            ]
            yield from (broken.below("roles", at) for broken in outputs.durable(role, lasting))
        mounts = [
            (("roles", at, "mounts", number, "claim"), mount.claim)
            for at, role in enumerate(self.roles)
            for number, mount in enumerate(role.mounts)
            if isinstance(mount, ClaimMount)
        ]
        yield from claims.matched([claim.name for claim in self.claims], mounts)
