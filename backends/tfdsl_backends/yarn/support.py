"""What the yarn target does with everything a job can set.

Sources: DistributedShell's Client and ApplicationMaster of Hadoop 2.7 to 3.5, and what that of 3.4.2 was seen to do.
Policies stand in :mod:`tfdsl_backends.yarn.policy_support`, mounts and outputs in
:mod:`tfdsl_backends.yarn.file_support`.
"""

from __future__ import annotations

from tfdsl import conditions as asked
from tfdsl.backend import Support, approximated, chosen, kept, refused, translated
from tfdsl_backends.yarn import conditions as when
from tfdsl_backends.yarn.file_support import FILES
from tfdsl_backends.yarn.policy_support import POLICIES

KUBERNETES = "write it in the block of a Kubernetes target"
PROGRAM = "the task program in job.sh"

JOB = (
    approximated(
        "job.namespace",
        "",
        "YARN has no namespaces; {value} is left out",
        "YRN001",
        instead="queue says where the job's resources come from",
    ),
    approximated("job.labels", "", "YARN has no labels; they are left out", "YRN002"),
    approximated("job.annotations", "", "YARN has no annotations; they are left out", "YRN003"),
    kept("job.queue", "-queue"),
    refused(
        "job.priority",
        "YARN's priorities are numbers, {value} is none",
        "YRN004",
        "priority-name",
        instead="target yarn {{ priority = 10 }}; a larger number goes first",
        when=when.text_priority,
    ),
    translated(
        "job.priority",
        "-priority",
        "a larger number goes first; YARN lowers it to the cluster's yarn.cluster.max-application-priority, which is 0 "
        "unless set",
    ),
    refused(
        "job.scheduler", "the cluster has one scheduler, a job cannot choose {value}", "YRN005", instead=KUBERNETES
    ),
    translated("job.gang", "", "one replica starts alone", when=asked.single),
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
        "all tasks meet before any starts all the same: their addresses are known only then",
        "YRN007",
        "gang-off",
        when=asked.off,
    ),
    approximated(
        "job.gang",
        PROGRAM,
        "no command starts before all containers are there, but those that are hold their resources while they wait, "
        "for rendezvous_seconds at most",
        "YRN008",
        instead="target volcano places all or none",
    ),
    chosen(
        "job.retries",
        "-container_max_retries",
        "every restart is one of the whole gang, so each container's count is the job's; a task that has ended well "
        "keeps its container till the job has, in case it has to start again",
        "retries is not set, so {value} restarts are allowed; when they are used up the job fails",
        "YRN140",
        "default-retries",
        instead="write retries = N to allow more or fewer",
    ),
    refused(
        "job.deadline",
        "the client's -timeout holds 24 days and 20 hours at most, not {value}",
        "YRN009",
        "deadline-long",
        instead="name a shorter one, or leave it out",
        when=when.too_long,
    ),
    approximated(
        "job.deadline",
        "-timeout",
        "the client that submits counts {value} and then kills the application; when it is not running, nobody does",
        "YRN010",
        instead="let submit.sh run on a machine that stays up",
    ),
    approximated(
        "job.ttl", "", "the ResourceManager forgets ended applications by its own rules; {value} is left out", "YRN011"
    ),
    translated("job.cleanup", PROGRAM, "all containers end with the job", when=asked.running),
    approximated(
        "job.cleanup",
        "",
        "all containers end with the job and their logs are kept by YARN, whatever cleanup says",
        "YRN012",
    ),
    kept("job.suspend", "", when=asked.off),
    refused(
        "job.suspend",
        "a submitted application starts",
        "YRN013",
        instead="submit later, or use target tfjob or kubernetes",
    ),
    translated("job.checkpoint", "job.sh", "every role gets it as CHECKPOINT_DIR"),
    translated("cluster.discovery", PROGRAM, "TF_CONFIG and the flags are made when all tasks have met"),
    approximated(
        "cluster.protocol",
        PROGRAM,
        "only server roles are started with protocol {value}: TF_CONFIG does not hold it, so a program that starts its "
        "own server has to name it itself",
        "YRN015",
        when=asked.not_grpc,
        default="silent",
    ),
    translated("cluster.protocol", PROGRAM, "of the servers that roles with server = true run"),
    kept("build", "the Dockerfile of the image", when=when.any_docker),
    approximated(
        "build", "the Dockerfile", "no role runs in docker, so the image is not used", "YRN014", "build-unused"
    ),
)

