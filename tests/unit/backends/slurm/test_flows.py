"""flow.sh on stand-ins of Slurm's commands: what it submits, what it leaves behind, what it says afterwards.

That Slurm starts the jobs as it is told is in ``tests/conformance/slurm/test_flows.py``.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.flows import flow_of
from tests.unit.cli.shell import SHELLCHECK
from tfdsl.ir.flow import Flow, FlowRun
from tfdsl.lifecycle.flow import FlowMachine
from tfdsl.targets import find
from tfdsl.vocabulary.quantities import Duration
from tfdsl_backends.scripts.flows import conditions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tfdsl.diagnostics import Diagnostic

Runs = tuple[tuple[str, tuple[str, ...], str], ...]
NIGHTLY: Runs = (
    ("fetch", (), "succeeded"),
    ("train", ("fetch",), "succeeded"),
    ("export", ("train", "eval"), "succeeded"),
    ("eval", ("train",), "succeeded"),
    ("notify", ("train",), "failed"),
    ("tidy", ("export", "eval"), "ended"),
)
PROGRAMS = {
    "sbatch": r"""
case "$*" in *"${REFUSED:-no job}"*) echo 'sbatch: error: Invalid account' >&2; exit 1 ;; esac
case "$*" in *"${WAITS:-no job}"*) touch "$STAND_IN/waits"; sleep 30; exit 1 ;; esac
number=$(($(cat "$STAND_IN/last" 2>/dev/null || echo 10) + 1))
echo "$number" >"$STAND_IN/last"
echo "${TFDSL_FLOW_RUN-}" >>"$STAND_IN/named"
printf '%s\n' "$@" >"$STAND_IN/options-$number"
for word; do case $word in --comment=*) echo "$number PENDING ${word#*=}" >"$STAND_IN/job-$number" ;; esac; done
echo "$number"
""",
    "squeue": r"""
[ ! -e "$STAND_IN/deaf" ] || exit 1
cat "$STAND_IN"/job-* 2>/dev/null || :
""",
    "scancel": r"""
rm -- "$STAND_IN/job-$1"
""",
    "scontrol": r"""
