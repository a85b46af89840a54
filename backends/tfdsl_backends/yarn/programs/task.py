"""The steps of one task (prepare, command, outputs: each a call of the job script), and how its end is decided.

With peers the coordinator decides; the end of the only task of a job is that of the job.
"""

from __future__ import print_function

import os
import signal
import socket
import subprocess
import time

from tfdsl_backends.yarn.programs.plan import COPY_FAILED, REJECTED, Plan, log
from tfdsl_backends.yarn.programs.wire import Line, readable

RUNNING = "running"


class Steps(object):
    """A task that has its number; ``slot`` is -1 until it has one.

    ``verdict`` is ``running`` until it is decided how the task ends.
    """

    def __init__(self, plan, script, slot):
        # type: (Plan, str, int) -> None
        self.plan = plan
        self.script = script
        self.slot = slot
        self.addresses = []  # type: list[str]
        self.verdict = RUNNING
        self.reason = ""
        self.rejected = ""
        self.killed = False
        self.interrupted = False
        self.uncopied = False

    @property
    def name(self):
        # type: () -> str
        """``worker[1]``, for messages."""
        return self.plan.name(self.slot) if self.slot >= 0 else "spare"

    # --- what a task with peers overrides ----------------------------------------------------------------------

    def listen(self, seconds):
        # type: (float) -> None
        """Handle messages for ``seconds``, or less."""
        time.sleep(seconds)

    def watch_line(self):
        # type: () -> None
        """Notice that the peers are gone."""

    def report(self, **message):
        # type: (**str) -> None
        """Send a message to the peers."""

    def settle(self, status):
        # type: (int) -> int
        """Decide what follows from the end of the command; returns the exit status."""
        return status

    # --- the steps ---------------------------------------------------------------------------------------------

    def work(self, steps_env, flags, release):
        # type: (dict[str, str], list[str], socket.socket | None) -> int
        """Prepare, run the command and copy the outputs; returns the exit status.

        ``release``: the socket that holds the port, closed just before the command starts.
        """
        ended = False  # whether the command did so by itself
        own = self.step("prepare", [], steps_env)
        if own == 0 and self.verdict == RUNNING:
            if release is not None:
                release.close()
            own = self.step("command", flags, steps_env)
            while self.verdict == RUNNING and not self.killed and self.plan.role(self.slot) in self.plan.again:
                log(self.name, "the command exited with %d and is restarted" % own)
                self.pause(5.0)
                if self.verdict == RUNNING:
                    own = self.step("command", flags, steps_env)
            ended = not self.interrupted
        if self.killed:
            return 128 + signal.SIGTERM
        if self.verdict == RUNNING:
            return self.settle(self.copy(steps_env, own))
        log(self.name, "stopped (%s): %s" % (self.verdict, self.reason))
        outcome = ""
        if self.verdict == "stop":  # a stopped command has neither succeeded nor failed
            outcome = str(own) if ended else "stopped"
        status = self.copy(steps_env, self.plan.status(self.verdict, -1), outcome)
        self.report(op="exit", status=str(status))
        return status

    def copy(self, env, status, outcome=""):
        # type: (dict[str, str], int, str) -> int
        """Copy the outputs that are due after ``outcome`` (else ``status``); returns the exit status.

        After a success that is 74 if a copy fails.
        """
        env = dict(env, TFJOB_STATUS=outcome or str(status))
        copied = self.run_step("outputs", [], env)
        self.uncopied = status == 0 and copied != 0
        return copied if status == 0 else status

    def pause(self, seconds):
        # type: (float) -> None
        """Wait for ``seconds``, or until the job ends."""
        until = time.time() + seconds
        while time.time() < until and self.verdict == RUNNING and not self.killed:
            self.listen(0.2)
            self.watch_line()

    def step(self, name, arguments, env):
        # type: (str, list[str], dict[str, str]) -> int
        """Run a step until it ends or the verdict stops it."""
        return self.run_step(name, arguments, env, True)

    def run_step(self, name, arguments, env, under_verdict=False):
        # type: (str, list[str], dict[str, str], bool) -> int
        """Run ``bash SCRIPT NAME ARGUMENTS`` in this process group, so that YARN's kill reaches it too.

        If it is stopped, this waits for everything that it started too: a relaunch must not run beside it.
        """
        try:
            child = subprocess.Popen(["bash", self.script, name] + arguments, env=env, close_fds=True)
        except OSError as error:  # usually TF_CONFIG is too long, because of the names of these nodes
            log(self.name, "cannot start the step %s: %s" % (name, error))
            return 126
        if name == "command":
            self.report(op="running")  # roles that start after this one may start now
        kill_at = 0.0
        stopped = {}  # type: dict[int, str]
        while child.poll() is None or some_live(stopped):
            self.listen(0.2)
            if under_verdict:
                self.watch_line()
            if not (self.killed or (under_verdict and self.verdict != RUNNING)):
                continue
            if not kill_at:
                kill_at = time.time() + self.plan.grace[self.plan.role(self.slot)]
                stopped = descendants()
                self.interrupted = self.interrupted or child.poll() is None
                send(stopped, signal.SIGTERM)
            elif time.time() > kill_at:
                stopped.update(descendants())
                send(stopped, signal.SIGKILL)
        status = int(child.returncode)
        return 128 - status if status < 0 else status


