"""Options and versions of the slider target."""

from __future__ import annotations

from tfdsl.backend import Option
from tfdsl.record import Record
from tfdsl.vocabulary.types import BOOL, NUMBER, STRING, STRINGS, IntType, MapType, StringType, UnionType, one_of
from tfdsl_backends.hadoop.options import files_option

MOST_SECONDS = 2_000_000
"""Slider counts the milliseconds in an int."""

OPTIONS = (
    Option(
        "runtime",
        one_of("docker", "native"),
        "Run the command in a docker container that the agent's script starts, or as a process of the node. Without "
        "it, roles with an image run in docker and the others natively.",
    ),
    Option("metainfo", one_of("json", "xml"), "metainfo.json in schema 2.1, or metainfo.xml in schema 2.0.", "json"),
    Option("app_version", StringType(empty=False), "The application's own version in the metainfo.", "1.0.0"),
    files_option("adds to the package"),
    Option(
        "config_files",
        MapType(MapType(UnionType((STRING, NUMBER, BOOL)))),
        "File name → its entries. Slider writes the file for every task, which finds it in its work folder: JSON, "
        "properties, Hadoop's XML or YAML, as the name ends. The entries are dictionaries of appConfig.json, which "
        "`slider` can change and show. From 0.92 on.",
        {},
    ),
    Option(
        "am_memory",
        IntType(256),
        "Memory of the application master in MB. Without it, Slider's own 1024.",
    ),
    Option(
        "am_heap",
        IntType(64),
        "Java heap of the application master in MB. Without it, three quarters of `am_memory`, or Slider's own 256 if "
        "that is not set.",
    ),
    Option(
        "placement",
        MapType(one_of("strict", "anywhere"), roles=True),
        "Role → where Slider puts a replica that has run before. `strict`: only on the node on which it ran; "
        "`anywhere`: on any node. Without it, Slider prefers that node.",
        {},
    ),
    Option(
        "escalate_seconds",
        MapType(IntType(0, MOST_SECONDS), roles=True),
        "Role → seconds after which Slider asks for any node if the node that it prefers has no room. Without it, "
        "Slider's own 30.",
        {},
    ),
    Option(
        "wait_limit",
        IntType(1),
        "Seconds that a task waits for its peers; after that it exits with status 76 and names the missing ones.",
        3600,
    ),
    Option(
        "resourcemanager",
        STRINGS,
        "Web addresses of the ResourceManagers, `host:8088` or `https://host:8090`. Without it, the scripts read "
        "yarn-site.xml in `hadoop_conf`.",
        (),
    ),
    Option(
        "hadoop_conf", StringType(empty=False), "Folder of the Hadoop configuration on the nodes.", "/etc/hadoop/conf"
    ),
    Option(
        "allowed_ports",
        STRING,
        "Ports that agents may allocate, e.g. `48000-48100,50000`; empty for any free port.",
        "",
    ),
    Option(
        "docker_network",
        one_of("host", "bridge"),
        "Network of docker containers: that of the node, or docker's bridge with the task's port published.",
        "host",
    ),
    Option(
        "docker_user",
        STRING,
        "User in docker containers: empty for the agent's own user, `image` for that of the image, else as in `docker "
        "run --user`.",
        "",
    ),
    Option(
        "cgroup_root",
        STRING,
        "Parent of the cgroups that YARN creates for its containers, e.g. `/hadoop-yarn`: docker containers are put "
        "below it, so that YARN's limits apply to them.",
        "",
    ),
    Option(
        "python",
        StringType(empty=False),
        "The Python with TensorFlow, for roles with `server = true`.",
        "python",
    ),
)


VERSIONS = ("0.91", "0.92")
"""Known versions, the default last."""


class Features(Record):
    """What a version can do.

    ``agent_packages``: the agent copies the folders of the package that ``packages`` names. From 0.92 on the
    application master looks for them as resources in HDFS instead, and fails when they are not there (SLIDER-1107).
    ``config_files``: the application master can write configuration files (``am.config.generation``).
    """

    agent_packages: bool
    config_files: bool


def features(version: str) -> Features:
    """The features of ``version``, one of :data:`VERSIONS`."""
    return {
        "0.91": Features(agent_packages=True, config_files=False),
        "0.92": Features(agent_packages=False, config_files=True),
    }[version]
