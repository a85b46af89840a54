"""The programs that the compiler puts around a command are taken off again (language, "Outputs" and "server")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from tests.unit.backends.podspec.reading.reading import Result, read, with_facts
from tfdsl.emit.shell import escape_expansion
from tfdsl_backends.podspec.command import TENSORFLOW_SERVER, shell_program

if TYPE_CHECKING:
    from tfdsl_backends.podspec.reading.facts import PodFacts

FIELD = {"fieldRef": {"fieldPath": "metadata.labels['example.com/replica-index']"}}
INDEX = {"name": "TASK_INDEX", "valueFrom": FIELD}
WORKERS = "--worker_hosts=mnist-chief-0:2222,mnist-worker-0:2222,mnist-worker-1:2222"


def shell(program: str, *words: str) -> dict[str, Any]:
    return {"command": ["/bin/sh", "-c", escape_expansion(program), "sh"], "args": [*words]}


def said(facts: PodFacts | None = None, **containers: dict[str, Any]) -> Result:
    specs = {
        role: yaml.safe_dump({"containers": [{"name": "tensorflow", "image": "x:1", **container}]})
        for role, container in containers.items()
    }
    return read(facts, **specs)


def output(*parameters: str) -> dict[str, Any]:
    return shell(shell_program("output"), *parameters, "python", "train.py")


def test_an_output_of_each_replica_is_the_roles() -> None:
    words = output("worker", "0", "1", "always", "every", "yes", "/out", "/results/$$(X)")
    result = said(worker=words)
    assert result.role() == [
        'image = "x:1"',
        'command = ["python", "train.py"]',
        'output "/out" to "/results/$(X)" on always overwrite',
    ]


def test_an_output_of_the_replica_that_usually_copies_is_the_jobs() -> None:
    words = output("worker", "$(TASK_INDEX)", "1", "success", "0", "no", "/out", "/results")
    result = said(worker={**words, "env": [INDEX]})
    assert result.job == ['output "/out" to "/results" on success']


def test_an_output_of_another_replica_names_it() -> None:
    words = output("worker", "$(TASK_INDEX)", "1", "success", "1", "no", "/out", "/results")
    result = said(worker={**words, "env": [INDEX]})
    [one] = result.draft.job.statements
    assert getattr(one, "of", None) == "worker[1]"


def test_what_is_not_quite_the_program_is_a_command() -> None:
    for words in (output("worker"), output("worker", "0", "x"), output("worker", "0", "7", "always")):
        result = said(worker=words)
        assert result.job == []
        assert any(one.startswith("command") for one in result.role())


def test_a_program_that_computes_the_index_belongs_to_the_flags() -> None:
    chief = {"command": ["python"], "args": ["--ps_hosts=", WORKERS, "--job_name=worker", "--task_index=0"]}
    words = shell(shell_program("task_index"), "$(TASK_INDEX)", "1", "python")
    words["args"] += ["--ps_hosts=", WORKERS, "--job_name=worker"]
    result = said(chief=chief, worker={**words, "env": [INDEX]})
    assert result.draft.cluster == {"discovery": "flags"}
    assert result.role() == result.role("chief") == ['image = "x:1"', 'command = ["python"]']


def test_a_server_runs_with_the_python_of_another_role() -> None:
    server = {"command": ["python3.9", "-c", escape_expansion(TENSORFLOW_SERVER), "grpc"]}
    result = said(ps=server, worker={"command": ["/usr/bin/python3.9", "train.py"]})
    assert result.learnt.servers == {"ps"}
    assert 'command = ["python3.9"]' in result.role("ps")
    result = said(ps=server, worker={"command": ["python3.9", "train.py"], "args": ["--x"]})
    assert result.role("ps") == [
        'image = "x:1"',
        "server = true",
        'command = ["python3.9", "train.py"]',
        'args = ["--x"]',
    ]


def test_the_protocol_of_servers_is_the_clusters() -> None:
    server = {"command": ["python", "-c", escape_expansion(TENSORFLOW_SERVER), "grpc+verbs"]}
    assert said(ps=server, worker={}).draft.cluster["protocol"] == "grpc+verbs"


OWN = 'TF_CONFIG=$1\nshift\nexec "$@"\n'


def around(role: str, program: str) -> int | None:
    return 1 if program == OWN else None


def test_a_program_of_the_target_sets_the_config() -> None:
    facts = with_facts(program_around=around, replicas={"worker": 1})
    config = '{"cluster":{"worker":["mnist-worker-0:2222"]},"task":{"type":"worker","index":0},"environment":"cloud"}'
    result = said(facts, worker=shell(OWN, config, "python"))
    assert result.draft.cluster == {}
    assert result.learnt.around == {"worker": (config,)}
    own = said(facts, worker=shell(OWN, "{}", "python"))
    assert own.draft.cluster == {"discovery": "none"}
    assert 'env[TF_CONFIG] = "{}"' in own.role()


def board(*words: str, port: int = 6006) -> Result:
    ports = [{"name": "http", "containerPort": port}]
    return said(worker={}, tensorboard={"command": [*words], "ports": ports})


def test_a_tensorboard_shows_its_folder() -> None:
    usual = board("tensorboard", "--logdir", "/logs", "--bind_all", "--port", "6006")
    assert usual.role("tensorboard") == ['image = "x:1"', 'logdir = "/logs"']
    moved = board("tensorboard", "--logdir", "/logs", "--bind_all", "--port", "7007", port=7007)
    assert moved.role("tensorboard") == ['image = "x:1"', 'logdir = "/logs"', "port = 7007"]
    other = board("tensorboard", "--logdir=/logs")
    assert other.role("tensorboard") == [
        'image = "x:1"',
        'logdir = "/logs"',
        'command = ["tensorboard", "--logdir=/logs"]',
    ]
