"""Emitted jobs run from submit.sh to the last copied output, on stand-ins for ``yarn`` and ``hdfs``."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, unit
from tests.unit.backends.yarn.cluster import WHO, Cluster, native, text
from tests.unit.backends.yarn.containers import until
from tfdsl.ir import model
from tfdsl.ir.model import ArchiveMount, EnvVar, HostMount, Output

pytestmark = pytest.mark.slow

INDEX = model.TaskIndex()
FOREVER = "trap 'exit 143' TERM; while :; do sleep 0.1; done"


def test_ps_and_workers_run_to_success(cluster: Cluster) -> None:
    made = job(
        native("ps", 1, FOREVER), native("worker", 2, 'printf %s "$TF_CONFIG" >config; printf "%s\\n" "$@" >flags')
    )
    made = made.but(cluster=model.Cluster(discovery="both"))
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert "SUCCEEDED" in done.stdout
    assert "is shown at http://rm:8088/proxy/application_" in done.stdout
    assert "its logs: yarn logs -applicationId application_" in done.stdout
    tasks = cluster.containers()
    assert sorted(tasks) == ["ps[0]", "worker[0]", "worker[1]"]
    assert {(place / "status").read_text() for place in tasks.values()} == {"0"}
    config = json.loads((tasks["worker[1]"] / "config").read_text())
    assert config["task"] == {"type": "worker", "index": 1}
    assert config["environment"] == "cloud"
    flags = (tasks["worker[1]"] / "flags").read_text().splitlines()
    assert flags == [
        "--ps_hosts=" + ",".join(config["cluster"]["ps"]),
        "--worker_hosts=" + ",".join(config["cluster"]["worker"]),
        "--job_name=worker",
        "--task_index=1",
    ]
    assert [options["num_containers"] for options in cluster.clients()] == [["3"]]
    assert list((cluster.folder / "hdfs/user/alice/.tfjobs").iterdir()) == []  # cleaned


def test_a_failing_job_says_so(cluster: Cluster) -> None:
    made = job(native("ps", 1, FOREVER), native("worker", 2, '[ "$TFJOB_INDEX" = 0 ] || exit 7; sleep 30'))
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 2
    assert "FINISHED, FAILED; client status 2" in done.stdout
    assert "Application Failure: desired = 3, completed = 3, failed = 3" in done.stderr
    assert "RUNNING" not in done.stderr, "the reports of each second say nothing"
    statuses = {name: (place / "status").read_text() for name, place in cluster.containers().items()}
    assert statuses == {"ps[0]": "75", "worker[0]": "75", "worker[1]": "7"}


def test_roles_of_unlike_size_are_applications_of_their_own(cluster: Cluster) -> None:
    made = job(
        native("chief", 1, "sleep 1"),
        native("ps", 1, FOREVER, memory=amount("4Gi")),
        native("worker", 2, "sleep 1", gpu=1),
    )
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert [(c["appname"], c["num_containers"], c["container_resources"]) for c in cluster.clients()] == [
        (["mnist-chief"], ["1"], ["memory-mb=1024,vcores=1"]),
        (["mnist-ps"], ["1"], ["memory-mb=4096,vcores=1"]),
        (["mnist-worker"], ["2"], ["memory-mb=1024,vcores=1,yarn.io/gpu=1"]),
    ]
    assert sorted(cluster.containers()) == ["chief[0]", "ps[0]", "worker[0]", "worker[1]"]


def test_applications_that_do_not_end_are_killed_when_one_fails(cluster: Cluster) -> None:
    """The worker application cannot be submitted; the ps would wait for it."""
    made = job(native("ps", 1, FOREVER), native("worker", 1, "true", gpu=1))
    done = cluster.submit(unit(made, "yarn", "3.4"), STUB_NO_GPUS="1", TFJOB_GRACE="1")
    assert done.returncode == 1
    assert "Unknown resource: yarn.io/gpu" in done.stderr
    assert "the others are still running; ending them" in done.stdout
    assert list((cluster.folder / "running").iterdir()) == []


def test_retries_relaunch_the_gang_in_place(cluster: Cluster) -> None:
    script = 'echo x >>tries; [ "$TFJOB_INDEX" = 1 ] && [ "$(wc -l <tries)" -lt 3 ] && exit 7; exit 0'
    made = job(native("worker", 2, script), policies=(policy("failed", "restart job"),), retries=3)
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert (cluster.containers()["worker[1]"] / "tries").read_text() == "x\nx\nx\n"
    options = cluster.clients()[0]
    assert (options["container_retry_policy"], options["container_max_retries"]) == (["2"], ["3"])


def test_only_one_status_restarts(cluster: Cluster) -> None:
    script = 'echo x >>tries; [ "$(wc -l <tries)" -lt 2 ] && exit 7; exit 8'
    made = job(native("worker", 1, script), policies=(policy("exit", "restart job", codes=(7,)),), retries=5)
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 2
    place = cluster.containers()["worker[0]"]
    assert ((place / "tries").read_text(), (place / "status").read_text()) == ("x\nx\n", "8")
    options = cluster.clients()[0]
    assert (options["container_retry_policy"], options["container_retry_error_codes"]) == (["2"], ["75"])


@pytest.mark.parametrize("version", ["2.10", "3.1", "3.3", "3.4"])
def test_every_version_s_client_takes_the_options(tmp_path: Path, version: str) -> None:
    cluster = Cluster(tmp_path, version)
    archive = tmp_path / "code 'x'.tar.gz"
    (tmp_path / "hello.txt").write_text("hi")
    with tarfile.open(archive, "w:gz") as opened:
        opened.add(tmp_path / "hello.txt", "pkg/hello.txt")
    mount = ArchiveMount(at="code", source=archive.name)
    worker = native("worker", 2, "cp code/pkg/hello.txt got", mounts=(mount,), spread="none")
    made = job(worker, policies=(policy("failed", "restart job"),), queue="q one", priority=4)
    done = cluster.submit(unit(made, "yarn", version))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert (cluster.containers()["worker[1]"] / "got").read_text() == "hi"
    options = cluster.clients()[0]
    assert options["queue"] == ["q one"]
    assert options["timeout"] == ["2147483647"]


def test_a_command_that_is_killed_is_a_failure_like_another(cluster: Cluster) -> None:
    """The kernel kills a command that takes too much memory; YARN itself never relaunches on status 137."""
    script = 'echo x >>tries; [ "$(wc -l <tries)" -ge 2 ] || kill -9 $$'
    made = job(native("worker", 1, script), policies=(policy("failed", "restart container"),), retries=1)
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert (cluster.containers()["worker[0]"] / "tries").read_text() == "x\nx\n"


def test_retries_are_used_up(cluster: Cluster) -> None:
    script = '[ "$TFJOB_INDEX" = 0 ] || exec sleep 60; echo x >>tries; exit 7'  # the other could end it before it began
    made = job(native("worker", 2, script), policies=(policy("failed", "restart job"),), retries=2)
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 2
    assert (cluster.containers()["worker[0]"] / "tries").read_text() == "x\nx\nx\n"
    assert "worker[0] exited with 7; all 2 restarts are used up" in cluster.logs()
    places = (cluster.folder / "containers").glob("*/*/status")  # the other may be ended before it says who it is
    assert sorted(place.read_text() for place in places) == ["143", "7"]


def test_missing_tasks_are_not_waited_for_again(cluster: Cluster) -> None:
    made = job(native("worker", 2, "true"), policies=(policy("failed", "restart job"),), retries=3)
    done = cluster.submit(unit(made, "yarn", rendezvous_seconds=2), STUB_MISSING="1", seconds=12)
    assert done.returncode == 2
    assert "missing: worker[1]" in cluster.logs()


HOSTILE = [
    "plain",
    "",
    "a b  c",
    "it's",
    'quo"te',
    "$HOME ${PATH} $(id) `id`",
    "back\\slash\\",
    '{{HOME}} }} {"a":{"b":1}}',
    "new\nline\n",
    "tab\tcr\r",
    "*.py ? [a] ~ # ! ; & | < >",
    "é 😀 日本",
    "-n",
    "--",
    "TFJOB_PLAN",
    "x" * 5000,
]


def test_hostile_texts_reach_the_command_byte_for_byte(cluster: Cluster) -> None:
    command = ("/bin/sh", "-c", 'for a; do printf "%s\\0" "$a"; done >args; env -0 >env; echo "worker[0]" >task', "sh")
    made = job(
        role(
            "worker",
            image=None,
            command=command,
            args=tuple(HOSTILE),
            env={f"H{at}": value for at, value in enumerate(HOSTILE)},
            memory=amount("1Gi"),
        )
    )
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    place = cluster.containers()["worker[0]"]
    assert (place / "args").read_bytes().decode().split("\0")[:-1] == HOSTILE
    env = dict(entry.split("=", 1) for entry in (place / "env").read_bytes().decode().split("\0") if "=" in entry)
    assert [env[f"H{at}"] for at in range(len(HOSTILE))] == HOSTILE


OURS = ["TFJOB_ROLE", "TFJOB_INDEX", "TFJOB_PROGRAM", "TFJOB_PYTHON", "tfjob_work", "work", "state", "script", "failed"]
BASH = ["UID", "EUID", "RANDOM", "GROUPS", "SECONDS", "LINENO", "BASHOPTS", "SHELLOPTS", "BASH_ENV", "IFS", "PATH",
        "_", "PWD", "FUNCNAME", "PIPESTATUS", "BASH_VERSINFO", "PPID", "POSIXLY_CORRECT", "PYTHONHOME"]  # fmt: skip


def test_variables_of_the_job_are_the_command_s_whatever_they_are_called(cluster: Cluster) -> None:
    """None of them reaches the task program, bash or the copies; and none is changed on its way."""
    program = (
        "import os\n"
        f"names = {[*OURS, *BASH]!r}\n"
        "open('env', 'w').write('\\0'.join(os.environ.get(name, '') for name in names))\n"
        "open('task', 'w').write('worker[0]')\n"
        "open('model', 'w').write(os.environ['SEEN'])\n"
    )
    results = cluster.folder / "results"
    results.mkdir()
    made = role(
        "worker",
        image=None,
        memory=amount("1Gi"),
        command=(sys.executable, "-I", "-c", program),
        env={name: f"/no/such/{name} of 'ps'" for name in (*OURS, *BASH)}
        | {"SEEN": text(EnvVar(name="RANDOM"), "|", EnvVar(name="work"), "|", EnvVar(name="PATH"))},
        mounts=(HostMount(at="res", source=str(results)),),
        outputs=(Output(source="model", destination=text("res/", EnvVar(name="UID"))),),
    )
    done = cluster.submit(unit(job(made), "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    place = cluster.containers()["worker[0]"]
    assert (place / "env").read_text().split("\0") == [f"/no/such/{name} of 'ps'" for name in (*OURS, *BASH)]
    copied = results / "no/such/UID of 'ps'"
    assert copied.read_text() == "|".join(f"/no/such/{name} of 'ps'" for name in ("RANDOM", "work", "PATH"))


def test_a_variable_of_the_node_is_seen_where_the_job_s_own_is_made_of_it(cluster: Cluster) -> None:
    script = 'printf "%s" "$JOB_TEST|$B|$1" >got'
    worker = native("worker", 1, script, args=(text(EnvVar(name="B")),)).but(
        env={"B": text(EnvVar(name="JOB_TEST"), "!"), "JOB_TEST": text("x", EnvVar(name="JOB_TEST"))}
    )
    done = cluster.submit(unit(job(worker), "yarn"), JOB_TEST="node")
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert (cluster.containers()["worker[0]"] / "got").read_text() == "xnode|xnode!|xnode!"


def test_a_program_with_an_equals_sign_is_no_variable(cluster: Cluster) -> None:
    worker = role("worker", image=None, memory=amount("1Gi"), command=("./a=b",), env={"A": "1"})
    program = cluster.folder / "a=b"
    program.write_text('#!/bin/sh\necho "worker[0]" >task; echo "$A" >got\n')
    program.chmod(0o755)
    with tarfile.open(cluster.folder / "code.tar", "w") as opened:
        opened.add(program, "a=b")
    mounts = (ArchiveMount(at=".", source="code.tar"),)
    done = cluster.submit(unit(job(worker.but(mounts=mounts)), "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert (cluster.containers()["worker[0]"] / "got").read_text() == "1\n"


def test_values_of_run_time(cluster: Cluster) -> None:
    script = 'printf "%s|" "$WHERE" "$@" >got; mkdir -p "out dir"; echo done >"out dir/file"'
    results = cluster.folder / "results"
    results.mkdir()
    worker = role(
        "worker",
        2,
        image=None,
        memory=amount("1Gi"),
        command=text(WHO + "cd ../; cd - >/dev/null; echo ", EnvVar(name="WHERE"), ' >"text-', INDEX, '"; ' + script),
        args=(text("--index=", INDEX, " of $x"), text(EnvVar(name="NOT_SET"))),
        env={"BASE": "a $b 'c'", "WHERE": text(EnvVar(name="BASE"), "/", INDEX)},
        mounts=(HostMount(at="res", source=str(results)),),
        outputs=(Output(source="out dir", destination=text("res/model '", INDEX, "'")),),
    )
    done = cluster.submit(unit(job(worker), "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    place = cluster.containers()["worker[1]"]
    assert (place / "got").read_text() == "a $b 'c'/1|--index=1 of $x||"
    assert (place / "text-1").read_text() == "a $b 'c'/1\n"
    assert (results / "model '1'/file").read_text() == "done\n"


def test_the_index_arrives_in_a_shell_text_however_it_is_quoted(cluster: Cluster) -> None:
    """On the other targets the kubelet, or Slider's program, puts it in before the shell reads the text."""
    command = text(WHO, "printf '%s\\n' 'idx-", INDEX, "' \"idx-", INDEX, '" idx-', INDEX, " $((", INDEX, "+1)) >got #")
    worker = role("worker", 2, image=None, memory=amount("1Gi"), command=command)
    done = cluster.submit(unit(job(worker), "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    for index in (0, 1):
        got = (cluster.containers()[f"worker[{index}]"] / "got").read_text()
        assert got.splitlines() == [f"idx-{index}"] * 3 + [str(index + 1)]


def test_a_shared_folder_as_store(cluster: Cluster) -> None:
    made = job(native("worker", 2, "true"))
    done = cluster.submit(unit(made, "yarn", store=str(cluster.folder / "shared store")))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert list((cluster.folder / "shared store").iterdir()) == []
    assert cluster.hdfs_calls() == []


def test_a_missing_container_is_told(cluster: Cluster) -> None:
    made = job(native("worker", 2, "true"))
    done = cluster.submit(unit(made, "yarn", rendezvous_seconds=2), STUB_MISSING="1")
    assert done.returncode == 2
    assert "1 of 2 tasks registered within 2 s; missing: worker[1]" in cluster.logs()


def test_without_yarn_one_clear_line(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    place = cluster.write(unit(job(native("worker", 1, "true")), "yarn"))
    bare = subprocess.run(
        ["bash", str(place / "submit.sh")], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True
    )
    assert (bare.returncode, bare.stdout) == (1, "")
    assert bare.stderr == "mnist: yarn is not on the PATH; call submit.sh where the Hadoop client is installed\n"


def test_print_does_nothing(cluster: Cluster) -> None:
    made = job(native("worker", 2, "true"), queue="it's; $HOME")
    done = cluster.submit(unit(made, "yarn"), "--print")
    assert done.returncode == 0
    assert not (cluster.folder / "clients").exists()
    assert not (cluster.folder / "dfs").exists()
    line = done.stdout.splitlines()[-1]
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, text=True).stdout.split("\0")
    assert words[:5] == ["yarn", "jar", str(cluster.jar), "-jar", str(cluster.jar)]
    assert words[words.index("-queue") + 1] == "it's; $HOME"


@pytest.mark.parametrize("cancel", [True, False])
def test_interrupt(cluster: Cluster, cancel: bool) -> None:
    place = cluster.write(unit(job(native("worker", 1, "echo up >up; sleep 60")), "yarn"))
    arguments = ["--cancel-on-interrupt"] if cancel else []
    process = subprocess.Popen(
        ["bash", str(place / "submit.sh"), *arguments], env=cluster.env, stdout=subprocess.PIPE, text=True
    )
    until(lambda: any((p / "up").exists() for p in cluster.containers().values()))
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=15)
    assert process.returncode == 130
    running = list((cluster.folder / "running").iterdir())
    if cancel:
        assert running == []
        assert "ended the job" in out
    else:
        assert f"yarn application -kill {running[0].name}" in out
        subprocess.run(
            [str(cluster.folder / "hadoop/bin/yarn"), "application", "-kill", running[0].name],
            env=cluster.env,
            check=True,
        )
    for pid in (cluster.folder / "containers").glob("*/*/pid"):
        until(lambda pid=pid: not Path("/proc", pid.read_text()).exists())


def test_an_unknown_queue_is_the_client_s_own_error(cluster: Cluster) -> None:
    done = cluster.submit(unit(job(native("worker", 1, "true"), queue="nosuch"), "yarn"))
    assert done.returncode == 1
    assert "Queue nosuch not present" in done.stderr


def test_roles_without_a_gpu_see_none(cluster: Cluster) -> None:
    show = 'echo "<${CUDA_VISIBLE_DEVICES-unset}>" >gpus'
    made = job(native("chief", 1, show), native("worker", 1, show, gpu=2), native("evaluator", 1, show))
    done = cluster.submit(unit(made, "yarn", applications="one"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    seen = {
        name: (place / "gpus").read_text().strip()
        for name, place in cluster.containers().items()
        if (place / "gpus").exists()
    }
    assert seen["chief[0]"] == "<>"
    assert seen["worker[0]"] == "<unset>"
    assert cluster.clients()[0]["container_resources"] == ["memory-mb=1024,vcores=1,yarn.io/gpu=2"]


def test_tensorboard_and_evaluator_are_tasks_too(cluster: Cluster) -> None:
    board = cluster.folder / "hadoop/bin/tensorboard"
    board.write_text('#!/bin/sh\necho "tensorboard[0]" >task; printf "%s\\n" "$@" >argv; exec sleep 60\n')
    board.chmod(0o755)
    made = job(
        native("worker", 1, "sleep 2"),
        native("evaluator", 1, 'printf %s "$TF_CONFIG" >config; sleep 60'),
        role("tensorboard", image=None, logdir="/logs", memory=amount("1Gi")),
    )
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    tasks = cluster.containers()
    argv = (tasks["tensorboard[0]"] / "argv").read_text().splitlines()
    assert argv[:4] == ["--logdir", "/logs", "--bind_all", "--port"]
    assert 20000 <= int(argv[4]) <= 30000
    config = json.loads((tasks["evaluator[0]"] / "config").read_text())
    assert config["task"] == {"type": "evaluator", "index": 0}
    assert list(config["cluster"]) == ["worker"]


def test_a_server_role_runs_a_tensorflow_server(cluster: Cluster) -> None:
    """With a stand-in for TensorFlow 2 on the Python path."""
    (cluster.folder / "py").mkdir()
    (cluster.folder / "py/tensorflow.py").write_text(
        "import json, time\n"
        "class train:\n    ClusterSpec = dict\n"
        "class distribute:\n    class Server:\n"
        "        def __init__(self, spec, **given):\n"
        "            json.dump([spec, given], open('served', 'w')); open('task', 'w').write('ps[0]')\n"
        "        def join(self): time.sleep(60)\n"
    )
    ps = native("ps", 1, "false", server=True, env={"PYTHONPATH": str(cluster.folder / "py")})
    done = cluster.submit(unit(job(ps, native("worker", 1, "sleep 1")), "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    spec, given = json.loads((cluster.containers()["ps[0]"] / "served").read_text())
    assert sorted(spec) == ["ps", "worker"]
    assert given == {"job_name": "ps", "task_index": 0, "protocol": "grpc"}


def test_docker_variables_survive_all_shells(cluster: Cluster) -> None:
    """The client, the application master's command line and the NodeManager's launch script."""
    data = cluster.folder / "d"
    data.mkdir()
    script = "env | grep ^YARN_CONTAINER_RUNTIME | sort >runtime"
    mounts = (HostMount(at="in", source=str(data), readonly=True),)
    worker = role(
        "worker",
        image="reg.example.com:5000/ml/tf:2.16-gpu",
        command=WHO + script,
        memory=amount("1Gi"),
        mounts=mounts,
        privileged=True,
    )
    done = cluster.submit(unit(job(worker), "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert (cluster.containers()["worker[0]"] / "runtime").read_text().splitlines() == [
        "YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK=host",
        "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE=reg.example.com:5000/ml/tf:2.16-gpu",
        f"YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS={data}:{data}:ro",
        "YARN_CONTAINER_RUNTIME_DOCKER_RUN_PRIVILEGED_CONTAINER=true",
        "YARN_CONTAINER_RUNTIME_TYPE=docker",
    ]


@pytest.mark.parametrize("launcher", ["default_container_executor.sh", "container-executor"])
def test_a_node_without_docker_does_not_run_a_job_that_asks_for_it(cluster: Cluster, launcher: str) -> None:
    """Both executors of YARN start the process themselves then; in docker none of its ancestors can be seen."""
    place = cluster.write(unit(job(role("worker", image="tf:2", command=WHO, memory=amount("1Gi"))), "yarn"))
    started, ended = {}, {}
    for name, asked in ((launcher, "docker"), (launcher, ""), ("other.sh", "docker")):
        program = cluster.folder / name
        program.write_text('#!/bin/bash\n"$@"\nexit $?\n')
        program.chmod(0o755)
        work = cluster.folder / f"{name}-{asked}"
        work.mkdir()
        env = {"PATH": os.environ["PATH"], "NM_HOST": "localhost", "YARN_CONTAINER_RUNTIME_TYPE": asked}
        command = [str(program), "bash", str(place / "job.sh")]
        ended[name, asked] = subprocess.run(command, cwd=work, env=env, capture_output=True, text=True)
        started[name, asked] = (work / "task").exists()
    assert started == {(launcher, "docker"): False, (launcher, ""): True, ("other.sh", "docker"): True}
    assert {done.returncode for key, done in ended.items() if started[key]} == {0}
    refused = ended[launcher, "docker"]
    assert refused.returncode == 1
    assert re.fullmatch(
        r"\[tfjob\] this task is not in docker: the NodeManager on .* tasks on the node itself\n", refused.stderr
    )


@pytest.mark.parametrize("full", ["stdout", "stderr"])
def test_a_log_that_is_lost_on_a_full_disk_does_not_end_well(cluster: Cluster, full: str) -> None:
    """Neither the command's own words nor those of the task program get lost without a trace."""
    place = cluster.write(unit(job(native("worker", 1, "echo trained")), "yarn"))
    work = cluster.folder / "work"
    work.mkdir()
    env = {"PATH": os.environ["PATH"], "NM_HOST": "localhost"}
    with open("/dev/full", "wb") as lost, (cluster.folder / "log").open("wb") as kept:
        logs = {"stdout": kept, "stderr": kept, full: lost}
        assert subprocess.run(["bash", str(place / "job.sh")], cwd=work, env=env, **logs).returncode != 0


def test_the_jobs_own_tf_config_is_exported(cluster: Cluster) -> None:
    own = {"TF_CONFIG": text('{"task": {"index": ', INDEX, '}, "note": "$HOME it\'s"}')}
    command = 'printf %s "$TF_CONFIG" >config'
    made = job(native("worker", 2, command, env=own), cluster=model.Cluster(discovery="none"))
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    config = (cluster.containers()["worker[1]"] / "config").read_text()
    assert config == '{"task": {"index": 1}, "note": "$HOME it\'s"}'