PLACEMENT = (
    kept("roles[].replicas", "-num_containers"),
    approximated(
        "roles[].min_available",
        "",
        "the tasks wait for every replica, since the cluster spec names them all; {role} cannot start with {value}",
        "YRN020",
        when=asked.fewer,
        instead="lower replicas",
    ),
    kept("roles[].min_available", PROGRAM),
    approximated(
        "roles[].after", "", "the modified client starts all roles at once", "YRN021", "tf-after", when=when.yarn_tf
    ),
    translated(
        "roles[].after", PROGRAM, "all containers are there first; the role's commands start when those roles run"
    ),
    translated("roles[].server", PROGRAM, "a TensorFlow server built from the addresses"),
    kept("roles[].logdir", "tensorboard --logdir"),
    approximated("roles[].labels", "", "YARN has no labels; they are left out", "YRN002"),
    approximated("roles[].annotations", "", "YARN has no annotations; they are left out", "YRN003"),
    approximated(
        "roles[].node_label",
        "-node_label_expression",
        "DistributedShell has one expression for all containers and the application master of an application; {value} "
        "places them all",
        "YRN022",
        "node-label-all",
        when=when.one_application,
        instead='applications = "per-role"',
    ),
    translated("roles[].node_label", "-node_label_expression", "the application master goes there too"),
    kept("roles[].spread", "", when=when.no_spread),
    approximated(
        "roles[].spread",
        "-placement_spec",
        "one application places all its containers alike: all go to different nodes, not only those of {role}",
        "YRN023",
        "spread-all",
        since="3.1",
        when=when.one_application,
        instead='applications = "per-role"',
    ),
    translated(
        "roles[].spread",
        "-placement_spec",
        "the ResourceManager has to handle placement constraints; only its handler `scheduler` waits for a free node",
        since="3.1",
    ),
    refused(
        "roles[].spread",
        "Hadoop 2 cannot keep containers apart",
        "YRN024",
        "spread-version",
        instead='version = "3.1", whose cluster also has to enable placement constraints',
    ),
    refused(
        "roles[].node_selector",
        "YARN knows no Kubernetes node labels",
        "YRN025",
        instead="node_label names the YARN label that such nodes bear",
    ),
    refused(
        "roles[].tolerations",
        "YARN nodes have no taints",
        "YRN026",
        instead="node_label places a role on the nodes of an exclusive YARN label",
    ),
)

CONTAINER = (
    kept("roles[].image", "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", when=when.docker),
    approximated(
        "roles[].image",
        "",
        "role {role} runs native, so its image is not used",
        "YRN030",
        "image-unused",
        instead='leave runtime out, or write runtime = "docker"',
    ),
    approximated(
        "roles[].image_pull_policy",
        "",
        "the node pulls an image that it does not have; {value} is left out",
        "YRN031",
        "pull-policy",
    ),
    approximated(
        "roles[].image_pull_secrets",
        "",
        "the nodes' docker client has to be logged in; the secrets are left out",
        "YRN032",
        "pull-secrets",
    ),
    kept("roles[].command", "job.sh"),
    kept("roles[].args", "job.sh"),
    translated("roles[].workdir", "job.sh", "relative to the task's work folder"),
    translated("roles[].env", "job.sh", "set by the script: -shell_env would pass through two shells"),
    approximated(
        "roles[].cpu",
        "vcores",
        "YARN counts whole processors; {value} is rounded up",
        "YRN033",
        "cpu-rounded",
        when=asked.fraction,
    ),
    kept("roles[].cpu", "vcores"),
    translated("roles[].memory", "memory-mb", "in MB, rounded up"),
    kept("roles[].cpu_limit", "", when=asked.same_cpu),
    approximated(
        "roles[].cpu_limit",
        "",
        "a YARN container has one size; role {role} gets its cpu, not the limit {value}",
        "YRN034",
    ),
    kept("roles[].memory_limit", "", when=asked.same_memory),
    approximated(
        "roles[].memory_limit",
        "",
        "a YARN container has one size; role {role} is ended above its memory, not above {value}",
        "YRN035",
        instead="ask for the larger amount as memory",
    ),
    kept("roles[].gpu", "", when=asked.zero),
    kept("roles[].gpu", "-container_resources", since="3.1"),
    approximated(
        "roles[].gpu",
        "-node_label_expression",
        "Hadoop 2 does not count GPUs; node_label puts role {role} on such nodes, but nobody reserves the {value}",
        "YRN036",
        "gpu-label",
        when=asked.labelled,
        instead='version = "3.1" and later count them',
    ),
    refused(
        "roles[].gpu",
        "Hadoop 2 does not count GPUs",
        "YRN037",
        "gpu-version",
        instead='name the YARN label of the GPU nodes with node_label, or write version = "3.1"',
    ),
    kept("roles[].gpu_resource", "-container_resources", since="3.1"),
    approximated("roles[].gpu_resource", "", "Hadoop 2 cannot ask for devices; {value} is left out", "YRN038"),
    refused("roles[].gpu_memory", "YARN has no share of a GPU", "YRN039", instead="target volcano shares GPUs"),
    kept("roles[].resources", "-container_resources", when=when.whole_resources),
    refused(
        "roles[].resources",
        "DistributedShell asks for whole numbers of resources, and before Hadoop 3.1 for memory and processors only",
        "YRN040",
        instead="node_label names the nodes that have it",
    ),
    approximated(
        "roles[].shm",
        "YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS",
        "/dev/shm becomes a tmpfs of the container whose size YARN does not limit to {value}",
        "YRN041",
        "shm-docker",
        when=when.tmpfs,
    ),
    refused(
        "roles[].shm",
        "this version's docker runtime gives every container docker's 64 MB of /dev/shm",
        "YRN042",
        "shm-version",
        when=when.docker_without_shm,
        instead='version = "3.3", or runtime = "native"',
    ),
    approximated(
        "roles[].shm",
        "",
        "a native task uses the node's /dev/shm, whatever its size is; {value} is left out",
        "YRN043",
        "shm-native",
    ),
    approximated(
        "roles[].port",
        PROGRAM,
        "each task takes a free port of the option ports, so several can share a node; {value} is not used",
        "YRN044",
        "port-allocated",
        default="silent",
    ),
    kept("roles[].host_network", "", when=asked.off),
    refused("roles[].host_network", "a YARN container always has the node's network", "YRN045", instead="leave it out"),
    refused(
        "roles[].service_account",
        "YARN has no service accounts; tasks run for the user who submits",
        "YRN046",
        instead=KUBERNETES,
    ),
)

SUPPORT = Support("yarn", "YRN", *JOB, *PLACEMENT, *CONTAINER, *FILES, *POLICIES)
