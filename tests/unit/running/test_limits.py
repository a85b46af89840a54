"""Limits of cpu and memory, with folders that look like control groups: this machine may have none of use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.skips import denied
from tests.unit.running.runs import python
from tests.unit.running.test_mounts import plain
from tfdsl.running import preparing
from tfdsl.running.launch import Ended, Limits
from tfdsl.running.supervision import scratch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.running.runs import Seen


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine on which tfdsl is in ``/user/app/shell``."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "cg/user/app/shell").mkdir(parents=True)
    (tmp_path / "proc/cgroup").write_text("1:name=systemd:/x\n0::/user/app/shell\n")
    (tmp_path / "proc/mountinfo").write_text(
        f"30 23 0:26 / /sys rw - sysfs sysfs rw\n31 23 0:27 / {tmp_path}/cg rw shared:4 - cgroup2 cgroup2 rw\n"
    )
    for folder in ("cg", "cg/user", "cg/user/app", "cg/user/app/shell"):
        (tmp_path / folder / "cgroup.subtree_control").write_text("")
        (tmp_path / folder / "cgroup.procs").write_text("")
    return tmp_path


def test_groups_are_made_beside_that_of_tfdsl(machine: Path) -> None:
    (machine / "cg/user/app/cgroup.subtree_control").write_text("cpu io memory pids\n")
    assert scratch.group_place(str(machine / "proc")) == (f"{machine}/cg/user/app", "")


def test_a_group_that_passes_nothing_on_is_of_no_use(machine: Path) -> None:
    (machine / "cg/user/app/cgroup.subtree_control").write_text("memory pids\n")
    assert scratch.group_place(str(machine / "proc")) == (
        "",
        "no control group passes cpu and memory on to its children",
    )


def test_a_group_of_somebody_else_is_of_no_use(machine: Path) -> None:
    (machine / "cg/user/app/cgroup.subtree_control").write_text("cpu memory\n")
    (machine / "cg/user/app").chmod(0o555)
    expected = ("", "the control group belongs to somebody else") if os.geteuid() else (f"{machine}/cg/user/app", "")
    assert scratch.group_place(str(machine / "proc")) == expected


def test_the_root_of_all_groups_is_used_itself(machine: Path) -> None:
    (machine / "proc/cgroup").write_text("0::/\n")
    (machine / "cg/cgroup.subtree_control").write_text("cpu memory\n")
    assert scratch.group_place(str(machine / "proc")) == (f"{machine}/cg", "")


def test_a_part_of_the_groups_can_be_mounted(machine: Path) -> None:
    (machine / "proc/mountinfo").write_text(f"31 23 0:27 /user {machine}/cg/user rw - cgroup2 cgroup2 rw\n")
    (machine / "cg/user/app/cgroup.subtree_control").write_text("cpu memory\n")
    assert scratch.group_place(str(machine / "proc")) == (f"{machine}/cg/user/app", "")


def test_a_machine_without_groups(tmp_path: Path) -> None:
    assert scratch.group_place(str(tmp_path)) == ("", "this machine has no control groups of version 2")


def test_limits_are_written_into_a_group_of_each_launch(tmp_path: Path) -> None:
    group = scratch.Group(str(tmp_path), "run")
    assert group.limited({"cpu": None, "memory": None}) is None
    assert not (tmp_path / "run").exists()
    (tmp_path / "run").mkdir()
    made = group.limited({"cpu": 1500, "memory": 1 << 30})
    assert made == f"{tmp_path}/run/1"
    assert (tmp_path / "run/1/cpu.max").read_text() == "150000 100000"
    assert (tmp_path / "run/1/memory.max").read_text() == str(1 << 30)
    assert group.limited({"cpu": 1, "memory": None}) == f"{tmp_path}/run/2"
    assert (tmp_path / "run/2/cpu.max").read_text() == "1000 100000"
    assert not (tmp_path / "run/2/memory.max").exists()


def test_limits_are_those_of_the_job() -> None:
    job = plain(
        "cpu = 2, memory = 4Gi",
        'role worker { memory_limit = "none", prepare fetch { command = ["true"], cpu = 500m } }',
        "role ps { cpu_limit = 3500m }",
    )
    ps, worker = job.job.roles
    assert preparing.limits_of(ps) == Limits(3500, 4 << 30)
    assert preparing.limits_of(worker) == Limits(2000, None)
    assert preparing.limits_of(worker.steps[0]).cpu == 500
    (told,) = preparing.not_limited(job.job, job.origins, "no groups")
    assert (told.level, told.message) == ("info", "run does not limit cpu and memory: no groups")
    assert not list(preparing.not_limited(job.job, job.origins, ""))
    assert not list(preparing.not_limited(plain("role worker { }").job, job.origins, "no groups"))


@denied(preparing.limits_denied())
def test_memory_is_limited(seen: Seen) -> None:
    seen.start(python("x = bytearray(200 << 20)", limits=Limits(1000, 100 << 20)))
    assert seen.until(Ended)[0].status == 137
