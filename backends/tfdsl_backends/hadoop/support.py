"""The support rows that yarn and slider share.

A backend puts them behind its own rows; of the rows of one key the first that applies decides, so an own row comes
first. Codes are without their prefix; where those of slider and yarn differ, a row has both, in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tfdsl.backend import UNUSED, Row, approximated, conditions, kept, refused, translated
from tfdsl.vocabulary.attributes import IN_MEMORY
from tfdsl_backends.hadoop import when
from tfdsl_backends.scripts import support
from tfdsl_backends.scripts.support import KUBERNETES

Code = Callable[[str, str], str]
"""Takes the code of slider and that of yarn, and gives the target's."""

DATA = "put the data in HDFS (mount hdfs) or in a folder that every node has (mount host)"

KUBERNETES_MOUNTS = {
    "pvc": ("050", "YARN has no volume claims", DATA),
    "claim": ("051", "YARN has no volume claims", f"mount scratch, or {DATA}"),
    "nfs": ("052", "YARN mounts no file systems", "mount the export on the nodes and write mount host"),
    "configmap": ("053", "YARN has no ConfigMaps", "send the file as an archive (mount archive)"),
    "secret": ("054", "YARN has no Secrets", "put the file on the nodes where only the user can read it (mount host)"),
}
"""Kind of mount → code, why it is refused, what to write instead."""

_GRACE = (
    "the task program gives a command {value}, but when YARN itself stops a container, the NodeManager kills it after "
    "yarn.nodemanager.sleep-delay-before-sigkill.ms (250 ms unless set)"
)


def rows(program: str, *, image: str, vcores: str, memory: str, code: Code) -> tuple[Row, ...]:
    """The rows of one target.

    ``program``: where the task's program finds the job. ``image``, ``vcores``, ``memory``: where the target names
    them. ``code``: which of two codes is the target's, where they differ.
    """
    return (
        *_job(program, code),
        *_placement(code),
        *_container(program, image, code),
        *_identity(),
        *_ports(),
        *_resources(memory),
        *_steps(program),
        *support.rows(
            "YARN",
            tasks="tasks",
            program=program,
            cores=vcores,
            grace=(program, _GRACE),
            charged="queue selects the resources for the job",
            codes=(code("013", "015"), "033", code("044", "046")),
        ),
        *(refused(f"mounts[{kind}]", why, code, instead=do) for kind, (code, why, do) in KUBERNETES_MOUNTS.items()),
    )


def _steps(program: str) -> Iterator[Row]:
    key = "steps[prepare]"
    yield translated(
        key,
        program,
        "it runs in the task's own container, after all mounts are there and all tasks have met; a restarted task runs "
        "it again",
    )
    yield kept(f"{key}.image", "", when=conditions.as_the_role)
    yield refused(
        f"{key}.image",
        "a prepare step runs in the container of its task, so role {role} cannot prepare with image {value}",
        "097",
        "prepare-image",
        instead="remove the image of the step and put what it needs into that of the role",
    )
    yield kept(f"{key}.command", program)
    yield kept(f"{key}.args", program)
    yield translated(f"{key}.workdir", program, "relative to the task's work folder")
    yield translated(f"{key}.env", program, "set for the step alone")
    yield from _no_variables(f"{key}.env_from", f"{key}.env{{pod_field}}")
    for field in ("cpu", "memory"):
        yield kept(f"{key}.{field}", "", when=conditions.as_the_role)
        yield approximated(
            f"{key}.{field}",
            "",
            "a prepare step runs in the container of role {role}, which has the role's size, not {value}",
            "099",
            "prepare-size",
            edit=UNUSED,
        )
    yield kept(f"{key}.gpu", "CUDA_VISIBLE_DEVICES", when=conditions.zero)
    yield kept(f"{key}.gpu", "", when=conditions.as_the_role)
    yield approximated(
        f"{key}.gpu",
        "",
        "a prepare step runs in the container of role {role}, with its devices instead of {value}",
        "096",
        "prepare-gpu",
        edit=UNUSED,
    )
    yield refused(
        "steps[sidecar]",
        "a task has one container, and nothing runs in it beside the command of role {role}",
        "098",
        instead="start it in the command",
    )


