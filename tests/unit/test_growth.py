"""A text costs what it is long: four times the text takes about four times the work, whatever it says."""

from __future__ import annotations

import resource
from time import process_time
from typing import TYPE_CHECKING

import pytest

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.render import FORMATS, render
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

JOB = 'job j { image = "i:1", role worker { }\n%s}\n'

TEXTS: dict[str, Callable[[int], str]] = {
    "doubling with format()": lambda n: (
        'let a0 = "%"\n' + "".join('let a%d = format("%%s%%s", a%d, a%d)\n' % (i + 1, i, i) for i in range(n // 30))
    ),
    "format() of many percent signs": lambda n: (
        'let a0 = "%%%%"\n'
        + "".join('let a%d = "${a%d}${a%d}"\n' % (i + 1, i, i) for i in range(16))
        + "".join("let b%d = len(format(a16))\n" % i for i in range(n // 30))
    ),
    "many mistakes in one line": lambda n: (
        'job j { image = "i:1", role worker { }, ' + ", ".join("atribut%d = 1" % i for i in range(n // 15)) + " }\n"
    ),
    "many mistakes in one line of wide characters": lambda n: (
        'job j { image = "i:1", role worker { }, labels = { "日本" = "日本" }, '
        + ", ".join('atribut%d = "日本"' % i for i in range(n // 20))
        + " }\n"
    ),
    "a waiver for each line": lambda n: (
        "".join("# tfdsl: allow[unused-let] x\nlet a%d = 1\n" % i for i in range(n // 40)) + JOB % ""
    ),
    "waivers above each other": lambda n: (
        "".join("# tfdsl: allow[unused-let] x\n" for i in range(n // 30)) + "let a = 1\n" + JOB % ""
    ),
    "waivers beside an error": lambda n: (
        "".join("# tfdsl: allow[floating-image-tag] x\nlet a%d = 1\n" % i for i in range(n // 40))
        + JOB % 'args = ["a" + 1]'
    ),
    "a waiver of many names": lambda n: (
        "# tfdsl: allow[%s] x\nlet a = 1\n" % ", ".join("unused-let" for i in range(n // 12)) + JOB % ""
    ),
    "many possible values, many given": lambda n: (
        'param p: string = "zz" { one_of = [%s] }\n' % ", ".join('"a%d"' % i for i in range(n // 16))
        + "".join('profile p%d { p = "b" }\n' % i for i in range(n // 40))
        + JOB % ""
    ),
    "signs that mean nothing": lambda n: "@ ! ) ] " * (n // 8),
    "unclosed interpolations in a job": lambda n: JOB % ('args = ["' + '${"' * (n // 3)),
    "unclosed interpolations": lambda n: 'let a = "' + '${"' * (n // 3) + "\n",
    "closing brackets in one line": lambda n: 'let a = "' + "1 } = " * (n // 6) + "}\n" + JOB % "",
    "closing brackets of all kinds in one line": lambda n: JOB % ("x = 1 ] y ) = 2 } " * (n // 18)),
    "signs before a value that is missing": lambda n: "let a = f(" + "=> -- ---, " * (n // 11) + "}\n" + JOB % "",
    "open brackets": lambda n: "let a = " + "[" * n,
    "open braces": lambda n: "job j {" * (n // 7),
    "quotes": lambda n: '"' * n,
    "marks of text blocks": lambda n: '"""\n' * (n // 4),
    "one sign": lambda n: "@" * n,
    "equals signs": lambda n: "= " * (n // 2),
    "half mounts": lambda n: JOB % ("mount\n" * (n // 6)),
    "half roles": lambda n: JOB % ("role\n" * (n // 5)),
    "half policies": lambda n: JOB % ("on failed\n" * (n // 10)),
    "unknown names": lambda n: "".join("let x%d = y%d\n" % (i, i) for i in range(n // 12)),
    "a role many times": lambda n: 'job j { image = "i"\n' + "role worker { }\n" * (n // 16) + "}\n",
    "a key many times": lambda n: JOB % ("env = { " + ", ".join('A = "x"' for i in range(n // 9)) + " }\n"),
    "an attribute many times": lambda n: JOB % ("retries = 1\n" * (n // 12)),
    "policies of single replicas": lambda n: (
        'job j { image = "i", role worker { replicas = 5000 }\n'
        + "".join("on worker[%d] failed => ignore\n" % (i % 5000) for i in range(n // 30))
        + "}\n"
    ),
    "mounts": lambda n: JOB % "".join('mount pvc "a" at "/a/%d"\n' % i for i in range(n // 24)),
    "mounts at one path": lambda n: JOB % "".join('mount pvc "a" at "/a"\n' for i in range(n // 24)),
    "outputs": lambda n: (
        JOB % ('mount pvc "a" at "/a"\n' + "".join('output "/x" to "/a/%d"\n' % i for i in range(n // 24)))
    ),
    "replace() of a doubled text": lambda n: (
        'let a0 = "xx"\n'
        + "".join("let a%d = a%d + a%d\n" % (i + 1, i, i) for i in range(17))
        + "".join('let b%d = len(replace(a17, "xx", ""))\n' % i for i in range(n // 35))
    ),
    "parentheses": lambda n: "let a = " + "(" * (n // 2) + "1" + ")" * (n // 2) + "\n",
    "comments": lambda n: "# x\n" * (n // 4) + JOB % "",
    "words alone": lambda n: "x\r\n" * (n // 3),
    "a wide text": lambda n: 'let a = "' + "日" * n + '" + 1\n',
    "long texts that are wrong": lambda n: "".join('let a%d = "%s" - 1\n' % (i, "x" * 50) for i in range(n // 65)),
    "patches": lambda n: (
        JOB % ("target volcano {\n" + "".join('patch "spec.x%d" = 1\n' % i for i in range(n // 20)) + "}\n")
    ),
    "patches that a server refuses": lambda n: (
        JOB
        % ("target volcano {\n" + "".join('patch "metadata.labels.x%d" = "a b"\n' % i for i in range(n // 80)) + "}\n")
    ),
    "bad labels": lambda n: JOB % ("labels = { " + ", ".join('"%d bad" = "x y"' % i for i in range(n // 20)) + " }\n"),
    "bad tolerations": lambda n: (
        JOB % ("tolerations = [" + ", ".join("{ foo = %d }" % i for i in range(n // 14)) + "]\n")
    ),
    "exit policies": lambda n: JOB % "".join("on exit %d => ignore\n" % (i % 255 + 1) for i in range(n // 18)),
    "a profile many times": lambda n: "param a: int = 1\n" + "profile p { a = 1 }\n" * (n // 20) + JOB % "",
    "interpolations in a text block": lambda n: 'let a = """\n' + "  x ${1}\n" * (n // 9) + '  """\n',
    "a text block with too little indentation": lambda n: 'let a = """\n' + "x\n" * (n // 2) + '  """\n',
    "a matrix": lambda n: JOB % ("matrix { a = %s }\n" % list(range(n // 20)) + 'args = ["${matrix.a}"]\n'),
    "a matrix whose jobs are wrong": lambda n: (
        JOB % ("matrix { a = %s }\n" % list(range(n // 20)) + "cpu = 0 - matrix.a\n")
    ),
    "bad escapes": lambda n: 'let a = "' + "\\q" * (n // 2) + '"\n',
}
"""Texts of about so many characters, each of one kind."""

SMALL = 4000
TIMES = 4
WORST = 2.2  # more than linear by that: sorting, caches that run full, the noise of a clock
FREE = 0.25  # seconds of the larger text below which nothing can be said


def seconds(text: str) -> float:
    """Processor time of all that ``check`` does with a text, in every format."""
    start = process_time()
    source = Source("main.tfjob", text, "main.tfjob")
    program = pipeline.load(source, lambda path: "there is no such file")
    target = targets.find("volcano")
    assert target is not None
    done = pipeline.run(program, Request(), [Choice(target)])
    told = pipeline.settle([done], [program], strict=False, paths=["main.tfjob"])
    for form in FORMATS:
        render(form, told, ["main.tfjob"])
    return process_time() - start


@pytest.mark.parametrize("name", TEXTS)
def test_four_times_the_text_is_about_four_times_the_work(name: str) -> None:
    made = TEXTS[name]
    seconds(made(100))  # what is imported on the way
    for _ in range(3):  # a clock may be wrong once
        large = seconds(made(SMALL * TIMES))
        if large < FREE or large < TIMES * WORST * seconds(made(SMALL)):
            return
    pytest.fail(f"{large:.2f} s for {SMALL * TIMES} characters")


SWEEP = """
  image = "i:1"
  mount pvc "runs" at "/runs"
  output "/tmp/export" to "/runs/${job.name}"
  role chief { cpu = 4, memory = 16Gi, command = ["train", "--lr=%s"] }
  role worker { replicas = 4, cpu = 4, memory = 16Gi, command = ["train", "--lr=%s"] }
  on failed => restart pod
}
"""


def test_jobs_of_a_matrix_cost_no_more_than_jobs_that_are_written() -> None:
    values = list(range(300))
    written = "".join("job j-%d {" % value + SWEEP % (value, value) for value in values)
    matrix = "job j { matrix { lr = %s }" % values + SWEEP % ("${matrix.lr}", "${matrix.lr}")
    for _ in range(3):  # a clock may be wrong once
        if seconds(matrix) < seconds(written):
            return
    pytest.fail("a matrix costs more")


@pytest.mark.parametrize("target", targets.names())
def test_a_flow_costs_at_most_three_times_its_jobs(target: str) -> None:
    many = 60 if target == "kubernetes" else 100  # a Workflow of Argo has room for 66 plain jobs
    jobs = "".join(
        f'job j{n} {{ image = "i:1", command = ["a"], role worker {{ replicas = 2 }}, on failed => fail job }}\n'
        for n in range(many)
    )
    flow = "".join(f"run j{n}{f' after j{n - 1}' if n else ''}\n" for n in range(many))
    compiled(jobs, target)
    alone = compiled(jobs, target)
    assert compiled(f"{jobs}flow all {{\n{flow}}}\n", target) < 3 * alone


def compiled(text: str, target: str) -> float:
    """The processor time in seconds that it takes to compile ``text``."""
    begin = process_time()
    backend = targets.find(target)
    assert backend is not None
    outcome = pipeline.run(pipeline.load(Source("main.tfjob", text), lambda path: "no"), Request(), [Choice(backend)])
    assert not pipeline.has_errors(outcome.diagnostics)
    assert outcome.outputs or outcome.flows
    return process_time() - begin


def test_messages_are_bounded_and_the_rest_is_counted() -> None:
    text = "".join(f"let a{number} = b{number}\n" for number in range(3000))
    program = pipeline.load(Source("main.tfjob", text), lambda path: "")
    told = pipeline.settle([pipeline.run(program, Request())], [program], strict=False)
    shown = render("text", told)
    assert shown.count("unknown-name") == 200
    assert f"{len(told) - 200:,} more messages are not shown here" in shown
    assert shown.endswith("3000 errors\n") or "errors" in shown.rsplit("\n", 2)[1]
    assert render("json", told).count("unknown-name") == len([one for one in told if one.rule.slug == "unknown-name"])


@pytest.mark.parametrize("closing", ["]", "] patch "])
def test_closing_brackets_of_one_line_are_told_a_few_times(closing: str) -> None:
    for count in (20, 200, 2000):
        program = pipeline.load(Source("main.tfjob", "let a = " + closing * count + "\n"), lambda path: "")
        assert 1 <= sum("]" in one.message or "[" in one.message for one in program.diagnostics) < 10


def test_a_message_quotes_no_more_than_can_be_read() -> None:
    text = (
        f"job {'j' * 50_000} {{ }}\n"
        + 'param p: string = "z" { one_of = ['
        + ", ".join(f'"value{number}"' for number in range(20_000))
        + "] }\n"
    )
    program = pipeline.load(Source("main.tfjob", text), lambda path: "")
    told = pipeline.settle([pipeline.run(program, Request())], [program], strict=False)
    assert told
    for one in told:
        assert len(one.message) < 1200, one.rule.slug
        assert all(len(advice) <= 2001 for advice in one.helps)
    assert any("one of 20,000 values" in one.message for one in told)


MANY = """job j {{
  image = "registry.example.com/x:1"
  cluster {{ discovery = "{discovery}" }}
  role worker {{ replicas = 2000000000, min_available = 1, command = ["python", "t.py"], memory = 2Gi }}
  role ps {{ memory = 1Gi }}
  on failed => restart container
  on evicted => restart pod
}}
"""


@pytest.mark.parametrize("discovery", ["tf_config", "flags", "both", "none"])
@pytest.mark.parametrize("target", targets.names())
def test_a_number_of_replicas_costs_its_digits(target: str, discovery: str) -> None:
    """Two thousand million replicas are ten digits: no list of them is made, whatever the target says of the job."""
    options = {"kubernetes": 'hosts = ["a", "b"]'}.get(target, "")
    text = MANY.format(discovery=discovery) + "\n"
    for one in (text, text.replace("  on failed", f"  target {target} {{ {options} }}\n  on failed")):
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, process_time()
        found = targets.find(target)
        assert found is not None
        pipeline.run(pipeline.load(Source("main.tfjob", one), lambda path: ""), Request(), [Choice(found)])
        assert process_time() - start < 5
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB
