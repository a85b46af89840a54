"""What the slider target does with everything a job can set.

Sources: apache/incubator-slider 0.91 to 0.93 (`slider-core`, `slider-agent`, `app-packages/tensorflow`), what 0.92 was
seen to do on a Hadoop 3.4 cluster. Policies stand in :mod:`tfdsl_backends.slider.policy_support`, mounts and outputs in
:mod:`tfdsl_backends.slider.file_support`.
"""

from __future__ import annotations

from tfdsl import conditions as asked
from tfdsl.backend import Support, approximated, chosen, kept, refused, translated
from tfdsl_backends.slider import conditions as when
from tfdsl_backends.slider.file_support import FILES
from tfdsl_backends.slider.policy_support import POLICIES

KUBERNETES = "write it in the block of a Kubernetes target"
RESOURCES = "resources.json"
SCRIPT = "package/files/job.json"

JOB = (
    approximated(
        "job.namespace",
        "",
        "Slider has no namespaces; {value} is left out",
        "SLI001",
        instead="queue says where the job's resources come from",
    ),
    approximated("job.labels", "", "Slider has no labels; they are left out", "SLI002"),
    approximated("job.annotations", "", "Slider has no annotations; they are left out", "SLI003"),
    kept("job.queue", "slider create --queue"),
    approximated(
        "job.priority",
        "",
        "slider create takes no priority; {value} is left out",
        "SLI004",
        instead="after the start: yarn application -appId ID -updatePriority N (Hadoop 2.8 and later)",
    ),
    refused(
        "job.scheduler", "the cluster has one scheduler, a job cannot choose {value}", "SLI005", instead=KUBERNETES
    ),
    translated("job.gang", "", "one replica starts alone", when=asked.single),
    kept("job.gang", "", when=asked.off),
    approximated(
        "job.gang",
        "",
        "Slider starts containers one by one; those that are there hold their resources and wait until all are, for "
        "wait_limit seconds",
        "SLI006",
        instead="target volcano starts all or none",
    ),
    chosen(
        "job.retries",
        f"{SCRIPT} retries, {RESOURCES} yarn.container.failure.threshold",
        "restarts in place are counted by the script, replaced containers by Slider; the threshold is never 0, which "
        "would mean no limit",
        "retries is not set, so {value} restarts are allowed; when they are used up the job fails",
        "SLI140",
        "default-retries",
        instead="write retries = N to allow more or fewer",
        when=when.counted_once,
    ),
    approximated(
        "job.retries",
        f"{SCRIPT} retries, {RESOURCES} yarn.container.failure.threshold",
        "{value} restarts are counted for each replica (in place) and for each role (replaced containers), not for the "
        "job",
        "SLI007",
        "retries-per-replica",
    ),
    approximated(
        "job.deadline",
        f"{SCRIPT} deadline",
        "Slider has no deadline; each task counts {value} from its own start and then stops the application",
        "SLI008",
    ),
    approximated(
        "job.ttl",
        "",
        "the ResourceManager forgets ended applications by its own rules; the application's files in HDFS stay",
        "SLI009",
        instead="slider destroy NAME removes them",
    ),
    translated("job.cleanup", "", "all containers end with the application", when=asked.running),
    approximated(
        "job.cleanup",
        "",
        "all containers end with the application and their logs are kept by YARN, whatever cleanup says",
        "SLI010",
    ),
    kept("job.suspend", "", when=asked.off),
    refused(
        "job.suspend",
        "slider create starts the application",
        "SLI011",
        instead="submit later, or use target tfjob or kubernetes",
    ),
    translated(
        "job.checkpoint",
        "appConfig.json site.global.user.checkpoint.dir",
        "the script hands it to every role as CHECKPOINT_DIR; a path with ${{ stays in package/files/job.json, since "
        "Slider replaces such marks",
    ),
    translated("cluster.discovery", SCRIPT, "the script builds TF_CONFIG and the flags from Slider's exports"),
    approximated(
        "cluster.protocol",
        SCRIPT,
        "only server roles are started with protocol {value}: TF_CONFIG does not hold it, so a program that starts its "
        "own server has to name it itself",
        "SLI013",
        when=asked.not_grpc,
        default="silent",
    ),
    translated("cluster.protocol", SCRIPT, "of the servers that roles with server = true run"),
    kept("build", "the Dockerfile of the image", when=when.any_docker),
    approximated(
        "build", "the Dockerfile", "no role runs in docker, so the image is not used", "SLI012", "build-unused"
    ),
)

