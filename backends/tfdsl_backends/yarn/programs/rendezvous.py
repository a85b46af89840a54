"""How a container gets its number and finds the coordinator."""

from __future__ import print_function

import os
import re
import socket
import time

from tfdsl_backends.yarn.programs.coordinator import Coordinator
from tfdsl_backends.yarn.programs.plan import PEER_LOST
from tfdsl_backends.yarn.programs.plan import PEERS_MISSING
from tfdsl_backends.yarn.programs.plan import REJECTED
from tfdsl_backends.yarn.programs.plan import Plan
from tfdsl_backends.yarn.programs.plan import log
from tfdsl_backends.yarn.programs.task import RUNNING
from tfdsl_backends.yarn.programs.storage import FolderStore, HdfsStore, WebHdfsStore
from tfdsl_backends.yarn.programs.task import Task
from tfdsl_backends.yarn.programs.wire import Line

NO_NUMBER = -1


def container_id(environ):
    # type: (dict[str, str]) -> str
    """CONTAINER_ID, or another unique name."""
    return environ.get("CONTAINER_ID") or "%s-%d" % (socket.gethostname(), os.getpid())


def find_slot(plan, store, environ):
    # type: (Plan, FolderStore | HdfsStore | WebHdfsStore, dict[str, str]) -> int
    """The container's number in the whole job.

    YARN_SHELL_ID counts the containers of an application from 1; an application that runs one role has only that
    role's numbers. The result is -1 for a number beyond the last (YARN has replaced a lost container) and if all
    numbers are claimed: the coordinator then knows which one is free. Before Hadoop 3.0 there is no YARN_SHELL_ID: a
    container claims a number with a file, which it finds again after a relaunch.
    """
    slots = plan.slots_of(environ.get("TFJOB_ROLE_ONLY", ""))
    number = environ.get("YARN_SHELL_ID", "")
    if number.isdigit() and int(number) >= 1:
        return slots[int(number) - 1] if int(number) <= len(slots) else NO_NUMBER
    me = container_id(environ)
    attempt, count = _attempt_and_number(me)
    # Container 1 is the application master's own, so the number at which this starts is usually free.
    start = max(count - 2, 0) % len(slots)
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


def join(task, plan, store, coordinator, address, environ):
    # type: (Task, Plan, FolderStore | HdfsStore | WebHdfsStore, Coordinator | None, str, dict[str, str]) -> int
    """Connect, register and wait for the start; returns 0, or the status to exit with."""
    deadline = time.time() + plan.limit + 5  # the coordinator's own limit comes first, and it knows who is missing
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
            log(task.name, "the coordinator, %s, did not start within %g s" % (plan.name(0), plan.limit))
            return PEERS_MISSING
        if lost_at and not plan.restarts and now > lost_at + plan.patience:
            task.verdict, task.orphaned = "fail", True
            task.reason = "the coordinator, %s, was lost before the start and was not replaced" % plan.name(0)
            log(task.name, task.reason)
            return PEER_LOST
        entry = "127.0.0.1 %d %s" % (coordinator.port, coordinator.token) if coordinator else store.get("coordinator")
        if take_verdict(task, entry, environ):
            continue
        if not entry or not connect(task, entry, address, environ):
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
    """Seconds until the next check of the store: a tenth of the time that the task has waited, within bounds.

    Every check with the Hadoop client starts a Java process, and in a full cluster the coordinator may start hours
    later. After the first contact everything comes over the connection, at once.
    """
    return min(max(store.wait, (time.time() - begun) / 10), store.longest_wait)


def verdict_text(kind, reason, environ):
    # type: (str, str, dict[str, str]) -> str
    """The verdict in the store, for replacements of lost containers that start after the end of the job."""
    text = "ended %s %s %s\n" % (container_id(environ), kind, reason)
    return text.encode("ascii", "replace").decode("ascii")


def take_verdict(task, entry, environ):
    # type: (Task, str, dict[str, str]) -> bool
    """Take the verdict on the job, if ``entry`` of the store is one; true if it is.

    A new application master starts all containers anew; for them the failure of an earlier attempt does not count.
    """
    words = entry.split(" ", 3)
    if words[0] != "ended" or len(words) < 4:
        return False
    theirs, own = _application(words[1]), _application(container_id(environ))
    if words[2] != "stop" and theirs[0] == own[0] and theirs[1] != own[1]:
        return False
    task.verdict, task.reason = words[2], words[3].strip()
    return True


def _application(container):
    # type: (str) -> tuple[str, str]
    """The application and attempt in a container's id."""
    found = re.match(r"container_(?:e\d+_)?(\d+_\d+)_(\d+)_\d+$", container)
    return (found.group(1), found.group(2)) if found else (container, "")


def is_late(plan, environ):
    # type: (Plan, dict[str, str]) -> bool
    """Whether the container may be a replacement, which YARN may start after the end of the job."""
    attempt, number = _attempt_and_number(container_id(environ))
    return attempt.lstrip("0") not in ("", "1") or number > 2 * len(plan.slots) + 1


def connect(task, entry, address, environ):
    # type: (Task, str, str, dict[str, str]) -> bool
    """Register with the coordinator that ``entry`` (host, port, token) names; false if it does not answer."""
    if entry.startswith("ended "):  # of an earlier attempt
        return False
    try:
        host, port, token = entry.split()
        connection = socket.create_connection((host, int(port)), timeout=10)
    except (EnvironmentError, ValueError) as error:
        log(task.name, "the coordinator does not answer yet (%s)" % error)
        return False
    task.line = Line(connection)
    task.report(
        op="hello",
        slot=str(task.slot),
        role=environ.get("TFJOB_ROLE_ONLY", ""),
        token=token,
        address=address,
        container=container_id(environ),
    )
    return True
