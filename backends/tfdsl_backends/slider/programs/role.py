#!/usr/bin/env python
"""What the Slider agent calls: install, configure, start, status and stop of one task.

Runs under the agent's Python (2.6 or newer) and under Python 3, and needs only the agent's resource_management.

START does not wait for the other tasks: the agent kills a command after ten minutes. It leaves a supervisor behind
(task_supervisor.py), which waits for the peers, runs the command, and answers for the task until the job ends.
So STATUS asks only whether the supervisor is alive. The supervisor exits by itself only when the task must be started
again.
"""

import os
import sys

import resource_management

HERE = os.path.dirname(os.path.abspath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)

from tfdsl_backends.slider.programs import task_command  # noqa: E402
from tfdsl_backends.slider.programs import task_process  # noqa: E402
from tfdsl_backends.slider.programs import task_settings  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ORPHAN_GRACE = 5  # seconds; the agent waits for STATUS


class Role(resource_management.Script):
    """One task of the job."""

    def install(self, env):
        # type: (Any) -> None
        """Copy the package's files, where the agents of this version do so, and make the folders."""
        if task_settings.job().get("packages"):
            self.install_packages(env)
        self.configure(env)

    def configure(self, env):
        # type: (Any) -> None
        """Write what the agent knows of this task for the supervisor."""
        task_settings.save(task_settings.from_agent(self.get_config()))

    def start(self, env):
        # type: (Any) -> None
        """Start the supervisor that runs the task, and leave it behind."""
        settings = task_settings.from_agent(self.get_config())
        task_settings.save(settings)
        if task_process.alive(task_settings.supervisor(settings)):
            return
        task_command.end_orphan(settings, ORPHAN_GRACE)
        log = os.path.join(settings["log_dir"], "task.log")
        options = ["-X", "utf8"] if sys.version_info >= (3, 7) else []  # whatever the agent's locale is
        program = [sys.executable] + options + [os.path.join(HERE, "task_supervisor.py"), task_settings.path(settings)]
        pid = task_process.detach(program, log)
        task_settings.keep(settings, "supervisor", {"pid": pid, "start": task_process.started(pid)})

    def status(self, env):
        # type: (Any) -> None
        """Return while the supervisor is alive, else report that the task is not running."""
        settings = task_settings.from_agent(self.get_config())
        if not task_process.alive(task_settings.supervisor(settings)):
            task_command.end_orphan(settings, ORPHAN_GRACE)
            raise resource_management.ComponentIsNotRunning()

    def stop(self, env):
        # type: (Any) -> None
        """Stop the supervisor, which stops the command; kill it after the grace period."""
        settings = task_settings.from_agent(self.get_config())
        role = task_settings.job()["roles"].get(settings["role"]) or {"stop_grace": 0}  # an unknown one runs nothing
        task_process.stop(task_settings.supervisor(settings), role["stop_grace"] + 10)
        task_command.end_orphan(settings, ORPHAN_GRACE)


if __name__ == "__main__":
    Role().execute()
