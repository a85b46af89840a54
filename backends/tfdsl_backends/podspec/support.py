"""The rows that hold for every target of the Kubernetes family.

A target puts its own rows first: of the rows of one key the first that applies decides. The codes 001 to 034 of each
prefix are used here, 035 to 049 in :mod:`tfdsl_backends.podspec.messages`.
"""

from __future__ import annotations

from typing import Final

from tfdsl.backend import Condition, Row, approximated, conditions, kept, refused, translated
from tfdsl.vocabulary.attributes import IN_MEMORY
from tfdsl.vocabulary.statements import RUN_TIME_MARKS, STEPS, WITH_SUB_PATH
from tfdsl_backends.podspec import when
from tfdsl_backends.podspec.fields import IMAGE, METADATA, POD, WORKDIR, kept_rows

TEMPLATE = "template.spec"
CONTAINER = "template.spec.containers[0]"
STEP = "template.spec.initContainers[]"


def seconds_rounded_up(key: str, field: str, code: str) -> Row:
    """The row of a duration that is not whole seconds, reported as ``code``."""
    return approximated(
        key,
        field,
        "Kubernetes counts in whole seconds: {value} is rounded up",
        code,
        f"{key.rpartition('.')[2].replace('_', '-')}-rounded",
        when=when.part_of_second,
        edit="write whole seconds",
    )


def _image(key: str) -> Row:
    return refused(
        key,
        "Kubernetes pulls images from a registry and cannot run {value}",
        "012",
        "image-file",
        instead="write the image's name in its registry, without a scheme",
        when=conditions.not_of_a_registry,
    )


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


def prepare_row() -> Row:
    """A prepare step, where it is what the language says."""
    return translated("steps[prepare]", STEP, "an init container, which runs before the command")


def _run_time_workdir(key: str) -> tuple[Row, ...]:
    return tuple(
        refused(
            f"{key}{value}",
            "Kubernetes does not expand variables in workingDir, so workdir cannot contain {value}",
            "006",
            "run-time-workdir",
            instead='change the folder in the command, e.g. command = "cd /work/$NAME && exec python train.py"',
        )
        for value in RUN_TIME_MARKS
    )


def _run_time(key: str, to: str) -> tuple[Row, ...]:
    """What holds of run-time values in a text that the kubelet expands."""
    return (
        translated(f"{key}{{task.index}}", to, "$(NAME) of an env entry"),
        _undefined(f"{key}{{env}}"),
        translated(f"{key}{{env}}", to, "$(NAME)"),
    )


def _in_steps(kind: str) -> tuple[Row, ...]:
    """What is in a step; whether there can be one is for each target to say."""
    key = f"steps[{kind}]"
    return (
        _image(f"{key}.image"),
        kept(f"{key}.image", f"{STEP}.image"),
        kept(f"{key}.command", f"{STEP}.command"),
        kept(f"{key}.args", f"{STEP}.args"),
        kept(f"{key}.workdir", f"{STEP}.workingDir"),
        kept(f"{key}.env", f"{STEP}.env"),
        kept(f"{key}.env{{pod_field}}", f"{STEP}.env[].valueFrom.fieldRef"),
        kept(f"{key}.env_from", f"{STEP}.envFrom"),
        *(kept(f"{key}.{name}", f"{STEP}.resources.requests and limits") for name in ("cpu", "memory", "gpu")),
        *(row for field in ("env", "command", "args") for row in _run_time(f"{key}.{field}", f"{STEP}.{field}")),
        *_run_time_workdir(f"{key}.workdir"),
    )


def sidecar_rows(system: str, since: str, counted: Condition) -> tuple[Row, ...]:
    """A sidecar, which ``system`` has ``since`` a version; ``counted``: its restarts count as those of the command."""
    return (
        approximated(
            "steps[sidecar]",
            STEP,
            "if sidecar {value} of role {role} ends, it is started again, and that counts as a restart of the role",
            "025",
            "sidecar-counted",
            since=since,
            when=counted,
        ),
        translated("steps[sidecar]", STEP, "an init container with restartPolicy Always", since=since),
        refused(
            "steps[sidecar]",
            f"{system} before {since} has no sidecars: {{value}} would run first and keep the command from starting",
            "026",
            "sidecar-version",
            instead=f"compile for {system} {since} or newer, or start it in the command",
        ),
    )


