"""The emitted scripts as texts: what Slurm is asked for, and shellcheck over everything."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.slurm.compiled import codes, directives, scripts
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
        ["--job-name=mnist", "--open-mode=append", "--no-requeue", "--ntasks=7", "--cpus-per-task=1", CORES]
    ]


def test_roles_of_unlike_size_are_components() -> None:
    """Of the later components only their own size is written; the partition is not inherited (sbatch(1))."""
    assert directives(scripts(RUN, *SIZES, 'queue = "gpu"')["job.sbatch"]) == [
        [
            *("--job-name=mnist", "--open-mode=append", "--no-requeue", "--partition=gpu"),
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
    assert asked[3:] == ["--ntasks=4", "--cpus-per-task=3", CORES, "--mem-per-cpu=1366M", "--gpus-per-task=2"]


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
    assert "--time=121" in directives(scripts(RUN, *ROLES, "deadline = 2h")["job.sbatch"])[0]
    text = scripts(RUN, *ROLES, "deadline = 90s", "on pending after 10m => fail job")["submit.sh"]
    assert "options=(--deadline=now+780)" in text  # ten minutes to wait, three to run


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
        ((RUN, *SIZES), "", "SLM109"),
        ((RUN, 'image = "a/b"', 'role worker { mount host "/a,b" at "/c" }'), 'runtime = "pyxis"', "SLM110"),
        ((RUN, 'role worker { mount archive "${env.CODE}" at "x" }'), "", "SLM111"),
        ((RUN, f'role worker {{ args = ["{"x" * 131072}"] }}'), "", "SLM112"),
        ((RUN, "role worker { replicas = 9000 }"), "", "SLM113"),
        ((RUN, *SIZES), 'allocation = "single"', "SLM114"),
        ((RUN, 'role worker { mount host "/a" at "/b" }'), "", "SLM055"),
        ((RUN, 'role worker { mount host "/a" at "/a" }'), "", "!SLM055"),
        ((RUN, 'role worker { mount scratch at "/b" }'), "", "SLM055"),
    ],
)
def test_what_slurm_cannot_do_is_said(lines: tuple[str, ...], options: str, code: str) -> None:
    found = codes(*lines, options=options)
    if code.startswith("!"):
        assert code[1:] not in found
    elif code:
        assert code in found


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
