"""What yarn and slider make of steps (additions to edition 1, "prepare and sidecar"), from the text to the verdict."""

from __future__ import annotations

import pytest

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

TARGETS = {"yarn": "YRN", "slider": "SLI"}


def told(target: str, steps: str) -> dict[str, tuple[str, str]]:
    """Code → level and the text at its place, of what is about steps."""
    backend = targets.find(target)
    assert backend is not None
    source = Source(
        "job.tfjob",
        'job mnist {\n image = "i:1"\n command = ["train"]\n role worker { replicas = 2, cpu = 2, memory = 4Gi }\n'
        f" {steps}\n}}\n",
    )
    program = pipeline.load(source, lambda path: "there is no other file")
    done = pipeline.run(program, Request(), [Choice(backend)])
    codes = {f"{TARGETS[target]}{number}" for number in ("065", "066", "096", "097", "098", "099")}
    codes |= {"YRN101", "SLI104", "YRN130", "SLI125", "YRN145", "SLI145", "SLI056"}
    return {d.rule.code[3:]: (d.level, d.span.text) for d in done.diagnostics if d.rule.code in codes}


LONG = "x" * 131_072


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ('prepare a { command = ["x"], args = ["${task.index}"], env = { A = 1 }, workdir = "w" }', {}),
        ('prepare a { command = ["x"], image = "i:1", cpu = 2, memory = 4Gi, gpu = 0, env_from = [] }', {}),
        ('prepare a { command = ["x"], image = "i:2" }', {"097": ("error", '"i:2"')}),
        ('prepare a { image = "i:2" }', {"097": ("error", '"i:2"')}),
        ('prepare a { command = ["x"], cpu = 1 }', {"099": ("warning", "1")}),
        ('prepare a { command = ["x"], memory = 1Gi }', {"099": ("warning", "1Gi")}),
        ('prepare a { command = ["x"], gpu = 1 }', {"096": ("warning", "1")}),
        ('prepare a { command = ["x"], env_from = [secret("s")] }', {"065": ("error", '[secret("s")]')}),
        ('prepare a { command = ["x"], env = { IP = pod_field("status.podIP") } }',
         {"066": ("error", 'pod_field("status.podIP")')}),
        ('sidecar a { command = ["x"] }', {"098": ("error", "a")}),
    ],
)  # fmt: skip
def test_rows(target: str, steps: str, expected: dict[str, tuple[str, str]]) -> None:
    assert told(target, steps) == expected


@pytest.mark.parametrize(("target", "code"), [("yarn", "101"), ("slider", "104")])
def test_variables_of_kubernetes_objects(target: str, code: str) -> None:
    found = told(target, 'prepare a { command = ["x"], env = { KEY = secret("s", "k") } }')
    assert found == {code: ("error", 'secret("s", "k")')}


@pytest.mark.parametrize("target", TARGETS)
def test_names_of_variables(target: str) -> None:
    assert told(target, 'env = { A = 1 }\n prepare a { command = ["x"] }') == {}
    assert told(target, 'prepare a { command = ["x"], env = { "A.B" = 1 } }') == {"145": ("error", '"A.B"')}
    assert told(target, 'env = { "A.B" = 1 }\n prepare a { command = ["x"] }') == {"145": ("error", '"A.B"')}


@pytest.mark.parametrize(("target", "code"), [("yarn", "130"), ("slider", "125")])
def test_strings_that_linux_passes_to_no_process(target: str, code: str) -> None:
    found = told(target, f'prepare a {{ command = ["x", "{LONG}"] }}')
    assert found == {code: ("error", f'"{LONG}"')}
    assert told(target, f'prepare a {{ command = ["x"], env = {{ A = "{LONG}" }} }}') == {code: ("error", f'"{LONG}"')}
    assert told(target, f'env = {{ A = "{LONG}" }}\n prepare a {{ command = ["x"] }}') == {code: ("error", f'"{LONG}"')}


def test_a_variable_that_only_the_image_sets_is_told() -> None:
    step = 'prepare a {{ command = ["x", "${{env.{0}}}"], env = {{ OWN = "1" }} }}'
    assert told("slider", step.format("OWN")) == {}
    assert told("slider", step.format("OTHER"))["056"][0] == "warning"


@pytest.mark.parametrize("target", TARGETS)
def test_devices_are_hidden_from_a_step_that_asks_for_none(target: str) -> None:
    backend = targets.find(target)
    assert backend is not None
    text = (
        'job mnist {\n image = "i:1"\n command = ["train"]\n memory = 1Gi\n'
        ' prepare a { command = ["fetch"] }\n prepare b { command = ["warm"], gpu = 1 }\n'
        ' prepare c { command = ["own"], env = { NVIDIA_VISIBLE_DEVICES = "0" } }\n'
        ' role worker { gpu = 1, node_label = "gpu" }\n}\n'
    )
    made = pipeline.compile_source(Source("job.tfjob", text), backend)
    documents = {one.file: one for job in made for one in job.documents}
    if target == "yarn":
        script = pipeline.written(documents["job.sh"]).text
        hidden = [line for line in script.splitlines() if "exec env -u TF_CONFIG" in line]
        assert ["CUDA_VISIBLE_DEVICES=''" in line for line in hidden] == [True, False, False]
    else:
        import json

        job = json.loads(pipeline.written(documents["package/files/job.json"]).text)
        assert [step["hide_gpus"] for step in job["roles"]["worker"]["steps"]] == [True, False, False]