_JOB_ROWS: Final = (
    kept("job.namespace", "metadata.namespace"),
    *kept_rows("job", METADATA),
    translated("job.common_labels", "metadata.labels", "of every object and every template that has none of that key"),
    translated("job.checkpoint", f"{CONTAINER}.env", "CHECKPOINT_DIR in the environment of every role"),
    translated("build", "Dockerfile", "a Dockerfile beside the manifest; image is the tag to build it as"),
)

_CLUSTER_ROWS: Final = (
    approximated(
        "cluster.discovery",
        f"{CONTAINER}.command",
        "beside a chief or master, a worker's --task_index is its index + 1, computed when it starts: its "
        "command runs under /bin/sh, so the image needs a shell",
        "001",
        "flags-need-shell",
        when=when.index_is_computed,
    ),
    translated("cluster.discovery", f"{CONTAINER}.env and args", "TF_CONFIG in the environment, flags as arguments"),
    approximated(
        "cluster.protocol",
        f"{CONTAINER}.command",
        "only server roles use protocol {value}: TF_CONFIG does not contain it, so a program that starts its own "
        "server has to set it",
        "002",
        when=conditions.not_grpc,
        default="silent",
    ),
    kept("cluster.protocol", f"{CONTAINER}.command"),
)

_ROLE_ROWS: Final = (
    translated("roles[].server", f"{CONTAINER}.command", "python -c with a TensorFlow server from TF_CONFIG"),
    translated("roles[].logdir", f"{CONTAINER}.command", "--logdir of the tensorboard command"),
    *kept_rows("roles[]", METADATA, "template"),
    _image("roles[].image"),
    *kept_rows("roles[]", IMAGE, CONTAINER),
    kept("roles[].image_pull_secrets", f"{TEMPLATE}.imagePullSecrets"),
    kept("roles[].command", f"{CONTAINER}.command"),
    kept("roles[].args", f"{CONTAINER}.args"),
    *kept_rows("roles[]", (WORKDIR,), CONTAINER),
    kept("roles[].env", f"{CONTAINER}.env"),
    kept("roles[].env{pod_field}", f"{CONTAINER}.env[].valueFrom.fieldRef"),
    kept("roles[].env_from", f"{CONTAINER}.envFrom"),
    *(
        row
        for name in ("cpu", "memory")
        for row in (
            kept(f"roles[].{name}", f"{CONTAINER}.resources.requests and limits"),
            kept(f"roles[].{name}_limit", f"{CONTAINER}.resources.limits"),
        )
    ),
    kept("roles[].gpu", f"{CONTAINER}.resources.requests and limits"),
    kept("roles[].gpu_resource", f"{CONTAINER}.resources.requests and limits"),
    kept("roles[].resources", f"{CONTAINER}.resources.requests and limits"),
    *(
        translated(f"roles[].{name}", f"{TEMPLATE}.volumes", f"an emptyDir in memory at {path}, counted as memory")
        for name, path in IN_MEMORY.items()
    ),
    kept("roles[].port", f"{CONTAINER}.ports"),
    kept("roles[].ports", f"{CONTAINER}.ports"),
    translated(
        "roles[].host_network",
        f"{TEMPLATE}.hostNetwork",
        "with dnsPolicy ClusterFirstWithHostNet unless cluster_dns is false",
    ),
    approximated(
        "roles[].fs_group",
        f"{TEMPLATE}.securityContext.fsGroup",
        "Kubernetes does not change the group of host and nfs mounts: files at {paths} keep theirs",
        "020",
        "fs-group-unchanged",
        when=when.mounts_folders,
        fill=when.folder_paths,
    ),
    kept("roles[].privileged", f"{CONTAINER}.securityContext.privileged"),
    approximated(
        "roles[].capabilities",
        f"{CONTAINER}.securityContext.capabilities.add",
        "a process of user {user} gets {value} only from a program whose file has them (setcap)",
        "021",
        "capabilities-of-user",
        edit="write run_as_user = 0, or set them on the program in the image",
        when=when.runs_as_other_user,
        fill=when.user_and_capabilities,
    ),
    kept("roles[].capabilities", f"{CONTAINER}.securityContext.capabilities.add"),
    kept("roles[].restricted", "", when=conditions.off),
    refused(
        "roles[].restricted",
        "the Pod Security Standard restricted forbids {what} of role {role}",
        "013",
        "restricted-broken",
        instead="remove one of the two",
        when=when.breaks_restricted,
        fill=when.what_breaks_restricted,
    ),
    approximated(
        "roles[].restricted",
        f"{TEMPLATE}.securityContext",
        "the kubelet starts no container of role {role} whose image runs as root, or names its user by a name",
        "014",
        "restricted-user",
        edit="write run_as_user with a number, e.g. run_as_user = 1000",
        when=when.has_the_images_user,
    ),
    translated(
        "roles[].restricted",
        f"{TEMPLATE}.securityContext, and that of each container",
        "runAsNonRoot, seccompProfile RuntimeDefault; allowPrivilegeEscalation false, capabilities without ALL",
    ),
    seconds_rounded_up("roles[].stop_grace", f"{TEMPLATE}.terminationGracePeriodSeconds", "022"),
    approximated(
        "roles[].stop_grace",
        f"{TEMPLATE}.terminationGracePeriodSeconds",
        "role {role}'s command and the copying of its output have {value} together: what is not copied by then is lost",
        "023",
        "stop-grace-with-output",
        instead="write a time that is long enough for both",
        when=when.has_outputs,
    ),
    *kept_rows("roles[]", POD, TEMPLATE),
    translated(
        "roles[].node_selector",
        f"{TEMPLATE}.nodeSelector and affinity",
        "a required nodeAffinity (In) for each list",
        when=when.any_of_several,
    ),
    kept("roles[].node_selector", f"{TEMPLATE}.nodeSelector"),
    refused(
        "roles[].node_label",
        "Kubernetes has no node label expressions, so {value} cannot be kept",
        "004",
        instead='write Kubernetes labels in node_selector, e.g. node_selector = {{ pool = "gpu" }}',
    ),
    kept("roles[].tolerations", f"{TEMPLATE}.tolerations"),
    translated("roles[].spread", f"{TEMPLATE}.affinity", "required podAntiAffinity on kubernetes.io/hostname"),
)


