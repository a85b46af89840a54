"""Run the lint rules on a program and its jobs, at the levels that the project sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from tfdsl.lint.view import JobView, ProgramView
from tfdsl.record import replace
from tfdsl.semantics.derived import Reports

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic, Level, Rule
    from tfdsl.semantics import resolved
    from tfdsl.semantics.project import Program

    Report = Callable[[Diagnostic], None]

SLUGS = (
    "unused-let",
    "unused-param",
    "unused-template",
    "unused-axis",
    "floating-image-tag",
    "literal-expansion",
    "gang-without-ps",
    "evaluator-without-chief",
    "never-completes",
    "checkpoint-not-durable",
    "checkpoint-unmounted",
    "plain-secret",
    "servers-left-running",
    "host-port-clash",
    "reserved-flag",
    "ttl-removes-claim",
    "tiny-memory",
    "dead-policy",
    "workers-cut-off",
    "reserved-label",
    "shm-exceeds-memory",
    "broken-continuation",
    "gpu-on-ps",
    "pending-after-deadline",
    "shell-without-exec",
    "command-in-one-word",
    "shell-operator-in-list",
    "fixed-task",
    "gpu-variable",
    "unequal-gpus",
    "gpus-without-shm",
    "image-without-gpu",
    "gpu-image-without-gpu",
    "cpu-in-millicores",
    "more-gpus-than-a-node",
    "claim-on-several-nodes",
    "checkpoint-readonly",
    "restart-without-checkpoint",
    "ps-without-chief",
)
"""All rules, in the order of their codes. A test keeps this equal to the files of the folder."""

OF_A_MATRIX = ("unused-axis",)
"""The rules that are only loaded for a file with a matrix."""

OF_A_PROJECT = ("more-gpus-than-a-node",)
"""The rules that are only loaded when the project says how large its nodes are."""


class RuleModule(Protocol):
    """A module of :mod:`tfdsl.lint.rules`; it has one of the two functions."""

    RULE: Rule
    __doc__: str | None

    def check_program(self, view: ProgramView, /) -> Iterator[Diagnostic]:
        """Diagnostics about a program."""
        ...

    def check_job(self, view: JobView, /) -> Iterator[Diagnostic]:
        """Diagnostics about a job."""
        ...


def load(slug: str) -> RuleModule:
    """The module of a rule."""
    return cast("RuleModule", import_module(f"tfdsl.lint.rules.{slug.replace('-', '_')}"))


def rules() -> tuple[Rule, ...]:
    """The registry rows of all lint rules."""
    return tuple(load(slug).RULE for slug in SLUGS)


def lint(
    program: Program,
    jobs: Iterable[resolved.Job],
    used: frozenset[str],
    levels: Mapping[str, str] | None = None,
    gpus_per_node: int | None = None,
) -> list[Diagnostic]:
    """The diagnostics of all rules.

    ``levels``: slug or code → ``error``, ``warning``, ``info`` or ``off``. ``gpus_per_node``: how many devices the
    largest node has, if it is known.
    """
    diagnostics: list[Diagnostic] = []
    reports = Reports(diagnostics.append)
    whole = ProgramView(program, used)
    views = [JobView(job, gpus_per_node) for job in jobs]
    for slug in SLUGS:
        if slug in OF_A_MATRIX and not any(job.matrix for job in program.jobs):
            continue
        if slug in OF_A_PROJECT and gpus_per_node is None:
            continue
        module = load(slug)
        level = (levels or {}).get(slug, (levels or {}).get(module.RULE.code, module.RULE.level))
        if level == "off":
            continue
        for diagnostic, report in _run(module, whole, views, reports):
            report(replace(diagnostic, level=cast("Level", level)))
    reports.end()
    return diagnostics


def _run(
    module: RuleModule, program: ProgramView, jobs: list[JobView], reports: Reports
) -> Iterator[tuple[Diagnostic, Report]]:
    """What a rule says, each with where it goes."""
    if hasattr(module, "check_program"):
        yield from ((diagnostic, reports.report) for diagnostic in module.check_program(program))
    else:
        for view in jobs:
            report = reports.about(view.job.derived)
            yield from ((diagnostic, report) for diagnostic in module.check_job(view))
