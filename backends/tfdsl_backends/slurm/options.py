"""Options of the slurm target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Option
from tfdsl.vocabulary.types import MapType, StringType, one_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.backend import Unit

NAME = r"[A-Za-z0-9_.][A-Za-z0-9_.-]*"

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
    Option("account", StringType(pattern=NAME), "The account that is charged, `--account`.", None),
    Option("qos", StringType(pattern=NAME), "The quality of service, `--qos`.", None),
    Option(
        "run_dir",
        StringType(pattern=r"[^,]+"),
        "Folder for the folders of the runs, which have the logs and what the scripts note. All nodes must share it. A "
        "relative path starts from the folder in which you call submit.sh.",
        "tfjob-runs",
    ),
    Option(
        "port_range",
        StringType(pattern=r"[0-9]+-[0-9]+"),
        "Range of ports for the replicas, outside the nodes' ephemeral ports. Each job takes as many as it has "
        "replicas, from a place that depends on its number.",
        "20000-30000",
        ("ports",),
    ),
    Option(
        "gres",
        MapType(StringType(pattern=r"[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?")),
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
