"""``tfdsl run``: jobs of small shell programs as processes of this machine."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from unittest import mock

import pytest

from tests.unit.cli.shell import COMMAND, Ran, environment, tfdsl

IMAGE = 'image = "registry.example.com/mnist:1.4"'


def ran(folder: Path, *lines: str, words: tuple[str, ...] = (), **more: str) -> Ran:
    """A job with ``lines`` in it, run."""
    body = "\n  ".join((IMAGE, *lines))
    (folder / "demo.tfjob").write_text(f"job demo {{\n  {body}\n}}\n", encoding="utf-8")
    return tfdsl("run", "demo.tfjob", *words, cwd=folder, **more)


def said(text: str) -> list[str]:
    """Lines of standard error without the note about the image, and times left out."""
    lines = [line for line in text.splitlines() if "run-not-used" not in line]
    return [re.sub(r"(in|after) [\d.]+ (ms|s)\b", r"\1 TIME", line) for line in lines]


# --- lines, completion, failure ---


def test_a_job_completes_when_its_chief_does(tmp_path: Path) -> None:
    """Parameter servers run until then, and are asked to stop."""
    done = ran(
        tmp_path,
        "role chief { command = \"printf '%s\\n' $TF_CONFIG\" }",
        "role ps { command = \"trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done\" }",
    )
    assert done.status == 0, done.err
    config = json.loads(next(line for line in done.out.splitlines() if line.startswith("chief[0] | "))[11:])
    assert list(config["cluster"]) == ["chief", "ps"]
    assert all(address.startswith("127.0.0.1:") for addresses in config["cluster"].values() for address in addresses)
    assert said(done.err) == ["chief[0] has completed", "job demo has completed in TIME"]


def test_a_failure_is_the_last_thing_printed_with_its_last_lines(tmp_path: Path) -> None:
    done = ran(
        tmp_path,
        'role worker { replicas = 2, command = "echo ${task.index}; test ${task.index} = 0 || exit 3; sleep 60" }',
    )
    assert done.status == 1
    assert "worker[1] | 1\n" in done.out
    assert said(done.err) == [
        "worker[1] exited with status 3",
        "the last lines of worker[1]:",
        "  1",
        "job demo has failed after TIME: worker[1] exited 3",
    ]


def test_what_a_signal_ended_is_named(tmp_path: Path) -> None:
    done = ran(tmp_path, 'role worker { command = "kill -9 $$" }')
    assert done.status == 1
    assert said(done.err)[0] == "worker[0] exited with status 137 (ended by SIGKILL)"


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    done = ran(tmp_path, 'role worker { command = ["no-such-program"] }')
    assert done.status == 1
    assert said(done.err)[0].startswith("worker[0] could not be started: ")
    assert "no-such-program" in done.err


def test_a_job_as_json(tmp_path: Path) -> None:
    role = {"name": "worker", "image": "registry.example.com/mnist:1.4", "command": ["echo", "hello"]}
    (tmp_path / "demo.json").write_text(json.dumps({"name": "demo", "roles": [role]}))
    done = tfdsl("run", "demo.json", cwd=tmp_path)
    assert (done.status, done.out) == (0, "worker[0] | hello\n")


def test_errors_start_nothing(tmp_path: Path) -> None:
    done = ran(tmp_path, 'role worker { command = ["touch", "started"], args = ["${env.MISSING}"] }')
    assert done.status == 1
    assert "error[TFJ4804] run-unset-variable: ${env.MISSING} is not set on this machine" in done.err
    assert not (tmp_path / "started").exists()


def test_what_the_system_refuses_is_said(tmp_path: Path) -> None:
    refusal = OSError(24, "Too many open files")
    with mock.patch("tfdsl.running.preparing.Supervisor", side_effect=refusal):
        done = ran(tmp_path, 'role worker { command = ["true"] }')
    assert done.status == 1
    assert "error[TFJ4810] run-not-started: cannot start the job: Too many open files\n  --> demo.tfjob:1:5" in done.err


def test_a_role_whose_program_is_not_here_is_named_before_the_start(tmp_path: Path) -> None:
    env = 'env = { PATH = "/nowhere" }'
    lines = (f"role ps {{ server = true, {env} }}", 'role worker { command = ["true"] }')
    done = ran(tmp_path, *lines, f'role tensorboard {{ logdir = "/tmp", {env} }}')
    assert "TFJ4811" in done.err
    assert "role ps needs TensorFlow: there is no python" in done.err
    assert "help: install it where run finds it: pip install tensorflow\n" in done.err.replace("= help", "help")
    assert "role tensorboard needs TensorBoard: there is no tensorboard here" in done.err
    assert "help: install it where run finds it: pip install tensorboard\n" in done.err.replace("= help", "help")
    assert "role worker needs" not in done.err


def test_a_hundred_and_fifty_replicas(tmp_path: Path) -> None:
    """Starting them does not wait for a supervisor that waits to be heard."""
    done = ran(tmp_path, 'cluster { discovery = "both" }', 'role worker { replicas = 150, command = "echo $1" }')
    assert done.status == 0, done.err
    assert len(done.out.splitlines()) == 150


# --- policies ---


def test_restarts_are_counted(tmp_path: Path) -> None:
    done = ran(
        tmp_path,
        'role worker { command = "echo x >> log; exit 4" }',
        "retries = 2",
        "on exit 4 => restart container",
        words=("--restart-delay", "0s"),
    )
    assert done.status == 1
    assert (tmp_path / "log").read_text() == "x\n" * 3
    assert said(done.err)[1] == "worker[0] restarts in place (1 of 2 retries used)"
    assert said(done.err)[-1] == "job demo has failed after TIME: worker[0] exited 4, and no retry is left"


def test_a_role_waits_for_those_that_it_comes_after(tmp_path: Path) -> None:
    done = ran(
        tmp_path,
        'role ps { command = "sleep 60", prepare slow { command = "sleep 0.3; echo ready > ps" } }',
        'role worker { after = ["ps"], command = "cat ps" }',
    )
    assert (done.status, done.out) == (0, "worker[0]  | ready\n")


def test_a_prepare_step_that_fails_is_the_end_of_its_replica(tmp_path: Path) -> None:
    done = ran(tmp_path, 'prepare fetch { command = "echo no; exit 5" }', 'role worker { command = "touch started" }')
    assert done.status == 1
    assert said(done.err)[:2] == [
        "prepare step worker[0]/fetch ended with status 5",
        "worker[0] exited with status 5",
    ]
    assert "  no" in done.err
    assert not (tmp_path / "started").exists()


def test_sidecars_run_beside_the_command_and_decide_nothing(tmp_path: Path) -> None:
    done = ran(
        tmp_path,
        "sidecar tail { command = \"trap 'touch stopped; exit 1' TERM; touch there; while :; do sleep 0.05; done\" }",
        'sidecar broken { command = ["no-such-program"] }',
        'role worker { command = "until test -e there; do sleep 0.05; done" }',
    )
    assert done.status == 0, done.err
    assert (tmp_path / "stopped").exists()
    broken = [line for line in said(done.err) if line.startswith("worker[0]/broken ")]
    assert len(broken) == 1, done.err
    assert broken[0].startswith("worker[0]/broken could not be started: ")
    assert broken[0].endswith("; it is left out")


def test_abort_and_ignore(tmp_path: Path) -> None:
    done = ran(tmp_path, 'role worker { command = "exit 6" }', "on exit 6 => abort job")
    assert done.status == 1
    assert said(done.err)[-1] == "job demo was aborted after TIME: worker[0] exited 6"
    done = ran(
        tmp_path, 'role chief { command = "sleep 0.2" }', 'role worker { command = "exit 6", on exit 6 => ignore }'
    )
    assert done.status == 0


def test_deadline(tmp_path: Path) -> None:
    done = ran(tmp_path, "deadline = 300ms", 'role worker { command = "sleep 60" }')
    assert done.status == 1
    assert said(done.err)[-1] == "job demo has failed after TIME: the deadline has passed"


# --- what the command line says ---


def test_faults_are_injected(tmp_path: Path) -> None:
    """An exit ends the process and has the status that is asked for; each fault is for another start."""
    done = ran(
        tmp_path,
        'role worker { command = ["sleep", "60"] }',
        "on exit 9 => restart container",
        "on evicted => restart pod",
        words=("--inject", "worker[0] exit 9", "--inject", "worker[0] evicted", "--inject", "worker[0] completed"),
    )
    assert done.status == 0, done.err
    assert said(done.err)[:4] == [
        "worker[0] exited with status 9",
        "worker[0] restarts in place (1 of 3 retries used)",
        "worker[0] was evicted",
        "worker[0] restarts from scratch (2 of 3 retries used)",
    ]
    assert said(done.err)[4] == "worker[0] has completed"


def test_pending_and_unknown_happen_only_when_they_are_injected(tmp_path: Path) -> None:
    lines = ('role worker { command = "sleep 60" }', "on pending after 200ms => fail job", "on unknown => abort job")
    done = ran(tmp_path, *lines, words=("--inject", "worker[0] pending"))
    assert said(done.err)[-1].startswith("job demo has failed after TIME: worker[0] has not started")
    done = ran(tmp_path, *lines, words=("--inject", "unknown after 200ms"))
    assert said(done.err)[-1].startswith("job demo was aborted")


def test_scale_changes_what_depends_on_it(tmp_path: Path) -> None:
    lines = ('role worker { replicas = 4, command = "echo ${roles.worker.replicas}", min_available = 3 }',)
    body = lines[0].replace("${roles.worker.replicas}", "${roles.worker.replicas} ${task.index}")
    done = ran(tmp_path, body, words=("--scale", "worker=2"))
    assert done.status == 0, done.err
    assert sorted(done.out.splitlines()) == ["worker[0] | 2 0", "worker[1] | 2 1"]


def test_a_role_is_left_out_by_scale(tmp_path: Path) -> None:
    done = ran(tmp_path, 'command = ["true"]', "role chief { }", "role worker { }", words=("--scale", "worker=0"))
    assert said(done.err) == ["chief[0] has completed", "job demo has completed in TIME"]


def test_a_job_as_json_is_scaled_too(tmp_path: Path) -> None:
    role = {"name": "worker", "image": "registry.example.com/mnist:1.4", "command": ["echo", "hello"], "replicas": 3}
    (tmp_path / "demo.json").write_text(json.dumps({"name": "demo", "roles": [role]}))
    done = tfdsl("run", "demo.json", "--scale", "worker=1", cwd=tmp_path)
    assert (done.status, done.out) == (0, "worker[0] | hello\n")
    done = tfdsl("run", "demo.json", "--scale", "worker=0", cwd=tmp_path)
    assert done.status == 2
    assert "--scale" in done.err


def test_timeout(tmp_path: Path) -> None:
    done = ran(tmp_path, 'role worker { command = "sleep 60" }', words=("--timeout", "300ms"))
    assert done.status == 1
    assert said(done.err)[-1] == "job demo has failed after TIME: the timeout of 300ms has passed"


def test_a_file_for_each_task_has_its_bytes(tmp_path: Path) -> None:
    done = ran(tmp_path, "role worker { command = \"printf 'a\\\\000\\\\377\\\\nb'\" }", words=("--log-dir", "logs"))
    assert done.status == 0
    assert (tmp_path / "logs/worker-0.log").read_bytes() == b"a\x00\xff\nb"
    assert done.out == "worker[0] | a␀\ufffd\nworker[0] | b\n"


def test_a_log_that_is_lost_does_not_end_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr("tfdsl.running.screen.Logs._opened", lambda *_: os.fdopen(full, "wb", buffering=0))
    done = ran(tmp_path, 'role worker { command = "echo hello" }', words=("--log-dir", "logs"))
    assert (done.status, done.out) == (2, "worker[0] | hello\n")
    lost = "cannot write logs/worker-0.log: No space left on device; the output of worker[0] is not kept"
    assert said(done.err) == [lost, "worker[0] has completed", "job demo has completed in TIME"]


def test_jobs_of_a_matrix_run_one_after_the_other(tmp_path: Path) -> None:
    lines = ("matrix { n = [1, 2, 3] }", 'role worker { command = "echo ${matrix.n}; exit ${matrix.n % 2}" }')
    done = ran(tmp_path, *lines, words=("--log-dir", "logs"))
    assert done.status == 1
    assert done.out.splitlines() == ["worker[0] | 1", "worker[0] | 2", "worker[0] | 3"]
    assert [line for line in said(done.err) if line.startswith("job demo-1 ")] == [
        "job demo-1 begins",
        "job demo-1 has completed in TIME",
    ]
    assert (tmp_path / "logs/demo-2/worker-0.log").read_text() == "3\n"
    at_once = ran(tmp_path, *lines, words=("--parallel", "3"))
    assert sorted(at_once.out.splitlines()) == [f"demo-{n - 1} worker[0] | {n}" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--scale", "worker"), "--scale needs ROLE=N, not worker"),
        (("--scale", "cook=3"), "--scale needs ROLE=N, not cook=3"),
        (("--scale", "worker=-1"), "--scale worker needs a number of replicas from 0 to "),
        (("--scale", "worker="), "not (nothing)"),
        (("--scale", "worke=1"), "did you mean worker?"),
        (("--scale", "chief=2"), "chief can have at most 1 replicas, not 2"),
        (("--scale", "ps=2"), "job demo has no task ps"),
        (("--timeout", "soon"), "--timeout needs a duration such as 10m, not soon"),
        (("--timeout", "0s"), "--timeout needs a duration such as 10m, not 0s"),
        (("--restart-delay", "fast"), "--restart-delay needs a duration such as 10m, not fast"),
        (("--parallel", "0"), "--parallel needs a number from 1, not 0"),
        (("--log-dir", "demo.tfjob"), "--log-dir demo.tfjob: it is a file, not a folder"),
        (("--log-dir", "demo.tfjob/logs/x"), "--log-dir demo.tfjob/logs/x: demo.tfjob is a file, not a folder"),
        (("--log-dir", ""), "--log-dir (no name): it is not the name of a folder"),
        (("--log-dir", "a\0b"), "it is not the name of a folder"),
        (("--inject", "worker[7] exit 1"), "role worker of job demo has no replica 7"),
        (("--inject", "worker exit 256"), "256"),
    ],
)
def test_wrong_use(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = ran(tmp_path, 'role worker { command = ["touch", "started"] }', words=words)
    assert done.status == 2
    assert message in done.err
    assert not (tmp_path / "started").exists()


def test_the_folder_for_logs_is_made_when_the_job_starts(tmp_path: Path) -> None:
    for line in ("role worker { replicas = -1 }", 'role worker { command = "true", replicas = nothing }'):
        assert ran(tmp_path, line, words=("--log-dir", "logs")).status == 1
        assert not (tmp_path / "logs").exists()
    assert tfdsl("run", "gone.tfjob", "--log-dir", "logs", cwd=tmp_path).status == 2
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize(
    ("folder", "why"),
    [("gone", "does not exist"), ("demo.tfjob", "is not a folder"), ("/proc", "cannot be written to")],
)
def test_a_folder_for_temporary_files_that_cannot_be_used(folder: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / folder
    (tmp_path / "demo.tfjob").write_text('job demo { image = "x:1", role worker { command = "true" } }')
    done = tfdsl("run", "demo.tfjob", cwd=tmp_path, TMPDIR=str(path))
    assert done.status == 1
    assert f"cannot start the job: the temporary folder {path} {why}" in done.err
    assert "help: set TMPDIR to a folder that can be written to" in " ".join(done.err.split()).replace("= ", "")


def test_the_image_is_not_complained_about(tmp_path: Path) -> None:
    """It is not used; tfdsl check does."""
    line = 'job demo { image = "registry.example.com/demo:latest", role worker { command = "true" } }'
    (tmp_path / "demo.tfjob").write_text(line)
    done = tfdsl("run", "demo.tfjob", cwd=tmp_path)
    assert done.status == 0
    assert "floating-image-tag" not in done.err
    assert "floating-image-tag" in tfdsl("check", "demo.tfjob", cwd=tmp_path).err


@pytest.mark.parametrize(
    ("settings", "status", "reported"),
    [
        ('unused-let = "off"', 0, []),
        ('unused-let = "error"', 1, ["error[TFJ3001]"]),
        ('unused-lets = "off"', 1, ["error[TFJ3904]", "warning[TFJ3001]"]),
        ('floating-image-tag = "error"', 0, ["warning[TFJ3001]"]),
    ],
)
def test_levels_of_the_project_but_those_about_images(
    tmp_path: Path, settings: str, status: int, reported: list[str]
) -> None:
    (tmp_path / "tfdsl.toml").write_text(f"[lint]\n{settings}\n")
    text = (
        f'let unused = 1\njob demo {{\n  {IMAGE.replace("1.4", "latest")}\n  role worker {{ command = "true" }}\n}}\n'
    )
    (tmp_path / "demo.tfjob").write_text(text)
    done = tfdsl("run", "demo.tfjob", cwd=tmp_path)
    codes = [line.partition(" ")[0] for line in done.err.splitlines() if line.startswith(("error[", "warning["))]
    assert (done.status, codes) == (status, reported), done.err
    assert ("has completed" in done.err) == (status == 0)


# --- children that misbehave ---


def test_a_child_that_closes_its_output_goes_on(tmp_path: Path) -> None:
    done = ran(tmp_path, 'role worker { command = "exec >&- 2>&-; sleep 0.2; touch done" }')
    assert done.status == 0
    assert (tmp_path / "done").exists()


def test_a_child_that_leaves_a_process_behind_is_not_waited_for(tmp_path: Path) -> None:
    start = time.monotonic()
    done = ran(tmp_path, 'role worker { command = "(while :; do echo x >> beats; sleep 0.02; done) & sleep 0.2" }')
    assert done.status == 0
    assert time.monotonic() - start < 30
    beats = (tmp_path / "beats").stat().st_size
    time.sleep(0.3)
    assert (tmp_path / "beats").stat().st_size == beats


# --- signals ---


def started(folder: Path, command: str, **fields: str) -> subprocess.Popen[str]:
    """``tfdsl run`` as a process of its own, when the command has written the file ``there``."""
    extra = "".join(f", {name} = {value}" for name, value in fields.items())
    (folder / "demo.tfjob").write_text(
        f'job demo {{\n  {IMAGE}\n  role worker {{ command = "{command}"{extra} }}\n}}\n'
    )
    process = subprocess.Popen(
        [*COMMAND, "run", "demo.tfjob"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 20
    while not (folder / "there").exists():
        assert time.monotonic() < until
        assert process.poll() is None, process.stderr
        time.sleep(0.02)
    return process


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_the_first_signal_asks_politely(number: int, status: int, tmp_path: Path) -> None:
    process = started(tmp_path, "trap 'echo bye; exit 0' TERM; touch there; while :; do sleep 0.05; done")
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == status
    assert "worker[0] | bye\n" in out
    name = signal.Signals(number).name
    assert said(err)[-1] == f"job demo was aborted after TIME: it was ended by {name}"


def test_the_second_signal_kills(tmp_path: Path) -> None:
    process = started(tmp_path, "trap '' TERM; touch there; while :; do sleep 0.05; done", stop_grace="1h")
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "SIGINT: stopping what runs; once more ends everything at once" in err
    assert "SIGINT: killing what runs" in err


def test_who_ignores_sigterm_is_killed_after_the_grace(tmp_path: Path) -> None:
    process = started(tmp_path, "trap '' TERM; touch there; while :; do sleep 0.05; done", stop_grace="200ms")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 143


def test_a_reader_that_goes_away_ends_the_run(tmp_path: Path) -> None:
    process = started(tmp_path, "touch there; while :; do echo line; sleep 0.01; done")
    assert process.stdout is not None
    process.stdout.close()
    process.wait(timeout=20)
    assert process.returncode == 141


@pytest.mark.slow
def test_a_gigabyte_of_log_needs_no_memory(tmp_path: Path) -> None:
    text = "import sys; line = 'x' * 99 + chr(10); [sys.stdout.write(line * 10000) for _ in range(1000)]"
    (tmp_path / "write.py").write_text(text)
    (tmp_path / "demo.tfjob").write_text(
        f'job demo {{\n  {IMAGE}\n  role worker {{ command = ["python3", "write.py"] }}\n}}\n'
    )
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen([*COMMAND, "run", "demo.tfjob"], cwd=tmp_path, env=environment(), stdout=nowhere)
        most = 0
        while process.poll() is None:
            most = max(most, highest(process.pid))
            time.sleep(0.1)
    assert process.returncode == 0
    assert 0 < most < 100_000


def highest(pid: int) -> int:
    """The most memory that a process has had, in kilobytes; 0 when it is over."""
    with contextlib.suppress(OSError):
        found = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
        return int(found[1]) if found else 0
    return 0
