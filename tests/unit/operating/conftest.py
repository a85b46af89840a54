"""A stand-in for kubectl on the path."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.unit.cli.shell import Ran, tfdsl
from tests.unit.operating import stand_in_kubectl
from tfdsl.backend.cluster import Answer, Call

JOB = """\
job train {
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "train.py"]
  checkpoint = "/data/run"
  mount claim 1Gi at "/data"
  role chief { cpu = 4, memory = 16Gi }
  role worker { replicas = 2, cpu = 4, memory = 16Gi }
  role tensorboard { }
}
"""


class Kubectl:
    """A folder with a job, and the stand-in's cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cluster = folder / "cluster"
        programs = folder / "bin"
        for made in (self.cluster, programs):
            made.mkdir()
        program = programs / "kubectl"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E -s {stand_in_kubectl.__file__} "$@"\n')
        program.chmod(0o755)
        self.path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.put([])
        (folder / "train.tfjob").write_text(JOB)

    def put(self, objects: list[dict[str, Any]]) -> None:
        """Let the cluster hold ``objects``."""
        (self.cluster / "objects.json").write_text(json.dumps(objects))

    @property
    def objects(self) -> list[dict[str, Any]]:
        """What the cluster holds."""
        found: list[dict[str, Any]] = json.loads((self.cluster / "objects.json").read_text())
        return found

    def names(self) -> set[str]:
        """The kinds and names of what it holds."""
        return {f"{one['kind']}/{one['metadata']['name']}" for one in self.objects}

    def odd(self, *rules: tuple[str, dict[str, Any]]) -> None:
        """Let it answer otherwise."""
        (self.cluster / "odd.json").write_text(json.dumps(rules))

    def calls(self) -> list[str]:
        """The command lines so far."""
        file = self.cluster / "calls.txt"
        return file.read_text().splitlines() if file.exists() else []

    def run(self, *words: str) -> Ran:
        """Run ``tfdsl`` with it on the path."""
        with mock.patch("tfdsl.operating.session.ask", self.ask):
            return self.process(*words)

    def process(self, *words: str) -> Ran:
        """The same, with it as a process of its own, which takes its time."""
        return tfdsl(*words, cwd=self.folder, PATH=self.path, STAND_IN_KUBECTL=str(self.cluster))

    def ask(self, calls: Sequence[Call], patience: float) -> list[Answer]:
        """What it answers, in this process."""
        assert patience > 0
        return [self._answer(call) for call in calls]

    def _answer(self, call: Call) -> Answer:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            status = stand_in_kubectl.main(list(call.words[1:]), self.cluster, call.stdin)
        for stream in (out, err):
            stream.flush()
        return Answer(status, *(stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)))


@pytest.fixture
def kubectl(tmp_path: Path) -> Kubectl:
    """A stand-in for kubectl."""
    return Kubectl(tmp_path)
