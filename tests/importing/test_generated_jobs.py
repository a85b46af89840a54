"""Made-up manifests of plain Jobs are imported, and compiling the result gives them again."""

from __future__ import annotations

import yaml

from tests.importing.generated_jobs import SEED, manifest
from tfdsl.diagnostics.command_rules import SERVER_REFUSES
from tfdsl.importing.manifests import Imported, import_manifests
from tfdsl.text import Source

MANIFESTS = 25


def imported(number: int) -> Imported:
    text = yaml.safe_dump_all(manifest(number), allow_unicode=True, sort_keys=False)
    [result] = import_manifests([Source(f"manifest {number} of seed {SEED}", text)])
    return result


def test_generated_manifests_come_back() -> None:
    """The law holds for each that is not refused; the conformance tests ask the server which these are."""
    kept = 0
    for number in range(MANIFESTS):
        result = imported(number)
        for job in result.jobs:
            refused = any(diagnostic.rule is SERVER_REFUSES for diagnostic in result.diagnostics)
            assert refused or job.kept is not False, (number, result.diagnostics, result.text)
            kept += job.kept is True
    assert kept > MANIFESTS // 2
