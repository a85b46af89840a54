"""Jobs as they are written, and what a target says of each; the tests of support tables ask for verdicts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

KUBERNETES = ("kubernetes", "tfjob", "volcano")
WORKERS = "role worker { replicas = 2 }"
NATIVE = 'runtime = "native"'
COPIED = 'output "/tmp/x" to "/d/x", mount pvc "d" at "/d"'

SAID: list[tuple[tuple[str, ...], str, str, str]] = [
    (KUBERNETES, "protocol", f'cluster {{ protocol = "grpc+verbs" }}\n{WORKERS}', ""),
    (KUBERNETES, "undefined-variable", 'role worker { args = ["${env.HOME}"] }', ""),
    (
        KUBERNETES,
        "undefined-variable",
        'role worker { env_from = [secret("s")], env = { A = "${env.B}", B = "${env.A}" } }',
        "",
    ),
    (("kubernetes",), "pod-field", 'role worker { env = { A = pod_field("status.hostIPs") } }', 'version = "1.28"'),
    (("yarn", "slider"), "pod-field", 'role worker { env = { A = pod_field("status.podIP") } }', ""),
    (("yarn", "slider"), "env-from", 'role worker { env_from = [configmap("settings")] }', ""),
    (KUBERNETES, "run-time-workdir", 'role worker { workdir = "/w/${task.index}" }', ""),
    (KUBERNETES, "run-time-source", 'role worker { mount host "/d/${task.index}" at "/d" }', ""),
    (KUBERNETES, "hdfs-output", 'role worker { output "/tmp/x" to "hdfs://nn/x" }', ""),
    (KUBERNETES, "resource-name", 'role worker { resources = { "x" = 1 } }', ""),
    (KUBERNETES, "variable-in-shell", f'role worker {{ env = {{ "A.B" = "1" }}, {COPIED} }}', ""),
    (KUBERNETES, "fs-group-unchanged", 'role worker { fs_group = 7, mount nfs "h:/x" at "/d" }', ""),
    (KUBERNETES, "capabilities-of-user", 'role worker { run_as_user = 7, capabilities = ["IPC_LOCK"] }', ""),
    (("yarn", "slider"), "cpu-unlimited", 'role worker { cpu = 1, cpu_limit = "none" }', ""),
    (("yarn", "slider"), "memory-unlimited", 'role worker { memory = 1Gi, memory_limit = "none" }', ""),
    (KUBERNETES, "resource-name", 'role worker { cpu_limit = "none", resources = { "hugepages-2Mi" = 2097152 } }', ""),
    (("yarn", "slider"), "ports-not-reserved", "role worker { ports = { debug = 9090 } }", ""),
    (KUBERNETES, "stop-grace-rounded", "role worker { stop_grace = 500ms }", ""),
    (KUBERNETES, "stop-grace-with-output", f"role worker {{ stop_grace = 5m, {COPIED} }}", ""),
    (KUBERNETES, "number-too-large", "role worker { stop_grace = 99999d }", ""),
    (("yarn", "slider"), "stop-grace", "role worker { stop_grace = 5m }", ""),
    (("yarn",), "privileged-allowed", "role worker { privileged = true }", ""),
    (
        ("yarn",),
        "one-image",
        "role chief { privileged = true }\nrole worker { }",
        'applications = "one", runtime = "docker"',
    ),
    (("kubernetes", "volcano"), "cleanup", f'cleanup = "all"\n{WORKERS}', ""),
    (("kubernetes", "volcano"), "queue-name", f'queue = "a/b"\n{WORKERS}', ""),
    (("tfjob",), "queue-name", f'queue = "a/b"\n{WORKERS}', "kueue = true"),
    (("kubernetes", "tfjob"), "gpu-memory", "role worker { gpu_memory = 4Gi }", ""),
    (("kubernetes",), "no-command", f"role worker {{ command = [], {COPIED} }}", ""),
    (("tfjob",), "static-needs-shell", f'cluster {{ discovery = "tf_config" }}\n{WORKERS}', 'tf_config = "static"'),
    (("slider",), "readonly-native", 'role worker { mount host "/x" at "data" readonly }', NATIVE),
    (("slider",), "output-place", 'role chief { mount host "/x" at "/x", output "/m" to "/x/" }', ""),
    (("yarn",), "image-name", f'image = "r/x:1@sha256:{"a" * 64}"\nrole chief {{ }}', ""),
    (("yarn",), "archive-kind", 'role chief { mount archive "hdfs://nn/a${task.index}" at "d" }', ""),
    (("yarn",), "archive-kind", 'role chief { mount archive "hdfs://nn/a.TGZ" at "d" }', ""),
    (("yarn",), "readonly", 'role worker { mount host "/x" at "data" readonly }', NATIVE),
    (("yarn",), "pending", f"on worker pending after 5m => fail job\n{WORKERS}", ""),
    (
        ("yarn",),
        "pending-limits",
        f"on worker pending after 5m => fail job\non ps pending after 6m => fail job\n{WORKERS}\nrole ps {{ }}",
        "",
    ),
    (("yarn",), "tf-completed", f"on worker completed => complete job\n{WORKERS}", 'dialect = "yarn-tf"'),
]
"""Targets, the end of the slug, items of the job, options of the target."""
CASES = [(target, slug, items, options) for names, slug, items, options in SAID for target in names]


def said(target: str, items: str, options: str) -> dict[str, str]:
    """The messages for a job by their slugs."""
    found = targets.find(target)
    assert found is not None
    image = "" if "image =" in items else 'image = "r/i:1"'
    text = f'job j {{\n{image}\ncommand = ["python"]\n{items}\ntarget {target} {{ {options} }}\n}}\n'
    program = pipeline.load(Source("job.tfjob", text), lambda path: "there is no such file")
    done = pipeline.run(program, Request(), [Choice(found)])
    return {diagnostic.rule.slug: diagnostic.message for diagnostic in done.diagnostics}


@pytest.mark.parametrize(
    ("target", "slug", "items", "options"), CASES, ids=[f"{target}-{slug}" for target, slug, _, _ in CASES]
)
def test_a_job_gets_the_message(target: str, slug: str, items: str, options: str) -> None:
    messages = said(target, items, options)
    assert f"{target}-{slug}" in messages, messages


NAMED = """role worker {
  env_from = [configmap("settings")]
  env = { PREFIX = "${env.BUCKET}/mnist" }
  args = ["--bucket=${env.BUCKET}"]
  mount pvc "runs" at "/runs" { sub_path = "${env.RUN}" }
}"""


@pytest.mark.parametrize("target", KUBERNETES)
def test_env_from_may_define_any_variable(target: str) -> None:
    assert f"{target}-undefined-variable" not in said(target, NAMED, "")


@pytest.mark.parametrize("target", ["yarn", "slider"])
def test_an_empty_env_from_is_kept_everywhere(target: str) -> None:
    assert f"{target}-env-from" not in said(target, "role worker { env_from = [] }", "")


@pytest.mark.parametrize("target", KUBERNETES)
def test_a_destination_is_shown_as_it_is_written(target: str) -> None:
    messages = said(target, 'role worker { output "/tmp/x" to "hdfs://nn/${env.RUN}/x-${task.index}" }', "")
    expected = "a pod has no HDFS client to copy an output to hdfs://nn/${env.RUN}/x-${task.index}"
    assert messages[f"{target}-hdfs-output"].endswith(expected)


@pytest.mark.parametrize(("target", "code"), [("kubernetes", "K8S024"), ("tfjob", "KTF024"), ("volcano", "VOL024")])
def test_a_user_who_cannot_read_a_secret(target: str, code: str, tmp_path: Path) -> None:
    text = 'job j { image = "i:1", command = ["x"], run_as_user = 1000, role worker { replicas = 2 }\n'
    text += 'mount secret "keys" at "/keys" { mode = "0400" } }\n'
    assert f"warning[{code}]" in tfdsl("check", "-", "-t", target, cwd=tmp_path, stdin=text.encode()).err
    readable = text.replace("0400", "0444")
    assert code not in tfdsl("check", "-", "-t", target, cwd=tmp_path, stdin=readable.encode()).err


FILES = ("/images/tf.sif", "/images/tf.sqsh", "oras://reg.example.com/tf:2", "library://a/b:1", "docker://a/b:1")


@pytest.mark.parametrize("image", FILES)
@pytest.mark.parametrize("target", [*KUBERNETES, "jobset", "yarn", "slider"])
def test_an_image_that_is_in_no_registry_is_refused(target: str, image: str) -> None:
    """Only Apptainer and enroot run files, and a name has a scheme only there."""
    messages = said(target, f'image = "{image}"\nrole worker {{ }}', "")
    assert messages[f"{target}-image-file"].endswith(f"cannot run {image}")


@pytest.mark.parametrize("image", ["/images/tf.sif", "/images/tf.sqsh"])
def test_a_file_has_no_tag_that_could_change(image: str) -> None:
    assert "floating-image-tag" not in said("slurm", f'image = "{image}"\nrole worker {{ }}', "")
