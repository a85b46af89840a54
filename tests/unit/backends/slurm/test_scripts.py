"""The emitted scripts as texts: what Slurm is asked for, and shellcheck over everything."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.slurm.compiled import codes, directives, outcome, scripts
from tests.unit.cli.shell import SHELLCHECK

if TYPE_CHECKING:
    from pathlib import Path

RUN = 'command = ["python3", "train.py"]'
ROLES = ("role chief { }", "role worker { replicas = 4 }", "role ps { replicas = 2 }")
SIZES = (
    "role chief { cpu = 2, memory = 1Gi }",
    'role worker { replicas = 4, cpu = 2, memory = 1Gi, gpu = 1, node_label = "a100&nvlink" }',
    "role ps { replicas = 2, cpu = 2, memory = 1Gi }",
)
CORES = "--threads-per-core=1"
"""A real Slurm with two threads a core runs only every other step without it."""

WARNING = "--signal=B:USR1@60"
"""The grace of 30 s that a command has to end, and as much again."""

JOBS = {
    "plain": ((RUN, *ROLES), ""),
    "components": ((RUN, *SIZES), ""),
    "everything": (
        (
            RUN,
            "deadline = 2h",
            'queue = "gpu"',
            'env = { GREETING = "it\'s $HOME" }',
            'role chief { after = ["ps"], output "model" to "/srv/model" on always }',
            'role worker { replicas = 2, prepare look { command = "ls" } }',
            'role ps { server = true, mount scratch at "tmp", mount memory 1Gi at "fast" }',
            'role tensorboard { logdir = "/logs" }',
            'mount host "/srv" at "/srv"',
            'mount archive "data.zip" at "data"',
            'mount hdfs "hdfs:///d" at "d"',
            'cluster { discovery = "both" }',
            "on failed => restart container",
            "on worker[1] exit [3, 4] => restart role",
            "on restarted 5 => abort job",
            "on evicted => restart job",
            "on pending after 10m => fail job",
        ),
        'account = "ml", qos = "high"',
    ),
    "pyxis": (('image = "registry.example.com/mnist:1.4"', RUN, *ROLES), 'runtime = "pyxis"'),
    "apptainer": (
        ('image = "registry.example.com/mnist:1.4"', RUN, 'mount scratch at "/scratch"', *ROLES),
        'runtime = "apptainer"',
    ),
}


@pytest.mark.parametrize(
    "name", [name if name == "everything" else pytest.param(name, marks=pytest.mark.slow) for name in JOBS]
)
def test_shellcheck_has_nothing_to_say(name: str, tmp_path: Path) -> None:
    lines, options = JOBS[name]
    for file, text in scripts(*lines, options=options).items():
        (tmp_path / file).write_text(text)
    done = subprocess.run([SHELLCHECK, *tmp_path.iterdir()], capture_output=True, text=True)
    assert done.stdout == ""


def test_roles_of_one_size_share_one_allocation() -> None:
    assert directives(scripts(RUN, *ROLES)["job.sbatch"]) == [
        ["--job-name=mnist", "--open-mode=append", "--no-requeue", WARNING, "--ntasks=7", "--cpus-per-task=1", CORES]
    ]


def test_roles_of_unlike_size_are_components() -> None:
    """Of the later components only their own size is written; the partition is not inherited (sbatch(1))."""
    assert directives(scripts(RUN, *SIZES, 'queue = "gpu"')["job.sbatch"]) == [
        [
            *("--job-name=mnist", "--open-mode=append", "--no-requeue", WARNING, "--partition=gpu"),
            *("--ntasks=3", "--cpus-per-task=2", CORES, "--mem-per-cpu=512M"),
        ],
        [
            *("--partition=gpu", "--ntasks=4", "--cpus-per-task=2", CORES, "--mem-per-cpu=512M", "--gpus-per-task=1"),
            "--constraint=a100&nvlink",
        ],
    ]


def test_one_allocation_has_the_largest_size() -> None:
    lines = (
        "role chief { cpu = 1, memory = 4Gi, gpu = 2 }",
        'role worker { replicas = 3, cpu = 3, memory = 1Gi, gpu = 1, gpu_resource = "nvidia.com/a100" }',
    )
    assert "SLM108" in codes(RUN, *lines, options='allocation = "single"')
    [asked] = directives(scripts(RUN, *lines, options='allocation = "single"')["job.sbatch"])
    # 4096 MB on 3 processors are 1366 for each, rounded up
    assert asked[4:] == ["--ntasks=4", "--cpus-per-task=3", CORES, "--mem-per-cpu=1366M", "--gpus-per-task=2"]


def test_a_device_has_its_name_in_slurm() -> None:
    lines = (RUN, 'role worker { replicas = 3, gpu = 2, gpu_resource = "nvidia.com/a100" }')
    text = scripts(*lines, options='gres = { "nvidia.com/a100" = "gpu:a100" }')["job.sbatch"]
    assert "--gpus-per-task=a100:2" in directives(text)[0]
    assert "gres=(gpu:a100:2)" in text


def test_a_role_that_is_spread_is_a_component_with_one_task_on_each_node() -> None:
    found = directives(scripts(RUN, 'role worker { replicas = 3, spread = "node" }', "role ps { }")["job.sbatch"])
    assert [("--ntasks-per-node=1" in one) for one in found] == [False, True]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("on evicted => restart job",), "--requeue"),
        (("on evicted => fail job", "on failed => restart pod"), "--no-requeue"),
        (("on failed => restart pod",), "--requeue"),  # all replicas start again, so the job does
        (("on worker failed => restart pod",), "--no-requeue"),  # a parameter server would fail it
        (("on failed => abort job",), "--requeue"),  # scontrol requeuehold is refused without it
    ],
)
def test_a_job_is_requeued_only_for_a_policy(lines: tuple[str, ...], expected: str) -> None:
    assert expected in directives(scripts(RUN, *ROLES, *lines)["job.sbatch"])[0]


def test_the_time_limit_leaves_the_script_time_to_end_the_job() -> None:
    """Slurm may send the warning, 60 s before the limit, up to a minute early (sbatch(1), --signal)."""
    assert "--time=123" in directives(scripts(RUN, *ROLES, "deadline = 2h")["job.sbatch"])[0]
    text = scripts(RUN, *ROLES, "deadline = 90s", "on pending after 10m => fail job")["submit.sh"]
    assert "options=(--deadline=now+840)" in text  # ten minutes to wait, four to run


@pytest.mark.parametrize(
    ("lines", "limit"),
    [
        ((), "--time=1440"),
        (("deadline = 5d",), "--time=1440"),
        (("deadline = 1h",), "--time=63"),
    ],
)
def test_the_time_limit_is_the_nearer_one(lines: tuple[str, ...], limit: str) -> None:
    asked = directives(scripts(RUN, *ROLES, *lines, options="time_limit = 24h")["job.sbatch"])[0]
    assert [one for one in asked if one.startswith("--time")] == [limit]


@pytest.mark.parametrize(
    ("lines", "options", "code"),
    [
        (("role worker { }",), "", "SLM100"),
        ((RUN, "role worker { }", 'queue = "a b"'), "", "SLM101"),
        ((RUN, 'role worker { node_label = "a;b" }'), "", "SLM101"),
        ((RUN, "role worker { replicas = 20 }"), 'port_range = "20000-20009"', "SLM102"),
        ((RUN, 'role worker { env = { KEY = secret("a", "b") } }'), "", "SLM103"),
        ((RUN, "role worker { replicas = 201 }"), "", "SLM104"),
        ((RUN, "role worker { }"), "", "SLM105"),
        ((RUN, "deadline = 1h", "role worker { }"), "", "!SLM105"),
        ((RUN, "role worker { }", "on failed => restart pod"), "", "SLM106"),
        ((RUN, "role worker { }", "on failed => ignore"), "", "SLM106"),
        ((RUN, "role worker { }", "on exit 3 => abort job"), "", "SLM106"),
        ((RUN, "role worker { }", "on failed => fail job"), "", "!SLM106"),
        ((RUN, *SIZES), "", "SLM107"),
        ((RUN, 'image = "a/b"', 'role worker { mount host "/a,b" at "/c" }'), 'runtime = "pyxis"', "SLM110"),
        ((RUN, 'role worker { mount archive "${env.CODE}" at "x" }'), "", "SLM111"),
        ((RUN, f'role worker {{ args = ["{"x" * 131072}"] }}'), "", "SLM112"),
        ((RUN, "role worker { replicas = 9000 }"), "", "SLM113"),
        ((RUN, *SIZES), 'allocation = "single"', "SLM114"),
        ((RUN, "role worker { }"), "time_limit = 2m", "SLM121"),  # 60 s to end, and up to a minute early
        ((RUN, "role worker { }"), "time_limit = 3m", "!SLM121"),
        ((RUN, "role worker { }"), "time_limit = 3m", "!SLM105"),
        ((RUN, "role worker { }"), "time_limit = 3m", "SLM106"),
        ((RUN, "role worker { }", "on exit 137 => restart pod"), "", "SLM120"),
        ((RUN, "role worker { }", "on failed => restart pod", "on evicted => restart job"), "", "SLM120"),
        ((RUN, "role worker { }", "on failed => restart pod"), "", "!SLM120"),
        ((RUN, 'image = "/i/tf.sif"', "role worker { }"), 'runtime = "pyxis"', "SLM067"),
        ((RUN, 'image = "library://a/b:1"', "role worker { }"), 'runtime = "pyxis"', "SLM067"),
        ((RUN, 'image = "/i/tf.sqsh"', "role worker { }"), 'runtime = "pyxis"', "!SLM067"),
        ((RUN, 'image = "/i/tf.sif"', "role worker { }"), 'runtime = "apptainer"', "!SLM067"),
        ((RUN, 'role worker { mount host "/a" at "/b" }'), "", "SLM055"),
        ((RUN, 'role worker { mount host "/a" at "/a" }'), "", "!SLM055"),
        ((RUN, 'role worker { mount scratch at "/b" }'), "", "SLM055"),
        *(  # the ways out that the message names
            ((RUN, f'role worker {{ mount {mount}, image = "a" }}'), options, "!SLM055")
            for mount, options in (
                ('host "/a" at "b"', ""),
                ('host "/a" at "/b"', 'runtime = "pyxis"'),
                ('host "/a" at "/b"', 'runtime = "apptainer"'),
                ('scratch at "/b"', 'runtime = "apptainer"'),
            )
        ),
    ],
)
def test_what_slurm_cannot_do_is_said(lines: tuple[str, ...], options: str, code: str) -> None:
    found = codes(*lines, options=options)
    if code.startswith("!"):
        assert code[1:] not in found
    elif code:
        assert code in found


def test_a_folder_that_a_native_task_cannot_have_can_be_in_a_container() -> None:
    made = outcome(RUN, 'role worker { mount host "/a" at "/b" }')
    (found,) = [one for one in made.diagnostics if one.rule.code == "SLM055"]
    assert "mount it at the path that it has on the nodes" in found.helps[0]
    assert 'runtime = "pyxis" or "apptainer"' in found.helps[0]


SBATCH = {
    "--exclusive": "--exclusive",
    "--exclus=user": "--exclusive=user",
    "--mem 0": "--mem=0",
    " --mem = 0": "--mem=0",
    "-N2": "--nodes=2",
    "-N 2-4": "--nodes=2-4",
    "-s": "--oversubscribe",
    "--gres=nvme:1": "--gres=nvme:1",
    "--dependency=afterok:1?singleton": "--dependency=afterok:1?singleton",
    "--comment=a b": "--comment='a b'",
    "--comment=it's #1": r"--comment='it\'s #1'",
    r"--comment=a\b": r"--comment='a\\b'",
}


def quoted(option: str) -> str:
    return option.replace("\\", "\\\\").replace('"', '\\"')


@pytest.mark.parametrize("option", SBATCH)
def test_an_option_of_sbatch_is_a_line_of_the_script(option: str) -> None:
    """A backslash takes the meaning of the next character in quotes too, and # needs them (sbatch 22.05)."""
    [asked] = directives(scripts(RUN, *ROLES, options=f'sbatch = ["{quoted(option)}"]')["job.sbatch"])
    assert asked[-1] == SBATCH[option]


