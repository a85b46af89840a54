"""Random programs: whole jobs out of the words of the language, and texts broken in all the usual ways."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.cli import topics
from tfdsl.lint.runner import SLUGS, load
from tfdsl.vocabulary import attributes, functions, statements

if TYPE_CHECKING:
    import random

ROOT = Path(__file__).resolve().parents[2]
_FENCED = re.compile(r"^```tfjob\n(.*?)^```", re.S | re.M)
_TOKEN = re.compile(r'"[^"\n]*"|\w+|\s+|.', re.S)

VALUES = (
    *("0", "1", "-1", "2", "0.5", "1.0", "9223372036854775807", "100000", "1Gi", "500m", "10m", "1h30m", "0s", "16GB"),
    *('"a"', '""', '"${task.index}"', '"${env.HOME}"', '"${job.name}"', '"/data"', '"é😀\\n$(X) {{ y }}"', '"$$"'),
    *("true", "false", "[]", "{}", '["a", "b"]', '{ a = "b" }', "[[1]]", '{ "a b" = [1] }', "x", "y", "null"),
    *("x + 1", "x * 1Gi", "1 / 0", "1 == 1 ? 1 : 2", "role.name", "role.replicas", "roles.worker.replicas", "job.user"),
    *(
        'secret("a", "b")',
        'configmap("a", "b")',
        '[secret("a")]',
        'pod_field("status.podIP")',
        'env_file("train.sh")',
        'file("train.sh")',
        "min(1, 2)",
        'join(",", ["a"])',
        "roles.ps.replicas",
    ),
    *("matrix.lr", "matrix.index", '"${matrix.lr}-${matrix.index}"'),
)
PLACES = ('"/data"', '"/data/"', '"/"', '"relative"', '"/a/../b"', '"/dev/shm"', '"/runs"', '"~/x"')
SOURCES = ('"claim"', "10Gi", '"/mnt"', '"server:/x"', '"hdfs://nn/x"', '"hdfs:///a.zip"', '"code.tar.gz"', "3", "")
NOISE = (
    *("{", "}", "[", "]", "(", ")", '"', "'", '"""', "'''", "${", "}", ",", ";", ":", "=", "==", "=>", "->", "#", "//"),
    *(
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\0",
        "\x1b",
        "\ufeff",
        "\u202e",
        "\u2028",
        "\ud800",
        "é",
        "😀",
        "\u00a0",
        "“",
        "\\",
        "$",
    ),
    *(
        "job",
        "role",
        "worker",
        "let",
        "param",
        "template",
        "use",
        "on",
        "mount",
        "output",
        "target",
        "patch",
        "edition",
        "when",
        "unset",
        "matrix",
        "prepare",
        "flow",
        "run",
        "after",
        "ended",
    ),
    *("1", "0x", "1.5.2", "99999999999999999999", "1Gi1", "..", "&&", "||", "!", "?", "@", "<", ">"),
)


