"""What the slider target's own checks can report."""

from tfdsl.diagnostics import Rule
from tfdsl_backends.hadoop.messages import hadoop_rules

SHARED = hadoop_rules("slider", "SLI", secret_value=104, mount_inside=117, strings=125, files=107)

APPLICATION_NAME = Rule(
    "SLI100",
    "slider-application-name",
    "error",
    "an application cannot be named {name}: the name must start with a lowercase letter and have only "
    "lowercase letters, digits, - and _",
)
NO_COMMAND = Rule(
    "SLI101",
    "slider-no-command",
    "error",
    "role {role} has no command, and a native task has no image with an entrypoint",
)
NUMBER_TOO_LARGE = Rule(
    "SLI102", "slider-number-too-large", "error", "{field} would be {value}; Slider reads at most 2147483647"
)
DEFAULT_MEMORY = Rule(
    "SLI103",
    "slider-default-memory",
    "warning",
    "role {role} has no memory and gets Slider's default of 256 MB, less than TensorFlow alone needs",
)
DOCKER_PATH = Rule(
    "SLI105", "slider-docker-path", "error", "docker cannot mount {path}: it reads a path only up to the :"
)
ARCHIVE_SOURCE = Rule(
    "SLI106",
    "slider-archive-source",
    "error",
    "{source} is a local file, but its name is known only when the task runs, so it cannot be sent",
)
WORK_FOLDER = Rule(
    "SLI109",
    "slider-work-folder",
    "info",
    "the command of {roles} starts in the task's work folder, not in the image's folder, because mounts or "
    "files are there",
)
PORTS = Rule(
    "SLI110",
    "slider-ports",
    "error",
    'allowed_ports must list ports and ranges from 1 to 65535, e.g. "48000-48100,50000", not {value}',
)
UNSAFE_PATH = Rule(
    "SLI112",
    "slider-unsafe-path",
    "error",
    "{at} is not a place for a link: it is the work folder, outside it, or used by the package",
)
XML_TEXT = Rule("SLI113", "slider-xml-text", "error", "{value} has a character that XML cannot contain")
OUTPUT_PLACE = Rule(
    "SLI115",
    "slider-output-place",
    "error",
    "{destination} is not an hdfs:// URI or a path in a host mount of role {role}",
)
ADDRESS = Rule(
    "SLI116",
    "slider-resourcemanager",
    "error",
    '{value} is not a web address of a ResourceManager; write "host:8088" or "https://host:8090"',
)
MASTER_HEAP = Rule(
    "SLI118",
    "slider-master-heap",
    "error",
    "a Java heap of {heap} MB does not fit into an application master of {memory} MB",
)
PLACEMENT_UNUSED = Rule(
    "SLI119",
    "slider-placement-unused",
    "warning",
    "Slider does not use {option} of {role}, {why}",
)
CONFIG_VERSION = Rule(
    "SLI160", "slider-config-version", "error", "Slider {version} does not write configuration files for its components"
)
CONFIG_NAME = Rule(
    "SLI161",
    "slider-config-name",
    "error",
    "{name} is not the name of a configuration file: use letters, digits, _ and -, and an ending that names its format",
)
CONFIG_DICTIONARY = Rule(
    "SLI162", "slider-config-dictionary", "error", "the dictionary of {name}, {dictionary}, is that {whose}"
)
CONFIG_TEXT = Rule("SLI163", "slider-config-text", "error", "{name} cannot contain this text: {problem}")

RULES = (
    *SHARED.all(),
    APPLICATION_NAME,
    NO_COMMAND,
    NUMBER_TOO_LARGE,
    DEFAULT_MEMORY,
    DOCKER_PATH,
    ARCHIVE_SOURCE,
    WORK_FOLDER,
    PORTS,
    UNSAFE_PATH,
    XML_TEXT,
    OUTPUT_PLACE,
    ADDRESS,
    MASTER_HEAP,
    PLACEMENT_UNUSED,
    CONFIG_VERSION,
    CONFIG_NAME,
    CONFIG_DICTIONARY,
    CONFIG_TEXT,
)
