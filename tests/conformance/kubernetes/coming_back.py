"""The law of import, judged by the server: what it takes comes back from the language as one job to the server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tfdsl import compile as compile_job, import_manifest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.kubernetes.verdicts import Judge

EVERY = 3
"""Of so many that the server takes, one is imported here: the server's own form, and what import makes of both."""


def come_back(judge: Judge, target: str, manifest: Callable[[int], str], count: int) -> int:
    """Judge the first ``count`` generated manifests of ``target``; gives how many the server takes."""
    found: list[str] = []
    taken = patched = 0
    for number in range(count):
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
                found.append(f"{number}: {[one.message for one in imported.diagnostics]}")
        again = judge.verdict(compile_job(text=imported.text, target=target).text, answer.data)
        if not again.fine:
            found.append(f"{number}, imported: {again.message}\n{imported.text}")
    print(f"\n{target}: {taken} of {count} are taken, {patched} have patches, {judge.asked} dry runs")
    assert not found, "\n".join(found[:20])
    return taken
