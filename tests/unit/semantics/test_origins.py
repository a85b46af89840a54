"""Every IR path of what was written leads back to its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tfdsl.compiling.lower import lower
from tfdsl.semantics.check import check
from tfdsl.semantics.project import load
from tfdsl.semantics.request import Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins

TEXT = """
let registry = "r.example.com"
template big { cpu = 8 }
job mnist {
  image = "${registry}/x"
  queue = "q"
  deadline = 1h
  env = { A = "1", B = secret("s", "k") }
  mount pvc "data" at "/data" readonly { sub_path = "s" }
  output "/tmp/x" to "/data/x" on always from worker[1] { overwrite = true }
  role worker { use big, replicas = 2, tolerations = [{ key = "k", operator = "Exists" }] }
  on worker[1] failed after 5m => restart pod
  cluster { discovery = "both" }
  build { from = "b", run "r" }
}
"""


@pytest.fixture(scope="module")
def origins() -> Origins:
    program = load(Source("m", TEXT.replace(" readonly", ""), "m"), lambda path: "no")
    checked = check(program, Request())
    assert checked.diagnostics == ()
    return lower(checked.jobs[0])[1]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("queue", '"q"'),
        ("deadline", "1h"),
        ("roles[worker]", "worker"),
        ("roles[worker].image", '"${registry}/x"'),
        ("roles[worker].replicas", "2"),
        ("roles[worker].cpu", "8"),
        ("roles[worker].env[A]", '"1"'),
        ("roles[worker].env[B]", 'secret("s", "k")'),
        ("roles[worker].mounts[0]", 'pvc "data"'),
        ("roles[worker].mounts[0].at", '"/data"'),
        ("roles[worker].mounts[0].sub_path", '"s"'),
        ("roles[worker].outputs[0].destination", '"/data/x"'),
        ("roles[worker].outputs[0].when", "always"),
        ("roles[worker].outputs[0].index", "worker[1]"),
        ("roles[worker].outputs[0].overwrite", "true"),
        ("policies[0]", "restart pod"),
        ("policies[0].event", "failed"),
        ("policies[0].index", "worker[1]"),
        ("policies[0].delay", "5m"),
        ("cluster.discovery", '"both"'),
        ("build", "build"),
        ("build.base", '"b"'),
        ("build.steps[0]", 'run "r"'),
    ],
)
def test_written(origins: Origins, path: str, text: str) -> None:
    span = origins.written(path)
    assert span is not None
    assert span.text == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("gang", "mnist"),
        ("roles[worker].port", "worker"),
        ("roles[worker].tolerations[0].key", '{ key = "k", operator = "Exists" }'),
        ("roles[worker].env[OTHER]", '{ A = "1", B = secret("s", "k") }'),
    ],
)
def test_a_default_leads_to_what_it_belongs_to(origins: Origins, path: str, text: str) -> None:
    assert origins.span(path).text == text
