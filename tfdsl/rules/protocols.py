"""A job as the rules see it: what the resolved values and the models of the IR have in common.

``None`` is a value that is not written, or that is wrong and has been reported. A text is a string or something with
``parts`` (:mod:`tfdsl.rules.values`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tfdsl.vocabulary.quantities import Quantity


class Mount(Protocol):
    """A mount of a role."""

    @property
    def at(self) -> str:
        """Its path, without a ``/`` at the end."""

    @property
    def readonly(self) -> object:
        """Truthy when it is read-only."""


class Output(Protocol):
    """An output of a role."""

    @property
    def source(self) -> object:
        """A text, which can have run-time parts."""

    @property
    def destination(self) -> object:
        """A text, which can have run-time parts."""

    @property
    def index(self) -> int | None:
        """The one replica that copies."""


class Policy(Protocol):
    """``on ROLE[INDEX] EVENT after DELAY => ACTION``."""

    @property
    def role(self) -> str | None:
        """The role that the policy is about; ``None`` for the job."""

    @property
    def index(self) -> int | None:
        """The one replica that is its subject."""

    @property
    def event(self) -> str:
        """An event of the language."""

    @property
    def codes(self) -> tuple[int, ...]:
        """The exit statuses of an ``exit``; of other events none."""

    @property
    def action(self) -> str:
        """One of the language's actions."""


class Container(Protocol):
    """What a role or a step runs."""

    @property
    def name(self) -> str:
        """Of the role one of the language's, of a step its own."""

    @property
    def image(self) -> object:
        """A text; ``None`` for that of the role."""

    @property
    def command(self) -> object:
        """A text, or a sequence of them; of a step truthy when it is wrong."""

    @property
    def args(self) -> Sequence[object]:
        """Texts, which can have run-time parts."""

    @property
    def env(self) -> Mapping[str, object]:
        """By the names of the variables."""

    @property
    def ports(self) -> Mapping[str, int]:
        """Numbers by their names."""


class Step(Container, Protocol):
    """A prepare or sidecar step of a role."""

    @property
    def kind(self) -> str:
        """``prepare`` or ``sidecar``."""


class Role(Container, Protocol):
    """A role, with what it inherits from its job."""

    @property
    def replicas(self) -> int:
        """1 when they are wrong."""

    @property
    def min_available(self) -> int | None:
        """As it is written."""

    @property
    def after(self) -> Sequence[str | None]:
        """In the positions of what is written."""

    @property
    def server(self) -> bool:
        """Whether it runs a plain TensorFlow server."""

    @property
    def logdir(self) -> object:
        """A text, which can have run-time parts."""

    @property
    def cpu(self) -> Quantity | None:
        """The requested CPUs."""

    @property
    def memory(self) -> Quantity | None:
        """The requested memory."""

    @property
    def cpu_limit(self) -> Quantity | str | None:
        """As it is written; a text does not limit anything."""

    @property
    def memory_limit(self) -> Quantity | str | None:
        """As it is written; a text does not limit anything."""

    @property
    def port(self) -> int | None:
        """As it is written."""

    @property
    def mounts(self) -> Sequence[Mount]:
        """In their order."""

    @property
    def outputs(self) -> Sequence[Output]:
        """In their order."""

    @property
    def steps(self) -> Sequence[Step]:
        """In their order."""


class Cluster(Protocol):
    """How the tasks learn of each other."""

    @property
    def discovery(self) -> str | None:
        """``None`` is the language's default."""


class Job(Protocol):
    """A job for one target."""

    @property
    def name(self) -> str:
        """The name of the job."""

    @property
    def retries(self) -> int | None:
        """As they are written."""

    @property
    def checkpoint(self) -> object:
        """A text, which can have run-time parts."""

    @property
    def roles(self) -> Sequence[Role]:
        """In any order."""

    @property
    def policies(self) -> Sequence[Policy]:
        """The policies that are written, without those that the language adds."""

    @property
    def cluster(self) -> Cluster:
        """Its cluster block."""
