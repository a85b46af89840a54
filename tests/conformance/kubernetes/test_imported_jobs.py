"""What the API server takes is imported, so that compiling the result gives it again; what it refuses is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from tests.conformance.kubernetes.compiling import compiled
from tests.conformance.kubernetes.verdicts import Judge
from tests.importing.generated_jobs import SEED, manifest
from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api
    from tfdsl.importing.manifests import Imported

MANIFESTS = (100, pytest.param(500, marks=pytest.mark.long))
TOLD = ("TFJ4201", "TFJ4202", "TFJ4203")
"""The server refuses a part, or drops it and so refuses it where fields are validated; what it drops may be kept."""


@pytest.fixture(scope="module")
def judge(api: Api) -> Judge:
    return Judge(api)


def imported(number: int) -> Imported:
    text = yaml.safe_dump_all(manifest(number), allow_unicode=True, sort_keys=False)
    [result] = import_manifests([Source("job.yaml", text)])
    return result


@pytest.mark.parametrize("manifests", MANIFESTS)
def test_generated_jobs_come_back(judge: Judge, manifests: int) -> None:
    wrong: list[str] = []
    taken = 0
    for number in range(manifests):
        refusals = [judge.verdict(None, data).message for data in manifest(number)]
        refused = [message for message in refusals if message]
        result = imported(number)
        if refused:
            if not any(one.rule.code in TOLD for one in result.diagnostics):
                wrong.append(f"manifest {number} of seed {SEED}: nothing is said about {refused[0]}")
            continue
        taken += 1
        if [job.kept for job in result.jobs] != [True]:
            wrong.append(f"manifest {number} of seed {SEED}: {[one.message for one in result.diagnostics]}")
            continue
        again = [judge.verdict(one.text, one.data).message for one in compiled(result.text, "kubernetes").documents]
        wrong += [f"manifest {number} of seed {SEED} no more: {message}" for message in again if message]
    print(f"\n{taken} of {manifests} manifests are taken")
    assert not wrong, "\n".join(wrong)
