"""What newcomers from Python, YAML, HCL, Kubernetes and Slurm write: each is one message, and its advice compiles."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.mistakes import KINDS, mistaken
from tests.spec.running import run
from tests.spec.test_spec import EXAMPLES
from tests.unit.diagnostics.pages import ROOT, Example, diagnostics
from tfdsl.syntax import wording
from tfdsl.vocabulary import foreign

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tfdsl.diagnostics import Diagnostic, Edit

PARAMS = "param n: int = 2\nparam prod: bool = true\nlet xs = [1, 2]\n"

# Items of a job, and the slug of the one error.
IN_JOB = [
    ('args = ("a", "b")', "yaml-list"),
    ('args = {"a", "b"}', "yaml-list"),
    ('args = "a", "b"', "yaml-list"),
    ('args = [x for x in ["a"]]', "foreign-expression"),
    ("env = { k: v for k in xs }", "foreign-expression"),
    ('env = dict(A="1")', "foreign-expression"),
    ('args = [join(sep = ",", list = xs)]', "foreign-expression"),
    ('workdir = "{}".format(3)', "foreign-expression"),
    ('env = { A = os.getenv("HOME") }', "foreign-expression"),
    ('args = ["a", "b"][0:1]', "foreign-expression"),
    ('args = ["a": "b"]', "foreign-expression"),
    ("args = [*xs]", "foreign-expression"),
    ("retries = {{ .Values.n }}", "foreign-expression"),
    ("retries = 1 when prod else 2", "foreign-expression"),
    ("retries = if prod then 1 else 2", "foreign-expression"),
    ("retries = n ?? 3", "foreign-expression"),
    ("retries = n in xs", "foreign-expression"),
    ("retries = 2 ** 3", "foreign-expression"),
    ("retries = 1,000", "foreign-expression"),
    ("deadline = 1:30:00", "foreign-expression"),
    ('deadline = "1:30:00"', "wrong-type"),
    ('deadline = "1 hour"', "wrong-type"),
    ("deadline = 1 hour", "split-unit"),
    ("deadline = 1h 30m", "split-unit"),
    ("retries = 1_000", "bad-unit"),
    ("retries = prod and 3 or 2", "word-operator"),
    ('workdir = f"r/x:{tag}"', "string-prefix"),
    ("args = ['it''s']", "single-quotes"),
    ('command = "python" "train.py"', "foreign-expression"),
    ("command = |\n    python train.py", "heredoc"),
    ("command = >\n    python train.py", "heredoc"),
    ('command = "python train.py \\\n    --x"', "heredoc"),
    ("args = [--lr]", "unknown-name"),
    ('mount "data" at "/data"', "unfinished-statement"),
    ('mount { path = "/data", pvc = "x" }', "unfinished-statement"),
    ('mount "/data"', "unfinished-statement"),
    ('mount nfs nas:/x at "/x"', "unquoted-text"),
    ('mount hdfs hdfs://nn/data at "/x"', "unquoted-text"),
    ('mount hdfs "/data"', "unfinished-statement"),
    ("env = { URL = http://x.y/z }", "unquoted-text"),
    ("securityContext { runAsUser = 1 }", "unknown-statement"),
    ('securityContext {\n    seccompProfile { type = "x" }\n  }', "unknown-statement"),
    ("resources { limits { cpu = 1 } }", "unknown-statement"),
    ("resources = { limits = { cpu = 1 } }", "wrong-type"),
    ('env = { A = { valueFrom = { fieldRef = { fieldPath = "x" } } } }', "wrong-type"),
    ('env = [{ name = "A", value = "b" }]', "wrong-type"),
    ('args = [pod_field("metadata.name")]', "wrong-type"),
    ('env.A = "x"', "unknown-statement"),
    ('env["A"] = "x"', "unknown-statement"),
    ('env: A: "x"', "yaml-map"),
    ('env = { A: "x", B: "y" }', "colon-for-equals"),
    ('labels = { "a" => "b" }', "colon-for-equals"),
    ('args += ["x"]', "colon-for-equals"),
    ("workdir: /x/y:z", "colon-for-equals"),
    ("image: nginx", "colon-for-equals"),
    ("retries: n", "colon-for-equals"),
    ("args:\n    - a\n    - b", "yaml-list"),
    ("env:\n    - name: A\n      value: b", "yaml-list"),
    ("--nodes=2", "unknown-statement"),
    ("-- text", "foreign-comment"),
    ('"role" ps { }', "quoted-name"),
    ("role = ps", "block-form"),
    ("role ps = { }", "block-form"),
    ("role ps * 4 { }", "statement-form"),
    ("role ps[4] { }", "statement-form"),
    ("role ps, evaluator { }", "statement-form"),
    ("use base()", "statement-form"),
    ("memory = 512", "memory-unit"),
    ("memory_limit = -1", "out-of-range"),
    ("gpu = none", "unknown-name"),
    ("cpu = 1;;", "semicolon"),
    ("env = { DEBUG = yes }", "unknown-name"),
    ("backoffLimit = 3", "unknown-attribute"),
    ('role ps { after = ["ps"] }', "after-cycle"),
    ('target kubernetes { host = ["a"] }', "unknown-attribute"),
    ('target slurm { port_range = "1" }', "pattern-mismatch"),
    ('unset output "/tmp/x"', "unfinished-statement"),
    ('workdir = "/w/${task.index + 1}"', "run-time-alone"),
    ("port = task.index", "run-time-alone"),
]

# Items of a job, a word of the one help, and what each offered fix writes in the place that it is about.
SAID: list[tuple[str, str, list[str]]] = [
    *((f"{key} = {value}", "leave it out", []) for key in ("restartPolicy", "restart_policy")
      for value in ("Never", '"Never"', "NEVER")),
    *((f"restartPolicy = {value}", "on failed => restart container", [])
      for value in ("OnFailure", '"OnFailure"', "on_failure", "Always")),
    ('restart = "no"', "leave it out", []),
    ("restartPolicy = ExitCode", "on exit 42 => fail job", []),
    ('retries = "${n}"', "write n", ["n"]),
    ('memory = "${n}Gi"', "write n * 1Gi", ["n * 1Gi"]),
    ('memory = "${n + 1}gb"', "write (n + 1) * 1G", ["(n + 1) * 1G"]),
    ('gang = "${prod}"', "write prod", ["prod"]),
    ('args = "${n}"', 'write ["${n}"]', ['["${n}"]']),
    ('retries = "1${n}"', "", []),
    ("ttlSecondsAfterFinished = 60", "write ttl = 60s", ["ttl", "60s"]),
    ("activeDeadlineSeconds = 3600", "write deadline = 3600s", ["deadline", "3600s"]),
    ("terminationGracePeriodSeconds = n", "write stop_grace = n * 1s", ["stop_grace", "n * 1s"]),
    ("ttl_seconds_after_finished = 1d", "did you mean ttl", ["ttl"]),
    ("walltime = 60", "did you mean deadline", []),
    ('args = ["a", ...xs]', "a + b", []),
    ("args = [...xs]", "a + b", []),
    ('env = { A = "1", ...xs }', "a + b", []),
    ('image = "r/x:{{n}}"', 'write "r/x:${n}"', ['"r/x:${n}"']),
    ('image = "r/x:$n"', 'write "r/x:${n}"', ['"r/x:${n}"']),
    ('image = "r/x:$(n)"', 'write "r/x:${n}"', ['"r/x:${n}"']),
    ('image = "r/x:$tag"', "", []),
    ('args = ["--n=" + n]', 'write "--n=${n}"', ['"--n=${n}"']),
    ('args = [n + "-a"]', 'write "${n}-a"', ['"${n}-a"']),
    ('args = ["a" + (n + 1)]', 'write it into a text', []),
    ("workers { replicas = 2 }", "", ["role worker"]),
    ("Worker { }", "", ["role worker"]),
    ("parameter_server { }", "", ["role ps"]),
    ("server { }", "the blocks of a job are", []),
    ("role ps:\n    gpu = 1", "", [" {", "\n  }"]),
    ("target slurm:\n    gpu = 1", "", [" {", "\n  }"]),
    ("role ps\n    gpu = 1", "", [" {", "\n  }"]),
    ("var x = 4", "write let NAME", []),
    ('import "x"', 'write include "common.tfjob"', []),
    ("strategy mirrored", "the program chooses its tf.distribute strategy", []),
    ("assert true", "described, not programmed", []),
    ('print("x")', "described, not programmed", []),
    ("worker: { replicas = 1 }", "write role worker", []),
    ("timeout = 1:00:00", "did you mean deadline?; write 1h", ["deadline", "1h"]),
    ("retriess: n", "did you mean retries?", ["retries", " ="]),
    ("gres = gpu:a100:2", "gpu = 2", ["gpu", "2"]),
    ("description = hello world", "write annotations", []),
    ("resources = { cpu: 1 }", "set it with its own attribute", []),
    ("memory = \u201c4Gi\u201d", "write 4Gi", ["4Gi"]),
    ("memory = '4Gi'", "write 4Gi", ["4Gi"]),
    ('memory = "4Gi', "write 4Gi", ["4Gi"]),
    ('deadline = "90 minutes', "write 90m", ["90m"]),
    ("workdir = \u201c/x\u201d", "", ['"/x"']),
    ('matrix { lr = 0.1, 0.2 }\n  args = ["${matrix.lr}"]', "", ["[0.1, 0.2]"]),
    ('matrix { lr = 0.1,0.2,0.3 }\n  args = ["${matrix.lr}"]', "", ["[0.1,0.2,0.3]"]),
    ("on failed { restart pod }", "", ["=> restart pod"]),
    ("on chief failed { restart job }", "", ["=> restart job"]),
    ("pass", "described, not programmed", []),
    ("return", "described, not programmed", []),
    ("end", "a block ends with }", []),
    ("gpu = yes", "gpu = 1", []),
    ("gpu = a100", "gpu = 1", []),
    ("gpu = a100:2", "gpu = 2", ["2"]),
    ("gpu = nvidia.com/gpu", 'gpu = 1, gpu_resource = "nvidia.com/gpu"', ['1, gpu_resource = "nvidia.com/gpu"']),
    ("gpu_resource = amd.com/gpu", 'write "amd.com/gpu"', ['"amd.com/gpu"']),
    ("queue = gpu-pool", 'write "gpu-pool"', ['"gpu-pool"']),
    ("cpu = yes", "must be a number", []),
    ("memory = node/lots", "must be a quantity", []),
    ("host_network = yes", "write true", ["true"]),
    ("workdir = on", 'write "on"', ['"on"']),
    ("args = foo", 'write ["foo"]', ['["foo"]']),
]  # fmt: skip

JOB = 'job m { image = "r/x:1", role chief { } }\n'
FILES = [
    ("job: hello\n", "block-form"),
    ('job: hello { image = "r/x:1", role chief { } }\n', "block-form"),
    ('job x:\n  image = "r/x:1"\n  role chief { }\n', "missing-block"),
    ("param workers = 4\n" + JOB, "unfinished-statement"),
    ("param int workers = 4\n" + JOB, "statement-form"),
    ("param n: int = 2\nprofile p { unset n }\n" + JOB, "block-form"),
    ("param n: int = 2\nprofile p { param n = 3 }\n" + JOB, "block-form"),
    ("profile { n = 3 }\n" + JOB, "unfinished-statement"),
    ("let xs = [1..4]\n" + JOB, "foreign-expression"),
    ("let a = 1; let b = 2\n" + JOB, "semicolon"),
    ('variable "x" {\n  type = string\n  default = "a"\n}\n' + JOB, "unknown-statement"),
    ('resource "x" "y" {\n  a = 1\n}\n' + JOB, "unknown-statement"),
    ('provider "kubernetes" { }\n' + JOB, "unknown-statement"),
    ("import os\n" + JOB, "unknown-statement"),
    ("def main():\n  pass\n" + JOB, "unknown-statement"),
    ("include common.tfjob\n" + JOB, "unquoted-text"),
    ("name: mnist\nimage: x\n" + JOB, "outside-job"),
    (JOB.replace("job m", "job m-${n}"), "job-name-quotes"),
    (JOB.replace("job m", "job m ="), "block-form"),
    (JOB.replace("job m", "job m extends base"), "statement-form"),
    (
        'job m { image = "r/x:1", matrix { lr = [0.1, 0.2] }, args = ["${lr}"], role chief { } }\n',
        "unknown-name",
    ),
    ("param n: int = 2\n" + JOB.replace("chief { }", "worker { replicas = not n > 3 ? 1 : 2 }"), "word-operator"),
]


def found(text: str) -> list[Diagnostic]:
    everything = diagnostics(Example({"main.tfjob": text, "common.tfjob": "", "prod.env": "A=1\n"}, (), ""))
    return [one for one in everything if one.level == "error"]


def whole(item: str) -> str:
    image = "" if item.startswith("image") else '  image = "r/x:1"\n'
    return f"{PARAMS}template base {{ gpu = 1 }}\njob a {{\n{image}  {item}\n  role chief {{ }}\n}}\n"


CASES = [(whole(item), slug) for item, slug in IN_JOB] + FILES


@pytest.mark.parametrize(("text", "slug"), CASES, ids=[item for item, _ in IN_JOB + FILES])
def test_a_habit_is_one_message(text: str, slug: str) -> None:
    assert [one.rule.slug for one in found(text)] == [slug]


@pytest.mark.parametrize(("item", "says", "writes"), SAID, ids=[item for item, _, _ in SAID])
def test_what_is_said_of_a_habit(item: str, says: str, writes: list[str]) -> None:
    """One message, whose help says what to write; where its fix is applied, nothing is wrong."""
    (one,) = found(whole(item))
    assert says in "; ".join(one.helps)
    assert bool(says or writes) == bool(one.helps or one.fixes)
    assert [edit.text for fix in one.fixes for edit in fix.edits] == writes
    for fix in one.fixes:
        assert found(edited(one.span.source.text, fix.edits)) == []


def edited(text: str, edits: Iterable[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


# --- advice ---
#
# What a help says to write, in all places where it may be meant: one of them has to take it.

STEPS = 'prepare fetch { command = "x" }, sidecar proxy { image = "r/p:1" }, mount pvc "d" at "/data"'
ITEMS = f'{STEPS}, output "/tmp/model" to "/data/model", env = {{ DEBUG = "1" }}'
HEAD = (
    PARAMS
    + "let a = 1\nlet b = 2\nlet value = 1\nparam m: int = 2\n"
    + "template name { gpu = 1 }\ntemplate gpu_node { gpu = 1 }\n"
)
BEFORE = f'{HEAD}job a {{ image = "r/x:1", role chief {{ }}, on failed => restart pod, '
PLACES = (
    "§\n" + JOB,
    f'{JOB}flow n {{ schedule = "@daily", §, run m }}\n',
    BEFORE + "§ }\n",
    f'{BEFORE}mount pvc "d" at "/runs", § }}\n',
    f'{HEAD}template t {{ mount pvc "d" at "/data" }}\njob a {{ image = "r/x:1", role chief {{ }}, use t, § }}\n',
    f"{HEAD}template t {{ {ITEMS}, on failed => restart pod }}\n"
    'job a { image = "r/x:1", role chief { }, use t, § }\n',
    f'{HEAD}job a {{ image = "r/x:1", role chief {{ }}, § }}\n',
    BEFORE + "role ps { § } }\n",
    BEFORE + "target kubernetes { § } }\n",
    BEFORE + 'build { from = "x", § } }\n',
    JOB.replace('image = "r/x:1"', "build { § }"),
    BEFORE + "role tensorboard { § } }\n",
    BEFORE + 'matrix { lr = [1, 2] }, args = ["§"] }\n',
    BEFORE.replace('image = "r/x:1"', "§") + "}\n",
    BEFORE.replace("role chief { }", "§") + "}\n",
    HEAD + "let result = §\n" + JOB,
    HEAD + 'let result = "§"\n' + JOB,
    BEFORE + "env = { A = § } }\n",
    BEFORE + "workdir = § }\n",
    BEFORE + "workdir = § }\nflow nightly { run a }\n",
    BEFORE + "deadline = § }\n",
    JOB.replace("image", "§, image"),
    HEAD + '§ { image = "r/x:1", role chief { } }\n',
)
STANDS_FOR = {
    "NAME": "name",
    "KEY": '"key"',
    "TYPE": "int",
    "TARGET": "volcano",
    "condition ? a : b": "true ? 1 : 2",
    "a + b": "[1] + [2]",
    "[a, b]": '["a", "b"]',
    "= [ … ]": "= [1]",
    "[ … ]": "[]",
    "{ … }": "{ }",
    '"…"': '"x"',
    "= …": "= 1",
    'a == "x" || a == "y"': "prod == true || n == 3",
    "<role>": "chief",
    " before the job": "",
    " in the block": "",
    " to two values": "",
}
PIECE = re.compile(r"(?:^|: |; )(?:write|add) (?:[a-z][a-z ,]*: )?(.+)|for example:? (.+)")
ENDS = re.compile(
    r" (?:or|for|in env|between|which|alone|here|after|where|inside|if|from|in the job|to the name|when [a-z]+ )\b"
    r"|; |: it |, (?:which|or|and|the|not|with) "
)


def pieces(help_: str) -> list[str]:
    """The pieces of text that ``help_`` says to write; words that only describe one are none."""
    match = PIECE.search(help_)
    if match is None:
        return []
    text = ENDS.split(f"{match[1] or match[2]} ")[0].strip().removesuffix(":")
    is_code = re.search(r'["={}\[\]@?]|=>|\d', text) is not None
    return [text] if is_code else []


def compiles(snippet: str) -> bool:
    for word, text in STANDS_FOR.items():
        snippet = snippet.replace(word, text)
    wrong = ({one.rule.slug for one in found(place.replace("§", snippet, 1))} for place in PLACES)
    return any(slugs <= {"missing-image"} for slugs in wrong)


def is_taken(one: Diagnostic, snippet: str) -> bool:
    """Whether ``snippet`` mends what ``one`` is about in its own place, or compiles somewhere."""
    source, span = one.span.source.text, one.span
    if source[: span.start].endswith("${"):
        snippet = snippet.removeprefix("${").removesuffix("}")
    mended = source[: span.start] + snippet + source[span.end :]
    return not found(mended) or compiles(snippet)


@pytest.mark.parametrize(("text", "slug"), CASES, ids=[item for item, _ in IN_JOB + FILES])
def test_the_advice_of_a_habit_compiles(text: str, slug: str) -> None:
    for one in found(text):
        for help_ in one.helps:
            for snippet in pieces(help_):
                assert is_taken(one, snippet), (help_, snippet)


@pytest.mark.parametrize("form", wording.FORMS.values())
def test_each_form_of_a_statement_compiles(form: str) -> None:
    if form.startswith(("patch", "unpatch")):
        form = f"target kubernetes {{ {form} }}"
    form = form.replace("Name", "name")
    assert compiles(form) or form == 'unpatch "spec.schedulerName"'


TABLES = {
    "attributes": foreign.ATTRIBUTES,
    "blocks": foreign.BLOCKS,
    "functions": foreign.FUNCTIONS,
    "members": foreign.MEMBERS,
    "operators": foreign.OPERATORS,
    "values": foreign.VALUES,
    "by value": foreign.BY_VALUE,
    "mounts": foreign.MOUNTS,
    "fields": {field.name: f"write {field.line}" for field in foreign.POD_FIELDS},
}


@pytest.mark.parametrize("name", TABLES)
def test_the_advice_of_the_tables_compiles(name: str) -> None:
    helps = dict.fromkeys(TABLES[name].values())
    assert [snippet for help_ in helps for snippet in pieces(help_) if not compiles(snippet)] == []


@pytest.mark.slow
def test_most_mistakes_in_a_sound_text_are_one_message() -> None:
    """Each kind of mistake in four texts. Some are two for anybody: a block whose head is broken is used elsewhere."""
    texts = [
        (ROOT / "examples" / name / "main.tfjob").read_text() for name in ("mnist", "profiles", "sweep", "volcano")
    ]
    several = single = 0
    for kind in KINDS:
        for number, text in enumerate(texts * 3):
            made = mistaken(text, kind, random.Random(number))
            count = 0 if made is None else len(found(made.text))
            single += count == 1
            several += count > 1
    assert several / (several + single) <= 0.1


@pytest.mark.slow
def test_the_advice_of_all_examples_compiles() -> None:
    """Every help about an example of the language's specification, and about the bad example of each page."""
    wrong: dict[str, str] = {}
    tried: set[str] = set()
    for example in EXAMPLES:
        for one in run(example.files, example.options).diagnostics:
            for help_ in one.helps:
                for snippet in pieces(help_) if help_ not in tried and one.rule.code.startswith("TFJ") else ():
                    tried.add(help_)
                    if not is_taken(one, snippet):
                        wrong[help_] = snippet
    assert not wrong
