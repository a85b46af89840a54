"""What becomes of each field of what runs on YARN: DistributedShell's options, Yarnfiles, TonY and Submarine."""

from __future__ import annotations

from typing import Final

from tfdsl.reading import Field

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

FIELDS: Final = (
    Field("-appname", "the name of the job", "in lowercase", DSHELL),
    Field("-queue", "queue", "", DSHELL),
    Field("-priority", "priority", "", DSHELL),
    Field("-timeout", "deadline", "milliseconds; without it the client ends the application after 10 minutes", DSHELL),
    Field("-num_containers", "role worker { replicas }", "", DSHELL),
    Field("-shell_command, -shell_args", "command", "", DSHELL),
    Field("-shell_script", 'command = ["bash", …], target yarn { files }', "", DSHELL),
    Field("-shell_env NAME=VALUE", "env", "", DSHELL),
    Field("-shell_env YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "image", "with …_TYPE=docker", DSHELL),
    Field("-shell_env YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", "mount host", "", DSHELL),
    Field(
        "-shell_env YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS", "mount memory, shm", "of the size of memory", DSHELL
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
)
"""In the order of the page that shows them."""
