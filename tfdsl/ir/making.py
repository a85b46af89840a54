"""Constructors of the models that take what a text takes: lists, texts for amounts, numbers of CPUs.

Written by docs/python_models.py from the vocabulary; ``make generate`` writes it anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast, get_args

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

from tfdsl.ir import flow, model
from tfdsl.ir.part import made
from tfdsl.vocabulary.quantities import Duration, Quantity

# ruff: noqa: A002

_DEFAULT: Any = object()


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not _DEFAULT}


class AnyMount:
    """``tfdsl.ir.Mount``: in annotations any mount; called with a ``kind``, the mount of that kind."""

    def __call__(self, *, kind: str, **fields: Any) -> model.Mount:
        """The mount; a constructor of its kind, such as :func:`pvc_mount`, is checked by type checkers too."""
        kinds: tuple[type[model.BaseMount], ...] = get_args(model.AnyMount)
        models = {one.model_fields["kind"].default: one for one in kinds}
        if kind not in models:
            raise TypeError(f"a mount has one of the kinds {', '.join(models)}, not {kind!r}")
        return cast("model.Mount", made(models[kind], fields))

    def __or__(self, other: Any) -> Any:
        return model.Mount | other

    __ror__ = __or__

    def __get_pydantic_core_schema__(self, _: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """That of the mounts, for models of others that have one."""
        return handler.generate_schema(model.Mount)


def job(
    *,
    name: str,
    roles: Sequence[model.Role],
    namespace: str | None = _DEFAULT,
    labels: Mapping[str, str] = _DEFAULT,
    common_labels: Mapping[str, str] = _DEFAULT,
    annotations: Mapping[str, str] = _DEFAULT,
    queue: str | None = _DEFAULT,
    priority: int | str | None = _DEFAULT,
    scheduler: str | None = _DEFAULT,
    gang: bool = _DEFAULT,
    retries: int = _DEFAULT,
    deadline: Duration | str | None = _DEFAULT,
    ttl: Duration | str | None = _DEFAULT,
    cleanup: Literal["running", "all", "none"] = _DEFAULT,
    suspend: bool = _DEFAULT,
    checkpoint: str | model.RunTimeText | None = _DEFAULT,
    policies: Sequence[model.Policy] = _DEFAULT,
    claims: Sequence[model.Claim] = _DEFAULT,
    cluster: model.Cluster = _DEFAULT,
    build: model.Build | None = _DEFAULT,
) -> model.Job:
    """One job for one target.

    Args:
        name: Name of the job.
        roles: The roles, in any order.
        namespace: Kubernetes namespace of the job.
        labels: Labels of the job object (in a job) or of the pods (in a role).
        common_labels: Labels of every object that the job makes: its own, pods, Services, claims.
        annotations: Annotations of the job object (in a job) or of the pods (in a role).
        queue: The queue in which the job waits for its resources.
        priority: Which jobs go first: the name of a PriorityClass, or a number, as the target takes it.
        scheduler: Name of the scheduler that places the pods.
        gang: Start all `min_available` replicas together or none.
        retries: Restarts allowed over the life of the job; after them, the job fails.
        deadline: Longest run time of the job.
        ttl: When a finished job is removed.
        cleanup: What happens to the other pods when the job finishes.
        suspend: Create the job without starting it.
        checkpoint: Folder of checkpoints on storage that outlives a replica; set as `CHECKPOINT_DIR` in every role.
        policies: What happens on events; the defaults of the language follow the written ones.
        claims: The claims that are made for the job.
        cluster: How the tasks learn of each other.
        build: The Dockerfile of the job's image.
    """
    return made(model.Job, _given(locals()))


def role(
    *,
    name: Literal["chief", "master", "ps", "worker", "evaluator", "tensorboard"],
    replicas: int = _DEFAULT,
    min_available: int = _DEFAULT,
    after: Sequence[Literal["chief", "master", "ps", "worker", "evaluator", "tensorboard"]] = _DEFAULT,
    server: bool = _DEFAULT,
    logdir: str | model.RunTimeText | None = _DEFAULT,
    labels: Mapping[str, str] = _DEFAULT,
    annotations: Mapping[str, str] = _DEFAULT,
    image: str | None = _DEFAULT,
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = _DEFAULT,
    image_pull_secrets: Sequence[str] = _DEFAULT,
    command: Sequence[str | model.RunTimeText] | str | model.RunTimeText = _DEFAULT,
    args: Sequence[str | model.RunTimeText] = _DEFAULT,
    workdir: str | model.RunTimeText | None = _DEFAULT,
    env: Mapping[str, model.EnvValue | float] = _DEFAULT,
    env_from: Sequence[model.EnvSource] = _DEFAULT,
    cpu: Quantity | str | float | None = _DEFAULT,
    memory: Quantity | str | None = _DEFAULT,
    cpu_limit: Quantity | str | float | None = _DEFAULT,
    memory_limit: Quantity | str | None = _DEFAULT,
    gpu: int = _DEFAULT,
    gpu_resource: str | None = _DEFAULT,
    gpu_memory: Quantity | str | None = _DEFAULT,
    resources: Mapping[str, Quantity | str | float] = _DEFAULT,
    shm: Quantity | str | None = _DEFAULT,
    tmp_size: Quantity | str | None = _DEFAULT,
    port: int = _DEFAULT,
    ports: Mapping[str, int] = _DEFAULT,
    host_network: bool = _DEFAULT,
    service_account: str | None = _DEFAULT,
    run_as_user: int | None = _DEFAULT,
    run_as_group: int | None = _DEFAULT,
    fs_group: int | None = _DEFAULT,
    privileged: bool = _DEFAULT,
    restricted: bool = _DEFAULT,
    capabilities: Sequence[str] = _DEFAULT,
    stop_grace: Duration | str | None = _DEFAULT,
    node_selector: Mapping[str, str | Sequence[str]] = _DEFAULT,
    node_label: str | None = _DEFAULT,
    tolerations: Sequence[model.Toleration] = _DEFAULT,
    spread: Literal["node", "none"] = _DEFAULT,
    mounts: Sequence[model.Mount] = _DEFAULT,
    outputs: Sequence[model.Output] = _DEFAULT,
    steps: Sequence[model.Step] = _DEFAULT,
) -> model.Role:
    """The replicas of one role.

    Args:
        name: Which role it is.
        replicas: The number of replicas.
        min_available: Replicas that must be schedulable before any of them starts.
        after: Start only after these roles are running.
        server: Run a plain TensorFlow server from TF_CONFIG instead of the command (in-graph replication).
        logdir: Folder that TensorBoard shows.
        labels: Labels of the job object (in a job) or of the pods (in a role).
        annotations: Annotations of the job object (in a job) or of the pods (in a role).
        image: Container image; with `build`, the tag to build the Dockerfile as.
        image_pull_policy: When the node pulls the image.
        image_pull_secrets: Secrets with registry credentials.
        command: The command to run: a list in exec form, or one text for `/bin/sh -c`.
        args: Appended to the command.
        workdir: Working folder of the command.
        env: Environment variables: text, number, bool, `secret()`, `configmap()` or `pod_field()`.
        env_from: Every key of a Secret or ConfigMap as a variable; `env` wins.
        cpu: CPUs per replica, requested and the limit.
        memory: Memory per replica, requested and the limit.
        cpu_limit: A higher CPU limit, or `"none"` for no limit.
        memory_limit: A higher memory limit, or `"none"` for no limit.
        gpu: Whole devices per replica.
        gpu_resource: Name of the device resource.
        gpu_memory: A share of a device by its memory, on targets that have it.
        resources: Extended resources.
        shm: Size of /dev/shm; counts as a mount there.
        tmp_size: Size of a /tmp in memory; counts as a mount there.
        port: Port of the TensorFlow server.
        ports: Further ports of the container, by name.
        host_network: Use the node's network.
        service_account: ServiceAccount of the pods.
        run_as_user: Number of the user that runs the command.
        run_as_group: Number of the group that runs the command.
        fs_group: Number of the group that owns mounted volumes and that the command belongs to.
        privileged: Give the command all rights of root on its node.
        restricted: Run all processes by the Pod Security Standard `restricted`: not as root, without capabilities.
        capabilities: Linux capabilities that the command gets beside the usual ones.
        stop_grace: How long a command that is asked to stop (SIGTERM) has before it is killed (SIGKILL).
        node_selector: Labels that the node must have; of a list, any of the values.
        node_label: Which nodes, by a node label expression of Hadoop.
        tolerations: Taints that the pods tolerate, keys in snake_case.
        spread: Place the replicas of the role on different nodes.
        mounts: What is mounted into its containers.
        outputs: What is copied when the command has ended.
        steps: What runs before and beside the command.
    """
    return made(model.Role, _given(locals()))


def step(
    *,
    kind: Literal["prepare", "sidecar"],
    name: str,
    image: str | None = _DEFAULT,
    command: Sequence[str | model.RunTimeText] | str | model.RunTimeText = _DEFAULT,
    args: Sequence[str | model.RunTimeText] = _DEFAULT,
    workdir: str | model.RunTimeText | None = _DEFAULT,
    env: Mapping[str, model.EnvValue | float] = _DEFAULT,
    env_from: Sequence[model.EnvSource] = _DEFAULT,
    cpu: Quantity | str | float | None = _DEFAULT,
    memory: Quantity | str | None = _DEFAULT,
    gpu: int = _DEFAULT,
    ports: Mapping[str, int] = _DEFAULT,
) -> model.Step:
    """A container beside that of the command, with the mounts of its role.

    Args:
        kind: `prepare` runs before the command, `sidecar` beside it.
        name: Name of its container.
        image: Container image; with `build`, the tag to build the Dockerfile as.
        command: The command to run: a list in exec form, or one text for `/bin/sh -c`.
        args: Appended to the command.
        workdir: Working folder of the command.
        env: Environment variables: text, number, bool, `secret()`, `configmap()` or `pod_field()`.
        env_from: Every key of a Secret or ConfigMap as a variable; `env` wins.
        cpu: CPUs per replica, requested and the limit.
        memory: Memory per replica, requested and the limit.
        gpu: Whole devices per replica.
        ports: Further ports of the container, by name.
    """
    return made(model.Step, _given(locals()))


def policy(
    *,
    event: Literal["completed", "failed", "exit", "evicted", "pending", "restarted", "unknown"],
    action: Literal[
        "complete job",
        "fail job",
        "abort job",
        "restart container",
        "restart pod",
        "restart role",
        "restart job",
        "ignore",
    ],
    role: Literal["chief", "master", "ps", "worker", "evaluator", "tensorboard"] | None = _DEFAULT,
    index: int | None = _DEFAULT,
    codes: Sequence[int] = _DEFAULT,
    count: int | None = _DEFAULT,
    delay: Duration | str | None = _DEFAULT,
) -> model.Policy:
    """What happens on an event.

    Args:
        event: When it decides.
        action: What happens.
        role: The role that it is about; without it, the whole job.
        index: The only replica that it is about; without it, every one.
        codes: The exit statuses of `exit`.
        count: How many restarts `restarted` waits for.
        delay: How long the event must have lasted.
    """
    return made(model.Policy, _given(locals()))


def output(
    *,
    source: str | model.RunTimeText,
    destination: str | model.RunTimeText,
    when: Literal["success", "failure", "always"] = _DEFAULT,
    index: int | None = _DEFAULT,
    overwrite: bool = _DEFAULT,
) -> model.Output:
    """A file or folder copied when the command has ended, by the replicas of the role that holds it.

    Args:
        source: The file or folder in the container.
        destination: Where it is copied to.
        when: After which ends of the command.
        index: The only replica that it is about; without it, every one.
        overwrite: Overwrite existing files.
    """
    return made(model.Output, _given(locals()))


def claim(
    *,
    name: str,
    size: Quantity | str,
    storage_class: str | None = _DEFAULT,
    access_modes: Sequence[Literal["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]] = _DEFAULT,
    keep: bool = _DEFAULT,
) -> model.Claim:
    """A claim to be made for the job, named ``<job>-<name>``; one claim may be mounted by several roles.

    Args:
        name: What its mounts call it; the claim is named JOB-NAME.
        size: How much it can hold.
        storage_class: StorageClass of the claim.
        access_modes: Access modes of the claim.
        keep: Keep the claim after the job is deleted.
    """
    return made(model.Claim, _given(locals()))


def toleration(
    *,
    key: str | None = _DEFAULT,
    operator: Literal["Exists", "Equal"] | None = _DEFAULT,
    value: str | None = _DEFAULT,
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = _DEFAULT,
    toleration_seconds: int | None = _DEFAULT,
) -> model.Toleration:
    """A Kubernetes toleration.

    Args:
        key: Key of the taint; without it, every key.
        operator: `Exists` for any value, `Equal` for the one named.
        value: Value of the taint.
        effect: Which effect is tolerated; without it, every one.
        toleration_seconds: How long a running pod may stay.
    """
    return made(model.Toleration, _given(locals()))


def cluster(
    *,
    discovery: Literal["tf_config", "flags", "both", "none"] = _DEFAULT,
    protocol: Literal["grpc", "grpc+gdr", "grpc+mpi", "grpc+verbs"] = _DEFAULT,
) -> model.Cluster:
    """How the tasks learn of each other.

    Args:
        discovery: How tasks find each other: TF_CONFIG, the four TensorFlow flags, both, or not at all.
        protocol: Protocol of the TensorFlow servers.
    """
    return made(model.Cluster, _given(locals()))


def build(
    *,
    base: str,
    workdir: str | None = _DEFAULT,
    steps: Sequence[model.CopyStep | model.RunStep] = _DEFAULT,
    entrypoint: Sequence[str] = _DEFAULT,
    hadoop: str | None = _DEFAULT,
) -> model.Build:
    """The Dockerfile of the job's image.

    Args:
        base: Base image.
        workdir: Working folder of the image.
        steps: `copy` and `run`, in their order.
        entrypoint: Entrypoint of the image, in exec form.
        hadoop: Adds the Hadoop client of this version.
    """
    return made(model.Build, _given(locals()))


def copy_step(
    *,
    source: str,
    destination: str,
) -> model.CopyStep:
    """``copy SOURCE to DESTINATION``.

    Args:
        source: What is copied, in the build context.
        destination: Where to.
    """
    return made(model.CopyStep, _given(locals()))


def run_step(
    *,
    command: str,
) -> model.RunStep:
    """``run COMMAND``.

    Args:
        command: The command that runs.
    """
    return made(model.RunStep, _given(locals()))


def pvc_mount(
    *,
    at: str,
    claim: str | model.RunTimeText,
    readonly: bool = _DEFAULT,
    sub_path: str | model.RunTimeText | None = _DEFAULT,
) -> model.PvcMount:
    """An existing PersistentVolumeClaim.

    Args:
        at: Where it is in the container, without a / at the end.
        claim: The claim name.
        readonly: Mount it so that nothing can be written to it.
        sub_path: Folder or file inside the volume.
    """
    return made(model.PvcMount, _given(locals()))


def claim_mount(
    *,
    at: str,
    claim: str,
    readonly: bool = _DEFAULT,
    sub_path: str | model.RunTimeText | None = _DEFAULT,
) -> model.ClaimMount:
    """A claim made for this job; ``claim`` is the name of one in the ``claims`` of the job.

    Args:
        at: Where it is in the container, without a / at the end.
        claim: Name of the claim among those of the job.
        readonly: Mount it so that nothing can be written to it.
        sub_path: Folder or file inside the volume.
    """
    return made(model.ClaimMount, _given(locals()))


def host_mount(
    *,
    at: str,
    source: str | model.RunTimeText,
    readonly: bool = _DEFAULT,
    type: Literal["Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"]
    | None = _DEFAULT,
) -> model.HostMount:
    """A folder or file of the node.

    Args:
        at: Where it is in the container, without a / at the end.
        source: The absolute path on the node.
        readonly: Mount it so that nothing can be written to it.
        type: The kind of file that must exist.
    """
    return made(model.HostMount, _given(locals()))


def nfs_mount(
    *,
    at: str,
    server: str,
    share: str | model.RunTimeText,
    readonly: bool = _DEFAULT,
) -> model.NfsMount:
    """An NFS export.

    Args:
        at: Where it is in the container, without a / at the end.
        server: The server.
        share: The path that it exports.
        readonly: Mount it so that nothing can be written to it.
    """
    return made(model.NfsMount, _given(locals()))


def configmap_mount(
    *,
    at: str,
    name: str | model.RunTimeText,
    readonly: bool = _DEFAULT,
    sub_path: str | model.RunTimeText | None = _DEFAULT,
    items: Mapping[str, str] = _DEFAULT,
    mode: str | None = _DEFAULT,
) -> model.ConfigMapMount:
    """A ConfigMap as files.

    Args:
        at: Where it is in the container, without a / at the end.
        name: The ConfigMap name.
        readonly: Mount it so that nothing can be written to it.
        sub_path: Folder or file inside the volume.
        items: Keys to show, each with its file name.
        mode: Octal mode of the files.
    """
    return made(model.ConfigMapMount, _given(locals()))


def secret_mount(
    *,
    at: str,
    name: str | model.RunTimeText,
    readonly: bool = _DEFAULT,
    sub_path: str | model.RunTimeText | None = _DEFAULT,
    items: Mapping[str, str] = _DEFAULT,
    mode: str | None = _DEFAULT,
) -> model.SecretMount:
    """A Secret as files.

    Args:
        at: Where it is in the container, without a / at the end.
        name: The Secret name.
        readonly: Mount it so that nothing can be written to it.
        sub_path: Folder or file inside the volume.
        items: Keys to show, each with its file name.
        mode: Octal mode of the files.
    """
    return made(model.SecretMount, _given(locals()))


def scratch_mount(
    *,
    at: str,
    readonly: bool = _DEFAULT,
    size: Quantity | str | None = _DEFAULT,
) -> model.ScratchMount:
    """Node disk that lives with the pod.

    Args:
        at: Where it is in the container, without a / at the end.
        readonly: Mount it so that nothing can be written to it.
        size: The size.
    """
    return made(model.ScratchMount, _given(locals()))


def memory_mount(
    *,
    at: str,
    readonly: bool = _DEFAULT,
    size: Quantity | str | None = _DEFAULT,
) -> model.MemoryMount:
    """A tmpfs of ``size``.

    Args:
        at: Where it is in the container, without a / at the end.
        readonly: Mount it so that nothing can be written to it.
        size: The size.
    """
    return made(model.MemoryMount, _given(locals()))


def hdfs_mount(
    *,
    at: str,
    uri: str | model.RunTimeText,
    readonly: bool = _DEFAULT,
) -> model.HdfsMount:
    """A file or folder of HDFS, fetched before the command starts; it is never written back.

    Args:
        at: Where it is in the container, without a / at the end.
        uri: The URI, or path of the default file system.
        readonly: Mount it so that nothing can be written to it.
    """
    return made(model.HdfsMount, _given(locals()))


def archive_mount(
    *,
    at: str,
    source: str | model.RunTimeText,
    readonly: bool = _DEFAULT,
) -> model.ArchiveMount:
    """An archive (``.tar .tar.gz .tgz .zip``; a URI or a local file) unpacked at ``at`` before the command starts.

    Args:
        at: Where it is in the container, without a / at the end.
        source: The URI or file (.tar .tar.gz .tgz .zip).
        readonly: Mount it so that nothing can be written to it.
    """
    return made(model.ArchiveMount, _given(locals()))


def run_time_text(
    *,
    parts: Sequence[str | model.TaskIndex | model.EnvVar],
) -> model.RunTimeText:
    """A text with parts that are known only when the replica runs; neighbouring literal parts are joined.

    Args:
        parts: Its literal parts, and those that are known when the replica runs.
    """
    return made(model.RunTimeText, _given(locals()))


def whole_flow(
    *,
    name: str,
    runs: Sequence[flow.FlowRun],
    jobs: Sequence[model.Job],
    schedule: str | None = _DEFAULT,
    time_zone: str | None = _DEFAULT,
    overlap: Literal["skip", "allow", "replace"] = _DEFAULT,
    deadline: Duration | str | None = _DEFAULT,
    namespace: str | None = _DEFAULT,
    common_labels: Mapping[str, str] = _DEFAULT,
    service_account: str | None = _DEFAULT,
) -> flow.WholeFlow:
    """A flow with its jobs, as it is written in JSON and made in Python.

    Args:
        name: Name of the flow.
        runs: Which jobs run, and when.
        jobs: Its jobs.
        schedule: When it runs: the five fields of cron, or `@hourly`, `@daily`, `@weekly`, `@monthly`.
        time_zone: The time zone of the schedule, as `Europe/Berlin`.
        overlap: What happens when it is to start while an earlier run is not over.
        deadline: How long a run may take.
        namespace: The namespace of the flow and of all its jobs.
        common_labels: Labels of every object of the flow and of its jobs.
        service_account: The service account of the pods that the engine itself starts.
    """
    return made(flow.WholeFlow, _given(locals()))


def flow_run(
    *,
    job: str,
    after: Sequence[str] = _DEFAULT,
    ending: Literal["succeeded", "failed", "ended"] = _DEFAULT,
) -> flow.FlowRun:
    """One job of a flow.

    Args:
        job: Name of the job that runs.
        after: The jobs that have to be over before.
        ending: With which end of these it runs.
    """
    return made(flow.FlowRun, _given(locals()))
