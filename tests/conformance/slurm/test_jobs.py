"""What the tasks of jobs on a real Slurm are given: addresses, texts, devices, folders; and what becomes of it."""

from __future__ import annotations

import io
import random
import subprocess
import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes.generated import HOSTILE, quoted
from tests.conformance.slurm import jobs
from tests.conformance.slurm.jobs import COMMAND, SMALL, Job, Run, foretold, predicted, seen

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.slurm.cluster import Cluster


def meets(run: Run) -> None:
    """The job ended well, and all tasks reached each other at the addresses that the compiler predicts."""
    assert run.status == 0, run.story
    assert seen(run) == predicted(run), run.story
    assert not [one for one in run.records if one.get("missed")], run.story
    assert run.left_over() == [], run.story


ALIKE = f"""
job alike {{
  {COMMAND}
  {SMALL}
  role chief {{ args = ["sleep=1"] }}
  role worker {{ replicas = 2, after = ["ps"] }}
  role ps {{ args = ["serve"] }}
}}
"""


@pytest.mark.slurm_job(Job(ALIKE))
def test_the_tasks_of_one_allocation_find_each_other(run: Run) -> None:
    meets(run)
    assert [one["reached"] for one in run.records] == [4, 4, 4, 4]
    assert run.tries("ps")[0]["ended"] == "SIGTERM"
    started = [run.tries(role)[0]["time"] for role in ("ps", "worker")]
    assert started == sorted(started)


UNLIKE = f"""
job unlike {{
  {COMMAND}
  cpu = 1
  role chief {{ args = ["sleep=1"], memory = 100Mi, gpu = 1 }}
  role worker {{ replicas = 4, cpu = 2, memory = 300Mi, gpu = 1, node_label = "fast" }}
  role ps {{ replicas = 2, spread = "node", memory = 100Mi, args = ["serve"] }}
  cluster {{ discovery = "both" }}
}}
"""


@pytest.mark.slurm_job(Job(UNLIKE))
def test_roles_of_unlike_size_are_components(run: Run) -> None:
    meets(run)
    where = {(one["role"], one["index"]): one["environment"]["SLURMD_NODENAME"] for one in run.records}
    assert where["ps", 0] != where["ps", 1]
    environments = {(one["role"], one["index"]): one["environment"] for one in run.records}
    devices: dict[str, list[str]] = {}
    for (role, _), variables in environments.items():
        visible = variables["CUDA_VISIBLE_DEVICES"]
        assert bool(visible) == (role in ("chief", "worker")), (role, visible)
        devices.setdefault(variables["SLURMD_NODENAME"], []).extend(filter(None, visible.split(",")))
    assert all(len(set(one)) == len(one) for one in devices.values()), devices


@pytest.mark.slurm_job(
    Job(UNLIKE.replace(', spread = "node"', "").replace(', node_label = "fast"', ""), ("-O", "slurm.allocation=single"))
)
def test_one_allocation_holds_unlike_roles(run: Run) -> None:
    meets(run)


def strings() -> list[str]:
    """Texts that a shell, a batch script or srun could take apart; the same in every run."""
    draw = random.Random("slurm")
    pieces = [*"'\"\\$` \n:;&|*~é🚀", "%j", "%%", "{{", "}}", "#SBATCH"]
    found = [*HOSTILE, ":", "--", "-n", "%t %o", "#SBATCH --hold", "TFJOB_TASK", "hetjob", "a,b=c", "x=y"]
    while len(found) < 170:
        found.append("".join(draw.choice([*pieces, "a", "0"]) for _ in range(draw.randrange(1, 14))))
    return found


TEXTS = strings()
WORDS = ", ".join(map(quoted, TEXTS))
VARIABLES = ", ".join(f"TEXT_{number} = {quoted(text)}" for number, text in enumerate(TEXTS))
HOSTILE_JOB = f"""
job hostile {{
  command = ["python3", program, records, "${{role.name}}", "${{task.index}}", "alone", "--", {WORDS}]
  {SMALL}
  env = {{ {VARIABLES}, "a.b-c" = "x", UID = "7" }}
  role worker {{ args = ["${{task.index}}", "${{env.HOME}}", "$HOME"], replicas = 2 }}
}}
"""


