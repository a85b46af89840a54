"""The rows that hold for every target of the Kubernetes family.

A target puts its own rows first: of the rows of one key the first that applies decides. The codes 001 to 034 of each
prefix are used here, 035 to 049 in :mod:`tfdsl_backends.podspec.messages`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl import conditions as asked
from tfdsl.backend import Condition, Row, approximated, kept, refused, translated
from tfdsl.vocabulary.statements import RUN_TIME_MARKS, STEPS
from tfdsl_backends.podspec import when

TEMPLATE = "template.spec"
CONTAINER = "template.spec.containers[0]"
STEP = "template.spec.initContainers[]"


def _job_rows() -> Iterator[Row]:
    yield kept("job.namespace", "metadata.namespace")
    yield kept("job.labels", "metadata.labels")
    yield kept("job.annotations", "metadata.annotations")
    yield translated("job.checkpoint", f"{CONTAINER}.env", "CHECKPOINT_DIR in the environment of every role")
    yield translated("build", "Dockerfile", "a Dockerfile beside the manifest; image is the tag to build it as")


def _cluster_rows() -> Iterator[Row]:
    yield approximated(
        "cluster.discovery",
        f"{CONTAINER}.command",
        "beside a chief or master, a worker's --task_index is its index + 1, computed when it starts: its "
        "command runs under /bin/sh, so the image needs a shell",
        "001",
        "flags-need-shell",
        when=when.index_is_computed,
    )
    yield translated(
        "cluster.discovery", f"{CONTAINER}.env and args", "TF_CONFIG in the environment, flags as arguments"
    )
    yield approximated(
        "cluster.protocol",
        f"{CONTAINER}.command",
        "only server roles use protocol {value}: TF_CONFIG does not contain it, so a program that starts its own "
        "server has to set it",
        "002",
        when=asked.not_grpc,
        default="silent",
    )
    yield kept("cluster.protocol", f"{CONTAINER}.command")


def _role_rows() -> Iterator[Row]:
    yield translated("roles[].server", f"{CONTAINER}.command", "python -c with a TensorFlow server from TF_CONFIG")
    yield translated("roles[].logdir", f"{CONTAINER}.command", "--logdir of the tensorboard command")
    yield kept("roles[].labels", "template.metadata.labels")
    yield kept("roles[].annotations", "template.metadata.annotations")
    yield _image("roles[].image")
    yield kept("roles[].image", f"{CONTAINER}.image")
    yield kept("roles[].image_pull_policy", f"{CONTAINER}.imagePullPolicy")
    yield kept("roles[].image_pull_secrets", f"{TEMPLATE}.imagePullSecrets")
    yield kept("roles[].command", f"{CONTAINER}.command")
    yield kept("roles[].args", f"{CONTAINER}.args")
    yield kept("roles[].workdir", f"{CONTAINER}.workingDir")
    yield kept("roles[].env", f"{CONTAINER}.env")
    yield kept("roles[].env{pod_field}", f"{CONTAINER}.env[].valueFrom.fieldRef")
    yield kept("roles[].env_from", f"{CONTAINER}.envFrom")
    for name in ("cpu", "memory"):
        yield kept(f"roles[].{name}", f"{CONTAINER}.resources.requests and limits")
        yield kept(f"roles[].{name}_limit", f"{CONTAINER}.resources.limits")
    yield kept("roles[].gpu", f"{CONTAINER}.resources.requests and limits")
    yield kept("roles[].gpu_resource", f"{CONTAINER}.resources.requests and limits")
    yield kept("roles[].resources", f"{CONTAINER}.resources.requests and limits")
    yield translated("roles[].shm", f"{TEMPLATE}.volumes", "an emptyDir in memory at /dev/shm, counted as memory")
    yield kept("roles[].port", f"{CONTAINER}.ports")
    yield kept("roles[].ports", f"{CONTAINER}.ports")
    yield translated(
        "roles[].host_network",
        f"{TEMPLATE}.hostNetwork",
        "with dnsPolicy ClusterFirstWithHostNet unless cluster_dns is false",
    )
    yield kept("roles[].service_account", f"{TEMPLATE}.serviceAccountName")
    yield from _security_rows()
    yield from _stop_rows()
    yield translated(
        "roles[].node_selector",
        f"{TEMPLATE}.nodeSelector and affinity",
        "a required nodeAffinity (In) for each list",
        when=when.any_of_several,
    )
    yield kept("roles[].node_selector", f"{TEMPLATE}.nodeSelector")
    yield refused(
        "roles[].node_label",
        "Kubernetes has no node label expressions, so {value} cannot be kept",
        "004",
        instead='write Kubernetes labels in node_selector, e.g. node_selector = {{ pool = "gpu" }}',
    )
    yield kept("roles[].tolerations", f"{TEMPLATE}.tolerations")
    yield translated("roles[].spread", f"{TEMPLATE}.affinity", "required podAntiAffinity on kubernetes.io/hostname")


def seconds_rounded_up(key: str, field: str, code: str) -> Row:
    """The row of a duration that is not whole seconds, reported as ``code``."""
    return approximated(
        key,
        field,
        "Kubernetes counts in whole seconds: {value} is rounded up",
        code,
        f"{key.rpartition('.')[2].replace('_', '-')}-rounded",
        when=when.part_of_second,
    )


def _stop_rows() -> Iterator[Row]:
    yield seconds_rounded_up("roles[].stop_grace", f"{TEMPLATE}.terminationGracePeriodSeconds", "022")
    yield approximated(
        "roles[].stop_grace",
        f"{TEMPLATE}.terminationGracePeriodSeconds",
        "role {role}'s command and the copying of its output have {value} together: what is not copied by then is lost",
        "023",
        "stop-grace-with-output",
        instead="write a time that is long enough for both",
        when=when.has_outputs,
    )
    yield kept("roles[].stop_grace", f"{TEMPLATE}.terminationGracePeriodSeconds")


def _security_rows() -> Iterator[Row]:
    yield kept("roles[].run_as_user", f"{TEMPLATE}.securityContext.runAsUser")
    yield kept("roles[].run_as_group", f"{TEMPLATE}.securityContext.runAsGroup")
    yield approximated(
        "roles[].fs_group",
        f"{TEMPLATE}.securityContext.fsGroup",
        "Kubernetes does not change the group of host and nfs mounts: files at {paths} keep theirs",
        "020",
        "fs-group-unchanged",
        when=when.mounts_folders,
        fill=when.folder_paths,
    )
    yield kept("roles[].fs_group", f"{TEMPLATE}.securityContext.fsGroup")
    yield kept("roles[].privileged", f"{CONTAINER}.securityContext.privileged")
    yield approximated(
        "roles[].capabilities",
        f"{CONTAINER}.securityContext.capabilities.add",
        "a process of user {user} gets {value} only from a program whose file has them (setcap)",
        "021",
        "capabilities-of-user",
        instead="write run_as_user = 0, or set them on the program in the image",
        when=when.runs_as_other_user,
        fill=when.user_and_capabilities,
    )
    yield kept("roles[].capabilities", f"{CONTAINER}.securityContext.capabilities.add")


def _run_time_rows() -> Iterator[Row]:
    for field in ("env", "command", "args"):
        yield translated(f"roles[].{field}{{task.index}}", f"{CONTAINER}.{field}", "$(NAME) of an env entry")
    for field in ("env", "args"):
        yield _undefined(f"roles[].{field}{{env}}")
        yield translated(f"roles[].{field}{{env}}", f"{CONTAINER}.{field}", "$(NAME)")
    yield _undefined("roles[].command{env}")
    yield translated(
        "roles[].command{env}", f"{CONTAINER}.command", "$(NAME) in a list; the shell's own variable in a text"
    )
    yield from _run_time_workdir("roles[].workdir")


def _run_time_workdir(key: str) -> Iterator[Row]:
    for value in RUN_TIME_MARKS:
        yield refused(
            f"{key}{value}",
            "Kubernetes does not expand variables in workingDir, so workdir cannot contain {value}",
            "006",
            "run-time-workdir",
            instead='change the folder in the command, e.g. command = "cd /work/$NAME && exec python train.py"',
        )


def _image(key: str) -> Row:
    return refused(
        key,
        "Kubernetes pulls images from a registry and cannot run {value}",
        "012",
        "image-file",
        instead="write the image's name in its registry, without a scheme",
        when=asked.not_of_a_registry,
    )


def _step_rows() -> Iterator[Row]:
    """What is in a step; whether there can be one is for each target to say."""
    for kind in STEPS:
        key = f"steps[{kind}]"
        yield _image(f"{key}.image")
        yield kept(f"{key}.image", f"{STEP}.image")
        yield kept(f"{key}.command", f"{STEP}.command")
        yield kept(f"{key}.args", f"{STEP}.args")
        yield kept(f"{key}.workdir", f"{STEP}.workingDir")
        yield kept(f"{key}.env", f"{STEP}.env")
        yield kept(f"{key}.env{{pod_field}}", f"{STEP}.env[].valueFrom.fieldRef")
        yield kept(f"{key}.env_from", f"{STEP}.envFrom")
        for name in ("cpu", "memory", "gpu"):
            yield kept(f"{key}.{name}", f"{STEP}.resources.requests and limits")
        for field in ("env", "command", "args"):
            yield translated(f"{key}.{field}{{task.index}}", f"{STEP}.{field}", "$(NAME) of an env entry")
            yield _undefined(f"{key}.{field}{{env}}")
            yield translated(f"{key}.{field}{{env}}", f"{STEP}.{field}", "$(NAME)")
        yield from _run_time_workdir(f"{key}.workdir")
    yield kept("steps[sidecar].ports", f"{STEP}.ports")


def prepare_row() -> Row:
    """A prepare step, where it is what the language says."""
    return translated("steps[prepare]", STEP, "an init container, which runs before the command")


def sidecar_rows(system: str, since: str, counted: Condition) -> Iterator[Row]:
    """A sidecar, which ``system`` has ``since`` a version; ``counted``: its restarts count as those of the command."""
    yield approximated(
        "steps[sidecar]",
        STEP,
        "if sidecar {value} of role {role} ends, it is started again, and that counts as a restart of the role",
        "025",
        "sidecar-counted",
        since=since,
        when=counted,
    )
    yield translated("steps[sidecar]", STEP, "an init container with restartPolicy Always", since=since)
    yield refused(
        "steps[sidecar]",
        f"{system} before {since} has no sidecars: {{value}} would run first and keep the command from starting",
        "026",
        "sidecar-version",
        instead=f"compile for {system} {since} or newer, or start it in the command",
    )


def _mount_rows() -> Iterator[Row]:
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
                "all replicas of a role share one pod template, so the source of a mount cannot contain {value}",
                "007",
                "run-time-source",
                instead="mount the parent folder and choose the subfolder with sub_path (pvc, claim) or in the program",
            )
    for kind in ("pvc", "claim"):
        mount = f"{CONTAINER}.volumeMounts[]"
        yield kept(f"mounts[{kind}].sub_path", f"{mount}.subPath")
        yield translated(f"mounts[{kind}].sub_path{{task.index}}", f"{mount}.subPathExpr", "$(NAME) of an env entry")
        yield _undefined(f"mounts[{kind}].sub_path{{env}}")
        yield translated(f"mounts[{kind}].sub_path{{env}}", f"{mount}.subPathExpr", "$(NAME)")
    yield kept("mounts[claim].storage_class", "PersistentVolumeClaim spec.storageClassName")
    yield kept("mounts[claim].access_modes", "PersistentVolumeClaim spec.accessModes")
    yield kept("mounts[host].type", f"{TEMPLATE}.volumes[].hostPath.type")
    for kind, to in (("configmap", "configMap"), ("secret", "secret")):
        yield kept(f"mounts[{kind}].items", f"{TEMPLATE}.volumes[].{to}.items")
        yield approximated(
            f"mounts[{kind}].mode",
            f"{TEMPLATE}.volumes[].{to}.defaultMode",
            "the files at {at} belong to root: with mode {value}, user {user} cannot read them",
            "024",
            "mode-of-user",
            instead="write fs_group, which is a group that can, or a mode with which others can",
            when=when.mode_hides_files,
            fill=when.user_and_mode,
        )
        yield kept(f"mounts[{kind}].mode", f"{TEMPLATE}.volumes[].{to}.defaultMode")
    yield from _fetched_rows()


def _fetched_rows() -> Iterator[Row]:
    for kind, code, what in (("hdfs", "008", "fetches from HDFS"), ("archive", "009", "unpacks an archive")):
        yield refused(
            f"mounts[{kind}]",
            f"nothing in a pod {what} before the command starts",
            code,
            f"{kind}-mount",
            instead="put the data on a volume (pvc, nfs) or into the image",
        )


def _output_rows() -> Iterator[Row]:
    yield refused(
        "outputs[]",
        "a pod has no HDFS client to copy an output to {value}",
        "010",
        "hdfs-output",
        instead="copy to a mounted volume",
        when=when.goes_to_hdfs,
    )
    yield approximated(
        "outputs[]",
        f"{CONTAINER}.command",
        "role {role}'s command is wrapped in /bin/sh to copy its output: the image needs sh, cp, mv, rm, mkdir "
        "and uname; if the pod is killed or lost, the output is not copied",
        "011",
        "output-needs-shell",
    )
    yield kept("outputs[].when", f"{CONTAINER}.args")
    yield kept("outputs[].index", f"{CONTAINER}.args")
    yield kept("outputs[].overwrite", f"{CONTAINER}.args")
    for field in ("source", "destination"):
        yield translated(f"outputs[].{field}{{task.index}}", f"{CONTAINER}.args", "$(NAME) of an env entry")
        yield _undefined(f"outputs[].{field}{{env}}")
        yield translated(f"outputs[].{field}{{env}}", f"{CONTAINER}.args", "$(NAME)")


def _undefined(key: str) -> Row:
    return refused(
        key,
        "Kubernetes expands only variables that env or env_from defines, not those of the image: {names} would reach "
        "role {role} unexpanded",
        "005",
        "undefined-variable",
        instead="give the variable a value in env, or write the command as one text, which the shell expands",
        when=when.refers_to_undefined,
        fill=when.undefined_names,
    )


ROWS: tuple[Row, ...] = (
    *_job_rows(),
    *_cluster_rows(),
    *_role_rows(),
    *_run_time_rows(),
    *_mount_rows(),
    *_output_rows(),
    *_step_rows(),
)
"""Rows for all keys but those that each target handles in its own way.

