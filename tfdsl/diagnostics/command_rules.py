"""Rules about what is asked for, beside the text of a job: files, options, waivers, importing, comparing, running."""

from tfdsl.diagnostics.diagnostic import Rule

# --- job ---
#
# TFJ18xx: jobs that come as data (JSON, or made in Python), which a text cannot get wrong in this way.

NOT_A_JOB = Rule("TFJ1800", "not-a-job", "error", "{problem}")
CLAIM_NOT_IN_JOB = Rule("TFJ1801", "claim-not-in-job", "error", "the job has no claim {name}")
CLAIM_NOT_MOUNTED = Rule("TFJ1802", "claim-not-mounted", "error", "nothing mounts claim {name}")


# --- output ---
#
# TFJ265x and TFJ266x: mistakes that show only when the output is generated.

BUILD_NOT_WRITABLE = Rule("TFJ2651", "build-not-writable", "error", "this cannot be written in a Dockerfile: {problem}")
PATCH_FITS_NOTHING = Rule("TFJ2652", "patch-fits-nothing", "error", "{problem}")
PATCH_VALUE = Rule("TFJ2653", "patch-value", "error", "{problem}")
NO_POD_TEMPLATE = Rule("TFJ2660", "no-pod-template", "error", "{target} has no pod templates to patch")
PATCH_NEW_MEMBER = Rule("TFJ2661", "patch-new-member", "error", "this job has no {what} {name}: there are {known}")
PATCH_DERIVED = Rule(
    "TFJ2662", "patch-derived", "error", "{what} cannot be patched: other parts of the output are derived from it"
)
PATCHED_DOCUMENT = Rule("TFJ2663", "patched-document", "error", "{problem}")


# --- waiver ---
#
# TFJ39xx: waivers, ``# tfdsl: allow[slug or code] reason``, and the levels that a project sets.

STALE_WAIVER = Rule("TFJ3901", "stale-waiver", "warning", "allow[{name}] is not needed here")
UNKNOWN_WAIVER = Rule("TFJ3902", "unknown-waiver", "warning", "there is no message {name} to allow")
BAD_WAIVER = Rule("TFJ3903", "bad-waiver", "warning", "{problem}")
BAD_SETTINGS = Rule("TFJ3904", "bad-settings", "error", "{problem}")


# --- usage ---
#
# TFJ09xx: the command line, and reading and writing files.

UNKNOWN_COMMAND = Rule("TFJ0901", "unknown-command", "error", "there is no command {name}")
UNKNOWN_FLAG = Rule("TFJ0902", "unknown-flag", "error", "there is no option {name}")
MISSING_ARGUMENT = Rule("TFJ0903", "missing-argument", "error", "{what}")
BAD_ARGUMENT = Rule("TFJ0904", "bad-argument", "error", "{what}")
UNREADABLE_FILE = Rule("TFJ0905", "unreadable-file", "error", "cannot read {path}: {reason}")
OUTPUT_NOT_WRITTEN = Rule(
    "TFJ0906", "output-not-written", "error", "cannot write {path}: {reason}; nothing was written"
)
OUTPUT_PLACE = Rule("TFJ0907", "output-place", "error", "{what}")
DOCKERFILE_LEFT_OUT = Rule(
    "TFJ0908", "dockerfile-left-out", "info", "the Dockerfile of job {job} is written only with -o FOLDER"
)
INTERNAL_ERROR = Rule("TFJ0909", "internal-error", "error", "{what}")
UNUSABLE_TARGET = Rule("TFJ0911", "unusable-target", "error", "{problem}")
NO_SUCH_TASK = Rule("TFJ0910", "no-such-task", "error", "job {job} has no task {name}")
NO_FILES = Rule("TFJ0912", "no-files", "warning", "there is no {what} in {path}")
LEFT_OVER = Rule("TFJ0913", "left-over-output", "warning", "{source} no longer generates {path}")
KUSTOMIZE_RENAMES = Rule(
    "TFJ0914", "kustomize-renames", "warning", "{target}: {field} renames job {job}, but not {what}"
)
OUTPUT_NOT_REMOVED = Rule("TFJ0916", "output-not-removed", "error", "cannot remove {path}: {reason}")
KUSTOMIZE_UNLISTED = Rule("TFJ0915", "kustomize-unlisted", "warning", "{path} does not list {names}")
KUSTOMIZE_TTL = Rule(
    "TFJ0917", "kustomize-ttl", "warning", "job {job} is removed {ttl} after its end, but {path} still lists it"
)


# --- import ---
#
# TFJ4xxx: reading manifests. Their places are in the YAML, JSON, XML or command line that was read.

