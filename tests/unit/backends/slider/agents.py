"""Stand-ins for Slider's agents: each runs the emitted scripts in a container of its own, as the real one does."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.unit.backends.jobs import time as duration, unit
from tests.unit.backends.slider.master import APPLICATION, Master
from tfdsl import targets
from tfdsl.emit import json as json_writer, xml as xml_writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.backend import OptionValue, Unit
    from tfdsl.ir.model import Job

STAND_IN = Path(__file__).parent / "stand_in"


def write_files(made: Unit, folder: Path) -> None:
    """The generated files below ``folder``."""
    backend = targets.find("slider")
    assert backend is not None
    for document in backend.load().generate(made):
        assert document.file is not None
        path = folder / document.file
        path.parent.mkdir(parents=True, exist_ok=True)
        if document.format == "text":
            assert isinstance(document.data, str)
            path.write_text(document.data, encoding="utf-8")
        else:
            writer = xml_writer if document.format == "xml" else json_writer
            path.write_text(writer.write(document.data).text, encoding="utf-8")
        path.chmod(0o755 if document.executable else 0o644)


def until(what: Callable[[], object], seconds: float = 20) -> None:
    """Wait until ``what`` holds; a failing test when it does not."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.03)


def free_port() -> int:
    """A port as an agent allocates it: bound and closed."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Container:
    """One agent with its container. ``tag``: the number of the container in its component, from 1."""

    def __init__(self, cluster: Cluster, role: str, tag: int, name: str) -> None:
        self.cluster, self.role, self.tag = cluster, role, tag
        self.port = free_port()
        self.name = name
        self.folder = cluster.folder / "containers" / name
        self.logs = cluster.folder / "logs" / name
        self.definition = self.folder / "app" / "definition"
        shutil.copytree(cluster.application, self.definition)
        self.leader: subprocess.Popen[bytes] | None = None
        if cluster.publishes:
            cluster.master.publish(role, tag, f"127.0.0.1:{self.port}")

    @property
    def task(self) -> Path:
        """The task's work folder."""
        return self.folder / "app" / "task"

    @property
    def log(self) -> str:
        """What the supervisor and the command have written."""
        files = sorted(self.logs.glob("*.log"))
        return "".join(path.read_text(encoding="utf-8", errors="replace") for path in files)

    def run(self, command: str, *, session: bool = False) -> int:
        """Run a command of the agent; its status."""
        config = self.folder / "command.json"
        config.write_text(json.dumps(self.config(command)))
        out = self.folder / "structured-out.json"
        script = self.definition / "package" / "scripts" / "role.py"
        argv = [self.cluster.python, str(script), command, str(config), str(self.folder), str(out), "INFO"]
        env = {
            "PATH": f"{self.cluster.folder / 'bin'}:{os.environ['PATH']}",
            "AGENT_WORK_ROOT": str(self.folder),
            "PYTHONPATH": f"{self.folder}/agent:{STAND_IN}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "http_proxy": "http://127.0.0.1:9/",
            **self.cluster.env,
        }
        if session:  # a session of its own, as a NodeManager gives each container
            argv = ["sh", "-c", '"$@"; sleep 60', "sh", *argv]
            self.leader = subprocess.Popen(argv, env=env, cwd=self.folder, start_new_session=True)
            until(lambda: (self.folder / "structured-out.json").exists())
            return 0
        return subprocess.run(argv, env=env, cwd=self.folder, timeout=60).returncode

    def config(self, command: str) -> dict[str, object]:
        """What the agent hands to a script."""
        site = {
            "app_log_dir": str(self.logs),
            "app_pid_dir": f"{self.folder}/app/run",
            "app_container_id": f"container_{APPLICATION.partition('_')[2]}_01_{self.name}",
            "app_container_tag": str(self.tag),
            "user.name": "alice",
            "hadoop.conf": str(self.cluster.folder / "conf"),
            "zookeeper.quorum": "zk:2181",
            f"{self.role}.port": str(self.port),
            **self.cluster.site,
        }
        return {
            "roleCommand": command,
            "serviceName": "mnist",
            "componentName": self.role,
            "hostname": "127.0.0.1",
            "configurations": {"global": site},
        }

    def start(self) -> Container:
        """INSTALL and START, as after the container has come up."""
        assert self.run("INSTALL") == 0
        assert self.run("START") == 0
        return self

    def is_alive(self) -> bool:
        """What STATUS says."""
        status = self.run("STATUS")
        assert status in (0, 1)
        return status == 0

    def note(self, name: str) -> object:
        """A value that the supervisor has noted, or ``None``."""
        path = self.folder / "app" / "run" / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def has_state(self, word: str) -> bool:
        """Whether the task is in the state."""
        state = self.note("state")
        return isinstance(state, dict) and state["state"] == word


class Cluster:
    """A cluster that runs one application. ``site``: further settings that agents hand to the scripts."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder, self.python = folder, python
        self.master = Master()
        self.containers: list[Container] = []
        self.application = folder / "application"
        self.site: dict[str, str] = {}
        self.env: dict[str, str] = {}
        self.publishes = True
        (folder / "bin").mkdir()
        (folder / "conf").mkdir()

    def deploy(self, made: Job, *, quick: dict[str, object] | None = None, **options: OptionValue) -> None:
        """Write the application, with short intervals in place of the long ones."""
        options = {"resourcemanager": (self.master.address,), **options}
        made = made.but(
            roles=tuple(one if one.stop_grace else one.but(stop_grace=duration("2s")) for one in made.roles)
        )
        write_files(unit(made, "slider", **options), self.application)
        path = self.application / "package" / "files" / "job.json"
        job = json.loads(path.read_text())
        job |= {"poll": 0.1, "watch": 0.2, "pauses": [0]} | (quick or {})
        path.write_text(json.dumps(job))

    def program(self, name: str, text: str) -> None:
        """A program on the PATH of the nodes."""
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def container(self, role: str, tag: int = 1, name: str | None = None) -> Container:
        """A container with its agent; its port is reported, nothing is started yet."""
        found = Container(self, role, tag, name or f"{len(self.containers) + 2:06d}")
        self.containers.append(found)
        return found

    def close(self) -> None:
        """End everything that is still there."""
        supervisors = [note["pid"] for c in self.containers if isinstance(note := c.note("supervisor"), dict)]
        for pid in supervisors:
            send(pid, signal.SIGTERM)
        until(lambda: all(has_ended(pid) for pid in supervisors))
        for container in self.containers:
            if container.leader is not None and container.leader.poll() is None:
                os.killpg(container.leader.pid, signal.SIGKILL)
                container.leader.wait()
        self.master.close()


def send(pid: int, number: int) -> None:
    """A signal to a process that may be gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def kill_supervisor(container: Container) -> None:
    """What the kernel does when the node has no memory left."""
    supervisor = container.note("supervisor")
    assert isinstance(supervisor, dict)
    os.kill(int(supervisor["pid"]), signal.SIGKILL)
    until(lambda: has_ended(int(supervisor["pid"])))


def has_ended(pid: int) -> bool:
    """Whether the process is gone, or dead and not waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # it may go while it is read
        return True
