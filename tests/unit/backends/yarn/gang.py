"""A job of one chief, one ps and two workers as containers that run the task program."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.unit.backends.yarn.containers import Container, until
from tfdsl_backends.yarn.assembly import entries, program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCRIPT = r"""
case $1 in
prepare)
  while [ -e hold ]; do sleep 0.05; done
  [ ! -e "$PWD/unprepared" ]
  ;;
command)
  shift
  printf '%s\n' "$TF_CONFIG" >tf_config
  printf '%s\n' "$@" >flags
  echo "$TFJOB_PORT" >port
  echo up >up
  trap 'echo term >ended; exit 143' TERM
  n=0
  while [ ! -e finish ]; do sleep 0.05; n=$((n + 1)); [ $n -lt 1200 ] || exit 99; done
  status=$(cat finish)
  rm finish
  exit "$status"
  ;;
outputs) echo "$TFJOB_STATUS" >outputs; [ ! -e "$PWD/uncopied" ] || exit 74 ;;
esac
"""
ROLES = [["chief", 1], ["ps", 1], ["worker", 2]]
NAMES = ["chief[0]", "ps[0]", "worker[0]", "worker[1]"]


class Gang:
    """A job of one chief, one ps and two workers, under one interpreter."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        self.python = python
        self.made: list[Container] = []
        (folder / "program.py").write_text(program(entries()))
        (folder / "job.sh").write_text(SCRIPT)
        self.plan(limit=15)

    def plan(self, **changes: object) -> None:
        """Write the plan: the chief decides, every failure fails the job."""
        roles = changes.get("roles", ROLES)
        assert isinstance(roles, list)
        names = [str(role) for role, _count in roles]
        plan: dict[str, object] = {
            "job": "mnist",
            "roles": roles,
            "after": {},
            "optional": [],
            "complete": [["chief", -1]],
            "actions": {name: {"0": "fail"} for name in names},
            "tf_config": [name for name in names if name != "tensorboard"],
            "flags": [name for name in names if name != "tensorboard"],
            "again": [],
            "restarts": 0,
            "store": str(self.folder / "store"),
            "webhdfs": "",
            "ports": [21000, 29000],
            "reuse_port": False,
            "limit": 15,
            "patience": 4,
            "grace": dict.fromkeys(names, 3),
        }
        (self.folder / "plan.json").write_text(json.dumps(plan | changes))

    def start(self, number: int | None, name: str = "", **env: str) -> Container:
        """Start the container with YARN_SHELL_ID ``number``."""
        folder = self.folder / (name or f"c{number}")
        argv = [self.python, str(self.folder / "program.py"), "run", str(self.folder / "plan.json")]
        numbered = {"YARN_SHELL_ID": str(number)} if number is not None else {}
        container_id = f"container_1700000000000_0001_01_{(number or 0) + 1:06d}"
        given = {"TFJOB_RUN": "run-1", "CONTAINER_ID": container_id, **numbered, **env}
        container = Container(folder, [*argv, str(self.folder / "job.sh")], given)
        self.made.append(container)
        return container

    def all(self) -> list[Container]:
        """Start all four, the chief last."""
        started = [self.start(number) for number in (4, 3, 2, 1)]
        return started[::-1]


def up(*containers: Container) -> None:
    """Wait until their commands run."""
    for container in containers:
        until(lambda c=container: (c.folder / "up").exists() or c.process.poll() is not None)
        assert (container.folder / "up").exists(), container.log


def finish(container: Container, status: int = 0) -> None:
    """Let the command end."""
    (container.folder / "finish.part").write_text(str(status))
    (container.folder / "finish.part").rename(container.folder / "finish")


def reaped(made: Gang) -> Iterator[Gang]:
    """The gang, whose containers do not outlive the test."""
    yield made
    for container in made.made:
        if container.process.poll() is None:
            container.kill()
            container.process.wait()
