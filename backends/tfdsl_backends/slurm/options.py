"""Options and versions of the slurm target."""

from __future__ import annotations

from collections.abc import Mapping

from tfdsl.backend import Option, Unit
from tfdsl.vocabulary.quantities import Duration
from tfdsl.vocabulary.types import STRINGS, TIME_LIMIT, IntType, MapType, StringType, one_of

NAME = r"[A-Za-z0-9_.][A-Za-z0-9_.-]*"
_NAME_FORM = "a name of letters, digits, _, . and -"

OPTIONS = (
    Option(
        "runtime",
        one_of("native", "pyxis", "apptainer"),
        "`native`: the commands are processes of the node, and images are not used. `pyxis`: containers by NVIDIA's "
        "plugin for srun. `apptainer`: containers by `apptainer exec`. An image needs bash.",
        "native",
    ),
    Option(
        "allocation",
        one_of("components", "single"),
        "`components`: a heterogeneous job, with a component for the roles of one size; each component gets nodes of "
        "its own. `single`: one allocation, with the largest size for every replica. Without it, `single` if all roles "
        "are alike, else `components`.",
    ),
    Option(
        "tasks_per_node",
        IntType(1, 4096),
        "At most so many replicas on one node, `--ntasks-per-node`; of a role with `spread` it is one.",
        None,
        ("ntasks_per_node", "procs_per_node", "nproc_per_node"),
    ),
    Option(
        "time_limit",
        TIME_LIMIT,
        "How long Slurm gives the nodes for, `--time`, where that is less than the job needs. Before it is over, the "
        "policies on `evicted` act: `on evicted => restart job` goes back into the queue.",
        None,
        ("time", "walltime", "time_limit_minutes"),
    ),
    Option(
        "sbatch",
        STRINGS,
        'Further options of sbatch, each as one text: `["--exclusive", "--mem=0", "--mail-type=END"]`. Those that the '
        "target writes itself are refused with what to write instead.",
        (),
        ("sbatch_options", "extra", "slurm_args", "directives", "exclusive", "reservation", "mail_type", "licenses"),
    ),
    Option(
        "setup",
        StringType(empty=False),
        "What bash runs in every replica before its command, in the same shell: `module load cuda/12.4`. With "
        "Apptainer it runs on the node, with pyxis in the container. If a command of it fails, the replica fails.",
        None,
        ("module", "modules", "prologue", "init", "pre_command"),
    ),
    Option("account", StringType(pattern=NAME, form=_NAME_FORM), "The account that is charged, `--account`.", None),
    Option("qos", StringType(pattern=NAME, form=_NAME_FORM), "The quality of service, `--qos`.", None),
    Option(
        "run_dir",
        StringType(pattern=r"[^,]+", form="a folder without a comma in its name"),
        "Folder for the folders of the runs, which have the logs and what the scripts note. All nodes must share it. A "
        "relative path starts from the folder in which you call submit.sh.",
        "tfjob-runs",
    ),
    Option(
        "port_range",
        StringType(pattern=r"[0-9]+-[0-9]+", form='two ports such as "20000-30000"'),
        "Range of ports for the replicas, outside the nodes' ephemeral ports. Each job takes as many as it has "
        "replicas, from a place that depends on its number.",
        "20000-30000",
        ("ports",),
    ),
    Option(
        "gres",
        MapType(StringType(pattern=r"[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?", form='a device such as "gpu" or "gpu:a100"')),
        "Name of a device in `gpu_resource` → its name in Slurm: `gpu`, or with a type `gpu:a100`.",
        {},
        ("devices",),
    ),
)


def needs_image(options: Mapping[str, object]) -> bool:
    """Whether every role needs an image."""
    return options.get("runtime") in ("pyxis", "apptainer")


def in_containers(unit: Unit) -> bool:
    """Whether the commands run in containers."""
    return unit.text("runtime") != "native"


def port_range(unit: Unit) -> tuple[int, int]:
    """The first and the last port."""
    first, last = unit.text("port_range").split("-")
    return int(first), int(last)


def time_limit(unit: Unit) -> int:
    """Seconds for which Slurm gives the nodes; 0 without the option."""
    text = unit.text("time_limit")
    return -(-Duration(text).ms // 1000) if text else 0


VERSIONS = ("22.05", "23.11", "24.11")
"""Known versions, the default last.

They differ in what the scripts do not rely on: whether ``srun`` fails when a node is lost (from 23.02 on; a replica's
own mark decides), whether CONT comes before TERM, and which variables tell the end of the allocation.
"""