PLACEMENT = (
    kept("roles[].replicas", f"{RESOURCES} yarn.component.instances"),
    approximated(
        "roles[].min_available",
        "",
        "the tasks wait for every replica, since the cluster spec names them all; {role} cannot start with {value}",
        "SLI020",
        when=asked.fewer,
        instead="lower replicas",
    ),
    kept("roles[].min_available", ""),
    translated("roles[].after", "metainfo commandOrders", "the START of the role waits until those roles are STARTED"),
    translated("roles[].server", "package/files/server.py", "a TensorFlow server built from TF_CONFIG"),
    kept("roles[].logdir", "tensorboard --logdir"),
    approximated("roles[].labels", "", "Slider has no labels; they are left out", "SLI002"),
    approximated("roles[].annotations", "", "Slider has no annotations; they are left out", "SLI003"),
    kept("roles[].node_label", f"{RESOURCES} yarn.label.expression"),
    translated("roles[].spread", f"{RESOURCES} yarn.component.placement.policy", "4 (anti-affinity) for node"),
    refused(
        "roles[].node_selector",
        "YARN knows no Kubernetes node labels",
        "SLI021",
        instead="node_label names the YARN label that such nodes bear",
    ),
    refused(
        "roles[].tolerations",
        "YARN nodes have no taints",
        "SLI022",
        instead="node_label places a role on the nodes of an exclusive YARN label",
    ),
)

CONTAINER = (
    kept("roles[].image", "docker run IMAGE", when=when.docker),
    approximated(
        "roles[].image",
        "",
        "role {role} runs native, so its image is not used",
        "SLI030",
        "image-unused",
        instead='leave runtime out, or write runtime = "docker"',
    ),
    approximated(
        "roles[].image_pull_policy",
        "",
        "docker run pulls an image that the node does not have; {value} is left out",
        "SLI031",
        "pull-policy",
    ),
    approximated(
        "roles[].image_pull_secrets",
        "",
        "the nodes' docker client has to be logged in; the secrets are left out",
        "SLI032",
        "pull-secrets",
    ),
    kept("roles[].command", SCRIPT),
    kept("roles[].args", SCRIPT),
    translated("roles[].workdir", SCRIPT, "relative to the task's work folder"),
    translated("roles[].env", SCRIPT, "set by the script, so Slider's ${{}} marks are never seen in it"),
    approximated(
        "roles[].cpu",
        f"{RESOURCES} yarn.vcores",
        "YARN counts whole processors; {value} is rounded up",
        "SLI033",
        "cpu-rounded",
        when=asked.fraction,
    ),
    kept("roles[].cpu", f"{RESOURCES} yarn.vcores"),
    translated("roles[].memory", f"{RESOURCES} yarn.memory", "in MB, rounded up"),
    kept("roles[].cpu_limit", "", when=asked.same_cpu),
    approximated(
        "roles[].cpu_limit",
        "",
        "a YARN container has one size; role {role} gets its cpu, not the limit {value}",
        "SLI034",
    ),
    kept("roles[].memory_limit", "", when=asked.same_memory),
    approximated(
        "roles[].memory_limit",
        "",
        "a YARN container has one size; role {role} is ended above its memory, not above {value}",
        "SLI035",
        instead="ask for the larger amount as memory",
    ),
    kept("roles[].gpu", "", when=asked.zero),
    approximated(
        "roles[].gpu",
        f"{RESOURCES} yarn.label.expression",
        "Slider cannot ask for GPUs; node_label puts role {role} on such nodes, but nobody counts or reserves the "
        "{value}",
        "SLI036",
        "gpu-label",
        when=asked.labelled,
        instead='spread = "node" keeps replicas of the role apart',
    ),
    refused(
        "roles[].gpu",
        "Slider has no GPU resource",
        "SLI037",
        instead="name the YARN label of the GPU nodes with node_label, or use target yarn",
    ),
    approximated(
        "roles[].gpu_resource",
        "",
        "Slider cannot ask for devices; node_label places the role instead of {value}",
        "SLI038",
    ),
    refused("roles[].gpu_memory", "Slider has no share of a GPU", "SLI039", instead="target volcano shares GPUs"),
    refused(
        "roles[].resources",
        "Slider asks for memory and processors only",
        "SLI040",
        instead="node_label names the nodes that have it",
    ),
    kept("roles[].shm", "docker run --shm-size", when=when.docker),
    approximated(
        "roles[].shm",
        "",
        "a native task uses the node's /dev/shm, whatever its size is; {value} is left out",
        "SLI041",
        "shm-native",
    ),
    approximated(
        "roles[].port",
        "appConfig.json site.global.<role>.port",
        "the agent allocates a free port, so several tasks can share a node; {value} is not used",
        "SLI042",
        "port-allocated",
        default="silent",
    ),
    kept("roles[].host_network", "", when=asked.off),
    refused(
        "roles[].host_network",
        "a Slider container always has the node's network",
        "SLI043",
        instead='leave it out; docker_network = "host" is the default for docker',
    ),
    refused(
        "roles[].service_account",
        "YARN has no service accounts; tasks run for the user who submits",
        "SLI044",
        instead=KUBERNETES,
    ),
)

SUPPORT = Support("slider", "SLI", *JOB, *PLACEMENT, *CONTAINER, *FILES, *POLICIES)
