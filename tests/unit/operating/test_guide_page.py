"""docs/guide/cluster.md, followed with a stand-in for kubectl and objects that real controllers had."""

from __future__ import annotations

import json
import shlex
from typing import Any

from docs.page_blocks import blocks
from docs.screens import commands
from tests.unit.cli.shell import ROOT
from tests.unit.operating import recorded
from tests.unit.operating.conftest import Kubectl, kubectl as kubectl

PAGE = ROOT / "docs/guide/cluster.md"
STATES = ["no-node.state", "failed.end", "completed.end"]
"""What has become of the job after each submission."""
LOG = (
    b"epoch 1\nTraceback (most recent call last):\nFileNotFoundError: [Errno 2] No such file: '/data/train.tfrecord'\n"
)


def state(name: str, kubectl: Kubectl) -> list[dict[str, Any]]:
    """Recorded objects, in the namespace of the page and as if they had come of the last submission."""
    job = next(one for one in kubectl.objects if one["kind"] == "JobSet")
    objects = json.loads(json.dumps(recorded.states("jobset")[name]).replace('"rec"', '"team"'))
    next(one for one in objects if one["kind"] == "JobSet")["metadata"]["annotations"] = job["metadata"]["annotations"]
    return [*objects, *(one for one in kubectl.objects if one["kind"] == "PersistentVolumeClaim")]


def test_the_page(kubectl: Kubectl) -> None:
    states = iter(STATES)
    (kubectl.folder / "bin/tail").symlink_to("/usr/bin/tail")
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        file = kubectl.folder / block.path
        if block.kind == "file":
            file.write_text(block.text)
        elif block.kind == "instead of":
            (line,) = (one for one in file.read_text().splitlines(keepends=True) if block.mark in one)
            file.write_text(file.read_text().replace(line, block.text))
        shown = ""
        for command in commands(block.text) if block.kind == "screen" else []:
            ran = kubectl.run(*shlex.split(command)[1:])
            shown += f"$ {command}\n{ran.out}{ran.err}"
            if " submit " in command:
                name = next(states)
                kubectl.put(state(name, kubectl))
                pod = next(
                    (one["metadata"]["name"] for one in kubectl.objects if "chief-0-0" in str(one["metadata"])), ""
                )
                (kubectl.cluster / f"{pod}-tensorflow.log").write_bytes(LOG)
        assert shown in ("", block.text)
    assert next(states, None) is None
