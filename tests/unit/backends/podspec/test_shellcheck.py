"""Shell programs that end up in manifests are clean."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.unit.backends import jobs
from tests.unit.cli.shell import SHELLCHECK
from tfdsl_backends.podspec import command
from tfdsl_backends.volcano.tfconfig import deliver

PROGRAMS = {path.stem: command.shell_program(path.stem) for path in Path(command.__file__).parent.glob("*.sh")}
_JOB = jobs.job(jobs.role("chief"), jobs.role("ps", 2), jobs.role("worker", 2))
_WRAPPER = deliver(jobs.unit(_JOB, "volcano", tf_config="shell"), _JOB.roles[1]).wrapper
PROGRAMS["volcano tf_config"] = _WRAPPER.text if _WRAPPER is not None else ""


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_is_clean_as_it_is_written_into_manifests(name: str) -> None:
    assert PROGRAMS[name]
    done = subprocess.run(
        [SHELLCHECK, "-s", "sh", "-"], input=PROGRAMS[name], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
