"""Steps of the IR: what runs before or beside the command of a role (language reference, "Steps")."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from tfdsl.ir.amounts import Cpu, Memory, requested
from tfdsl.ir.part import Node, holds, refuse, unset
from tfdsl.ir.read_only import EMPTY, ReadOnlyMap
from tfdsl.ir.text import Command, EnvName, EnvSource, EnvValue, FullText, Map, Text, Word
from tfdsl.rules import names, ports
from tfdsl.rules.steps import step_name

if TYPE_CHECKING:
    from tfdsl.ir.role import Role

Ports: TypeAlias = Annotated[Map[str, Annotated[int, Field(ge=1, le=65535)]], holds(ports.port_names)]
StepKind: TypeAlias = Literal["prepare", "sidecar"]


class Step(Node):
    """A container beside that of the command, with the mounts of its role. ``path`` is ``roles[NAME].steps[N]``.

    ``kind``: ``prepare`` runs before the command, ``sidecar`` beside it. A step of a role has everything filled in:
    ``image``, ``workdir``, ``env_from``, ``cpu`` and ``memory`` are the role's unless written, ``env`` is the role's
    with its own. ``cpu`` and ``memory`` are the request and the limit.
    """

    kind: StepKind
    name: Word
    image: Annotated[Word, holds(names.image)] | None = None
    command: Command = ()
    args: tuple[Text, ...] = ()
    workdir: FullText | None = None
    env: Map[EnvName, EnvValue] = EMPTY
    env_from: tuple[EnvSource, ...] = Field(default_factory=unset)
    cpu: Cpu | None = None
    memory: Memory | None = None
    gpu: Annotated[int, Field(ge=0)] = 0
    ports: Ports = EMPTY

    def derived(self) -> dict[str, Any]:
        """What is the role's until it is filled in."""
        return {"env_from": None}

    @model_validator(mode="after")
    def _check(self) -> Self:
        name, misplaced = step_name(self.name, self.kind), ports.misplaced(self)
        broken = [name.below("name")] if name is not None else []
        refuse("Step", self, [*broken, *([misplaced] if misplaced is not None else [])])
        return self


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
