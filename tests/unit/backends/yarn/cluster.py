"""A Hadoop on this machine, made of stand-ins, on which the emitted scripts really run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.unit.backends.jobs import amount, role
from tests.unit.backends.verdicts import report
from tfdsl import targets
from tfdsl.ir.model import RunTimeText

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role

STUB = Path(__file__).with_name("hadoop_stub.py")


WHO = 'echo "$TFJOB_ROLE[$TFJOB_INDEX]" >task; '


def native(name: str, replicas: int = 1, script: str = "", **fields: object) -> Role:
    """A role without an image whose command is a shell text."""
    fields.setdefault("memory", amount("1Gi"))
    fields.setdefault("cpu", amount("1"))
    return role(name, replicas, image=None, command=WHO + script + ' # "$@"', **fields)


def text(*parts: object) -> RunTimeText:
    return RunTimeText.model_validate({"parts": parts})


def scripts(unit: Unit) -> dict[str, str]:
    """File name -> text; the job must have no errors."""
    errors = [d.message for d in report(unit) if d.level == "error"]
    assert not errors, errors
    backend = targets.find("yarn")
    assert backend is not None
    made = backend.load().generate(unit)
    found: dict[str, str] = {}
    for document in made:
        assert document.file is not None
        assert isinstance(document.data, str)
        found[document.file] = document.data
    return found


class Cluster:
    """``yarn``, ``hdfs`` and ``hadoop`` on a PATH, with containers and HDFS under ``folder``."""

    def __init__(self, folder: Path, version: str = "3.4") -> None:
        self.folder = folder
        home = folder / "hadoop"
        (home / "bin").mkdir(parents=True)
        (home / "share/hadoop/yarn").mkdir(parents=True)
        for name in ("yarn", "hdfs", "hadoop"):
            program = home / "bin" / name
            program.write_text(f"#!{sys.executable}\n" + STUB.read_text())
            program.chmod(0o755)
        self.jar = home / f"share/hadoop/yarn/hadoop-yarn-applications-distributedshell-{version}.0.jar"
        self.jar.touch()
        (home / f"share/hadoop/yarn/hadoop-yarn-applications-distributedshell-{version}.0-sources.jar").touch()
        self.env = {
            "PATH": f"{home}/bin:{os.environ['PATH']}",
            "HADOOP_HOME": str(home),
            "HADOOP_USER_NAME": "alice",
            "STUB_FOLDER": str(folder),
            "STUB_VERSION": version,
            "TFJOB_POLL": "0.1",
            "TFJOB_GRACE": "3",
            "HOME": str(folder),
        }

    def write(self, unit: Unit) -> Path:
        """The scripts of a job, ready to be called."""
        place = self.folder / "job"
        place.mkdir(exist_ok=True)
        for name, text in scripts(unit).items():
            (place / name).write_bytes(text.encode())
            (place / name).chmod(0o755)
        return place

    def submit(self, unit: Unit, *arguments: str, seconds: float = 60, **env: str) -> subprocess.CompletedProcess[str]:
        """Run ``submit.sh``."""
        place = self.write(unit)
        return subprocess.run(
            ["bash", str(place / "submit.sh"), *arguments],
            env=self.env | env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def clients(self) -> list[dict[str, list[str]]]:
        """The options of each client that was started, in the order of their names."""
        lines = (self.folder / "clients").read_text().splitlines()
        return sorted((json.loads(line) for line in lines), key=lambda options: options["appname"])

    def hdfs_calls(self) -> list[list[str]]:
        """The arguments of each ``hdfs dfs``, but for those that keep the folder of job.sh to its user."""
        calls = [json.loads(line) for line in (self.folder / "dfs").read_text().splitlines()]
        return [call for call in calls if call[1:] != ["mnist"] and call != ["-chmod", "700", "mnist"]]

    def containers(self) -> dict[str, Path]:
        """``worker[0]`` -> the work folder of that task."""
        found: dict[str, Path] = {}
        for place in sorted((self.folder / "containers").glob("*/*")):
            name = place / "task"
            if name.exists():
                found[name.read_text().strip()] = place
        return found

    def logs(self) -> str:
        """What all containers wrote, for failing tests."""
        files = sorted((self.folder / "containers").glob("*/*/std*"))
        return "\n".join(f"== {file}\n{file.read_text()}" for file in files)
