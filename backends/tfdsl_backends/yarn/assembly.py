"""Joins the parts of the task program into the one file that travels with a job."""

from __future__ import annotations

import ast
from functools import cache
from importlib.resources import files
from typing import Final

PARTS: Final = (
    "plan", "cluster", "wire", "webhdfs", "storage", "transfer", "coordinator", "task", "meeting", "server", "main",
)  # fmt: skip
"""The modules of :mod:`tfdsl_backends.yarn.program`, each after those it uses."""

_HEAD: Final = '''\
"""What each container of the job runs: it meets the other tasks, tells TensorFlow their addresses, runs the command.

Runs under Python 2.7 and 3, with the standard library only.
"""

from __future__ import print_function

'''


@cache
def program() -> str:
    """The whole program as Python text."""
    sources = [files("tfdsl_backends.yarn.program").joinpath(f"{part}.py").read_text("utf-8") for part in PARTS]
    imports = sorted({line for source in sources for line in source.splitlines() if line.startswith("import ")})
    return _HEAD + "\n".join(imports) + "\n" + "".join(_body(source) for source in sources)


def _body(source: str) -> str:
    """A part without what only matters to it as a module; its docstring becomes a heading."""
    tree = ast.parse(source)
    title = (ast.get_docstring(tree) or "").splitlines()[0].rstrip(".")
    dropped: set[int] = set()
    for node in tree.body:
        if _is_of_the_module(node):
            dropped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    kept = [
        line.partition("  # noqa:")[0]
        for number, line in enumerate(source.splitlines(), 1)
        if number not in dropped and not line.startswith(("# ruff:", "# pyright:", "import "))
    ]
    return f"\n\n# ---- {title} ----\n\n" + "\n".join(kept).strip("\n") + "\n"


def _is_of_the_module(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__" or (node.module or "").startswith("tfdsl_backends.")
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Name) and node.targets[0].id == "TYPE_CHECKING"
    return isinstance(node, ast.Expr) and node.lineno <= 4
