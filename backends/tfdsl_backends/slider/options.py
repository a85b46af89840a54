"""Options of the slider target, and what they decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Option
from tfdsl.vocabulary.types import STRING, STRINGS, IntType, StringType, one_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role

OPTIONS = (
    Option(
        "runtime",
        one_of("docker", "native"),
        "Run the command in a docker container that the agent's script starts, or as a process of the node. Without "
        "it, roles with an image run in docker, the others native.",
    ),
    Option("metainfo", one_of("json", "xml"), "metainfo.json in schema 2.1, or metainfo.xml in schema 2.0.", "json"),
    Option("app_version", StringType(empty=False), "The application's own version in the metainfo.", "1.0.0"),
    Option(
        "files",
        STRINGS,
        "Files and folders that submit.sh puts into the package, named from the folder where it is called. Every task "
        "finds them in its work folder, under their last name.",
        (),
    ),
    Option(
        "wait_limit",
        IntType(1),
        "Seconds that a task waits for its peers; then it ends with status 76 and names who is missing.",
        3600,
    ),
    Option(
        "stop_grace", IntType(0, 3600), "Seconds between SIGTERM and SIGKILL for a command and what it started.", 20
    ),
    Option(
        "resourcemanager",
        STRINGS,
        "Web addresses of the ResourceManagers, `host:8088` or `https://host:8090`. Without it the scripts read "
        "yarn-site.xml in `hadoop_conf`.",
        (),
    ),
    Option("hadoop_conf", StringType(empty=False), "Folder of the Hadoop configuration on nodes.", "/etc/hadoop/conf"),
    Option(
        "allowed_ports",
        STRING,
        "Ports that agents may allocate, e.g. `48000-48100,50000`; empty: any free port.",
        "",
    ),
    Option(
        "docker_network",
        one_of("host", "bridge"),
        "Network of docker containers: the node's, or docker's bridge with the task's port published.",
        "host",
    ),
    Option(
        "docker_user",
        STRING,
        "User in docker containers: empty for the agent's own user, `image` for the image's, else as `docker run "
        "--user` takes it.",
        "",
    ),
    Option(
        "cgroup_root",
        STRING,
        "Parent of the cgroups that YARN makes for its containers, e.g. `/hadoop-yarn`: docker containers go below it, "
        "so that YARN's limits hold for them.",
        "",
    ),
    Option(
        "python", StringType(empty=False), "The Python with TensorFlow that roles with `server = true` run.", "python"
    ),
)


def needs_image(options: Mapping[str, object]) -> bool:
    """Whether every role needs an image: only where docker is asked for by name."""
    return options.get("runtime") == "docker"


def in_docker(unit: Unit, role: Role) -> bool:
    """Whether the command of ``role`` runs in a docker container."""
    runtime = unit.text("runtime")
    return runtime == "docker" if runtime else role.image is not None
