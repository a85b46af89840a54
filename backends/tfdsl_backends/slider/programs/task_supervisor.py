#!/usr/bin/env python
"""Runs one task from its start to the end of the job. START leaves it behind, so the agent's timeout does not apply.

It waits until every task of the cluster has an address, runs the command with TF_CONFIG and the flags, restarts it
with the new addresses when a peer was replaced, copies the outputs, and carries out the policies: it asks the
application master to stop the job, exits (STATUS then reports the task as dead, and Slider restarts it), or stays and
answers for the ended task. To Slider, every component that exits has failed (SLIDER-494), so an ended task must stay.

Statuses of its own: 74 an output could not be copied, 75 a peer was lost, 76 peers were missing at the time limit, 77
the job has no such task.
"""

import os
import signal
import sys
import time

from tfdsl_backends.hadoop.programs.hdfs import HdfsClient
from tfdsl_backends.slider.programs import task_peers
from tfdsl_backends.slider.programs import task_command
from tfdsl_backends.slider.programs import task_master
from tfdsl_backends.slider.programs import task_mounts
from tfdsl_backends.slider.programs import task_outputs
from tfdsl_backends.slider.programs import task_policy
from tfdsl_backends.slider.programs import task_process
from tfdsl_backends.slider.programs import task_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import Any, NoReturn

    from tfdsl_backends.slider.programs.task_command import Docker, Native


COPY_FAILED, PEER_LOST, PEERS_MISSING, REJECTED = 74, 75, 76, 77


class StoppedError(Exception):
    """The task must end now: the agent has stopped it, or its container is gone."""


