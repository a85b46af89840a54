"""One mistake, one message: what people paste, half remember or carry over from other languages.

``»`` marks the place of the one error that ``check`` gives; items are put into a job.
"""

from __future__ import annotations

import pytest

from tests.unit.diagnostics.pages import Example, diagnostics
from tfdsl.syntax import statement_mistakes
from tfdsl.text import Source
from tfdsl.vocabulary.attributes import ATTRIBUTES
from tfdsl.vocabulary.types import MapType

# Params, lets and a template that the examples may use.
KNOWN = "param n: int = 2\nlet xs = [1, 2]\ntemplate gpu_node { gpu = 1 }\n"
ODD = " is not a valid name: use the letters a to z, digits and _"

# Items of a job: the text, the slug, the message.
IN_JOB = [
    ('workdir = »f"/x/${job.name}"', "string-prefix", "a string cannot have the prefix f; ${…} works in every string"),
    ('args = ["a", »r"b"]', "string-prefix", "a string cannot have the prefix r; ${…} works in every string"),
    ("role worker { replicas = »${n} }", "bare-interpolation", "outside a string, write n instead of ${n}"),
    ("retries = »${n + 1}", "bare-interpolation", "outside a string, write n + 1 instead of ${n + 1}"),
    ("workdir = »$HOME", "bare-interpolation", "outside a string, write HOME instead of $HOME"),
    ("workdir = »$HOME/x", "unquoted-text", 'text must be in quotes: "…"'),
    ("image = »r.example.com/x:${n}", "unquoted-text", 'text must be in quotes: "…"'),
    ("image = »nginx@sha256:0123", "unquoted-text", 'text must be in quotes: "…"'),
    ("workdir = »`pwd`", "backquotes", 'a string needs double quotes, not backquotes: "…"'),
    ("workdir = »`pwd`/x", "backquotes", 'a string needs double quotes, not backquotes: "…"'),
    ("workdir = »`pwd", "backquotes", 'a string needs double quotes, not backquotes: "…"'),
    (
        'command = »<<EOF\n    set -e; echo "x\n    a: $B\n  EOF',
        "heredoc",
        "a multi-line text goes between two \"\"\" or two ''' marks",
    ),
    (
        "command = »<<-'END'\n    python x.py {\n    END",
        "heredoc",
        "a multi-line text goes between two \"\"\" or two ''' marks",
    ),
    ("retries »:= 3", "colon-for-equals", "a value is set with =, not with :="),
    ("»for r in roles {\n    gpu = 1\n  }", "unknown-statement", "for is not a statement of this language"),
    ("»for x in y:", "unknown-statement", "for is not a statement of this language"),
    ("env = { »for k in keys : k => 1 }", "unknown-statement", "for is not a statement of this language"),
    ("args = [»for x in xs : x]", "unknown-statement", "for is not a statement of this language"),
    (
        "»if n == 1 {\n    gpu = 1\n  } else {\n    gpu = 2\n  }",
        "unknown-statement",
        "if is not a statement of this language",
    ),
    (
        '»init {\n    command = "x"\n    mount pvc "a" at "/b"\n  }',
        "unknown-statement",
        "init is not a statement of this language",
    ),
    ('»container "main" {\n    x = 1\n  }', "unknown-statement", "container is not a statement of this language"),
    ("role ps {\n    »limits { cpu = 1 }\n  }", "unknown-statement", "limits is not a statement of this language"),
    ("»worker { replicas = 2 }", "unknown-statement", "worker is not a statement of this language"),
    ('»volcano { queue = "x" }', "unknown-statement", "volcano is not a statement of this language"),
    ('env »{ A = "x" }', "missing-equals", "missing = between env and its value"),
    ("»let m = 4\n  retries = m", "declaration-inside", "let belongs outside the job"),
    ("»param m: int = 4 { min = 1 }\n  retries = m", "declaration-inside", "param belongs outside the job"),
    ("»template t {\n    gpu = 1\n  }\n  use t", "declaration-inside", "template belongs outside the job"),
    ("»profile t {\n    n = 1\n  }", "declaration-inside", "profile belongs outside the job"),
    ('»include "x.tfjob"', "declaration-inside", "include belongs outside the job"),
    ("role ps {\n    »let m = 4\n    cpu = 2\n  }", "declaration-inside", "let belongs outside the job"),
    ("»größe = 2", "odd-name", "größe" + ODD),
    ("»gro\u0308ße = 2", "odd-name", "gro\u0308ße" + ODD),
    ("retries = »größe + 1", "odd-name", "größe" + ODD),
    ("»r\u043ele worker { replicas = 2 }", "odd-name", "r\u043ele" + ODD),
    ("role »w\u043erker { replicas = 2 }", "odd-name", "w\u043erker" + ODD),
    ("»r\u0435tries = 2", "odd-name", "r\u0435tries" + ODD),
    ("»\uff52etries = 2", "odd-name", "\uff52etries" + ODD),
    ('»submarine-experiment-name = "x"', "odd-name", "submarine-experiment-name" + ODD),
    (
        'labels = { »submarine-experiment-name = "x" }',
        "unquoted-key",
        'this key needs quotes: "submarine-experiment-name"',
    ),
    (
        'labels = {\n    »app.kubernetes.io/name = "x"\n  }',
        "unquoted-key",
        'this key needs quotes: "app.kubernetes.io/name"',
    ),
    ('workdir = "/a»\0b"', "forbidden-character", "a NUL character (is the file UTF-16?) is not allowed in a file"),
    ('work»\0dir = "/a"', "forbidden-character", "a NUL character (is the file UTF-16?) is not allowed in a file"),
    (
        'target volcano»@1.9 {\n    queue = "x"\n  }',
        "target-version",
        "the version of target volcano is set inside its block",
    ),
    ("target volcano »@ v1.9 { }", "target-version", "the version of target volcano is set inside its block"),
    ("target volcano »1.9 { }", "target-version", "the version of target volcano is set inside its block"),
    ('target volcano »"1.9" { }', "target-version", "the version of target volcano is set inside its block"),
    ('target »"volcano" { }', "quoted-name", "this name is written without quotes"),
    ('use »"gpu_node"', "quoted-name", "this name is written without quotes"),
    ('mount »"pvc" "d" at "/d"', "quoted-name", "this name is written without quotes"),
    (
        'command = "x --home=»${HOME:-/root}"',
        "shell-expansion",
        "${HOME:-/root} is a shell expansion, not an expression",
    ),
    ('args = ["»${{ matrix.lr }}"]', "doubled-braces", "an expression in a string is written with single braces"),
    (
        'env = { A = "»${{secrets.TOKEN}}" }',
        "doubled-braces",
        "an expression in a string is written with single braces",
    ),
    ('command = "x »${x[@]}"', "shell-expansion", "${x[@]} is a shell expansion, not an expression"),
    ('command = "x »${#x}"', "shell-expansion", "${#x} is a shell expansion, not an expression"),
    ('command = "x »${p##*/}"', "shell-expansion", "${p##*/} is a shell expansion, not an expression"),
    ('command = "x »${a:-${b}}"', "shell-expansion", "${a:-${b}} is a shell expansion, not an expression"),
    (
        'command = """\n    x --y=»${Y:-"b"}\n    """',
        "shell-expansion",
        '${Y:-"b"} is a shell expansion, not an expression',
    ),
    ('args = ["--lr=${»trialParameters.lr}"]', "unknown-name", "trialParameters is not defined"),
    ("on failed »restart job", "unexpected-token", "expected =>, found restart"),
    ("on failed »: restart job", "unexpected-token", "expected =>, found :"),
    ('build { from = "x", copy "a" »"b" }', "unexpected-token", 'expected to, found "b"'),
    ('build { from = "x", copy "a" »… }', "unexpected-character", "unexpected character …"),
    ('workdir = »"/a', "unclosed-string", 'this string has no closing "'),
    (
        "spec:»\n    tfReplicaSpecs:\n      Worker:\n        replicas: 2\n        args: ['a']",
        "yaml-map",
        "indentation does not nest values; put those of spec in braces: { … }",
    ),
    (
        "»apiVersion: v1\n  kind: TFJob\n  spec:\n    - name: 'x'",
        "kubernetes-manifest",
        "this is a Kubernetes manifest, not the .tfjob language",
    ),
]

