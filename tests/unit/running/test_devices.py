"""Who gets which GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.running.jobs import job
from tfdsl.lifecycle.behaviour import Task
from tfdsl.running import preparing

if TYPE_CHECKING:
    from pathlib import Path

JOB = ('command = ["true"]', "role worker { replicas = 2, gpu = 2 }", "role ps { }")


def smi(folder: Path, text: str, status: int = 0) -> dict[str, str]:
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\ncat <<'E'\n{text}\nE\nexit {status}\n")
    program.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_the_driver_lists_them(tmp_path: Path) -> None:
    listed = "GPU 0: NVIDIA A100 (UUID: GPU-1)\n  MIG 1g (UUID: MIG-1)\nGPU 1: NVIDIA A100 (UUID: GPU-2)"
    assert preparing.devices(smi(tmp_path, listed)) == ("0", "1")


def test_without_a_working_driver_the_files_count(tmp_path: Path) -> None:
    for name in ("nvidia0", "nvidia1", "nvidia2", "nvidiactl", "nvidia-uvm", "null"):
        (tmp_path / name).touch()
    assert preparing.devices(smi(tmp_path, "NVIDIA-SMI has failed", 9), str(tmp_path)) == ("0", "1", "2")
    assert preparing.devices({"PATH": ""}, str(tmp_path / "none")) == ()


@pytest.mark.parametrize(("value", "found"), [("2,3", ("2", "3")), ("", ()), ("-1", ()), ("GPU-1", ("GPU-1",))])
def test_the_variable_limits_them(value: str, found: tuple[str, ...]) -> None:
    assert preparing.devices({"CUDA_VISIBLE_DEVICES": value}) == found


def test_each_device_goes_to_one_replica() -> None:
    given = preparing.dealt(job(*JOB), ("0", "1", "5"))
    assert given == {Task("ps", 0): "", Task("worker", 0): "0,1", Task("worker", 1): "5"}
    assert preparing.short_of_devices(job(*JOB), given) == [Task("worker", 1)]
    assert preparing.wanted_devices(job(*JOB)) == 4