class Supervisor(object):
    """One task."""

    def __init__(self, settings, job):
        # type: (dict[str, str], dict[str, Any]) -> None
        self.settings, self.job = settings, job
        self.role = job["roles"].get(settings["role"]) or {}  # type: dict[str, Any]
        self.index = int(settings["tag"]) - 1 if settings["tag"].isdigit() else 0
        self.who = "%s/%s/%d" % (settings["application"] or "-", settings["role"], self.index)
        self.work = settings["work_dir"]
        self.port = int(settings["port"]) if settings["port"].isdigit() else 0
        self.docker = bool(self.role and self.role["docker"])
        self.master = task_master.Master(settings, job["resourcemanagers"])
        self.door = task_peers.Door(self.port, self.who)
        self.leader = task_process.Leader()
        self.peers = dict((name, role["replicas"]) for name, role in job["roles"].items() if role["listed"])
        self.resolving = set()  # type: set[str]
        self.found = {}  # type: dict[str, dict[int, str]]
        self.stopping = self.closing = self.ran = self.uncopied = False
        self.began = time.time()

    def log(self, message):
        # type: (str) -> None
        """Write one line to task.log, which is beside the command's own output on the container's log page."""
        try:
            sys.stdout.write("%s %s: %s\n" % (time.strftime("%Y-%m-%d %H:%M:%S"), self.who, message))
            sys.stdout.flush()
        except (IOError, OSError):  # the disk is full
            pass

    def text(self, value):
        # type: (Any) -> str
        """A text of the job, with the values that only the task knows."""
        return value if isinstance(value, str) else "".join(self.part(part) for part in value)

    def part(self, part):
        # type: (Any) -> str
        """One part of such a text."""
        if isinstance(part, str):
            return part
        if part["is"] == "index":
            return str(self.index)
        if part["is"] == "port":
            return str(self.port)
        return self.variable(part["name"])

    def variable(self, name):
        # type: (str) -> str
        """An environment variable of the task: of its env, else of the node. One that names itself is the node's."""
        own = self.role["env"].get(name)
        if own is None or name in self.resolving:
            known = {"USER": "user", "TFDSL_FLOW_RUN": "flow_run"}
            return (self.settings[known[name]] if name in known else "") or os.environ.get(name, "")
        self.resolving.add(name)
        try:
            return self.text(own)
        finally:
            self.resolving.discard(name)

    def hadoop_env(self):
        # type: () -> dict[str, str]
        """The environment for the node's Hadoop client."""
        env = task_command.clean_environment()
        env["HADOOP_CONF_DIR"] = self.settings["hadoop_conf"]
        if self.settings["user"]:
            env.setdefault("HADOOP_USER_NAME", self.settings["user"])
        return env

    def hdfs(self):
        # type: () -> HdfsClient
        """The node's Hadoop client."""
        return HdfsClient(task_command.hadoop_words(), os.path.join(self.work, ".outputs"), self.hadoop_env())

    def state(self, word, status):
        # type: (str, int | None) -> None
        """Publish the state of the task, to its peers and to people."""
        self.door.state = word
        self.tell("state", {"state": word, "status": status, "index": self.index})

    def tell(self, name, value):
        # type: (str, object) -> None
        """Write a note for people. A full disk only costs the note: the task must not run again because of it."""
        try:
            task_settings.keep(self.settings, name, value)
        except (IOError, OSError) as error:
            self.log("cannot write the note %s: %s" % (name, error))

    def pause(self, seconds):
        # type: (float) -> None
        """Wait; raise ``StoppedError`` if the task must end, and stop the job after its deadline."""
        until = task_process.clock() + seconds
        while True:
            if self.stopping or self.leader.gone():
                raise StoppedError()
            limit = self.job.get("deadline")
            if limit and time.time() - self.began > limit and not self.closing:
                self.end_job("fail job", "the job has reached its deadline of %d seconds" % limit)
            left = until - task_process.clock()
            if left <= 0:
                return
            time.sleep(min(left, 0.2))

    def run(self):
        # type: () -> NoReturn
        """Run the task, from its start to its end."""
        if not self.role or not 0 <= self.index < self.role["replicas"]:
            self.log("the job has no such replica; nothing runs here")
            self.state("rejected", REJECTED)
            while True:
                self.pause(60)
        before = task_settings.note(self.settings, "began")
        self.began = before or self.began
        task_settings.keep(self.settings, "began", self.began)
        self.state("waiting", None)
        if not self.door.open() and self.port:
            self.log("another process uses port %d" % self.port)
        # Only a new container replaces a lost one; its counts are those of the role.
        action = None if before else task_policy.on_loss(self.role, self.index, *self.master.lost(self.role["name"]))
        if action:
            self.end_job(action, "a container of %s was lost" % self.role["name"])
        self.ended(self.attempt())

    def attempt(self):
        # type: () -> int
        """Do everything from the mounts to the outputs; returns the status of the task."""
        try:
            mounts = task_mounts.prepare(self)
        except (task_mounts.MountError, IOError, OSError) as problem:
            self.log(str(problem))
            return 1
        docker = task_command.Docker(self, mounts) if self.docker else None
        runtime = docker or task_command.Native(self)  # type: Native | Docker
        status = None
        prepared = False
        try:
            while status is None:
                hosts = self.wait_for_peers()
                if hosts is None:
                    return PEERS_MISSING
                unprepared = 0 if prepared else task_command.run_steps(self, mounts)
                if unprepared:
                    return unprepared  # and nothing is copied
                prepared = True
                status = self.watch(runtime, hosts)
        except StoppedError:
            if self.ran:
                task_outputs.copy_all(self, runtime, None)
            if docker:
                docker.clean()
            raise
        self.log("the command exited with status %d" % status)
        complete = task_outputs.copy_all(self, runtime, status)
        self.uncopied = status == 0 and not complete
        if docker:
            docker.clean()
        return COPY_FAILED if self.uncopied else status

    def wait_for_peers(self):
        # type: () -> dict[str, list[str]] | None
        """Wait until every task of the cluster has an address; returns the addresses, or None after the time limit."""
        if not self.role["meets"]:
            return {}
        since = task_process.clock()
        logged = None  # type: float | None
        while True:
            absent = task_peers.missing(self.addresses(), self.peers)
            if not absent:
                self.log("all tasks have an address")
                return task_peers.spec(self.found)
            waited = task_process.clock() - since
            late = task_policy.on_pending(self.job["roles"], absent, waited)
            if late:
                self.end_job(late[1], "%s has not started after %d seconds" % (late[0], waited))
            if waited > self.job["wait_limit"]:
                self.log("gave up after %d seconds; missing: %s" % (waited, ", ".join(absent)))
                return None
            if logged is None or waited - logged > 60:
                self.log("waiting for %s %s" % (", ".join(absent[:20]), self.master.last))
                logged = waited
            self.pause(self.job["poll"])

    def addresses(self):
        # type: () -> dict[str, dict[int, str]]
        """The addresses that are exported now."""
        self.found = task_peers.addresses(self.master, self.peers)
        return self.found

    def watch(self, runtime, hosts, step=""):
        # type: (Native | Docker, dict[str, list[str]], str) -> int | None
        """Run the command, or a prepare step, once; returns its status.

        That is None if the command was stopped because a peer has a new address.
        """
        if not step:
            self.door.close()
            self.state("running", None)
        log = "prepare.log" if step else "tensorflow.log"
        with open(os.path.join(self.settings["log_dir"], log), "ab") as output:
            try:
                child = runtime.start(hosts, output)
            except OSError as error:
                self.log("cannot start %s: %s" % (step or "the command", error))
                return 127 if getattr(error, "errno", 0) == 2 else 126
        self.ran = not step
        try:
            task_command.remember(self.settings, child, runtime)
            replaced = self.attend(child, hosts)
        except BaseException:  # Slider restarts the task in any case, and never beside this command
            runtime.end(child, self.role["stop_grace"])
            task_settings.forget(self.settings, "command")
            raise
        if replaced:
            self.log("a peer was replaced; restarting the command with the new addresses")
            runtime.end(child, self.role["stop_grace"])
            self.state("waiting", PEER_LOST)
        else:
            task_process.send(child.pid, signal.SIGKILL, True)
        task_settings.forget(self.settings, "command")
        return None if replaced else task_process.status(child.returncode)

    def attend(self, child, hosts):
        # type: (subprocess.Popen[bytes], dict[str, list[str]]) -> bool
        """Wait until the command has ended; true if a peer has a new address before that."""
        looked = task_process.clock()
        while child.poll() is None:
            self.pause(0.2)
            if hosts and task_process.clock() - looked > self.job["watch"]:
                looked = task_process.clock()
                if not task_peers.missing(self.addresses(), self.peers) and task_peers.spec(self.found) != hosts:
                    return True
        return False

    def ended(self, status):
        # type: (int) -> NoReturn
        """Carry out the policies for a task that has ended."""
        if status == 0 and not self.role.get("again"):
            self.state("done", 0)
            self.stay(task_policy.completes(self.job, self.role, self.index))
        rule = task_policy.on_exit(self.role, self.index, status)
        action = rule["action"]
        if action == "ignore":
            self.log("a policy ignores the failure")
            self.state("done", status)
            self.stay("all" if task_policy.completes(self.job, self.role, self.index) == "all" else None)
        self.state("failed", status)
        if self.uncopied and action in task_policy.RESTARTS:
            # Training that has succeeded is never repeated because of a copy.
            self.end_job("fail job", "the command succeeded, but its outputs could not be copied (status %d)" % status)
        if action in task_policy.RESTARTS:
            self.start_again(rule, status)
        self.end_job(action, "the command failed with status %d" % status)

    def start_again(self, rule, status):
        # type: (dict[str, Any], int) -> NoReturn
        """Exit, so that Slider restarts the task, unless the limit is reached."""
        before = task_settings.note(self.settings, "restarts") or 0
        if rule["action"] == "restart pod":
            before = self.master.lost(self.role["name"])[0]
        action = task_policy.on_restart(self.role, self.index, before + 1)
        if action:
            self.end_job(action, "%s has reached the number of restarts in its policy" % self.role["name"])
        if rule["limited"] and before >= self.job["retries"]:
            self.end_job("fail job", "exited with status %d after %d restarts" % (status, before))
        task_settings.keep(self.settings, "restarts", before + 1)
        pauses = self.job["pauses"]
        self.pause(pauses[min(before, len(pauses) - 1)])
        self.log("restart %d" % (before + 1))
        self.door.close()
        sys.exit(status)

    def stay(self, deciding):
        # type: (str | None) -> NoReturn
        """Answer for the ended task; stop the job if this task, or its whole role, completes it."""
        if deciding == "alone":
            self.end_job("complete job", "%s has completed" % self.who)
        while True:
            self.door.open()
            if deciding == "all" and self.all_done():
                self.end_job("complete job", "every %s has completed" % self.role["name"])
            self.pause(self.job["poll"])

    def all_done(self):
        # type: () -> bool
        """Whether every other replica of the role reports that it is done."""
        role = self.role["name"]
        addresses = task_peers.addresses(self.master, {role: self.role["replicas"]})[role]
        for index in range(self.role["replicas"]):
            who = "%s/%s/%d" % (self.settings["application"] or "-", role, index)
            if index != self.index and (index not in addresses or task_peers.ask(addresses[index], who) != "done"):
                return False
        return True

    def end_job(self, action, why):
        # type: (str, str) -> NoReturn
        """Ask the application master to stop the application until YARN ends this container."""
        self.log("%s: %s" % (action, why))
        self.closing = True
        self.tell("verdict", {"action": action, "why": why})
        while True:
            self.door.open()
            if self.master.stop():
                self.log("asked the application master to stop the application")
            else:
                self.log("cannot ask the application master to stop the application (%s)" % self.master.last)
            self.pause(self.job["poll"] * 2)


def main(path):
    # type: (str) -> None
    """Run the task whose settings are at ``path``."""
    supervisor = Supervisor(task_settings.read(path), task_settings.job())

    def on_term(number, frame):
        # type: (int, object) -> None
        supervisor.stopping = True

    signal.signal(signal.SIGTERM, on_term)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        supervisor.run()
    except StoppedError:
        supervisor.log("stopped")
        supervisor.state("stopped", 0)


if __name__ == "__main__":
    main(sys.argv[1])
