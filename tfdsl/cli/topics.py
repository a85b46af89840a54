"""Pages of ``tfdsl explain`` for words that are in no table of the vocabulary: statements, values, exit statuses."""

from __future__ import annotations

from typing import Final

from tfdsl.record import Record
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.quantities import BINARY, DECIMAL, UNITS


class Topic(Record):
    """A word: what it is, what it means, how it is written, an example. ``keys``: what targets have rows for."""

    kind: str
    doc: str
    write: str
    example: str = ""
    keys: tuple[str, ...] = ()


_MOUNT: Final = 'mount pvc "mnist-data" at "/data" readonly'
_OUTPUT: Final = 'mount pvc "runs" at "/runs"\noutput "/tmp/log" to "/runs/log" on always from chief\nrole chief { }'
_BUILD: Final = (
    'build {\n  from = "tensorflow/tensorflow:2.17.0"\n'
    '  copy "train.py" to "/app/train.py"\n  run "pip install pandas"\n}'
)
_POD: Final = 'target volcano { patch pod "spec.dnsPolicy" = "Default" }'
_WHOLE: Final = 'job mnist {\n  image = "registry.example.com/mnist:1.4"\n  role worker { replicas = workers }\n}'
_FLOW: Final = (
    'job fetch {\n  image = "registry.example.com/fetch:2"\n  role worker { }\n}\n'
    'job train {\n  image = "registry.example.com/mnist:1.4"\n  role worker { }\n}\n'
    'job notify {\n  image = "registry.example.com/mail:1"\n  role worker { }\n}\n'
    'flow nightly {\n  schedule = "0 2 * * 1-5"\n  run fetch\n  run train after fetch\n'
    "  run notify after [fetch, train] ended\n}"
)
_PROBLEM: Final = "An exit status from 74 to 77 comes from tfdsl's script, not from your program."

