"""From the text of a .tfjob file to Jobs: places of what is wrong, and the same Jobs as from an IR made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.kubernetes.test_hosts import on, readme
from tests.unit.backends.verdicts import documents
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.emit.located import plain
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

SEED = """\
job mnist {
  image   = "tensorflow/tensorflow:1.13.1-py3"
  command = ["python", "mnist_cnn.py", "--strategy=ps", "--steps=5000"]
  workdir = "/root/share/tensorflow/mnist"
  mount pvc "nfs-pvc" at "/root/share"

  role ps     { replicas = 1 }
  role worker { replicas = 2 }
  on failed => restart container
  retries = 3

  target kubernetes { hosts = ["h10", "h100", "h14"] }
}
"""


def compiled(text: str, target: str = "kubernetes") -> tuple[list[object], list[Diagnostic]]:
    backend = targets.find(target)
    assert backend is not None
    program = pipeline.load(Source("job.tfjob", text), lambda path: "no includes here")
    done = pipeline.run(program, Request(), [Choice(backend)])
    made = [plain(document.data) for one in done.made for document in one.documents]
    return made, [d for d in done.diagnostics if d.level == "error"]


def test_the_seed_gives_the_jobs_of_simpletfjobs_readme() -> None:
    made, errors = compiled(SEED)
    assert errors == []
    assert made == documents(on(readme(), "h10", "h100", "h14"))


@pytest.mark.parametrize("target", ["tfjob", "kubernetes"])
def test_the_seed_without_hosts_is_for_both_targets(target: str) -> None:
    made, errors = compiled(SEED.replace('hosts = ["h10", "h100", "h14"]', ""), target)
    assert errors == []
    assert made


@pytest.mark.parametrize(
    ("hosts", "marked"),
    [
        ('["h10", "h100", "h10"]', '"h10"'),
        ('["h10", "h100", "No Host"]', '"No Host"'),
        ('["h10", "h100"]', '["h10", "h100"]'),
        ("[]", "[]"),
    ],
)
def test_the_place_of_a_wrong_host(hosts: str, marked: str) -> None:
    text = SEED.replace('["h10", "h100", "h14"]', hosts)
    _, (error,) = compiled(text)
    assert error.span.text == marked
    assert error.span.start == text.rindex(marked)
