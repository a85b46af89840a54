"""A task with peers: the coordinator decides how it ends."""

from __future__ import print_function

import time

from tfdsl_backends.yarn.programs.plan import COPY_FAILED, Plan, log
from tfdsl_backends.yarn.programs.steps import RUNNING, Steps
from tfdsl_backends.yarn.programs.wire import Line, readable


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