@pytest.mark.slurm_job(Job(HOSTILE_JOB, variables={"HOME": "/home/it's $me"}))
def test_texts_arrive_byte_for_byte(run: Run) -> None:
    assert run.status == 0, run.story
    for index in (0, 1):
        record = run.tries("worker", index)[0]
        words = [word.encode("latin-1").decode() for word in record["words"]]
        assert words == ["alone", "--", *TEXTS, str(index), "/home/it's $me", "$HOME"]
        variables = {name: value.encode("latin-1").decode() for name, value in record["environment"].items()}
        assert [variables[f"TEXT_{number}"] for number in range(len(TEXTS))] == TEXTS
        assert (variables["a.b-c"], variables["UID"]) == ("x", "7")
    assert 2 * len(TEXTS) >= 300


FOLDERS = f"""
job folders {{
  {COMMAND}
  {SMALL}
  mount host shared at shared
  role chief {{
    args = ["alone", "write=made/result:x", "copy=data/in.txt", "write=${{shared}}/linked:y", "sleep=1"]
    mount scratch at "made"
    mount memory 10Mi at "fast"
    mount archive "data.tar.gz" at "data"
    output "made/result" to "${{shared}}/on-success"
    output "made" to "${{shared}}/results/chief" on always
    output "made/result" to "${{shared}}/on-failure" on failure
    prepare look {{ command = "pwd >>$1; exit 0", args = ["${{shared}}/pwd"] }}
  }}
  role worker {{ args = ["alone", "serve"], output "nothing" to "${{shared}}/worker" on success }}
}}
"""


def archive() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        entry = tarfile.TarInfo("in.txt")
        entry.size = 4
        tar.addfile(entry, io.BytesIO(b"here"))
    return stream.getvalue()


@pytest.mark.slurm_job(Job(FOLDERS, files={"data.tar.gz": archive()}))
def test_mounts_outputs_and_steps(run: Run) -> None:
    assert run.status == 0, run.story
    assert (run.folder / "shared/on-success").read_text() == "x"
    assert (run.folder / "shared/results/chief/result").read_text() == "x"
    assert (run.folder / "records/in.txt").read_text() == "here"
    assert (run.folder / "shared/linked").read_text() == "y"
    assert not (run.folder / "shared/on-failure").exists()
    folder = run.tries("chief")[0]["folder"]
    assert (run.folder / "shared/pwd").read_text() == f"{folder}\n"
    assert run.tries("worker")[0]["folder"] == str(run.folder), "without mounts in it, the folder of submit.sh"


NO_OUTPUT = f"""
job none {{
  {COMMAND}
  {SMALL}
  mount host shared at shared
  role worker {{ args = ["alone"], output "nothing" to "${{shared}}/worker" }}
}}
"""


@pytest.mark.slurm_job(Job(NO_OUTPUT))
def test_an_output_that_is_not_there_is_status_74(run: Run) -> None:
    assert run.status == 74, run.story
    assert "output nothing does not exist" in run.log_of("worker-0")


PREPARED = f"""
job prepared {{
  {COMMAND}
  {SMALL}
  retries = 2
  on exit 9 => restart container
  mount host "${{shared}}" at "shared"
  role worker {{
    args = ["alone"]
    prepare once {{ command = "echo x >>tries; test $(wc -l <tries) -ge 2 || exit 9", workdir = "shared" }}
  }}
}}
"""


@pytest.mark.slurm_job(Job(PREPARED))
def test_a_prepare_step_that_fails_is_a_failure_of_its_replica(run: Run) -> None:
    assert run.status == 0, run.story
    assert (run.folder / "shared/tries").read_text() == "x\nx\n"
    foreseen = foretold(PREPARED, "worker[0]/once exit 9")
    assert (foreseen.outcome, foreseen.retries) == ("succeeded", 1)


STUBBORN = f"""
job stubborn {{
  {COMMAND}
  {SMALL}
  role chief {{ args = ["alone", "sleep=2"] }}
  role worker {{ args = ["alone", "stubborn", "serve"], stop_grace = 2s }}
}}
"""


@pytest.mark.slurm_job(Job(STUBBORN))
def test_a_command_that_ignores_sigterm_is_killed_after_its_grace(run: Run) -> None:
    assert run.status == 0, run.story
    assert run.tries("worker")[0]["asked"]
    assert run.left_over() == []


def cancel(run: Run) -> None:
    run.until_running("worker")
    run.cluster.ask("scancel", run.id)


SERVE = f"""
job serve {{
  {COMMAND}
  {SMALL}
  role worker {{ args = ["alone", "serve"], replicas = 2 }}
  role ps {{ args = ["alone", "serve"] }}
}}
"""