def _job(program: str, code: Code) -> tuple[Row, ...]:
    return (
        translated("job.cleanup", "", "all containers end with the job", when=conditions.running),
        approximated(
            "job.cleanup",
            "",
            "all containers end with the job and YARN keeps their logs, whatever cleanup says",
            code("010", "012"),
            edit=UNUSED,
        ),
        kept("job.suspend", "", when=conditions.off),
        refused(
            "job.suspend",
            "YARN starts an application when it is submitted",
            code("011", "013"),
            instead="submit it later",
        ),
        kept("build", "the Dockerfile of the image", when=when.any_docker),
        approximated(
            "build",
            "the Dockerfile",
            "no role runs in docker, so the image is not used",
            code("012", "014"),
            "build-unused",
        ),
    )


def _placement(code: Code) -> tuple[Row, ...]:
    return (
        approximated(
            "roles[].min_available",
            "",
            "the tasks wait for all replicas, because the cluster spec names each of them; {role} cannot start with "
            "{value}",
            "020",
            when=conditions.fewer,
            edit="lower replicas",
        ),
        kept("roles[].min_available", ""),
        refused(
            "roles[].node_selector",
            "YARN does not know Kubernetes node labels",
            code("021", "025"),
            instead="write node_label with the YARN label of those nodes",
        ),
        refused(
            "roles[].tolerations",
            "YARN nodes have no taints",
            code("022", "026"),
            instead="node_label can place a role on the nodes of an exclusive YARN label",
        ),
    )


def _container(program: str, image: str, code: Code) -> tuple[Row, ...]:
    return (
        refused(
            "roles[].image",
            "Docker pulls images from a registry and cannot run {value}",
            "047",
            "image-file",
            instead="write the image's name in its registry, without a scheme",
            when=when.docker_file,
        ),
        kept("roles[].image", image, when=when.docker),
        approximated(
            "roles[].image",
            "",
            "the command runs natively, so the image is not used",
            "030",
            "image-unused",
            edit='remove runtime, or write runtime = "docker"',
        ),
        approximated(
            "roles[].image_pull_policy",
            "",
            "a node pulls an image only if it does not have it; {value} is ignored",
            "031",
            "pull-policy",
            edit=UNUSED,
        ),
        approximated(
            "roles[].image_pull_secrets",
            "",
            "the secrets are ignored; the docker client of each node must be logged in",
            "032",
            "pull-secrets",
            edit=UNUSED,
        ),
        *_no_variables("roles[].env_from", "roles[].env{pod_field}"),
        kept("roles[].logdir", "tensorboard --logdir"),
        kept("roles[].command", program),
        kept("roles[].args", program),
        translated("roles[].workdir", program, "relative to the task's work folder"),
        kept("roles[].host_network", "", when=conditions.off),
        refused(
            "roles[].host_network",
            "a YARN container always uses the network of its node",
            code("043", "045"),
            instead="remove host_network",
        ),
    )


def _identity() -> tuple[Row, ...]:
    return (
        *(
            refused(
                f"roles[].{name}",
                "YARN decides which user a container runs as; a job cannot choose {value}",
                code,
                instead=KUBERNETES,
            )
            for name, code in (("run_as_user", "090"), ("run_as_group", "091"))
        ),
        refused(
            "roles[].fs_group",
            "folders of a node keep their group, so group {value} cannot own the mounts of role {role}",
            "092",
            instead=KUBERNETES,
        ),
        kept("roles[].privileged", "", when=conditions.off),
        refused(
            "roles[].privileged",
            "the tasks of role {role} have the rights of the user who runs them and no others",
            "093",
            instead=KUBERNETES,
        ),
        kept("roles[].restricted", "", when=conditions.off),
        approximated(
            "roles[].restricted",
            "",
            "the administrator sets which rights containers have; a job cannot take them away from role {role}",
            "155",
            instead=KUBERNETES,
        ),
        kept("roles[].capabilities", "", when=conditions.empty),
        refused(
            "roles[].capabilities",
            "the administrator sets the capabilities of all containers; a job cannot add {names}",
            "150",
            instead=KUBERNETES,
            fill=when.capability_names,
        ),
    )