JOB = 'job a { image = "r/x:1", role chief { } }\n'
MANIFEST = "apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata:\n  name: x\nspec:\n  args: ['--a', \"b\"]\n  job: 3\n"

# Whole files.
FILES = [
    ("let m»: int = 4\n" + JOB, "typed-let", "a let cannot have a type: let m = …"),
    ('let m»: list[string] = ["a"]\n' + JOB, "typed-let", "a let cannot have a type: let m = …"),
    ('param m: »list[string] = ["a"]\n' + JOB, "type-brackets", "this type is written list<string>"),
    ('param m: »list(string) = ["a"]\n' + JOB, "type-brackets", "this type is written list<string>"),
    ('param m: »string[] = ["a"]\n' + JOB, "type-brackets", "this type is written list<string>"),
    ("param m: »map<string, int> = { }\n" + JOB, "type-brackets", "this type is written map<int>"),
    ("let m »:= 4\n" + JOB, "colon-for-equals", "a value is set with =, not with :="),
    ("param m »{ default = 4 }\n" + JOB, "unfinished-statement", "expected : and a type such as int or string after m"),
    (
        "param m »{\n  type = int\n  default = 4\n}\n" + JOB,
        "unfinished-statement",
        "expected : and a type such as int or string after m",
    ),
    ("param m: int { »default = 4 }\n" + JOB, "unknown-setting", "a param has no setting default"),
    ("param env»\n" + JOB, "unfinished-statement", "expected : and a type such as int or string after env"),
    ('param »env: string = "x"\n' + JOB, "reserved-name", "env is a reserved word and cannot name a param"),
    ("let »größe = 2\n" + JOB, "odd-name", "größe" + ODD),
    ("let »batch-size = 4\n" + JOB, "odd-name", "batch-size" + ODD),
    ("param »batch-size: int = 4\n" + JOB, "odd-name", "batch-size" + ODD),
    ("profile p { »batch-size = 4 }\n" + JOB, "unquoted-key", 'this key needs quotes: "batch-size"'),
    (
        "let m = " + "[" * 100 + "»" + "[" * 2900 + "]" * 3000 + "\n" + JOB,
        "nesting-too-deep",
        "brackets are nested more than 100 deep here",
    ),
    (
        "let m = " + "[" * 100 + "»" + "[" * 2900 + "\n" + JOB,
        "nesting-too-deep",
        "brackets are nested more than 100 deep here",
    ),
    (
        "let m = " + "(" * 100 + "»" + "(" * 2900 + "\n" + JOB,
        "nesting-too-deep",
        "brackets are nested more than 100 deep here",
    ),
    (
        "let m = " + "{ a = " * 100 + "»" + "{ a = " * 2900 + "1" + "}" * 3000 + "\n" + JOB,
        "nesting-too-deep",
        "brackets are nested more than 100 deep here",
    ),
    (
        JOB.replace("role chief", 'prepare "g-${»n}" { }, role chief'),
        "interpolated-name",
        "a name cannot contain ${…}",
    ),
    (
        JOB.replace("job a", "job »train-${n}"),
        "job-name-quotes",
        "a job name needs quotes unless it consists of letters, digits, _ and -",
    ),
    (JOB.replace("job a", "job »größe"), "odd-name", "größe" + ODD),
    (JOB.replace("job a {", "job »{"), "unexpected-token", "expected the name of the job, found {"),
    ("»---\n" + JOB, "yaml-separator", "the jobs of a file are not separated by ---"),
    (JOB + "»---\n" + JOB.replace("job a", "job b"), "yaml-separator", "the jobs of a file are not separated by ---"),
    ("»" + MANIFEST, "kubernetes-manifest", "this is a Kubernetes manifest, not the .tfjob language"),
    (
        "---\n»" + MANIFEST + "---\n" + MANIFEST,
        "kubernetes-manifest",
        "this is a Kubernetes manifest, not the .tfjob language",
    ),
    (JOB + "»" + MANIFEST, "kubernetes-manifest", "this is a Kubernetes manifest, not the .tfjob language"),
    ("»" + MANIFEST + JOB, "kubernetes-manifest", "this is a Kubernetes manifest, not the .tfjob language"),
    (
        '»{"apiVersion": "kubeflow.org/v1",\n "spec": [1]}\n',
        "kubernetes-manifest",
        "this is a Kubernetes manifest, not the .tfjob language",
    ),
    (
        'job a {\n  image = "r/x:1"\n  role worker »{\n    gpu = 1\n',
        "unclosed-block",
        "this { has no closing }",
    ),
]


