"""What the lint rules say about a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.lint import runner
from tfdsl.semantics.check import check
from tfdsl.semantics.project import load
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic


GPUS_PER_NODE = 8


def linted(text: str, target: str | None = None) -> list[Diagnostic]:
    """All that is told about ``text``, which has no errors, when it is compiled for ``target``."""
    program = load(Source("job.tfjob", text), lambda path: "no such file")
    rows = targets.find(target) if target is not None else None
    wanted = (Choice(rows),) if rows is not None else ()
    done = check(program, Request(), wanted)
    errors = [d for d in (*program.diagnostics, *done.diagnostics) if d.level == "error"]
    assert not errors
    return runner.lint(program, done.jobs, done.used, gpus_per_node=GPUS_PER_NODE, flows=done.flows)


def found(text: str, target: str | None = None) -> list[str]:
    """The slugs of what is told."""
    return [diagnostic.rule.slug for diagnostic in linted(text, target)]


def said(slug: str, items: str, target: str | None = None) -> list[str]:
    """The messages of the rule ``slug`` about a job with ``items``."""
    image = "" if "image" in items else 'image = "r/x:1"\n'
    text = f"job j {{\n{image}{items}\n}}\n"
    return [diagnostic.message for diagnostic in linted(text, target) if diagnostic.rule.slug == slug]


def with_first_fix(text: str, slug: str) -> str:
    """``text`` with the first fix of the only diagnostic of the rule ``slug``, which ``--fix`` does not take."""
    (diagnostic,) = [one for one in linted(text) if one.rule.slug == slug]
    fix = diagnostic.fixes[0]
    assert not fix.safe
    for edit in sorted(fix.edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text
