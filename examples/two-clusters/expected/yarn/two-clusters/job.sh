#!/usr/bin/env bash
# What each YARN container of the job two-clusters runs. Written by tfdsl; submit.sh sends it.
#
# Without an argument it starts the task program at its end, which finds the container's place in the job, waits for
# the other tasks, and then calls this script once for each step: prepare, command, outputs.
#
# shellcheck disable=SC2016  # the single quotes are intended
set -u

# The environment may have any name, so the script's own names start with tfjob_.
tfjob_work=$PWD
tfjob_state=$tfjob_work/.tfjob
case $0 in
/*) tfjob_script=$0 ;;
*) tfjob_script=$tfjob_work/$0 ;;
esac

say() { printf '[tfjob] %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

# Correct what YARN sets: bash's default PATH ends in ".", HOME may not exist, and without security the process runs as
# the NodeManager's user.
correct_environment() {
  PATH=${PATH%:.}
  [ -z "${HADOOP_HOME-}" ] || PATH=$PATH:$HADOOP_HOME/bin
  [ -z "${JAVA_HOME-}" ] || PATH=$PATH:$JAVA_HOME/bin
  if [ ! -d "${HOME-}" ] || [ ! -w "$HOME" ]; then HOME=$tfjob_work; fi
  HADOOP_USER_NAME=${HADOOP_USER_NAME:-${USER-}}
  export PATH HOME HADOOP_USER_NAME
}

# --- the job -----------------------------------------------------------------------------------------------------

# The variables of the job are only for the command: as arguments of env they may have any name, and neither bash nor
# this script reads them.
environment() {
  tfjob_variables=(env)
  case $TFJOB_ROLE in
  chief)
    tfjob_variables+=(
      CUDA_VISIBLE_DEVICES=''
      CHECKPOINT_DIR=/data/runs/two-clusters
    )
    ;;
  ps)
    tfjob_variables+=(
      CUDA_VISIBLE_DEVICES=''
      CHECKPOINT_DIR=/data/runs/two-clusters
    )
    ;;
  worker)
    tfjob_variables+=(
      CHECKPOINT_DIR=/data/runs/two-clusters
    )
    ;;
  esac
}

prepare() {
  case $TFJOB_ROLE in
  chief | ps | worker)
    there /data
    ;;
  esac
}

command_of_task() {
  case $TFJOB_ROLE in
  chief | ps | worker)
    exec "${tfjob_variables[@]}" python3 train.py --data=/data/digits "$@"
    ;;
  esac
}

outputs() {
  :
}

# --- functions ---------------------------------------------------------------------------------------------------

there() { # SOURCE [TYPE]
  [ -e "$1" ] || die "$1 is not on this node ($(uname -n)); in docker, an image from an untrusted registry" \
    "silently loses all mounts"
  case ${2-} in
  Directory) [ -d "$1" ] || die "$1 is not a folder" ;;
  File) [ -f "$1" ] || die "$1 is not a file" ;;
  esac
}

first_program() { # NAMES: prints the path of the first one that exists
  local name
  for name; do
    if command -v "$name"; then return; fi # a path, because the command may have another PATH
  done
  die "the container has none of these: $*"
}

start() {
  mkdir -p -- "$tfjob_state" || exit 1
  chmod 700 -- "$tfjob_state" || exit 1
  # On a full disk half a program must not run: an empty one would succeed.
  write_program >"$tfjob_state/task.py" || die "cannot write $tfjob_state/task.py"
  write_plan >"$tfjob_state/plan.json" || die "cannot write $tfjob_state/plan.json"
  TFJOB_PROGRAM=$tfjob_state/task.py
  TFJOB_PYTHON=$(first_program python3 python python2) || exit 1
  export TFJOB_PROGRAM TFJOB_PYTHON
  # After a relaunch by YARN the work folder is as the earlier attempt left it.
  TFJOB_TRY=$(($(cat "$tfjob_state/try" 2>/dev/null || echo 0) + 1))
  printf '%s\n' "$TFJOB_TRY" >"$tfjob_state/try" || die "cannot write $tfjob_state/try"
  export TFJOB_TRY
  export TFJOB_WEBHDFS=http://namenode.example.com:9870
  correct_environment
  exec "$TFJOB_PYTHON" "$TFJOB_PROGRAM" run "$tfjob_state/plan.json" "$tfjob_script"
}

main() {
  case ${1-} in
  prepare) prepare ;;
  command)
    shift
    environment
    command_of_task "$@"
    ;;
  outputs) outputs ;;
  *) start ;;
  esac
}

write_plan() {
  cat <<'TFJOB_PLAN'
{
  "job": "two-clusters",
  "roles": [["chief", 1], ["ps", 2], ["worker", 4]],
  "after": {},
  "optional": [],
  "complete": [["chief", -1]],
  "actions": {"chief": {"0": "restart"}, "ps": {"0": "restart"}, "worker": {"0": "restart"}},
  "tf_config": ["chief", "ps", "worker"],
  "flags": [],
  "again": [],
  "restarts": 3,
  "store": "hdfs:.tfjobs",
  "webhdfs": "http://namenode.example.com:9870",
  "ports": [20000, 30000],
  "reuse_port": false,
  "limit": 900,
  "patience": 60,
  "grace": {"chief": 10, "ps": 10, "worker": 10}
}
TFJOB_PLAN
}

write_program() {
  cat <<'TFJOB_PROGRAM'
"""What each container of the job runs: it gives TensorFlow the addresses of all tasks and runs the command.

Runs under Python 2.7 and 3, with only the standard library.
"""

from __future__ import print_function

import binascii
import errno
import json
import os
import random
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time


# ---- The way to a file or folder. The compiler uses it too, to leave out what a job does not need ----

def way_of(place, webhdfs):
    """Over http, over WebHDFS where its address is known, with the Hadoop client, or as a path of the node."""
    if place.startswith(("http://", "https://")):
        return "http"
    if place.startswith("hdfs:") and webhdfs:
        return "webhdfs"
    return "client" if "://" in place or place.startswith("hdfs:") else "path"


# ---- The job as the compiler describes it: its tasks, what completes it, what follows from a failure ----

PEER_LOST = 75
PEERS_MISSING = 76
REJECTED = 77
COPY_FAILED = 74
TERMINATED = 143


def native(text):
    """``text`` as ``str`` of the running Python (UTF-8 bytes under Python 2)."""
    if sys.version_info >= (3,):
        return text
    else:
        return text.encode("utf-8")


def log(who, text):
    """Write a line to the container's log."""
    sys.stderr.write("[tfjob %s] %s\n" % (who, text))
    sys.stderr.flush()


class Plan(object):
    """The job as the compiler wrote it beside the program.

    ``slots``: (role, index) of every task, in the order of their numbers. ``complete``: (role, index or -1), each of
    which completes the job when it ends. ``actions``: role or role[index] -> what follows from a failure. ``tries``:
    how often this container has been started, including the first time.
    """

    def __init__(self, text):
        spec = json.loads(text)
        self.job = native(spec["job"])
        self.slots = [(str(role), index) for role, count in spec["roles"] for index in range(int(count))]
        self.after = {str(role): [str(r) for r in roles] for role, roles in spec["after"].items()}
        self.optional = [str(role) for role in spec["optional"]]
        self.complete = [(str(role), int(index)) for role, index in spec["complete"]]
        self.actions = {str(name): self._actions(rules) for name, rules in spec["actions"].items()}
        self.tf_config = [str(role) for role in spec["tf_config"]]
        self.flags = [str(role) for role in spec["flags"]]
        self.again = [str(role) for role in spec["again"]]
        self.restarts = int(spec["restarts"])
        self.store = native(spec["store"])
        self.webhdfs = native(spec["webhdfs"])
        self.ports = (int(spec["ports"][0]), int(spec["ports"][1]))
        self.reuse_port = bool(spec["reuse_port"])
        self.limit = float(spec["limit"])
        self.patience = float(spec["patience"])
        self.grace = {str(role): float(seconds) for role, seconds in spec["grace"].items()}
        self.tries = 1

    @staticmethod
    def _actions(rules):
        """Status -> action; 0 stands for every other status and for a lost task."""
        return {int(status): str(action) for status, action in rules.items()}

    def name(self, slot):
        """``worker[1]``."""
        return "%s[%d]" % self.slots[slot]

    def role(self, slot):
        """The role of a task."""
        return self.slots[slot][0]

    def slots_of(self, role):
        """The numbers of all tasks of ``role``; of all tasks for the empty text."""
        return [slot for slot, (name, _index) in enumerate(self.slots) if role in ("", name)]

    def action(self, slot, status):
        """What follows when a task ends with ``status`` (0: it was lost): ``fail``, ``restart`` or ``ignore``.

        After the last restart YARN relaunches nothing: what would restart is a failure, with its own status.
        """
        rules = self.actions.get(self.name(slot)) or self.actions[self.role(slot)]
        action = rules.get(status, rules[0])
        return "fail" if action == "restart" and self.used_up() else action

    def used_up(self):
        """Whether YARN has relaunched the container as often as it may."""
        return 0 < self.restarts < self.tries

    def action_at_end(self, slot, status, uncopied):
        """What follows when a command has ended by itself; ``uncopied``: it succeeded, but its outputs were not copied.

        Training that has succeeded is never repeated because of a copy.
        """
        action = self.action(slot, status) if status else "ignore"
        return "fail" if uncopied and action == "restart" else action

    def completed(self, ended):
        """Which task or role completes the job when the tasks ``ended`` have ended; empty if none does."""
        for role, index in self.complete:
            slots = [slot for slot in self.slots_of(role) if index in (-1, self.slots[slot][1])]
            if slots and ended.issuperset(slots):
                return role if index < 0 else "%s[%d]" % (role, index)
        return ""

    def status(self, kind, own):
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


# ---- What TensorFlow reads: TF_CONFIG and the four flags ----

from collections import OrderedDict

IN_CLUSTER = ("chief", "master", "ps", "worker")


def cluster_of(slots, addresses):
    """Role -> ``host:port`` of each replica; chief or master, ps and worker only."""
    cluster = OrderedDict()
    for name in IN_CLUSTER:
        hosts = [address for (role, _index), address in zip(slots, addresses) if role == name]
        if hosts:
            cluster[name] = hosts
    return cluster


def tf_config(cluster, role, index):
    """TF_CONFIG as compact JSON."""
    task = OrderedDict([("type", role), ("index", index)])
    value = OrderedDict([("cluster", cluster), ("task", task), ("environment", "cloud")])
    return json.dumps(value, separators=(",", ":"))


def tensorflow_flags(cluster, role, index):
    """The four flags. The chief (master) is worker 0, the workers follow it; no list has an evaluator."""
    chiefs = cluster.get("chief", []) + cluster.get("master", [])
    if role in ("chief", "master"):
        role = "worker"
    elif role == "worker":
        index += len(chiefs)
    return [
        "--ps_hosts=" + ",".join(cluster.get("ps", [])),
        "--worker_hosts=" + ",".join(chiefs + cluster.get("worker", [])),
        "--job_name=" + role,
        "--task_index=%d" % index,
    ]


# ---- TCP between the tasks: one JSON object of texts per line; and ports for TensorFlow ----

LONGEST_LINE = 1 << 20


class Line(object):
    """One connection. ``open`` becomes false once the other side is gone or is not a task."""

    def __init__(self, connection):
        self.connection = connection
        self.open = True
        self._rest = b""
        connection.settimeout(10)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # This detects a silent node in about a minute.
        for name, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), seconds)

    def send(self, **message):
        """Send one message; a broken connection shows here or at the next read."""
        try:
            self.connection.sendall((json.dumps(message, sort_keys=True) + "\n").encode("ascii"))
        except (OSError, socket.error):
            self.open = False

    def receive(self):
        """The messages that have arrived; call it when the connection is readable."""
        try:
            data = self.connection.recv(65536)
        except socket.timeout:
            return []
        except (OSError, socket.error) as error:
            if error.errno in (errno.EINTR, errno.EAGAIN):
                return []
            data = b""
        if not data or len(self._rest) > LONGEST_LINE:
            self.open = False
            return []
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        try:
            return [{str(key): str(value) for key, value in json.loads(line.decode("ascii")).items()} for line in lines]
        except (ValueError, AttributeError, RuntimeError):  # not a task: a port scanner, a browser, [[[[
            self.open = False
            return []

    def close(self):
        """Close the connection."""
        self.open = False
        self.connection.close()


def readable(sockets, seconds):
    """Those of ``sockets`` that have something to read, after at most ``seconds``."""
    poll = select.poll()
    by_number = {}
    for one in sockets:
        by_number[one.fileno()] = one
        poll.register(one.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
    try:
        return [by_number[number] for number, _event in poll.poll(int(seconds * 1000))]
    except (OSError, select.error):  # a signal, under Python 2
        return []


def reserve_port(first, last, reuse):
    """A free port between ``first`` and ``last``, held by the socket until that is closed.

    ``reuse``: a program that sets SO_REUSEPORT (TensorFlow with TF_GRPC_REUSE_PORT) may listen on it meanwhile.
    """
    ports = list(range(first, last + 1))
    random.shuffle(ports)
    for port in ports:
        try:
            holder = _bound(port, False)
            if reuse:  # only now, or two tasks of one user could hold the same port
                holder.close()
                holder = _bound(port, True)
        except (OSError, socket.error):
            continue
        return holder, port
    raise SystemExit("no free port between %d and %d on this node" % (first, last))


def _bound(port, reuse):
    made = socket.socket()
    try:
        if reuse:
            made.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_REUSEPORT", 15), 1)
        made.bind(("", port))
    except (OSError, socket.error):
        made.close()
        raise
    return made


def listener():
    """A socket that listens on a port that the system chooses."""
    made = socket.socket()
    made.bind(("", 0))
    made.listen(1024)
    return made, int(made.getsockname()[1])


# ---- Files and folders over WebHDFS with simple authentication, for containers without a Hadoop client ----

if sys.version_info >= (3,):
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import quote, urlsplit
else:
    from httplib import HTTPConnection, HTTPException, HTTPSConnection
    from urllib import quote

    from urlparse import urlsplit


class WebHdfsError(Exception):
    """A request that HDFS refused."""


class WebHdfs(object):
    """``address``: ``http://namenode:9870``."""

    def __init__(self, address):
        self.address = address.rstrip("/")
        self.user = os.environ.get("HADOOP_USER_NAME") or os.environ.get("USER") or "root"
        self._home = ""

    def read(self, path):
        """The whole of a small file."""
        status, response = self._call("GET", path, "OPEN")
        return self._good(path, status, response.read())

    def write(self, path, data, overwrite):
        """Write a small file; false if it exists and ``overwrite`` is not set."""
        status, response = self._call("PUT", path, "CREATE&overwrite=%s" % str(overwrite).lower(), data)
        answer = response.read()
        if status == 403 and b"FileAlreadyExists" in answer:
            return False
        self._good(path, status, answer)
        return True

    def home(self):
        """The user's home folder, where a path without a leading ``/`` starts."""
        if not self._home:
            status, response = self._call("GET", "/", "GETHOMEDIRECTORY")
            self._home = native(json.loads(self._good("/", status, response.read()).decode("utf-8"))["Path"])
        return self._home

    def _call(self, method, path, operation, body=None):
        """One request; a file's data goes to the DataNode that the NameNode names."""
        if not path.startswith("/"):
            path = self.home() + "/" + path
        url = "%s/webhdfs/v1%s?op=%s&user.name=%s" % (self.address, quote(path, safe="/"), operation, quote(self.user))
        response = _request(method, url, b"" if body is not None else None)
        if response.status == 307:
            response.read()
            response = _request(method, response.getheader("Location") or url, body)
        return response.status, response

    @staticmethod
    def _good(path, status, answer):
        if status not in (200, 201):
            raise WebHdfsError("%s: WebHDFS answers %d: %s" % (path, status, answer[:300].decode("utf-8", "replace")))
        return answer


def _request(method, url, body):
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.netloc, timeout=60)
    headers = {}
    if body is not None:
        size = len(body) if isinstance(body, bytes) else os.fstat(body.fileno()).st_size
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
    try:
        connection.request(method, parts.path + "?" + parts.query, body, headers)
        return connection.getresponse()
    except HTTPException as error:
        raise WebHdfsError("invalid answer from %s (%r)" % (parts.netloc, error))


# ---- Small files that all tasks see: in a shared folder, or in HDFS through its client or WebHDFS ----

STORES = {}
"""How to open a store, by the way to it; takes its place and the address of WebHDFS."""


class WebHdfsStore(object):
    """A folder in HDFS, through WebHDFS: ten times faster than ``hdfs dfs``."""

    wait = 0.5
    longest_wait = 5.0

    def __init__(self, client, folder):
        self.client = client
        self.folder = folder

    def put(self, name, text):
        """Write or replace ``name``."""
        self.client.write(self.folder + "/" + name, text.encode("ascii"), True)

    def claim(self, name, text):
        """Write ``name`` unless it exists."""
        return self.client.write(self.folder + "/" + name, text.encode("ascii"), False)

    def get(self, name):
        """The text of ``name``; empty if it does not exist, or the NameNode does not answer."""
        try:
            return self.client.read(self.folder + "/" + name).decode("ascii")
        except (WebHdfsError, EnvironmentError):
            return ""


def open_store(place, webhdfs):
    """The store at ``place``: an ``hdfs://`` URI, a path of HDFS with ``hdfs:`` in front, or a shared folder."""
    return STORES[way_of(place, webhdfs)](place, webhdfs)


STORES["webhdfs"] = lambda place, webhdfs: WebHdfsStore(WebHdfs(webhdfs), hdfs_path(place))


def hdfs_path(uri):
    """The path in ``hdfs://name:port/path`` or ``hdfs:path``."""
    rest = uri[len("hdfs:") :]
    return "/" + rest[2:].partition("/")[2] if rest.startswith("//") else rest


# ---- The coordinator: a thread of the first task, to which all tasks, including that one, stay connected ----

class Member(object):
    """A registered task. ``ended``: -1 while it runs, else the status that it reported."""

    def __init__(self, line, address, container):
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
        super(Coordinator, self).__init__(name="coordinator")
        self.daemon = True
        self.plan = plan
        self.required = [s for s, (role, _index) in enumerate(plan.slots) if role not in plan.optional]
        self.missing = set(self.required)
        self.token = binascii.hexlify(os.urandom(16)).decode("ascii")
        allow_files(2 * len(plan.slots) + 200)
        self.socket, self.port = listener()
        self.lines = []
        self.members = {}
        self.owner = {}
        self.spares = []
        self.vacant = {}
        self.deadline = time.time() + plan.limit
        self.started = False
        self.verdict = ""
        self.reason = ""
        self.status = 0
        self.leave_at = 0.0

    # --- the loop ----------------------------------------------------------------------------------------------

    def run(self):
        """Serve until there is a verdict. Whatever ends this, the connections close, so that the tasks notice."""
        try:
            self.serve()
        finally:
            for line in self.lines:
                line.close()
            self.socket.close()

    def serve(self):
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
        """Handle the messages of a connection; one that no task would send closes that connection only."""
        try:
            for message in line.receive():
                self.handle(line, message)
        except Exception as error:
            log("coordinator", "closing a connection that sent no message of a task: %r" % (error,))
            line.open = False

    def accept(self):
        """Accept a connection; its first message says whose it is."""
        try:
            connection, _address = self.socket.accept()
        except (OSError, socket.error) as error:
            log("coordinator", "cannot accept a connection: %s" % error)
            time.sleep(0.2)  # the socket stays ready; a task that disconnects may free a descriptor
            return
        self.lines.append(Line(connection))

    def members_left(self):
        """Whether a task is still connected."""
        return any(member.line.open for member in self.members.values())

    def notice_lost(self):
        """Handle the connections that broke."""
        for line in [line for line in self.lines if not line.open]:
            self.lines.remove(line)
            self.spares = [spare for spare in self.spares if spare[0] is not line]
            line.close()
            slot = self.owner.pop(line, -1)
            if slot >= 0 and self.members[slot].line is line:
                self.lost(slot)

    def check_time(self):
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
        """Let a container beyond the number of tasks replace one that was lost, else reject it."""
        for line, message in list(self.spares):
            role = message.get("role", "")
            free = [slot for slot in self.plan.slots_of(role) if slot in self.vacant]
            if free and not self.started:
                self.spares.remove((line, message))
                self.seat(line, message, free[0])
            elif self.started:
                self.spares.remove((line, message))
                self.reject(
                    line, "all %d tasks are registered; the job does not need this container" % len(self.plan.slots)
                )

    def reject(self, line, why):
        """Reject a container."""
        log("coordinator", "rejected (%d): %s" % (REJECTED, why))
        line.send(op="reject", why=why)

    # --- what happens to the job -------------------------------------------------------------------------------

    def check_start(self):
        """Start once the last task is registered; an optional task starts at once."""
        if not self.started and not self.missing:
            self.started = True
            log("coordinator", "all %d tasks are registered" % len(self.required))
            self.place_spares()
        if self.started or self.plan.optional:
            self.send_start()

    def send_start(self):
        """Send the start to those that may; a role with ``after`` waits until the roles before it run."""
        addresses = " ".join(
            self.members[slot].address if slot in self.members else "-" for slot in range(len(self.plan.slots))
        )
        may = {}
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
        """Whether the commands of all tasks of ``role`` run, or have run."""
        found = [self.members.get(slot) for slot in self.plan.slots_of(role)]
        return all(member is not None and (member.running or member.ended >= 0) for member in found)

    def ended(self, slot, status, uncopied=False):
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
        action = self.plan.action(slot, 0)
        if action != "ignore":
            # YARN does not relaunch a container that is killed as a whole, so the gang cannot restart.
            self.finish("fail", "%s was lost" % name, 0)
            return
        self.members[slot].ended = 0
        self.send_start()
        self.check_complete()

    def check_complete(self):
        """Complete the job once the tasks that decide have ended; fail it if all have ended without that."""
        done = {slot for slot, member in self.members.items() if member.ended >= 0}
        who = self.plan.completed(done)
        if who:
            self.finish("stop", "%s has completed the job" % who, 0)
        elif self.started and done.issuperset(self.required):
            self.finish("fail", "all tasks have ended and none of them completed the job", 0)

    def finish(self, verdict, reason, status):
        """Announce the verdict, once."""
        self.verdict, self.reason, self.status = verdict, reason, status
        self.leave_at = time.time() + max(self.plan.grace.values()) + 20
        log("coordinator", "%s: %s" % (verdict, reason))
        for line in self.lines:
            line.send(op="end", kind=verdict, why=reason, status=str(status))


def allow_files(count):
    """Raise this process's limit of open files and connections to ``count``, as far as the node allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


# ---- The steps of one task: prepare, command and outputs, each a call of the job script ----

RUNNING = "running"


class Steps(object):
    """A task that has its number; ``slot`` is -1 until it has one.

    ``verdict`` is ``running`` until it is decided how the task ends.
    """

    def __init__(self, plan, script, slot):
        self.plan = plan
        self.script = script
        self.slot = slot
        self.addresses = []
        self.verdict = RUNNING
        self.reason = ""
        self.rejected = ""
        self.killed = False
        self.interrupted = False
        self.uncopied = False

    @property
    def name(self):
        """``worker[1]``, for messages."""
        return self.plan.name(self.slot) if self.slot >= 0 else "spare"

    # --- what a task with peers overrides ----------------------------------------------------------------------

    def listen(self, seconds):
        """Handle messages for ``seconds``, or less."""
        time.sleep(seconds)

    def watch_line(self):
        """Notice that the peers are gone."""

    def report(self, **message):
        """Send a message to the peers."""

    def settle(self, status):
        """Decide what follows from the end of the command; returns the exit status."""
        return status

    # --- the steps ---------------------------------------------------------------------------------------------

    def work(self, steps_env, flags, release):
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
        """Copy the outputs that are due after ``outcome`` (else ``status``); returns the exit status.

        After a success that is 74 if a copy fails.
        """
        env = dict(env, TFJOB_STATUS=outcome or str(status))
        copied = self.run_step("outputs", [], env)
        self.uncopied = status == 0 and copied != 0
        return copied if status == 0 else status

    def pause(self, seconds):
        """Wait for ``seconds``, or until the job ends."""
        until = time.time() + seconds
        while time.time() < until and self.verdict == RUNNING and not self.killed:
            self.listen(0.2)
            self.watch_line()

    def step(self, name, arguments, env):
        """Run a step until it ends or the verdict stops it."""
        return self.run_step(name, arguments, env, True)

    def run_step(self, name, arguments, env, under_verdict=False):
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
        stopped = {}
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
    """All processes below this one: process id -> when it started, which tells it from a later one with that id."""
    children = {}
    begun = {}
    for entry in os.listdir("/proc"):
        fields = stat(int(entry)) if entry.isdigit() else []
        if fields:
            children.setdefault(int(fields[1]), []).append(int(entry))
            begun[int(entry)] = fields[19]
    found = []
    todo = [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return {process: begun[process] for process in found}


def stat(process):
    """The fields of ``/proc/PID/stat`` after the name (state, parent, ...); empty if there is no such process."""
    try:
        with open("/proc/%d/stat" % process, "rb") as file:
            return file.read().rpartition(b")")[2].decode("ascii").split()
    except EnvironmentError:
        return []


def some_live(processes):
    """Whether one of them is still running; zombies do not count."""
    for process, begun in processes.items():
        fields = stat(process)
        if fields and fields[19] == begun and fields[0] not in "ZX":
            return True
    return False


def send(processes, number):
    """Send a signal to those of the processes that are still running."""
    for process in processes:
        if some_live({process: processes[process]}):
            try:
                os.kill(process, number)
            except OSError:
                pass


# ---- A task with peers: the coordinator decides how it ends ----

class Task(Steps):
    """A task with a connection to the coordinator, which gives it its number and its verdict.

    ``orphaned``: the verdict is the loss of the coordinator. ``stays``: its end is settled, and it waits for that of
    the job.
    """

    def __init__(self, plan, script, slot):
        super(Task, self).__init__(plan, script, slot)
        self.line = None
        self.status = 0
        self.may_leave = False
        self.stays = False
        self.orphaned = False

    def listen(self, seconds):
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
        """Send a message to the coordinator, if there is one."""
        if self.line is not None:
            self.line.send(**message)

    def settle(self, status):
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
        """Treat the loss of the coordinator as a verdict."""
        if self.line is not None and not self.line.open and self.verdict == RUNNING and not self.may_leave:
            self.verdict = "fail"
            self.orphaned = True
            self.reason = "lost the connection to the coordinator, %s" % self.plan.name(0)


# ---- How a container gets its number and finds the coordinator ----

NO_NUMBER = -1


def container_id(environ):
    """CONTAINER_ID, or another unique name."""
    return environ.get("CONTAINER_ID") or "%s-%d" % (socket.gethostname(), os.getpid())


def find_slot(plan, store, environ):
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
    """Application attempt and number in ``container_e17_1410901177871_0001_01_000005``."""
    found = re.match(r"container_(?:e\d+_)?\d+_\d+_(\d+)_(\d+)$", container)
    return (found.group(1), int(found.group(2))) if found else ("0", 2)


def join(task, plan, store, coordinator, address, environ):
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
    """Seconds until the next check of the store: a tenth of the time that the task has waited, within bounds.

    Every check with the Hadoop client starts a Java process, and in a full cluster the coordinator may start hours
    later. After the first contact everything comes over the connection, at once.
    """
    return min(max(store.wait, (time.time() - begun) / 10), store.longest_wait)


def verdict_text(kind, reason, environ):
    """The verdict in the store, for replacements of lost containers that start after the end of the job."""
    text = "ended %s %s %s\n" % (container_id(environ), kind, reason)
    return text.encode("ascii", "replace").decode("ascii")


def take_verdict(task, entry, environ):
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
    """The application and attempt in a container's id."""
    found = re.match(r"container_(?:e\d+_)?(\d+_\d+)_(\d+)_\d+$", container)
    return (found.group(1), found.group(2)) if found else (container, "")


def is_late(plan, environ):
    """Whether the container may be a replacement, which YARN may start after the end of the job."""
    attempt, number = _attempt_and_number(container_id(environ))
    return attempt.lstrip("0") not in ("", "1") or number > 2 * len(plan.slots) + 1


def connect(task, entry, address, environ):
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


# ---- The program's commands: ``run PLAN SCRIPT``, ``given PLAN SCRIPT FLAGS...``, and those that the steps call ----

COMMANDS = {}
"""The commands by first argument; each takes the other arguments and the environment, and returns the exit status."""


def run(arguments, environ):
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
    """Write for late tasks how the job has ended, unless the next attempt will use the file."""
    if verdict in ("", "restart"):
        return
    try:
        store.put("coordinator", verdict_text(verdict, reason, environ))
    except (SystemExit, Exception) as error:  # only late tasks depend on it
        log("coordinator", "cannot write the verdict: %s" % error)


def environment(plan, task, port, environ):
    """The environment of the steps and the flags of the command."""
    role, index = plan.slots[task.slot]
    cluster = cluster_of(plan.slots, task.addresses)
    env = dict(environ, TFJOB_ROLE=role, TFJOB_INDEX=str(index), TFJOB_PORT=str(port))
    if role in plan.tf_config:
        env["TF_CONFIG"] = tf_config(cluster, role, index)
    if plan.reuse_port:
        env["TF_GRPC_REUSE_PORT"] = "true"
    log(task.name, "starts; port %d of %s" % (port, environ.get("NM_HOST") or socket.getfqdn()))
    return env, tensorflow_flags(cluster, role, index) if role in plan.flags else []


def watch_signals(task):
    """Let SIGTERM, with which YARN ends the container, end the command first."""

    def on_term(_number, _frame):
        task.killed = True

    signal.signal(signal.SIGTERM, on_term)


def read_plan(path, environ):
    """The plan that job.sh has written to ``path``."""
    with open(path) as file:
        plan = Plan(file.read())
    plan.tries = int(environ.get("TFJOB_TRY", "1"))
    return plan


COMMANDS["run"] = run


def main(arguments):
    """Run the command that the first argument names."""
    return COMMANDS[arguments[0]](arguments[1:], dict(os.environ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
TFJOB_PROGRAM
}

main "$@"
