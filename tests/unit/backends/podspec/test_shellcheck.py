"""Shell programs that end up in manifests are clean."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tfdsl_backends.podspec import programs

SHELLCHECK = shutil.which("shellcheck") or shutil.which("shellcheck", path=str(Path(sys.executable).parent))


@pytest.mark.skipif(SHELLCHECK is None, reason="no shellcheck here")
@pytest.mark.parametrize("name", sorted(path.stem for path in Path(programs.__file__).parent.glob("*.sh")))
def test_a_program_is_clean_as_it_is_written_into_manifests(name: str) -> None:
    assert SHELLCHECK is not None
    done = subprocess.run(
        [SHELLCHECK, "-s", "sh", "-"], input=programs.shell_program(name), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