@pytest.mark.slurm_job(Job(SERVE, meanwhile=cancel))
def test_scancel_ends_everything(run: Run) -> None:
    assert run.status == 143
    assert run.output.endswith("serve: the job was cancelled\n")
    run.until(lambda: run.cluster.state(run.id) == "CANCELLED")
    assert run.left_over() == []
    assert {one["ended"] for one in run.records} == {"SIGTERM"}


def held(run: Run) -> None:
    run.until(lambda: "JobHeld" in run.cluster.ask("scontrol", "show", "job", run.id))
    assert run.records == []
    run.cluster.ask("scontrol", "release", run.id)
    cancel(run)


def serving(*lines: str) -> str:
    return SERVE.replace("job serve {", "\n  ".join(["job serve {", *lines]))


@pytest.mark.slurm_job(Job(serving("suspend = true"), meanwhile=held))
def test_a_suspended_job_is_held_until_it_is_released(run: Run) -> None:
    assert run.status != 0


@pytest.mark.slurm_job(Job(serving("deadline = 3s")))
def test_the_script_keeps_the_deadline_itself(run: Run) -> None:
    assert run.status == 124, run.story
    assert "the deadline has passed" in run.log


@pytest.mark.long
@pytest.mark.slurm_job(Job(serving('queue = "brief"'), words=("--", "--signal=B:CONT@1")))
def test_without_a_warning_slurm_itself_ends_the_job_at_its_limit(run: Run) -> None:
    """One minute, and up to half of one more until Slurm looks."""
    assert run.status == 124, run.story
    assert run.output.endswith("serve: the time limit of the allocation has passed\n")
    run.until(lambda: run.cluster.state(run.id) == "TIMEOUT")
    assert run.left_over() == []
    assert {one["ended"] for one in run.records} == {"SIGTERM"}


def test_a_job_that_waits_too_long_is_removed(cluster: Cluster, home: Path) -> None:
    """--deadline: 5 s to wait, and the two minutes that the job may take. Another job has the only node meanwhile."""
    filler = cluster.ask(
        "sbatch", "--parsable", "-p", "small", "--exclusive", "--time=10", "-o", "/dev/null", "--wrap", "sleep 300"
    ).strip()
    waits = Job(serving("on pending after 5s => fail job", "deadline = 10s", 'queue = "small"'))
    try:
        run = jobs.run(cluster, waits, home / "waits")
    finally:
        cluster.ask("scancel", filler)
    assert run.status == 143
    assert cluster.state(run.id) == "DEADLINE"
    assert "the job has waited too long" in run.output
    assert run.records == []


TWICE = SERVE.replace('"alone", "serve"', '"until=${shared}/go"', 1).replace('"alone", "serve"', '"serve"')


def submit_again(run: Run) -> None:
    """The same job once more, from its first line to its end, while the first one runs."""
    run.until(lambda: len(run.records) == 3)
    other = jobs.run(run.cluster, Job(TWICE.replace("until=${shared}/go", "sleep=1")), run.folder / "second")
    meets(other)
    (run.folder / "shared/go").touch()


@pytest.mark.slurm_job(Job(TWICE, meanwhile=submit_again))
def test_two_jobs_of_one_name_do_not_meet(run: Run) -> None:
    meets(run)


def test_the_options_of_submit_sh(cluster: Cluster, home: Path) -> None:
    going, emitted = jobs.prepared(cluster, Job(SERVE), home / "options")

    def submit(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", str(emitted / "submit.sh"), *words],
            cwd=going.folder,
            env=cluster.environment,
            capture_output=True,
            text=True,
        )

    assert "sbatch --parsable" in submit("--print").stdout
    assert not (going.folder / "tfjob-runs").exists()
    assert "to start at" in submit("--test-only").stderr
    assert submit("--fast").returncode == 1
    done = submit()
    assert done.returncode == 0, done.stderr
    (going.folder / "submit.log").write_text(done.stdout)
    going.until_running("worker")
    cluster.ask("scancel", going.id)
    assert going.left_over() == []
    assert oct((next((going.folder / "tfjob-runs").iterdir()) / "task.sh").stat().st_mode & 0o077) == "0o0"


def test_a_run_folder_with_strange_characters(cluster: Cluster, home: Path) -> None:
    strange = home / "it's 100%j 🚀"
    run = jobs.run(cluster, Job(ALIKE), strange)
    meets(run)
    assert list(strange.glob("tfjob-runs/*/worker-1.log"))