TOPICS: Final = {
    # declarations
    "edition": Topic("declaration", "The edition of the language, in the first line of the file.", "edition 1"),
    "include": Topic(
        "declaration",
        "Brings in the params, lets, templates and profiles of another file, but not its jobs. "
        "The path is relative to this file.",
        'include "common.tfjob"',
    ),
    "param": Topic(
        "declaration",
        "A value that can be set from outside, with --set or a profile. Without a default it must be set.",
        "param NAME: TYPE = DEFAULT { description, min, max, one_of, pattern }",
        "param workers: int = 4 { min = 1, max = 64 }\n" + _WHOLE,
    ),
    "let": Topic(
        "declaration",
        "A constant. The order of declarations does not matter.",
        "let NAME = VALUE",
        "let workers = 2 * 4\n" + _WHOLE,
    ),
    "template": Topic(
        "declaration",
        "Named items of a job, role or target block; use brings them in.",
        "template NAME { attributes, mounts, outputs, policies, use }",
        "template gpu_node { gpu = 1, memory = 16Gi }\njob mnist {\n"
        '  image = "registry.example.com/mnist:1.4"\n  role worker { use gpu_node }\n}',
    ),
    "profile": Topic(
        "declaration",
        "Values for params, selected with --profile NAME.",
        "profile NAME { PARAM = VALUE }",
        "param workers: int = 4\nprofile prod { workers = 16 }\n" + _WHOLE,
    ),
    "job": Topic(
        "declaration",
        "A job. Its attributes are the defaults of its roles. Inside it you can use job.name, "
        "job.namespace and, on targets that know the submitter, job.user. A name in quotes can "
        "use params, lets and matrix values in ${ }.",
        "job NAME { attributes, roles, mounts, outputs, policies, cluster, build, matrix, targets }",
        "let workers = 4\n" + _WHOLE,
    ),
    "flow.run": Topic(
        "value in text",
        "The name of one run of a flow, the same in all of its jobs and new at each run: 8 characters on "
        "Argo Workflows, elsewhere 24 such as 20260102-020000-1f3a9c0b. It can be written where task.index can.",
        "${flow.run}",
        _FLOW.replace("  role", '  command = ["fetch", "--to=/runs/${flow.run}"]\n  role', 1),
        ("flow.run",),
    ),
    "flow": Topic(
        "declaration",
        "Jobs of the file in an order, on a schedule or when somebody starts it. It fails when a job of it has failed "
        "or was aborted, whatever ran after that; a job that did not run is neither. In a flow a job is called "
        "FLOW-JOB; job.name stays its own. A flow has no block of a target.",
        "flow NAME { schedule, time_zone, overlap, deadline, namespace, common_labels, service_account, run … }",
        _FLOW,
        ("runs[]",),
    ),
    # statements of a job
    "role": Topic(
        "block",
        "Replicas with the same task: chief, master, worker, ps, evaluator or tensorboard. Inside "
        "it you can use role.name and role.replicas.",
        "role NAME { attributes, mounts, outputs, policies, use }",
        "role worker { replicas = 4, gpu = 1 }",
    ),
    "roles": Topic(
        "value",
        "The number of replicas of any role of the job.",
        "roles.ROLE.replicas",
        "role worker { replicas = 4 }\nenv = { WORKERS = roles.worker.replicas }",
    ),
    "task": Topic(
        "value",
        "The number of the replica, from 0. It is known only at run time, so it must be alone inside ${ }.",
        "${task.index}",
        'role worker { env = { SHARD = "${task.index}" } }',
    ),
    "matrix": Topic(
        "block, value",
        "One job for each combination of the values, the last axis fastest. Inside the job, its name "
        "and its templates you can use matrix.AXIS and matrix.index, which counts from 0. A name "
        "that uses neither gets the index at its end.",
        "matrix { AXIS = [ VALUES ], … }",
        "matrix { lr = [0.1, 1e-3], batch = [32, 64] }\n"
        'role worker { args = ["--lr=${matrix.lr}", "--batch=${matrix.batch}"] }',
    ),
    "target": Topic(
        "block",
        "Settings for one target only; they override all others. The version, the options and "
        "the patches of the target go here too.",
        "target NAME { options, patches, attributes, roles, mounts, … }",
        'target volcano {\n  queue = "research"\n  on evicted => restart job\n}',
    ),
    "mount": Topic(
        "statement",
        "Storage at a path of the replicas. The kinds are pvc, claim, host, nfs, configmap, secret, "
        "scratch, memory, hdfs and archive; each has a page.",
        "mount KIND SOURCE at PATH [readonly] [{ options }]",
        _MOUNT,
    ),
    "at": Topic("word of mount", "The path of a mount inside the replicas.", "mount KIND SOURCE at PATH", _MOUNT),
    "readonly": Topic(
        "word of mount",
        "The replicas can read the mount but not write to it.",
        "mount KIND SOURCE at PATH readonly",
        _MOUNT,
    ),
    "on": Topic(
        "statement",
        "A policy: what happens after an event. Without a role it applies to every role. In an "
        "output, on says when to copy.",
        "on [ROLE[INDEX]] EVENT [after DURATION] => ACTION",
        "on failed => restart pod\non worker exit 2 => fail job",
    ),
    "use": Topic("statement", "Brings the items of a template into a job, role or target block.", "use NAME"),
    # words of output, build, patch
    "to": Topic("word of output and copy", "The destination of the copy.", "output SOURCE to DESTINATION", _OUTPUT),
    "from": Topic(
        "word of output, setting of build",
        "The role or replica that copies; in build, the base image.",
        "output SOURCE to DESTINATION from ROLE[INDEX]",
        _OUTPUT,
    ),
    "copy": Topic(
        "statement of build",
        "Copies a file from the folder of the source into the image.",
        "copy SOURCE to DESTINATION",
        _BUILD,
    ),
    "run": Topic(
        "statement of build, statement of flow",
        "In a build, runs a command when the image is built. In a flow, runs a job of the file, or all jobs of its "
        "matrix: at once, or after others. A job that is absent takes its run with it; what comes after it then comes "
        "after those before it.",
        "run COMMAND; run JOB [after JOB or [JOBS] [succeeded|failed|ended]] [when CONDITION]",
        _FLOW,
        ("runs[]",),
    ),
    "after": Topic(
        "word of run, word of a policy",
        "In a flow, the jobs that have to be over before: with success, if nothing else is written. In a policy, how "
        "long something has to last.",
        "run JOB after JOB or [JOBS] [succeeded|failed|ended]; on EVENT after DURATION => ACTION",
        _FLOW,
        ("runs[].after",),
    ),
    "succeeded": Topic(
        "end of a job in a flow",
        "The job has completed. It is meant where nothing is written.",
        "run JOB after JOB succeeded",
        _FLOW,
        ("runs[].after",),
    ),
    "failed": Topic(
        "end of a job in a flow",
        "The job has failed or was aborted. There is only one job before it.",
        "run JOB after JOB failed",
        _FLOW,
        ("runs[].failed",),
    ),
    "ended": Topic(
        "end of a job in a flow",
        "The job has run and has ended somehow. One that did not run has not.",
        "run JOB after JOB or [JOBS] ended",
        _FLOW,
        ("runs[].ended",),
    ),
    "pod": Topic(
        "word of patch", "The path of the patch is relative to the pod template.", 'patch pod "PATH" = VALUE', _POD
    ),
    "unchecked": Topic("word of patch", "Allows fields that are not in the schema.", 'patch "PATH" = VALUE unchecked'),
    # when an output is copied
    "success": Topic(
        "moment of an output",
        "The command ended with status 0; this is the default.",
        "output SOURCE to DESTINATION on success",
    ),
    "failure": Topic(
        "moment of an output",
        "The command ended with a status other than 0.",
        "output SOURCE to DESTINATION on failure",
    ),
    "always": Topic(
        "moment of an output",
        "The command ended, with any status.",
        "output SOURCE to DESTINATION on always",
        _OUTPUT,
    ),
    # types
    "int": Topic("type", "A whole number.", "param workers: int = 4"),
    "number": Topic("type", "A whole or decimal number.", "param rate: number = 0.5"),
    "string": Topic("type", "A text.", 'param tag: string = "1.4"'),
    "bool": Topic("type", "true or false.", "param debug: bool = false"),
    "true": Topic("value", "Yes; the other bool is false.", "param debug: bool = true"),
    "false": Topic("value", "No; the other bool is true.", "param debug: bool = false"),
    "quantity": Topic(
        "type",
        f"An amount with a unit: m {' '.join(DECIMAL)}, or {' '.join(BINARY)} for powers of 1024.",
        "param size: quantity = 4Gi",
    ),
    "duration": Topic(
        "type",
        f"A length of time with units: {' '.join(UNITS['duration'])}, the largest first.",
        "param limit: duration = 1h30m",
    ),
    "list": Topic("type", "Values of one type.", 'param zones: list<string> = ["a", "b"]'),
    "map": Topic("type", "Named values of one type.", 'param labels: map<string> = { team = "vision" }'),
    # an option of every target, and the variables of replicas
    "version": Topic(
        "option of every target",
        "The version of the target to compile for; -t TARGET@VERSION overrides it.",
        'target volcano { version = "1.12" }',
        'target volcano { version = "1.12" }',
    ),
    "TF_CONFIG": Topic(
        "environment variable",
        "The cluster spec and the task's place in it, as TensorFlow reads them; tfdsl tfconfig shows it.",
        'cluster { discovery = "none" } leaves it out',
    ),
    "CHECKPOINT_DIR": Topic(
        "environment variable",
        "The checkpoint folder, set in every role if the job has a checkpoint.",
        'checkpoint = "/runs/mnist"',
    ),
    # exit statuses of the scripts on YARN and Slider, and of the one that copies outputs
    "0": Topic(
        "exit status",
        "Of tfdsl: there are no errors in the input. Of a replica: its command succeeded.",
        "nothing; on worker completed => … is a policy for replicas that succeed",
    ),
    "1": Topic(
        "exit status",
        "Of tfdsl: there is an error in the input, or with fmt --check and fmt --diff a file would change. Of a "
        "replica: its command failed.",
        "fix what the messages say; on exit 1 => … is a policy for the replica",
    ),
    "2": Topic(
        "exit status",
        "Of tfdsl: the command line is wrong, or a file that it names cannot be read or written. Of a replica: its "
        "command failed, often because of its arguments.",
        "read tfdsl COMMAND --help; on exit 2 => … is a policy for the replica",
    ),
    "70": Topic(
        "exit status",
        "Of tfdsl: a bug in tfdsl itself, whatever the input.",
        "report it with the input; TFDSL_DEBUG=1 shows where it happened",
    ),
    "74": Topic(
        "exit status",
        f"The command succeeded, but an output could not be copied. {_PROBLEM}",
        "set overwrite = true if the destination exists already",
    ),
    "75": Topic(
        "exit status",
        f"Another task was lost, so this task was ended too. {_PROBLEM}",
        "read the log of the first task that failed",
    ),
    "76": Topic(
        "exit status",
        f"The tasks could not meet: others had not started at the time limit (rendezvous_seconds, wait_limit), or the "
        f"port of this one was taken (port_range). {_PROBLEM}",
        "allow more time, or ask for fewer replicas",
    ),
    "77": Topic(
        "exit status",
        f"The coordinator rejected the task: the job has all its containers already. {_PROBLEM}",
        "nothing: the other tasks continue",
    ),
}
"""Word → page, in the order of the language reference."""