def descendants():
    # type: () -> dict[int, str]
    """All processes below this one: process id -> when it started, which tells it from a later one with that id."""
    children = {}  # type: dict[int, list[int]]
    begun = {}  # type: dict[int, str]
    for entry in os.listdir("/proc"):
        fields = stat(int(entry)) if entry.isdigit() else []
        if fields:
            children.setdefault(int(fields[1]), []).append(int(entry))
            begun[int(entry)] = fields[19]
    found = []  # type: list[int]
    todo = [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return {process: begun[process] for process in found}


def stat(process):
    # type: (int) -> list[str]
    """The fields of ``/proc/PID/stat`` after the name (state, parent, ...); empty if there is no such process."""
    try:
        with open("/proc/%d/stat" % process, "rb") as file:
            return file.read().rpartition(b")")[2].decode("ascii").split()
    except EnvironmentError:
        return []


def some_live(processes):
    # type: (dict[int, str]) -> bool
    """Whether one of them is still running; zombies do not count."""
    for process, begun in processes.items():
        fields = stat(process)
        if fields and fields[19] == begun and fields[0] not in "ZX":
            return True
    return False


def send(processes, number):
    # type: (dict[int, str], int) -> None
    """Send a signal to those of the processes that are still running."""
    for process in processes:
        if some_live({process: processes[process]}):
            try:
                os.kill(process, number)
            except OSError:
                pass


class Task(Steps):
    """A task with a connection to the coordinator, which gives it its number and its verdict.

    ``orphaned``: the verdict is the loss of the coordinator. ``stays``: its end is settled, and it waits for that of
    the job.
    """

    def __init__(self, plan, script, slot):
        # type: (Plan, str, int) -> None
        super(Task, self).__init__(plan, script, slot)
        self.line = None  # type: Line | None
        self.status = 0
        self.may_leave = False
        self.stays = False
        self.orphaned = False

    def listen(self, seconds):
        # type: (float) -> None
        """Handle messages of the coordinator for at most ``seconds``."""
        line = self.line
        if line is None:
            time.sleep(seconds)
            return
        if line.open and readable([line.connection], seconds):
            for message in line.receive():
                self.take(message)
        elif not line.open:
            time.sleep(min(seconds, 0.2))

    def take(self, message):
        # type: (dict[str, str]) -> None
        """Handle a message of the coordinator."""
        kind = message.get("op")
        if kind == "welcome":
            self.slot = int(message["slot"])
        elif kind == "start":
            self.addresses = message["addresses"].split(" ")
        elif kind == "leave":
            self.may_leave = True
        elif kind == "stay":
            self.stays = True
        elif kind == "reject":
            self.rejected = message["why"]
        elif kind == "end" and self.verdict == RUNNING:
            self.verdict, self.reason, self.status = message["kind"], message["why"], int(message["status"])
        elif kind == "again" and self.line is not None:
            self.line.open = False

    def report(self, **message):
        # type: (**str) -> None
        """Send a message to the coordinator, if there is one."""
        if self.line is not None:
            self.line.send(**message)

    def settle(self, status):
        # type: (int) -> int
        """Report the end of the command and wait for the verdict; returns the exit status."""
        self.report(op="exit", status=str(status), copied="no" if self.uncopied else "yes")
        until = time.time() + 30
        while self.verdict == RUNNING and not self.may_leave and not self.killed:
            self.listen(0.2)
            self.watch_line()
            if status and not self.stays and time.time() > until:
                break
        if self.may_leave:
            return 0  # it succeeded, or a policy ignores its failure
        if self.verdict == RUNNING:
            return status
        log(self.name, "%s: %s" % (self.verdict, self.reason))
        if (status == 0 and self.verdict == "fail") or (status == COPY_FAILED and self.verdict == "stop"):
            return status
        return self.plan.status(self.verdict, status or -1)

    def watch_line(self):
        # type: () -> None
        """Treat the loss of the coordinator as a verdict."""
        if self.line is not None and not self.line.open and self.verdict == RUNNING and not self.may_leave:
            self.verdict = "fail"
            self.orphaned = True
            self.reason = "lost the connection to the coordinator, %s" % self.plan.name(0)


class Alone(Steps):
    """A task without peers."""

    def settle(self, status):
        # type: (int) -> int
        """Apply the policies to the end of the command; returns the exit status."""
        action = self.plan.action_at_end(self.slot, status, self.uncopied)
        if action == "ignore":
            return 0
        used_up = "; all %d restarts are used up" % self.plan.restarts if self.plan.used_up() else ""
        log(self.name, "%s: %s exited with %d%s" % (action, self.name, status, used_up))
        return self.plan.status(action, status)


def alone(plan, script, environ):
    # type: (Plan, str, dict[str, str]) -> Steps
    """The task; rejected in a container that YARN started without a request, so that the work is never done twice."""
    number = environ.get("YARN_SHELL_ID", "1")
    task = Alone(plan, script, 0)
    if number != "1":
        task.rejected = "the job has one task, and this is container %s" % number
        log(task.name, "rejected (%d): %s" % (REJECTED, task.rejected))
    return task
