"""The example ``nightly`` on the real YARN, trained by TensorFlow: to its end, and with a model that is too bad."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.conformance import nightly
from tests.conformance.nightly import FAULTS, End
from tests.conformance.yarn import training
from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.yarn.cluster import Cluster

pytestmark = pytest.mark.long

LIMIT = 1200


@pytest.mark.timeout(LIMIT + 600)
@pytest.mark.parametrize("name", [nightly.NONE, "evaluate fails"])
def test_a_night_ends_as_predicted(name: str, cluster: Cluster, tmp_path: Path) -> None:
    """``flow.sh`` stays, and says at its end what has become of each job."""
    training.install(cluster.work)
    shared = tmp_path / "shared"
    nightly.write(tmp_path, FAULTS[name], shared)
    values = (f"--set=runs={shared}", f"--set=tensorflow={training.environment(cluster.work)}")
    words = ("main.tfjob", "-t", "yarn", "--flow", "nightly", *values)
    ran = tfdsl("compile", *words, "-o", "out", cwd=tmp_path)
    assert ran.status == 0, ran.err
    done = subprocess.run(
        [tmp_path / "out/nightly/flow.sh"],
        cwd=tmp_path,
        env=cluster.work.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    said = done.stdout + done.stderr
    found: list[tuple[str, str]] = re.findall(r"^  (\w+) +(succeeded|failed|did not run)", done.stdout, re.M)
    end = End("failed" if done.returncode else "succeeded", {job: SAID.get(how, how) for job, how in found})
    assert end == nightly.predicted(FAULTS[name], words, tmp_path), said
    assert done.returncode in (0, 2), said
    nightly.left(name, end, shared)


SAID = {"did not run": "not run"}
