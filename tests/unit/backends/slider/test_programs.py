"""The fixed programs: Python 2.6 in their grammar and in what they import, ASCII, no names that would be shadowed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pythons import interpreters, pythons
from tfdsl.emit.shell import TENSORFLOW_SERVER
from tfdsl_backends.hadoop import programs as shared
from tfdsl_backends.slider import programs
from tfdsl_backends.slider.lower import PROGRAMS, program

ALL = ("role", *PROGRAMS)

SINCE_2_7_OR_LATER = (
    ast.JoinedStr, ast.DictComp, ast.SetComp, ast.Set, ast.Nonlocal, ast.YieldFrom, ast.Starred, ast.AnnAssign,
    ast.AsyncFunctionDef, ast.Await, ast.NamedExpr, ast.Match, ast.MatMult, ast.TryStar,
)  # fmt: skip
"""Syntax that Python 2.6 does not read (What's New in Python 2.7, 3.0 and later)."""

STANDARD = {
    "contextlib", "copy", "tempfile",
    "io", "json", "math", "os", "re", "shutil", "signal", "socket", "stat", "subprocess", "sys", "tarfile", "threading",
    "time", "zipfile", "xml.etree", "urllib.request", "urllib.parse", "urllib2", "urllib", "resource_management",
    "kazoo.client", "tensorflow",
}  # fmt: skip
"""The standard library of 2.6, both names of what was renamed, the agent's own, TensorFlow for its server."""

LATER_NAMES = {
    "check_output", "run", "DEVNULL", "OrderedDict", "total_ordering", "which", "makedirs_exist_ok", "replace_file",
    "viewkeys", "total_seconds", "get_terminal_size", "JSONDecodeError", "TimeoutExpired",
}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_syntax_of_python_2_6(name: str) -> None:
    tree = ast.parse(program(name), feature_version=(3, 4))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):  # f(*args) is older than 2.6, but nothing may follow it there
            continue
        assert not isinstance(node, SINCE_2_7_OR_LATER) or _is_argument(tree, node), ast.unparse(node)
        if isinstance(node, ast.With):
            assert len(node.items) == 1, "with a, b is 2.7"
        if isinstance(node, ast.FunctionDef):
            assert not node.args.kwonlyargs
            assert not node.args.posonlyargs
            assert node.returns is None
            assert all(argument.annotation is None for argument in node.args.args)
        if isinstance(node, ast.Raise):
            assert node.cause is None


def _is_argument(tree: ast.AST, node: ast.AST) -> bool:
    if not isinstance(node, ast.Starred):
        return False
    calls = [call for call in ast.walk(tree) if isinstance(call, ast.Call)]
    return any(call.args and call.args[-1] is node for call in calls)


@pytest.mark.parametrize("name", ALL)
def test_only_what_python_2_6_has(name: str) -> None:
    tree = ast.parse(program(name))
    for node in ast.walk(tree):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        for module in modules:
            assert module in STANDARD or module in PROGRAMS, module
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in STANDARD:
            assert node.attr not in LATER_NAMES, ast.unparse(node)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_text_that_every_python_reads(name: str) -> None:
    text = program(name)
    assert text.isascii(), "Python 2 refuses others without a declaration"
    assert "\t" not in text
    assert text.endswith("\n")
    for python in interpreters():
        code = "import sys; compile(sys.stdin.read(), 'x', 'exec')"
        done = subprocess.run([python, "-c", code], input=text.encode(), capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


def test_every_module_travels() -> None:
    modules = {path.stem for path in Path(programs.__path__[0]).glob("*.py")}
    modules |= {f"task_{path.stem}" for path in Path(shared.__path__[0]).glob("*.py")}
    assert modules - {"__init__", "task___init__"} == set(ALL)


def test_only_the_program_travels_not_what_checkers_read() -> None:
    for name in ALL:
        text = program(name)
        assert not re.search(r"TYPE_CHECKING|# type:|# noqa|tfdsl_backends", text), name


def test_no_program_hides_a_module_that_commands_import() -> None:
    names = set(sys.stdlib_module_names) | {"tensorflow", "resource_management"}
    assert not names & {*PROGRAMS, "role"}


TENSORFLOW = """
import os, sys, time
class ClusterSpec(object):
    def __init__(self, cluster):
        self.cluster = cluster
class Server(object):
    def __init__(self, spec, job_name, task_index, protocol):
        print("%s %s %s %s" % (sorted(spec.cluster.items()), job_name, task_index, protocol))
        sys.stdout.flush()
    def join(self):
        time.sleep(60)
class train(object):
    ClusterSpec = ClusterSpec
    Server = Server
"""


@pytest.mark.parametrize("python", pythons())
def test_the_server_joins_and_ends_on_request(tmp_path: Path, python: str) -> None:
    folder = tmp_path
    (folder / "tensorflow.py").write_text(TENSORFLOW)
    (folder / "server.py").write_text(TENSORFLOW_SERVER)
    config = '{"cluster":{"ps":["h:1"]},"task":{"type":"ps","index":0},"environment":"cloud"}'
    server = subprocess.Popen(
        [python, str(folder / "server.py"), "grpc+verbs"],
        env={"TF_CONFIG": config, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    line = server.stdout.readline().decode()
    assert line.split("]")[-1].strip(") \n").endswith("ps 0 grpc+verbs")
    server.terminate()
    assert server.wait(10) == 143
