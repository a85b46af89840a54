"""Pages of ``tfdsl explain`` for words that no table of the vocabulary has: statements, values of a job, statuses."""

from __future__ import annotations

from typing import Final

from tfdsl.record import Record


class Topic(Record):
    """A word: what it is, what it says, how it is written, an example."""

    kind: str
    doc: str
    write: str
    example: str = ""


_MOUNT: Final = 'mount pvc "mnist-data" at "/data" readonly'
_OUTPUT: Final = 'mount pvc "runs" at "/runs"\noutput "/tmp/log" to "/runs/log" on always from chief\nrole chief { }'
_BUILD: Final = (
    'build {\n  from = "tensorflow/tensorflow:2.16.1"\n'
    '  copy "train.py" to "/app/train.py"\n  run "pip install pandas"\n}'
)
_POD: Final = 'target volcano { patch pod "spec.dnsPolicy" = "Default" }'
_WHOLE: Final = 'job mnist {\n  image = "registry.example.com/mnist:1.4"\n  role worker { replicas = workers }\n}'
_PROBLEM: Final = "An exit status of 74 to 77 is of tfdsl's own script, not of your program."

TOPICS: Final = {
    # declarations
    "edition": Topic("declaration", "The edition of the language; the first line of the file.", "edition 1"),
    "include": Topic(
        "declaration",
        "Brings in the params, lets, templates and profiles of another file, not its jobs. The "
        "path is relative to this file.",
        'include "common.tfjob"',
    ),
    "param": Topic(
        "declaration",
        "A value that may be given from outside: with --set, a profile or --params. Without a "
        "default it has to be given.",
        "param NAME: TYPE = DEFAULT { description, min, max, one_of, pattern }",
        "param workers: int = 4 { min = 1, max = 64 }\n" + _WHOLE,
    ),
    "let": Topic(
        "declaration", "A constant. Order does not matter.", "let NAME = VALUE", "let workers = 2 * 4\n" + _WHOLE
    ),
    "template": Topic(
        "declaration",
        "Items of a job, role or target block under a name; use brings them in.",
        "template NAME { attributes, mounts, outputs, policies, use }",
        "template gpu_node { gpu = 1, memory = 16Gi }\njob mnist {\n"
        '  image = "registry.example.com/mnist:1.4"\n  role worker { use gpu_node }\n}',
    ),
    "profile": Topic(
        "declaration",
        "Values for params, taken with --profile NAME.",
        "profile NAME { PARAM = VALUE }",
        "param workers: int = 4\nprofile prod { workers = 16 }\n" + _WHOLE,
    ),
    "job": Topic(
        "declaration",
        "A job: its attributes are the defaults of its roles. In it there are job.name, "
        "job.namespace and, on targets that know who submits the job, job.user.",
        "job NAME { attributes, roles, mounts, outputs, policies, cluster, build, targets }",
        "let workers = 4\n" + _WHOLE,
    ),
    # statements of a job
    "role": Topic(
        "block",
        "The replicas that do one thing: chief, master, worker, ps, evaluator or tensorboard. In it "
        "there are role.name and role.replicas.",
        "role NAME { attributes, mounts, outputs, policies, use }",
        "role worker { replicas = 4, gpu = 1 }",
    ),
    "roles": Topic(
        "value",
        "The replicas of any role of the job.",
        "roles.ROLE.replicas",
        "role worker { replicas = 4 }\nenv = { WORKERS = roles.worker.replicas }",
    ),
    "task": Topic(
        "value",
        "The replica's number, from 0, known only at run time: it is alone inside ${ }.",
        "${task.index}",
        'role worker { env = { SHARD = "${task.index}" } }',
    ),
    "target": Topic(
        "block",
        "What holds for one target only; it has the last word. Its options, its version and "
        "patches are written here too.",
        "target NAME { options, patches, attributes, roles, mounts, … }",
        'target volcano {\n  queue = "research"\n  on evicted => restart job\n}',
    ),
    "mount": Topic(
        "statement",
        "Storage that the replicas see at a path. Kinds: pvc, claim, host, nfs, configmap, secret, "
        "scratch, memory, hdfs and archive; each has a page.",
        "mount KIND SOURCE at PATH [readonly] [{ options }]",
        _MOUNT,
    ),
    "at": Topic("word of mount", "The path at which a mount is seen.", "mount KIND SOURCE at PATH", _MOUNT),
    "readonly": Topic(
        "word of mount", "The replicas may only read the mount.", "mount KIND SOURCE at PATH readonly", _MOUNT
    ),
    "on": Topic(
        "statement",
        "A policy: what happens after an event. Without a role it holds for all of them. Behind an "
        "output on says when it is copied.",
        "on [ROLE[INDEX]] EVENT [after DURATION] => ACTION",
        "on failed => restart pod\non worker exit 2 => fail job",
    ),
    "use": Topic("statement", "Brings the items of a template into a job, role or target block.", "use NAME"),
    # words of output, build, patch
    "to": Topic("word of output and copy", "Where the copy goes.", "output SOURCE to DESTINATION", _OUTPUT),
    "from": Topic(
        "word of output, setting of build",
        "The role or replica that copies; in build the base image.",
        "output SOURCE to DESTINATION from ROLE[INDEX]",
        _OUTPUT,
    ),
    "copy": Topic(
        "statement of build", "Copies a file beside the source into the image.", "copy SOURCE to DESTINATION", _BUILD
    ),
    "run": Topic("statement of build", "Runs a command while the image is built.", "run COMMAND", _BUILD),
    "pod": Topic(
        "word of patch", "The path of the patch begins in the pod template.", 'patch pod "PATH" = VALUE', _POD
    ),
    "unchecked": Topic(
        "word of patch", "Fields that the schema does not know are let through.", 'patch "PATH" = VALUE unchecked'
    ),
    # when an output is copied
    "success": Topic(
        "moment of an output", "The command exited 0; this is the default.", "output SOURCE to DESTINATION on success"
    ),
    "failure": Topic(
        "moment of an output",
        "The command exited with another status than 0.",
        "output SOURCE to DESTINATION on failure",
    ),
    "always": Topic(
        "moment of an output",
        "The command has ended, whatever its status.",
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
        "An amount with a unit: m k M G T P E, or Ki Mi Gi Ti Pi Ei for powers of 1024.",
        "param size: quantity = 4Gi",
    ),
    "duration": Topic(
        "type", "A length of time with units: ms s m h d, the largest first.", "param limit: duration = 1h30m"
    ),
    "list": Topic("type", "Values of one type.", 'param zones: list<string> = ["a", "b"]'),
    "map": Topic("type", "Values of one type by name.", 'param labels: map<string> = { team = "vision" }'),
    # what a target has without declaring it, and what replicas get
    "version": Topic(
        "option of every target",
        "The version of the target to compile for; -t TARGET@VERSION wins.",
        'target volcano { version = "1.12" }',
        'target volcano { version = "1.12" }',
    ),
    "TF_CONFIG": Topic(
        "environment variable",
        "The cluster spec and the task's place in it, as TensorFlow reads it; tfdsl tfconfig shows it.",
        'cluster { discovery = "none" } leaves it out',
    ),
    "CHECKPOINT_DIR": Topic(
        "environment variable",
        "The folder of checkpoints, in every role, when checkpoint is set.",
        'checkpoint = "/runs/mnist"',
    ),
    # exit statuses of the script on YARN and Slider, and of the one that copies outputs
    "74": Topic(
        "exit status",
        f"The command succeeded, the copy of an output failed. {_PROBLEM}",
        "nothing: write overwrite = true if the destination is there already",
    ),
    "75": Topic(
        "exit status",
        f"A peer of the task was lost, so this one was ended too. {_PROBLEM}",
        "look at the log of the first task that failed",
    ),
    "76": Topic(
        "exit status",
        f"Peers were missing at the time limit (rendezvous_seconds, wait_limit). {_PROBLEM}",
        "give the cluster time, or ask for fewer replicas",
    ),
    "77": Topic(
        "exit status",
        f"The coordinator turned the task away: it is one container too many. {_PROBLEM}",
        "nothing: the others go on",
    ),
}
"""Word → page, in the order of the language reference."""

UNITS: Final = {
    "quantity": ("m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"),
    "duration": ("ms", "s", "m", "h", "d"),
}
"""Type → the units of its values, which have the page of the type."""
