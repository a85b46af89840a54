"""Patterns that are compiled when they are first used."""

import re
import subprocess
import sys

import pytest

from tfdsl.patterns import regex

METHODS = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn")


@pytest.mark.parametrize("method", METHODS)
def test_it_is_what_re_compiles(method: str) -> None:
    lazy, compiled = regex(r"(a+)b", re.I), re.compile(r"(a+)b", re.I)
    arguments = ("-", "xAAbaab") if method.startswith("sub") else ("AAb",)
    for _ in range(2):  # the first use compiles, the second does not
        assert repr(results(lazy, method, arguments)) == repr(results(compiled, method, arguments))


def results(of: re.Pattern[str], method: str, arguments: tuple[str, ...]) -> object:
    value = getattr(of, method)(*arguments)
    return list(value) if method == "finditer" else value


def test_other_attributes_are_those_of_the_pattern() -> None:
    lazy = regex(r"(?P<unit>[a-z]+)", re.M)
    assert (lazy.pattern, lazy.groups, lazy.flags & re.M) == (r"(?P<unit>[a-z]+)", 1, re.M)


def test_a_job_without_mistakes_compiles_few_patterns() -> None:
    """Each costs up to a millisecond, and about fifty of eighty are for mistakes."""
    code = (
        "import re._compiler as compiler, sys\n"
        "compile, made = compiler.compile, []\n"
        "compiler.compile = lambda text, flags=0: made.append(text) or compile(text, flags)\n"
        "from tfdsl.cli.main import main\n"
        "assert main(['check', '-']) == 0\n"
        "print(len(made))"
    )
    job = 'job a { image = "r/x:1", memory = 4Gi, role chief { }, role worker { replicas = 2, gpu = 1 } }\n'
    done = subprocess.run([sys.executable, "-c", code], input=job, capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 35