Those are the job's scheduling and end, ``replicas``, ``min_available``, ``after``, steps as such, and the policies.
"""


def _outliving() -> Iterator[Row]:
    yield approximated(
        "roles[].logdir",
        "Deployment and Service JOB-tensorboard",
        "TensorBoard's Deployment and Service outlive the job; delete them with `kubectl delete "
        "deployment,service {job}-tensorboard{namespace}`",
        "030",
        "tensorboard-outlives",
        fill=when.namespace_flag,
    )
    yield kept("mounts[claim]", "PersistentVolumeClaim", when=when.keeps)
    yield approximated(
        "mounts[claim]",
        "PersistentVolumeClaim",
        "the claim outlives the job; delete it with `kubectl delete pvc {claim}{namespace}`",
        "031",
        "claim-outlives",
        instead="write keep = true if it should stay, or mount scratch for the data of one replica",
        fill=when.claim_and_namespace,
    )
    yield translated("mounts[claim].keep", "PersistentVolumeClaim", "a claim always outlives the job here")


def _names_and_seconds() -> Iterator[Row]:
    yield refused(
        "job.priority",
        "Kubernetes takes the name of a PriorityClass, not the number {value}",
        "032",
        "priority-number",
        instead='write the name of a PriorityClass, e.g. priority = "high"',
        when=when.number,
    )
    yield seconds_rounded_up("job.deadline", "activeDeadlineSeconds", "033")
    yield seconds_rounded_up("job.ttl", "ttlSecondsAfterFinished", "034")


WHOLE_DEVICES: Row = refused(
    "roles[].gpu_memory",
    "Kubernetes allocates only whole devices; gpu_memory {value} of role {role} asks for a share",
    "003",
    instead="ask for whole devices with gpu",
)
"""For targets that cannot share a device."""

WITHOUT_OWNER: tuple[Row, ...] = (*_outliving(), *_names_and_seconds())
"""Rows of targets without an object that owns claims and TensorBoard; put them before :data:`ROWS`."""
