"""Statements with places to fill in."""

from __future__ import annotations

from tfdsl import targets
from tfdsl.lsp.features.completion.item import Item
from tfdsl.vocabulary import statements

_DECLARATIONS = (
    ("include", 'include "${1:common.tfjob}"', "Use the params, lets, templates and profiles of another file."),
    ("param", "param ${1:name}: ${2:int} = ${3:1}", "A value that is set when the file is compiled."),
    ("let", "let ${1:name} = ${2:value}", "A constant."),
    ("template", "template ${1:name} {\n\t$0\n}", "Items that jobs, roles and targets include with `use`."),
    ("profile", "profile ${1:name} { $0 }", "Values for params, selected with `--profile`."),
    (
        "job",
        'job ${1:name} {\n\timage = "${2:registry.example.com/x:1}"\n\n\trole worker { replicas = ${3:2} }\n\t$0\n}',
        "A job.",
    ),
)
_ITEMS = (
    ("mount", 'mount ${1:pvc} "${2:name}" at "${3:/data}"', "Storage: `mount KIND SOURCE at PATH`."),
    (
        "output",
        'output "${1:/tmp/export}" to "${2:/runs/export}"',
        "Copy a file or folder after the command has ended.",
    ),
    ("on", "on ${1:failed} => ${2:restart container}", "A policy: `on [ROLE] EVENT => ACTION`."),
    ("use", "use ${1:template}", "Include the items of a template."),
    ("prepare", 'prepare ${1:fetch} {\n\tcommand = "${2:python /app/fetch.py}"\n}', statements.STEPS["prepare"]),
    ("sidecar", 'sidecar ${1:proxy} { image = "${2:registry.example.com/proxy:1}" }', statements.STEPS["sidecar"]),
    ("unset", "unset ${1:image}", statements.WORDS["unset"][1]),
)
_JOB = (
    ("role", "role ${1:worker} {\n\t$0\n}", "A role: chief, master, ps, worker, evaluator, tensorboard."),
    ("target", f"target ${{1:{targets.names()[0]}}} {{\n\t$0\n}}", "Settings for one target only."),
    ("cluster", 'cluster { discovery = "${1:tf_config}" }', "How tasks find each other."),
    ("matrix", "matrix { ${1:lr} = [${2:0.1, 0.01}] }", statements.WORDS["matrix"][1]),
    ("build", 'build {\n\tfrom = "${1:image}"\n\t$0\n}', "A Dockerfile for the image."),
)
_TARGET = (
    ("role", "role ${1:worker} {\n\t$0\n}", "Settings for one role on this target only."),
    ("patch", 'patch "${1:path}" = ${2:value}', "Set a field of the output; `+=` merges a map or appends to a list."),
    ("unpatch", 'unpatch "${1:path}"', "Remove a field of the output."),
    ("patch pod", 'patch pod "${1:spec.hostPID}" = ${2:true}', "Set a field of the pod template of every role."),
    ("unpatch pod", 'unpatch pod "${1:spec.dnsPolicy}"', "Remove a field of the pod template of every role."),
)
_BUILD = (
    ("copy", 'copy "${1:source}" to "${2:/destination}"', "Copy a file of the build context into the image."),
    ("run", 'run "${1:command}"', "Run a command while the image is built."),
)
_IN = {
    "file": _DECLARATIONS,
    "job": (*_ITEMS, *_JOB),
    "role": _ITEMS,
    "target": (*_ITEMS, *_TARGET),
    "template": _ITEMS,
    "build": _BUILD,
}


def snippets(kind: str) -> list[Item]:
    """The statements that may begin in a block of ``kind``."""
    return [
        Item(label, "snippet", _plain(text), doc, text, snippet=True, rank=3) for label, text, doc in _IN.get(kind, ())
    ]


def _plain(text: str) -> str:
    """The first line without its places to fill in."""
    line = text.partition("\n")[0]
    for number in "0123":
        line = line.replace(f"${{{number}:", "\0").replace(f"${number}", "")
    plain, parts = "", line.split("\0")
    plain = parts[0]
    for part in parts[1:]:
        inner, _, rest = part.partition("}")
        plain += inner + rest
    return plain