_RUN_TIME_ROWS: Final = (
    *(
        translated(f"roles[].{field}{{task.index}}", f"{CONTAINER}.{field}", "$(NAME) of an env entry")
        for field in ("env", "command", "args")
    ),
    *(
        row
        for field in ("env", "args")
        for row in (
            _undefined(f"roles[].{field}{{env}}"),
            translated(f"roles[].{field}{{env}}", f"{CONTAINER}.{field}", "$(NAME)"),
        )
    ),
    _undefined("roles[].command{env}"),
    translated("roles[].command{env}", f"{CONTAINER}.command", "$(NAME) in a list; the shell's own variable in a text"),
    *_run_time_workdir("roles[].workdir"),
)


_OUTPUT_ROWS: Final = (
    refused(
        "outputs[]",
        "a pod has no HDFS client to copy an output to {value}",
        "010",
        "hdfs-output",
        instead="copy to a mounted volume",
        when=when.goes_to_hdfs,
    ),
    approximated(
        "outputs[]",
        f"{CONTAINER}.command",
        "role {role}'s command is wrapped in /bin/sh to copy its output: the image needs sh, cp, mv, rm, mkdir "
        "and uname; if the pod is killed or lost, the output is not copied",
        "011",
        "output-needs-shell",
    ),
    kept("outputs[].when", f"{CONTAINER}.args"),
    kept("outputs[].index", f"{CONTAINER}.args"),
    kept("outputs[].overwrite", f"{CONTAINER}.args"),
    *(row for field in ("source", "destination") for row in _run_time(f"outputs[].{field}", f"{CONTAINER}.args")),
)

_OUTLIVING: Final = (
    approximated(
        "roles[].logdir",
        "Deployment and Service JOB-tensorboard",
        "TensorBoard's Deployment and Service outlive the job; delete them with `kubectl delete "
        "deployment,service {job}-tensorboard{namespace}`",
        "030",
        "tensorboard-outlives",
        fill=when.namespace_flag,
    ),
    kept("mounts[claim]", "PersistentVolumeClaim", when=when.keeps),
    approximated(
        "mounts[claim]",
        "PersistentVolumeClaim",
        "the claim outlives the job; delete it with `kubectl delete pvc {claim}{namespace}`",
        "031",
        "claim-outlives",
        edit="write keep = true if it should stay, or mount scratch for the data of one replica",
        fill=when.claim_and_namespace,
    ),
    translated("mounts[claim].keep", "PersistentVolumeClaim", "a claim always outlives the job here"),
)

