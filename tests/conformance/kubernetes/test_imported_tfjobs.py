"""TFJobs that the real API server takes come back from the language: the law of import, judged by the server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes.verdicts import Judge
from tests.importing.generated_tfjobs import COUNT, SEED, manifest
from tfdsl import compile as compile_job
from tfdsl import import_manifest

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api

TAKEN = 450
"""So many of the generated TFJobs the server takes, at least."""

EVERY = 3
"""Of so many that the server takes, one is imported here: the server's own form, and what import makes of both."""


@pytest.fixture(scope="module")
def judge(api: Api) -> Judge:
    return Judge(api)


def test_generated_tfjobs_come_back(judge: Judge) -> None:
    """The manifest, what the server makes of it, and what import makes of both are one job to the server."""
    found: list[str] = []
    taken = patched = 0
    for number in range(COUNT):
        text = manifest(number)
        answer = judge.verdict(text, json.loads(text))
        if not answer.fine:
            found += [f"{number}: {answer.message}"] if "strict decoding" in answer.message else []
            import_manifest(text=text)
            continue
        taken += 1
        if number % EVERY:
            continue  # tests/importing has the law of all of them
        for form in (text, json.dumps(answer.data)):
            imported = import_manifest(text=form)
            [job] = imported.jobs
            patched += bool(job.patches) and form is text
            if job.same is False:
                found.append(f"{number} of seed {SEED}: {[one.message for one in imported.diagnostics]}")
        again = judge.verdict(compile_job(text=imported.text, target="tfjob").text, answer.data)
        if not again.fine:
            found.append(f"{number} of seed {SEED}, imported: {again.message}\n{imported.text}")
    print(f"\n{taken} of {COUNT} TFJobs are taken, {patched} have patches, {judge.asked} dry runs")
    assert not found, "\n".join(found[:20])
    assert taken >= TAKEN
