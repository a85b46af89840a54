"""What import makes of the manifests beside this file: the text, the messages, and that the law holds."""

from __future__ import annotations

import pytest

from tests.importing.cases import Case, cases, imported, said

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_manifest_becomes_its_text(case: Case) -> None:
    result = imported(case)
    expected = case.expected.read_text("utf-8") if case.expected.exists() else ""
    messages = case.messages.read_text("utf-8") if case.messages.exists() else ""
    assert result.text == expected
    assert said(result) == messages
    assert case.name.endswith("/refused") or all(job.kept is not False for job in result.jobs)
