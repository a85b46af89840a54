"""A private Slurm of six nodes on this machine: one controller and six slurmds, all state in the work folder.

Nodes are named by loopback addresses, so that every program can resolve them; GPUs are made-up devices. Nothing is
limited by control groups, and there is no accounting. As on most clusters a core has two threads, and a job that says
nothing of memory gets an amount for each node: both let steps wait for each other that ask for too much.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import time
from contextlib import suppress
from pathlib import Path

PACKAGES = ("slurmctld", "slurmd", "slurm-client")
NODES = tuple(f"127.0.1.{number}" for number in range(1, 7))
"""The last two are alone in partitions."""

PORT = 17800
GPUS = 4
START_SECONDS = 60

CONFIGURATION = """\
ClusterName=tfdsl
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=3
SlurmctldPort={port}
SrunPortRange={first}-{last}
MpiDefault=none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,bf_continue,sched_interval=2,sched_min_interval=0,batch_sched_delay=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
MessageTimeout=10
KillWait=5
MinJobAge=3600
JobRequeue=1
SlurmdParameters=config_overrides
DefMemPerNode=3000
Licenses=local:2
UnkillableStepTimeout=30
NodeName={names} NodeHostname=localhost NodeAddr={names} Port=[{first_node}-{last_node}] CPUs=32 \
Sockets=1 CoresPerSocket=16 ThreadsPerCore=2 RealMemory=64000 Gres=gpu:{gpus} Feature=fast
PartitionName=main Nodes=127.0.1.[1-4] Default=YES MaxTime=INFINITE DefaultTime=10 PriorityTier=10 State=UP
PartitionName=low Nodes=127.0.1.[1-4] MaxTime=60 PriorityTier=1 PreemptMode=REQUEUE GraceTime=0 State=UP
PartitionName=brief Nodes=127.0.1.[1-4] DefaultTime=1 MaxTime=1 State=UP
PartitionName=small Nodes=127.0.1.5 MaxTime=60 State=UP
PartitionName=last Nodes=127.0.1.6 MaxTime=60 PriorityTier=1 PreemptMode=REQUEUE GraceTime=0 State=UP
PartitionName=first Nodes=127.0.1.6 MaxTime=60 PriorityTier=100 State=UP
PartitionName=high Nodes=127.0.1.[1-4] MaxTime=60 PriorityTier=100 State=UP
"""


class NotStartedError(Exception):
    """The programs cannot be had, or do not get ready."""


def install() -> None:
    """Install the Debian packages that are missing."""
    if os.geteuid() != 0 or shutil.which("dpkg") is None:
        raise NotStartedError("Slurm cannot be had: it comes from Debian packages, and its daemons need root")
    missing = [name for name in PACKAGES if subprocess.run(["dpkg", "-s", name], capture_output=True).returncode]
    if not missing:
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *missing]):
        done = subprocess.run(["apt-get", *command], env=quiet, capture_output=True, text=True)
        if done.returncode:
            raise NotStartedError(f"Slurm cannot be had: {done.stderr.strip()[-500:]}")


class Cluster:
    """The daemons. They may outlive this process (``up``)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def environment(self) -> dict[str, str]:
        """That of somebody at a login node."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SBATCH", "TFJOB"))}
        return {**kept, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def start(self) -> None:
        """Start everything with empty folders, and wait until all nodes are idle."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("state", "dev", *(f"spool.{node}" for node in NODES)):
            (self.folder / name).mkdir(parents=True)
        self._configure()
        self._run("slurmctld")
        for node in NODES:
            self.start_node(node)
        end = time.monotonic() + START_SECONDS
        idle = ("sinfo", "-h", "-N", "-p", "main,small,last", "-t", "idle", "-o", "%N")
        while len(self.ask(*idle).split()) < len(NODES):
            if time.monotonic() > end:
                log = (self.folder / "slurmctld.log").read_text()[-2000:]
                self.stop()
                raise NotStartedError(f"Slurm is not ready after {START_SECONDS} s:\n{log}")
            time.sleep(0.2)

    def _configure(self) -> None:
        for number in range(GPUS):  # slurmd wants device nodes: twins of /dev/null
            os.mknod(self.folder / f"dev/gpu{number}", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        names = f"127.0.1.[1-{len(NODES)}]"
        text = CONFIGURATION.format(
            folder=self.folder,
            names=names,
            port=PORT,
            first_node=PORT + 1,
            last_node=PORT + len(NODES),
            first=PORT + 20,
            last=PORT + 400,
            gpus=GPUS,
        )
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "gres.conf").write_text(f"NodeName={names} Name=gpu File={self.folder}/dev/gpu[0-{GPUS - 1}]\n")
        (self.folder / "cgroup.conf").write_text("CgroupAutomount=no\n")

    def start_node(self, node: str) -> None:
        """Start the daemon of a node."""
        self._run("slurmd", "-N", node)

    def _run(self, *command: str) -> None:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise NotStartedError(f"{command[0]} ended with {done.returncode}: {done.stderr}")

    def kill_node(self, node: str) -> None:
        """The daemon and the step daemons of a node end without a word, as if its power were cut."""
        log = str(self.folder / f"slurmd.{node}.log")
        daemons = {int(path.name) for path in Path("/proc").glob("[0-9]*") if _has_open(path, log)}
        for pid in (*daemons, *_descendants(daemons)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def ask(self, *command: str) -> str:
        """What a command of Slurm prints."""
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60).stdout

    def state(self, job: str) -> str:
        """The state of a job: ``PENDING``, ``RUNNING``, ``COMPLETED``, ``FAILED`` …"""
        found = re.search(r"JobState=(\w+)", self.ask("scontrol", "show", "job", job))
        return found[1] if found else ""

    def running(self) -> bool:
        """Whether the controller answers."""
        return (self.folder / "slurm.conf").exists() and "is UP" in self.ask("scontrol", "ping")

    def stop(self) -> None:
        """End the daemons, and what they have started and left behind."""
        if not (self.folder / "slurm.conf").exists():
            return
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(["scancel", "-u", "root"], env=self.environment, capture_output=True, timeout=10)
        pids = [int(path.read_text()) for path in self.folder.glob("*.pid") if path.read_text().strip()]
        for pid in (pid for pid in pids if self._is_ours(pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + 20
        while any(map(self._is_ours, pids)) and time.monotonic() < end:
            time.sleep(0.1)
        for pid in self._orphans():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _is_ours(self, pid: int) -> bool:
        """Whether it is one of the daemons, whose number nobody else has now."""
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            return state != "Z" and f"SLURM_CONF={self.folder}/slurm.conf" in _environment_of(pid)
        except OSError:
            return False

    def _orphans(self) -> list[int]:
        """Everything else with this configuration: step daemons of nodes that were killed, and their tasks."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if f"SLURM_CONF={self.folder}/slurm.conf" in _environment_of(int(path.name)):
                    found.append(int(path.name))
        return [pid for pid in found if pid != os.getpid()]


def _environment_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/environ").read_bytes().decode("utf-8", "replace").split("\0")


def _has_open(process: Path, file: str) -> bool:
    """Daemons keep the log of their node open."""
    try:
        return any(os.readlink(one) == file for one in (process / "fd").iterdir())
    except OSError:
        return False


def _descendants(of: set[int]) -> set[int]:
    """The processes that ``of`` have started, and theirs."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
    found = set(of)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - of
