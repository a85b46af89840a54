"""What a value depends on is read from its tree, so that words inside of texts do not count."""

from __future__ import annotations

import pytest

from tfdsl.semantics.scope import Dependence, dependence
from tfdsl.syntax import ast, parse
from tfdsl.text import Source


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ('image = "job-role:1"', "nothing"),
        ('command = ["run", "--role=${task.index}"]', "nothing"),
        ('image = "${job.name}:1"', "job"),
        ("replicas = roles.ps.replicas * 2", "job"),
        ("cpu = job.namespace == role.name ? 1 : 2", "role"),
        ('env = { LIST = ["${role.name}"] }', "role"),
        ('mount pvc "role" at "/role"', "nothing"),
        ('mount pvc "data" at "/${role.name}"', "role"),
        ('mount claim 1Gi at "/data" { storage_class = job.name }', "job"),
    ],
)
def test_dependence(item: str, expected: Dependence) -> None:
    job = parse(Source("a.tfjob", f"job a {{\n{item}\n}}\n")).file.declarations[0]
    assert isinstance(job, ast.Job)
    node = job.items[0]
    assert isinstance(node, ast.Assign | ast.Mount)
    assert dependence(node) == expected
