"""What a target knows about the pods that it is to read, and what it learns from reading them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tfdsl.backend.draft import Value
from tfdsl.manifest.nodes import View
from tfdsl.record import Record
from tfdsl_backends.podspec.plan import CONTAINER, PORT_NAME


def main_container(pod: View, name: str = CONTAINER, port: str = PORT_NAME) -> View:
    """The container that runs the command: by its name, else the one with the port, else the first."""
    containers = list(pod["containers"].items())
    named = [container for container in containers if container["name"].text == name]
    with_port = [
        container for container in containers if any(own["name"].text == port for own in container["ports"].items())
    ]
    return next(iter([*named, *with_port, *containers]), pod["containers"][0])


class ClaimFacts(Record):
    """A PersistentVolumeClaim that is made for the job: its ``size``, and the options of ``mount claim``."""

    size: Value
    options: tuple[tuple[str, Value], ...] = ()


class PodFacts(Record):
    """What a target adds to the pods of a job, and what it would decide by itself.

    ``replicas``: how many replicas each role has. ``address``: ``host:port`` of a replica, from its role, index and
    port, for the flags and for a TF_CONFIG that is written out. ``index_field``: the field of a pod that has its index,
    ``index_variable``: the variable that the compiler fills from it; ``indexes``: role → both, where they are others.
    ``main``: the name of the container that runs the
    command; where none has it, that with the port, else the first. ``port_name``: the name of its port.

    ``labels`` and ``annotations``: keys that the target writes to every pod. ``variables``: names of variables that it
    adds to every container, which no word refers to. ``spread_labels``: role → the labels that only its pods have.
    ``claims``: the name of a PersistentVolumeClaim → what is known of one that is made for the job. ``shares``: the
    resources that are the number of shared devices and the MiB of each. ``priority``, ``scheduler``: whether the job's
    are written to its pods. ``on_hosts``: whether the target puts each pod on a host of its own, on the host's network.
    ``filled_in``: whether a server has written defaults into the templates.

    ``program_around``: role and the text of a shell program that starts a command → how many parameters it has, if it
    is one of the target's own. ``lost_config``: why a TF_CONFIG in ``env`` never reaches the program, if so.
    ``index_of_servers``: whether, with the flags, a TensorFlow server has the index, too, which gets no flags.
    ``discovery``: what discovery is without a TF_CONFIG in ``env``, first with the four flags, then without.
    """

    replicas: Mapping[str, int]
    address: Callable[[str, int, int], str]
    index_field: str
    index_variable: str = "TASK_INDEX"
    indexes: Mapping[str, tuple[str, str]] = {}
    main: str = CONTAINER
    port_name: str = PORT_NAME
    labels: frozenset[str] = frozenset()
    annotations: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    spread_labels: Callable[[str], Mapping[str, str]] | None = None
    claims: Mapping[str, ClaimFacts] = {}
    shares: tuple[str, str] | None = None
    priority: bool = False
    scheduler: bool = False
    on_hosts: bool = False
    filled_in: bool = False
    program_around: Callable[[str, str], int | None] | None = None
    lost_config: str = ""
    index_of_servers: bool = True
    discovery: tuple[str, str] = ("flags", "none")

    def index_of(self, role: str) -> tuple[str, str]:
        """The field of a pod of ``role`` that has its index, and the variable that is filled from it."""
        return self.indexes.get(role, (self.index_field, self.index_variable))


class PodsRead(Record):
    """What was found, for the options of the target.

    ``flags``: whether the pods have the four flags of the cluster; ``config``: the roles that have the TF_CONFIG that
    the compiler writes out; ``around``: role → the parameters of the target's own program around its command;
    ``servers``: the roles that run the TensorFlow server; ``ports``: the port of each role.
    """

    flags: bool = False
    config: frozenset[str] = frozenset()
    around: Mapping[str, Sequence[str]] = {}
    servers: frozenset[str] = frozenset()
    ports: Mapping[str, int] = {}
