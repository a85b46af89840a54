"""The cluster: started, asked, stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from tests.conformance.yarn import configuration

if TYPE_CHECKING:
    from tests.conformance.yarn.work import Work

START_SECONDS = 120


class NotStartedError(Exception):
    """The cluster ended too early or does not get ready; the message ends with the last lines of its log."""


@dataclass(frozen=True)
class Application:
    """An application, as the ResourceManager sees it. ``containers``: those that run -> what they were given."""

    id: str
    name: str
    user: str
    queue: str
    tags: list[str]
    priority: int
    state: str
    final: str
    diagnostics: str
    containers: dict[str, str]


class Cluster:
    """HDFS and YARN in one Java machine, which may outlive this process (``up``)."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.run = work.sub("run")
        self.log = work.folder / "cluster.log"
        self._mark = work.folder / "cluster.pid"

    # --- start and stop --------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it with empty folders and wait until all nodes have registered."""
        self.stop()
        self.run = self.work.fresh("run")
        nodes = configuration.write(self.work, self.run)
        classes = f"{self.work.conf}:{self.work.folder}/classes/hadoop:{self.work.home}/lib/*"
        command = [*configuration.java_flags(), "-cp", classes, "Cluster", str(self.run / "ready"), *map(str, nodes)]
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=self.work.environment,
                cwd=self.run,
            )
        self._mark.write_text(f"{process.pid} {_started(process.pid)}")
        end = time.monotonic() + START_SECONDS
        while not (self.run / "ready").exists():
            if process.poll() is not None:
                raise NotStartedError(f"the cluster has ended with {process.returncode}:\n{self.tail()}")
            if time.monotonic() > end:
                self.stop()
                raise NotStartedError(f"the cluster is not ready after {START_SECONDS} s:\n{self.tail()}")
            time.sleep(0.1)

    def stop(self) -> None:
        """End it and all its containers: TERM, and KILL when that has no effect in 30 s."""
        for number, seconds in ((signal.SIGTERM, 30), (signal.SIGKILL, 5)):
            pid = self._pid()
            if pid is None:
                break
            os.kill(pid, number)
            end = time.monotonic() + seconds
            while self._pid() is not None and time.monotonic() < end:
                time.sleep(0.1)
        self._mark.unlink(missing_ok=True)

    def running(self) -> bool:
        """Whether it is there and ready."""
        return self._pid() is not None and (self.run / "ready").exists()

    def tail(self) -> str:
        """The last lines of its log that are more than news."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if " INFO " not in line]
        return "\n".join(lines[-20:])

    def _pid(self) -> int | None:
        """Its process, unless that has ended or the number belongs to another one by now."""
        try:
            pid, started = self._mark.read_text().split()
        except (FileNotFoundError, ValueError):
            return None
        with suppress(ChildProcessError):
            os.waitpid(int(pid), os.WNOHANG)
        return int(pid) if _started(int(pid)) == started else None

    # --- what it says ----------------------------------------------------------------------------------------------

    def setting(self, file: str, name: str) -> str:
        """A value of ``core-site``, ``hdfs-site`` or ``yarn-site``."""
        for found in ElementTree.parse(self.work.conf / f"{file}.xml").getroot():
            if found.findtext("name") == name:
                return found.findtext("value") or ""
        raise KeyError(name)

    @property
    def webhdfs(self) -> str:
        """The address of WebHDFS."""
        return "http://" + self.setting("hdfs-site", "dfs.namenode.http-address")

    @property
    def files(self) -> str:
        """``hdfs://host:port``."""
        return self.setting("core-site", "fs.defaultFS")

    def applications(self) -> dict[str, Application]:
        """What the ResourceManager knows about all applications, by their ids."""
        port = (self.run / "ready").read_text().strip()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
            told = json.load(answer)
        return {name: Application(id=name, **facts) for name, facts in told.items()}

    def lose(self, port: str) -> None:
        """Lose the node whose NodeManager has that port: its containers end, and it comes back without them."""
        told = (self.run / "ready").read_text().strip()
        with urllib.request.urlopen(f"http://127.0.0.1:{told}/lose/{port}", timeout=30):
            pass

    def hdfs(self, *arguments: str | Path) -> str:
        """The output of ``hdfs dfs ARGUMENTS``, which must succeed."""
        command = [str(self.work.home / "bin/hdfs"), "dfs", *map(str, arguments)]
        done = subprocess.run(command, env=self.work.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def yarn(self, *arguments: str) -> str:
        """The output of ``yarn ARGUMENTS``, which must succeed."""
        command = [str(self.work.home / "bin/yarn"), *arguments]
        done = subprocess.run(command, env=self.work.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def containers(self, application: str) -> dict[str, Path]:
        """Container -> the folder of its logs, in order of their numbers; the first is the application master's."""
        found = {path.name: path for path in self.run.glob(f"node*/logs/{application}/container_*")}
        return dict(sorted(found.items()))

    def node_of(self, container: str) -> str:
        """The node that a container is on, as ``node0``."""
        (path,) = self.run.glob(f"node*/logs/*/{container}")
        return path.parents[2].name


def _started(pid: int) -> str:
    """When a process was started, in ticks since the machine was; empty when there is none or it is a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] == "Z" else fields[19]
