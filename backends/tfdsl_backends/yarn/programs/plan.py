"""The job as the compiler describes it: its tasks, what completes it, what follows from a failure."""

from __future__ import print_function

import json
import sys

from tfdsl_backends.hadoop.programs.files import native

PEER_LOST = 75
PEERS_MISSING = 76
REJECTED = 77
COPY_FAILED = 74
TERMINATED = 143


def log(who, text):
    # type: (str, str) -> None
    """Write a line to the container's log."""
    sys.stderr.write("[tfjob %s] %s\n" % (who, text))
    sys.stderr.flush()


class Plan(object):
    """The job as the compiler wrote it beside the program.

    ``slots``: (role, index) of every task, in the order of their numbers. ``complete``: (role, index or -1), each of
    which completes the job when it ends. ``actions``: role or role[index] -> status -> what follows from a failure; the
    status 0 stands for every other one and for a lost task. ``tries``: how often this container has been started,
    including the first time.
    """

    def __init__(self, text):
        # type: (str) -> None
        spec = native(json.loads(text))
        self.job = spec["job"]  # type: str
        self.slots = [(str(role), index) for role, count in spec["roles"] for index in range(count)]
        self.after = spec["after"]  # type: dict[str, list[str]]
        self.optional = spec["optional"]  # type: list[str]
        self.complete = [(str(role), int(index)) for role, index in spec["complete"]]
        self.actions = {
            str(name): {int(status): str(action) for status, action in rules.items()}
            for name, rules in spec["actions"].items()
        }
        self.tf_config = spec["tf_config"]  # type: list[str]
        self.flags = spec["flags"]  # type: list[str]
        self.again = spec["again"]  # type: list[str]
        self.restarts = spec["restarts"]  # type: int
        self.store = spec["store"]  # type: str
        self.webhdfs = spec["webhdfs"]  # type: str
        self.ports = spec["ports"]  # type: list[int]
        self.reuse_port = spec["reuse_port"]  # type: bool
        self.limit = spec["limit"]  # type: float
        self.patience = spec["patience"]  # type: float
        self.grace = spec["grace"]  # type: dict[str, float]
        self.tries = 1

    def name(self, slot):
        # type: (int) -> str
        """``worker[1]``."""
        return "%s[%d]" % self.slots[slot]

    def role(self, slot):
        # type: (int) -> str
        """The role of a task."""
        return self.slots[slot][0]

    def slots_of(self, role):
        # type: (str) -> list[int]
        """The numbers of all tasks of ``role``; of all tasks for the empty text."""
        return [slot for slot, (name, _index) in enumerate(self.slots) if role in ("", name)]

    def action(self, slot, status):
        # type: (int, int) -> str
        """What follows when a task ends with ``status`` (0: it was lost): ``fail``, ``restart`` or ``ignore``.

        After the last restart YARN relaunches nothing: what would restart is a failure, with its own status.
        """
        rules = self.actions.get(self.name(slot)) or self.actions[self.role(slot)]
        action = rules.get(status, rules[0])
        return "fail" if action == "restart" and self.used_up() else action

    def used_up(self):
        # type: () -> bool
        """Whether YARN has relaunched the container as often as it may."""
        return 0 < self.restarts < self.tries

    def action_at_end(self, slot, status, uncopied):
        # type: (int, int, bool) -> str
        """What follows when a command has ended by itself; ``uncopied``: it succeeded, but its outputs were not copied.

        Training that has succeeded is never repeated because of a copy.
        """
        action = self.action(slot, status) if status else "ignore"
        return "fail" if uncopied and action == "restart" else action

    def completed(self, ended):
        # type: (set[int]) -> str
        """Which task or role completes the job when the tasks ``ended`` have ended; empty if none does."""
        for role, index in self.complete:
            slots = [slot for slot in self.slots_of(role) if index in (-1, self.slots[slot][1])]
            if slots and ended.issuperset(slots):
                return role if index < 0 else "%s[%d]" % (role, index)
        return ""

    def status(self, kind, own):
        # type: (str, int) -> int
        """The exit status of a task after the verdict ``kind``; ``own``: that of its command, -1 if it was stopped.

        If the NodeManager relaunches, it does so only on 75.
        """
        if kind == "stop":
            return 0
        if kind == "missing":
            return PEERS_MISSING
        if kind == "restart" or not self.restarts:
            return own if own > 0 and kind != "restart" else PEER_LOST
        if own < 0:
            return TERMINATED
        return 1 if own == PEER_LOST else own


def way_of(place, webhdfs):
    # type: (str, str) -> str
    """Over http, over WebHDFS where its address is known, with the Hadoop client, or as a path of the node."""
    if place.startswith(("http://", "https://")):
        return "http"
    if place.startswith("hdfs:") and webhdfs:
        return "webhdfs"
    return "client" if "://" in place or place.startswith("hdfs:") else "path"
