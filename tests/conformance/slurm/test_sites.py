"""What people write for sbatch, said in the job; whose files a job writes; and how Slurm ends jobs, told by the end."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.conformance.slurm import jobs
from tests.conformance.slurm.jobs import COMMAND, SMALL, Job, Run
from tests.conformance.slurm.test_jobs import SERVE, serving
from tfdsl_backends.slurm.sbatch_options import FORMS, LETTERS, SINCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.slurm.cluster import Cluster


def alone(*lines: str, options: str = "", words: str = "") -> str:
    """A job of one replica that looks for nobody."""
    body = "\n  ".join([COMMAND, *lines, f"target slurm {{ {options} }}"])
    return f'job single {{\n  {body}\n  role worker {{ args = ["alone"{words}] }}\n}}\n'


# --- whose files they are -------------------------------------------------------------------------------------------

WRITES = alone(SMALL, "mount host shared at shared", words=', "write=${shared}/result:x"')


@pytest.mark.parametrize(
    ("umask", "mode"),
    [
        pytest.param(umask, mode, id=f"{umask:03o}", marks=pytest.mark.slurm_job(Job(WRITES, umask=umask)))
        for umask, mode in ((0o077, 0o600), (0o002, 0o664), (0o027, 0o640))
    ],
)
def test_files_have_the_rights_that_the_submitter_gives(run: Run, umask: int, mode: int) -> None:
    assert run.status == 0, run.story
    assert (run.folder / "shared/result").stat().st_mode & 0o777 == mode
    assert next(run.folder.glob("tfjob-runs/*")).stat().st_mode & 0o077 == 0, "task.sh has the values of env"


# --- options of sbatch ----------------------------------------------------------------------------------------------

COMMENT = 'it\'s #1 "a" $HOME \\\\ é;&|'


def look(run: Run) -> None:
    """How Slurm has the job, while it runs."""
    run.until_running("worker")
    (run.folder / "shown").write_text(run.cluster.ask("scontrol", "show", "job", run.id))
    (run.folder / "shared/go").touch()


OPTIONS = alone(
    options='sbatch = ["--exclus", "--mem 0", "-N1", "--comment=' + COMMENT.replace('"', '\\"') + '", "-Llocal:1"], '
    'setup = "module load cuda/12.4\\nexport BEFORE=\\"$UNSET-$1\\"; cd /", tasks_per_node = 2',
    words=', "until=${shared}/go"',
)
MODULES = {"BASH_FUNC_module%%": "() { export LOADED=$2; }"}


@pytest.mark.slurm_job(Job(OPTIONS, meanwhile=look, variables=MODULES))
def test_options_of_sbatch_and_modules(run: Run) -> None:
    assert run.status == 0, run.story
    shown = (run.folder / "shown").read_text()
    assert "OverSubscribe=NO" in shown
    assert "NtasksPerN:B:S:C=2:" in shown
    assert "Licenses=local:1" in shown
    assert f"Comment={COMMENT.replace(chr(92) * 2, chr(92))} \n" in shown
    (record,) = run.records
    assert record["environment"]["LOADED"] == "cuda/12.4"
    assert record["environment"]["BEFORE"] == "-"
    assert record["folder"] == str(run.folder)


@pytest.mark.slurm_job(Job(alone(SMALL, options='setup = "true\\nmodule load cuda/9"')))
def test_a_module_that_is_not_there_is_a_failure_of_the_replica(run: Run) -> None:
    assert run.status == 127, run.story
    assert run.records == []
    assert "setup failed with 127: module load cuda/9" in run.log_of("worker-0")


def test_the_options_are_those_of_sbatch(cluster: Cluster) -> None:
    """getopt names what it does not know, and what needs a value: ``--help`` is the value, or ends it all."""
    wrong = {}
    for name, form in FORMS.items():
        if name in SINCE or name in ("help", "usage", "version", "wrap"):  # the last one would submit
            continue
        said = subprocess.run(
            ["sbatch", f"--{name}", "--help"],
            env=cluster.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        unknown = "unrecognized option" in said.stderr or "ambiguous" in said.stderr
        takes = not said.stdout.startswith("Usage")
        if unknown or takes != form.endswith("=") or (takes and "[" in form):
            wrong[name] = said.stderr
    assert wrong == {}
    for letter, name in LETTERS.items():
        value = ["x"] if FORMS[name].endswith("=") else []
        said = subprocess.run(
            ["sbatch", f"-{letter}", *value, "--help"],
            env=cluster.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert "invalid option" not in said.stderr, letter


# --- submit.sh ------------------------------------------------------------------------------------------------------


def submitted(cluster: Cluster, going: Run, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (emitted,) = (path for path in (going.folder / "out").iterdir() if path.is_dir())
    return subprocess.run(
        ["bash", str(emitted / "submit.sh"), *words],
        cwd=going.folder,
        env={**cluster.environment, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def test_what_is_printed_can_be_pasted_and_what_is_behind_the_dashes_goes_to_sbatch(
    cluster: Cluster, home: Path
) -> None:
    """It is printed inside of another job, of which the new one knows nothing."""
    going, _ = jobs.prepared(cluster, Job(SERVE), home / "it's pasted")
    printed = submitted(cluster, going, "--print", "--", "--comment=a b", SLURM_RESTART_COUNT="1", TFJOB_GROUP="3")
    assert printed.returncode == 0, printed.stderr
    assert not (going.folder / "tfjob-runs").exists()
    pasted = subprocess.run(
        ["bash", "-c", printed.stdout],
        cwd=going.folder,
        env={**cluster.environment, "SLURM_RESTART_COUNT": "1", "TFJOB_GROUP": "3"},
        capture_output=True,
        text=True,
    )
    assert pasted.returncode == 0, pasted.stderr
    (going.folder / "submit.log").write_text(f"submitted as {pasted.stdout}")
    record = going.until_running("worker")
    assert "Comment=a b " in cluster.ask("scontrol", "show", "job", going.id)
    cluster.ask("scancel", going.id)
    assert record["environment"].get("SLURM_RESTART_COUNT") is None
    assert oct(next(going.folder.glob("tfjob-runs/*/task.sh")).stat().st_mode & 0o077) == "0o0"
    assert going.left_over() == []


@pytest.mark.parametrize("wait", [(), ("--wait",)])
def test_a_refused_submission_leaves_no_folder(cluster: Cluster, home: Path, wait: tuple[str, ...]) -> None:
    going, _ = jobs.prepared(cluster, Job(serving('queue = "nowhere"')), home / f"refused{len(wait)}")
    done = submitted(cluster, going, *wait)
    assert done.returncode == 1
    assert "invalid partition" in done.stderr
    assert done.stderr.endswith("serve: sbatch refused the job\n")
    assert not (going.folder / "tfjob-runs").exists()


def test_without_a_controller_the_message_says_so(cluster: Cluster, home: Path) -> None:
    going, _ = jobs.prepared(cluster, Job(SERVE), home / "down")
    text = (cluster.folder / "slurm.conf").read_text()
    elsewhere = going.folder / "slurm.conf"
    elsewhere.write_text(text.replace("SlurmctldPort=17800", "SlurmctldPort=17799"))
    done = submitted(cluster, going, SLURM_CONF=str(elsewhere))
    assert done.returncode == 1
    assert "Slurm's controller cannot be reached, so nothing was submitted" in done.stderr
    assert not (going.folder / "tfjob-runs").exists()


# --- images ---------------------------------------------------------------------------------------------------------

STAND_IN = b"""#!/usr/bin/env bash
printf '%s\\n' "$@" >"$IMAGES"
until [ "$1" = env ]; do shift; done
exec "$@"
"""


@pytest.mark.parametrize("image", ["/images/tf.sif", "oras://reg.example.com/tf:2.16"])
def test_images_reach_apptainer(cluster: Cluster, home: Path, image: str) -> None:
    """Only the program is a stand-in."""
    folder = home / image.partition(":")[0].strip("/").replace("/", "-")
    folder.mkdir(parents=True)
    (folder / "apptainer").write_bytes(STAND_IN)
    (folder / "apptainer").chmod(0o755)
    variables = {"PATH": f"{folder}:{cluster.environment['PATH']}", "IMAGES": str(folder / "words")}
    job = Job(alone(SMALL, f'image = "{image}"', options='runtime = "apptainer"'), variables=variables)
    run = jobs.run(cluster, job, folder)
    assert run.status == 0, run.story
    assert image in (folder / "words").read_text().splitlines()


# --- endings --------------------------------------------------------------------------------------------------------


def never_starts(run: Run) -> None:
    run.until(lambda: run.cluster.state(run.id) == "PENDING")
    run.cluster.ask("scancel", run.id)


@pytest.mark.slurm_job(Job(serving("suspend = true"), meanwhile=never_starts))
def test_a_job_that_is_cancelled_before_it_starts(run: Run) -> None:
    assert run.status == 143, run.story
    assert run.output.endswith("serve: the job was cancelled\n")


def preempt(run: Run) -> None:
    """A job of a partition that comes first takes the only node."""
    run.until_running("worker")
    run.cluster.ask(
        *("sbatch", "--parsable", "-p", "first", "--exclusive", "--time=1", "-o", "/dev/null", "--wrap", "sleep 2")
    )


def one(*lines: str, words: str = '"serve"') -> str:
    """A job of one replica on the node on which others come first."""
    return alone(SMALL, 'queue = "last"', *lines, words=f", {words}")


@pytest.mark.slurm_job(Job(one(), meanwhile=preempt))
def test_a_job_that_is_preempted(run: Run) -> None:
    assert run.status == 75, run.story
    assert run.cluster.state(run.id) == "PREEMPTED"
    assert run.output.endswith("single: the job was preempted\n")
    assert jobs.foretold(one(), "preempted after 2s").outcome == "failed"
    assert run.left_over() == []


def go_on(run: Run) -> None:
    run.start_at_once()
    (run.folder / "shared/go").touch()


def preempt_and_go_on(run: Run) -> None:
    preempt(run)
    go_on(run)


AGAIN = one("on evicted => restart job", words='"until=${shared}/go"')


def test_a_preempted_job_starts_again(cluster: Cluster, home: Path) -> None:
    """Not beside the test before: they would preempt each other."""
    run = jobs.run(cluster, Job(AGAIN, meanwhile=preempt_and_go_on), home / "preempted-again")
    assert run.status == 0, run.story
    assert "the job was preempted: restart job (1 of 3 retries used)" in run.log
    foreseen = jobs.foretold(AGAIN, "preempted after 2s")
    assert (foreseen.outcome, foreseen.retries) == ("succeeded", 1)


def come_to_the_limit(run: Run) -> None:
    """Slurm looks every 30 s, and warns as long before the limit as the script has asked for."""
    run.until_running("worker")
    run.cluster.ask("scontrol", "update", f"jobid={run.id}", "TimeLimit=1")


@pytest.mark.slurm_job(Job(serving("target slurm { time_limit = 3m }"), meanwhile=come_to_the_limit))
def test_the_warning_of_the_time_limit_is_an_eviction(run: Run) -> None:
    assert run.status == 124, run.story
    assert run.output.endswith("serve: the time limit of the allocation is near\n")
    assert jobs.foretold(serving("target slurm { time_limit = 3m }"), "time limit after 3m").outcome == "failed"
    assert {one["ended"] for one in run.records} == {"SIGTERM"}
    assert run.left_over() == []


def come_to_the_limit_and_go_on(run: Run) -> None:
    come_to_the_limit(run)
    go_on(run)


LIMITED = serving("target slurm { time_limit = 3m }", "deadline = 1h", "on evicted => restart job").replace(
    '"serve"', '"until=${shared}/go"'
)


@pytest.mark.slurm_job(Job(LIMITED, meanwhile=come_to_the_limit_and_go_on))
def test_before_its_time_limit_a_job_goes_back_into_the_queue(run: Run) -> None:
    assert run.status == 0, run.story
    assert "the time limit of the allocation is near: restart job (1 of 3 retries used)" in run.log
    foreseen = jobs.foretold(LIMITED, "time limit after 3m")
    assert (foreseen.outcome, foreseen.retries) == ("succeeded", 1)
    assert int(next(run.folder.glob("tfjob-runs/*/seconds")).read_text()) >= 2, "the deadline counts both runs"
