#!/usr/bin/env bash
# Job trainer: what each of its YARN containers runs. Written by tfdsl; submit.sh sends it.
#
# Without a step as argument it starts the task program at its end, which gives the container its place in the job,
# waits for the other tasks, and then calls this script once for each step: prepare, command, outputs.
#
# shellcheck disable=SC2016  # what stands in single quotes is meant as it is
set -u

# The environment may hold any name, so what is the script's own begins with tfjob_.
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

# What YARN leaves to the script: bash's own default PATH ends in ".", HOME may be a folder that is not there, and
# without security the process belongs to the NodeManager's user.
surroundings() {
  PATH=${PATH%:.}
  [ -z "${HADOOP_HOME-}" ] || PATH=$PATH:$HADOOP_HOME/bin
  [ -z "${JAVA_HOME-}" ] || PATH=$PATH:$JAVA_HOME/bin
  if [ ! -d "${HOME-}" ] || [ ! -w "$HOME" ]; then HOME=$tfjob_work; fi
  HADOOP_USER_NAME=${HADOOP_USER_NAME:-${USER-}}
  export PATH HOME HADOOP_USER_NAME
}

# --- the job -----------------------------------------------------------------------------------------------------

# The variables of the job are for the command alone: as words of env they arrive whatever they are called, and neither
# bash nor this script reads them.
environment() {
  tfjob_variables=(env)
  case $TFJOB_ROLE in
  ps)
    tfjob_variables+=(
      CUDA_VISIBLE_DEVICES=''
    )
    ;;
  esac
}

prepare() {
  case $TFJOB_ROLE in
  ps | worker)
    unpack 1 hdfs:///apps/trainer/code.tar .tar .
    link /disk1/data data
    there /mnt/results
    ;;
  esac
}

# The arguments are --ps_hosts=... --worker_hosts=... --job_name=... --task_index=..., made when all tasks have met.
command_of_task() {
  case $TFJOB_ROLE in
  ps | worker)
    exec "${tfjob_variables[@]}" python trainer.py "$@"
    ;;
  esac
}

outputs() {
  local tfjob_failed=0
  case $TFJOB_ROLE in
  worker)
    if [ "$TFJOB_INDEX" = 0 ]; then
      copy_out success model /mnt/results/trainer keep || tfjob_failed=74
    fi
    ;;
  esac
  return "$tfjob_failed"
}

# --- how it is done ----------------------------------------------------------------------------------------------

there() { # SOURCE [TYPE]
  [ -e "$1" ] || die "$1 is not on this node ($(uname -n)); in docker, an image that is not from a trusted registry" \
    "loses all mounts without a word"
  case ${2-} in
  Directory) [ -d "$1" ] || die "$1 is not a folder" ;;
  File) [ -f "$1" ] || die "$1 is not a file" ;;
  esac
}