def whole(marked: str) -> str:
    """The item in a job that has all that a job needs, and a good item behind it."""
    image = "" if "image" in marked else '  image = "r/x:1"\n'
    return f"{KNOWN}job a {{\n{image}  {marked}\n  deadline = 2h\n  role chief {{ }}\n}}\n"


def errors(text: str) -> list[tuple[str, tuple[int, int], str]]:
    found = diagnostics(Example({"main.tfjob": text, "x.tfjob": ""}, (), ""))
    return [
        (each.rule.slug, each.span.source.position(each.span.start), each.message)
        for each in found
        if each.level == "error"
    ]


@pytest.mark.parametrize(
    ("marked", "slug", "message"),
    [(whole(marked), slug, message) for marked, slug, message in IN_JOB] + FILES,
    ids=[f"{slug}-{i}" for i, (_, slug, _) in enumerate(IN_JOB + FILES)],
)
def test_one_mistake_is_one_message(marked: str, slug: str, message: str) -> None:
    text = marked.replace("»", "", 1)
    place = Source("test", text).position(marked.index("»"))
    assert errors(text) == [(slug, place, message)]


def test_advice_says_what_to_write() -> None:
    wanted = {
        "target volcano@1.9 { }": 'write version = "1.9" in the block',
        'command = "x ${HOME:-/root}"': "write \\${ to pass ${ to the shell",
        'args = ["${trialParameters.lr}"]': "write \\${trialParameters.lr} to keep it as literal text",
        "for r in xs { }": "there are no loops; write replicas = 4 for four copies of a role, matrix for several jobs",
        "if n == 1 { }": "there are no conditional blocks; write when after each item: gpu = 1 when prod",
        "sweep { lr = [1] }": "for several jobs of one block, write matrix { lr = [0.1, 0.01] }",
        "init { }": 'for example: prepare fetch { command = "python fetch.py" }',
        "unset role ps": "give the role a condition instead: role ps when … { }",
        "r\u043ele ps { }": "\u043e is not a Latin letter: cyrillic small letter o",
        "let m = 4": "move it out of the job, to the top of the file",
        "mount pvc": 'for example: mount pvc "data" at "/data"',
    }
    for item, help_ in wanted.items():
        (found,) = [each for each in diagnostics(Example({"main.tfjob": whole(item)}, (), "")) if each.level == "error"]
        assert found.helps == (help_,)


def test_the_words_that_recovery_knows_are_those_of_the_vocabulary() -> None:
    maps = {row.name for row in ATTRIBUTES if isinstance(row.type, MapType)}
    assert maps == statement_mistakes.MAPS


@pytest.mark.parametrize("text", [MANIFEST, JOB + MANIFEST, '{"apiVersion": "v1"}\n'])
def test_a_manifest_can_be_imported(text: str) -> None:
    (diagnostic,) = [one for one in diagnostics(Example({"main.tfjob": text}, (), "")) if one.level == "error"]
    assert diagnostic.helps == ("tfdsl import FILE writes the job that a manifest describes",)
