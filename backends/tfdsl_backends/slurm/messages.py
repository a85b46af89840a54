"""What the slurm target's own checks can report."""

from tfdsl.diagnostics import Rule

NO_COMMAND = Rule(
    "SLM100",
    "slurm-no-command",
    "error",
    "role {role} has no command, and a task of Slurm does not run an image's entrypoint",
)
WORD = Rule("SLM101", "slurm-word", "error", "Slurm cannot be given {what} {value}: use letters, digits and {more}")
PORT_RANGE = Rule(
    "SLM102",
    "slurm-port-range",
    "error",
    "port_range must be a range from 1024 to 65535 with room for all replicas, not {value}",
)
SECRET_VALUE = Rule(
    "SLM103", "slurm-secret-value", "error", "Slurm has no Secrets and ConfigMaps, so {name} has no value"
)
MANY_STEPS = Rule(
    "SLM104",
    "slurm-many-steps",
    "info",
    "{count} replicas are {count} steps: each is a process of srun on the first node, with about 4 MB",
)
NO_LIMIT = Rule(
    "SLM105",
    "slurm-no-time-limit",
    "info",
    "without a deadline the job ends at the time limit of its partition",
)
NODE_LOSS = Rule(
    "SLM106",
    "slurm-node-loss",
    "info",
    "when a node is lost, the job is preempted or its time limit comes, all replicas end; then the job {what}",
)
COMPONENTS = Rule(
    "SLM107",
    "slurm-components",
    "info",
    "the roles differ in size, so the job has {count} components, each on nodes of its own",
)
WASTE = Rule("SLM108", "slurm-waste", "warning", "one allocation gives every replica {size}, more than some ask for")
GPUS_HIDDEN = Rule(
    "SLM109",
    "slurm-gpus-hidden",
    "off",
    "roles without a GPU get an empty CUDA_VISIBLE_DEVICES, because otherwise TensorFlow would take every GPU of the "
    "node: set CUDA_VISIBLE_DEVICES in env of a role for another",
)
CONTAINER_PATH = Rule(
    "SLM110", "slurm-container-path", "error", "a list of container mounts cannot hold {path}, because of {characters}"
)
ARCHIVE_KIND = Rule("SLM111", "slurm-archive-kind", "error", "{source} does not end in .tar, .tar.gz, .tgz or .zip")
TOO_LONG = Rule(
    "SLM112",
    "slurm-value-too-large",
    "error",
    "{what} of role {role} has {size} bytes; Linux passes at most 131071 in one argument or variable",
)
TOO_MANY_ADDRESSES = Rule(
    "SLM113",
    "slurm-too-many-addresses",
    "error",
    "{what} would list {count} addresses, but Linux passes at most 131071 bytes in one argument or variable",
)
SIDE_BY_SIDE = Rule(
    "SLM114",
    "slurm-one-constraint",
    "error",
    "one allocation has one {what} for all replicas, but the roles have {values}",
)
UNKNOWN_OPTION = Rule("SLM115", "slurm-unknown-option", "error", "sbatch has no option {option}")
OWN_OPTION = Rule("SLM116", "slurm-own-option", "error", "the target itself decides {option}")
OPTION_VALUE = Rule("SLM117", "slurm-option-value", "error", "{option} {problem}")
NEW_OPTION = Rule("SLM118", "slurm-new-option", "error", "{option} came with Slurm {since}, not {version}")
TWO_MEMORIES = Rule("SLM119", "slurm-two-memories", "error", "sbatch refuses --mem beside the memory of a role")
LOST_FOR_MEMORY = Rule(
    "SLM120",
    "slurm-lost-for-memory",
    "info",
    "a replica whose step the kernel kills for its memory is lost (status 75): {what}",
)
SHORT_LIMIT = Rule(
    "SLM121",
    "slurm-short-time-limit",
    "error",
    "time_limit {value} leaves no time to run: Slurm may warn {seconds} s before it, so that all replicas can end",
)
FLOW_WAITS = Rule(
    "SLM122",
    "slurm-flow-waits",
    "error",
    "job {job} {what}, and what comes after it would wait until somebody releases it",
)

RULES = (
    NO_COMMAND,
    WORD,
    PORT_RANGE,
    SECRET_VALUE,
    MANY_STEPS,
    NO_LIMIT,
    NODE_LOSS,
    COMPONENTS,
    WASTE,
    GPUS_HIDDEN,
    CONTAINER_PATH,
    ARCHIVE_KIND,
    TOO_LONG,
    TOO_MANY_ADDRESSES,
    SIDE_BY_SIDE,
    UNKNOWN_OPTION,
    OWN_OPTION,
    OPTION_VALUE,
    NEW_OPTION,
    TWO_MEMORIES,
    LOST_FOR_MEMORY,
    SHORT_LIMIT,
    FLOW_WAITS,
)