ATTRIBUTES = {
    "scheduler": 'scheduler = "batch-scheduler"',
    "retries": "retries = 5\non failed => restart pod",
    "checkpoint": 'mount pvc "runs" at "/runs"\ncheckpoint = "/runs/${job.name}"',
    "args": 'command = ["python", "/app/train.py"]\nargs = ["--steps=5000"]',
    "cpu_limit": "cpu = 2\ncpu_limit = 4",
    "memory_limit": "memory = 8Gi\nmemory_limit = 16Gi",
    "gpu_resource": 'gpu = 1\ngpu_resource = "amd.com/gpu"',
    "shm": "memory = 16Gi\nshm = 8Gi",
    "replicas": "role worker { replicas = 4 }",
    "min_available": "role worker { replicas = 4, min_available = 2 }",
    "after": 'role ps { }\nrole worker { after = ["ps"] }',
    "server": "role chief { }\nrole worker { replicas = 2, server = true }",
    "logdir": 'mount pvc "runs" at "/runs"\nrole worker { }\nrole tensorboard { logdir = "/runs/mnist" }',
}
"""Attributes whose example needs more than the attribute itself."""

EVENTS = {
    "completed": "role chief { }\nrole worker { }\non worker completed => complete job",
    "failed": "on failed => restart pod",
    "exit": "on exit [137, 143] => restart pod",
    "evicted": "on evicted => restart job",
    "pending": "on pending after 30m => fail job",
    "restarted": "on failed => restart container\non restarted 10 => fail job",
    "unknown": "on unknown => restart job",
}