echo "$*" >>"$STAND_IN/scontrol"
""",
}


def jobs_of(runs: Runs, *lines: str) -> str:
    """A text with a small job for each run."""
    body = "\n  ".join(('command = ["true"]', "cpu = 1", "deadline = 5m", "role worker { }", *lines))
    return "".join(f"job {name} {{\n  {body}\n}}\n" for name, _, _ in runs)


def checked(*lines: str) -> list[Diagnostic]:
    """What the target says of a flow of two jobs with ``lines``."""
    runs: Runs = (("fetch", (), "succeeded"), ("train", ("fetch",), "succeeded"))
    backend = find("slurm")
    assert backend is not None
    flows = backend.load_flows()
    assert flows is not None
    return list(flows.check(flow_of(jobs_of(runs, *lines), runs, "slurm")))


class Login:
    """A login node. The flow is in ``folder/the flow``, called in ``folder/it's here``."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.here, self.state = folder, folder / "it's here", folder / "state"
        for made in (self.here, self.state, folder / "bin"):
            made.mkdir()
        for name, text in PROGRAMS.items():
            (folder / "bin" / name).write_text(f"#!/usr/bin/env bash{text}")
            (folder / "bin" / name).chmod(0o755)

    def write(self, runs: Runs = NIGHTLY, *lines: str, **fields: Any) -> None:
        backend = find("slurm")
        assert backend is not None
        flows = backend.load_flows()
        assert flows is not None
        for document in flows.generate(flow_of(jobs_of(runs, *lines), runs, "slurm", **fields)):
            assert document.file is not None
            path = self.folder / "the flow" / document.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(document.data), encoding="utf-8")
            path.chmod(0o755)

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        with self.start(*words, **variables) as process:
            out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        given = {
            **os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "STAND_IN": str(self.state),
            "TFJOB_POLL": "0.1", "SQUEUE_FORMAT": "%A", **variables,
        }  # fmt: skip
        return subprocess.Popen(
            [self.folder / "the flow/flow.sh", *words], cwd=self.here, env=given, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def submitted(self) -> list[tuple[str, ...]]:
        """The options of each job that say when it starts."""
        files = sorted(self.state.glob("options-*"), key=lambda path: int(path.name.rpartition("-")[2]))
        wanted = ("--hold", "--dependency=", "--kill-on")
        return [tuple(word for word in file.read_text().splitlines() if word.startswith(wanted)) for file in files]

    @property
    def active(self) -> list[int]:
        """Numbers of the jobs that are not over."""
        return sorted(int(path.name.removeprefix("job-")) for path in self.state.glob("job-*"))

    def folders(self) -> dict[str, Path]:
        """Job -> the folder of its latest run."""
        [listed] = sorted((self.here / "tfjob-runs").glob("nightly-????????-*/jobs"))[-1:]
        return {line.split()[0]: Path(line.split(" ", 2)[2]) for line in listed.read_text().splitlines()}

    def end(self, **ends: str) -> None:
        """All jobs end: ``0 done`` or ``3 why`` as the batch script notes it, ``killed``, or nothing for no end."""
        for job, end in ends.items():
            (self.folders()[job] / "job.log").touch()
            if end != "killed":
                (self.folders()[job] / "ended").write_text(f"{end}\n")
        for path in self.state.glob("job-*"):
            path.unlink()


@pytest.fixture
def login(tmp_path: Path) -> Login:
    return Login(tmp_path)


KILL = "--kill-on-invalid-dep=yes"


def test_jobs_are_submitted_behind_those_they_come_after(login: Login) -> None:
    """11 fetch, 12 train, 13 eval, 14 notify, 15 export, 16 tidy.

    notify waits for fetch too: Slurm starts what comes after the failure of a job that it has removed from the queue.
    """
    login.write()
    done = login.run("--", "--reservation=today")
    assert (done.returncode, done.stderr) == (0, "")
    assert login.submitted() == [
        ("--hold",),
        ("--dependency=afterok:11", KILL),
        ("--dependency=afterok:12", KILL),
        ("--dependency=afternotok:12,afterok:11", KILL),
        ("--dependency=afterok:12,afterok:13", KILL),
        ("--dependency=afterany:15,afterany:13,afterok:12,afterok:13", KILL),
    ]
    assert "--reservation=today" in (login.state / "options-13").read_text().splitlines()
    assert (login.state / "scontrol").read_text() == "release 11\n"
    assert "scancel 16 15 14 13 12 11" in done.stdout


def test_all_jobs_of_a_run_know_its_name(login: Login) -> None:
    login.write(NIGHTLY, 'args = ["${env.TFDSL_FLOW_RUN}"]')
    assert login.run().returncode == 0
    assert not checked('args = ["${env.TFDSL_FLOW_RUN}"]')
    (name,) = set((login.state / "named").read_text().split())
    assert f"--comment=tfdsl-flow:nightly:{name}" in (login.state / "options-11").read_text()


def test_nothing_is_left_when_one_is_refused(login: Login) -> None:
    login.write()
    done = login.run(REFUSED="/eval/")
    assert done.returncode == 1
    assert "sbatch: error: Invalid account" in done.stderr
    assert "job eval could not be submitted, so none was" in done.stderr
    assert login.active == []
    assert [path.name for path in (login.here / "tfjob-runs").iterdir()] == ["nightly.lock"]
    assert not (login.state / "scontrol").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("number", "left"), [(signal.SIGINT, []), (signal.SIGTERM, []), (signal.SIGKILL, [11, 12])])
