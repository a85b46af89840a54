"""Everything that can be said about a program before it becomes an IR.

:func:`check` resolves each job for the targets that are asked for and for every target that the job has a block for
(blocks of targets that are not being compiled are checked all the same), and applies the rules of the language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.record import Record
from tfdsl.semantics import resolved, statements, target_options
from tfdsl.semantics.blocks import JobBlock, Names, TargetRows, check_template, read_job
from tfdsl.semantics.params import Given, Params
from tfdsl.semantics.resolve import Resolver
from tfdsl.semantics.rules import check_job
from tfdsl.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics.project import Program
    from tfdsl.semantics.target_options import GivenOption
    from tfdsl.text import Span


class Wanted(Record):
    """A target to be compiled. ``version``: from ``-t X@V`` (one that it has), else ``None``."""

    rows: TargetRows
    version: str | None = None


class Request(Record):
    """What to check for: targets (none: the language alone), profile, ``--set``, ``-O``, and one job or all."""

    find_target: Callable[[str], TargetRows | None]
    target_names: tuple[str, ...]
    targets: tuple[Wanted, ...] = ()
    profile: str | None = None
    given: tuple[Given, ...] = ()
    options: tuple[GivenOption, ...] = ()


class Checked(Record):
    """``jobs``: for each wanted target the jobs in file order; what there is to say, in no order yet.

    ``used``: params, lets and (as ``template NAME``) templates that something refers to.
    """

    jobs: tuple[resolved.Job, ...]
    diagnostics: tuple[Diagnostic, ...]
    used: frozenset[str]


def check(program: Program, request: Request) -> Checked:
    """Resolve and check all jobs of ``program``."""
    collector = _Collector()
    params = Params(program, request.profile, request.given, collector)
    params.check_all()
    names = Names(program.templates, request.find_target, request.target_names)
    blocks = [read_job(node, names, collector) for node in program.jobs]
    used = _used_templates(program)
    for name, template in program.templates.items():
        if name not in used:
            check_template(template, names, collector)
    jobs: list[resolved.Job] = []
    for wanted in request.targets or (None,):
        jobs += [_resolve(block, params, wanted, request, collector) for block in blocks]
    asked = {wanted.rows.name for wanted in request.targets}
    for block in blocks:
        for name in block.targets:
            rows = request.find_target(name)
            if name not in asked and rows is not None:
                _resolve(block, params, Wanted(rows), request, collector)
    everything = frozenset(params.used | {f"template {name}" for name in used})
    return Checked(tuple(jobs), tuple(collector.found), everything)


class _Collector:
    """Keeps each diagnostic once, however many targets and roles lead to it."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self._seen: set[tuple[str, int, int, int]] = set()

    def __call__(self, diagnostic: Diagnostic) -> None:
        span = diagnostic.span
        key = (diagnostic.rule.code, id(span.source), span.start, span.end)
        if key not in self._seen:
            self._seen.add(key)
            self.found.append(diagnostic)


def _resolve(
    block: JobBlock, params: Params, wanted: Wanted | None, request: Request, report: _Collector
) -> resolved.Job:
    rows = wanted.rows if wanted is not None else None
    resolver = Resolver(block, params, rows, report)
    names = resolver.role_names()
    present = tuple(name for name in names if resolver.replicas(name) != 0)
    for name in names:
        if name not in present:
            report(value_rules.NO_REPLICAS(_replicas_span(resolver, name), role=name))
    outputs = resolver.outputs(present)
    roles = tuple(_role(resolver, name, outputs[name]) for name in present)
    chosen = (
        target_options.choose(rows, resolver.target_block, request.options, wanted.version, resolver.scope)
        if rows is not None and wanted is not None
        else None
    )
    job = resolved.Job(
        resolver.name,
        block.node.name.span,
        rows.name if rows is not None else None,
        chosen.version if chosen is not None else None,
        resolver.job_settings(),
        roles,
        resolver.policies(present),
        statements.cluster(block.cluster, resolver.scope),
        statements.build(block.build, resolver.scope),
        chosen.options if chosen is not None else {},
        chosen.spans if chosen is not None else {},
        target_options.patches(resolver.target_block, resolver.scope),
        block.node,
    )
    check_job(job, report)
    if rows.requires_image(job.options) if rows is not None else not block.targets:
        _check_images(job, report)
    return job


def _role(resolver: Resolver, name: str, outputs: tuple[resolved.Output, ...]) -> resolved.Role:
    replicas = resolver.replicas(name)
    return resolved.Role(
        name,
        _name_span(resolver, name),
        replicas if replicas is not None and replicas > 0 else 1,
        resolver.role_settings(name),
        resolver.role_mounts(name),
        outputs,
    )


def _name_span(resolver: Resolver, name: str) -> Span:
    return resolver.role_blocks(name)[0].node.name.span


def _replicas_span(resolver: Resolver, name: str) -> Span:
    for layer in reversed(resolver.own_layers(name)):
        if "replicas" in layer.attributes:
            return layer.attributes["replicas"].value.span
    return _name_span(resolver, name)


def _check_images(job: resolved.Job, report: _Collector) -> None:
    for role in job.roles:
        if "image" not in role.settings:
            found = value_rules.MISSING_IMAGE(role.name_span, role=role.name)
            report(found.help('for example image = "registry.example.com/mnist:1.4" in the job'))


def _used_templates(program: Program) -> set[str]:
    """Templates that a job of this file reaches; the others are checked by themselves."""
    found: set[str] = set()
    todo: list[tuple[ast.Item, ...]] = [job.items for job in program.jobs]
    while todo:
        for item in todo.pop():
            if isinstance(item, ast.Role | ast.Target):
                todo.append(item.items)
            elif isinstance(item, ast.Use) and item.name.text not in found and item.name.text in program.templates:
                found.add(item.name.text)
                todo.append(program.templates[item.name.text].items)
    return found
