"""The example ``nightly`` with a fault in each of its places, and what ``tfdsl simulate`` says follows.

A fault is one of the data or of the cluster: the program is always that of the example.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLE = Path(__file__).parents[2] / "examples/nightly"
TEXT = (EXAMPLE / "main.tfjob").read_text(encoding="utf-8")
IMAGE = "registry.example.com/ml/nightly:1.0"
SCHEDULE = '  schedule = "0 2 * * 1-5"\n'
EVERY_STEPS = 100
"""After so many there is a checkpoint."""

SHORT, LONG = 100, 4000
"""Steps: one checkpoint, and so many that the training can be disturbed when it has one."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong, in the words of ``tfdsl simulate --inject``; each engine's test does it.

    ``steps``: of the training. ``least``: how good the model has to be. ``blocked``: a folder that a step cannot make,
    because a file has its name. ``retried``: whether the training has a policy for failures.
    """

    inject: str = ""
    steps: int = SHORT
    least: float = 0
    blocked: str = ""
    retried: bool = True

    @property
    def edits(self) -> tuple[tuple[str, str], ...]:
        """The changes of the example."""
        enough = ("least: number = 0.9", f"least: number = {self.least}")
        return (trained(self.steps), enough, *(() if self.retried else NEVER))


NEVER = (("  on failed => restart container\n", "  on failed => fail job\n"), ("  retries    = 3\n", ""))
"""The edits by which the training is never tried again."""


def trained(steps: int) -> tuple[str, str]:
    """The edit by which the training has so many steps."""
    command = '"train.py", "train", "${runs}/data"'
    return command, f'{command}, "--steps={steps}"'


NONE = "none"
KILLED, KILLED_FOR_GOOD = "train is killed", "train is killed and has no retry"
FAULTS = {
    NONE: Fault(steps=1000, least=0.9),
    "fetch fails": Fault("fetch: worker[0] exit 1 always", blocked="data"),
    KILLED: Fault("train: worker[0] exit 137", LONG),
    KILLED_FOR_GOOD: Fault("train: worker[0] exit 137", LONG, retried=False),
    "train always fails": Fault("train: worker[0] exit 1 always", blocked="train"),
    "evaluate fails": Fault("evaluate: worker[0] exit 1 always", steps=1, least=1),
    "export fails": Fault("export: worker[0] exit 1 always", blocked="models"),
}


def edited(text: str, *edits: tuple[str, str]) -> str:
    """``text`` with each of the edits, of which none may be in vain."""
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def write(folder: Path, fault: Fault, shared: Path, *edits: tuple[str, str]) -> None:
    """The example with the fault in ``folder``, whose jobs share the folder ``shared``."""
    folder.mkdir(parents=True, exist_ok=True)
    shared.mkdir(parents=True, exist_ok=True)
    shutil.copy(EXAMPLE / "train.py", folder)
    (folder / "main.tfjob").write_text(edited(TEXT, *fault.edits, *edits))
    if fault.blocked:
        (shared / fault.blocked).touch()


class End(NamedTuple):
    """How a night has ended: the flow, and each of its jobs."""

    outcome: str
    jobs: dict[str, str]


def predicted(fault: Fault, words: Sequence[str], folder: Path) -> End:
    """What ``tfdsl simulate`` says of the one target that ``words`` name."""
    inject = ("--inject", fault.inject) if fault.inject else ()
    ran = tfdsl("simulate", *words, "--format", "json", *inject, cwd=folder)
    assert ran.status == 0, ran.err
    scenario = json.loads(ran.out)["flows"][0]["scenarios"][0]
    assert scenario["inject"] == ([fault.inject] if fault.inject else [])
    (target,) = scenario["targets"]
    assert not target["or"]
    return End(target["outcome"], target["jobs"])


def left(name: str, end: End, shared: Path) -> None:
    """Check what a night has left in the folder of its jobs."""
    assert (shared / "models/1/saved_model.pb").is_file() == (end.jobs["export"] == "succeeded")
    if name == KILLED:  # it has gone on from its checkpoint, behind whose number it counts
        last = re.search(r'^model_checkpoint_path: ".*ckpt-(\d+)"', (shared / "train/checkpoint").read_text())
        assert last is not None
        assert int(last[1]) > LONG / EVERY_STEPS
