"""A private Slurm of six nodes on this machine: one controller and six slurmds, all state in the work folder.

Nodes are named by loopback addresses, so that every program can resolve them; GPUs are made-up devices. Nothing is
limited by control groups, and there is no accounting; :class:`Accounted` has both. As on most clusters a core has two
threads, and a job that says nothing of memory gets an amount for each node: both let steps wait for each other that ask
for too much.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

PACKAGES = ("slurmctld", "slurmd", "slurm-client")
NODES = tuple(f"127.0.1.{number}" for number in range(1, 7))
"""The last two are alone in partitions."""

DATABASE = ("slurmdbd", "mariadb-server")
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
JobRequeue=1
SlurmdParameters=config_overrides
DefMemPerNode=3000
Licenses=local:2
UnkillableStepTimeout=30
NodeName={names} NodeHostname=localhost NodeAddr={names} Port=[{first_node}-{last_node}] CPUs={threads} \
Sockets=1 CoresPerSocket={cores} ThreadsPerCore=2 RealMemory=64000 Gres=gpu:{gpus} Feature=fast
PartitionName=main Nodes=127.0.1.[1-4] Default=YES MaxTime=INFINITE DefaultTime=10 PriorityTier=10 State=UP
PartitionName=low Nodes=127.0.1.[1-4] MaxTime=60 PriorityTier=1 PreemptMode=REQUEUE GraceTime=0 State=UP
PartitionName=brief Nodes=127.0.1.[1-4] DefaultTime=1 MaxTime=1 State=UP
PartitionName=small Nodes=127.0.1.5 MaxTime=60 State=UP
PartitionName=last Nodes=127.0.1.6 MaxTime=60 PriorityTier=1 PreemptMode=REQUEUE GraceTime=0 State=UP
PartitionName=first Nodes=127.0.1.6 MaxTime=60 PriorityTier=100 State=UP
PartitionName=high Nodes=127.0.1.[1-4] MaxTime=60 PriorityTier=100 State=UP
"""

WITHOUT_ACCOUNTING = """\
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MinJobAge=3600
"""
WITH_ACCOUNTING = """\
TaskPlugin=task/cgroup
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort={database}
AccountingStorageEnforce=associations,limits,qos
MinJobAge=2
"""
"""The queue forgets a job within a minute of its end; a step that needs more memory than it may is killed."""

DATABASE_CONFIGURATION = """\
AuthType=auth/none
DbdHost=localhost
DbdPort={database}
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={port}
StorageUser=root
StorageLoc=slurm
"""
ACCOUNTS = (
    "add cluster tfdsl",
    "add account lab",
    "add user root account=lab",
    "modify user root set defaultaccount=lab",
    "add qos small set maxjobsperuser=1",
    "modify user root set qos=normal,small",
)


class NotStartedError(Exception):
    """The programs cannot be had, or do not get ready."""


def install(packages: Sequence[str] = PACKAGES) -> None:
    """Install the Debian packages that are missing."""
    if os.geteuid() != 0 or shutil.which("dpkg") is None:
        raise NotStartedError("Slurm cannot be had: it comes from Debian packages, and its daemons need root")
    missing = [name for name in packages if subprocess.run(["dpkg", "-s", name], capture_output=True).returncode]
    if not missing:
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *missing]):
        done = subprocess.run(["apt-get", *command], env=quiet, capture_output=True, text=True)
        if done.returncode:
            raise NotStartedError(f"Slurm cannot be had: {done.stderr.strip()[-500:]}")


