"""A short run of the fuzzer, and the inputs that are made to hurt. ``make fuzz`` runs as long as one likes."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, seed, settings, strategies as st

from tests.fuzz import inputs, programs
from tests.fuzz.target import run

pytestmark = pytest.mark.slow

CORPUS = programs.corpus()
ROUNDS, EACH = 5, 40

BOMB = "".join(f"template t{n} {{ use t{n + 1}, use t{n + 2} }}\n" for n in range(60))
LETS = 'let x0 = "ha"\n' + "".join(f'let x{n + 1} = "${{x{n}}}${{x{n}}}${{x{n}}}"\n' for n in range(60))
LISTS = "let x0 = [1]\n" + "".join(f"let x{n + 1} = [x{n}, x{n}, x{n}]\n" for n in range(60))
JOB = 'job a { image = "a:1", role worker { } }\n'

HOSTILE = {
    "nothing": b"",
    "only a byte order mark": b"\xef\xbb\xbf",
    "zero bytes": b"\0" * 5000,
    "not UTF-8": b"job a \xff\xfe\x80 { }",
    "UTF-16": JOB.encode("utf-16"),
    "byte order mark and carriage returns": b"\xef\xbb\xbf" + JOB.replace(" ", "\r\n").encode(),
    "carriage returns alone": JOB.replace(" ", "\r").encode(),
    "half a pair of surrogates": b'job a { image = "\xed\xa0\x80" }',
    "half a pair as an escape": JOB.replace("a:1", "\\u{D800}").encode(),
    "5,000 open braces": b"{" * 5000,
    "5,000 open brackets of a value": b"let x = " + b"[" * 5000,
    "5,000 open parentheses": b"let x = " + b"(" * 5000 + b"1",
    "5,000 signs": b"let x = " + b"-" * 5000 + b"1",
    "5,000 operands": b"let x = " + b"1 + " * 5000 + b"1\n" + JOB.encode(),
    "5,000 questions": b"let x = " + b"true ? " * 5000 + b"1",
    "5,000 members": b"let x = a" + b".a" * 5000,
    "interpolations in interpolations": b"let x = " + b'"${' * 2000 + b"1" + b'}"' * 2000,
    "5,000 blocks": b"job a { " + b"role worker { " * 5000,
    "5,000 closers": b"}" * 5000,
    "5,000 quotes": b'"' * 5001,
    "5,000 text marks": b'"""\n' * 5001,
    "one long name": b"let " + b"a" * 100_000 + b" = 1\n" + JOB.encode(),
    "one long number": b"let x = " + b"9" * 100_000 + b"\n" + JOB.encode(),
    "one long unit": b"let x = " + b"1h" * 50_000 + b"\n" + JOB.encode(),
    "one long comment": b"# " + b"x" * 100_000 + b"\n" + JOB.encode(),
    "one long broken line": b"= " * 50_000,
    "templates that use two others": (BOMB + "template t60 { }\ntemplate t61 { }\n" + JOB).encode(),
    "templates in a circle": BOMB.replace("use t61", "use t0").encode() + JOB.encode(),
    "lets that double": (LETS + JOB.replace("a:1", "${x60}")).encode(),
    "lists that grow": (LISTS + JOB).encode(),
    "a pattern that takes long": b'param x: string = "' + b"a" * 40 + b'!" { pattern = "(a+)+b" }\n' + JOB.encode(),
    "3,000 lets in a row": "".join(f"let x{n} = x{n + 1}\n" for n in range(3000)).encode() + JOB.encode(),
    "an unknown name 1,000 times": b"job a { " + b"colour = 1, " * 1000 + b"}",
    "many replicas": JOB.replace("worker { }", "worker { replicas = 100000 }").encode(),
    "a toleration 1,000 levels deep": b"job a { tolerations = " + b"[{ a = " * 1000 + b"1" + b" }]" * 1000 + b" }",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str) -> None:
    run(HOSTILE[name])


@pytest.mark.parametrize("length", [10_000_000])
def test_one_line_of_ten_megabytes(length: int) -> None:
    run(b'job a { image = "' + b"x" * length + b'" }')


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_programs(number: int) -> None:
    chance = random.Random(f"make test {number}")
    for _ in range(EACH):
        run(inputs.one(chance, CORPUS))


@seed(1)
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes(data: bytes) -> None:
    run(data)


@seed(1)
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from((*programs.NOISE, *programs.VALUES, *programs.PLACES)), max_size=40))
def test_any_tokens(tokens: list[str]) -> None:
    run(" ".join(tokens).encode("utf-8", "surrogatepass"))