ACTIONS = {
    "complete job": "role chief { }\nrole worker { }\non worker completed => complete job",
    "fail job": "on exit 2 => fail job",
    "abort job": "on evicted => abort job",
    "restart container": "on failed => restart container",
    "restart pod": "on evicted => restart pod",
    "restart role": "role ps { }\nrole worker { replicas = 4 }\non worker failed => restart role",
    "restart job": "on evicted => restart job",
    "ignore": "role chief { }\nrole evaluator { }\non evaluator failed => ignore",
}

ROLES = {
    "chief": "role chief { cpu = 4 }\nrole worker { replicas = 3, cpu = 4 }",
    "master": "role master { cpu = 4 }\nrole worker { replicas = 3, cpu = 4 }",
    "ps": "role ps { replicas = 2 }\nrole worker { replicas = 4 }",
    "worker": "role worker { replicas = 4, gpu = 1 }",
    "evaluator": "role chief { }\nrole worker { replicas = 2 }\nrole evaluator { }",
    "tensorboard": 'mount pvc "runs" at "/runs"\nrole worker { }\nrole tensorboard { logdir = "/runs" }',
}

MOUNTS = {
    "pvc": 'mount pvc "mnist-data" at "/data" readonly { sub_path = "train" }',
    "claim": 'mount claim 100Gi at "/work" { storage_class = "fast", keep = true }',
    "host": 'mount host "/mnt/data" at "/data" readonly { type = "Directory" }',
    "nfs": 'mount nfs "10.0.0.2:/export/data" at "/data" readonly',
    "configmap": 'mount configmap "mnist-config" at "/etc/mnist" { items = { "train.yaml" = "train.yaml" } }',
    "secret": 'mount secret "hub-token" at "/secrets" { mode = "0400" }',
    "scratch": 'mount scratch 50Gi at "/scratch"',
    "memory": 'memory = 16Gi\nmount memory 2Gi at "/fast"',
    "hdfs": 'mount hdfs "hdfs://namenode/data/mnist" at "/data"',
    "archive": 'mount archive "hdfs://namenode/code/mnist.tar.gz" at "/code"',
}

