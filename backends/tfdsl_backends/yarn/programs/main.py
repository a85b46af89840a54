"""The program's commands: ``run PLAN SCRIPT``, ``given PLAN SCRIPT FLAGS...``, and those that the steps call."""

from __future__ import print_function

import os
import signal
import socket
import sys

from tfdsl_backends.hadoop.programs.addresses import tensorflow_flags, tf_config
from tfdsl_backends.yarn.programs.coordinator import Coordinator
from tfdsl_backends.yarn.programs.plan import REJECTED, Plan, log
from tfdsl_backends.yarn.programs.rendezvous import find_slot, is_late, join, take_verdict, verdict_text
from tfdsl_backends.yarn.programs.storage import FolderStore, HdfsStore, WebHdfsStore, open_store
from tfdsl_backends.yarn.programs.task import Steps, Task, alone
from tfdsl_backends.yarn.programs.transfer import (
    copied_command,
    fetch_command,
    mark_command,
    put_command,
    unzip_command,
)
from tfdsl_backends.yarn.programs.wire import reserve_port

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = {}  # type: dict[str, Callable[[list[str], dict[str, str]], int]]
"""The commands by first argument; each takes the other arguments and the environment, and returns the exit status."""


def run(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """Run a task that finds its peers through the store."""
    plan, script = read_plan(arguments[0], environ), arguments[1]
    store = open_store(plan.store + "/" + environ["TFJOB_RUN"], plan.webhdfs)
    host = environ.get("NM_HOST") or socket.getfqdn()
    task = Task(plan, script, find_slot(plan, store, environ))
    watch_signals(task)
    holder, port = reserve_port(plan.ports[0], plan.ports[1], plan.reuse_port)
    coordinator = None
    if task.slot == 0 and not (is_late(plan, environ) and take_verdict(task, store.get("coordinator"), environ)):
        coordinator = Coordinator(plan)
        coordinator.start()
        store.put("coordinator", "%s %d %s\n" % (host, coordinator.port, coordinator.token))
    status = join(task, plan, store, coordinator, "%s:%d" % (host, port), environ)
    if status == 0 and task.addresses:  # else the job is complete without it
        env, flags = environment(plan, task, port, environ)
        status = task.work(env, flags, None if plan.reuse_port else holder)
    if task.line is not None:
        task.line.close()
    log(task.name, "exits with %d" % status)
    if coordinator is not None:
        coordinator.join()
        close_store(store, coordinator.verdict, coordinator.reason, environ)
    elif task.orphaned and task.slot <= SPEAKERS:
        close_store(store, task.verdict, task.reason, environ)
    return status


SPEAKERS = 3
"""So many tasks write the loss of the coordinator to the store; a single one may be on the same node."""


def close_store(store, verdict, reason, environ):
    # type: (FolderStore | HdfsStore | WebHdfsStore, str, str, dict[str, str]) -> None
    """Write for late tasks how the job has ended, unless the next attempt will use the file."""
    if verdict in ("", "restart"):
        return
    try:
        store.put("coordinator", verdict_text(verdict, reason, environ))
    except (SystemExit, Exception) as error:  # only late tasks depend on it
        log("coordinator", "cannot write the verdict: %s" % error)


def run_alone(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """Run the only task of a job."""
    plan, script = read_plan(arguments[0], environ), arguments[1]
    task = alone(plan, script, environ)
    if task.rejected:
        return REJECTED
    watch_signals(task)
    holder, port = reserve_port(plan.ports[0], plan.ports[1], plan.reuse_port)
    task.addresses = ["%s:%d" % (environ.get("NM_HOST") or socket.getfqdn(), port)]
    env, flags = environment(plan, task, port, environ)
    status = task.work(env, flags, None if plan.reuse_port else holder)
    log(task.name, "exits with %d" % status)
    return status


def environment(plan, task, port, environ):
    # type: (Plan, Steps, int, dict[str, str]) -> tuple[dict[str, str], list[str]]
    """The environment of the steps and the flags of the command."""
    role, index = plan.slots[task.slot]
    cluster = cluster_of(plan.slots, task.addresses)
    env = dict(environ, TFJOB_ROLE=role, TFJOB_INDEX=str(index), TFJOB_PORT=str(port))
    if role in plan.tf_config:
        env["TF_CONFIG"] = tf_config(cluster, role, index)
    if plan.reuse_port:
        env["TF_GRPC_REUSE_PORT"] = "true"
    log(task.name, "starts; port %d of %s" % (port, environ.get("NM_HOST") or socket.getfqdn()))
    return env, flags_of(cluster, role, index) if role in plan.flags else []


IN_CLUSTER = ("chief", "master", "ps", "worker")


def cluster_of(slots, addresses):
    # type: (list[tuple[str, int]], list[str]) -> dict[str, list[str]]
    """Role -> ``host:port`` of each replica; chief or master, ps and worker only."""
    cluster = {}  # type: dict[str, list[str]]
    for (role, _index), address in zip(slots, addresses):
        if role in IN_CLUSTER:
            cluster.setdefault(role, []).append(address)
    return cluster


def flags_of(cluster, role, index):
    # type: (dict[str, list[str]], str, int) -> list[str]
    """The four flags of a task: the chief (master) is worker 0, and the workers follow it."""
    if role == "worker":
        index += len(cluster.get("chief", []) + cluster.get("master", []))
    return tensorflow_flags(cluster, "worker" if role in ("chief", "master") else role, index)


def cluster_of_flags(flags):
    # type: (list[str]) -> tuple[dict[str, list[str]], str, int]
    """Cluster, role and index from the flags of the modified client."""
    values = dict(flag.split("=", 1) for flag in flags if flag.startswith("--") and "=" in flag)
    cluster = {}  # type: dict[str, list[str]]
    for role, name in (("ps", "--ps_hosts"), ("worker", "--worker_hosts")):
        hosts = [host for host in values.get(name, "").split(",") if host]
        if hosts:
            cluster[role] = hosts
    return cluster, values.get("--job_name", "worker"), int(values.get("--task_index", "0"))


def run_with_flags(arguments, environ):
    # type: (list[str], dict[str, str]) -> int
    """Run a task whose addresses come from the modified client, as flags; it has no rendezvous."""
    plan, script, flags = read_plan(arguments[0], environ), arguments[1], arguments[2:]
    cluster, role, index = cluster_of_flags(flags)
    task = Steps(plan, script, plan.slots.index((role, index)))
    watch_signals(task)
    env = dict(environ, TFJOB_ROLE=role, TFJOB_INDEX=str(index), TFJOB_PORT=own_port(cluster.get(role, []), index))
    if role in plan.tf_config:
        env["TF_CONFIG"] = tf_config(cluster, role, index)
    status = task.step("prepare", [], env)
    if status == 0:
        status = task.step("command", flags if role in plan.flags else [], env)
    return task.copy(env, status)


def own_port(hosts, index):
    # type: (list[str], int) -> str
    """The port in the task's own ``host:port``."""
    return hosts[index].rpartition(":")[2] if index < len(hosts) else ""


def watch_signals(task):
    # type: (Steps) -> None
    """Let SIGTERM, with which YARN ends the container, end the command first."""

    def on_term(_number, _frame):
        # type: (int, object) -> None
        task.killed = True

    signal.signal(signal.SIGTERM, on_term)


def read_plan(path, environ):
    # type: (str, dict[str, str]) -> Plan
    """The plan that job.sh has written to ``path``."""
    with open(path) as file:
        plan = Plan(file.read())
    plan.tries = int(environ.get("TFJOB_TRY", "1"))
    return plan


COMMANDS["run"] = run
COMMANDS["alone"] = run_alone
COMMANDS["given"] = run_with_flags
COMMANDS["fetch"] = fetch_command
COMMANDS["put"] = put_command
COMMANDS["copied"] = copied_command
COMMANDS["mark"] = mark_command
COMMANDS["unzip"] = unzip_command


def main(arguments):
    # type: (list[str]) -> int
    """Run the command that the first argument names."""
    return COMMANDS[arguments[0]](arguments[1:], dict(os.environ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
