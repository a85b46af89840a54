"""Run the lint rules on a program and its jobs, at the levels that the project sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import cast

from tfdsl.diagnostics import Diagnostic, Level, Rule
from tfdsl.lint.view import FlowView, JobView, ProgramView
from tfdsl.record import Record, replace
from tfdsl.semantics import resolved
from tfdsl.semantics.derived import Reports
from tfdsl.semantics.project import Program

RULES = {
    "unused-let": "declarations",
    "unused-param": "declarations",
    "unused-template": "declarations",
    "unused-axis": "declarations",
    "floating-image-tag": "images",
    "literal-expansion": "commands",
    "gang-without-ps": "roles",
    "evaluator-without-chief": "roles",
    "never-completes": "roles",
    "checkpoint-not-durable": "storage",
    "checkpoint-unmounted": "storage",
    "plain-secret": "commands",
    "servers-left-running": "roles",
    "host-port-clash": "roles",
    "reserved-flag": "commands",
    "ttl-removes-claim": "storage",
    "tiny-memory": "devices",
    "dead-policy": "roles",
    "workers-cut-off": "roles",
    "reserved-label": "roles",
    "shm-exceeds-memory": "devices",
    "broken-continuation": "commands",
    "gpu-on-ps": "devices",
    "pending-after-deadline": "roles",
    "shell-without-exec": "commands",
    "command-in-one-word": "commands",
    "shell-operator-in-list": "commands",
    "fixed-task": "commands",
    "gpu-variable": "devices",
    "unequal-gpus": "devices",
    "gpus-without-shm": "devices",
    "image-without-gpu": "images",
    "gpu-image-without-gpu": "images",
    "cpu-in-millicores": "devices",
    "more-gpus-than-a-node": "nodes",
    "claim-on-several-nodes": "storage",
    "checkpoint-readonly": "storage",
    "restart-without-checkpoint": "roles",
    "ps-without-chief": "roles",
    "volume-of-one-target": "storage",
    "ttl-applied-again": "storage",
    "unused-retries": "roles",
    "read-before-written": "flows",
    "scratch-between-jobs": "flows",
}
"""The module of each rule, in the order of their codes."""

SLUGS = tuple(RULES)

OF_A_PROGRAM = "declarations"
"""The module whose functions look at a program, not at a job."""

OF_FLOWS = "flows"
"""The module whose functions look at a flow."""

OF_A_PROJECT = ("more-gpus-than-a-node",)
"""The rules that are only loaded when the project says how large its nodes are."""


class Check(Record):
    """A rule, and the function of :mod:`tfdsl.lint.rules` that finds what it is about; its docstring is the page."""

    rule: Rule
    find: Callable[..., Iterator[Diagnostic]]

    @property
    def page(self) -> str:
        """The page: a sentence, then the headings Why, Bad and Good."""
        from inspect import cleandoc

        return cleandoc(self.find.__doc__ or "") + "\n"


def load(slug: str) -> Check:
    """A rule by its slug."""
    module = import_module(f"tfdsl.lint.rules.{RULES[slug]}")
    name = slug.replace("-", "_")
    return Check(getattr(module, name.upper()), getattr(module, name))


def rules() -> tuple[Rule, ...]:
    """The registry rows of all lint rules."""
    return tuple(load(slug).rule for slug in SLUGS)


def lint(
    program: Program,
    jobs: Iterable[resolved.Job],
    used: frozenset[str],
    levels: Mapping[str, str] | None = None,
    gpus_per_node: int | None = None,
    flows: Sequence[resolved.Flow] = (),
) -> list[Diagnostic]:
    """The diagnostics of all rules. ``flows``: those whose jobs are among ``jobs``, for each of their targets.

    ``levels``: slug or code → ``error``, ``warning``, ``info`` or ``off``. ``gpus_per_node``: how many devices the
    largest node has, if it is known.
    """
    diagnostics: list[Diagnostic] = []
    reports = Reports(diagnostics.append)
    whole = ProgramView(program, used)
    views = [JobView(job, gpus_per_node) for job in jobs]
    in_flows = [*_flow_views(views, flows)]
    for slug in SLUGS:
        if (slug in OF_A_PROJECT and gpus_per_node is None) or (RULES[slug] == OF_FLOWS and not in_flows):
            continue
        check = load(slug)
        level = (levels or {}).get(slug, (levels or {}).get(check.rule.code, check.rule.level))
        if level == "off":
            continue
        if RULES[slug] == OF_FLOWS:
            reported = ((each, reports.report) for one in in_flows for each in check.find(one))
        elif RULES[slug] == OF_A_PROGRAM:
            reported = ((diagnostic, reports.report) for diagnostic in check.find(whole))
        else:
            reported = ((each, reports.about(view.job.derived)) for view in views for each in check.find(view))
        for diagnostic, report in reported:
            report(replace(diagnostic, level=cast("Level", level)))
    reports.end()
    return diagnostics


def _flow_views(views: Iterable[JobView], flows: Sequence[resolved.Flow]) -> Iterator[FlowView]:
    if not flows:
        return
    of_targets: dict[str | None, dict[str, JobView]] = {}
    for view in views:
        of_targets.setdefault(view.job.target, {})[view.job.name] = view
    for flow in flows:
        for jobs in of_targets.values():
            if all(run.job in jobs for run in flow.runs):
                yield FlowView(flow, {run.job: jobs[run.job] for run in flow.runs})
