"""What becomes of each field of what runs on YARN: DistributedShell's options, Yarnfiles, TonY and Submarine."""

from __future__ import annotations

from typing import Final

from tfdsl.backend.reading import Field
from tfdsl.vocabulary.attributes import IN_MEMORY

DSHELL: Final = "DistributedShell"
YARNFILE: Final = "Yarnfile"
TONY: Final = "TonY"
SUBMARINE: Final = "Submarine"

LEFT_OUT: Final = {
    "master_vcores": "the application master needs one processor",
    "master_resources": "target yarn { am_memory } is its memory",
    "master_resource_profile": "target yarn { am_memory } is its memory",
    "container_resource_profile": "a role asks for memory, cpu and gpu",
    "shell_cmd_priority": "all containers of an application have one priority",
    "log_properties": "submit.sh shows what the client logs",
    "keep_containers_across_application_attempts": "the tasks would not find each other again",
    "attempt_failures_validity_interval": "YARN's own setting of the application master holds",
    "container_failures_validity_interval": "retries counts over the whole life of the job",
    "container_retry_interval": "a restart waits for one second",
    "container_type": "containers are guaranteed",
    "promote_opportunistic_after_start": "containers are guaranteed",
    "enforce_execution_type": "containers are guaranteed",
    "domain": "it is for the timeline server",
    "view_acls": "it is for the timeline server",
    "modify_acls": "it is for the timeline server",
    "create": "it is for the timeline server",
    "flow_name": "it is for the timeline server",
    "flow_version": "it is for the timeline server",
    "flow_run_id": "it is for the timeline server",
    "docker_client_config": "the nodes log in to the registry",
    "application_tags": "submit.sh sets a tag of its own",
    "rolling_log_pattern": "the logs are those of YARN",
    "debug": "submit.sh shows what the client logs",
}
"""Option of DistributedShell → why it is left out."""

SERVICE_LEFT_OUT: Final = {
    "quicklinks": "the tasks have free ports; submit.sh shows where the application is",
    "kerberos_principal": "the tasks act as the one who submits",
    "docker_client_config": "the nodes log in to the registry",
    "dependencies": "a job does not wait for another one",
    "readiness_check": "after waits until a role runs",
    "decommissioned_instances": "a job has a fixed number of replicas",
}
"""Field of a Yarnfile → why it is left out."""

TONY_LEFT_OUT: Final = {
    "tony.application.tags": "submit.sh sets a tag of its own",
    "tony.application.untracked": "ps never decides the end of a job, and tensorboard never ends it",
    "tony.application.sidecar": "ps never decides the end of a job, and tensorboard never ends it",
    "tony.application.stop-on-failure-jobtypes": "any failure fails the job, unless a policy says otherwise",
    "tony.application.fail-on-worker-failure-enabled": "any failure fails the job, unless a policy says otherwise",
    "tony.application.enable-preprocess": "prepare runs before the command",
    "tony.application.prepare-stage": "after says what starts later",
    "tony.application.training-stage": "after says what starts later",
    "tony.application.security": "the tasks act as the one who submits",
    "tony.application.hdfs-conf-path": "target yarn { hadoop_home } is the Hadoop of the nodes",
    "tony.application.single-node": "a job of one replica is one task",
    "tony.am.vcores": "the application master needs one processor",
    "tony.am.gpus": "the application master needs no device",
    "tony.am.retry-count": "YARN's own setting of the application master holds",
    "tony.task": "the tasks watch each other by their connections",
    "tony.worker.timeout": "deadline is that of the job",
    "tony.other.namenodes": "the client gets tokens of the default file system alone",
    "tony.history": "it is for TonY's own pages",
    "tony.keytab": "the tasks act as the one who submits",
}
"""Property of TonY, or the beginning of several → why it is left out."""

SUBMARINE_LEFT_OUT: Final = {
    "security": "the tasks act as the one who submits",
    "quicklinks": "the tasks have free ports; submit.sh shows where the application is",
    "wait_job_finish": "submit.sh waits for the end",
}
"""Field of Submarine's file → why it is left out."""