def test_it_ends_while_it_submits(login: Login, number: signal.Signals, left: list[int]) -> None:
    """What a killed one has left is held; it is not an earlier run, and its lock is free."""
    login.write()
    process = login.start(WAITS="/eval/")
    until((login.state / "waits").exists)
    os.killpg(process.pid, number)
    process.communicate(timeout=30)
    assert process.returncode == (-9 if left else 130)
    assert login.active == left
    assert bool(list((login.here / "tfjob-runs").glob("nightly-????????-*"))) == bool(left)
    done = login.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert ("was never submitted completely; its jobs are removed" in done.stdout) == bool(left)
    assert login.active == list(range(11 + len(left), 17 + len(left)) if left else range(13, 19))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("overlap", "status", "active"),
    [("skip", 3, range(11, 17)), ("allow", 0, range(11, 23)), ("replace", 0, range(17, 23))],
)
def test_an_earlier_run(login: Login, overlap: str, status: int, active: Iterable[int]) -> None:
    login.write(overlap=overlap)
    (login.state / "job-5").write_text("5 RUNNING tfdsl-flow:other:20260101-000000-00000000\n")
    assert login.run().returncode == 0
    done = login.run()
    assert done.returncode == status, done.stderr
    assert login.active == [5, *active]
    assert ("nothing was submitted, because the run" in done.stderr) == (overlap == "skip")


@pytest.mark.slow
def test_two_at_once_submit_one_run(login: Login) -> None:
    login.write()
    processes = [login.start() for _ in range(3)]
    ends = sorted((process.communicate(timeout=60), process.returncode)[1] for process in processes)
    assert ends == [0, 3, 3]
    assert login.active == [11, 12, 13, 14, 15, 16]


@pytest.mark.slow
def test_nothing_is_submitted_when_slurm_does_not_answer(login: Login) -> None:
    login.write()
    (login.state / "deaf").touch()
    done = login.run()
    assert (done.returncode, login.active) == (1, [])
    assert "Slurm does not answer" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ends", "status", "outcomes"),
    [
        (
            {"fetch": "0 x", "train": "0 x", "eval": "0 x", "export": "0 x", "tidy": "0 x"},
            0,
            {"fetch": "succeeded", "train": "succeeded", "notify": "did not run", "tidy": "succeeded"},
        ),
        (
            {"fetch": "0 x", "train": "3 worker-0 exited 3", "notify": "0 x"},
            2,
            {"train": "failed: worker-0 exited 3", "eval": "did not run", "notify": "succeeded", "tidy": "did not run"},
        ),
        (
            {"fetch": "0 x", "train": "killed"},
            2,
            {"train": "failed: its script was killed", "notify": "failed: it was removed from the queue"},
        ),
        ({}, 2, {"fetch": "failed: it was removed from the queue", "train": "did not run", "notify": "did not run"}),
    ],
)  # fmt: skip
def test_a_run_fails_when_a_job_of_it_failed(
    login: Login, ends: dict[str, str], status: int, outcomes: dict[str, str]
) -> None:
    login.write()
    assert login.run().returncode == 0
    assert login.run("--status").returncode == 3
    login.end(**ends)
    done = login.run("--status")
    assert done.returncode == status, done.stdout + done.stderr
    found = dict(re.findall(r"^  (\w+) +(.+?)(?:; logs in .*)?$", re.sub(r" \(\d+\)", "", done.stdout), re.MULTILINE))
    assert found | outcomes == found


@pytest.mark.slow
def test_deadline_is_noted_before_anything_runs(login: Login) -> None:
    login.write(deadline=Duration("90m"))
    before = time.time()
    assert login.run().returncode == 0
    ends = {int((folder / "until").read_text()) for folder in login.folders().values()}
    assert all(before + 5399 <= end <= time.time() + 5400 for end in ends)


