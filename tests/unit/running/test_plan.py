"""What each replica of a local run runs."""

from __future__ import annotations

import json

import pytest

from tests.unit.running.jobs import planned, problems

TRAIN = 'command = ["python3.9", "train.py"]'


def test_tf_config_is_that_of_the_language_on_loopback() -> None:
    """Language reference, "The cluster": keys sorted, the evaluator only in its own task."""
    found = planned(TRAIN, "role chief { }", "role worker { replicas = 2 }", "role ps { }", "role evaluator { }")
    cluster = {"chief": ["127.0.0.1:9000"], "ps": ["127.0.0.1:9001"], "worker": ["127.0.0.1:9002", "127.0.0.1:9003"]}
    assert found["worker[1]"].command.env["TF_CONFIG"] == json.dumps(
        {"cluster": cluster, "task": {"type": "worker", "index": 1}, "environment": "cloud"}, separators=(",", ":")
    )
    own = json.loads(found["evaluator[0]"].command.env["TF_CONFIG"])
    assert own["cluster"] == cluster
    assert own["task"] == {"type": "evaluator", "index": 0}
    assert found["worker[1]"].command.argv == ("python3.9", "train.py")
    assert found["worker[1]"].port == 9003


def test_flags_come_after_the_arguments() -> None:
    """The chief is worker 0, and worker i is i + 1."""
    lines = (TRAIN, 'args = ["--steps=5"]', 'cluster { discovery = "flags" }')
    found = planned(*lines, "role chief { }", "role worker { }", "role ps { }")
    assert found["worker[0]"].command.argv[2:] == (
        "--steps=5",
        "--ps_hosts=127.0.0.1:9001",
        "--worker_hosts=127.0.0.1:9000,127.0.0.1:9002",
        "--job_name=worker",
        "--task_index=1",
    )
    assert "TF_CONFIG" not in found["worker[0]"].command.env


def test_a_tf_config_from_outside_does_not_leak_in() -> None:
    found = planned(TRAIN, 'cluster { discovery = "none" }', "role worker { }", TF_CONFIG="{}")
    assert "TF_CONFIG" not in found["worker[0]"].command.env


def test_a_text_runs_in_a_shell_with_its_arguments() -> None:
    found = planned('command = "echo ${task.index} $@"', 'args = ["a b", "$HOME"]', "role worker { replicas = 2 }")
    assert found["worker[1]"].command.argv == ("/bin/sh", "-c", "echo 1 $@", "sh", "a b", "$HOME")


def test_a_server_runs_the_server_program_with_the_python_of_the_command() -> None:
    found = planned(TRAIN, "role chief { }", "role worker { server = true }", 'cluster { discovery = "flags" }')
    name, option, program, protocol = found["worker[0]"].command.argv
    assert (name, option, protocol) == ("python3.9", "-c", "grpc")
    assert "tf.train.ClusterSpec" in program
    assert "TF_CONFIG" in found["worker[0]"].command.env


def test_without_a_command_the_entrypoint_of_build_runs() -> None:
    build = 'build { from = "tensorflow/tensorflow:2.17.0", entrypoint = ["python", "/app/main.py"] }'
    found = planned(build, 'args = ["--steps=5"]', "role worker { }")
    assert found["worker[0]"].command.argv == ("python", "/app/main.py", "--steps=5")


def test_without_both_the_job_cannot_be_started() -> None:
    assert [(one.rule.slug, one.path) for one in problems("role worker { replicas = 3 }")] == [
        ("run-no-command", "roles[worker]")
    ]


def test_tensorboard_listens_on_loopback_at_a_free_port() -> None:
    found = planned(TRAIN, 'checkpoint = "/runs"', "role worker { }", "role tensorboard { }")
    board = found["tensorboard[0]"]
    assert board.command.argv == ("tensorboard", "--logdir", "/runs", "--host", "127.0.0.1", "--port", "9001")
    assert board.address == "http://127.0.0.1:9001"
    assert "TF_CONFIG" not in board.command.env


def test_variables() -> None:
    lines = (
        TRAIN,
        'checkpoint = "/runs/${task.index}"',
        'env = { A = "a", B = "${env.A}-${env.OUTER}", N = 3, NAME = pod_field("metadata.name"),'
        ' IP = pod_field("status.podIP"), TEAM = pod_field("metadata.labels[\'team\']"), KEY = secret("s", "k") }',
        'role worker { labels = { team = "vision" } }',
    )
    env = planned(*lines, OUTER="o", KEY="from outside")["worker[0]"].command.env
    expected = {"A": "a", "B": "a-o", "N": "3", "NAME": "mnist-worker-0", "IP": "127.0.0.1", "TEAM": "vision"}
    assert {name: env[name] for name in expected} == expected
    assert env["CHECKPOINT_DIR"] == "/runs/0"
    assert env["KEY"] == "from outside"
    assert env["OUTER"] == "o"


@pytest.mark.parametrize(
    ("line", "slug", "path"),
    [
        ('args = ["--data=${env.MISSING}"]', "run-unset-variable", "roles[worker]"),
        ('env = { A = "${env.MISSING}" }', "run-unset-variable", "roles[worker].env[A]"),
        ('env = { TOKEN = secret("hub", "token") }', "run-no-value", "roles[worker].env[TOKEN]"),
        ('prepare fetch { image = "registry.example.com/f:1" }', "run-prepare-needs-image", "roles[worker].steps[0]"),
    ],
)
def test_what_this_machine_does_not_have_is_said_once(line: str, slug: str, path: str) -> None:
    found = problems(TRAIN, line, "role worker { replicas = 3 }")
    assert [(one.rule.slug, one.path) for one in found] == [(slug, path)]


def test_steps_have_the_variables_of_the_role_and_no_cluster() -> None:
    lines = (
        TRAIN,
        'env = { A = "a" }',
        'prepare fetch { command = ["fetch"], args = ["${task.index}"], env = { B = "b" }, workdir = "/data" }',
        'sidecar ship { image = "registry.example.com/ship:1" }',
        'sidecar tail { command = "tail -f x" }',
        'role worker { replicas = 2, workdir = "/app", stop_grace = 3s }',
    )
    worker = planned(*lines)["worker[1]"]
    fetch, tail = worker.steps
    assert (fetch.name, fetch.kind, fetch.argv, fetch.folder) == ("worker[1]/fetch", "prepare", ("fetch", "1"), "/data")
    assert (fetch.env["A"], fetch.env["B"]) == ("a", "b")
    assert "TF_CONFIG" not in fetch.env
    assert (tail.kind, tail.folder) == ("sidecar", "/app")
    assert "B" not in worker.command.env
    assert worker.grace_ms == 3000
