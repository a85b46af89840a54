"""Everything that is emitted is taken by the real API server, the TFJob webhook and Volcano's own policy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests import flows
from tests.conformance.kubernetes.compiling import Manifest, compiled
from tests.conformance.kubernetes.generated import SEED, job
from tests.conformance.kubernetes.verdicts import Judge
from tests.conformance.kubernetes.volcano_webhook import objections
from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conformance.kubernetes.api import Api

TARGETS = ("tfjob", "volcano", "kubernetes", "jobset")
EXAMPLES = Path(__file__).parents[3] / "examples"
JOBS = (100, pytest.param(500, marks=pytest.mark.long))
"""So many generated jobs that compile, for each target."""


@pytest.fixture(scope="module")
def judge(api: Api) -> Judge:
    return Judge(api)


def expected_files() -> Iterator[Path]:
    for target in TARGETS:
        for path in sorted(EXAMPLES.glob(f"*/expected/{target}/*.yaml")):
            if path.stem not in flows.EXAMPLES:  # Argo's definitions, against which unit tests hold it, are not here
                yield path


@pytest.mark.parametrize("path", list(expected_files()), ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_published_output_is_taken(judge: Judge, path: Path) -> None:
    texts = [text for text in path.read_text().split("\n---\n") if text.strip("- \n")]
    assert texts
    said = [line for text in texts for line in judge.complaints(Manifest(text, yaml.safe_load(text)))]
    assert said == []


@pytest.mark.parametrize("target", TARGETS)
def test_examples_that_compile_are_taken(judge: Judge, target: str) -> None:
    taken = 0
    for path in sorted(EXAMPLES.glob("*/main.tfjob")):
        made = compiled(path.read_text(), target)
        said = [line for document in made.documents for line in judge.complaints(document)]
        assert said == [], path
        taken += len(made.documents)
    assert taken >= 2, "no example compiles"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("jobs", JOBS)
def test_generated_jobs_are_taken(judge: Judge, target: str, jobs: int) -> None:
    found: dict[str, str] = {}
    compiling, number, start = 0, 0, judge.asked
    while compiling < jobs:
        source = job(target, number)
        made = compiled(source, target)
        compiling += bool(made.documents)
        for document in made.documents:
            for line in [*judge.complaints(document), *_volcano(document.data)]:
                found.setdefault(_without_names(line), f"{line}\njob {number} of seed {SEED}\n{source}")
        number += 1
        assert number < 4 * jobs, f"only {compiling} of {number} generated jobs compile"
    print(f"\n{target}: seed {SEED}, {compiling} of {number} jobs compile, {judge.asked - start} dry runs")
    assert not found, "\n\n".join(found.values())


def _without_names(line: str) -> str:
    """What all complaints of one sort have in common: the server's first sentence, without the names in it."""
    return re.sub(r"[\"'].*?[\"']|\[.*?\]", "", line.partition(": ")[2])[:60]


def _volcano(data: dict[str, Any]) -> list[str]:
    return objections(data) if data["apiVersion"] == "batch.volcano.sh/v1alpha1" else []


@pytest.mark.parametrize("target", TARGETS)
def test_labels_of_a_project_are_taken(judge: Judge, tmp_path: Path, target: str) -> None:
    """They are on every object and template, also on those that have no metadata otherwise."""
    (tmp_path / "tfdsl.toml").write_text('[labels]\nteam = "vision"\n"app.kubernetes.io/managed-by" = "tfdsl"\n')
    (tmp_path / "main.tfjob").write_text(
        'job labelled {\n  image = "i:1"\n  checkpoint = "/data/c"\n  mount claim 1Gi at "/data" { keep = true }\n'
        "  role chief { }\n  role worker { replicas = 2 }\n  role tensorboard { }\n}\n"
    )
    ran = tfdsl("compile", "main.tfjob", "-t", target, cwd=tmp_path)
    documents = [Manifest(text, yaml.safe_load(text)) for text in ran.out.split("\n---\n")]
    assert len(documents) >= 2
    said = [line for one in documents for line in [*judge.complaints(one), *_volcano(one.data)]]
    assert said == []
    assert all(one.data["metadata"]["labels"]["team"] == "vision" for one in documents)
