"""The rows that hold for every target of the Kubernetes family.

A backend puts them behind its own rows; of the rows of one key the first that applies decides, so an own row comes
first. Codes 001 to 039 of each prefix are given here, 040 to 049 by :mod:`tfdsl_backends.podspec.rules`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import approximated, kept, refused, refused_mount, translated
from tfdsl.vocabulary.statements import RUN_TIME_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Row, Unit
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Job, Output, Role, RunTimeText

TARGETS = {"VOL": "volcano", "KTF": "tfjob", "K8S": "kubernetes"}
"""Prefix of the codes → target, with which its slugs begin."""

TEMPLATE = "template.spec"
CONTAINER = "template.spec.containers[0]"


def rows(prefix: str) -> tuple[Row, ...]:
    """Rows with the codes of ``prefix`` for all keys but those that each target does in its own way.

    Those are the job's scheduling and end, ``replicas``, ``min_available``, ``after``, and the policies.
    """
    target = TARGETS[prefix]
    return (
        *_job_rows(),
        *_cluster_rows(prefix, target),
        *_role_rows(prefix, target),
        *_run_time_rows(prefix, target),
        *_mount_rows(prefix, target),
        *_output_rows(prefix, target),
    )


def _job_rows() -> Iterator[Row]:
    yield kept("job.namespace", "metadata.namespace")
    yield kept("job.labels", "metadata.labels")
    yield kept("job.annotations", "metadata.annotations")
    yield translated("job.checkpoint", f"{CONTAINER}.env", "the variable CHECKPOINT_DIR of every role")
    yield translated("build", "Dockerfile", "a Dockerfile beside the manifest; image is the tag that it is built as")


def _cluster_rows(prefix: str, target: str) -> Iterator[Row]:
    yield approximated(
        "cluster.discovery",
        f"{CONTAINER}.command",
        "beside a chief or master a worker's --task_index is its own index + 1, which is worked out when it starts: "
        "its command runs under /bin/sh, so the image needs a shell",
        f"{prefix}001",
        f"{target}-flags-need-shell",
        when=_index_is_computed,
        when_text="flags for several workers beside a chief or master",
    )
    yield translated(
        "cluster.discovery", f"{CONTAINER}.env and args", "TF_CONFIG in the environment, flags as arguments"
    )
    yield approximated(
        "cluster.protocol",
        f"{CONTAINER}.command",
        "only server roles are started with protocol {value}: TF_CONFIG does not hold it, so a program that "
        "starts its own server has to name it itself",
        f"{prefix}002",
        f"{target}-protocol",
        when=_is_not_grpc,
        when_text="not grpc",
        default="silent",
    )
    yield kept("cluster.protocol", f"{CONTAINER}.command")


def _role_rows(prefix: str, target: str) -> Iterator[Row]:
    yield translated("roles[].server", f"{CONTAINER}.command", "python -c with a TensorFlow server from TF_CONFIG")
    yield translated("roles[].logdir", f"{CONTAINER}.command", "--logdir of the tensorboard command")
    yield kept("roles[].labels", "template.metadata.labels")
    yield kept("roles[].annotations", "template.metadata.annotations")
    yield kept("roles[].image", f"{CONTAINER}.image")
    yield kept("roles[].image_pull_policy", f"{CONTAINER}.imagePullPolicy")
    yield kept("roles[].image_pull_secrets", f"{TEMPLATE}.imagePullSecrets")
    yield kept("roles[].command", f"{CONTAINER}.command")
    yield kept("roles[].args", f"{CONTAINER}.args")
    yield kept("roles[].workdir", f"{CONTAINER}.workingDir")
    yield kept("roles[].env", f"{CONTAINER}.env")
    for name in ("cpu", "memory"):
        yield kept(f"roles[].{name}", f"{CONTAINER}.resources.requests and limits")
        yield kept(f"roles[].{name}_limit", f"{CONTAINER}.resources.limits")
    yield kept("roles[].gpu", f"{CONTAINER}.resources.requests and limits")
    yield kept("roles[].gpu_resource", f"{CONTAINER}.resources.requests and limits")
    yield refused(
        "roles[].gpu_memory",
        "Kubernetes gives out whole devices only; gpu_memory {value} of role {role} asks for a share of one",
        f"{prefix}003",
        f"{target}-gpu-memory",
        instead="ask for whole devices with gpu, or compile to volcano, which has vGPU",
    )
    yield kept("roles[].resources", f"{CONTAINER}.resources.requests and limits")
    yield translated("roles[].shm", f"{TEMPLATE}.volumes", "an emptyDir in memory at /dev/shm, counted as memory")
    yield kept("roles[].port", f"{CONTAINER}.ports")
    yield translated("roles[].host_network", f"{TEMPLATE}.hostNetwork", "with dnsPolicy ClusterFirstWithHostNet")
    yield kept("roles[].service_account", f"{TEMPLATE}.serviceAccountName")
    yield kept("roles[].node_selector", f"{TEMPLATE}.nodeSelector")
    yield refused(
        "roles[].node_label",
        "node label expressions are YARN's; Kubernetes has no place for {value}",
        f"{prefix}004",
        f"{target}-node-label",
        instead='name Kubernetes labels with node_selector, e.g. node_selector = {{ pool = "gpu" }}',
    )
    yield kept("roles[].tolerations", f"{TEMPLATE}.tolerations")
    yield translated("roles[].spread", f"{TEMPLATE}.affinity", "required podAntiAffinity on kubernetes.io/hostname")


def _run_time_rows(prefix: str, target: str) -> Iterator[Row]:
    for field in ("env", "command", "args"):
        yield translated(f"roles[].{field}{{task.index}}", f"{CONTAINER}.{field}", "$(NAME) of an env entry")
    for field in ("env", "args"):
        yield _undefined(prefix, target, f"roles[].{field}{{env}}")
        yield translated(f"roles[].{field}{{env}}", f"{CONTAINER}.{field}", "$(NAME)")
    yield _undefined(prefix, target, "roles[].command{env}")
    yield translated(
        "roles[].command{env}", f"{CONTAINER}.command", "$(NAME) in a list; the shell's own variable in a text"
    )
    for value in RUN_TIME_MARKS:
        yield refused(
            f"roles[].workdir{value}",
            "Kubernetes does not expand variables in workingDir, so {value} cannot stand in it",
            f"{prefix}006",
            f"{target}-run-time-workdir",
            instead='change folder in the command, e.g. command = "cd /work/$NAME && exec python train.py"',
        )


def _mount_rows(prefix: str, target: str) -> Iterator[Row]:
    for kind, to in (
        ("pvc", "persistentVolumeClaim"),
        ("claim", "persistentVolumeClaim"),
        ("host", "hostPath"),
        ("nfs", "nfs"),
        ("configmap", "configMap"),
        ("secret", "secret"),
        ("scratch", "emptyDir"),
        ("memory", "emptyDir"),
    ):
        yield kept(f"mounts[{kind}]", f"{TEMPLATE}.volumes[].{to}")
        yield kept(f"mounts[{kind}].readonly", f"{CONTAINER}.volumeMounts[].readOnly")
    for kind in ("pvc", "host", "nfs", "configmap", "secret"):
        for value in RUN_TIME_MARKS:
            yield refused(
                f"mounts[{kind}]{value}",
                "all replicas of a role share one pod template, so {value} cannot stand in the source of a mount",
                f"{prefix}007",
                f"{target}-run-time-source",
                instead="mount the parent and choose the folder with sub_path (pvc, claim) or in the program",
            )
    for kind in ("pvc", "claim"):
        mount = f"{CONTAINER}.volumeMounts[]"
        yield kept(f"mounts[{kind}].sub_path", f"{mount}.subPath")
        yield translated(f"mounts[{kind}].sub_path{{task.index}}", f"{mount}.subPathExpr", "$(NAME) of an env entry")
        yield _undefined(prefix, target, f"mounts[{kind}].sub_path{{env}}")
        yield translated(f"mounts[{kind}].sub_path{{env}}", f"{mount}.subPathExpr", "$(NAME)")
    yield kept("mounts[claim].storage_class", "PersistentVolumeClaim spec.storageClassName")
    yield kept("mounts[claim].access_modes", "PersistentVolumeClaim spec.accessModes")
    yield kept("mounts[host].type", f"{TEMPLATE}.volumes[].hostPath.type")
    for kind, to in (("configmap", "configMap"), ("secret", "secret")):
        yield kept(f"mounts[{kind}].items", f"{TEMPLATE}.volumes[].{to}.items")
        yield kept(f"mounts[{kind}].mode", f"{TEMPLATE}.volumes[].{to}.defaultMode")
    yield from _fetched_rows(prefix, target)


def _fetched_rows(prefix: str, target: str) -> Iterator[Row]:
    for kind, code, what in (("hdfs", "008", "fetches from HDFS"), ("archive", "009", "unpacks an archive")):
        yield from refused_mount(
            kind,
            f"nothing in a pod {what} before the command starts",
            f"{prefix}{code}",
            f"{target}-{kind}-mount",
            instead="put the data on a volume (pvc, nfs) or into the image, or compile to yarn or slider",
        )


def _output_rows(prefix: str, target: str) -> Iterator[Row]:
    yield refused(
        "outputs[]",
        "a pod has no HDFS client to copy an output to {value}",
        f"{prefix}010",
        f"{target}-hdfs-output",
        instead="copy to a mounted volume, or compile to yarn",
        when=_goes_to_hdfs,
        when_text="to an hdfs:// destination",
    )
    yield approximated(
        "outputs[]",
        f"{CONTAINER}.command",
        "the command of role {role} runs under /bin/sh, which copies afterwards: the image needs sh, cp, mv, rm, "
        "mkdir and uname; an output of a pod that is killed or lost is not copied",
        f"{prefix}011",
        f"{target}-output-needs-shell",
    )
    yield kept("outputs[].when", f"{CONTAINER}.args")
    yield kept("outputs[].index", f"{CONTAINER}.args")
    yield kept("outputs[].overwrite", f"{CONTAINER}.args")
    for field in ("source", "destination"):
        yield translated(f"outputs[].{field}{{task.index}}", f"{CONTAINER}.args", "$(NAME) of an env entry")
        yield _undefined(prefix, target, f"outputs[].{field}{{env}}")
        yield translated(f"outputs[].{field}{{env}}", f"{CONTAINER}.args", "$(NAME)")


def _undefined(prefix: str, target: str, key: str) -> Row:
    return refused(
        key,
        "Kubernetes replaces only variables that env defines, each from those before it; what the image sets is not "
        "seen, so {names} would reach role {role} unreplaced",
        f"{prefix}005",
        f"{target}-undefined-variable",
        instead="give the variable a value in env, or write the command as one text, which the shell expands",
        when=_refers_to_undefined,
        when_text="a name that env does not define",
        fill=_undefined_names,
    )


# --- conditions ------------------------------------------------------------------------------------------------


def _index_is_computed(unit: Unit, item: Item) -> bool:
    job = unit.job
    worker = job.role("worker")
    if job.cluster.discovery not in ("flags", "both") or worker is None or worker.server or worker.replicas == 1:
        return False
    return any(role.name in ("chief", "master") for role in job.roles)


def _is_not_grpc(unit: Unit, item: Item) -> bool:
    return item.value != "grpc"


def _goes_to_hdfs(unit: Unit, item: Item) -> bool:
    destination = cast("Output", item.node).destination
    first = destination if isinstance(destination, str) else destination.parts[0]
    return isinstance(first, str) and first.startswith("hdfs://")


def _refers_to_undefined(unit: Unit, item: Item) -> bool:
    return bool(_undefined_in(unit, item))


def _undefined_names(unit: Unit, item: Item) -> dict[str, str]:
    return {"names": ", ".join(f"${{env.{name}}}" for name in _undefined_in(unit, item))}


def _undefined_in(unit: Unit, item: Item) -> list[str]:
    """The names that the item refers to and that no env entry before it defines."""
    role = unit.job.role(item.role)
    if role is None or (item.key == "roles[].command{env}" and not isinstance(role.command, tuple)):
        return []
    if item.key == "roles[].env{env}":
        return _without_definition(unit.job, role)
    known = _own_names(unit.job, role)
    return list(dict.fromkeys(name for value in _values(item) for name in _names(value) if name not in known))


def _values(item: Item) -> list[object]:
    field = item.key.partition("{")[0].rpartition(".")[2]
    value: object = getattr(item.node, field)
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else [value]


def _own_names(job: Job, role: Role) -> set[str]:
    return set(role.env) | ({"CHECKPOINT_DIR"} if job.checkpoint is not None else set())


def _names(value: object) -> list[str]:
    """Names of ``${env.NAME}`` in a run-time text (told by its parts: the IR is not imported here)."""
    parts = cast("RunTimeText", value).parts if hasattr(value, "parts") else ()
    return [part.name for part in parts if not isinstance(part, str) and part.kind == "env"]


def _without_definition(job: Job, role: Role) -> list[str]:
    """Names that env entries refer to and that cannot be defined before them: absent, or going in a circle."""
    needs = {name: list(dict.fromkeys(_names(value))) for name, value in role.env.items()}
    defined = _own_names(job, role) - set(needs)
    ready = list(needs)
    while ready:
        ready = [name for name, wanted in needs.items() if set(wanted) <= defined]
        defined.update(ready)
        for name in ready:
            del needs[name]
    return list(dict.fromkeys(name for wanted in needs.values() for name in wanted if name not in defined))
