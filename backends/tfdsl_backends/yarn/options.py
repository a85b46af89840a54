"""Options and versions of the yarn target."""

from __future__ import annotations

from typing import Final, Literal

from tfdsl.backend import Option, Unit
from tfdsl.record import Record
from tfdsl.vocabulary.types import BOOL, IntType, StringType, one_of
from tfdsl_backends.hadoop.options import ROLE_TEXTS, files_option

OPTIONS = (
    Option(
        "runtime",
        one_of("docker", "native"),
        "Run the tasks in YARN's docker runtime, or as processes of the node. Without it, roles with an image run in "
        "docker and the others natively.",
    ),
    Option(
        "applications",
        one_of("per-role", "one"),
        "DistributedShell gives all containers of an application one size and one image. `per-role`: one application "
        "for each role, whose tasks find each other through a common store; `one`: one application, with the largest "
        "size for all. Without it, `one` if all roles are alike, else `per-role`.",
    ),
    Option(
        "dialect",
        one_of("stock", "yarn-tf"),
        "`stock`: DistributedShell as Hadoop ships it; the tasks find each other. `yarn-tf`: the modified client that "
        "takes mounts, output, num_parameter_servers and num_trainers, and passes the four TensorFlow flags.",
        "stock",
    ),
    files_option("sends along"),
    Option(
        "placement",
        ROLE_TEXTS,
        "Role → where YARN may place its containers, as in `-placement_spec`: `NOTIN,NODE,ps`, `IN,RACK,ps`, "
        "`CARDINALITY,NODE,worker,0,2`; from 3.3 on also node attributes (`rm.yarn.io/gpu=a100`, `java!=1.8`), "
        "`AND(…:…)` and `OR(…:…)`. Tags are names of roles; `all/TAG` and `not-self/TAG` are those of other "
        'applications. `spread = "node"` is added.',
        {},
    ),
    Option(
        "store",
        StringType(pattern=r"(hdfs://[^/]*/.+|/.+)", form="an absolute path or a URI such as hdfs:///user/me"),
        "Folder for the tasks' rendezvous: an `hdfs://` URI, or the absolute path of a folder that all nodes share. "
        "Without it, .tfjobs in the submitter's home folder of HDFS.",
    ),
    Option(
        "hadoop_home",
        StringType(pattern=r"/.+", form="an absolute path"),
        "Folder of the Hadoop client on the nodes. Docker containers mount it read-only; the image must have Java.",
    ),
    Option(
        "webhdfs",
        StringType(pattern=r"https?://[^/\s]+", form="an address such as http://namenode:9870"),
        "Address of the NameNode's WebHDFS, e.g. `http://namenode:9870`: containers then need no Hadoop client, "
        "and the rendezvous is ten times faster. Simple authentication only.",
    ),
    Option(
        "rendezvous_seconds",
        IntType(1, 2_000_000),
        "How long the tasks wait for each other; after that, all exit with status 76 and name the missing ones. A "
        "policy `on pending after … => fail job` replaces it.",
        900,
    ),
    Option(
        "port_range",
        StringType(pattern=r"[0-9]+-[0-9]+", form='two ports such as "20000-30000"'),
        "Range of ports for the tasks, outside the nodes' ephemeral ports.",
        "20000-30000",
        ("ports",),
    ),
    Option(
        "reuse_port",
        BOOL,
        "Hold each task's port for its whole life and set TF_GRPC_REUSE_PORT, so that no other process can take it "
        "between rendezvous and start. TensorFlow 2.3 and later.",
        False,
    ),
    Option(
        "max_container_memory",
        IntType(1),
        "The cluster's yarn.scheduler.maximum-allocation-mb. YARN silently lowers larger requests; with this option "
        "tfdsl reports them.",
    ),
    Option("am_memory", IntType(64), "Memory of the application master in MB.", 512),
    Option(
        "python",
        StringType(empty=False),
        "The Python in the containers, for the task program and for TensorFlow in roles with `server = true`. Without "
        "it, the first of python3, python and python2 that exists.",
    ),
)


def is_yarn_tf(unit: Unit) -> bool:
    """Whether the modified client submits the job."""
    return unit.text("dialect") == "yarn-tf"


def store_in_hdfs(unit: Unit) -> bool:
    """Whether the store is in HDFS."""
    return not unit.text("store").startswith("/")


VERSIONS = ("2.10", "3.1", "3.3", "3.4")
"""Known versions, the default last."""

NO_TIMEOUT = 2_147_483_647
"""Milliseconds for the client's ``-timeout`` if the job has no deadline: the largest int, 24.8 days.

Without the option the client kills the application after 600,000 ms.
"""


TAG: Final = "tfdsl"
"""The tag of every application that ``submit.sh`` submits, beside that of its run."""


class Features(Record):
    """What a version has.

    ``resources``: ``-container_resources`` (YARN-7242) and with it ``yarn.io/gpu``. ``placement``: the form of a
    source tag in ``-placement_spec`` (YARN-9258), empty where there is none. ``localize``: ``-localize_files``
    (YARN-9008). ``tags``: ``-application_tags`` (YARN-8076). ``docker_mounts``: YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS
    (YARN-5534) and the choice of a docker network. ``docker_tmpfs``: ``…_TMPFS_MOUNTS``. ``numbers``: YARN_SHELL_ID
    (YARN-3950).
    """

    resources: bool = True
    placement: Literal["", "tag=N", "tag(N)"] = "tag(N)"
    localize: bool = True
    tags: bool = True
    docker_mounts: bool = True
    docker_tmpfs: bool = True
    numbers: bool = True


_FEATURES = {
    "2.10": Features(
        resources=False,
        placement="",
        localize=False,
        tags=False,
        docker_mounts=False,
        docker_tmpfs=False,
        numbers=False,
    ),
    "3.1": Features(placement="tag=N", localize=False, docker_tmpfs=False),
    "3.3": Features(),
    "3.4": Features(),
}


def features(version: str) -> Features:
    """The features of ``version``, one of :data:`VERSIONS`."""
    return _FEATURES[version]