STEPS = {
    "prepare": 'mount scratch at "/data"\nprepare fetch { command = ["python", "/app/fetch.py", "/data"], cpu = 1 }',
    "sidecar": 'sidecar "log-shipper" { image = "registry.example.com/fluent-bit:3.1", cpu = 100m, memory = 64Mi }',
}

FUNCTIONS = {
    "secret": 'env = { TOKEN = secret("hub", "token") }',
    "configmap": 'env = { LEVEL = configmap("mnist-config", "level") }',
    "pod_field": 'env = { POD_IP = pod_field("status.podIP"), NODE = pod_field("spec.nodeName") }',
    "min": "role worker { replicas = min(8, 4) }",
    "max": "role worker { memory = max(4Gi, 512Mi) }",
    "len": 'role worker { replicas = len(["a", "b"]) }',
    "lower": 'labels = { team = lower("Vision") }',
    "upper": 'env = { STAGE = upper("prod") }',
    "trim": 'env = { OWNER = trim(" ada ") }',
    "join": 'args = ["--zones=${join(",", ["a", "b"])}"]',
    "split": 'args = split(" ", "--steps=5000 --batch=64")',
    "replace": 'labels = { run = replace("2026/03", "/", "-") }',
    "format": 'args = [format("--name=%s-%d", job.name, 3)]',
    "file": 'command = file("train.sh")',
    "env_file": 'env = env_file("prod.env") + { MODE = "fast" }',
}

OTHERS = {
    "output": 'mount pvc "runs" at "/runs"\noutput "/tmp/export" to "/runs/${job.name}/export"',
    "cluster": 'role ps { }\nrole worker { }\ncluster { discovery = "both" }',
    "build": 'build {\n  from = "tensorflow/tensorflow:2.17.0"\n  copy "train.py" to "/app/train.py"\n}',
}

PATCHES = {
    "patch": 'target volcano {\n  patch "metadata.annotations" += { "example.com/note" = "x" }\n'
    '  patch pod "spec.dnsPolicy" = "Default"\n  role worker { patch pod "spec.hostPID" = true }\n}',
    "unpatch": 'target kubernetes { unpatch pod "metadata.annotations" }',
}


WORDS = {
    "when": 'param workers: int = 4\njob mnist {\n  image = "registry.example.com/mnist:1.4"\n'
    "  role worker { replicas = workers, gpu = 1 when workers > 8 }\n  role ps when workers > 2 { }\n}",
    "unset": 'env = { DEBUG = "1", MODE = "fast" }\nrole worker { unset env["DEBUG"] }',
    "matrix": 'matrix { lr = [0.1, 0.01], batch = [32, 64] }\nargs = ["--lr=${matrix.lr}", "--batch=${matrix.batch}"]',
}


def of_attribute(attribute: attributes.Attribute) -> str:
    """The example of an attribute."""
    written = ATTRIBUTES.get(attribute.name)
    if written is not None:
        return written
    line = f"{attribute.name} = {attribute.example}"
    return line if attribute.in_job else f"role worker {{ {line} }}"