# TFJ40xx: the form of what was read (YAML, JSON, XML, words of a shell)
BAD_XML = Rule("TFJ4080", "import-bad-xml", "error", "this XML cannot be read: {problem}")
BAD_WORDS = Rule("TFJ4085", "import-bad-words", "error", "a shell cannot read this: {problem}")
NO_VALUE = Rule(
    "TFJ4086",
    "import-no-value",
    "warning",
    "{what} is not set here, so {word} keeps it as text",
)
MANIFEST_SYNTAX = Rule("TFJ4001", "import-syntax", "error", "this is not {form}: {reason}")
MANIFEST_DUPLICATE_KEY = Rule("TFJ4002", "import-duplicate-key", "error", "the key {key} is set twice")
MANIFEST_ALIAS = Rule("TFJ4003", "import-alias", "error", "the alias {alias} {reason}")
MANIFEST_VALUE = Rule("TFJ4004", "import-value", "error", "{what} cannot be used here: {reason}")
MANIFEST_TOO_DEEP = Rule("TFJ4005", "import-too-deep", "error", "values are nested more than {limit} levels deep here")
MANIFEST_TOO_LARGE = Rule("TFJ4007", "import-too-large", "error", "the manifests have more than {limit} MiB together")
MANIFEST_EMPTY = Rule("TFJ4006", "import-empty", "error", "{path} contains no document")

# TFJ41xx: what it is
NOT_A_MANIFEST = Rule("TFJ4101", "import-not-a-job", "error", "this is {what}, not a manifest of a job")
EMBEDDED = Rule("TFJ4102", "import-embedded", "info", "the {kind} at {where} of {owner} is imported")

# TFJ42xx: what becomes of its parts
NOT_KEPT = Rule("TFJ4201", "import-not-kept", "info", "{what} is left out: {reason}")
SERVER_REFUSES = Rule("TFJ4202", "import-server-refuses", "warning", "the server refuses {what}: {reason}")
READ_DIFFERENTLY = Rule("TFJ4203", "import-read-differently", "info", "{what} becomes {word}: {difference}")
NO_ROLE = Rule("TFJ4204", "import-no-role", "error", "{what} {name} is not a role of the language")
NO_WORDS = Rule("TFJ4205", "import-no-words", "error", "the language cannot say {what}: {reason}")
NOT_TENSORFLOW = Rule("TFJ4206", "import-not-tensorflow", "error", "{what} is not a TensorFlow job: {reason}")

# TFJ43xx: the law
IMPORT_REFUSED = Rule("TFJ4301", "import-refused", "error", "{job} cannot be a job of the language: {problem}")
IMPORT_DIFFERS = Rule("TFJ4302", "import-differs", "warning", "{what} {difference}")
IMPORT_REWORDED = Rule(
    "TFJ4303", "import-reworded", "info", "this is left out, because the job would be wrong: {problem}"
)
IMPORT_NOTHING = Rule("TFJ4304", "import-nothing", "error", "there is no job in it that {who} can read")


# --- diff ---
#
# TFJ45xx: comparing two jobs.

REVISION = Rule("TFJ4501", "diff-revision", "error", "cannot read {path} at revision {revision}: {reason}")
NO_JOB = Rule("TFJ4502", "diff-no-job", "error", "{path} has no job to compare: {reason}")
OTHER_TARGET = Rule("TFJ4503", "diff-other-target", "error", "{one} is for {target}, but {other} is not")
NOT_COMPARED = Rule(
    "TFJ4504", "diff-not-compared", "info", "{objects} of {one} {verb} not compared: {other} has only {main}"
)


# --- where ---
#
# TFJ46xx: looking up which line made which.

NO_SUCH_LINE = Rule("TFJ4601", "where-no-such-line", "error", "{path} has no line {line}: it ends with line {last}")
NO_MAP = Rule("TFJ4602", "where-no-map", "error", "the source of {path} is not known: there is no {path}.map")
BAD_MAP = Rule("TFJ4603", "where-bad-map", "error", "{path} is not a source map: {reason}")
STALE = Rule("TFJ4604", "where-stale", "warning", "{path} has changed since {since}: lines may have moved")
NOT_OF_SOURCE = Rule("TFJ4605", "where-not-of-source", "error", "{path} is not an output of {source}")
NOT_SHOWN = Rule("TFJ4606", "where-not-shown", "warning", "the line of {path} is not shown: {reason}")


# --- run ---
#
# TFJ48xx: running a job on this machine.