class Cluster:
    """The daemons. They may outlive this process (``up``)."""

    port = PORT
    cores = 16
    sruns = 120
    """That can run at once: each listens on three ports of ``SrunPortRange``, and ends if there is none."""
    more = WITHOUT_ACCOUNTING
    cgroups = "CgroupAutomount=no\n"

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
        self._before()
        self.start_controller()
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

    def _before(self) -> None:
        """Start what the controller needs."""

    def _configure(self) -> None:
        for number in range(GPUS):  # slurmd wants device nodes: twins of /dev/null
            os.mknod(self.folder / f"dev/gpu{number}", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        names = f"127.0.1.[1-{len(NODES)}]"
        text = (CONFIGURATION + self.more).format(
            folder=self.folder,
            names=names,
            port=self.port,
            first_node=self.port + 1,
            last_node=self.port + len(NODES),
            database=self.port + 10,
            cores=self.cores,
            threads=2 * self.cores,
            first=self.port + 20,
            last=self.port + 20 + 3 * self.sruns,
            gpus=GPUS,
        )
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "gres.conf").write_text(f"NodeName={names} Name=gpu File={self.folder}/dev/gpu[0-{GPUS - 1}]\n")
        (self.folder / "cgroup.conf").write_text(self.cgroups)

    def start_controller(self) -> None:
        """Start the controller, which may have run before: its state is in the work folder."""
        self._run("slurmctld")

    def kill_controller(self) -> None:
        """It ends without a word; what it did last is in its state."""
        saved, now = self.folder / "state/job_state", time.time()
        self._until_true(lambda: saved.exists() and saved.stat().st_mtime > now, "the controller saves its state")
        os.kill(int((self.folder / "slurmctld.pid").read_text()), signal.SIGKILL)
        self._until_true(lambda: not self.running(), "the controller is gone")

    def _until_true(self, holds: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + START_SECONDS
        while not holds():
            if time.monotonic() > end:
                raise NotStartedError(f"not in {START_SECONDS} s: {what}")
            time.sleep(0.2)

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
        found: list[int] = []
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if f"SLURM_CONF={self.folder}/slurm.conf" in _environment_of(int(path.name)):
                    found.append(int(path.name))
        return [pid for pid in found if pid != os.getpid()]


class Another(Cluster):
    """The same, beside the one that all tests share: things happen to it."""

    port = PORT + 1000


class Accounted(Cluster):
    """The same with accounting (slurmdbd and MariaDB) and with limits of memory by control groups."""

    port = PORT + 500
    more = WITH_ACCOUNTING
    cgroups = "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainRAMSpace=yes\nAllowedSwapSpace=0\n"

    def _before(self) -> None:
        install(DATABASE)
        data, port = self.folder / "database", self.port + 11
        shutil.rmtree(data, ignore_errors=True)
        options = (f"--datadir={data}", "--user=root")
        self._run("mariadb-install-db", "--no-defaults", *options, "--auth-root-authentication-method=normal")
        socket = self.folder / "database.sock"
        self._run(
            *("start-stop-daemon", "--start", "--background", f"--pidfile={self.folder}/mariadbd.pid"),
            *("--startas", "/usr/sbin/mariadbd", "--"),
            *("--no-defaults", *options, f"--socket={socket}", f"--pid-file={self.folder}/mariadbd.pid"),
            *("--bind-address=127.0.0.1", f"--port={port}", "--innodb-buffer-pool-size=64M"),
        )
        self._until("mariadb-admin", "--no-defaults", f"--socket={socket}", "ping")
        text = DATABASE_CONFIGURATION.format(folder=self.folder, database=self.port + 10, port=port)
        (self.folder / "slurmdbd.conf").write_text(text)
        (self.folder / "slurmdbd.conf").chmod(0o600)
        self._run("slurmdbd")
        self._until("sacctmgr", "-n", "show", "cluster")
        for words in ACCOUNTS:
            self._run("sacctmgr", "-i", *words.split())

    def _until(self, *command: str) -> None:
        end = time.monotonic() + START_SECONDS
        while subprocess.run(command, env=self.environment, capture_output=True).returncode:
            if time.monotonic() > end:
                raise NotStartedError(f"{command[0]} has no answer after {START_SECONDS} s")
            time.sleep(0.2)


class Large(Cluster):
    """One for 200 replicas. It has no accounting: that of each step would look at its processes every second."""

    port = PORT + 1000
    cores = 64
    sruns = 250


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
