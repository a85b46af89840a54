"""Compiling a small job with patches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.emit.located import plain
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

JOB = """job mnist {{
  image = "registry.example.com/mnist:1.4"
  command = ["python", "/app/train.py"]
  cpu = 1, memory = 1Gi
  {items}
  role worker {{ replicas = 2 }}
  role ps {{ }}
  target {target} {{
    {patch}
  }}
}}
"""
STORAGE = 'mount pvc "runs" at "/runs"'


def run(target: str, patch: str, items: str = "", version: str = "") -> pipeline.Outcome:
    """Compile the job with ``patch`` in the block of ``target``."""
    backend = targets.find(target)
    assert backend is not None
    text = JOB.format(target=target, patch=patch, items=items)
    program = pipeline.load(Source("job.tfjob", text), lambda path: "")
    return pipeline.run(program, Request(), [Choice(backend, version or None)])


def errors(target: str, patch: str, items: str = "", version: str = "") -> list[Diagnostic]:
    """The errors that it gives."""
    return [one for one in run(target, patch, items, version).diagnostics if one.level == "error"]


def documents(target: str, patch: str, items: str = "") -> list[dict]:
    """The documents that it gives, which must be without error."""
    done = run(target, patch, items)
    assert [one.message for one in done.diagnostics if one.level == "error"] == []
    return [plain(document.data) for document in done.made[0].documents]