NOT_USED = Rule("TFJ4801", "run-not-used", "info", "run does not use {what}: {why}")
NO_COMMAND = Rule(
    "TFJ4802", "run-no-command", "error", "role {role} has no command, and run cannot start the entrypoint of an image"
)
PREPARE_NEEDS_IMAGE = Rule(
    "TFJ4803",
    "run-prepare-needs-image",
    "error",
    "prepare step {step} of role {role} has no command, and run cannot start the entrypoint of its image",
)
UNSET_VARIABLE = Rule("TFJ4804", "run-unset-variable", "error", "${{env.{name}}} is not set on this machine")
NO_VALUE_HERE = Rule(
    "TFJ4805", "run-no-value", "error", "variable {name} has no value here: it is {value} on a cluster"
)
NO_WORKDIR = Rule("TFJ4806", "run-no-workdir", "error", "workdir {path} does not exist on this machine")
TOO_MANY = Rule("TFJ4807", "run-too-many", "error", "the job has {count} replicas; run starts at most {most}")
FEWER_DEVICES = Rule("TFJ4808", "run-fewer-devices", "warning", "the job wants {wanted} GPUs, but {has}: {short}")
SIDECAR_NOT_STARTED = Rule(
    "TFJ4809", "run-sidecar-not-started", "warning", "run does not start sidecar {step}: only its image knows how"
)
NO_TENSORFLOW = Rule("TFJ4811", "run-no-tensorflow", "warning", "role {role} needs {what}: {why}")
NOT_STARTED = Rule("TFJ4810", "run-not-started", "error", "cannot start the job: {reason}")


# --- run mount ---
#
# TFJ485x: the mounts, outputs and limits of a job that runs on this machine.

MOUNT_DENIED = Rule("TFJ4850", "run-mount-denied", "error", "{path} cannot be mounted on this machine: {why}")
NO_OBJECT = Rule("TFJ4851", "run-no-object", "error", "this machine has no {kind} {name} to mount at {path}")
NO_SOURCE = Rule("TFJ4852", "run-no-source", "error", "{source} does not exist on this machine")
NO_KEY = Rule("TFJ4853", "run-no-key", "error", "{folder} has no file {key}, which {path} needs")
EMPTY_MOUNT = Rule(
    "TFJ4854",
    "run-empty-mount",
    "info",
    "{path} is an empty folder of this run: {why}; --mount {path}=DIR uses one of yours",
)
NOT_MOUNTED = Rule(
    "TFJ4855", "run-not-mounted", "info", "nothing is mounted at {paths}: tasks see this machine's folders"
)
NOT_COPIED = Rule(
    "TFJ4856", "run-not-copied", "warning", "run does not copy {source}: {destination} is not on this machine"
)
EXTRA_MOUNT = Rule("TFJ4857", "run-extra-mount", "info", "the job has no mount at {path}: every task gets this one")
MEMORY_UNLIMITED = Rule("TFJ4858", "run-memory-unlimited", "info", "the size of {path} is not limited here: {why}")
NOT_LIMITED = Rule("TFJ4859", "run-not-limited", "info", "run does not limit {what}: {why}")
HIDDEN_FOLDER = Rule(
    "TFJ4860", "run-hidden-folder", "error", "the mount at {path} hides the current folder, in which role {role} runs"
)


# --- fault ---
#
# TFJ47xx: the faults that ``--inject`` plays.

NO_FAULT = Rule("TFJ4701", "inject-event", "error", "{name} is not something that can be played")
FAULT_FORM = Rule("TFJ4702", "inject-form", "error", "{what}")
NO_SUCH_ROLE = Rule("TFJ4703", "inject-no-role", "error", "{job} has no role {name}")
NO_SUCH_REPLICA = Rule("TFJ4704", "inject-no-replica", "error", "role {role} of {job} has no replica {index}")
FAULT_STATUS = Rule("TFJ4705", "inject-status", "error", "an exit status must be a number from 0 to 255, not {status}")
FAULT_TIME = Rule("TFJ4706", "inject-time", "error", "{time} is not a time")
NO_SUCH_STEP = Rule("TFJ4707", "inject-no-step", "error", "role {role} has no step {name}")


# --- clusters ---
#
# TFJ49xx: submitting a job, and reading, following and ending it.

CLIENT_MISSING = Rule("TFJ4901", "client-missing", "error", "there is no {program} on the path")
CLUSTER_REFUSES = Rule("TFJ4902", "cluster-refuses", "error", "{what}: {reason}")
JOB_EXISTS = Rule("TFJ4903", "job-exists", "error", "there is a job {name} already, which is {phase}")
NOT_OURS = Rule("TFJ4904", "job-not-ours", "error", "{name} was not submitted by tfdsl, so it is not {done}")
NOT_OPERATED = Rule("TFJ4905", "target-not-operated", "error", "tfdsl cannot speak with {target}")
NO_JOB_THERE = Rule("TFJ4906", "no-job-there", "error", "there is no {name}{where}")
