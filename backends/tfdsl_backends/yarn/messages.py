"""What the yarn target's own checks can report."""

from tfdsl.diagnostics import Rule
from tfdsl_backends.hadoop.messages import hadoop_rules

SHARED = hadoop_rules("yarn", "YRN", secret_value=101, mount_inside=121, strings=130, files=122)

NO_COMMAND = Rule(
    "YRN100",
    "yarn-no-command",
    "error",
    "role {role} has no command, and YARN does not run an image's entrypoint",
)
DEFAULT_MEMORY = Rule(
    "YRN102",
    "yarn-default-memory",
    "info",
    "roles without memory ({roles}) request {memory} MB; DistributedShell's own default is 10 MB",
)
MEMORY_LOWERED = Rule(
    "YRN103",
    "yarn-memory-lowered",
    "warning",
    "role {role} requests {memory} MB, but the cluster allows {maximum} MB and silently lowers the request",
)
IMAGE_NAME = Rule(
    "YRN104",
    "yarn-image-name",
    "error",
    "YARN refuses the image name {image}: the repository cannot have uppercase letters, and a tag only letters, "
    "digits, _ . and -",
)
DOCKER_PATH = Rule(
    "YRN105",
    "yarn-docker-path",
    "error",
    "YARN's list of docker mounts cannot hold {path}, because of {characters}",
)
LINK_PLACE = Rule("YRN106", "yarn-link-place", "error", "{at} is not a place for a link: {why}")
SENT_ARCHIVE = Rule(
    "YRN107",
    "yarn-sent-archive",
    "error",
    "submit.sh sends the archive, so its name must be known before the task runs",
)
ARCHIVE_KIND = Rule("YRN108", "yarn-archive-kind", "error", "{source} does not end in .tar, .tar.gz, .tgz or .zip")
PER_ROLE = Rule(
    "YRN110",
    "yarn-per-role",
    "info",
    "the roles differ in {what}, so each is an application of its own; their tasks find each other through a "
    "common store",
)
WASTE = Rule(
    "YRN111",
    "yarn-waste",
    "warning",
    "one application gives every container {size}, which is {waste} more than the roles request",
)
ONE_IMAGE = Rule(
    "YRN112",
    "yarn-one-image",
    "error",
    "one application has one {what} for all containers, but the roles have {values}",
)
NO_CLIENT = Rule(
    "YRN113",
    "yarn-no-hdfs-client",
    "warning",
    "docker containers use HDFS ({what}), but nothing says where the image's Hadoop client comes from",
)
QUEUE_NAME = Rule(
    "YRN114", "yarn-client-word", "error", "the client would read {what} {value} as one of its own options"
)
PORT_RANGE = Rule(
    "YRN115",
    "yarn-port-range",
    "error",
    "port_range must be a range from 1024 to 65535 with room for all tasks, not {value}",
)
YARN_TF_ROLE = Rule(
    "YRN116", "yarn-tf-role", "error", "the yarn-tf client has only parameter servers and trainers, not {role}"
)
YARN_TF_PAIR = Rule(
    "YRN117",
    "yarn-tf-pair",
    "error",
    "the yarn-tf client takes SOURCE:DESTINATION pairs, so {path} cannot contain {characters}",
)
YARN_TF_SIZES = Rule(
    "YRN118",
    "yarn-tf-per-role",
    "error",
    "the yarn-tf client runs all roles in one application; applications cannot be per-role",
)
PENDING_LIMIT = Rule(
    "YRN120",
    "yarn-pending-limits",
    "info",
    "the rendezvous has one time limit for all tasks: the shortest, {limit}",
)
PLACEMENT_FORM = Rule("YRN124", "yarn-placement", "error", "placement of {role}: {why}")
PLACEMENT_VERSION = Rule("YRN125", "yarn-placement-version", "error", "{what} cannot place containers by {part}")
PLACEMENT_TAG = Rule("YRN127", "yarn-placement-tag", "error", "no container of this job has the tag {tag}")
PLACEMENT_OF_ITSELF = Rule(
    "YRN128",
    "yarn-placement-of-itself",
    "error",
    "{word} with the role's own tag: the first container of {role} would wait for itself",
)
PLACEMENT_CYCLE = Rule(
    "YRN129", "yarn-placement-cycle", "error", "the first containers of {roles} would wait for each other"
)
PLACEMENT_ONE = Rule(
    "YRN133",
    "yarn-placement-one",
    "error",
    "one application places all its containers alike, not each role by a placement of its own",
)

RULES = (
    *SHARED.all(),
    NO_COMMAND,
    DEFAULT_MEMORY,
    MEMORY_LOWERED,
    IMAGE_NAME,
    DOCKER_PATH,
    LINK_PLACE,
    SENT_ARCHIVE,
    ARCHIVE_KIND,
    PER_ROLE,
    WASTE,
    ONE_IMAGE,
    NO_CLIENT,
    QUEUE_NAME,
    PORT_RANGE,
    YARN_TF_ROLE,
    YARN_TF_PAIR,
    YARN_TF_SIZES,
    PENDING_LIMIT,
    PLACEMENT_FORM,
    PLACEMENT_VERSION,
    PLACEMENT_TAG,
    PLACEMENT_OF_ITSELF,
    PLACEMENT_CYCLE,
    PLACEMENT_ONE,
)
