"""The coordinator: a thread of the first task, to which all tasks, including that one, stay connected."""

from __future__ import print_function

import binascii
import os
import resource
import socket
import threading
import time

from tfdsl_backends.yarn.programs.plan import REJECTED
from tfdsl_backends.yarn.programs.plan import Plan
from tfdsl_backends.yarn.programs.plan import log
from tfdsl_backends.yarn.programs.wire import Line, listener, readable


class Member(object):
    """A registered task. ``ended``: -1 while it runs, else the status that it reported."""

    def __init__(self, line, address, container):
        # type: (Line, str, str) -> None
        self.line = line
        self.address = address
        self.container = container
        self.has_start = False
        self.running = False
        self.ended = -1


class Coordinator(threading.Thread):
    """Registers the tasks, sends them the addresses, watches them, and decides how the job ends.

    The verdict is one of ``stop`` (the job is complete), ``fail``, ``restart`` and ``missing``.
    """

    def __init__(self, plan):
        # type: (Plan) -> None
        super(Coordinator, self).__init__(name="coordinator")
        self.daemon = True
        self.plan = plan
        self.required = [s for s, (role, _index) in enumerate(plan.slots) if role not in plan.optional]
        self.missing = set(self.required)
        self.token = binascii.hexlify(os.urandom(16)).decode("ascii")
        allow_files(2 * len(plan.slots) + 200)
        self.socket, self.port = listener()
        self.lines = []  # type: list[Line]
        self.members = {}  # type: dict[int, Member]
        self.owner = {}  # type: dict[Line, int]
        self.spares = []  # type: list[tuple[Line, dict[str, str]]]
        self.vacant = {}  # type: dict[int, float]
        self.deadline = time.time() + plan.limit
        self.started = False
        self.verdict = ""
        self.reason = ""
        self.status = 0
        self.leave_at = 0.0

    # --- the loop ----------------------------------------------------------------------------------------------

    def run(self):
        # type: () -> None
        """Serve until there is a verdict. Whatever ends this, the connections close, so that the tasks notice."""
        try:
            self.serve()
        finally:
            for line in self.lines:
                line.close()
            self.socket.close()

    def serve(self):
        # type: () -> None
        """Serve until there is a verdict and all tasks have disconnected, or have had the time to."""
        while not (self.verdict and (not self.members_left() or time.time() > self.leave_at)):
            lines = [line for line in self.lines if line.open]
            ready = readable([self.socket] + [line.connection for line in lines], 0.2)
            if self.socket in ready:
                self.accept()
            for line in lines:
                if line.connection in ready:
                    self.listen(line)
            self.notice_lost()
            self.check_time()

    def listen(self, line):
        # type: (Line) -> None
        """Handle the messages of a connection; one that no task would send closes that connection only."""
        try:
            for message in line.receive():
                self.handle(line, message)
        except Exception as error:
            log("coordinator", "closing a connection that sent no message of a task: %r" % (error,))
            line.open = False

    def accept(self):
        # type: () -> None
        """Accept a connection; its first message says whose it is."""
        try:
            connection, _address = self.socket.accept()
        except (OSError, socket.error) as error:
            log("coordinator", "cannot accept a connection: %s" % error)
            time.sleep(0.2)  # the socket stays ready; a task that disconnects may free a descriptor
            return
        self.lines.append(Line(connection))

    def members_left(self):
        # type: () -> bool
        """Whether a task is still connected."""
        return any(member.line.open for member in self.members.values())

    def notice_lost(self):
        # type: () -> None
        """Handle the connections that broke."""
        for line in [line for line in self.lines if not line.open]:
            self.lines.remove(line)
            self.spares = [spare for spare in self.spares if spare[0] is not line]
            line.close()
            slot = self.owner.pop(line, -1)
            if slot >= 0 and self.members[slot].line is line:
                self.lost(slot)

    def check_time(self):
        # type: () -> None
        """Give up if tasks are missing at the time limit, or a task that was lost before the start is not replaced."""
        if self.verdict or self.started:
            return
        now = time.time()
        if now > self.deadline:
            names = ", ".join(self.plan.name(slot) for slot in sorted(self.missing))
            there, total = len(self.required) - len(self.missing), len(self.required)
            text = "%d of %d tasks registered within %g s; missing: %s" % (there, total, self.plan.limit, names)
            self.finish("missing", text, 0)
        gone = [slot for slot in self.vacant if now > self.vacant[slot] + self.plan.patience]
        if gone and not self.plan.restarts and not self.verdict:
            self.finish("fail", "%s was lost before the start and was not replaced" % self.plan.name(gone[0]), 0)

    # --- messages ----------------------------------------------------------------------------------------------

    def handle(self, line, message):
        # type: (Line, dict[str, str]) -> None
        """Handle a message of a task."""
        slot = self.owner.get(line, -1)
        kind = message.get("op", "")
        if kind == "hello":
            self.hello(line, message)
        elif slot < 0:
            line.open = False
        elif kind == "running":
            self.members[slot].running = True
            if self.plan.after:
                self.send_start()
        elif kind == "exit":
            self.ended(slot, int(message.get("status", "1")), message.get("copied") == "no")

    def hello(self, line, message):
        # type: (Line, dict[str, str]) -> None
        """Register a task, which says which number it has."""
        if message.get("token") != self.token:
            line.send(op="again", why="another job's token")
        elif self.verdict == "restart":
            line.send(op="again", why="the earlier attempt is still ending")
        elif self.verdict:
            line.send(op="end", kind=self.verdict, why=self.reason, status=str(self.status))
        else:
            slot = int(message.get("slot", "-1"))
            if 0 <= slot < len(self.plan.slots):
                self.seat(line, message, slot)
            else:
                self.spares.append((line, message))
                self.place_spares()

    def seat(self, line, message, slot):
        # type: (Line, dict[str, str], int) -> None
        """Give a task its number, unless another container has it."""
        holder = self.members.get(slot)
        container = message.get("container", "")
        if holder is not None and holder.line.open and holder.container != container:
            self.reject(line, "%s is already registered, from container %s" % (self.plan.name(slot), holder.container))
            return
        if self.started and self.plan.role(slot) not in self.plan.optional:
            self.reject(line, "the job has started without this container")
            return
        if holder is not None:  # relaunched before its old connection broke
            self.owner.pop(holder.line, None)
            holder.line.close()
        self.vacant.pop(slot, None)
        self.missing.discard(slot)
        self.members[slot] = Member(line, message.get("address", ""), container)
        self.owner[line] = slot
        line.send(op="welcome", slot=str(slot))
        there, total = len(self.required) - len(self.missing), len(self.required)
        text = "%s is at %s (%d of %d)" % (self.plan.name(slot), message.get("address"), there, total)
        log("coordinator", text)
        self.check_start()

    def place_spares(self):
        # type: () -> None
        """Let a container beyond the number of tasks replace one that was lost, else reject it."""
        for line, message in list(self.spares):
            free = [slot for slot in self.plan.slots_of(message.get("role", "")) if slot in self.vacant]
            if free and not self.started:
                self.spares.remove((line, message))
                self.seat(line, message, free[0])
            elif self.started:
                self.spares.remove((line, message))
                self.reject(
                    line, "all %d tasks are registered; the job does not need this container" % len(self.plan.slots)
                )

    def reject(self, line, why):
        # type: (Line, str) -> None
        """Reject a container."""
        log("coordinator", "rejected (%d): %s" % (REJECTED, why))
        line.send(op="reject", why=why)

    # --- what happens to the job -------------------------------------------------------------------------------

    def check_start(self):
        # type: () -> None
        """Start once the last task is registered; an optional task starts at once."""
        if not self.started and not self.missing:
            self.started = True
            log("coordinator", "all %d tasks are registered" % len(self.required))
            self.place_spares()
        if self.started or self.plan.optional:
            self.send_start()

    def send_start(self):
        # type: () -> None
        """Send the start to those that may; a role with ``after`` waits until the roles before it run."""
        addresses = " ".join(
            self.members[slot].address if slot in self.members else "-" for slot in range(len(self.plan.slots))
        )
        may = {}  # type: dict[str, bool]
        for slot, member in self.members.items():
            role = self.plan.role(slot)
            if member.has_start or not (self.started or role in self.plan.optional):
                continue
            if role not in may:
                may[role] = all(self.runs(before) for before in self.plan.after.get(role, []))
            if may[role]:
                member.has_start = True
                member.line.send(op="start", addresses=addresses)

    def runs(self, role):
        # type: (str) -> bool
        """Whether the commands of all tasks of ``role`` run, or have run."""
        found = [self.members.get(slot) for slot in self.plan.slots_of(role)]
        return all(member is not None and (member.running or member.ended >= 0) for member in found)

    def ended(self, slot, status, uncopied=False):
        # type: (int, int, bool) -> None
        """Handle the status of a task's command, or of the copies after one that succeeded."""
        member = self.members[slot]
        member.ended = status
        text = "%s exited with %d" % (self.plan.name(slot), status)
        text += ": its outputs could not be copied" if uncopied else ""
        log("coordinator", text)
        if self.verdict:
            return
        action = self.plan.action_at_end(slot, status, uncopied)
        if action != "ignore":
            used_up = "; all %d restarts are used up" % self.plan.restarts if self.plan.used_up() else ""
            self.finish(action, text if uncopied else text + used_up, status)
            return
        # If a restart may need the container, it stays, also that of a failure that a policy ignores.
        member.line.send(op="stay" if self.plan.restarts else "leave")
        self.send_start()
        self.check_complete()

    def lost(self, slot):
        # type: (int) -> None
        """Handle the loss of a task's connection."""
        if self.verdict or self.members[slot].ended >= 0:
            return
        name = self.plan.name(slot)
        optional = self.plan.role(slot) in self.plan.optional
        if not self.started or optional:
            del self.members[slot]
            log("coordinator", "%s was lost before the start" % name if not self.started else "%s was lost" % name)
            if not optional:
                self.missing.add(slot)
                self.vacant[slot] = time.time()
                self.place_spares()
            return
        if self.plan.action(slot, 0) != "ignore":
            # YARN does not relaunch a container that is killed as a whole, so the gang cannot restart.
            self.finish("fail", "%s was lost" % name, 0)
            return
        self.members[slot].ended = 0
        self.send_start()
        self.check_complete()

    def check_complete(self):
        # type: () -> None
        """Complete the job once the tasks that decide have ended; fail it if all have ended without that."""
        done = {slot for slot, member in self.members.items() if member.ended >= 0}
        who = self.plan.completed(done)
        if who:
            self.finish("stop", "%s has completed the job" % who, 0)
        elif self.started and done.issuperset(self.required):
            self.finish("fail", "all tasks have ended and none of them completed the job", 0)

    def finish(self, verdict, reason, status):
        # type: (str, str, int) -> None
        """Announce the verdict, once."""
        self.verdict, self.reason, self.status = verdict, reason, status
        self.leave_at = time.time() + max(self.plan.grace.values()) + 20
        log("coordinator", "%s: %s" % (verdict, reason))
        for line in self.lines:
            line.send(op="end", kind=verdict, why=reason, status=str(status))


def allow_files(count):
    # type: (int) -> None
    """Raise this process's limit of open files and connections to ``count``, as far as the node allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
