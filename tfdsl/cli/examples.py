"""The examples that ``tfdsl new --from`` writes: folders of ``examples/``, which a wheel has as ``tfdsl/examples``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

NAMES: Final = (
    "mnist",
    "single-gpu",
    "multi-worker",
    "evaluator",
    "secrets",
    "prepare",
    "spot",
    "profiles",
    "sweep",
    "two-clusters",
)
"""In the order of ``examples/README.md``. The other folders there are for the tests."""

MAIN: Final = "main.tfjob"
_JOB: Final = re.compile(r"^job (\S+)", re.M)
_TARGETS: Final = re.compile(r"^# Targets: (.+)\.$", re.M)


def files(name: str) -> dict[str, str]:
    """The files of an example, by name; the job's own is ``main.tfjob``."""
    folder = os.path.join(_root(), name)
    found: dict[str, str] = {}
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry)
        if os.path.isfile(path):  # in a checkout, the outputs are in a folder beside them
            with open(path, encoding="utf-8") as file:
                found[entry] = file.read()
    return found


def summary(text: str) -> str:
    """What an example is about: the first line of its ``main.tfjob``."""
    return text.partition("\n")[0].removeprefix("# ").removesuffix(".")


def wanted_targets(text: str, known: Sequence[str]) -> Sequence[str]:
    """The targets that an example is for: those that its first comment names, else all that are ``known``."""
    line = _TARGETS.search(text.partition("\n\n")[0])
    return known if line is None else line[1].split(", ")


def renamed(text: str, name: str) -> str:
    """The text of an example with another name for its job."""
    return _JOB.sub(f"job {name}", text, count=1)


def _root() -> str:
    package = os.path.dirname(os.path.dirname(__file__))
    installed = os.path.join(package, "examples")
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), "examples")
