"""Lowering makes jobs through the models: every example for every target, there and back in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.golden.test_golden import EXAMPLES, generate
from tests.unit.cli.shell import JOB
from tfdsl import targets
from tfdsl.cli.main import main
from tfdsl.compiling import pipeline
from tfdsl.compiling.read_json import dump, from_json
from tfdsl.ir.model import Job, Role
from tfdsl.semantics.request import Choice, Request
from tfdsl.source_files import read
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("target", targets.names())
@pytest.mark.parametrize("name", generate.NAMES)
def test_examples_there_and_back(name: str, target: str) -> None:
    backend = targets.find(target)
    assert backend is not None
    source = read(str(EXAMPLES / name / "main.tfjob"))
    assert not isinstance(source, str)
    program = pipeline.load(source, read)
    checked = pipeline.check(program, Request(), [Choice(backend)])
    for values in checked.jobs:
        job = pipeline.unit_of(backend, values).job
        assert Job.model_validate_json(job.model_dump_json()) == job
        assert [one for one, _ in from_json(Source("job.json", dump(job))).jobs] == [job]


def test_a_clean_job_that_the_models_refuse_is_a_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mnist.tfjob").write_text(JOB)
    validate = Role.model_validate
    monkeypatch.setattr(Role, "model_validate", lambda fields: validate(fields | {"replicas": 0}))
    assert main(["compile", str(tmp_path / "mnist.tfjob"), "-t", "volcano"]) == 70
    assert len(capsys.readouterr().err.splitlines()) == 1