def corpus() -> list[str]:
    """Texts to begin with: examples, the pages that explain messages, the specification."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob("*.tfjob"))]
    for folder in ("tfdsl/diagnostics/pages", "tests/spec", "docs"):
        for path in sorted((ROOT / folder).rglob("*.md")):
            texts += _FENCED.findall(path.read_text(encoding="utf-8"))
    for slug in SLUGS:
        texts += _FENCED.findall(load(slug).page)
    return texts


def program(chance: random.Random) -> str:
    """A whole file whose parts mostly make sense."""
    text = "".join(_declaration(chance) for _ in range(chance.randrange(4)))
    if chance.random() < 0.2:
        jobs = (f'job {name} {{ image = "x:1", role worker {{ }}, {item(chance)} }}\n' for name in ("mnist", "mnist1"))
        return text + "".join(jobs) + _flow(chance)
    for number in range(chance.choice((1, 1, 1, 2))):
        image = "" if chance.random() < 0.1 else '  image = "registry.example.com/mnist:1.4"\n'
        command = chance.choice(
            ("", '  command = ["python", "/app/train.py"]\n', '  command = "exec train \\"$@\\""\n')
        )
        items = "".join(f"  {item(chance)}\n" for _ in range(chance.randrange(8)))
        matrix = f"  {_matrix(chance)}\n" if chance.random() < 0.3 else ""
        inside = f"{image}{command}{matrix}{items}{_roles(chance)}{_targets(chance)}"
        text += f"job {_name(chance, number)} {{\n{inside}}}\n"
    return text + "".join(_flow(chance) for _ in range(chance.choice((0, 0, 1, 2))))


_RUNS = ("mnist", "mnist1", '"mnist-${x}"', '"mnist-0"', "gone", "x", '""', '"${job.name}"', "3")
_OF_FLOWS = (
    *('"0 2 * * 1-5"', '"@daily"', '"* * 31 2 *"', '"*/0 * * * *"', '"Europe/Berlin"', '"UTC+2"', '"Forbid"', '"skip"'),
    *('"replace"', "12h", '"ml"'),
)


def _flow(chance: random.Random) -> str:
    lines: list[str] = []
    for _ in range(chance.randrange(5)):
        row = chance.choice(statements.FLOW)
        value = chance.choice(_OF_FLOWS if chance.random() < 0.7 else VALUES)
        lines.append(f"{row.name} = {value}{_condition(chance)}")
    for _ in range(chance.randrange(5)):
        after = chance.choice(("", chance.choice(_RUNS), f"[{', '.join(chance.sample(_RUNS, chance.randrange(4)))}]"))
        ending = chance.choice(("", "", "succeeded", "failed", "ended", "always")) if after else ""
        words = f"run {chance.choice(_RUNS)}{f' after {after} {ending}' if after else ''}"
        lines.append(f"{words}{_condition(chance)}")
    chance.shuffle(lines)
    inside = chance.choice(("\n", ", ")).join(lines)
    name = chance.choice(("nightly", "nightly", "mnist", '"a b"'))
    return f"flow {name} {{ {inside} }}\n"


def _name(chance: random.Random, number: int) -> str:
    plain = f"mnist{number or ''}"
    inside = chance.choice(("x", "matrix.lr", "matrix.index", "y", "job.name"))
    return plain if chance.random() < 0.8 else f'"{plain}-${{{inside}}}"'


def _matrix(chance: random.Random) -> str:
    values = [", ".join(chance.sample(VALUES, chance.randrange(1, 3))) for _ in range(2)]
    sound = chance.choice(("lr = [0.1, 1e-3]", 'lr = ["a", "b"], n = [1, 2]', "lr = [4Gi], on = [true, false]"))
    unsound = f"lr = [{values[0]}], n = {values[1]}"
    return f"matrix {{ {sound if chance.random() < 0.7 else unsound} }}"


def _declaration(chance: random.Random) -> str:
    value = chance.choice(VALUES)
    return chance.choice(
        (
            f"let x = {value}\n",
            f"let y = [{value}, {chance.choice(VALUES)}]\n",
            f"param y: {chance.choice(('int', 'string', 'quantity', 'list<int>', 'map<string>'))} = {value}\n",
            "param x: int = 2 { min = 1, max = 9 }\n",
            f"template t {{ {item(chance)} }}\n",
            f"template u {{ use t, {item(chance)} }}\n",
            f"profile prod {{ x = {value} }}\n",
            'include "common.tfjob"\n',
            f'include "{chance.choice(("cycle", "broken", "none"))}.tfjob"\n',
        )
    )


CONDITIONS = (
    "true",
    "false",
    "x > 1",
    "x == 1 && true",
    '"a"',
    "task.index > 0",
    "roles.ps.replicas > 1",
    "matrix.a > 1",
)


def _condition(chance: random.Random) -> str:
    return f" when {chance.choice(CONDITIONS)}" if chance.random() < 0.2 else ""


def item(chance: random.Random) -> str:
    kind = chance.randrange(10)
    if kind < 3:
        row = chance.choice(attributes.ATTRIBUTES)
        sound = row.example and chance.random() < 0.7
        return f"{row.name} = {row.example if sound else chance.choice(VALUES)}{_condition(chance)}"
    if kind == 3:
        mount = chance.choice(statements.MOUNT_KINDS).name
        readonly = chance.choice(("", " readonly"))
        return f"mount {mount} {chance.choice(SOURCES)} at {chance.choice(PLACES)}{readonly}{_condition(chance)}"
    if kind == 4:
        rest = chance.choice(("", " on always", " from ps")) + _condition(chance)
        return f"output {chance.choice(PLACES)} to {chance.choice(PLACES)}{rest}"
    if kind == 5:
        return _policy(chance)
    if kind == 6:
        return chance.choice(list(topics.MOUNTS.values())).replace("\n", ", ")
    if kind == 7:
        return _step(chance)
    if kind == 8:
        return _unset(chance)
    function = chance.choice(functions.FUNCTIONS).name
    return chance.choice(("use t", "use base", f"queue = {function}({chance.choice(VALUES)}, {chance.choice(VALUES)})"))


def _unset(chance: random.Random) -> str:
    """What takes something back, and a matrix, which only a job can have."""
    row = chance.choice(attributes.ATTRIBUTES)
    event = chance.choice(statements.EVENTS)
    written = event.syntax.partition(",")[0].partition(" ")[0].replace("exit", "exit [1, 137]")
    what = chance.choice(
        (
            row.name,
            f'{row.name}["A"]',
            f"mount {chance.choice(PLACES)}",
            f"output {chance.choice(PLACES)} to {chance.choice(PLACES)}",
            f"on {chance.choice(('', 'worker ', 'ps '))}{written}",
            f"{chance.choice(tuple(statements.STEPS))} fetch",
        )
    )
    matrix = f"matrix {{ a = [{chance.choice(VALUES)}, {chance.choice(VALUES)}], b = [1, 2] }}"
    return matrix if chance.random() < 0.2 else f"unset {what}{_condition(chance)}"


def _step(chance: random.Random) -> str:
    kind = chance.choice(tuple(statements.STEPS))
    rows = [row for row in attributes.ATTRIBUTES if row.name in statements.STEP_ATTRIBUTES[kind]]
    rows = chance.sample(rows if chance.random() < 0.9 else attributes.ATTRIBUTES, chance.randrange(4))
    inside = ", ".join(f"{row.name} = {row.example or chance.choice(VALUES)}" for row in rows)
    name = chance.choice(("fetch", '"log-1"', "fetch", '"a b"', "tensorflow"))
    return f"{kind} {name} {{ {inside} }}"


def _policy(chance: random.Random) -> str:
    event = chance.choice(statements.EVENTS)
    subject = chance.choice(("", "", "worker ", "ps ", "worker[0] ", "tensorboard ")) if event.takes_subject else ""
    written = event.syntax.partition(",")[0].replace("DURATION", "10m").replace("N", str(chance.randrange(1, 256)))
    delay = " after 5m" if event.takes_delay and not event.needs_delay and chance.random() < 0.3 else ""
    actions = event.actions if chance.random() < 0.9 else [action.name for action in statements.ACTIONS]
    return f"on {subject}{written}{delay}{_condition(chance)} => {chance.choice(actions)}"


def _roles(chance: random.Random) -> str:
    text = ""
    for role in attributes.ROLES:
        if role.name == "worker" or chance.random() < 0.3:
            body = ", ".join(item(chance) for _ in range(chance.randrange(4)))
            count = f"replicas = {chance.randrange(4)}" if not role.single else ""
            inside = ", ".join(part for part in (count, body) if part)
            text += f"  role {role.name}{_condition(chance)} {{ {inside} }}\n"
    return text


def _targets(chance: random.Random) -> str:
    if chance.random() < 0.6:
        return ""
    name = chance.choice(targets.names())
    patch = chance.choice(
        (
            'patch "spec.x" = 1',
            'patch "metadata.annotations" += { a = "b" }',
            'unpatch "spec"',
            'patch pod "spec.hostPID" = true',
            'patch pod "spec.x" = 1 unchecked',
            'unpatch pod "spec.containers[0].ports"',
            'patch "spec.tasks[0].template.spec" += { dnsPolicy = "Default" }',
            f'patch "{chance.choice(NOISE)}" = {chance.choice(VALUES)}',
        )
    )
    return f"  target {name} {{ {item(chance)}\n {patch} }}\n"


def mutated(text: str, chance: random.Random) -> str:
    """``text`` with up to eight tokens dropped, repeated, swapped or replaced, or cut off."""
    tokens = _TOKEN.findall(text)
    for _ in range(chance.randrange(1, 9)):
        if not tokens:
            break
        at = chance.randrange(len(tokens))
        other = chance.randrange(len(tokens))
        match chance.randrange(6):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, chance.choice(NOISE))
            case 2:
                tokens[at] = chance.choice(NOISE)
            case 3:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 4:
                tokens[at:at] = tokens[other : other + chance.randrange(1, 20)]
            case _:
                del tokens[at : at + chance.randrange(1, 30)]
    return "".join(tokens)


def blurred(data: bytes, chance: random.Random) -> bytes:
    """``data`` with some bytes changed, as a bad disk or another encoding would."""
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)