FIELDS: Final = (
    Field("-appname", "job NAME", "in lowercase", DSHELL),
    Field("-queue", "queue", "", DSHELL),
    Field("-priority", "priority", "", DSHELL),
    Field("-timeout", "deadline", "milliseconds; without it 10 minutes, in target yarn", DSHELL),
    Field("-num_containers", "role worker { replicas }", "", DSHELL),
    Field("-shell_command, -shell_args", "command", "", DSHELL),
    Field("-shell_script", 'command = ["bash", …], target yarn { files }', "", DSHELL),
    Field("-shell_env NAME=VALUE", "env", "", DSHELL),
    Field("-shell_env YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "image", "with …_TYPE=docker", DSHELL),
    Field("-shell_env YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", "mount host", "", DSHELL),
    Field(
        "-shell_env YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS",
        ", ".join(("mount memory", *IN_MEMORY)),
        "of the size of memory",
        DSHELL,
    ),
    Field("-shell_env YARN_CONTAINER_RUNTIME_DOCKER_RUN_PRIVILEGED_CONTAINER", "privileged", "", DSHELL),
    Field("-container_memory, memory-mb of -container_resources", "memory", "without it 10 MB, here 2048", DSHELL),
    Field("-container_vcores, vcores of -container_resources", "cpu", "", DSHELL),
    Field("yarn.io/gpu of -container_resources", "gpu", "another device is also gpu_resource", DSHELL),
    Field("-container_resources NAME", "resources", "", DSHELL),
    Field("-node_label_expression", "node_label", "", DSHELL),
    Field("-placement_spec", 'spread = "node", target yarn { placement }', "one constraint", DSHELL),
    Field("-localize_files", "target yarn { files }", "", DSHELL),
    Field(
        "-container_retry_policy, -container_retry_error_codes", "on failed or on exit => restart container", "", DSHELL
    ),
    Field("-container_max_retries", "retries", "-1 becomes the largest number", DSHELL),
    Field("-master_memory", "target yarn { am_memory }", "", DSHELL),
    Field(
        "-num_parameter_servers, -num_trainers", 'role ps, role worker, target yarn { dialect = "yarn-tf" }', "", DSHELL
    ),
    Field("-mounts", "mount host", "of the modified client", DSHELL),
    Field("-output", "output", "of the modified client", DSHELL),
    Field("-tar", 'mount archive … at "."', "of the modified client", DSHELL),
    *(Field(f"-{option}", "", reason, DSHELL) for option, reason in LEFT_OUT.items()),
    Field("name", "job NAME", "", YARNFILE),
    Field("queue", "queue", "", YARNFILE),
    Field("lifetime", "deadline", "seconds", YARNFILE),
    Field("components[].name", "role", "--role NAME=ROLE says it for other names", YARNFILE),
    Field("components[].number_of_containers", "replicas", "", YARNFILE),
    Field("components[].launch_command", "command", "${COMPONENT_ID} is ${task.index}, ${USER} ${job.user}", YARNFILE),
    Field("components[].artifact of type DOCKER", "image", "also that of the service", YARNFILE),
    Field("components[].artifact of type TARBALL", 'mount archive … at "lib"', "", YARNFILE),
    Field("components[].resource.memory", "memory", "MB; also that of the service", YARNFILE),
    Field("components[].resource.cpus", "cpu", "", YARNFILE),
    Field("components[].resource.additional", "gpu, resources", "", YARNFILE),
    Field("components[].configuration.env", "env, mount host, mount memory, privileged", "as for -shell_env", YARNFILE),
    Field("components[].configuration.files[]", "mount hdfs, mount archive", "STATIC and ARCHIVE of a URI", YARNFILE),
    Field(
        f"components[].configuration.properties.{'yarn.service.container-state-report-as-service-state'}",
        "on ROLE completed => complete job",
        "",
        YARNFILE,
    ),
    Field("components[].dependencies[]", "after", "the role runs; readiness is not asked", YARNFILE),
    Field(
        "components[].restart_policy",
        "on failed => restart container",
        "ALWAYS is like ON_FAILURE; all tasks restart; without it in target yarn",
        YARNFILE,
    ),
    Field(
        "configuration.properties.yarn.service.container-failure-per-component.threshold",
        "retries",
        "without it 10, in target yarn",
        YARNFILE,
    ),
    Field("components[].placement_policy", 'spread = "node", node_label, target yarn { placement }', "", YARNFILE),
    Field("components[].run_privileged_container", "privileged", "", YARNFILE),
    *(Field(name, "", reason, YARNFILE) for name, reason in SERVICE_LEFT_OUT.items()),
    Field("tony.application.name", "job NAME", "in lowercase", TONY),
    Field("tony.<role>.instances", "replicas", "", TONY),
    Field("tony.<role>.memory", "memory", "without it 2g", TONY),
    Field("tony.<role>.vcores", "cpu", "", TONY),
    Field("tony.<role>.gpus", "gpu", "", TONY),
    Field(
        "tony.<role>.command, tony.containers.command",
        "command",
        "-executes of the command line is not in the file",
        TONY,
    ),
    Field("tony.<role>.node-label, tony.application.node-label", "node_label", "", TONY),
    Field("tony.<role>.depends-on", "after", "", TONY),
    Field(
        "tony.<role>.resources, tony.containers.resources", "mount hdfs, mount archive, target yarn { files }", "", TONY
    ),
    Field("tony.containers.envs, tony.execution.envs", "env", "", TONY),
    Field("tony.docker.containers.image, tony.docker.<role>.image", "image", "if tony.docker.enabled is true", TONY),
    Field("tony.docker.containers.mount", "mount host", "", TONY),
    Field("tony.yarn.queue", "queue", "", TONY),
    Field("tony.application.timeout", "deadline", "milliseconds", TONY),
    Field("tony.container.allocation.timeout", "on pending after … => fail job", "milliseconds", TONY),
    Field("tony.application.tensorboard-log-dir", "role tensorboard { logdir }", "", TONY),
    Field("tony.application.distributed-mode", "gang", "FCFS is gang = false", TONY),
    Field("tony.am.memory", "target yarn { am_memory }", "", TONY),
    Field("-executes, -task_params, -python_binary_path", "command", "of TonY's client", TONY),
    Field(
        "-src_dir",
        "target yarn { files }, workdir",
        "of TonY's client, which puts its contents in the work folder",
        TONY,
    ),
    Field(
        "-python_venv", 'mount archive … at "venv"', "of TonY's client; a relative -python_binary_path is in it", TONY
    ),
    Field("-conf_file", "", "import it together with the command line", TONY),
    Field("-shell_env, -container_env", "env", "of TonY's client", TONY),
    Field("-conf NAME=VALUE", "", "counts as the property of tony.xml", TONY),
    *(Field(name, "", reason, TONY) for name, reason in TONY_LEFT_OUT.items()),
    Field("spec.name", "job NAME", "in lowercase", SUBMARINE),
    Field("scheduling.queue", "queue", "", SUBMARINE),
    Field("configs.checkpoint_path", "checkpoint", "", SUBMARINE),
    Field("configs.docker_image, roles.<role>.docker_image", "image", "", SUBMARINE),
    Field("configs.envs, roles.<role>.envs", "env", "", SUBMARINE),
    Field("configs.mounts, roles.<role>.mounts", "mount host", "", SUBMARINE),
    Field("configs.localizations, roles.<role>.localizations", "mount hdfs", "only hdfs://", SUBMARINE),
    Field("roles.<role>.replicas", "replicas", "Submarine's first worker is its master", SUBMARINE),
    Field("roles.<role>.resources", "memory, cpu, gpu", "", SUBMARINE),
    Field("roles.<role>.launch_cmd", "command", "%input_path% and the like are replaced", SUBMARINE),
    Field("tensorBoard", "role tensorboard", "it shows checkpoint", SUBMARINE),
    Field("job run --…", "", "the options are the fields of the file that say the same", SUBMARINE),
    *(Field(name, "", reason, SUBMARINE) for name, reason in SUBMARINE_LEFT_OUT.items()),
)
"""In the order of the page that shows them."""
