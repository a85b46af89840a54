"""What is started for a replica of a local run, and what is reported of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tfdsl.record import Record


class Mounted(Record):
    """A folder or file as a replica sees it.

    ``at``: absolute, or relative to the work folder of the launch. ``source``: absolute, or relative to the scratch
    folder of the run, where it is created. ``memory``: the bytes of a tmpfs that is made at ``source``.
    """

    at: str
    source: str
    readonly: bool = False
    memory: int | None = None


class Copied(Record):
    """An output: ``source`` is copied to ``destination`` when the command has ended. Both as the replica sees them."""

    source: str
    destination: str
    when: Literal["success", "failure", "always"] = "success"
    overwrite: bool = False


class Limits(Record):
    """What a replica may use at most: thousandths of a processor, bytes."""

    cpu: int | None = None
    memory: int | None = None


class Launch(Record):
    """One process to start.

    ``name``: ``worker[1]``, or ``worker[1]/fetch`` for a step of that replica. ``argv[0]`` is looked up in the ``PATH``
    of ``env``. ``port``: one that :meth:`~tfdsl.running.supervisor.Supervisor.hold` has given; it is free from just
    before the command starts until it has ended. ``pod``: the number of the replica's pod; when it changes, the
    :func:`pod_folder` of the one before is removed.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    port: int | None = None
    pod: int = 0
    mounts: tuple[Mounted, ...] = ()
    outputs: tuple[Copied, ...] = ()
    limits: Limits = Limits()


def pod_folder(replica: str, pod: int) -> str:
    """Where the scratch folder of a run has what lives as long as one pod of ``replica`` (``worker[1]``)."""
    return f"pods/{replica}/{pod}"


class Running(Record):
    """The command of a launch has started."""

    name: str
    generation: int


class Ended(Record):
    """A launch has ended: none of its processes is left, and its outputs are copied.

    ``status``: 0–255; of a process that a signal ended, 128 and its number. ``started``: whether the command ran.
    ``why``: what kept it from running, or what happened to its supervisor; else empty.
    """

    name: str
    generation: int
    status: int
    started: bool = True
    why: str = ""
