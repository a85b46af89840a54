"""Shapes of public manifests come back, with no more patches than each needs, and no value of one is lost."""

from __future__ import annotations

from statistics import median

import pytest

from tests.importing.leaves import compiled, leaves, written_anew
from tests.importing.shapes import Shape, shapes
from tfdsl.importing.manifests import import_manifests
from tfdsl.manifest import yaml
from tfdsl.manifest.nodes import plain
from tfdsl.text import Source

SHAPES = shapes()
PROVED = {"tfjob": 0.95, "job": 0.9, "volcano": 0.75, "jobset": 0.65}
"""The part of the shapes of a kind that has to come back."""
FEWEST = {"tfjob": 18, "job": 18, "volcano": 20, "jobset": 40}


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.name for shape in SHAPES])
def test_a_shape_comes_back(shape: Shape) -> None:
    [result] = import_manifests([Source("job.yaml", shape.text)])
    if shape.patches is None:
        [error] = [one for one in result.diagnostics if one.level == "error"]
        assert not result.jobs
        assert "--role " in error.helps[-1]
        return
    assert [job.kept for job in result.jobs] == [True], result.diagnostics
    assert result.jobs[0].patches <= shape.patches, result.text
    [document] = [plain(one.node) for one in yaml.read(Source("job.yaml", shape.text), lambda _: None)]
    got = {(path[-1], value) for path, value in leaves(compiled(result, result.jobs[0].target))}
    wanted = {(path, value) for path, value in leaves(document) if not written_anew(path, value)}
    assert sorted(f"{'.'.join(path)} = {value}" for path, value in wanted if (path[-1], value) not in got) == []


@pytest.mark.parametrize("kind", PROVED)
def test_most_shapes_are_proved_without_a_patch(kind: str) -> None:
    found = [shape.patches for shape in SHAPES if shape.kind == kind]
    proved = [patches for patches in found if patches is not None]
    assert len(found) >= FEWEST[kind]
    assert len(proved) >= PROVED[kind] * len(found)
    assert median(proved) == 0


def test_what_runs_before_the_training_can_be_a_role() -> None:
    """The options that the error names give a job that waits until the others have completed."""
    [text] = [shape.text for shape in SHAPES if shape.name == "jobset: initializers before the nodes"]
    named = {"dataset-initializer": "evaluator", "model-initializer": "ps"}
    [result] = import_manifests([Source("job.yaml", text)], named)
    assert [job.kept for job in result.jobs] == [True]
    assert 'dependsOn[name=dataset-initializer].status" = "Complete"' in result.text


@pytest.mark.parametrize(
    ("slices", "pods", "replicas"),
    [("${SLICES}", "4", "slices * 4"), ("${SLICES}", "${N}", "slices * n"), ("2", "${N}", "n * 2")],
)
def test_numbers_of_jobs_and_pods_that_are_filled_in_elsewhere(slices: str, pods: str, replicas: str) -> None:
    """The replicas of the role follow from them."""
    [text] = [shape.text for shape in SHAPES if shape.name == "jobset: slices of TPUs"]
    text = text.replace("replicas: 2", f"replicas: {slices}").replace("m: 4", f"m: {pods}")
    text = text.replace("completions: 4", f"completions: {pods}")
    [result] = import_manifests([Source("job.yaml", text)])
    assert [job.kept for job in result.jobs] == [True]
    words = " ".join(result.text.split())
    assert f"jobs = {{ worker = {'2' if slices == '2' else 'slices'} }}" in words
    assert f"replicas = {replicas}" in words
