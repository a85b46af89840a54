"""A job that is ready to be run: checked against this machine before anything starts, then begun."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, run_rules
from tfdsl.lifecycle.events import Task
from tfdsl.record import Record
from tfdsl.running import devices, tensorflow, told
from tfdsl.running.local_job import LocalJob
from tfdsl.running.mount_options import MountOptions
from tfdsl.running.plan import Replica, Surroundings, plan, tasks
from tfdsl.running.provisions import Provisions
from tfdsl.running.restarts import FIRST_PAUSE
from tfdsl.running.supervisor import Supervisor

if TYPE_CHECKING:
    from tfdsl.compiling.jobs import PlainJob
    from tfdsl.lifecycle.faults import Injected
    from tfdsl.running.loop import Loop
    from tfdsl.running.screen import Screen
    from tfdsl.running.timers import Timers


class Settings(Record):
    """What the command line says about a run.

    ``environment``: the variables of every process. ``cpu``: whether all devices are hidden. ``keep``: whether the
    folders of the run stay. ``restart_delay``: seconds before the second restart in place.
    """

    environment: Mapping[str, str]
    injected: tuple[Injected, ...] = ()
    cpu: bool = False
    mounts: MountOptions = MountOptions()
    keep: bool = False
    restart_delay: float = FIRST_PAUSE


class Prepared:
    """One job, what is to be said about it before it starts, and how it is begun."""

    def __init__(self, plain: PlainJob, settings: Settings, found: Sequence[str]) -> None:
        self.job = plain.job
        self.origins = plain.origins
        self.settings = settings
        self._devices = devices.dealt(plain.job, found)
        self._provisions = Provisions(plain.job, plain.origins, settings.mounts)
        self.diagnostics = tuple(self._checked(found))

    def names(self) -> list[str]:
        """The names of all processes, those of a replica together."""
        return [
            name
            for role in self.job.roles
            for index in range(role.replicas)
            for name in (
                f"{role.name}[{index}]",
                *(f"{role.name}[{index}]/{step.name}" for step in role.steps),
            )
        ]

    def _checked(self, found: Sequence[str]) -> Iterator[Diagnostic]:
        yield from told.not_used(self.job, self.origins)
        yield from told.sidecars(self.job, self.origins)
        if too_many := list(told.too_many(self.job, self.origins)):
            yield from too_many
            return
        if not self.settings.cpu:
            yield from told.fewer_devices(self.job, self.origins, self._devices, found)
        replicas, problems = plan(self.job, self._surroundings(dict.fromkeys(tasks(self.job), 1)))
        yield from told.problems(problems, self.origins)
        yield from tensorflow.missing(replicas, self.origins)
        yield from self._folders(replicas)
        yield from self._provisions.check(replicas)

    def _folders(self, replicas: Sequence[Replica]) -> Iterator[Diagnostic]:
        """The work folders that are neither here nor in a mount."""
        seen: set[str] = set()
        for replica in replicas:
            mounted = self._provisions.paths(replica.role)
            for program in (*replica.steps, replica.command):
                folder = program.folder
                if folder is None or folder in seen or os.path.isdir(folder) or _below(folder, mounted):
                    continue
                seen.add(folder)
                place = self.origins.span(f"{program.path}.workdir")
                yield run_rules.NO_WORKDIR(place, path=folder).help(
                    f"it is in the image on a cluster; name the folder here: --mount {folder}=DIR"
                )

    def _surroundings(self, ports: Mapping[Task, int]) -> Surroundings:
        given = dict.fromkeys(self._devices, "") if self.settings.cpu else self._devices
        inherited = {name: text for name, text in self.settings.environment.items() if name != devices.VARIABLE}
        python = "python" if shutil.which("python", path=inherited.get("PATH")) else "python3"
        return Surroundings(inherited, ports, given, platform.node(), python)

    # --- the run ---

    def begin(self, screen: Screen, watch: Loop, timers: Timers) -> LocalJob:
        """Take what the job needs of this machine; the job that comes of it has not begun yet.

        Raises:
            OSError: it cannot be had.
        """
        supervisor = Supervisor(keep=self.settings.keep)
        try:
            self._provisions.fill(supervisor)
            if self.settings.keep:
                screen.notice(f"folders of the run: {supervisor.scratch}")
            every = tasks(self.job)
            ports = dict(zip(every, supervisor.hold(len(every)), strict=True))
            replicas, _ = plan(self.job, self._surroundings(ports))
            launch, injected, delay = self._provisions.launch, self.settings.injected, self.settings.restart_delay
            return LocalJob(self.job, replicas, launch, supervisor, screen, watch, timers, injected, delay)
        except BaseException:
            supervisor.close()
            raise


def _below(folder: str, places: Sequence[str]) -> bool:
    return any(folder == place or folder.startswith(f"{place.rstrip('/')}/") for place in places)
