"""What becomes of each key of a Slider application."""

from __future__ import annotations

from typing import Final

from tfdsl.reading import Field

NO_LIMIT: Final = 2_147_483_646
"""The most retries that a job can have: Slider's 0 means no limit."""

AUTHORS: Final = "only the scripts of the package read it"

GENERATED: Final = frozenset({"hadoop.conf", "user.name", "zookeeper.quorum", "slider.allowed.ports"})
"""Keys of ``site.global`` that are options, or that tfdsl writes itself."""

LEFT_OUT: Final = {
    "application.def": "submit.sh sends the package",
    "java_home": "the nodes know where Java is",
    "yarn.node.failure.threshold": "nothing in a job is about single nodes",
    "yarn.resource.normalization.enabled": "YARN rounds what a role asks for",
    "yarn.resource-profile-name": "a role asks for memory and cpu",
    "yarn.resourcemanager.am.retry-count-window-ms": "the application master's own restarts are YARN's",
    "component.unique.names": "tasks have a role and an index",
}
REASONS: Final = {
    "yarn.container.failure.window.": "retries counts over the whole life of the job",
    "yarn.container.health.threshold.": "a job waits for all replicas; on pending after … says how long",
    "yarn.disk": "mount scratch is on the node's disk",
    "yarn.log.": "the logs are those of YARN",
}
"""Beginning of a key → why it is left out."""

FIELDS: Final = (
    Field("resources.json components.<role>.yarn.component.instances", "replicas"),
    Field("resources.json components.<role>.yarn.memory", "memory", "MB; without it Slider's 256"),
    Field("resources.json components.<role>.yarn.vcores", "cpu"),
    Field("resources.json components.<role>.yarn.label.expression", "node_label"),
    Field(
        "resources.json components.<role>.yarn.component.placement.policy",
        'spread = "node", target slider { placement }',
        "4 is spread, 1 strict, 2 anywhere",
    ),
    Field("resources.json components.<role>.yarn.placement.escalate.seconds", "target slider { escalate_seconds }"),
    Field(
        "resources.json components.<role>.yarn.container.failure.threshold",
        "retries",
        "the largest of all roles; without it Slider's 5; 0, which means any number, becomes the largest number",
    ),
    Field("resources.json components.<role>.yarn.role.priority", "", "the order of the roles"),
    *(Field(f"resources.json {key}", "", reason) for key, reason in LEFT_OUT.items() if key.startswith("yarn.")),
    *(Field(f"resources.json {prefix}*", "", reason) for prefix, reason in REASONS.items()),
    Field("resources.json components.slider-appmaster.yarn.memory", "target slider { am_memory }"),
    Field("appConfig.json components.slider-appmaster.jvm.heapsize", "target slider { am_heap }"),
    Field("appConfig.json site.global.docker.image", "image"),
    Field(
        "appConfig.json site.global.user.scripts.entry",
        'command, cluster { discovery = "flags" }',
        "the script is in the image, or target slider { files } sends it",
    ),
    Field("appConfig.json site.global.user.checkpoint.dir", "checkpoint", "also user.checkpoint.prefix"),
    Field(
        "appConfig.json site.global.user.data.dir",
        'mount hdfs … at "data"',
        "each task gets a copy; a folder that is not in HDFS becomes the variable DATA_DIR",
    ),
    Field("appConfig.json site.global.hadoop.conf", "target slider { hadoop_conf }"),
    Field("appConfig.json site.global.yarn.cgroup.root", "target slider { cgroup_root }"),
    Field("appConfig.json site.global.slider.allowed.ports", "target slider { allowed_ports }"),
    Field("appConfig.json site.global.<role>.port", "", "each task gets a free port"),
    Field("appConfig.json site.<file>.<key>", "target slider { config_files }", "if the metainfo has the file"),
    Field("appConfig.json ${USER_NAME}", "${job.user}"),
    Field("metainfo application.name", "job NAME", "slider create NAME is used if it is there"),
    Field("metainfo application.version", "target slider { app_version }"),
    Field("metainfo components[].name", "role", "chiefworker is chief; --role NAME=ROLE says it for other names"),
    Field(
        "metainfo components[].autoStartOnFailure",
        "on failed => restart container",
        "false is on failed => restart pod: Slider replaces the container",
    ),
    Field("metainfo components[].commands[].exec", "command"),
    Field("metainfo components[].dockerContainers[].image", "image"),
    Field("metainfo components[].dockerContainers[].startCommand", "command", "also additionalParam"),
    Field("metainfo components[].dockerContainers[].mounts[]", "mount host"),
    Field("metainfo components[].dockerContainers[].runPrivilegedContainer", "privileged"),
    Field("metainfo components[].minInstanceCount", "", "a job has a fixed number of replicas; also maxInstanceCount"),
    Field("metainfo commandOrders[]", "after", "X-START requires Y-STARTED"),
    Field("metainfo packages[]", 'target slider { version = "0.91" }', "folders are copied by agents of 0.91 alone"),
    Field("metainfo exportGroups[]", "", "tfdsl writes what the tasks need"),
    Field("slider create --queue", "queue"),
    Field("ytensorflow commandConfig.app.name", "job NAME"),
)
"""In the order of the page that shows them."""