@pytest.mark.slow
def test_the_line_for_scrontab_has_the_places(login: Login) -> None:
    """scrontab(1): options of sbatch before a line, which /bin/sh runs in the home folder."""
    login.write(schedule="0 2 * * 1-5")
    options, line = login.run("--schedule").stdout.splitlines()
    assert options.startswith("#SCRON --job-name=nightly ")
    assert line.startswith("0 2 * * 1-5 cd ")
    command = line.removeprefix("0 2 * * 1-5 ")
    told = subprocess.run(["sh", "-c", f"{command} --help"], cwd="/", capture_output=True, text=True)
    assert told.stdout.startswith("usage: flow.sh")
    login.write()
    assert login.run("--schedule").returncode == 1


@pytest.mark.slow
def test_print_submits_nothing(login: Login) -> None:
    login.write()
    done = login.run("--print", "--", "--reservation=to day")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 6
    assert list(login.state.iterdir()) == []
    assert not (login.here / "tfjob-runs").exists()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("suspend = true", "job fetch is held, and what comes after it would wait"),
        ("on failed => abort job", "job fetch is held once it is aborted"),
        ('target slurm { sbatch = ["--dependency=singleton"] }', "the target itself decides --dependency"),
        ('target slurm { sbatch = ["--mail-type=END"] }', ""),
    ],
)
def test_what_a_job_of_a_flow_cannot_have(lines: str, message: str) -> None:
    found = checked(lines)
    assert len(found) == (2 if message else 0)
    assert not message or message in found[0].message


def test_what_a_job_needs_does_not_grow_with_the_ends_before_it() -> None:
    """300 jobs, each after the end of the one before it, and the last after a failure."""
    names = [f"j{number}" for number in range(300)]
    ending = ["succeeded", "succeeded", *["ended"] * 297, "failed"]
    steps = [(name, tuple(names[max(at - 1, 0) : at]), ending[at]) for at, name in enumerate(names)]
    runs = tuple(
        FlowRun.model_validate({"job": job, "after": after, "ending": end}) for job, after, end in reversed(steps)
    )
    needs = conditions(Flow(name="nightly", runs=runs))
    assert list(needs) == names
    assert needs["j2"] == ["afterany:j1", "afterok:j0"]
    assert needs["j299"] == ["afternotok:j298", "afterok:j0"]


def test_slurm_starts_what_the_flow_starts() -> None:
    """With Slurm's own view of jobs that it has removed: they are over, and have not succeeded (22.05.8)."""
    some = random.Random(7)
    for _ in range(300):
        names = [f"j{number}" for number in range(some.randint(2, 9))]
        runs: list[FlowRun] = []
        for at, name in enumerate(names):
            after = tuple(some.sample(names[:at], some.randint(0, min(at, 3))))
            ending = some.choice(("succeeded", "ended", "failed") if len(after) == 1 else ("succeeded", "ended"))
            runs.append(
                FlowRun.model_validate({"job": name, "after": after, "ending": ending if after else "succeeded"})
            )
        flow = Flow(name="nightly", runs=tuple(runs))
        ends = {name: some.choice(("succeeded", "failed")) for name in names}
        machine = FlowMachine(flow)
        running = machine.begin()
        while running:
            running += machine.ended(job := running.pop(0), ends[job])
        meant = {
            "afterok": {"succeeded"},
            "afternotok": {"failed", "removed"},
            "afterany": {"succeeded", "failed", "removed"},
        }
        seen: dict[str, str] = {}
        for job, words in conditions(flow).items():
            met = all(seen[word.partition(":")[2]] in meant[word.partition(":")[0]] for word in words)
            seen[job] = ends[job] if met else "removed"
        assert {job: end.replace("removed", "not run") for job, end in seen.items()} == machine.jobs


@pytest.mark.slow
def test_shellcheck_has_nothing_to_say(login: Login) -> None:
    login.write(schedule="@daily", deadline=Duration("1h"))
    done = subprocess.run([SHELLCHECK, login.folder / "the flow/flow.sh"], capture_output=True, text=True)
    assert done.stdout == ""


def until(what: Any, seconds: float = 30) -> None:
    """Wait for it."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)
