"""The scripts of whole jobs, run on stand-ins of Slurm's commands."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.slurm.compiled import scripts

if TYPE_CHECKING:
    from tests.unit.backends.slurm.stand_in import Slurm

ONE_NODE = {"SLURM_JOB_NODELIST": "n1", "SLURM_TASKS_PER_NODE": "9"}
SERVE = "sleep 60"


def test_replicas_are_placed_as_slurm_has_placed_the_tasks(slurm: Slurm) -> None:
    """2(x2),1 is two tasks on each of the first two nodes and one on the third (sbatch(1), SLURM_TASKS_PER_NODE)."""
    made = scripts(
        'command = "echo $TF_CONFIG"', "role chief { }", "role worker { replicas = 3 }", "role evaluator { }"
    )
    done = slurm.batch(made, SLURM_JOB_NODELIST="n1,n2,n3", SLURM_TASKS_PER_NODE="2(x2),1")
    assert done.returncode == 0, done.stdout + done.stderr
    config = json.loads(slurm.log("worker-1"))
    hosts = {role: [one.partition(":")[0] for one in all_of] for role, all_of in config["cluster"].items()}
    assert hosts == {"chief": ["n1"], "worker": ["n1", "n2", "n2"]}
    assert config["task"] == {"type": "worker", "index": 1}
    ports = [int(one.partition(":")[2]) for role in ("chief", "worker") for one in config["cluster"][role]]
    assert ports == list(range(ports[0], ports[0] + 4))
    assert 20000 <= ports[0] <= 30000
    assert "--nodelist=n3" in slurm.options("evaluator-0")[0]


def test_components_have_their_own_nodes(slurm: Slurm) -> None:
    made = scripts('command = "true"', "role worker { replicas = 2, cpu = 2 }", "role ps { cpu = 1 }")
    done = slurm.batch(
        made,
        SLURM_JOB_NODELIST_HET_GROUP_0="n9",
        SLURM_TASKS_PER_NODE_HET_GROUP_0="1",
        SLURM_JOB_NODELIST_HET_GROUP_1="n1,n2",
        SLURM_TASKS_PER_NODE_HET_GROUP_1="1(x2)",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = {name: set(slurm.options(name)[0]) for name in ("ps-0", "worker-0", "worker-1")}
    assert {"--nodelist=n9", "--het-group=0", "--cpus-per-task=1"} <= found["ps-0"]
    assert {"--nodelist=n1", "--het-group=1", "--cpus-per-task=2"} <= found["worker-0"]
    assert {"--nodelist=n2"} <= found["worker-1"]


def test_a_replica_has_all_of_its_place_in_one_allocation(slurm: Slurm) -> None:
    """Memory is counted for each processor: a step with fewer of them has less memory than its role asks for."""
    made = scripts(
        'command = "true"',
        "role chief { cpu = 8, memory = 8Gi, gpu = 1 }",
        "role ps { cpu = 1, memory = 4Gi }",
        options='allocation = "single"',
    )
    done = slurm.batch(made, **ONE_NODE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"--cpus-per-task=8", "--gres=none"} <= set(slurm.options("ps-0")[0])


def test_steps_share_the_memory_that_a_site_gives_to_a_job(slurm: Slurm) -> None:
    """With DefMemPerNode the first step would take all, and the next would wait for its end (srun(1), --mem)."""
    made = scripts('command = "true"', "role worker { replicas = 2, memory = 1Gi }", "role ps { }")
    parts = {
        f"SLURM_{name}_HET_GROUP_{n}": value
        for n in (0, 1)
        for name, value in (("JOB_NODELIST", f"n{n}"), ("TASKS_PER_NODE", "2"))
    }
    done = slurm.batch(made, **parts)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "--mem=0" in slurm.options("ps-0")[0]
    assert not [one for one in slurm.options("worker-0")[0] if one.startswith("--mem")]


def test_a_job_that_submits_a_job_does_not_pass_its_own_variables(slurm: Slurm) -> None:
    """sbatch gives a job the variables of the one who submits it: among them that the outer one was queued again."""
    for name, text in scripts('command = "true"', "role worker { }").items():
        (slurm.folder / name).write_text(text)
    sbatch = slurm.folder / "bin/sbatch"
    sbatch.write_text('#!/usr/bin/env bash\nenv >"$STAND_IN/variables"\necho 7\n')
    outer = {"SLURM_RESTART_COUNT": "1", "SLURM_MEM_PER_NODE": "7", "TFJOB_GROUP": "3", "SLURM_CONF": "/etc/s.conf"}
    subprocess.run(["bash", "submit.sh"], cwd=slurm.folder, env=slurm.environment(**outer), check=True)
    found = (slurm.folder / "slurm/variables").read_text().splitlines()
    assert [one for one in found if one.startswith(("SLURM_", "TFJOB_"))] == ["SLURM_CONF=/etc/s.conf"]


@pytest.mark.parametrize(("completed", "status"), [(True, 0), (False, 143)])
def test_a_job_that_is_removed_from_the_queue_has_not_succeeded(slurm: Slurm, *, completed: bool, status: int) -> None:
    """A real sbatch --wait ends with 0 when a job is cancelled before it has nodes."""
    for name, text in scripts('command = "true"', "role worker { }").items():
        (slurm.folder / name).write_text(text)
    if completed:
        (slurm.folder / "bin/sbatch").write_text('#!/usr/bin/env bash\necho "0 done" >"${*: -1}/ended"\necho 7\n')
    done = subprocess.run(["bash", "submit.sh", "--wait"], cwd=slurm.folder, env=slurm.environment())
    assert done.returncode == status


@pytest.mark.parametrize(
    ("policy", "command", "status", "starts"),
    [
        ("on failed => fail job", "exit 3", 3, 1),
        ("on failed => restart container\n  retries = 2", "exit 3", 3, 3),
        ("on exit 4 => restart container\n  on failed => fail job", "exit 3", 3, 1),
        ("on failed => ignore", "exit 3", 0, 1),
        ("on failed after 1s => fail job", "exit 3", 3, 1),
    ],
)
def test_policies(slurm: Slurm, policy: str, command: str, status: int, starts: int) -> None:
    made = scripts('role chief { command = "sleep 4" }', f'role worker {{ command = "{command}" }}', policy)
    done = slurm.batch(made, **ONE_NODE)
    assert done.returncode == status, done.stdout + done.stderr
    assert len(slurm.options("worker-0")) == starts
    assert slurm.alive() == []


def test_the_job_completes_and_the_others_are_stopped(slurm: Slurm) -> None:
    made = scripts(
        'role chief { command = "sleep 1" }',
        "role ps { command = \"trap 'echo asked; exit 0' TERM; sleep 60 & wait\" }",
    )
    done = slurm.batch(made, **ONE_NODE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert slurm.log("ps-0") == "asked\n"


def test_a_second_run_after_a_requeue(slurm: Slurm) -> None:
    made = scripts('role worker { command = "exit 0" }', "on evicted => restart job\n  retries = 1")
    first = slurm.batch(made, **ONE_NODE, SLURM_RESTART_COUNT="1")
    assert first.returncode == 0
    assert "restart job (1 of 1 retries used)" in first.stdout
    second = slurm.batch(made, **ONE_NODE, SLURM_RESTART_COUNT="2")
    assert second.returncode == 75
    assert "no retry is left" in second.stdout


ENDINGS = [
    ("JobState=COMPLETING Reason=None Restarts=0 PreemptTime=None", 143, "the job was cancelled"),
    ("JobState=COMPLETING Reason=None Restarts=0 PreemptTime=2026-11-29T11:33:29", 75, "the job was preempted"),
    ("JobState=COMPLETING Reason=TimeLimit Restarts=0", 124, "the time limit of the allocation has passed"),
    ("JobState=COMPLETING Reason=None Restarts=1", 75, "the job was requeued"),
]
"""What a real Slurm shows while it ends the job: of scancel, of a preemption, of the time limit, and of a requeue."""


@pytest.mark.parametrize(("shown", "status", "said"), ENDINGS)
def test_each_end_by_slurm_has_its_own_words(slurm: Slurm, shown: str, status: int, said: str) -> None:
    made = scripts('role worker { command = "sleep 60" }')
    slurm.show(shown)
    done = slurm.batch(made, signal.SIGTERM, **ONE_NODE)
    assert done.returncode == status, done.stdout
    assert said in done.stdout
    ended = slurm.folder / "run/ended"
    assert ended.exists() == ("requeued" not in said)
    assert not ended.exists() or ended.read_text() == f"{status} {said}\n"


@pytest.mark.parametrize(
    ("policy", "status", "said"),
    [
        ("on evicted => fail job", 124, ""),
        ("on evicted => restart job", 124, "requeue 7\n"),
        ("on evicted => restart job\n  retries = 1", 124, ""),  # which has been used
        ("on evicted => abort job", 1, "requeuehold 7\n"),
    ],
)
def test_the_warning_of_the_time_limit_is_an_eviction(slurm: Slurm, policy: str, status: int, said: str) -> None:
    if "retries" in policy:
        (slurm.folder / "run/retries").write_text("1\n")
    done = slurm.batch(scripts('role worker { command = "sleep 60" }', policy), signal.SIGUSR1, **ONE_NODE)
    assert done.returncode == status, done.stdout
    assert "the time limit of the allocation is near" in done.stdout
    noted = slurm.folder / "slurm/scontrol"
    assert (noted.read_text() if noted.exists() else "") == said
    assert slurm.alive() == []


def test_the_deadline_counts_all_runs(slurm: Slurm) -> None:
    made = scripts('role worker { command = "sleep 60" }', "deadline = 1h", "on evicted => restart job")
    (slurm.folder / "run/seconds").write_text("3599\n")
    done = slurm.batch(made, **ONE_NODE, SLURM_RESTART_COUNT="1")
    assert done.returncode == 124
    assert "the deadline has passed" in done.stdout


REFUSALS = {
    "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)": (
        "Slurm's controller cannot be reached, so nothing was submitted",
        False,
    ),
    "sbatch: error: Batch job submission failed: Invalid partition name specified": ("sbatch refused the job", False),
    "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation": ("may have the job", True),
}


@pytest.mark.parametrize("error", REFUSALS)
@pytest.mark.parametrize("wait", [(), ("--wait",)])
def test_a_refused_submission_leaves_no_folder(slurm: Slurm, error: str, wait: tuple[str, ...]) -> None:
    """But where the controller may have it: the job could not run without its folder."""
    for name, text in scripts('command = "true"', "role worker { }").items():
        (slurm.folder / name).write_text(text)
    (slurm.folder / "bin/sbatch").write_text(f"#!/usr/bin/env bash\necho '{error}' >&2\nexit 1\n")
    done = subprocess.run(
        ["bash", "submit.sh", *wait], cwd=slurm.folder, env=slurm.environment(), capture_output=True, text=True
    )
    said, stays = REFUSALS[error]
    assert done.returncode == 1
    assert done.stderr.startswith(error)
    assert said in done.stderr
    assert (slurm.folder / "tfjob-runs").exists() == stays


def test_an_evicted_job_without_a_policy_fails(slurm: Slurm) -> None:
    made = scripts('role worker { command = "exit 0" }')
    assert slurm.batch(made, **ONE_NODE, SLURM_RESTART_COUNT="1").returncode == 75


def test_abort_holds_the_job(slurm: Slurm) -> None:
    made = scripts('role worker { command = "exit 5" }', "on failed => abort job")
    assert slurm.batch(made, **ONE_NODE).returncode == 1
    assert (slurm.folder / "slurm/scontrol").read_text() == "requeuehold 7\n"
    # scontrol release: it goes on, and this is no eviction
    done = slurm.batch(scripts('role worker { command = "true" }'), **ONE_NODE, SLURM_RESTART_COUNT="1")
    assert done.returncode == 0, done.stdout


def test_a_port_that_is_taken_is_said(slurm: Slurm) -> None:
    import socket

    made = scripts('role worker { command = "true" }', options='port_range = "23457-23457"')
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 23457))
        taken.listen()
        done = slurm.batch(made, **ONE_NODE)
    assert done.returncode == 76
    assert "port 23457 is in use" in slurm.log("worker-0")


@pytest.mark.parametrize(
    ("setup", "status", "said"),
    [
        ("export GREETING=hello; cd /", 0, "hello {folder}\n"),
        ("f() { false; true; }; f; if false; then :; fi; export GREETING=$NOT_SET-", 0, "- {folder}\n"),
        ("false; true", 1, "setup failed with 1: false\n"),
        ("exit 4", 4, "setup failed with 4: exit\n"),
        ("if", 2, "setup failed with 2: eval 'if'\n"),
        ("module load cuda", 127, "setup failed with 127: module load cuda\n"),
    ],
)
def test_setup_is_in_the_shell_of_the_command(slurm: Slurm, setup: str, status: int, said: str) -> None:
    made = scripts('role worker { command = "echo $GREETING $PWD" }', options=f'setup = "{setup}"')
    assert slurm.batch(made, **ONE_NODE).returncode == status
    assert slurm.log("worker-0").endswith(said.format(folder=slurm.folder))


IMAGE = 'image = "reg.example.com/ml/mnist:1.4"'


def data_of_image(slurm: Slurm) -> str:
    """A path that containers have: the stand-ins run their commands on this machine."""
    folder = slurm.folder / "data"
    folder.mkdir()
    return str(folder)


def test_containers_of_pyxis(slurm: Slurm) -> None:
    """A registry ends with # (pyxis, "Image names"); nothing of the command is in the options."""
    data = data_of_image(slurm)
    made = scripts(
        IMAGE,
        'command = "echo it is $0"',
        f'mount host "/srv/data" at "{data}" readonly',
        "role worker { }",
        options='runtime = "pyxis"',
    )
    assert slurm.batch(made, **ONE_NODE).returncode == 0
    options = slurm.options("worker-0")[0]
    assert "--container-image=reg.example.com#ml/mnist:1.4" in options
    run = f"{slurm.folder}/run"
    assert f"--container-mounts={run}:{run},{slurm.folder}:{slurm.folder},/srv/data:{data}:ro" in options


def test_containers_of_apptainer(slurm: Slurm) -> None:
    data = data_of_image(slurm)
    made = scripts(
        IMAGE,
        'command = ["sh", "-c", "echo in $TFJOB_INSIDE"]',
        "gpu = 1",
        f'mount host "/srv/data" at "{data}" readonly',
        'mount scratch at "/scratch"',
        "role worker { }",
        options='runtime = "apptainer"',
    )
    done = slurm.batch(made, **ONE_NODE, TMPDIR=str(slurm.folder))
    assert done.returncode == 0, done.stdout + slurm.log("worker-0")
    words = (slurm.folder / "slurm/apptainer").read_text().splitlines()
    assert words[0] == "exec"
    assert {"--nv", f"--bind=/srv/data:{data}:ro", "docker://reg.example.com/ml/mnist:1.4"} <= set(words)
    assert [word for word in words if re.fullmatch(r"--bind=.*/tfjob-7-worker-0-2:/scratch", word)]
    assert slurm.log("worker-0") == "in yes\n"