def _ports() -> tuple[Row, ...]:
    return (
        kept("roles[].ports", "", when=conditions.empty),
        approximated(
            "roles[].ports",
            "",
            "a task shares the network of its node, and nothing reserves ports there: {names} may be in use",
            "152",
            "ports-not-reserved",
            instead="let the command take a free port",
            fill=when.port_numbers,
        ),
    )


def _no_variables(env_from: str, pod_field: str) -> tuple[Row, ...]:
    """Variables that only Kubernetes has; the arguments are the keys."""
    return (
        kept(env_from, "", when=conditions.empty),
        refused(
            env_from,
            "YARN has no Secrets and ConfigMaps, so env_from has no variables to give",
            "065",
            "env-from",
            instead="write what is not secret in env, or read it with env_file(...); let the program read the rest",
        ),
        refused(
            pod_field,
            "YARN has no pods, so there is no {value}",
            "066",
            "pod-field",
            instead="let the program ask its node, for example with hostname -i",
        ),
    )


def _resources(memory: str) -> tuple[Row, ...]:
    return (
        translated("roles[].memory", memory, "in MB, rounded up"),
        approximated(
            "roles[].cpu_limit",
            "",
            "a YARN container has one size: role {role} can count on its cpu only, whatever the node has left",
            "153",
            "cpu-unlimited",
            when=conditions.unlimited,
            edit=UNUSED,
        ),
        kept("roles[].cpu_limit", "", when=conditions.same_cpu),
        approximated(
            "roles[].cpu_limit",
            "",
            "a YARN container has one size: role {role} gets its cpu, not the limit {value}",
            "034",
            edit=UNUSED,
        ),
        approximated(
            "roles[].memory_limit",
            "",
            "a YARN container has one size: role {role} is killed above its memory, although it has no limit",
            "154",
            "memory-unlimited",
            when=conditions.unlimited,
            edit=f"{UNUSED}, and request as memory what the role can need at most",
        ),
        kept("roles[].memory_limit", "", when=conditions.same_memory),
        approximated(
            "roles[].memory_limit",
            "",
            "a YARN container has one size: role {role} is killed above its memory, not above {value}",
            "035",
            edit="request the larger amount as memory",
        ),
    )


def native_memory(attribute: str, code: str) -> Row:
    """What ``attribute`` mounts for a native task."""
    return approximated(
        f"roles[].{attribute}",
        "",
        f"a native task uses its node's {IN_MEMORY[attribute]}, whatever the size; {{value}} is ignored",
        code,
        f"{attribute.replace('_', '-')}-native",
        edit=UNUSED,
    )


def native_path(kind: str, code: str) -> Row:
    """A mount at an absolute path of a native task."""
    return refused(
        f"mounts[{kind}]",
        "a native task cannot have another folder or file at {value}",
        code,
        "path-native",
        instead="write a relative path, which is created in the task's work folder, or run in docker",
        when=when.native_elsewhere if kind == "host" else when.native_absolute,
    )


def scratch_size(to: str, code: str) -> Row:
    """A scratch mount with a size."""
    return approximated(
        "mounts[scratch]",
        to,
        "the folder at {value} is on the node's disk until the container ends; its size is not limited",
        code,
        "scratch-size",
        when=conditions.sized,
    )
