"""What Linux starts no process with: MAX_ARG_STRLEN is 32 pages of 4 KiB, the final NUL included (execve(2))."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.verdicts import report
from tfdsl.ir.cluster_spec import LONGEST_STRING
from tfdsl.ir.model import Cluster, Job, RunTimeText, TaskIndex

RUN_TIME = ("yarn", "slider")
CODES = {"yarn": ("YRN130", "YRN131", "YRN132"), "slider": ("SLI125", "SLI126", "SLI127")}


def codes(made: Job, target: str) -> list[str]:
    options = {"runtime": "native"}
    limits = {*CODES.get(target, ()), "KTF041", "VOL041", "K8S041"}
    found = report(unit(made, target, None, **(options if target in RUN_TIME else {})))
    return [d.rule.code for d in found if d.rule.code in limits]


def test_linux_agrees() -> None:
    def start(length: int) -> int:
        return subprocess.run(["/bin/true", "x" * length], env={"PATH": os.environ["PATH"]}).returncode

    assert start(LONGEST_STRING) == 0
    with pytest.raises(OSError, match="Argument list too long"):
        start(LONGEST_STRING + 1)


@pytest.mark.parametrize("target", RUN_TIME)
@pytest.mark.parametrize(
    ("fields", "room"),
    [
        ({"command": ("python", "X")}, 0),
        ({"command": "X"}, 0),
        ({"args": ("a", "X")}, 0),
        ({"env": {"DATA": "X"}}, len("DATA=")),
    ],
)
def test_one_string_that_is_too_long(target: str, fields: dict[str, object], room: int) -> None:
    def filled(length: int) -> dict[str, object]:
        text = "x" * length
        given: dict[str, object] = {}
        for name, value in fields.items():
            if isinstance(value, tuple):
                given[name] = tuple(text if word == "X" else word for word in value)
            else:
                given[name] = dict.fromkeys(value, text) if isinstance(value, dict) else text
        return given

    most = LONGEST_STRING - room
    assert codes(job(role("worker", 2, **filled(most))), target) == []
    assert codes(job(role("worker", 2, **filled(most + 1))), target) == [CODES[target][0]]


@pytest.mark.parametrize("target", RUN_TIME)
def test_what_is_known_of_a_text_counts(target: str) -> None:
    text = RunTimeText(parts=("x" * 70_000, TaskIndex(), "é" * 31_000))
    assert codes(job(role("worker", 2, args=(text,))), target) == [CODES[target][0]]


@pytest.mark.parametrize("target", RUN_TIME)
@pytest.mark.parametrize(
    ("discovery", "replicas", "level"),
    [
        ("tf_config", 10_000, 1), ("flags", 10_000, 1), ("both", 10_000, 1), ("none", 10_000, None),
        ("tf_config", 7_000, 2), ("tf_config", 2_700, 2), ("tf_config", 2_600, None), ("flags", 2_700, None),
        ("flags", 8_000, 2),
    ],
)  # fmt: skip
def test_addresses_of_thousands_of_tasks(target: str, discovery: str, replicas: int, level: int | None) -> None:
    made = job(role("worker", replicas), cluster=Cluster(discovery=discovery))
    assert codes(made, target) == ([] if level is None else [CODES[target][level]])


def test_the_warning_says_how_long_names_may_be() -> None:
    """5,000 entries of ``"NAME:20000",`` in 131,071 bytes."""
    made = job(role("ps", 1_000), role("worker", 4_000))
    (found,) = [d for d in report(unit(made, "yarn", runtime="native")) if d.rule.code == "YRN132"]
    assert "at most 17 characters on average" in found.message
    assert 5_000 * (17 + len('":20000",')) <= 131_071 < 5_000 * (18 + len('":20000",'))


@pytest.mark.parametrize(("target", "code"), [("tfjob", "KTF041"), ("volcano", "VOL041"), ("kubernetes", "K8S041")])
def test_pods_that_are_given_all_addresses(target: str, code: str) -> None:
    """Whoever makes TF_CONFIG: the operator, the plugin, or the compiler."""
    assert codes(job(role("worker", 10_000)), target) == [code]
    assert codes(job(role("worker", 1_000)), target) == []