def test_each_component_says_what_is_about_its_nodes() -> None:
    """Without it a later component has nodes of any kind (sbatch(1), "Heterogeneous jobs")."""
    text = scripts(
        RUN, "role worker { cpu = 2 }", "role ps { cpu = 1 }", options='sbatch = ["-x n1", "--mail-type=END"]'
    )
    first, second = directives(text["job.sbatch"])
    assert first[-2:] == ["--exclude=n1", "--mail-type=END"]
    assert second[-1] == "--exclude=n1"


@pytest.mark.parametrize(
    ("option", "code", "said"),
    [
        ("--exclusiv_e", "SLM115", "did you mean --exclusive?"),
        ("--exc", "SLM115", "it may be --exclude or --exclusive"),
        ("--overlap", "SLM115", "behind --"),
        ("-Z", "SLM115", "behind --"),
        ("exclusive", "SLM115", "a text of its own"),
        ("--part=gpu", "SLM116", "write queue in the job"),
        ("-pgpu", "SLM116", "write queue in the job"),
        ("-t 1:00:00", "SLM116", "write deadline in the job, or the option time_limit"),
        ("--time=5", "SLM116", "write deadline in the job, or the option time_limit"),
        ("--ntasks-per-node=4", "SLM116", "write the option tasks_per_node"),
        ("--gres=nvme:1,gpu:2", "SLM116", "write gpu in the role"),
        ("--array=0-9%2", "SLM116", "write a matrix"),
        ("--mem", "SLM117", "needs a value"),
        ("--mem=", "SLM117", "needs a value"),
        ("--contiguous=yes", "SLM117", "cannot have a value"),
        (r"--comment=a\nb", "SLM117", "line break"),
        ("--stepmgr", "SLM118", "came with Slurm 24.05, not 23.11"),
    ],
)
def test_an_option_that_cannot_be_is_said(option: str, code: str, said: str) -> None:
    made = outcome(RUN, *ROLES, options=f'version = "23.11", sbatch = ["{option}"]')
    [found] = [one for one in made.diagnostics if one.level == "error"]
    assert found.rule.code == code
    assert said in " ".join((found.message, *found.helps))
    assert found.span.text == f'"{option}"'


