"""What the slider target does with everything a job can set.

Sources: apache/incubator-slider 0.91 to 0.93 (`slider-core`, `slider-agent`, `app-packages/tensorflow`), and the
behaviour of 0.92 on a Hadoop 3.4 cluster. Rows that yarn has too are in :mod:`tfdsl_backends.hadoop.support`.

The generated script knows a task's exit status and asks the application master to stop the application; Slider itself
only knows that a container is gone, and replaces it. A component cannot end with success (SLIDER-494), and a stop by
request always ends as SUCCEEDED.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.backend import UNUSED, Row, Support, approximated, chosen, conditions, kept, refused, translated
from tfdsl_backends.hadoop import when as shared
from tfdsl_backends.hadoop.flows import ROWS as FLOW_ROWS
from tfdsl_backends.hadoop.support import native_memory, native_path, rows, scratch_size
from tfdsl_backends.scripts.support import WITH_RUN_TIME_VALUES
from tfdsl_backends.slider import when

RESOURCES = "resources.json"
SCRIPT = "package/files/job.json"
STOP = "POST /ws/v1/slider/application/action/stop"
NEW_ADDRESS = "the commands of the other tasks restart with its new address"
NODE_LOST = (
    "one that is killed on its node, or whose node is lost, counts as failed, so the policy for failures decides"
)
REPLACED_FIRST = "Slider replaces a lost container first; the replacement then stops the application"

JOB = (
    kept("job.queue", "slider create --queue"),
    approximated(
        "job.priority",
        "",
        "slider create has no priority; {value} is ignored",
        "SLI004",
        edit=f"{UNUSED}; after the start, run yarn application -appId ID -updatePriority N (Hadoop 2.8 and later)",
    ),
    translated("job.gang", "", "one replica starts alone", when=conditions.single),
    approximated(
        "job.gang",
        "",
        "a task whose program needs the addresses of the others waits for all of them, for wait_limit seconds at most",
        "SLI089",
        "gang-off",
        when=when.addresses_without_gang,
        edit=UNUSED,
    ),
    kept("job.gang", "", when=conditions.off),
    approximated(
        "job.gang",
        "",
        "Slider starts containers one by one; they hold their resources and wait for the others, for wait_limit "
        "seconds at most",
        "SLI006",
        instead="target volcano starts all or none",
    ),
    chosen(
        "job.retries",
        f"{SCRIPT} retries, {RESOURCES} yarn.container.failure.threshold",
        "the script counts restarts in place, Slider counts replaced containers; the threshold is never 0, which would "
        "mean no limit",
        "retries is not set, so {value} restarts are allowed; after that the job fails",
        "SLI140",
        "default-retries",
        instead="write retries = N to allow more or fewer",
        when=when.counted_once,
    ),
    approximated(
        "job.retries",
        f"{SCRIPT} retries, {RESOURCES} yarn.container.failure.threshold",
        "{value} restarts are allowed for each replica (in place) and for each role (replaced containers), not for the "
        "whole job",
        "SLI007",
        "retries-per-replica",
    ),
    approximated(
        "job.deadline",
        f"{SCRIPT} deadline",
        "Slider has no deadline; each task counts {value} from its own start and then stops the application, "
        "which YARN then shows as SUCCEEDED",
        "SLI008",
    ),
    approximated(
        "job.ttl",
        "",
        "the ResourceManager has its own rules for ended applications; the application's files stay in HDFS",
        "SLI009",
        edit=f"{UNUSED}; slider destroy NAME removes the files",
    ),
    translated(
        "job.checkpoint",
        "appConfig.json site.global.user.checkpoint.dir",
        "the script passes it to every role as CHECKPOINT_DIR; a path with ${{ stays in package/files/job.json, "
        "because Slider replaces such marks",
    ),
    translated("cluster.discovery", SCRIPT, "the script builds TF_CONFIG and the flags from Slider's exports"),
)

ROLES = (
    kept("roles[].replicas", f"{RESOURCES} yarn.component.instances"),
    translated("roles[].after", "metainfo commandOrders", "the START of the role waits until those roles are STARTED"),
    translated("roles[].server", "package/files/server.py", "a TensorFlow server built from TF_CONFIG"),
    kept("roles[].node_label", f"{RESOURCES} yarn.label.expression"),
    translated("roles[].spread", f"{RESOURCES} yarn.component.placement.policy", "4 (anti-affinity) for node"),
    translated("roles[].env", SCRIPT, "the script sets them, so Slider never replaces ${{}} marks in them"),
    kept("roles[].gpu", "", when=conditions.zero),
    approximated(
        "roles[].gpu",
        f"{RESOURCES} yarn.label.expression",
        "Slider cannot request GPUs: node_label puts role {role} on such nodes, but nothing counts or reserves the "
        "{value}",
        "SLI036",
        "gpu-label",
        when=conditions.labelled,
        instead='spread = "node" keeps replicas of the role apart',
    ),
    refused(
        "roles[].gpu",
        "Slider cannot request GPUs",
        "SLI037",
        instead="write node_label with the YARN label of the GPU nodes, or use target yarn",
    ),
    approximated(
        "roles[].gpu_resource",
        "",
        "Slider cannot request devices; node_label places the role instead of {value}",
        "SLI038",
        edit=UNUSED,
    ),
    refused(
        "roles[].resources",
        "Slider requests only memory and processors",
        "SLI040",
        instead="write node_label with the label of the nodes that have the resource",
    ),
    kept("roles[].shm", "docker run --shm-size", when=shared.docker),
    native_memory("shm", "SLI041"),
    translated("roles[].tmp_size", "docker run --tmpfs", "docker runs no programs from it", when=shared.docker),
    native_memory("tmp_size", "SLI045"),
    approximated(
        "roles[].port",
        "appConfig.json site.global.<role>.port",
        "the agent allocates a free port, so that several tasks can share a node; {value} is not used",
        "SLI042",
        "port-allocated",
        default="silent",
        edit=UNUSED,
    ),
)


def _writable_natively(kind: str) -> tuple[Row, ...]:
    key = f"mounts[{kind}].readonly"
    return (
        kept(key, "docker run --volume …:ro", when=shared.docker),
        kept(key, "", when=conditions.off),
        approximated(key, "", "a native task can still write there", "SLI055", "readonly-native", default="silent"),
    )


def _run_time_values() -> Iterator[Row]:
    for place in WITH_RUN_TIME_VALUES:
        yield translated(f"{place}{{task.index}}", SCRIPT, "replaced by the script")
        yield approximated(
            f"{place}{{env}}",
            SCRIPT,
            "the script replaces variables of the role's env and of the node; one that only the image sets is empty",
            "SLI056",
            "env-of-image",
            edit="set the variable in env, or read it in the command itself",
            when=when.unknown_variable,
        )
        yield translated(f"{place}{{env}}", SCRIPT, "replaced by the script")


FILES = (
    native_path("host", "SLI057"),
    translated("mounts[host]", "", "a link in the work folder, or a docker volume"),
    *_writable_natively("host"),
    translated("mounts[host].type", SCRIPT, "checked, or created, before the command starts"),
    native_path("scratch", "SLI057"),
    scratch_size("", "SLI058"),
    kept("mounts[scratch]", "a folder in the container's own folder"),
    *_writable_natively("scratch"),
    kept("mounts[memory]", "docker run --tmpfs", when=shared.docker),
    refused(
        "mounts[memory]",
        "a native task cannot mount a tmpfs",
        "SLI059",
        "memory-native",
        instead="mount scratch, or run in docker",
    ),
    kept("mounts[memory].readonly", ""),
    native_path("hdfs", "SLI057"),
    translated("mounts[hdfs]", "hadoop fs -get", "fetched once for each container, with the node's client"),
    translated("mounts[hdfs].readonly", "", "each task has its own copy; HDFS is never written"),
    native_path("archive", "SLI057"),
    translated("mounts[archive]", "package/files, or hadoop fs -get", "unpacked once for each container"),
    *_writable_natively("archive"),
    translated("outputs[]", SCRIPT, "the script copies it, to HDFS with the node's client"),
    translated("outputs[].when", SCRIPT, "the script decides"),
    translated("outputs[].index", SCRIPT, "the script decides"),
    translated("outputs[].overwrite", SCRIPT, "the script replaces the destination"),
    *_run_time_values(),
)


def _failures(event: str) -> Iterator[Row]:
    lost, fail, abort = ("", "SLI084", "SLI085") if event == "exit" else (f"; {REPLACED_FIRST}", "SLI070", "SLI071")
    word = "exit-" if event == "exit" else ""
    yield approximated(
        f"policies[{event}].fail job",
        STOP,
        f"the script stops the application, which YARN then shows as SUCCEEDED; task.log of the replica says why{lost}",
        fail,
        f"{word}fail-job",
    )
    yield approximated(
        f"policies[{event}].abort job",
        STOP,
        f"the application is stopped (slider start NAME resumes it){lost}",
        abort,
        f"{word}abort-job",
    )
    key, to = f"policies[{event}].restart container", f"metainfo autoStartOnFailure, {SCRIPT}"
    in_place = "the agent restarts the task in place, with the same host and port; a lost container is replaced"
    yield translated(key, to, in_place, when=when.of_tensorboard)
    yield translated(key, to, in_place, when=conditions.single)
    yield approximated(
        key,
        to,
        f"{in_place}, and the commands of the other tasks restart with its new address",
        "SLI086",
        "lost-containers",
    )
    yield refused(
        f"policies[{event}].restart pod",
        "a role restarts either in place or in a new container, and another policy restarts it in place",
        "SLI072",
        "mixed-restarts",
        instead="use restart container in all of them",
        when=when.mixed,
    )
    yield approximated(
        f"policies[{event}].restart pod",
        f"metainfo autoStartOnFailure false, {SCRIPT}",
        "Slider replaces the container, which then has a new address, so the commands of the other tasks restart too; "
        "it cannot tell it from a lost one, which it replaces as well",
        "SLI073",
        instead="restart container keeps host and port",
    )
    yield approximated(
        f"policies[{event}].ignore",
        SCRIPT,
        "the replica counts as ended, also where its whole role completes the job; its container stays, so a job that "
        "nothing completes does not end, and a lost one is replaced",
        "SLI088",
        "ignored",
    )
    yield from _no_group_restart(event)
    yield kept(f"policies[{event}].index", SCRIPT)


def _no_group_restart(event: str) -> Iterator[Row]:
    for action, code in (("restart role", "SLI074"), ("restart job", "SLI075")):
        if action == "restart job" or event in ("failed", "exit", "evicted"):
            yield refused(
                f"policies[{event}].{action}",
                "Slider restarts only single containers",
                code,
                instead="use restart container, or target volcano",
            )


def _evictions() -> Iterator[Row]:
    yield kept("policies[evicted]", "")
    for action in ("fail job", "abort job"):
        text = f"{REPLACED_FIRST}; {NODE_LOST}"
        yield approximated(f"policies[evicted].{action}", STOP, text, "SLI076", "evicted-stop")
    yield approximated(
        "policies[evicted].restart container",
        "",
        f"the container is gone; Slider replaces it, and {NEW_ADDRESS}; {NODE_LOST}",
        "SLI077",
        "evicted-in-place",
        edit="write restart pod",
    )
    yield approximated(
        "policies[evicted].restart pod",
        "",
        f"Slider replaces a preempted container as often as it has to, and {NEW_ADDRESS}; {NODE_LOST}",
        "SLI087",
        "evicted-replaced",
    )
    yield refused(
        "policies[evicted].ignore",
        "Slider always replaces a lost container",
        "SLI078",
        "evicted-ignore",
        instead="write restart pod",
    )
    yield from _no_group_restart("evicted")
    yield kept("policies[evicted].index", SCRIPT)


def _no_delay(event: str) -> Row:
    return refused(
        f"policies[{event}].delay", "Slider acts at once", "SLI079", instead="remove after, or use target volcano"
    )


def _pending() -> tuple[Row, ...]:
    return (
        kept("policies[pending]", ""),
        *(
            approximated(
                f"policies[pending].{action}",
                STOP,
                "a task that waits for the missing replica stops the application, which YARN then shows as SUCCEEDED; "
                "so "
                "at least one other task must run",
                "SLI080",
                "pending",
            )
            for action in ("fail job", "abort job")
        ),
        refused(
            "policies[pending].restart pod",
            "a container that YARN has not allocated cannot be restarted",
            "SLI081",
            "pending-restart",
            instead="use fail job or abort job",
        ),
        *_no_group_restart("pending"),
        kept("policies[pending].index", SCRIPT),
        kept("policies[pending].delay", SCRIPT),
    )


def _restarted() -> Iterator[Row]:
    yield kept("policies[restarted]", "")
    for action in ("fail job", "abort job"):
        key = f"policies[restarted].{action}"
        yield approximated(
            key,
            SCRIPT,
            "the script acts in place of the last of these restarts",
            "SLI095",
            "restarted-instead",
            when=when.one_replica,
        )
        yield approximated(
            key,
            SCRIPT,
            "restarts are counted for each replica, not for the role, and the script acts in place of the last one",
            "SLI082",
            "restarted-count",
        )
    yield from _no_group_restart("restarted")
    yield kept("policies[restarted].index", SCRIPT)


def _unknown() -> tuple[Row, ...]:
    return (
        kept("policies[unknown]", ""),
        *(
            refused(
                f"policies[unknown].{action}",
                "Slider does not report that a part of the job cannot be placed",
                "SLI083",
                "unknown",
                instead="write on ROLE pending after DURATION => fail job",
            )
            for action in ("fail job", "abort job", "restart job", "ignore")
        ),
    )


POLICIES = (
    kept("policies[completed]", ""),
    translated(
        "policies[completed].complete job",
        STOP,
        "the replica that sees every replica of its role ended requests the stop; until then ended replicas keep their "
        "containers",
    ),
    *_no_group_restart("completed"),
    kept("policies[completed].index", SCRIPT),
    kept("policies[failed]", ""),
    *_failures("failed"),
    _no_delay("failed"),
    kept("policies[exit]", ""),
    *_failures("exit"),
    *_evictions(),
    _no_delay("evicted"),
    *_pending(),
    *_restarted(),
    *_unknown(),
)

SHARED = rows(
    SCRIPT,
    image="docker run IMAGE",
    vcores=f"{RESOURCES} yarn.vcores",
    memory=f"{RESOURCES} yarn.memory",
    code=lambda slider, yarn: slider,
)

SUPPORT = Support("slider", "SLI", *JOB, *ROLES, *FILES, *POLICIES, *SHARED)

HOW_ENDED = "Slider does not know whether a job has succeeded, so flow.sh reads it in the logs that YARN collects"
FLOWS = Support(
    "slider",
    "SLI",
    *FLOW_ROWS,
    approximated("runs[].after", "flow.sh", HOW_ENDED, "174", "flow-logs"),
    approximated("runs[].failed", "flow.sh", HOW_ENDED, "174", "flow-logs"),
    translated("runs[].ended", "flow.sh", "it asks slider until the application has ended"),
)
"""The table of flows."""
