"""What the yarn target does with everything a job can set.

Sources: DistributedShell's Client and ApplicationMaster of Hadoop 2.7 to 3.5, and the behaviour of 3.4.2. Rows that
slider has too are in :mod:`tfdsl_backends.hadoop.support`.

The tasks carry out the policies themselves: the first one coordinates, and the others stay connected to it. The stock
application master restarts nothing; the NodeManager relaunches a container in place, with its number and work folder.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.backend import UNUSED, Row, Support, approximated, chosen, conditions, kept, refused, translated
from tfdsl.vocabulary.statements import RUN_TIME_MARKS
from tfdsl_backends.hadoop import when as shared
from tfdsl_backends.hadoop.flows import ROWS as FLOW_ROWS
from tfdsl_backends.hadoop.support import native_memory, native_path, rows, scratch_size
from tfdsl_backends.scripts.support import WITH_RUN_TIME_VALUES
from tfdsl_backends.yarn import when

PROGRAM = "the task program in job.sh"
RETRY = "-container_retry_policy, -container_max_retries"
WHOLE_GANG = "use restart container or restart job, which restart the whole gang in place"

JOB = (
    kept("job.queue", "-queue"),
    refused(
        "job.priority",
        "YARN's priorities are numbers, not names like {value}",
        "YRN004",
        "priority-name",
        instead="target yarn {{ priority = 10 }}; larger numbers go first",
        when=when.text_priority,
    ),
    translated(
        "job.priority",
        "-priority",
        "larger numbers go first; YARN lowers it to the cluster's yarn.cluster.max-application-priority, which is 0 "
        "unless set",
    ),
    translated("job.gang", "", "one replica starts alone", when=conditions.single),
    approximated(
        "job.gang",
        "",
        "the modified client decides when tasks start; nothing makes them wait for each other",
        "YRN006",
        "tf-gang",
        when=when.yarn_tf,
    ),
    approximated(
        "job.gang",
        "",
        "no task starts before all are there, even without a gang: only then are their addresses known",
        "YRN007",
        "gang-off",
        when=conditions.off,
        edit=UNUSED,
    ),
    approximated(
        "job.gang",
        PROGRAM,
        "no command starts before all containers are there; the first ones hold their resources and wait, for "
        "rendezvous_seconds at most",
        "YRN008",
        instead="target volcano places all or none",
    ),
    chosen(
        "job.retries",
        "-container_max_retries",
        "every restart is one of the whole gang, so the count of each container is that of the job; a task that has "
        "succeeded keeps its container until the job has, in case it must restart",
        "retries is not set, so {value} restarts are allowed; after that the job fails",
        "YRN140",
        "default-retries",
        instead="write retries = N to allow more or fewer",
    ),
    refused(
        "job.deadline",
        "the client's -timeout is at most 24 days and 20 hours, less than {value}",
        "YRN009",
        "deadline-long",
        instead="write a shorter one, or remove it",
        when=when.too_long,
    ),
    approximated(
        "job.deadline",
        "-timeout",
        "the client that submits counts {value} and then kills the application; without the client nothing does",
        "YRN010",
        instead="run submit.sh on a machine that stays up",
    ),
    approximated(
        "job.ttl",
        "",
        "the ResourceManager has its own rules for ended applications; {value} is ignored",
        "YRN011",
        edit=UNUSED,
    ),
    translated("job.checkpoint", "job.sh", "every role gets it as CHECKPOINT_DIR"),
    translated("cluster.discovery", PROGRAM, "it builds TF_CONFIG and the flags once all tasks are there"),
)

PLACEMENT = (
    kept("roles[].replicas", "-num_containers"),
    approximated(
        "roles[].after",
        "",
        "the modified client starts all roles at once",
        "YRN021",
        "tf-after",
        when=when.yarn_tf,
        edit='write dialect = "stock"',
    ),
    translated(
        "roles[].after", PROGRAM, "after all containers are there, the role's commands start once those roles run"
    ),
    translated("roles[].server", PROGRAM, "a TensorFlow server built from the addresses"),
    approximated(
        "roles[].node_label",
        "-node_label_expression",
        "the modified client runs all roles in one application, and {value} places all of its containers",
        "YRN027",
        "tf-node-label",
        when=when.yarn_tf_roles,
        edit='write dialect = "stock"',
    ),
    approximated(
        "roles[].node_label",
        "-node_label_expression",
        "DistributedShell has one expression for the application master and all containers of an application: {value} "
        "places all of them",
        "YRN022",
        "node-label-all",
        when=when.one_application,
        edit='write applications = "per-role"',
    ),
    translated("roles[].node_label", "-node_label_expression", "it also places the application master"),
    kept("roles[].spread", "", when=conditions.no_spread),
    refused(
        "roles[].spread",
        "the modified client has no option that keeps containers apart",
        "YRN028",
        "tf-spread",
        instead='write dialect = "stock"',
        when=when.yarn_tf,
    ),
    approximated(
        "roles[].spread",
        "-placement_spec",
        "an application places all its containers alike: all go to different nodes, not only those of {role}",
        "YRN023",
        "spread-all",
        since="3.1",
        when=when.one_application,
        edit='write applications = "per-role"',
    ),
    translated(
        "roles[].spread",
        "-placement_spec",
        "the ResourceManager must handle placement constraints; only its handler `scheduler` waits for a free node",
        since="3.1",
    ),
    refused(
        "roles[].spread",
        "Hadoop 2 cannot keep containers apart",
        "YRN024",
        "spread-version",
        instead='write version = "3.1", and enable placement constraints in the cluster',
    ),
)

CONTAINER = (
    translated("roles[].env", "job.sh", "set by the script, because -shell_env would pass through two shells"),
    kept("roles[].gpu", "", when=conditions.zero),
    kept("roles[].gpu", "-container_resources", since="3.1"),
    approximated(
        "roles[].gpu",
        "-node_label_expression",
        "Hadoop 2 does not count GPUs: node_label puts role {role} on such nodes, but nothing reserves the {value}",
        "YRN036",
        "gpu-label",
        when=conditions.labelled,
        instead='write version = "3.1" or later, which counts them',
    ),
    refused(
        "roles[].gpu",
        "Hadoop 2 does not count GPUs",
        "YRN037",
        "gpu-version",
        instead='write node_label with the YARN label of the GPU nodes, or version = "3.1"',
    ),
    kept("roles[].gpu_resource", "-container_resources", since="3.1"),
    approximated(
        "roles[].gpu_resource", "", "Hadoop 2 cannot request devices; {value} is ignored", "YRN038", edit=UNUSED
    ),
    kept("roles[].resources", "-container_resources", when=when.whole_resources),
    refused(
        "roles[].resources",
        "DistributedShell requests whole numbers of resources, and before Hadoop 3.1 only memory and processors",
        "YRN040",
        instead="write node_label with the label of the nodes that have the resource",
    ),
    approximated(
        "roles[].privileged",
        "YARN_CONTAINER_RUNTIME_DOCKER_RUN_PRIVILEGED_CONTAINER",
        "the containers of role {role} start only on nodes that allow privileged containers "
        "(yarn.nodemanager.runtime.linux.docker.privileged-containers.allowed) and trust the image's registry",
        "YRN094",
        "privileged-allowed",
        when=when.privileged_docker,
    ),
    approximated(
        "roles[].shm",
        "YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS",
        "/dev/shm becomes a tmpfs of the container, which YARN does not limit to {value}",
        "YRN041",
        "shm-docker",
        when=when.tmpfs,
    ),
    refused(
        "roles[].shm",
        "the docker runtime of this version gives every container docker's 64 MB of /dev/shm",
        "YRN042",
        "shm-version",
        when=when.docker_without_shm,
        instead='write version = "3.3", or runtime = "native"',
    ),
    native_memory("shm", "YRN043"),
    approximated(
        "roles[].tmp_size",
        "YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS",
        "/tmp becomes a tmpfs of the container, which YARN does not limit to {value}; docker runs no programs from it",
        "YRN048",
        "tmp-size-docker",
        when=when.tmpfs,
    ),
    refused(
        "roles[].tmp_size",
        "the docker runtime of this version cannot mount a tmpfs",
        "YRN049",
        "tmp-size-version",
        when=when.docker_without_shm,
        instead='write version = "3.3", or mount memory at a relative path and set TMPDIR to it',
    ),
    native_memory("tmp_size", "YRN029"),
    approximated(
        "roles[].port",
        PROGRAM,
        "each task takes a free port from the option port_range, so that several tasks can share a node; {value} is "
        "not used",
        "YRN044",
        "port-allocated",
        default="silent",
        edit=UNUSED,
    ),
)


def _readonly(kind: str) -> Iterator[Row]:
    key = f"mounts[{kind}].readonly"
    yield kept(key, "", when=conditions.off)
    if kind == "host":
        yield approximated(
            key,
            "",
            "the modified client links the folder, and a task can still write there",
            "YRN063",
            "tf-readonly",
            when=when.yarn_tf,
            default="silent",
        )
        yield kept(key, "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS …:ro", when=shared.docker)
    yield approximated(key, "", "a task can still write there", "YRN056", "readonly", default="silent")


def _host() -> tuple[Row, ...]:
    return (
        refused(
            "mounts[host]",
            "the docker runtime of Hadoop 2 cannot mount folders",
            "YRN057",
            "docker-mounts-version",
            instead='write version = "3.1", or runtime = "native"',
            when=when.docker_without_mounts,
        ),
        native_path("host", "YRN055"),
        translated(
            "mounts[host]",
            "job.sh, YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS",
            "a link in the work folder, or a docker mount, which the cluster must allow for images of a trusted "
            "registry",
        ),
        *_readonly("host"),
        translated("mounts[host].type", "job.sh", "checked when the task starts", when=conditions.checked_type),
        approximated(
            "mounts[host].type",
            "job.sh",
            "the source must exist; it is not created, and not checked to be {value}",
            "YRN058",
            "host-type",
        ),
    )


def _temporary() -> tuple[Row, ...]:
    return (
        native_path("scratch", "YRN055"),
        scratch_size("job.sh", "YRN059"),
        translated("mounts[scratch]", "job.sh", "a folder on the node's disk, which YARN removes with the container"),
        *_readonly("scratch"),
        native_path("memory", "YRN055"),
        refused(
            "mounts[memory]",
            "the docker runtime of this version cannot mount a tmpfs",
            "YRN060",
            "tmpfs-version",
            instead='write version = "3.3", or a relative path, which is created in /dev/shm',
            when=when.docker_without_tmpfs,
        ),
        approximated(
            "mounts[memory]",
            "job.sh, YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS",
            "{value} is in memory, but its size is not limited; in the work folder it is a link into /dev/shm, which "
            "stays "
            "when the task is killed",
            "YRN061",
            "memory-size",
        ),
        *_readonly("memory"),
    )


def _fetched() -> Iterator[Row]:
    for kind, how in (("hdfs", "fetched"), ("archive", "unpacked")):
        yield native_path(kind, "YRN055")
        yield translated(f"mounts[{kind}]", "job.sh", f"{how} before the command starts; a relaunch uses the same copy")
        yield translated(f"mounts[{kind}].readonly", "", "the task has a copy of its own")


def _run_time_values() -> Iterator[Row]:
    for value in RUN_TIME_MARKS:
        yield refused(
            f"mounts[host]{value}",
            "docker mounts are set when the job is submitted, and {value} has no value yet",
            "YRN062",
            "docker-run-time",
            instead="mount the folder above it, and write the rest of the path in the command",
            when=shared.docker,
        )
    for place in WITH_RUN_TIME_VALUES:
        for value in RUN_TIME_MARKS:
            yield translated(f"{place}{value}", "job.sh", "a variable of the script")


def _copied_by_client() -> tuple[Row, ...]:
    """Its ``-output`` is pairs of paths, and nothing else of an output."""
    return (
        translated("outputs[]", "-output", "the modified client copies it", when=when.yarn_tf),
        *(
            approximated(
                f"outputs[].{field}",
                "-output",
                "the modified client takes an output as two paths: it cannot be asked when to copy, which replica "
                "copies, "
                "or to replace what is there",
                "YRN064",
                "tf-output",
                when=place,
                edit='write dialect = "stock"',
                default="silent",
            )
            for field, place in (
                ("when", when.yarn_tf_moment),
                ("index", when.yarn_tf),
                ("overwrite", when.yarn_tf_choice),
            )
        ),
    )


FILES = (
    *_host(),
    *_temporary(),
    *_fetched(),
    *_copied_by_client(),
    translated("outputs[]", "job.sh", "copied beside the destination, then renamed"),
    kept("outputs[].when", "job.sh"),
    kept("outputs[].index", "job.sh"),
    kept("outputs[].overwrite", "job.sh"),
    *_run_time_values(),
)


def _failures(event: str) -> tuple[Row, ...]:
    key = f"policies[{event}]"
    return (
        *(
            refused(
                f"{key}.{action}",
                "the modified client has no such policy",
                "YRN070",
                "tf-policy",
                instead='write dialect = "stock"',
                when=when.yarn_tf,
            )
            for action in ("restart container", "restart job", "ignore")
        ),
        _alone_in_failure(f"{key}.fail job"),
        translated(f"{key}.fail job", PROGRAM, "the others end within a second, with status 75"),
        approximated(
            f"{key}.restart container",
            PROGRAM,
            "the command of tensorboard starts again after any status; if its whole container is killed (memory, "
            "node), "
            "the job runs on without it, but counts as failed at its end",
            "YRN089",
            "tensorboard-with-all",
            edit='applications = "per-role" keeps the job from failing',
            when=when.of_tensorboard_with_all,
        ),
        approximated(
            f"{key}.restart container",
            PROGRAM,
            "the command of tensorboard starts again after any status; if its whole container is killed (memory, "
            "node), "
            "the job runs on without it",
            "YRN095",
            "tensorboard-killed",
            when=when.of_tensorboard,
        ),
        approximated(
            f"{key}.restart container",
            RETRY,
            "the tasks need a new rendezvous, so YARN relaunches all containers of the job in place, each with its "
            "index; "
            "it does not relaunch one that is killed as a whole (memory, node), and the job fails",
            "YRN071",
            "restart-gang",
            edit="write restart job to say so",
        ),
        approximated(
            f"{key}.restart job",
            RETRY,
            "YARN relaunches all containers in place, each with its index; it does not relaunch one that is killed as "
            "a "
            "whole (memory, node), and the job fails",
            "YRN087",
            "restart-killed",
        ),
        approximated(
            f"{key}.ignore",
            PROGRAM,
            "the failure of a command is ignored, and the task counts as completed; if its whole container is killed "
            "(memory, node), the job still fails",
            "YRN072",
        ),
        *_never(event, ("restart pod", "restart role", "abort job")),
        kept(f"{key}.index", PROGRAM),
    )


def _alone_in_failure(key: str) -> Row:
    return approximated(
        key,
        "",
        "the modified client ends no task because of another: the application fails when all its containers have ended",
        "YRN068",
        "tf-fail",
        when=when.yarn_tf,
        edit='write dialect = "stock"',
    )


def _no_limit(key: str) -> Row:
    return approximated(
        key,
        "",
        "the modified client decides how long it waits for containers; nothing else counts the time",
        "YRN069",
        "tf-pending",
        when=when.yarn_tf,
        edit='write dialect = "stock"',
    )


def _never(event: str, actions: tuple[str, ...]) -> Iterator[Row]:
    reasons = {
        "restart pod": ("the application master does not replace a failed container", "YRN073", WHOLE_GANG),
        "restart role": ("a role cannot restart alone", "YRN074", WHOLE_GANG),
        "restart job": ("nothing restarts the job here", "YRN075", "write on failed => restart job"),
        "abort job": ("a stopped application cannot be resumed", "YRN076", "use fail job, and submit it again"),
        "restart container": ("nothing restarts the container here", "YRN077", "write on failed => restart job"),
        "ignore": ("the application master counts it as a failure", "YRN078", "write on failed => ignore"),
    }
    for action in actions:
        why, code, instead = reasons[action]
        slug = f"{action.replace(' ', '-')}-event" if action in ("restart job", "restart container", "ignore") else ""
        yield refused(f"policies[{event}].{action}", why, code, slug, instead=instead)


def _delay(event: str) -> Row:
    return refused(
        f"policies[{event}].delay", "the tasks act at once", "YRN079", instead="remove after, or use target volcano"
    )


def _tensorboard(event: str) -> Row:
    """Tensorboard is optional and looks after itself; only its ``failed`` policy changes that."""
    return refused(
        f"policies[{event}]",
        "tensorboard restarts its command after any status, and its loss does not end the job",
        "YRN088",
        "tensorboard-policy",
        instead="remove the policy, or write one for all its failures: on tensorboard failed => fail job",
        when=when.tensorboard_restarts,
    )


def _evicted() -> tuple[Row, ...]:
    return (
        _tensorboard("evicted"),
        kept("policies[evicted]", ""),
        _alone_in_failure("policies[evicted].fail job"),
        translated("policies[evicted].fail job", PROGRAM, "a preempted or lost container counts as failed"),
        *(
            refused(
                f"policies[evicted].{action}",
                "the application master does not replace a preempted or lost container",
                "YRN080",
                "evicted",
                instead="target volcano or tfjob can",
            )
            for action in ("restart container", "restart pod", "restart role", "restart job")
        ),
        *_never("evicted", ("abort job", "ignore")),
        kept("policies[evicted].index", PROGRAM),
        _delay("evicted"),
    )


def _pending() -> tuple[Row, ...]:
    return (
        kept("policies[pending]", ""),
        _no_limit("policies[pending].fail job"),
        approximated(
            "policies[pending].fail job",
            "",
            "a task without peers waits for nobody: nothing counts how long YARN takes to start it",
            "YRN067",
            "pending-alone",
            when=conditions.single,
        ),
        approximated(
            "policies[pending].fail job",
            PROGRAM,
            "the delay is the time limit of the rendezvous: it counts from the start of the first task, and for all "
            "roles",
            "YRN081",
            "pending",
            when=conditions.of_a_role,
        ),
        approximated(
            "policies[pending].fail job",
            PROGRAM,
            "the delay is the time limit of the rendezvous: it counts from the start of the first task",
            "YRN082",
            "pending-start",
        ),
        *_never("pending", ("abort job", "restart pod", "restart job")),
        kept("policies[pending].index", PROGRAM),
        kept("policies[pending].delay", PROGRAM),
    )


def _restarted() -> tuple[Row, ...]:
    return (
        kept("policies[restarted]", ""),
        *(
            refused(
                f"policies[restarted].{action}",
                "the NodeManager counts the restarts of each container, and all containers restart together",
                "YRN083",
                "restarted",
                instead="write retries = N to limit the restarts of the job",
            )
            for action in ("fail job", "abort job", "restart job")
        ),
        kept("policies[restarted].index", ""),
    )


def _unknown() -> tuple[Row, ...]:
    return (
        kept("policies[unknown]", ""),
        _no_limit("policies[unknown].fail job"),
        translated(
            "policies[unknown].fail job", PROGRAM, "if tasks are still missing at the time limit, the others end"
        ),
        *_never("unknown", ("abort job", "restart job")),
        refused(
            "policies[unknown].ignore",
            "the tasks wait rendezvous_seconds for each other and then end",
            "YRN084",
            "unknown-ignore",
            instead="write a larger rendezvous_seconds",
        ),
    )


POLICIES = (
    kept("policies[completed]", ""),
    approximated(
        "policies[completed].complete job",
        "",
        "the modified client decides when the job is complete",
        "YRN085",
        "tf-completed",
        when=when.yarn_tf,
        edit='write dialect = "stock"',
    ),
    translated(
        "policies[completed].complete job",
        PROGRAM,
        "the other tasks are stopped and exit with 0, so the application ends SUCCEEDED",
    ),
    refused(
        "policies[completed].restart job",
        "a container that has exited with 0 is not restarted",
        "YRN086",
        "restart-completed",
        instead="submit the job again",
    ),
    kept("policies[completed].index", PROGRAM),
    kept("policies[failed]", ""),
    *_failures("failed"),
    _delay("failed"),
    _tensorboard("exit"),
    kept("policies[exit]", ""),
    *_failures("exit"),
    *_evicted(),
    *_pending(),
    *_restarted(),
    *_unknown(),
)

SHARED = rows(
    "job.sh",
    image="YARN_CONTAINER_RUNTIME_DOCKER_IMAGE",
    vcores="vcores",
    memory="memory-mb",
    code=lambda slider, yarn: yarn,
)

SUPPORT = Support("yarn", "YRN", *JOB, *PLACEMENT, *CONTAINER, *FILES, *POLICIES, *SHARED)

FLOWS = Support(
    "yarn",
    "YRN",
    *FLOW_ROWS,
    translated("runs[].after", "flow.sh", "it waits for submit.sh, whose exit status says how the job has ended"),
    translated("runs[].failed", "flow.sh", "it waits for submit.sh, whose exit status says how the job has ended"),
    translated("runs[].ended", "flow.sh", "it waits for submit.sh, whose exit status says how the job has ended"),
)
"""The table of flows."""