def test_memory_is_said_once() -> None:
    """sbatch(1): --mem, --mem-per-cpu and --mem-per-gpu are mutually exclusive."""
    assert "SLM119" in codes(RUN, "role worker { memory = 1Gi }", options='sbatch = ["--mem=0"]')
    assert "SLM119" not in codes(RUN, "role worker { }", options='sbatch = ["--mem=0"]')


def test_replicas_per_node() -> None:
    found = directives(
        scripts(RUN, 'role worker { replicas = 3, spread = "node" }', "role ps { }", options="tasks_per_node = 4")[
            "job.sbatch"
        ]
    )
    assert ["--ntasks-per-node=1" in found[1], "--ntasks-per-node=4" in found[0]] == [True, True]


TABLE = {
    "SLM003": ('annotations = { "a.b/c" = "x" }',),
    "SLM004": ("priority = 7",),
    "SLM005": ('scheduler = "mine"',),
    "SLM010": ('cluster { protocol = "grpc+verbs" }',),
    "SLM031": ('image = "a/b:1"', 'image_pull_policy = "Always"'),
    "SLM037": ("cpu = 1", "cpu_limit = 2"),
    "SLM038": ("memory = 1Gi", "memory_limit = 2Gi"),
    "SLM039": ("gpu = 1", "gpu_memory = 8Gi"),
    "SLM043": ("ports = { debug = 5678 }",),
    "SLM045": ("run_as_user = 1000",),
    "SLM046": ("run_as_group = 1000",),
    "SLM047": ("fs_group = 1000",),
    "SLM048": ("privileged = true",),
    "SLM053": ('mount configmap "settings" at "settings"',),
    "SLM056": ('mount host "/srv" at "srv" readonly',),
    "SLM057": ('mount host "/srv" at "/srv" { type = "Socket" }',),
    "SLM058": ('mount scratch 1Gi at "tmp"',),
    "SLM063": ('prepare look { command = "ls", env = { IP = pod_field("status.podIP") } }',),
    "SLM065": ('prepare look { command = "ls", gpu = 1 }',),
    "SLM068": ("tmp_size = 2Gi",),
    "SLM069": ("restricted = true",),
    "SLM073": ("on evicted after 5m => restart job",),
    "SLM075": ("on pending after 5m => fail job",),
    "SLM076": ("on pending after 5m => abort job",),
    "SLM077": ("on pending after 5m => restart pod",),
    "SLM078": ("on pending after 5m => restart job",),
    "SLM151": ("stop_grace = 5s",),
}


@pytest.mark.parametrize("code", TABLE)
def test_rows_of_the_table_are_said(code: str) -> None:
    """What Slurm has not, or has in another way (sbatch(1), srun(1)); nothing of it is said of a plain job."""
    assert code in codes(RUN, *TABLE[code], "role worker { replicas = 2 }")
    assert code not in codes(RUN, "role worker { replicas = 2 }")


def test_what_depends_on_the_options_is_said() -> None:
    spread = ('role worker { replicas = 2, spread = "node" }', "role ps { }")
    assert "SLM023" in codes(RUN, *spread, options='allocation = "single"')
    mount = ('image = "a/b:1"', 'role worker { mount host "/srv/${env.USER}" at "/srv" }')
    assert "SLM060" in codes(RUN, *mount, options='runtime = "apptainer"')
