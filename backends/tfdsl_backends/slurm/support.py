"""What the slurm target does with everything a job can set.

Sources: the manuals of sbatch, srun and scancel of 22.05 to 24.11, and the behaviour of 22.05.8.

The job is one allocation with a step for each replica. The batch script on its first node carries out the policies: it
learns from a mark that each replica leaves how its command ended, and starts and stops steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.backend import UNUSED, Row, Support, approximated, chosen, conditions, kept, refused, translated
from tfdsl.vocabulary.statements import RUN_TIME_MARKS
from tfdsl_backends.scripts.support import KUBERNETES, WITH_RUN_TIME_VALUES, flow_rows, rows
from tfdsl_backends.slurm import when

SCRIPT = "job.sbatch"
TASK = "task.sh"
DATA = "put the data into a folder that all nodes share (mount host)"

JOB = (
    translated("job.queue", "--partition", "the partition"),
    approximated(
        "job.priority",
        "--nice",
        "priority {value} is written as its negative, and Slurm lets only operators raise a job",
        "004",
        "priority-number",
        when=conditions.number,
    ),
    translated("job.priority", "--qos", "the quality of service of that name"),
    translated("job.gang", "", "one replica starts alone", when=conditions.single),
    approximated(
        "job.gang",
        "",
        "Slurm gives the whole allocation at once, even without a gang",
        "006",
        "gang-off",
        when=conditions.off,
        edit=UNUSED,
    ),
    translated("job.gang", "", "Slurm gives the whole allocation at once"),
    chosen(
        "job.retries",
        SCRIPT,
        "counted in a file of the run, so that it holds when the job is queued again",
        "retries is not set, so {value} restarts are allowed; after that the job fails",
        "140",
        "default-retries",
        instead="write retries = N to allow more or fewer",
    ),
    approximated(
        "job.deadline",
        "--time",
        "the script ends the job when it has run for {value}, counted over all runs to ten seconds; Slurm itself ends "
        "it a few minutes later",
        "007",
    ),
    approximated("job.ttl", "", "Slurm has its own rules for ended jobs; {value} is ignored", "008", edit=UNUSED),
    translated("job.cleanup", "", "all steps end with the job, and their logs stay", when=conditions.running),
    approximated(
        "job.cleanup",
        "",
        "all steps end with the job and their logs stay, whatever cleanup says",
        "009",
        "cleanup",
        edit=UNUSED,
    ),
    translated("job.suspend", "--hold", "scontrol release starts it"),
    translated("job.checkpoint", TASK, "every role gets it as CHECKPOINT_DIR"),
    translated("cluster.discovery", SCRIPT, "it builds TF_CONFIG and the flags from the nodes of the allocation"),
    kept("build", "the Dockerfile of the image", when=when.containers),
    approximated(
        "build", "the Dockerfile", "no role runs in a container, so the image is not used", "011", "build-unused"
    ),
)

PLACEMENT = (
    kept("roles[].replicas", "--ntasks"),
    approximated(
        "roles[].min_available",
        "",
        "Slurm gives the whole allocation or nothing; {role} cannot start with {value}",
        "020",
        when=conditions.fewer,
        edit="lower replicas",
    ),
    kept("roles[].min_available", ""),
    translated("roles[].after", SCRIPT, "the steps of the role begin once those of the other roles have"),
    translated("roles[].server", TASK, "a TensorFlow server built from the addresses"),
    refused(
        "roles[].node_selector",
        "Slurm does not know Kubernetes node labels",
        "021",
        instead="write node_label with the features of those nodes",
    ),
    translated("roles[].node_label", "--constraint", "the features of the nodes, in the words of sbatch"),
    refused(
        "roles[].tolerations",
        "Slurm's nodes have no taints",
        "022",
        instead="write queue with the partition of those nodes",
    ),
    kept("roles[].spread", "", when=conditions.no_spread),
    refused(
        "roles[].spread",
        "one allocation places all replicas alike, so role {role} cannot be spread alone",
        "023",
        "spread-single",
        instead='write allocation = "components"',
        when=when.one_for_all,
    ),
    translated("roles[].spread", "--ntasks-per-node=1", "a component of its own, with one replica on each node"),
)

CONTAINER = (
    refused(
        "roles[].image",
        "pyxis runs images of a registry and squashfs files (.sqsh), not {value}",
        "067",
        "pyxis-image",
        instead='write runtime = "apptainer", or convert it with enroot import',
        when=when.not_for_pyxis,
    ),
    kept("roles[].image", "--container-image, apptainer exec", when=when.containers),
    approximated(
        "roles[].image",
        "",
        "the command runs natively, so the image is not used",
        "030",
        "image-unused",
        edit='write runtime = "pyxis" or "apptainer", whichever your cluster has',
    ),
    approximated(
        "roles[].image_pull_policy",
        "",
        "the runtime decides when it fetches an image; {value} is ignored",
        "031",
        edit=UNUSED,
    ),
    approximated(
        "roles[].image_pull_secrets",
        "",
        "the secrets are ignored; log in to the registry on the cluster",
        "032",
        edit=UNUSED,
    ),
    kept("roles[].command", TASK),
    kept("roles[].args", TASK),
    translated("roles[].workdir", TASK, "a relative one starts from the folder in which the role starts"),
    kept("roles[].env", TASK),
    kept("roles[].env_from", "", when=conditions.empty),
    refused(
        "roles[].env_from",
        "Slurm has no Secrets and ConfigMaps, so env_from has no variables to give",
        "033",
        instead="read them with env_file(...), or let the program read a file that only you can read",
    ),
    refused("roles[].env{pod_field}", "Slurm has no pods, so there is no {value}", "034", "pod-field"),
    kept("roles[].memory", "--mem-per-cpu", when=when.exact_memory),
    approximated(
        "roles[].memory",
        "--mem-per-cpu",
        "Slurm counts whole MB for each processor; {value} is rounded up",
        "036",
        "memory-rounded",
    ),
    refused(
        "roles[].cpu_limit",
        "a replica on Slurm has one size, so its limit cannot be another than its request",
        "037",
        instead="request the larger amount",
        when=when.above_request,
    ),
    kept("roles[].cpu_limit", ""),
    refused(
        "roles[].memory_limit",
        "a replica on Slurm has one size, so its limit cannot be another than its request",
        "038",
        instead="request the larger amount",
        when=when.above_request,
    ),
    kept("roles[].memory_limit", ""),
    kept("roles[].gpu", "", when=conditions.zero),
    kept("roles[].gpu", "--gpus-per-task, --gres"),
    translated("roles[].gpu_resource", "--gres", "by its name in the option gres, else gpu"),
    kept("roles[].resources", "", when=conditions.empty),
    refused(
        "roles[].resources",
        "Slurm counts other resources for each node, not for each replica",
        "040",
        instead="write node_label with the features of the nodes that have them",
    ),
    approximated("roles[].shm", "", "a replica uses its node's /dev/shm; {value} is ignored", "041", edit=UNUSED),
    approximated(
        "roles[].tmp_size",
        "",
        "a replica uses the /tmp of its node or image, which need not be memory; {value} is ignored",
        "068",
        edit=f"{UNUSED}; memory at a relative path, with TMPDIR set to it, is in memory",
    ),
    approximated(
        "roles[].port",
        SCRIPT,
        "each replica takes a port of the option port_range, so that several can share a node; {value} is not used",
        "042",
        "port-allocated",
        default="silent",
        edit=UNUSED,
    ),
    kept("roles[].ports", "", when=conditions.empty),
    approximated(
        "roles[].ports",
        "",
        "a replica shares the network of its node, and nothing reserves ports there",
        "043",
        "ports-not-reserved",
        instead="let the command take a free port",
    ),
    kept("roles[].host_network", ""),
    *(
        refused(f"roles[].{name}", "replicas run as the user who submits, not as {value}", code, instead=KUBERNETES)
        for name, code in (("run_as_user", "045"), ("run_as_group", "046"), ("fs_group", "047"))
    ),
    kept("roles[].privileged", "", when=conditions.off),
    refused(
        "roles[].privileged",
        "role {role} has the rights of the user who submits and no others",
        "048",
        instead=KUBERNETES,
    ),
    kept("roles[].restricted", "", when=conditions.off),
    approximated(
        "roles[].restricted",
        "",
        "role {role} has the rights of the user who submits, and Slurm takes none of them away",
        "069",
    ),
    kept("roles[].capabilities", "", when=conditions.empty),
    refused(
        "roles[].capabilities",
        "role {role} has the rights of the user who submits and no others",
        "049",
        instead=KUBERNETES,
    ),
    translated("roles[].logdir", TASK, "--logdir of TensorBoard"),
)


def _readonly(kind: str) -> Iterator[Row]:
    key = f"mounts[{kind}].readonly"
    yield kept(key, "", when=conditions.off)
    if kind == "host":
        yield kept(key, "…:ro", when=when.containers)
    if kind in ("hdfs", "archive"):
        yield translated(key, "", "the replica has a copy of its own")
        return
    yield approximated(key, "", "a replica can still write there", "056", "readonly", default="silent")


def _mounts() -> Iterator[Row]:
    for kind, code, why, do in (
        ("pvc", "050", "Slurm has no volume claims", DATA),
        ("claim", "051", "Slurm has no volume claims", f"mount scratch, or {DATA}"),
        ("nfs", "052", "a job of Slurm cannot mount file systems", "write mount host with the folder of the nodes"),
        ("configmap", "053", "Slurm has no ConfigMaps", "put the file into a shared folder (mount host)"),
        ("secret", "054", "Slurm has no Secrets", "put the file where only you can read it (mount host)"),
    ):
        yield refused(f"mounts[{kind}]", why, code, instead=do)
    relative = "write a relative path, which is made in a folder of the replica"
    contained = f'{relative}, or runtime = "pyxis" or "apptainer"'
    for kind, condition, instead in (
        ("host", when.elsewhere, f"mount it at the path that it has on the nodes, {contained}"),
        ("scratch", when.elsewhere, contained),
        ("memory", when.elsewhere, contained),
        ("hdfs", when.read_only_image, relative),
        ("archive", when.read_only_image, relative),
    ):
        yield refused(
            f"mounts[{kind}]",
            "a task cannot have another folder or file at {value} than the node or the image has",
            "055",
            "path",
            instead=instead,
            when=condition,
        )
    yield translated("mounts[host]", TASK, "a link, or a mount of the container; it must be there on the nodes")
    yield from _readonly("host")
    yield translated("mounts[host].type", TASK, "checked when the replica starts", when=conditions.checked_type)
    yield approximated(
        "mounts[host].type", TASK, "the source must exist; it is not checked to be {value}", "057", "host-type"
    )
    yield approximated(
        "mounts[scratch]",
        TASK,
        "the folder at {value} has no limit of its own",
        "058",
        "scratch-size",
        when=conditions.sized,
    )
    yield translated("mounts[scratch]", TASK, "a folder of the replica")
    yield from _readonly("scratch")
    yield approximated(
        "mounts[memory]", TASK, "{value} is in memory, but its size is not limited", "059", "memory-size"
    )
    yield from _readonly("memory")
    for kind, how in (("hdfs", "fetched with hdfs dfs"), ("archive", "unpacked")):
        yield translated(f"mounts[{kind}]", TASK, f"{how} before the command starts")
        yield from _readonly(kind)


def _run_time_values() -> Iterator[Row]:
    for value in RUN_TIME_MARKS:
        yield refused(
            f"mounts[host]{value}",
            "mounts of a container are set before the replica starts, and {value} has no value yet",
            "060",
            "container-run-time",
            instead="mount the folder above it, and write the rest of the path in the command",
            when=when.containers,
        )
        for place in WITH_RUN_TIME_VALUES:
            yield translated(f"{place}{value}", TASK, "a variable of the script")


FILES = (
    *_mounts(),
    translated("outputs[]", TASK, "copied beside the destination, then renamed"),
    kept("outputs[].when", TASK),
    kept("outputs[].index", TASK),
    kept("outputs[].overwrite", TASK),
    *_run_time_values(),
)


def _steps() -> Iterator[Row]:
    key = "steps[prepare]"
    yield translated(
        key,
        TASK,
        "it runs in the replica's step, after its mounts are there, once for each replica: replicas of one node do the "
        "same work several times",
    )
    yield kept(f"{key}.image", "", when=conditions.as_the_role)
    yield refused(
        f"{key}.image",
        "a prepare step runs where its role does, so role {role} cannot prepare with image {value}",
        "061",
        "prepare-image",
        instead="remove the image of the step and put what it needs into that of the role",
    )
    for field in ("command", "args", "workdir", "env"):
        yield kept(f"{key}.{field}", TASK)
    yield kept(f"{key}.env_from", "", when=conditions.empty)
    yield refused(
        f"{key}.env_from",
        "Slurm has no Secrets and ConfigMaps, so env_from has no variables to give",
        "062",
        "prepare-env-from",
    )
    yield refused(f"{key}.env{{pod_field}}", "Slurm has no pods, so there is no {value}", "063", "prepare-pod-field")
    for field in ("cpu", "memory"):
        yield kept(f"{key}.{field}", "", when=conditions.as_the_role)
        yield approximated(
            f"{key}.{field}",
            "",
            "a prepare step has the size of role {role}, not {value}",
            "064",
            "prepare-size",
            edit=UNUSED,
        )
    yield kept(f"{key}.gpu", "", when=conditions.zero)
    yield kept(f"{key}.gpu", "", when=conditions.as_the_role)
    yield approximated(
        f"{key}.gpu",
        "",
        "a prepare step has the devices of role {role} instead of {value}",
        "065",
        "prepare-gpu",
        edit=UNUSED,
    )
    yield refused(
        "steps[sidecar]",
        "nothing runs beside the command of role {role}",
        "066",
        instead="start it in the command",
    )


def _failures(event: str) -> tuple[Row, ...]:
    key = f"policies[{event}]"
    return (
        kept(key, ""),
        kept(f"{key}.fail job", SCRIPT),
        translated(f"{key}.abort job", "scontrol requeuehold", "scontrol release lets the job go on from its start"),
        translated(f"{key}.restart container", SCRIPT, "a new step on the same node"),
        translated(f"{key}.restart pod", SCRIPT, "a new step on the same node, with a new work folder"),
        translated(f"{key}.restart role", SCRIPT, "new steps for all replicas of the role"),
        translated(f"{key}.restart job", SCRIPT, "new steps for all replicas, in the same allocation"),
        kept(f"{key}.ignore", SCRIPT),
        kept(f"{key}.index", SCRIPT),
    )


def _evicted() -> tuple[Row, ...]:
    key = "policies[evicted]"
    return (
        kept(key, ""),
        *(
            approximated(
                f"{key}.{action}",
                "--requeue",
                "Slurm takes the whole allocation back, whatever role has lost a node; then the policy acts",
                "070",
                "evicted-role",
                when=conditions.of_a_role,
            )
            for action in ("fail job", "abort job", "restart job")
        ),
        translated(
            f"{key}.fail job", "--no-requeue, --signal", "all replicas end with the job, also before its time limit"
        ),
        approximated(
            f"{key}.abort job",
            "--requeue",
            "the job is queued again, and holds itself when it has nodes",
            "071",
            "evicted-abort",
        ),
        translated(
            f"{key}.restart job", "--requeue, --signal", "the job goes back into the queue, also before its time limit"
        ),
        *(
            refused(
                f"{key}.{action}",
                "Slurm takes the whole allocation back, so nothing of the job goes on",
                "072",
                "evicted",
                instead="write on evicted => restart job",
            )
            for action in ("restart container", "restart pod", "restart role", "ignore")
        ),
        kept(f"{key}.index", SCRIPT),
        refused(f"{key}.delay", "the job is gone when it is evicted", "073", instead="remove after"),
    )


def _pending() -> Iterator[Row]:
    key = "policies[pending]"
    yield kept(key, "")
    yield approximated(
        f"{key}.fail job",
        "--deadline",
        "Slurm removes the job while it waits for nodes, not while it is held or its partition is down; all "
        "replicas start at once",
        "074",
        when=when.with_deadline,
    )
    yield refused(
        f"{key}.fail job",
        "Slurm removes a job that waits too long only if it knows how long the job runs",
        "075",
        "pending-deadline",
        instead="write a deadline",
    )
    for action, code in (("abort job", "076"), ("restart pod", "077"), ("restart job", "078")):
        yield refused(
            f"{key}.{action}",
            "a job that waits can only be removed",
            code,
            f"pending-{action.replace(' ', '-')}",
            instead="write => fail job",
        )
    yield kept(f"{key}.index", "")
    yield kept(f"{key}.delay", "--deadline")


POLICIES = (
    kept("policies[completed]", ""),
    kept("policies[completed].complete job", SCRIPT),
    translated("policies[completed].restart job", SCRIPT, "new steps for all replicas, in the same allocation"),
    kept("policies[completed].index", SCRIPT),
    *_failures("failed"),
    kept("policies[failed].delay", SCRIPT),
    *_failures("exit"),
    *_evicted(),
    *_pending(),
    kept("policies[restarted]", ""),
    kept("policies[restarted].fail job", SCRIPT),
    translated("policies[restarted].abort job", "scontrol requeuehold", "scontrol release lets the job go on"),
    translated("policies[restarted].restart job", SCRIPT, "new steps for all replicas, in the same allocation"),
    kept("policies[restarted].index", SCRIPT),
    kept("policies[unknown]", ""),
    *(
        translated(f"policies[unknown].{action}", "", "it cannot happen: Slurm gives the whole allocation or nothing")
        for action in ("fail job", "abort job", "restart job", "ignore")
    ),
)

SHARED = rows(
    "Slurm",
    tasks="replicas",
    program=TASK,
    cores="--cpus-per-task",
    grace=(
        SCRIPT,
        "the script gives a command {value}, but when Slurm itself ends the job, it kills after its own KillWait",
    ),
    charged="the option account says who is charged",
    codes=("010", "035", "044"),
)

SUPPORT = Support("slurm", "SLM", *JOB, *PLACEMENT, *CONTAINER, *FILES, *_steps(), *POLICIES, *SHARED)

FLOWS = Support(
    "slurm",
    "SLM",
    *flow_rows("Slurm", "scrontab"),
    kept("runs[]", "sbatch"),
    translated("flow.overlap", "squeue", "flow.sh asks for the jobs of earlier runs before it submits"),
    approximated(
        "flow.deadline",
        "job.sbatch",
        "the batch scripts end running jobs after {value}; a job that still waits ends when Slurm starts it",
        "173",
        "flow-deadline",
    ),
    translated("runs[].after", "--dependency=afterok", "Slurm removes a job that cannot start any more"),
    translated("runs[].failed", "--dependency=afternotok", "Slurm removes a job that cannot start any more"),
    translated("runs[].ended", "--dependency=afterany", "Slurm removes a job that cannot start any more"),
)
"""The table of flows."""
