"""Workflows and actions of GitHub, run as its runner does: steps with the environment, files and shells that it gives.

Read from docs.github.com, "Workflow syntax", "Metadata syntax" and "Workflow commands": bash is started as
``bash --noprofile --norc -eo pipefail {0}``, a step without a shell as ``bash -e {0}``; what a step appends to
``GITHUB_PATH`` comes first on the path of the next ones; the first step that fails ends the job. Only the expressions
that the action uses are known, and any other fails.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from pathlib import Path

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
COMMAND = re.compile(r"^::(?P<name>error|warning|notice) (?P<properties>[^:]*)::(?P<message>.*)$")
SHELLS = {None: ["bash", "-e"], "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"]}


@dataclass(frozen=True)
class Annotation:
    """What a pull request shows."""

    level: str
    path: str
    line: int
    title: str
    message: str


@dataclass
class Runner:
    """One job of a workflow in ``workspace``; ``action`` is the folder of the action, ``temp`` is kept between jobs."""

    workspace: Path
    action: Path
    temp: Path
    log: str = ""
    path: list[str] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """The summary of the run."""
        file = self.temp / "summary.md"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def workflow(self, text: str, job: str) -> int:
        """Run the steps of a job; gives the exit status of the one that failed."""
        for step in yaml.safe_load(text)["jobs"][job]["steps"]:
            if "uses" not in step:
                status = self._step(step, {})
            elif step["uses"].startswith("actions/checkout@"):
                status = 0  # the test has done it
            else:
                assert step["uses"].startswith("example/tfdsl@")
                status = self.use(step.get("with", {}))
            if status:
                return status
        return 0

    def use(self, given: dict[str, Any], *, only: str = "") -> int:
        """Run the action; ``only``: the step of this name and those after it."""
        action = yaml.safe_load((self.action / "action.yml").read_text(encoding="utf-8"))
        assert action["runs"]["using"] == "composite"
        assert set(given) <= set(action["inputs"])
        inputs = {name: str(given.get(name, field["default"])) for name, field in action["inputs"].items()}
        steps = action["runs"]["steps"]
        names = [step["name"] for step in steps]
        for step in steps[names.index(only) if only else 0 :]:
            assert step["shell"] == "bash"  # a step of an action must say it
            status = self._step(step, inputs)
            if status:
                return status
        return 0

    def _step(self, step: dict[str, Any], inputs: dict[str, str]) -> int:
        assert set(step) <= {"name", "shell", "env", "run"}
        script = self.temp / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        own = {name: self._expanded(value, inputs) for name, value in step.get("env", {}).items()}
        added = self.temp / "path"
        added.touch()
        given = {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_PATH": str(added),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary.md"),
            "RUNNER_TEMP": str(self.temp),
            "PATH": os.pathsep.join([*self.path, os.environ["PATH"]]),
            "HOME": str(self.temp),
        }
        done = subprocess.run(
            [*SHELLS[step.get("shell")], str(script)],
            cwd=self.workspace,
            env=given | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        self.log += done.stdout
        self.path = [*reversed(added.read_text(encoding="utf-8").split())]
        return done.returncode

    def _expanded(self, text: str, inputs: dict[str, str]) -> str:
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        return EXPRESSION.sub(lambda match: known[match[1]], text)

    def annotations(self) -> list[Annotation]:
        """What the log says to GitHub, without what is between ``::stop-commands::`` and its end."""
        found: list[Annotation] = []
        stopped = ""
        for line in self.log.splitlines():
            if stopped:
                stopped = "" if line == f"::{stopped}::" else stopped
            elif line.startswith("::stop-commands::"):
                stopped = line.removeprefix("::stop-commands::")
            elif line.lstrip().startswith("::") or "##[" in line:
                found.append(_annotation(line))
        assert not stopped
        return found


def _annotation(line: str) -> Annotation:
    match = COMMAND.match(line)
    assert match, f"a command that nobody meant: {line}"
    given = dict(pair.split("=", 1) for pair in match["properties"].split(","))
    path, message = _decoded(given.get("file", "")), _decoded(match["message"])
    return Annotation(match["name"], path, int(given.get("line", 0)), _decoded(given.get("title", "")), message)


def _decoded(text: str) -> str:
    for escape, character in {"%3A": ":", "%2C": ",", "%0A": "\n", "%0D": "\r", "%25": "%"}.items():
        text = text.replace(escape, character)
    return text