_NAMES_AND_SECONDS: Final = (
    refused(
        "job.priority",
        "Kubernetes takes the name of a PriorityClass, not the number {value}",
        "032",
        "priority-number",
        instead='write the name of a PriorityClass, e.g. priority = "high"',
        when=conditions.number,
    ),
    seconds_rounded_up("job.deadline", "activeDeadlineSeconds", "033"),
    seconds_rounded_up("job.ttl", "ttlSecondsAfterFinished", "034"),
)


_VOLUMES: Final = {
    "pvc": "persistentVolumeClaim",
    "claim": "persistentVolumeClaim",
    "host": "hostPath",
    "nfs": "nfs",
    "configmap": "configMap",
    "secret": "secret",
    "scratch": "emptyDir",
    "memory": "emptyDir",
}
"""Kind of mount → its volume."""


def _file_rows(kind: str) -> tuple[Row, ...]:
    """The files of a ConfigMap or Secret."""
    to = f"{TEMPLATE}.volumes[].{_VOLUMES[kind]}"
    return (
        kept(f"mounts[{kind}].items", f"{to}.items"),
        approximated(
            f"mounts[{kind}].mode",
            f"{to}.defaultMode",
            "the files at {at} belong to root: with mode {value}, user {user} cannot read them",
            "024",
            "mode-of-user",
            edit="write fs_group, which is a group that can, or a mode with which others can",
            when=when.mode_hides_files,
            fill=when.user_and_mode,
        ),
        kept(f"mounts[{kind}].mode", f"{to}.defaultMode"),
    )


_MOUNT_ROWS: Final = (
    *(
        row
        for kind, to in _VOLUMES.items()
        for row in (
            kept(f"mounts[{kind}]", f"{TEMPLATE}.volumes[].{to}"),
            kept(f"mounts[{kind}].readonly", f"{CONTAINER}.volumeMounts[].readOnly"),
        )
    ),
    *(
        refused(
            f"mounts[{kind}]{value}",
            "all replicas of a role share one pod template, so the source of a mount cannot contain {value}",
            "007",
            "run-time-source",
            instead="mount the parent folder and choose the subfolder with sub_path (pvc, claim) or in the program",
        )
        for kind in ("pvc", "host", "nfs", "configmap", "secret")
        for value in RUN_TIME_MARKS
    ),
    *(
        row
        for kind in WITH_SUB_PATH
        for row in (
            kept(f"mounts[{kind}].sub_path", f"{CONTAINER}.volumeMounts[].subPath"),
            *_run_time(f"mounts[{kind}].sub_path", f"{CONTAINER}.volumeMounts[].subPathExpr"),
        )
    ),
    kept("mounts[claim].storage_class", "PersistentVolumeClaim spec.storageClassName"),
    kept("mounts[claim].access_modes", "PersistentVolumeClaim spec.accessModes"),
    kept("mounts[host].type", f"{TEMPLATE}.volumes[].hostPath.type"),
    *(row for kind in ("configmap", "secret") for row in _file_rows(kind)),
    *(
        refused(
            f"mounts[{kind}]",
            f"nothing in a pod {what} before the command starts",
            code,
            f"{kind}-mount",
            instead="put the data on a volume (pvc, nfs) or into the image",
        )
        for kind, code, what in (("hdfs", "008", "fetches from HDFS"), ("archive", "009", "unpacks an archive"))
    ),
)


ROWS: tuple[Row, ...] = (
    *_JOB_ROWS,
    *_CLUSTER_ROWS,
    *_ROLE_ROWS,
    *_RUN_TIME_ROWS,
    *_MOUNT_ROWS,
    *_OUTPUT_ROWS,
    *(row for kind in STEPS for row in _in_steps(kind)),
    kept("steps[sidecar].ports", f"{STEP}.ports"),
)
"""Rows for all keys but those that each target handles in its own way.

Those are the job's scheduling and end, ``replicas``, ``min_available``, ``after``, steps as such, and the policies.
"""


WHOLE_DEVICES: Row = refused(
    "roles[].gpu_memory",
    "Kubernetes allocates only whole devices; gpu_memory {value} of role {role} asks for a share",
    "003",
    instead="ask for whole devices with gpu",
)
"""For targets that cannot share a device."""

WITHOUT_OWNER: tuple[Row, ...] = (*_OUTLIVING, *_NAMES_AND_SECONDS)
"""Rows of targets without an object that owns claims and TensorBoard; put them before :data:`ROWS`."""
