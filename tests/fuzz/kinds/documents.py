"""Sound jobs: what checks clean compiles, and what is written the server's schema, webhook and pod checks take."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import yaml

from tests.fuzz.case import Case, expect, kept
from tests.unit.backends.kubernetes.job_controller import problems as job_problems
from tests.unit.backends.pod_validation import pod_problems
from tests.unit.backends.structural import schema, violations
from tests.unit.backends.tfjob.operator import never_checked, webhook
from tests.unit.backends.volcano.webhook import refusals
from tfdsl import targets
from tfdsl.cli import topics
from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source
from tfdsl.vocabulary import attributes

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

    from tfdsl.backend import Document

PATH = "a.tfjob"
HOSTILE = (
    *(
        "",
        "$(HOME)",
        "$$$$",
        "{{ x }}",
        "a\\nb",
        "'",
        '\\"',
        "no",
        "012",
        "1e3",
        "~",
        "null",
        "🙂",
        "\\r\\n",
        " x ",
        "#",
    ),
    *(
        "$${A}",
        "\\\\",
        "x",
        "- a",
        "a: b",
        "a #b",
        "%s",
        "@a",
        "!x",
        "&x",
        "*x",
        "|",
        ">",
        "\\t",
        "\\u{85}",
        "\\u{2028}",
    ),
    *("\\u{FEFF}", "`id`", "$$(id)", "; id", "1:30", "0o17", "2001-01-01", "=", "<<", "\\u{1F600}", "\\u{7F}", "''"),
)
NAMES = ("a", "mnist", "a-b", "job1", "x" * 30)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def make(chance: random.Random) -> Case:
    """A job out of the examples of the words of the language, with texts that are hard to write down."""
    body = [f'  image = "registry.example.com/mnist:1.4"\n  command = ["python", {_texts(chance, "x")}]\n']
    has_role = False
    for part in _parts(chance):
        if "role " in part:
            if has_role:
                continue
            has_role = True
        body.append(f"  {part}\n")
    if not has_role:
        body.append(f"  role worker {{ replicas = {chance.choice((1, 2, 5, 20))}, {_role(chance)} }}\n")
        if chance.random() < 0.4:
            body.append(f"  role ps {{ replicas = {chance.choice((1, 3))}, {_role(chance)} }}\n")
        if chance.random() < 0.3:
            body.append(f"  role chief {{ {_role(chance)} }}\n")
        if chance.random() < 0.2:
            body.append(f"  role evaluator {{ {_role(chance)} }}\n")
    text = f"job {chance.choice(NAMES)} {{\n{''.join(body)}}}\n"
    name = chance.choice(targets.names())
    return Case(lambda: prove(text, name), {".tfjob": kept(text), ".target": kept(name)})


@cache
def _examples() -> tuple[str, ...]:
    given = (
        topics.ATTRIBUTES,
        topics.EVENTS,
        topics.ACTIONS,
        topics.ROLES,
        topics.MOUNTS,
    )
    plain = [f"{row.name} = {row.example}" for row in attributes.ATTRIBUTES if row.example and row.where != "role"]
    return (*plain, *(text for table in given for text in table.values()))


def _parts(chance: random.Random) -> Sequence[str]:
    return chance.sample(_examples(), chance.choice((0, 1, 1, 2, 3, 5)))


def _texts(chance: random.Random, first: str) -> str:
    return ", ".join(f'"{text}"' for text in (first, *(chance.choice(HOSTILE) for _ in range(chance.randrange(3)))))


def _role(chance: random.Random) -> str:
    found = {
        f'env = {{ A = "{chance.choice(HOSTILE)}", B = "{chance.choice(HOSTILE)}" }}',
        f"args = [{_texts(chance, '--x')}]",
        f"cpu = {chance.choice(('1', '500m', '0.25', '4'))}",
        f"memory = {chance.choice(('1Gi', '512Mi', '16Gi', '2G'))}",
        f"gpu = {chance.choice((0, 1, 8))}",
        f"port = {chance.choice((1, 2222, 65535))}",
        f'labels = {{ team = "{chance.choice(("a", "a.b_c", ""))}" }}',
        f'annotations = {{ "example.com/note" = "{chance.choice(HOSTILE)}" }}',
        f"host_network = {chance.choice(('true', 'false'))}",
        f'spread = "{chance.choice(("node", "none"))}"',
        f'mount memory {chance.choice(("1Gi", "64Mi"))} at "/cache"',
        'mount secret "keys" at "/keys"',
        'mount pvc "data" at "/data" readonly',
    }
    return ", ".join(chance.sample(sorted(found), chance.choice((0, 1, 2, 4))))


def prove(text: str, name: str) -> bool:
    """Whether the job was sound for the target ``name``; then its documents are."""
    target = targets.find(name)
    assert target is not None
    program = pipeline.load(Source(PATH, text, PATH), lambda path: "there is no such file")
    done = pipeline.run(program, Request(), [Choice(target)])
    if pipeline.has_errors(done.diagnostics):
        return False
    expect(len(done.made) == len(program.jobs), "a job that checks clean is not made")
    for made in done.made:
        found = [_read(document) for document in made.documents]
        wrong = _wrong(name, [document for document in found if isinstance(document, dict)])
        expect(not wrong, f"{name} would be refused: {wrong[:3]}")
    return True


def _read(document: Document) -> object:
    """The document as another reader reads it."""
    text = pipeline.written(document).text
    if document.format == "yaml":
        return yaml.load(text, _LOADER)
    if document.format == "json":
        json.loads(text)
    if document.format == "xml":
        ElementTree.fromstring(text)
    return None


@cache
def _schema(name: str) -> Any:
    return schema(name)


def _wrong(target: str, found: Sequence[Mapping[str, Any]]) -> list[str]:
    wrong: list[str] = []
    for document in found:
        match document["kind"], target:
            case "TFJob", _:
                wrong += violations(document, _schema("tfjob")) + webhook(document) + never_checked(document)
                templates = [spec["template"] for spec in document["spec"]["tfReplicaSpecs"].values()]
            case "Job", "volcano":
                wrong += violations(document, _schema("volcano-job")) + refusals(document)
                templates = [task["template"] for task in document["spec"]["tasks"]]
            case "Job", _:
                wrong += violations(document, _schema("batch-job")) + job_problems(document)
                templates = [document["spec"]["template"]]
            case "Deployment", _:
                templates = [document["spec"]["template"]]
            case _:
                templates = []
        wrong += [problem for template in templates for problem in pod_problems(template)]
    names = [(document["kind"], document["metadata"]["name"]) for document in found]
    return wrong + [f"two documents {name}" for name in set(names) if names.count(name) > 1]
