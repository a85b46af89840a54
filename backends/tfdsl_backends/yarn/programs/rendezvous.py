"""How a container gets its number and finds the coordinator."""

from __future__ import print_function

import os
import re
import socket
import time

from tfdsl_backends.yarn.programs.coordinator import Coordinator
from tfdsl_backends.yarn.programs.plan import PEER_LOST, PEERS_MISSING, REJECTED, Plan, log
from tfdsl_backends.yarn.programs.steps import RUNNING
from tfdsl_backends.yarn.programs.storage import FolderStore, HdfsStore, WebHdfsStore
from tfdsl_backends.yarn.programs.task import Task
from tfdsl_backends.yarn.programs.wire import Line

NO_NUMBER = -1


def container_id(environ):
    # type: (dict[str, str]) -> str
    """CONTAINER_ID, or something as unique."""
    return environ.get("CONTAINER_ID") or "%s-%d" % (socket.gethostname(), os.getpid())


def find_slot(plan, store, environ):
    # type: (Plan, FolderStore | HdfsStore | WebHdfsStore, dict[str, str]) -> int
    """The container's number in the whole job.

    YARN_SHELL_ID counts the containers of an application from 1; an application that runs one role has that role's
    numbers only. A number beyond (YARN asked again for a lost container) and a job that is full give -1: the
    coordinator then knows which one is free. Hadoop before 3.0 sets no YARN_SHELL_ID: a container claims a number
    by a file, which a relaunch finds again.
    """
    slots = plan.slots_of(environ.get("TFJOB_ROLE_ONLY", ""))
    given = environ.get("YARN_SHELL_ID", "")
    if given.isdigit() and int(given) >= 1:
        return slots[int(given) - 1] if int(given) <= len(slots) else NO_NUMBER
    me = container_id(environ)
    attempt, number = _attempt_and_number(me)
    # Containers are numbered from 1, the application master's own; so the first try is mostly free.
    start = max(number - 2, 0) % len(slots)
    for slot in slots[start:] + slots[:start]:
        name = "claim-%s-%d" % (attempt, slot)
        if store.claim(name, me) or store.get(name).strip() == me:
            return slot
    return NO_NUMBER


def _attempt_and_number(container):
    # type: (str) -> tuple[str, int]
    """Application attempt and number in ``container_e17_1410901177871_0001_01_000005``."""
    found = re.match(r"container_(?:e\d+_)?\d+_\d+_(\d+)_(\d+)$", container)
    return (found.group(1), int(found.group(2))) if found else ("0", 2)


def meet(task, plan, store, coordinator, address, environ):
    # type: (Task, Plan, FolderStore | HdfsStore | WebHdfsStore, Coordinator | None, str, dict[str, str]) -> int
    """Connect, register and wait for the start; 0, or the status to exit with."""
    deadline = time.time() + plan.limit + 5  # the coordinator's own limit comes first and knows the missing ones
    begun = time.time()
    lost_at = 0.0
    while not (task.addresses or task.rejected or task.killed or task.verdict != RUNNING):
        if task.line is not None and task.line.open:
            task.listen(0.5)
            if not task.line.open and not task.addresses:
                lost_at = time.time()
                time.sleep(pause(store, begun))
            continue
        now = time.time()
        if now > deadline:
            log(task.name, "%s, which coordinates, did not come within %g s" % (plan.name(0), plan.limit))
            return PEERS_MISSING
        if lost_at and not plan.restarts and now > lost_at + plan.patience:
            task.verdict, task.orphaned = "fail", True
            task.reason = "%s, which coordinates, was lost before the start and not replaced" % plan.name(0)
            log(task.name, task.reason)
            return PEER_LOST
        found = "127.0.0.1 %d %s" % (coordinator.port, coordinator.token) if coordinator else store.get("coordinator")
        if take_verdict(task, found, environ):
            continue
        if not found or not connect(task, found, address, environ):
            time.sleep(pause(store, begun))
    if task.rejected:
        log(task.name, "rejected: " + task.rejected)
        return REJECTED
    if task.killed:
        return 143
    if task.verdict != RUNNING and not task.addresses:
        log(task.name, "%s: %s" % (task.verdict, task.reason))
        return plan.status(task.verdict, -1)
    return 0


def pause(store, begun):
    # type: (FolderStore | HdfsStore | WebHdfsStore, float) -> float
    """Seconds until the next look into the store: a tenth of the time that the task has waited, within bounds.

    Every look through the Hadoop client starts a Java machine, and a cluster may have no room for the coordinator for
    hours. All that follows the first contact comes over the connection, at once.
    """
    return min(max(store.wait, (time.time() - begun) / 10), store.longest_wait)


def verdict_text(kind, reason, environ):
    # type: (str, str, dict[str, str]) -> str
    """What the store tells those who come when the job has ended: a replacement of a lost container comes late."""
    text = "ended %s %s %s\n" % (container_id(environ), kind, reason)
    return text.encode("ascii", "replace").decode("ascii")


def take_verdict(task, found, environ):
    # type: (Task, str, dict[str, str]) -> bool
    """Whether ``found`` is the verdict on the job, which the task then takes.

    An application master that was lost starts all containers anew: for them an earlier attempt's failure is past.
    """
    words = found.split(" ", 3)
    if words[0] != "ended" or len(words) < 4:
        return False
    theirs, own = _application(words[1]), _application(container_id(environ))
    if words[2] != "stop" and theirs[0] == own[0] and theirs[1] != own[1]:
        return False
    task.verdict, task.reason = words[2], words[3].strip()
    return True


def _application(container):
    # type: (str) -> tuple[str, str]
    """Application and attempt in a container's id."""
    found = re.match(r"container_(?:e\d+_)?(\d+_\d+)_(\d+)_\d+$", container)
    return (found.group(1), found.group(2)) if found else (container, "")


def is_late(plan, environ):
    # type: (Plan, dict[str, str]) -> bool
    """Whether the container may have come after the end of the job: one that YARN asked for again."""
    attempt, number = _attempt_and_number(container_id(environ))
    return attempt.lstrip("0") not in ("", "1") or number > 2 * len(plan.slots) + 1


def connect(task, found, address, environ):
    # type: (Task, str, str, dict[str, str]) -> bool
    """Register with the coordinator that ``found`` (host, port, token) names; false when nobody answers there."""
    if found.startswith("ended "):  # of an earlier attempt
        return False
    try:
        host, port, token = found.split()
        connection = socket.create_connection((host, int(port)), timeout=10)
    except (EnvironmentError, ValueError) as error:
        log(task.name, "the coordinator does not answer yet (%s)" % error)
        return False
    task.line = Line(connection)
    task.tell(
        op="hello",
        slot=str(task.slot),
        role=environ.get("TFJOB_ROLE_ONLY", ""),
        token=token,
        address=address,
        container=container_id(environ),
    )
    return True
