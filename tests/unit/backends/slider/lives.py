"""A whole job with real task programs, whose agents and application master do what the sources of Slider 0.92 say.

The agent starts a task again in place if its component has ``autoStartOnFailure``, else it ends and so does its
container (slider reference §2.10). The application master replaces every container that is gone; it counts each as
failed, also one that ended by itself or whose node was lost, but not one that was preempted, and it ends the
application as FAILED when more containers of a component have failed than its threshold says (``ContainerOutcome``,
``RoleStatus.noteFailed``, ``AppState.checkFailureThreshold``).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from tests.lifecycle.recorded import Observation, injected
from tests.unit.backends.slider.agents import has_ended, kill_supervisor, until
from tests.unit.backends.slider.test_life import COMMAND, finish
from tfdsl.lifecycle.behaviour import Task

if TYPE_CHECKING:
    from tests.lifecycle.recorded import Scenario
    from tests.unit.backends.slider.agents import Cluster, Container
    from tfdsl.ir.model import Job
    from tfdsl.lifecycle.faults import Injected

WAIT_LIMIT = 3
NOTICE = 2
WATCH = 0.3

PATIENCE = 60


class Life:
    """One application. ``failed``: the application master has given up."""

    def __init__(self, cluster: Cluster, job: Job, scenario: Scenario) -> None:
        self.cluster, self.scenario = cluster, scenario
        command = (sys.executable, "-c", COMMAND)
        self.job = job.but(roles=tuple(role.but(command=command, image=None) for role in job.roles))
        cluster.deploy(self.job, quick={"wait_limit": WAIT_LIMIT, "watch": WATCH})
        self.faults = injected(scenario.inject)
        self.containers: dict[Task, list[Container]] = {}
        self.failed = False
        metainfo = json.loads((cluster.application / "metainfo.json").read_text())
        self.in_place = {
            one["name"]: one["autoStartOnFailure"] == "true" for one in metainfo["application"]["components"]
        }
        self.orders = {
            one["command"].removesuffix("-START"): one["requires"].replace("-STARTED", "").split(",")
            for one in metainfo["application"].get("commandOrders", ())
        }
        resources = json.loads((cluster.application / "resources.json").read_text())["components"]
        self.thresholds = {name: int(resources[name]["yarn.container.failure.threshold"]) for name in self.in_place}

    @property
    def ended(self) -> bool:
        """Whether the application has, or will in a moment."""
        return self.failed or bool(self.cluster.master.stops)

    def live(self) -> Observation:
        """Let all of it happen; gives what came of it."""
        stuck = {task for fault in self.faults if fault.what == "pending" for task in fault.tasks(self.job)}
        tasks = [Task(role.name, index) for role in self.job.roles for index in range(role.replicas)]
        for task in tasks:
            if task not in stuck:  # INSTALL of all comes first: it reports the ports
                self.containers[task] = [self.cluster.container(task.role, task.index + 1)]
        for role in sorted(self.in_place, key=lambda name: name in self.orders):
            for task in tasks:
                if task.role == role and task not in stuck:
                    self.containers[task][-1].start()
        self.settle()
        times = sorted({fault.after_ms or 0 for fault in self.faults if fault.what != "pending"})
        for moment in times:
            if not self.ended:
                self.suffer(
                    [fault for fault in self.faults if (fault.after_ms or 0) == moment and fault.what != "pending"]
                )
                self.settle()
        if self.scenario.finish:
            self.complete(tasks)
        elif not self.ended:
            until(lambda: self.ended, PATIENCE)
        return self.observed()

    def suffer(self, faults: list[Injected]) -> None:
        """What is injected at one moment."""
        ending: list[Container] = []
        for fault in faults:
            for task in fault.tasks(self.job):
                container = self.containers[task][-1]
                if fault.what in ("exit", "completed"):
                    finish(container, fault.status)
                    ending.append(container)
                else:
                    self.lose(task, container, preempted=fault.what == "preempted")

        until(lambda: not any(container.has_state("running") for container in ending), PATIENCE)

    def lose(self, task: Task, container: Container, *, preempted: bool) -> None:
        """The container is gone with all its processes."""
        command = container.note("command")
        kill_supervisor(container)
        if isinstance(command, dict):
            os.killpg(int(command["pid"]), signal.SIGKILL)
            until(lambda: has_ended(int(command["pid"])))
        self.replace(task, "preempted" if preempted else "failed")

    def replace(self, task: Task, counter: str) -> None:
        """Slider counts a container that is gone, and asks for another one with its number."""
        master = self.cluster.master
        master.withdraw(task.role, task.index + 1)
        counts = master.lost.setdefault(task.role, {})
        counts[counter] = counts.get(counter, 0) + 1
        if counts.get("failed", 0) > self.thresholds[task.role]:
            self.failed = True
            return
        self.cluster.publishes = False  # whoever looked at the addresses just now would restart a command for nothing
        container = self.cluster.container(task.role, task.index + 1).start()
        self.cluster.publishes = True
        self.containers[task].append(container)
        self.wait_for_the_end()
        if not self.ended:
            master.publish(task.role, task.index + 1, f"127.0.0.1:{container.port}")

    def settle(self) -> None:
        """Let the agents and Slider do what they have to until every command runs, or is done, or the job has ended."""
        until(lambda: self.ended or self.quiet(), PATIENCE)
        self.wait_for_the_end()

    def wait_for_the_end(self) -> None:
        """Give whoever decides the time to notice."""
        end = time.monotonic() + NOTICE
        while not self.ended and time.monotonic() < end:
            time.sleep(0.05)

    def quiet(self) -> bool:
        """Whether nothing is left to do; does what the agents have to do."""
        quiet = True
        for task, containers in list(self.containers.items()):
            container = containers[-1]
            if container.has_state("done") or (container.has_state("running") and _runs(container)):
                continue
            quiet = False
            if container.has_state("failed") and not container.is_alive():
                self.again(task, container)
            if self.ended:
                return True
        return quiet and self.addresses_known()

    def again(self, task: Task, container: Container) -> None:
        """What the agent does about a task that is dead."""
        if self.in_place[task.role]:
            assert container.run("START") == 0
        else:
            self.replace(task, "failed")

    def addresses_known(self) -> bool:
        """Whether every running command that has a cluster has the addresses that are exported now."""
        exported = {
            role: [entry["value"] for entry in sorted(entries, key=lambda entry: int(entry["tag"]))]
            for role, entries in self.cluster.master.exports.items()
        }
        for containers in self.containers.values():
            seen = containers[-1].task / "seen"
            if containers[-1].has_state("done") or not seen.exists():
                continue
            config = json.loads(str(json.loads(seen.read_text())["tf_config"] or "null"))
            if config and any(exported[role] != addresses for role, addresses in config["cluster"].items()):
                return False
        return True

    def complete(self, tasks: list[Task]) -> None:
        """The commands that still run end well, one after the other, parameter servers and tensorboard last of all."""
        for task in tasks:
            container = self.containers.get(task, [None])[-1]
            if self.ended or container is None or task.role in ("ps", "tensorboard"):
                continue
            if container.has_state("running"):
                finish(container, 0)
                self.settle_done(container)
        if len(self.containers) < len(tasks) and not self.ended:
            until(lambda: self.ended, PATIENCE)

    def settle_done(self, container: Container) -> None:
        """Wait until the command is done, and whoever decides has had the time to notice."""
        until(lambda: self.ended or container.has_state("done"), PATIENCE)
        self.wait_for_the_end()

    # --- what came of it ---

    def observed(self) -> Observation:
        """The end, the restarts, and how the commands ended that nobody stopped."""
        return Observation(self.outcome(), self.restarts(), self.left(), None)

    def outcome(self) -> str:
        """What YARN shows: an application that was stopped by request has succeeded; one that aborts can be resumed."""
        if self.failed or not self.cluster.master.stops:
            return "failed" if self.failed else "running"
        verdicts = [each[-1].note("verdict") for each in self.containers.values()]
        actions = {str(verdict["action"]) for verdict in verdicts if isinstance(verdict, dict)}
        return "aborted" if actions == {"abort job"} else "succeeded"

    def restarts(self) -> dict[str, int]:
        """How often each command started again, in place or in new containers, of which some run nothing."""
        found = {str(task): sum(map(_starts, each)) - 1 for task, each in self.containers.items()}
        return {task: count for task, count in sorted(found.items()) if count > 0}

    def left(self) -> dict[str, str]:
        """How the commands ended that nobody stopped; what runs in an application that has not ended."""
        found: dict[str, str] = {}
        for task, containers in self.containers.items():
            state = containers[-1].note("state")
            if not isinstance(state, dict) or not _starts(containers[-1]):
                continue
            if state["state"] in ("done", "failed") and state["status"] is not None:
                found[str(task)] = "failed" if state["status"] else "succeeded"
            elif state["state"] == "running" and not self.ended:
                found[str(task)] = "running"
        return dict(sorted(found.items()))


def _runs(container: Container) -> bool:
    """Whether the command that the supervisor has started has begun its work."""
    command, pid = container.note("command"), container.task / "pid"
    return isinstance(command, dict) and pid.exists() and pid.read_text() == str(command["pid"])


def _starts(container: Container) -> int:
    path = container.task / "starts"
    return int(path.read_text()) if path.exists() else 0
