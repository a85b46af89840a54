"""TFJ2xxx: values and the rules of a job."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Level, Rule


def _rule(code: str, slug: str, message: str, level: Level = "error") -> Rule:
    return Rule(code, slug, level, message)


OUT_OF_RANGE = _rule("TFJ2001", "out-of-range", "{what} must be {expected}, not {given}")
NOT_ONE_OF = _rule("TFJ2002", "not-one-of", "{what} must be {expected}, not {given}")
PATTERN = _rule("TFJ2003", "pattern-mismatch", "{what} must {form}, not {given}")
BAD_PATTERN = _rule("TFJ2004", "bad-pattern", "invalid regular expression: {reason}")
EMPTY = _rule("TFJ2005", "empty-text", "{what} cannot be empty")
BAD_KEY = _rule("TFJ2006", "bad-key", "{name} is not a valid key of {what}")
MEMORY_UNIT = _rule("TFJ2007", "memory-unit", "{given} is not an amount of memory: {reason}")
GPU_FRACTION = _rule("TFJ2008", "gpu-fraction", "gpu must be a whole number of devices, not {given}")
NUL = _rule("TFJ2009", "nul-character", "{what} contains {character}, which cannot be passed to a process")
LEADING_ZERO = _rule("TFJ2010", "leading-zero", "{text} starts with 0, which makes it octal in other languages")

DIVISION = _rule("TFJ2011", "inexact-division", "{left} {op} {right} is not a whole number")
DIVISION_BY_ZERO = _rule("TFJ2012", "division-by-zero", "division by zero")
INDEX_RANGE = _rule("TFJ2013", "index-out-of-range", "index {index} is out of range for a list of {length}")
MISSING_KEY = _rule("TFJ2014", "missing-key", "the map has no key {key}")
FILE_PROBLEM = _rule("TFJ2015", "file-problem", "cannot read {path}: {reason}")
FORMAT_PROBLEM = _rule("TFJ2016", "format-problem", "{problem}")
TOO_LARGE = _rule("TFJ2017", "too-large", "the value is too large: {reason}")
ENV_FILE = _rule("TFJ2018", "env-file", "line {line} of {path}: {problem}")
ENV_FILE_QUOTES = _rule(
    "TFJ2019", "env-file-quotes", "the quotes of {key} in line {line} of {path} are part of the value", "warning"
)

PARAM_RANGE = _rule("TFJ2021", "param-out-of-range", "param {name} must be {expected}, not {given}")

CHIEF_AND_MASTER = _rule(
    "TFJ2101", "chief-and-master", "chief and master are the same role: a job can have only one of them"
)
SINGLE_REPLICA = _rule("TFJ2102", "single-replica-role", "a job can have only one {role}, not {given}")
NO_TRAINING_ROLE = _rule("TFJ2103", "no-training-role", "a job needs a chief, a master or a worker")
DUPLICATE_MOUNT_PATH = _rule("TFJ2104", "duplicate-mount-path", "role {role} has two mounts at {path}")
DUPLICATE_OUTPUT = _rule("TFJ2105", "duplicate-output", "this output appears twice in one block")
DUPLICATE_POLICY = _rule("TFJ2106", "duplicate-policy", "{subject} has two policies for {event} in one block")
OVERLAPPING_EXIT = _rule("TFJ2107", "overlapping-exit-codes", "two policies of {subject} handle exit status {codes}")
NO_REPLICAS = _rule("TFJ2108", "no-replicas", "role {role} has no replicas and is left out", "warning")
DROPPED_ITEM = _rule("TFJ2109", "dropped-item", "{item} is left out because role {role} has no replicas", "info")
MISSING_IMAGE = _rule("TFJ2110", "missing-image", "role {role} has no image")
SERVER_WITHOUT_CHIEF = _rule(
    "TFJ2111", "server-without-chief", "no role runs the command: every worker is a server and there is no chief"
)
ARGS_IGNORED = _rule("TFJ2112", "args-ignored", '{what} are ignored: the command text does not use "$@"')
TF_CONFIG_SET = _rule("TFJ2113", "tf-config-set", "TF_CONFIG is generated; it cannot be set here")
MIN_AVAILABLE = _rule("TFJ2114", "min-available", "min_available is {given}, but role {role} has {replicas} replicas")
AFTER_CYCLE = _rule("TFJ2115", "after-cycle", "{roles} cannot wait for {whom}")
MISSING_LOGDIR = _rule("TFJ2116", "missing-logdir", "tensorboard needs a logdir because the job has no checkpoint")
RETRIES_ZERO = _rule("TFJ2117", "retries-zero", "retries is 0, but a policy asks for {action}")
PORT_TWICE = _rule("TFJ2118", "port-twice", "port {number} of role {role} is {first} and {second}")
LIMIT_WITHOUT_REQUEST = _rule(
    "TFJ2120", "limit-without-request", '{name}_limit = "none" has no effect: {name} is not set', "warning"
)
LIMIT_BELOW_REQUEST = _rule("TFJ2119", "limit-below-request", "{name} {given} is less than the request {request}")

MOUNT_SOURCE = _rule("TFJ2201", "mount-source", "mount {kind} {problem}")
MOUNT_PATH = _rule("TFJ2202", "mount-path", "cannot mount at {path}: {problem}")
ARCHIVE_ENDING = _rule("TFJ2203", "archive-ending", "{given} does not end in .tar, .tar.gz, .tgz or .zip")
SHM_TWICE = _rule("TFJ2204", "shm-and-mount", "role {role} has both {attribute} and a mount at {path}")

OUTPUT_NOT_DURABLE = _rule(
    "TFJ2301", "output-not-durable", "{path} is lost when the pod ends: role {role} has no lasting mount there"
)
OUTPUT_FROM_MANY = _rule(
    "TFJ2302", "output-from-many", "{replicas} replicas of role {role} would all write to this destination"
)
OUTPUT_FROM_HERE = _rule("TFJ2303", "output-from-in-role", "an output inside a role block cannot name a role")
OUTPUT_INDEX = _rule("TFJ2304", "replica-out-of-range", "role {role} has no replica {index}; its indexes are {range}")
OUTPUT_PATH = _rule("TFJ2305", "output-path", "{path} {problem}")

COMPLETED_NEEDS_ROLE = _rule("TFJ2401", "completed-needs-role", "a policy on completed must name a role")
SUBJECT_IN_ROLE = _rule("TFJ2402", "subject-in-role", "a policy inside a role block cannot name a role")
SUBJECT_NOT_TAKEN = _rule(
    "TFJ2403", "subject-not-taken", "a policy on {event} concerns the whole job and cannot name a role"
)
ACTION_NOT_TAKEN = _rule("TFJ2404", "action-not-taken", 'a policy on {event} cannot use "{action}"')
EXIT_RANGE = _rule("TFJ2405", "exit-code-range", "{problem}")
DELAY_MISSING = _rule("TFJ2406", "delay-missing", "{event} needs a duration: {event} after DURATION")
DELAY_NOT_TAKEN = _rule("TFJ2407", "delay-not-taken", "{event} cannot have a delay")
RESTARTED_ALONE = _rule(
    "TFJ2408", "restarted-alone", "this policy never fires: no policy restarts containers of {subject}"
)

JOB_NAME = _rule("TFJ2501", "job-name", "{name} is not a valid job name: {problem}")
OBJECT_NAME = _rule("TFJ2502", "object-name", "{name} is not a valid name for a {what}: {problem}")
LABEL_SYNTAX = _rule("TFJ2503", "label-syntax", "{given} is not a valid {what}: {problem}")
POD_FIELD = _rule("TFJ2506", "pod-field", "{given} is not a field of the pod that a variable can have")
TOO_MANY_JOBS = _rule(
    "TFJ2511", "too-many-jobs", "the matrix makes {count} jobs; the matrices of a file can make at most {most}"
)
BAD_AXIS = _rule("TFJ2512", "matrix-axis", "{problem}")
TOLERATION = _rule("TFJ2504", "toleration", "{problem}")

BUILD_FROM = _rule("TFJ2601", "build-from", "build has no from")
BUILD_COPY = _rule("TFJ2602", "build-copy", "{path} {problem}")
PARAM_WITHOUT_VALUES = _rule("TFJ2603", "param-without-values", "param {name} cannot have any value: {reason}")

STEP_NAME = _rule("TFJ2701", "step-name", "{name} cannot name a {kind} step: {problem}")
STEP_WITHOUT_COMMAND = _rule(
    "TFJ2702", "step-without-command", "{kind} {name} has neither a command nor an image of its own"
)
STEP_OF_BOTH_KINDS = _rule("TFJ2703", "step-of-both-kinds", "{name} is a {first} step, so it cannot be a {kind} here")

FLOW_WITHOUT_RUN = _rule("TFJ2801", "flow-without-run", "flow {flow} runs no job")
RUN_TWICE = _rule("TFJ2802", "run-twice", "flow {flow} runs job {job} twice")
AFTER_TWICE = _rule("TFJ2803", "after-twice", "job {job} is named twice after one word after")
AFTER_ITSELF = _rule("TFJ2804", "after-itself", "job {job} cannot run after itself")
RUN_CYCLE = _rule("TFJ2805", "run-cycle", "jobs of flow {flow} wait for each other: {ring}")
ENDING_OF_ONE = _rule("TFJ2806", "ending-of-one", "{ending} needs {expected} before it, not {given}")
NOT_IN_FLOW = _rule("TFJ2807", "not-in-flow", "flow {flow} does not run job {job}")
SCHEDULE = _rule("TFJ2808", "schedule", "{given} is not a schedule: {problem}")
TIME_ZONE = _rule("TFJ2809", "time-zone", "{given} is not the name of a time zone")
ZONE_WITHOUT_SCHEDULE = _rule("TFJ2810", "time-zone-without-schedule", "time_zone has no effect without a schedule")
OTHER_NAMESPACE = _rule(
    "TFJ2811", "flow-namespace", "job {job} has {where}, and flow {flow} needs one for all its jobs (here: {wanted})"
)
SHORT_TTL = _rule(
    "TFJ2812", "flow-ttl", "job {job} is removed {ttl} after its end, before flow {flow} has surely seen it"
)
SAME_NAME_IN_FLOW = _rule("TFJ2813", "flow-name-clash", "{first} and {second} are both called {name}")
RUN_LEFT_OUT = _rule("TFJ2814", "run-left-out", "flow {flow} does not run job {job}: {why}", "info")
RUN_FOLLOWS = _rule("TFJ2815", "run-follows", "job {job} comes after {after}, because {absent}", "info")
FLOW_VERSIONS = _rule(
    "TFJ2816", "flow-versions", "jobs {first} and {second} of flow {flow} are for two versions of {target}: {versions}"
)