# The folder of AT, which has to be the task's own: what is made through a link would be in somebody else's.
own_folder() { # AT
  local folder
  mkdir -p -- "$(dirname -- "$1")" || die "cannot make the folder of $1"
  case $1 in /*) return ;; esac
  folder=$(cd -P -- "$(dirname -- "$1")" && pwd) || die "cannot enter the folder of $1"
  case $folder/ in
  "$(pwd -P)"/*) ;;
  *) die "$1 would be made through a link, in $folder" ;;
  esac
}

# A link at AT. Whatever else is there stays: only a link is ever removed, and never with a final "/", which would
# mean the folder that it leads to.
link() { # SOURCE AT [TYPE]
  local source=$1 at=$2
  there_or_made "$source" "${3-}"
  while [ "$at" != "${at%/}" ]; do at=${at%/}; done
  case $source/ in
  "$tfjob_work/$at"/*) die "$at cannot be a link to $source, which lies inside it" ;;
  esac
  own_folder "$at"
  if [ -L "$at" ]; then
    rm -f -- "$at"
  elif [ -e "$at" ]; then
    die "$at is there already and no link; it stays as it is"
  fi
  ln -s -- "$source" "$at" || die "cannot link $at to $source"
}

there_or_made() { there "$@"; }

fetch() { # NUMBER SOURCE AT
  [ ! -e "$tfjob_state/mount-$1" ] || return 0 # an earlier try has it
  own_folder "$3"
  if [ -e "$tfjob_state/mount-$1.begun" ]; then
    rm -rf -- "$3" # an earlier try was ended while it fetched
  elif [ -e "$3" ]; then
    die "$3 is there already; it stays as it is"
  fi
  : >"$tfjob_state/mount-$1.begun"
  "$TFJOB_PYTHON" "$TFJOB_PROGRAM" fetch "$2" "$3" || die "cannot fetch $2"
  : >"$tfjob_state/mount-$1"
}

unpack() { # NUMBER SOURCE SUFFIX FOLDER
  local archive=$tfjob_state/archive-$1$3
  [ ! -e "$tfjob_state/unpacked-$1" ] || return 0 # an earlier try has done it
  fetch "$1" "$2" "$archive"
  own_folder "$4/."
  tar -xf "$archive" -C "$4" || die "cannot unpack $2"
  rm -f -- "$archive"
  : >"$tfjob_state/unpacked-$1"
}

exists() { [ -e "$1" ] || [ -L "$1" ]; }

# Written beside the destination, then renamed, so that nobody sees half a copy.
copy_out() { # WHEN SOURCE DESTINATION keep|overwrite
  local source=$2 to=$3 part replace=$4
  case $1:$TFJOB_STATUS in
  always:* | success:0) ;;
  success:* | failure:0 | failure:stopped) return 0 ;; # stopped: the job is complete without it
  esac
  [ "$to" != "${to#/}" ] || to=$tfjob_work/$to
  while [ "$to" != "${to%/}" ]; do to=${to%/}; done
  part=$to.part-${CONTAINER_ID:-$$}
  if exists "$part.old" && ! exists "$to"; then mv -T -- "$part.old" "$to" || return 74; fi # an earlier try was killed
  if [ ! -e "$source" ]; then
    say "output $source is not there"
    return 74
  fi
  if [ "$4" = keep ] && exists "$to"; then
    if ! "$TFJOB_PYTHON" "$TFJOB_PROGRAM" copied "$to"; then
      say "$to is there already; { overwrite = true } would replace it"
      return 74
    fi
    replace=overwrite # an earlier try of this very task has made it
  fi
  mkdir -p -- "$(dirname -- "$to")" || return 74
  rm -rf -- "$part" "$part.old"
  if ! cp -RH -- "$source" "$part"; then
    rm -rf -- "$part"
    return 74
  fi
  [ "$4" = overwrite ] || "$TFJOB_PYTHON" "$TFJOB_PROGRAM" mark "$part" "$to"
  if exists "$to"; then
    if [ "$replace" = keep ]; then
      say "$to was made meanwhile"
      rm -rf -- "$part"
      return 74
    fi
    if ! mv -T -- "$to" "$part.old"; then
      rm -rf -- "$part"
      return 74
    fi
  fi
  if ! mv -T -- "$part" "$to"; then
    if exists "$part.old"; then mv -T -- "$part.old" "$to"; fi
    rm -rf -- "$part"
    return 74
  fi
  rm -rf -- "$part.old"
}

first_program() { # NAMES: the first that is there
  local name
  for name; do
    if command -v "$name"; then return; fi # its path, for the command may have another PATH
  done
  die "none of these is in the container: $*"
}

start() {
  mkdir -p -- "$tfjob_state" || exit 1
  chmod 700 -- "$tfjob_state" || exit 1
  # On a full disk half a program must not run: an empty one would end well.
  write_program >"$tfjob_state/task.py" || die "cannot write $tfjob_state/task.py"
  write_plan >"$tfjob_state/plan.json" || die "cannot write $tfjob_state/plan.json"
  TFJOB_PROGRAM=$tfjob_state/task.py
  TFJOB_PYTHON=$(first_program python3 python python2) || exit 1
  export TFJOB_PROGRAM TFJOB_PYTHON
  surroundings
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
  "job": "trainer",
  "roles": [["ps", 2], ["worker", 2]],
  "after": {},
  "optional": [],
  "complete": [["worker", -1]],
  "actions": {"ps": {"0": "fail"}, "worker": {"0": "fail"}},
  "tf_config": [],
  "flags": ["ps", "worker"],
  "again": [],
  "restarts": 0,
  "store": "hdfs:.tfjobs",
  "webhdfs": "",
  "ports": [20000, 30000],
  "reuse_port": false,
  "limit": 900,
  "patience": 60,
  "grace": 10
}
TFJOB_PLAN
}

write_program() {
  cat <<'TFJOB_PROGRAM'
"""What each container of the job runs: it tells TensorFlow the addresses of all tasks and runs the command.

Runs under Python 2.7 and 3, with the standard library only.
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
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time


# ---- How a file or folder is reached; the compiler asks too, to leave out the ways that a job does not take ----

def way_of(place, webhdfs):
    """Over http, over WebHDFS where its address is known, with the Hadoop client, or as a path of the node."""
    if place.startswith(("http://", "https://")):
        return "http"
    if place.startswith("hdfs:") and webhdfs:
        return "webhdfs"
    return "client" if "://" in place or place.startswith("hdfs:") else "path"


# ---- What the compiler says about the job: its tasks, what ends it, what a failure leads to ----

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
    """One line for the container's log."""
    sys.stderr.write("[tfjob %s] %s\n" % (who, text))
    sys.stderr.flush()


class Plan(object):
    """The job as the compiler wrote it beside the program.

    ``slots``: (role, index) of every task, in the order of their numbers. ``complete``: (role, index or -1) whose
    end completes the job, any one of them. ``actions``: role or role[index] -> what a failure leads to. ``tries``:
    how often this container has been started, the first time included.
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
        self.grace = float(spec["grace"])
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

        After the last restart YARN starts nothing again: what would be one is a failure, which keeps its own status.
        """
        rules = self.actions.get(self.name(slot)) or self.actions[self.role(slot)]
        action = rules.get(status, rules[0])
        return "fail" if action == "restart" and self.used_up() else action

    def used_up(self):
        """Whether YARN has started the container again as often as it may."""
        return 0 < self.restarts < self.tries

    def action_at_end(self, slot, status, uncopied):
        """What follows when a command ended by itself; ``uncopied``: well, but its outputs were not copied.

        A training that has ended well is never done again for the sake of a copy.
        """
        action = self.action(slot, status) if status else "ignore"
        return "fail" if uncopied and action == "restart" else action

    def completed(self, ended):
        """Who has completed the job now that the tasks ``ended`` are done; empty when nobody has."""
        for role, index in self.complete:
            slots = [slot for slot in self.slots_of(role) if index in (-1, self.slots[slot][1])]
            if slots and ended.issuperset(slots):
                return role if index < 0 else "%s[%d]" % (role, index)
        return ""

    def status(self, kind, own):
        """The exit status of a task under the job's verdict; ``own``: its own command's, -1 when it was stopped.

        Where the NodeManager relaunches, it does so on 75 and on nothing else.
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


# ---- What TensorFlow is told: TF_CONFIG and the four flags ----

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
    """The four flags. The chief (master) is worker 0, the workers follow it; an evaluator stands in no list."""
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
    """One connection. ``open`` turns false when the other side has gone or talks nonsense."""

    def __init__(self, connection):
        self.connection = connection
        self.open = True
        self._rest = b""
        connection.settimeout(10)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # A node that falls silent is noticed in about a minute.
        for name, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), seconds)

    def send(self, **message):
        """Send one message; a broken connection is noticed here or at the next read."""
        try:
            self.connection.sendall((json.dumps(message, sort_keys=True) + "\n").encode("ascii"))
        except (OSError, socket.error):
            self.open = False

    def receive(self):
        """The messages that have come; call it when there is something to read."""
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
        except (ValueError, AttributeError, RuntimeError):  # no task of ours: a port scanner, a browser, [[[[
            self.open = False
            return []

    def close(self):
        """Hang up."""
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
    """A socket that listens on a port of the system's choice."""
    made = socket.socket()
    made.bind(("", 0))
    made.listen(1024)
    return made, int(made.getsockname()[1])


# ---- Files and folders over WebHDFS with simple authentication, for containers without a Hadoop client ----

MARK = "user.tfjob.copied_by"
"""The attribute of a copy that says which task of which run has made it."""


# ---- Small files that all tasks see: in a shared folder, or in HDFS through its client or WebHDFS ----

STORES = {}
"""The kinds of stores by the way to them: of a place and the address of WebHDFS."""


class HdfsStore(object):
    """A folder of HDFS through ``hdfs dfs``. Each call starts a Java machine, so looks are far apart."""

    wait = 2.0
    longest_wait = 30.0

    def __init__(self, folder):
        self.folder = folder

    def put(self, name, text):
        """Write or replace ``name``."""
        status, _out, err = hdfs(["-put", "-f", "-", self._path(name)], text)
        if status != 0:
            raise SystemExit("cannot write %s/%s: %s" % (self.folder, name, err.strip()[-500:]))

    def claim(self, name, text):
        """Write ``name`` unless it is there already: the NameNode refuses to rename onto an existing file."""
        part = "part-%s-%s" % (name, text)
        self.put(part, text)
        taken = hdfs(["-mv", self._path(part), self._path(name)])[0] == 0
        if not taken:
            self.remove(part)
        return taken

    def get(self, name):
        """The text of ``name``; empty when it is not there."""
        status, out, _err = hdfs(["-cat", self._path(name)])
        return out if status == 0 else ""

    def remove(self, name):
        """Remove ``name`` if it is there."""
        hdfs(["-rm", "-f", "-skipTrash", self._path(name)])

    def _path(self, name):
        return pattern(self.folder + "/" + name)


def pattern(path):
    """A path in HDFS as ``hdfs dfs`` takes it: it reads each as a pattern, new ones too, and ``-x`` as an option."""
    escaped = re.sub(r"([\\*?\[\]{}^])", r"\\\1", client_path(path))
    return "./" + escaped if escaped.startswith("-") else escaped


def hdfs(arguments, text="", folder=None):
    """Status, output and errors of ``hdfs dfs ARGUMENTS`` with ``text`` as its input, run in ``folder``.

    Its paths on this node are read as URIs and options, so they have to be plain names in ``folder``.
    """
    home = os.environ.get("HADOOP_HDFS_HOME") or os.environ.get("HADOOP_HOME") or ""
    program = home + "/bin/hdfs" if os.path.exists(home + "/bin/hdfs") else "hdfs"
    try:
        process = subprocess.Popen(
            [program, "dfs"] + arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            close_fds=True,
            cwd=folder,
        )
    except OSError as error:
        raise SystemExit(
            "cannot run %s (%s): a container that uses HDFS needs a Hadoop client. Build the image with `hadoop`, or"
            " give the target the option hadoop_home or webhdfs" % (program, error)
        )
    out, err = process.communicate(text.encode("utf-8"))
    return int(process.returncode), out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def open_store(place, webhdfs):
    """The store at ``place``: an ``hdfs://`` URI, a path of HDFS with ``hdfs:`` in front, or a shared folder."""
    return STORES[way_of(place, webhdfs)](place, webhdfs)


STORES["client"] = lambda place, _webhdfs: HdfsStore(place)


def client_path(place):
    """``place`` as the Hadoop client takes it: ``hdfs:`` in front of a path only says that it is one of HDFS."""
    return place[len("hdfs:") :] if place.startswith("hdfs:") and not place.startswith("hdfs://") else place


# ---- Marks on the copies of outputs: a later try of the same task may replace what an earlier one has copied ----

def copier(environ):
    """Who copies: the run and the task; empty where the container was not started by submit.sh."""
    run = environ.get("TFJOB_RUN", "")
    return "%s %s[%s]" % (run, environ.get("TFJOB_ROLE", ""), environ.get("TFJOB_INDEX", "")) if run else ""


def path_mark(path):
    """The mark of a file or folder of the node; empty without one."""
    get = getattr(os, "getxattr", None)  # Python 3 only
    try:
        return str(get(path, MARK).decode("utf-8", "replace")) if get else ""
    except EnvironmentError:
        return ""


def set_path_mark(path, who):
    """Mark a file or folder of the node; false where that is not possible."""
    put = getattr(os, "setxattr", None)
    try:
        if put:
            put(path, MARK, who.encode("utf-8"))
        return bool(put)
    except EnvironmentError:
        return False


def notes_file():
    """Where the notes are: beside this program."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "copied.json")


def notes():
    """What was copied without a mark: destination -> what tells the copy from another."""
    try:
        with open(notes_file()) as file:
            return {key: str(value) for key, value in json.load(file).items()}
    except (EnvironmentError, ValueError):
        return {}


def note(destination, identity):
    """Note a copy that bears no mark."""
    found = notes()
    found[destination] = identity
    with open(notes_file() + ".part", "w") as file:
        json.dump(found, file)
    os.rename(notes_file() + ".part", notes_file())


def is_own(mark, who, destination, identity):
    """Whether this very task has made the copy at ``destination``, by its ``mark`` or else by a note."""
    if mark:
        return mark == who
    return notes().get(destination) == identity


def file_identity(path):
    """What tells a file or folder of the node from another that takes its place."""
    found = os.lstat(path)
    return "%d:%d:%.6f" % (found.st_dev, found.st_ino, found.st_mtime)


def copied_command(arguments, environ):
    """``copied PATH``: 0 when an earlier try of this task has made it."""
    (path,) = arguments
    return 0 if is_own(path_mark(path), copier(environ), path, file_identity(path)) else 1


def mark_command(arguments, environ):
    """``mark PART PATH``: the copy in PART is going to be PATH."""
    part, path = arguments
    who = copier(environ)
    if who and not set_path_mark(part, who):
        note(path, file_identity(part))
    return 0


# ---- Fetching what a task mounts, copying what it puts out ----

FETCH = {}
"""How to copy a source to a path of the node, by the way to the source; takes the address of WebHDFS too."""


def fetch(source, to, webhdfs):
    """Copy ``source`` (a URI that Hadoop reads, http, https, a path of the node) to ``to``, whole or not at all."""
    part = to + ".part"
    clear(part)  # an earlier try was killed
    try:
        FETCH[way_of(source, webhdfs)](source, part, webhdfs)
        os.rename(part, to)
    finally:
        clear(part)


def clear(path):
    """Remove a file, a link or a folder that the program has made, if it is there."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def _fetch_with_client(source, part, _webhdfs_address):
    folder = part + ".d"
    clear(folder)
    os.mkdir(folder)
    try:
        _hdfs(["-get", pattern(source), "copy"], folder)
        os.rename(folder + "/copy", part)
    finally:
        clear(folder)


FETCH["client"] = _fetch_with_client


def _hdfs(arguments, folder=None):
    status, _out, err = hdfs(arguments, "", folder)
    if status != 0:
        raise SystemExit("hdfs dfs %s: %s" % (" ".join(arguments), err.strip()[-1000:] or "failed"))


def transfer(work, what):
    """The status of a step of the job script that copies something."""
    try:
        work()
    except (EnvironmentError, shutil.Error) as error:
        sys.stderr.write("[tfjob] %s: %s\n" % (what, error))
        return 1
    return 0


def fetch_command(arguments, environ):
    """``fetch SOURCE TO``."""
    source, to = arguments
    return transfer(lambda: fetch(source, to, environ.get("TFJOB_WEBHDFS", "")), "fetch " + source)


# ---- The coordinator: a thread of the first task that all tasks, its own too, are connected with for life ----

class Member(object):
    """A task that has come. ``ended``: -1 while it runs, else the status it reported."""

    def __init__(self, line, address, container):
        self.line = line
        self.address = address
        self.container = container
        self.told = False
        self.running = False
        self.ended = -1


class Coordinator(threading.Thread):
    """Gathers the tasks, tells them the addresses, watches them, and pronounces the verdict.

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
        """Serve until the verdict is out; whatever ends it, the tasks see that their connections end."""
        try:
            self.serve()
        finally:
            for line in self.lines:
                line.close()
            self.socket.close()

    def serve(self):
        """Serve until the verdict is out and everybody has hung up (or has had time to)."""
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
        """Take what a connection says; what no task would say ends that connection, and nothing else."""
        try:
            for message in line.receive():
                self.handle(line, message)
        except Exception as error:
            log("coordinator", "a message that is none of ours: %r" % (error,))
            line.open = False

    def accept(self):
        """Take a new connection; it says who it is later."""
        try:
            connection, _address = self.socket.accept()
        except (OSError, socket.error) as error:
            log("coordinator", "a connection cannot be taken: %s" % error)
            time.sleep(0.2)  # it stays ready, and tasks that have gone may make room
            return
        self.lines.append(Line(connection))

    def members_left(self):
        """Whether a task is still connected."""
        return any(member.line.open for member in self.members.values())

    def notice_lost(self):
        """Act on connections that broke."""
        for line in [line for line in self.lines if not line.open]:
            self.lines.remove(line)
            self.spares = [spare for spare in self.spares if spare[0] is not line]
            line.close()
            slot = self.owner.pop(line, -1)
            if slot >= 0 and self.members[slot].line is line:
                self.lost(slot)

    def check_time(self):
        """Give up when not all have come in time, or nobody replaced a task that was lost before the start."""
        if self.verdict or self.started:
            return
        now = time.time()
        if now > self.deadline:
            names = ", ".join(self.plan.name(slot) for slot in sorted(self.missing))
            came, all_of_them = len(self.required) - len(self.missing), len(self.required)
            text = "%d of %d tasks came within %g s; missing: %s" % (came, all_of_them, self.plan.limit, names)
            self.finish("missing", text, 0)
        gone = [slot for slot in self.vacant if now > self.vacant[slot] + self.plan.patience]
        if gone and not self.plan.restarts and not self.verdict:
            self.finish("fail", "%s was lost before the start and not replaced" % self.plan.name(gone[0]), 0)

    # --- messages ----------------------------------------------------------------------------------------------

    def handle(self, line, message):
        """One message of a task."""
        slot = self.owner.get(line, -1)
        kind = message.get("op", "")
        if kind == "hello":
            self.hello(line, message)
        elif slot < 0:
            line.open = False
        elif kind == "running":
            self.members[slot].running = True
            if self.plan.after:
                self.tell_start()
        elif kind == "exit":
            self.ended(slot, int(message.get("status", "1")), message.get("copied") == "no")

    def hello(self, line, message):
        """A task says which number it has."""
        if message.get("token") != self.token:
            line.send(op="again", why="another job's token")
        elif self.verdict == "restart":
            line.send(op="again", why="the earlier try is still ending")
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
            self.reject(line, "%s has come already, from container %s" % (self.plan.name(slot), holder.container))
            return
        if self.started and self.plan.role(slot) not in self.plan.optional:
            self.reject(line, "the job has started without this container")
            return
        if holder is not None:  # relaunched before its old connection was seen to break
            self.owner.pop(holder.line, None)
            holder.line.close()
        self.vacant.pop(slot, None)
        self.missing.discard(slot)
        self.members[slot] = Member(line, message.get("address", ""), container)
        self.owner[line] = slot
        line.send(op="welcome", slot=str(slot))
        came, all_of_them = len(self.required) - len(self.missing), len(self.required)
        text = "%s is at %s (%d of %d)" % (self.plan.name(slot), message.get("address"), came, all_of_them)
        log("coordinator", text)
        self.check_start()

    def place_spares(self):
        """A container beyond the number of tasks replaces one that was lost, or is one too many."""
        for line, message in list(self.spares):
            role = message.get("role", "")
            free = [slot for slot in self.plan.slots_of(role) if slot in self.vacant]
            if free and not self.started:
                self.spares.remove((line, message))
                self.seat(line, message, free[0])
            elif self.started:
                self.spares.remove((line, message))
                self.reject(line, "all %d tasks have come; this container is one too many" % len(self.plan.slots))

    def reject(self, line, why):
        """Send a container away."""
        log("coordinator", "rejected (%d): %s" % (REJECTED, why))
        line.send(op="reject", why=why)

    # --- what happens to the job -------------------------------------------------------------------------------

    def check_start(self):
        """Start when the last one has come; an optional task starts as soon as it comes."""
        if not self.started and not self.missing:
            self.started = True
            log("coordinator", "all %d tasks have come" % len(self.required))
            self.place_spares()
        if self.started or self.plan.optional:
            self.tell_start()

    def tell_start(self):
        """Tell those that may start; a role with ``after`` waits until the roles before it run."""
        addresses = " ".join(
            self.members[slot].address if slot in self.members else "-" for slot in range(len(self.plan.slots))
        )
        may = {}
        for slot, member in self.members.items():
            role = self.plan.role(slot)
            if member.told or not (self.started or role in self.plan.optional):
                continue
            if role not in may:
                may[role] = all(self.runs(before) for before in self.plan.after.get(role, []))
            if may[role]:
                member.told = True
                member.line.send(op="start", addresses=addresses)

    def runs(self, role):
        """Whether the commands of all tasks of ``role`` run, or have run."""
        found = [self.members.get(slot) for slot in self.plan.slots_of(role)]
        return all(member is not None and (member.running or member.ended >= 0) for member in found)

    def ended(self, slot, status, uncopied=False):
        """A task reports the status of its command, or of the copies after one that ended well."""
        member = self.members[slot]
        member.ended = status
        text = "%s ended with %d" % (self.plan.name(slot), status)
        text += ": its outputs could not be copied" if uncopied else ""
        log("coordinator", text)
        if self.verdict:
            return
        action = self.plan.action_at_end(slot, status, uncopied)
        if action != "ignore":
            used_up = "; all %d restarts are used up" % self.plan.restarts if self.plan.used_up() else ""
            self.finish(action, text if uncopied else text + used_up, status)
            return
        if status or not self.plan.restarts:  # one that has ended well stays where a restart may need it again
            member.line.send(op="leave")
        self.tell_start()
        self.check_complete()

    def lost(self, slot):
        """A task's connection broke."""
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
            # A container that is killed as a whole is not relaunched, so there is nothing to restart with.
            self.finish("fail", "%s was lost" % name, 0)
            return
        self.members[slot].ended = 0
        self.tell_start()
        self.check_complete()

    def check_complete(self):
        """The job is complete when those that decide have ended, and over when nobody is left to decide."""
        done = {slot for slot, member in self.members.items() if member.ended >= 0}
        who = self.plan.completed(done)
        if who:
            self.finish("stop", "%s has completed the job" % who, 0)
        elif self.started and done.issuperset(self.required):
            self.finish("fail", "all tasks have ended and none completed the job", 0)

    def finish(self, verdict, reason, status):
        """Pronounce the verdict, once."""
        self.verdict, self.reason, self.status = verdict, reason, status
        self.leave_at = time.time() + self.plan.grace + 20
        log("coordinator", "%s: %s" % (verdict, reason))
        for line in self.lines:
            line.send(op="end", kind=verdict, why=reason, status=str(status))


def allow_files(count):
    """Let this process have so many open files and connections, as far as the node allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


# ---- The steps of one task: prepare, command, outputs, each a call of the job script, until they end or are ended ----

RUNNING = "running"


class Steps(object):
    """A task that has its number; ``slot`` is -1 until it has one.

    ``verdict`` is ``running`` until somebody says how the task ends.
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

    # --- whom a task that has met others listens to ------------------------------------------------------------

    def listen(self, seconds):
        """Wait so long, or less when there is news."""
        time.sleep(seconds)

    def watch_line(self):
        """See whether the others are still there."""

    def tell(self, **message):
        """Say something to the others."""

    def settle(self, status):
        """What follows from how the command ended by itself; the status to exit with."""
        return status

    # --- the steps ---------------------------------------------------------------------------------------------

    def work(self, steps_env, flags, release):
        """Prepare, run the command, copy the outputs; the status to exit with.

        ``release``: the socket that holds the port, closed just before the command starts.
        """
        ended = False  # whether the command did so by itself
        own = self.step("prepare", [], steps_env)
        if own == 0 and self.verdict == RUNNING:
            if release is not None:
                release.close()
            own = self.step("command", flags, steps_env)
            while self.verdict == RUNNING and not self.killed and self.plan.role(self.slot) in self.plan.again:
                log(self.name, "the command ended with %d and starts again" % own)
                self.pause(5.0)
                if self.verdict == RUNNING:
                    own = self.step("command", flags, steps_env)
            ended = not self.interrupted
        if self.killed:
            return 128 + signal.SIGTERM
        if self.verdict == RUNNING:
            return self.settle(self.copy(steps_env, own))
        log(self.name, "stopped (%s): %s" % (self.verdict, self.reason))
        told = ""
        if self.verdict == "stop":  # what was stopped has neither succeeded nor failed
            told = str(own) if ended else "stopped"
        status = self.copy(steps_env, self.plan.status(self.verdict, -1), told)
        self.tell(op="exit", status=str(status))
        return status

    def copy(self, env, status, told=""):
        """Run the outputs step, which is ``told`` how the command ended; a failed copy after success makes it 74."""
        env = dict(env, TFJOB_STATUS=told or str(status))
        copied = self.run_step("outputs", [], env)
        self.uncopied = status == 0 and copied != 0
        return copied if status == 0 else status

    def pause(self, seconds):
        """Wait, but not longer than the job runs."""
        until = time.time() + seconds
        while time.time() < until and self.verdict == RUNNING and not self.killed:
            self.listen(0.2)
            self.watch_line()

    def step(self, name, arguments, env):
        """Run a step until it ends, or the verdict ends it."""
        return self.run_step(name, arguments, env, True)

    def run_step(self, name, arguments, env, under_verdict=False):
        """Run ``bash SCRIPT NAME ARGUMENTS`` in this process group, so that YARN's kill reaches it too.

        When it is stopped it has ended only with all that it started: a relaunch must not run beside them.
        """
        try:
            child = subprocess.Popen(["bash", self.script, name] + arguments, env=env, close_fds=True)
        except OSError as error:  # above all a TF_CONFIG that is too long for the names of these nodes
            log(self.name, "%s cannot be started: %s" % (name, error))
            return 126
        if name == "command":
            self.tell(op="running")  # now those that start after this one may
        kill_at = 0.0
        stopped = {}
        while child.poll() is None or some_live(stopped):
            self.listen(0.2)
            if under_verdict:
                self.watch_line()
            if not (self.killed or (under_verdict and self.verdict != RUNNING)):
                continue
            if not kill_at:
                kill_at = time.time() + self.plan.grace
                stopped = descendants()
                self.interrupted = self.interrupted or child.poll() is None
                send(stopped, signal.SIGTERM)
            elif time.time() > kill_at:
                stopped.update(descendants())
                send(stopped, signal.SIGKILL)
        status = int(child.returncode)
        return 128 - status if status < 0 else status


def descendants():
    """All processes below this one: process id -> when it was started, which tells it from a later one of that id."""
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
    """The fields of ``/proc/PID/stat`` behind the name (state, parent, ...); none when there is no such process."""
    try:
        with open("/proc/%d/stat" % process, "rb") as file:
            return file.read().rpartition(b")")[2].decode("ascii").split()
    except EnvironmentError:
        return []


def some_live(processes):
    """Whether one of them is still there, and not only as a dead one that nobody has waited for."""
    for process, begun in processes.items():
        fields = stat(process)
        if fields and fields[19] == begun and fields[0] not in "ZX":
            return True
    return False


def send(processes, number):
    """Send a signal to those of the processes that are still there."""
    for process in processes:
        if some_live({process: processes[process]}):
            try:
                os.kill(process, number)
            except OSError:
                pass


# ---- A task that has met the others: what the coordinator says decides how it ends ----

class Task(Steps):
    """A task with a connection to the coordinator, which gives it its number and its verdict.

    ``orphaned``: the verdict is the loss of the coordinator.
    """

    def __init__(self, plan, script, slot):
        super(Task, self).__init__(plan, script, slot)
        self.line = None
        self.status = 0
        self.may_leave = False
        self.orphaned = False

    def listen(self, seconds):
        """Take what the coordinator says, for at most ``seconds``."""
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
        """One message of the coordinator."""
        kind = message.get("op")
        if kind == "welcome":
            self.slot = int(message["slot"])
        elif kind == "start":
            self.addresses = message["addresses"].split(" ")
        elif kind == "leave":
            self.may_leave = True
        elif kind == "reject":
            self.rejected = message["why"]
        elif kind == "end" and self.verdict == RUNNING:
            self.verdict, self.reason, self.status = message["kind"], message["why"], int(message["status"])
        elif kind == "again" and self.line is not None:
            self.line.open = False

    def tell(self, **message):
        """Say something to the coordinator, if there is one."""
        if self.line is not None:
            self.line.send(**message)

    def settle(self, status):
        """Report how the command ended by itself and wait for what that means; the status to exit with."""
        self.tell(op="exit", status=str(status), copied="no" if self.uncopied else "yes")
        until = time.time() + 30
        while self.verdict == RUNNING and not self.may_leave and not self.killed:
            self.listen(0.2)
            self.watch_line()
            if status and time.time() > until:
                break
        if self.may_leave:
            return 0  # ended well, or in a way that the job ignores
        if self.verdict == RUNNING:
            return status
        log(self.name, "%s: %s" % (self.verdict, self.reason))
        if (status == 0 and self.verdict == "fail") or (status == COPY_FAILED and self.verdict == "stop"):
            return status
        return self.plan.status(self.verdict, status or -1)

    def watch_line(self):
        """The loss of the coordinator is a verdict."""
        if self.line is not None and not self.line.open and self.verdict == RUNNING and not self.may_leave:
            self.verdict = "fail"
            self.orphaned = True
            self.reason = "the connection to %s, which coordinates, is lost" % self.plan.name(0)


# ---- How a container gets its number and finds the coordinator ----

NO_NUMBER = -1


def container_id(environ):
    """CONTAINER_ID, or something as unique."""
    return environ.get("CONTAINER_ID") or "%s-%d" % (socket.gethostname(), os.getpid())


def find_slot(plan, store, environ):
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
    """Application attempt and number in ``container_e17_1410901177871_0001_01_000005``."""
    found = re.match(r"container_(?:e\d+_)?\d+_\d+_(\d+)_(\d+)$", container)
    return (found.group(1), int(found.group(2))) if found else ("0", 2)


def meet(task, plan, store, coordinator, address, environ):
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
    """Seconds until the next look into the store: a tenth of the time that the task has waited, within bounds.

    Every look through the Hadoop client starts a Java machine, and a cluster may have no room for the coordinator for
    hours. All that follows the first contact comes over the connection, at once.
    """
    return min(max(store.wait, (time.time() - begun) / 10), store.longest_wait)


def verdict_text(kind, reason, environ):
    """What the store tells those who come when the job has ended: a replacement of a lost container comes late."""
    text = "ended %s %s %s\n" % (container_id(environ), kind, reason)
    return text.encode("ascii", "replace").decode("ascii")


def take_verdict(task, found, environ):
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
    """Application and attempt in a container's id."""
    found = re.match(r"container_(?:e\d+_)?(\d+_\d+)_(\d+)_\d+$", container)
    return (found.group(1), found.group(2)) if found else (container, "")


def is_late(plan, environ):
    """Whether the container may have come after the end of the job: one that YARN asked for again."""
    attempt, number = _attempt_and_number(container_id(environ))
    return attempt.lstrip("0") not in ("", "1") or number > 2 * len(plan.slots) + 1


def connect(task, found, address, environ):
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


# ---- The program's ways in: ``run PLAN SCRIPT``, ``given PLAN SCRIPT FLAGS...``, and what the steps call ----

COMMANDS = {}
"""What the program can do, by its first argument; takes the others and the environment, gives the exit status."""


def run(arguments, environ):
    """A task of a job that meets through the store."""
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
    status = meet(task, plan, store, coordinator, "%s:%d" % (host, port), environ)
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
"""When the coordinator is lost, so many tasks say so in the store: not one alone, which may be on the same node."""


def close_store(store, verdict, reason, environ):
    """Tell those who come late how the job has ended, unless the next try will use the file."""
    if verdict in ("", "restart"):
        return
    try:
        store.put("coordinator", verdict_text(verdict, reason, environ))
    except (SystemExit, Exception) as error:  # nothing depends on it but those who come late
        log("coordinator", "the verdict could not be written: %s" % error)


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
    """SIGTERM (YARN ends the container) ends the command first."""

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
COMMANDS["fetch"] = fetch_command
COMMANDS["copied"] = copied_command
COMMANDS["mark"] = mark_command


def main(arguments):
    """Do what the first argument says."""
    return COMMANDS[arguments[0]](arguments[1:], dict(os.environ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
TFJOB_PROGRAM
}

main "$@"
