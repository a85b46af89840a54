"""What the slider target checks beyond its table."""

from __future__ import annotations

from tfdsl.diagnostics import Rule

APPLICATION_NAME = Rule(
    "SLI100",
    "slider-application-name",
    "error",
    "slider: an application cannot be called {name}: its name begins with a small letter and holds small letters, "
    "digits, - and _",
)
NO_COMMAND = Rule(
    "SLI101",
    "slider-no-command",
    "error",
    "slider: role {role} has no command, and a native task has no image whose entrypoint it could run",
)
NUMBER_TOO_LARGE = Rule(
    "SLI102", "slider-number-too-large", "error", "slider: {field} would be {value}; Slider reads at most 2147483647"
)
DEFAULT_MEMORY = Rule(
    "SLI103",
    "slider-default-memory",
    "warning",
    "slider: role {role} names no memory and gets Slider's default of 256 MB, which TensorFlow alone exceeds",
)
VARIABLE_NAME = Rule(
    "SLI145",
    "slider-variable-name",
    "error",
    "slider: the task's shell cannot set a variable called {name}: use letters, digits and _",
)
SECRET_VALUE = Rule(
    "SLI104",
    "slider-secret-value",
    "error",
    "slider: there are no Secrets and ConfigMaps on YARN, so {name} has no value",
)
DOCKER_PATH = Rule(
    "SLI105", "slider-docker-path", "error", "slider: docker cannot mount {path}: a path with : ends at the colon"
)
ARCHIVE_SOURCE = Rule(
    "SLI106",
    "slider-archive-source",
    "error",
    "slider: {source} is a local file whose name is known only when the task runs; it cannot be sent along",
)
SAME_FILE = Rule(
    "SLI107", "slider-same-file", "error", "slider: two of files would be {name} in the work folder of a task"
)
BAD_FILE = Rule("SLI108", "slider-bad-file", "error", "slider: {name} has no last name that a task could find it under")
WORK_FOLDER = Rule(
    "SLI109",
    "slider-work-folder",
    "info",
    "slider: mounts or files lie in the task's work folder, so the command of {roles} starts there, not in the image's "
    "own folder",
)
PORTS = Rule(
    "SLI110",
    "slider-ports",
    "error",
    'slider: allowed_ports takes ports and ranges of 1 to 65535, e.g. "48000-48100,50000", not {value}',
)
UNSAFE_PATH = Rule(
    "SLI112", "slider-unsafe-path", "error", "slider: {at} is no place for a link: it is, or leads out of, the folder"
)
XML_TEXT = Rule("SLI113", "slider-xml-text", "error", "slider: XML cannot hold a character of {value}")
NUL = Rule(
    "SLI114", "slider-nul", "error", "slider: a text of role {role} holds a NUL character, which no process can take"
)
OUTPUT_PLACE = Rule(
    "SLI115",
    "slider-output-place",
    "error",
    "slider: {destination} is neither an hdfs:// URI nor a path in a host mount of role {role}",
)
ADDRESS = Rule(
    "SLI116",
    "slider-resourcemanager",
    "error",
    'slider: {value} is no web address of a ResourceManager; write "host:8088" or "https://host:8090"',
)
GPUS_HIDDEN = Rule(
    "SLI141",
    "slider-gpus-hidden",
    "info",
    "slider: roles without a GPU ({roles}) get an empty CUDA_VISIBLE_DEVICES; they would see all GPUs of their node",
)
VIRTUAL_MEMORY = Rule(
    "SLI142",
    "slider-virtual-memory",
    "info",
    "slider: {roles} may be killed for virtual memory: a NodeManager allows 2.1 times memory, TensorFlow reserves more",
)
TOO_LONG = Rule(
    "SLI125",
    "slider-value-too-large",
    "error",
    "slider: {what} of role {role} is {size} bytes long; Linux passes at most 131071 in one argument or variable",
)
TOO_MANY_ADDRESSES = Rule(
    "SLI126",
    "slider-too-many-addresses",
    "error",
    "slider: {what} would list {count} addresses, and Linux passes at most 131071 bytes in one argument or variable",
)
MANY_ADDRESSES = Rule(
    "SLI127",
    "slider-many-addresses",
    "warning",
    "slider: {what} lists {count} addresses; Linux starts the command only if the nodes' names have at most {room} "
    "characters on average",
)
MOUNT_INSIDE = Rule(
    "SLI117",
    "slider-mount-inside",
    "error",
    "slider: {at} would be written into {source}, a folder of the node that is mounted at {outer}",
)

RULES = (
    APPLICATION_NAME,
    NO_COMMAND,
    NUMBER_TOO_LARGE,
    DEFAULT_MEMORY,
    SECRET_VALUE,
    VARIABLE_NAME,
    DOCKER_PATH,
    ARCHIVE_SOURCE,
    SAME_FILE,
    BAD_FILE,
    WORK_FOLDER,
    PORTS,
    UNSAFE_PATH,
    XML_TEXT,
    NUL,
    OUTPUT_PLACE,
    ADDRESS,
    GPUS_HIDDEN,
    VIRTUAL_MEMORY,
    TOO_LONG,
    TOO_MANY_ADDRESSES,
    MANY_ADDRESSES,
    MOUNT_INSIDE,
)
