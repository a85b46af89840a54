"""What the yarn target checks beyond its table."""

from __future__ import annotations

from tfdsl.diagnostics import Rule

NO_COMMAND = Rule(
    "YRN100",
    "yarn-no-command",
    "error",
    "yarn: role {role} has no command, and YARN does not run an image's entrypoint",
)
VARIABLE_NAME = Rule(
    "YRN145",
    "yarn-variable-name",
    "error",
    "yarn: the task's shell cannot set a variable called {name}: use letters, digits and _",
)
SECRET_VALUE = Rule(
    "YRN101", "yarn-secret-value", "error", "yarn: there are no Secrets and ConfigMaps on YARN, so {name} has no value"
)
DEFAULT_MEMORY = Rule(
    "YRN102",
    "yarn-default-memory",
    "info",
    "yarn: roles without memory ({roles}) ask for {memory} MB; DistributedShell's own default is 10 MB",
)
MEMORY_LOWERED = Rule(
    "YRN103",
    "yarn-memory-lowered",
    "warning",
    "yarn: role {role} asks for {memory} MB; the cluster gives at most {maximum} MB and lowers the request silently",
)
IMAGE_NAME = Rule(
    "YRN104",
    "yarn-image-name",
    "error",
    "yarn: YARN refuses the image name {image}: the repository part has no capital letters, and tags hold letters, "
    "digits, _ . and -",
)
DOCKER_PATH = Rule(
    "YRN105",
    "yarn-docker-path",
    "error",
    "yarn: a docker mount cannot hold the path {path}: {characters} cannot be expressed in YARN's list of mounts",
)
LINK_PLACE = Rule("YRN106", "yarn-link-place", "error", "yarn: {at} is no place for a link: {why}")
SENT_ARCHIVE = Rule(
    "YRN107",
    "yarn-sent-archive",
    "error",
    "yarn: submit.sh sends the archive along, so its name must be known before the task runs",
)
ARCHIVE_KIND = Rule("YRN108", "yarn-archive-kind", "error", "yarn: {source} ends in none of .tar .tar.gz .tgz .zip")
NUL = Rule("YRN109", "yarn-nul", "error", "yarn: {what} of role {role} holds a NUL character, no process can take it")
PER_ROLE = Rule(
    "YRN110",
    "yarn-per-role",
    "info",
    "yarn: the roles differ in {what}, so each is an application of its own; they meet through a common store",
)
WASTE = Rule(
    "YRN111",
    "yarn-waste",
    "warning",
    "yarn: one application gives every container {size}; that is {waste} more than the roles ask for",
)
ONE_IMAGE = Rule(
    "YRN112",
    "yarn-one-image",
    "error",
    "yarn: one application has one {what} for all containers; the roles have {found}",
)
NO_CLIENT = Rule(
    "YRN113",
    "yarn-no-hdfs-client",
    "warning",
    "yarn: HDFS is used in docker containers ({what}), and nothing says where the image's Hadoop client comes from",
)
QUEUE_NAME = Rule(
    "YRN114", "yarn-client-word", "error", "yarn: the client takes {what} {value} for an option of its own"
)
PORT_RANGE = Rule(
    "YRN115",
    "yarn-port-range",
    "error",
    "yarn: ports takes a range of 1024 to 65535 with room for the tasks, not {value}",
)
YARN_TF_ROLE = Rule(
    "YRN116", "yarn-tf-role", "error", "yarn: the yarn-tf client knows parameter servers and trainers, no {role}"
)
YARN_TF_PAIR = Rule(
    "YRN117",
    "yarn-tf-pair",
    "error",
    "yarn: the yarn-tf client takes SOURCE:DESTINATION pairs; {path} holds {characters}",
)
YARN_TF_SIZES = Rule(
    "YRN118",
    "yarn-tf-per-role",
    "error",
    "yarn: the yarn-tf client runs all roles in one application; applications cannot be per-role",
)
RESOURCE_NAME = Rule("YRN119", "yarn-resource-name", "error", "yarn: {name} is no name of a YARN resource")
PENDING_LIMIT = Rule(
    "YRN120",
    "yarn-pending-limits",
    "info",
    "yarn: all tasks have one time limit for the rendezvous; the shortest, {limit}, holds",
)
MOUNT_INSIDE = Rule(
    "YRN121",
    "yarn-mount-inside",
    "error",
    "yarn: {at} would be written into {source}, a folder of the node that is mounted at {outer}",
)
GPUS_HIDDEN = Rule(
    "YRN141",
    "yarn-gpus-hidden",
    "info",
    "yarn: roles without a GPU ({roles}) get an empty CUDA_VISIBLE_DEVICES; they would see all GPUs of their node",
)
VIRTUAL_MEMORY = Rule(
    "YRN142",
    "yarn-virtual-memory",
    "info",
    "yarn: {roles} may be killed for virtual memory: a NodeManager allows 2.1 times memory, TensorFlow reserves more",
)
TOO_LONG = Rule(
    "YRN130",
    "yarn-value-too-large",
    "error",
    "yarn: {what} of role {role} is {size} bytes long; Linux passes at most 131071 in one argument or variable",
)
TOO_MANY_ADDRESSES = Rule(
    "YRN131",
    "yarn-too-many-addresses",
    "error",
    "yarn: {what} would list {count} addresses, and Linux passes at most 131071 bytes in one argument or variable",
)
MANY_ADDRESSES = Rule(
    "YRN132",
    "yarn-many-addresses",
    "warning",
    "yarn: {what} lists {count} addresses; Linux starts the command only if the nodes' names have at most {room} "
    "characters on average",
)

RULES = (
    NO_COMMAND,
    SECRET_VALUE,
    VARIABLE_NAME,
    DEFAULT_MEMORY,
    MEMORY_LOWERED,
    IMAGE_NAME,
    DOCKER_PATH,
    LINK_PLACE,
    SENT_ARCHIVE,
    ARCHIVE_KIND,
    NUL,
    PER_ROLE,
    WASTE,
    ONE_IMAGE,
    NO_CLIENT,
    QUEUE_NAME,
    PORT_RANGE,
    YARN_TF_ROLE,
    YARN_TF_PAIR,
    YARN_TF_SIZES,
    RESOURCE_NAME,
    PENDING_LIMIT,
    MOUNT_INSIDE,
    GPUS_HIDDEN,
    VIRTUAL_MEMORY,
    TOO_LONG,
    TOO_MANY_ADDRESSES,
    MANY_ADDRESSES,
)
