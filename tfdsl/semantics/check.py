"""All checks of a program before it is lowered to the IR.

:func:`check` resolves each job for the requested targets and for every target that the job has a block for (blocks of
targets that are not compiled are checked, too), and applies the rules of the language.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, Fix, Report, name_rules, syntax_rules, value_rules
from tfdsl.gc_pause import without_gc
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.semantics import absent, conform, flows, layers, resolved, statements, target_options
from tfdsl.semantics.blocks import JobBlock, TargetBlock, Templates, check_templates, read_job
from tfdsl.semantics.conditions import Conditions, has_conditions
from tfdsl.semantics.derived import Derived, Reports, check_any_left, check_name, chosen, derive
from tfdsl.semantics.job_rules import check_images, check_job
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program, every_item, used_templates
from tfdsl.semantics.request import Choice, Request
from tfdsl.semantics.resolve import Resolver, Shared, Unsets, names_and_types
from tfdsl.semantics.scope import JobNames, Scope
from tfdsl.syntax import ast
from tfdsl.text import Span

COST_OF_ITEM = 10
"""The cost of resolving an item of a block for one more job of its matrix, relative to copying an element of a list."""

Done = TypeVar("Done")


class Checked(Record):
    """``jobs``: for each wanted target the jobs in file order; ``diagnostics``: not sorted yet.

    ``used``: params, lets and (as ``template NAME``) templates that something refers to. ``unsets``: what is known of
    each ``unset``, if there is one. ``conditions``: whether each condition, by its place, held for any job or role.
    ``flows``: that of ``--flow``, else all; those of whom nothing is present are left out.
    """

    jobs: tuple[resolved.Job, ...]
    diagnostics: tuple[Diagnostic, ...]
    used: frozenset[str]
    unsets: Unsets | None = None
    conditions: Mapping[Span, bool] = {}
    flows: tuple[resolved.Flow, ...] = ()


@without_gc
def check(program: Program, request: Request, choices: Sequence[Choice] = ()) -> Checked:
    """Resolve and check all jobs of ``program``."""
    return whole(check_in_steps(program, request, choices))


def whole(steps: Generator[None, None, Done]) -> Done:
    """What ``steps`` give in the end, without a break."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            done: Done = end.value
            return done


def check_in_steps(program: Program, request: Request, choices: Sequence[Choice]) -> Generator[None, None, Checked]:
    """:func:`check` with a break after each job."""
    if not program.readable:
        return Checked((), (), frozenset())
    collector = _Collector()
    params = Params(program, request.profile, request.params, collector, request.values, request.scale)
    with_pods = tuple(choice.backend.name for choice in choices if choice.backend.pods)
    templates = Templates(program.templates, with_pods)
    if program.templates:
        check_templates(templates, collector)
    every = derive(program, params, collector)
    every_flow = flows.read_flows(program, params, every, collector)
    in_flows = flows.asked(every_flow, every, request, collector)
    derived = chosen(every, request.job, request.name, collector, program.flows)
    if request.flow is not None:
        names = frozenset[str]().union(*(flow.named for flow in in_flows))
        derived = [one if one.name in names else replace(one, chosen=False) for one in derived]
    derived = flows.with_runs(derived, [one.name for one in every], every_flow, in_flows)
    if any(one.absent for one in derived):
        check_any_left([one for one in derived if one.chosen], collector)
    if request.extent == "names":
        return Checked((), tuple(collector.diagnostics), frozenset(params.used), flows=in_flows)
    if choices and not program.jobs and not program.syntax_errors:
        diagnostic = name_rules.NO_JOB(Span(program.files[0].source, 0, 0))
        collector(diagnostic.help("write job NAME { … }; a file without a job can be included, but not compiled"))
    checker = _Checker(templates, params, request, choices, collector)
    of_node: dict[int, list[Derived]] = {}
    for one in derived:
        of_node.setdefault(id(one.node), []).append(one)
    of_nodes: list[list[list[resolved.Job]]] = []
    for node in program.jobs:
        of_nodes.append(checker.jobs(node, of_node.get(id(node), [])))
        yield
    for at in range(len(choices) or 1 if in_flows else 0):
        flows.check_jobs(in_flows, {job.name: job for of_one in of_nodes for job in of_one[at]}, collector)
    unsets = checker.shared.unsets
    for diagnostic in unsets.left() if unsets is not None else ():
        collector(diagnostic)
    everything = frozenset(
        params.used | {f"template {name}" for name in used_templates(program.jobs, program.templates)}
    )
    diagnostics = collector.diagnostics
    if program.syntax_errors:
        diagnostics = independent(diagnostics, program)
    diagnostics = [_with_names(one, params) if one.level == "error" else one for one in diagnostics]
    jobs = (job for at in range(len(choices) or 1) for of_one in of_nodes for job in of_one[at])
    return Checked(tuple(jobs), tuple(diagnostics), everything, unsets, params.conditions, in_flows)


class _Collector:
    """Keeps each diagnostic once, however many targets and roles cause it."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._seen: set[tuple[str, int, int, int]] = set()

    def __call__(self, diagnostic: Diagnostic) -> None:
        span = diagnostic.span
        key = (diagnostic.rule.code, id(span.source), span.start, span.end)
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(diagnostic)


class _Checker:
    """Resolves and checks one job after the other."""

    def __init__(
        self, templates: Templates, params: Params, request: Request, choices: Sequence[Choice], report: _Collector
    ) -> None:
        self.templates = templates
        self.params = params
        self.request = request
        self.choices = choices
        self.report = report
        self.shared = Shared(report)

    def jobs(self, node: ast.Job, derived: Sequence[Derived]) -> list[list[resolved.Job]]:
        """The jobs that ``node`` makes, for each target that is asked for; the other target blocks are checked."""
        if self.request.extent == "sample":
            derived = [one for one in derived if one.sampled]
        elif self.request.extent == "first":
            derived = derived[:1]
        derived = self._affordable(node, derived)
        choices = self.choices or (None,)
        if not derived:  # more jobs than a file can have
            self._block(Derived(node, node.name.text, node.name.span, known=False), self.report)
            return [[] for _ in choices]
        reports = Reports(self.report)
        read = list(zip(self._blocks(node, derived, reports), derived, strict=True))
        present = [(block, one) for block, one in read if not one.absent]
        found = [[self._job(block, one, each, reports) for block, one in present] for each in choices]
        asked = {choice.backend.name for choice in self.choices}
        others = [target for name in read[0][0].targets if name not in asked and (target := targets.find(name))]
        for target in others:
            for block, one in present:
                if one.sampled:
                    self._job(block, one, Choice(target), reports, compiled=False)
        for block, one in read:
            if one.absent and one.sampled:
                self._check_absent(block, one, reports.about(one))
        reports.end()
        return found

    def _blocks(self, node: ast.Job, derived: Sequence[Derived], reports: Reports) -> list[JobBlock]:
        """The block of each job: those of a matrix share it, unless it depends on conditions."""
        if len(derived) > 1 and has_conditions(node, self.templates.by_name):
            return [self._block(one, reports.about(one)) for one in derived]
        return [self._block(derived[0], self.report)] * len(derived)

    def _block(self, derived: Derived, report: Report) -> JobBlock:
        names = JobNames(derived.name, derived.known)
        scope = Scope(self.params, report, names, owner=derived.node, matrix=derived.combination)
        return read_job(derived.node, self.templates, report, Conditions(scope, self.shared.conditions))

    def _check_absent(self, block: JobBlock, derived: Derived, report: Report) -> None:
        """The names and types in a job that is absent, without and with each of its target blocks."""
        only = names_and_types(report)
        shared = Shared(only)
        for target in (None, *(targets.find(name) for name in block.targets)):
            resolver = Resolver(block, derived, self.params, target, only, shared, compiled=False)
            self._resolved(block, Choice(target) if target is not None else None, resolver)

    def _affordable(self, node: ast.Job, derived: Sequence[Derived]) -> Sequence[Derived]:
        """``derived``, or the first if all of them need too much work, which is reported."""
        combination = derived[0].combination if len(derived) > 1 else None
        if combination is None:
            return derived

        if self.params.spend(COST_OF_ITEM * items_of(node, self.templates.by_name) * len(derived)):
            return derived
        self.report(value_rules.TOO_LARGE(combination.matrix, reason="its jobs need more work than any file should"))
        return derived[:1]

    def _job(
        self,
        block: JobBlock,
        derived: Derived,
        choice: Choice | None,
        reports: Reports,
        *,
        compiled: bool = True,
    ) -> resolved.Job:
        """``derived`` resolved for ``choice`` (``None``: no target); what is wrong with it is reported."""
        target = choice.backend if choice is not None else None
        report = reports.about(derived)
        resolver = Resolver(block, derived, self.params, target, report, self.shared, compiled=compiled)
        job = self._resolved(block, choice, resolver)
        check_name(derived, report)
        check_job(job, report)
        if target.requires_image(job.options) if target is not None else not block.targets:
            check_images(job, report)
        return job

    def _resolved(self, block: JobBlock, choice: Choice | None, resolver: Resolver) -> resolved.Job:
        present = resolver.present_roles()
        for name in resolver.role_names():
            left_out = name not in {*present, *resolver.absent_roles, *self.params.scale}
            written = _replicas(resolver, name) if left_out else None
            if isinstance(written, ast.Number):  # a computed 0 is a choice, such as `prod ? 2 : 0`
                resolver.report(value_rules.NO_REPLICAS(written.span, role=name))
        absent.check(resolver, present)
        outputs = layers.outputs(resolver, present)
        chosen = None
        if choice is not None:
            given = self.request.options
            chosen = target_options.choose(choice.backend, resolver.target_block, given, choice.version, resolver.scope)
        return resolved.Job(
            layers.job_settings(resolver),
            resolver.name,
            block.node.name.span,
            choice.backend.name if choice is not None else None,
            chosen.version if chosen is not None else None,
            tuple(layers.role_of(resolver, name, present, outputs[name]) for name in present),
            layers.policies(resolver, present),
            statements.cluster(block.cluster, resolver.scope),
            statements.build(block.build, resolver.scope),
            chosen.options if chosen is not None else {},
            chosen.spans if chosen is not None else {},
            layers.patches(resolver, present),
            resolver.derived,
            _has_pods(block, choice),
            choice is not None and choice.backend.gpus_by_label,
            block.complete,
            _meant(resolver),
            {name: condition.value.span for name, condition in resolver.absent_roles.items()},
            tuple(_patched_volumes(block, choice)),
        )


def _patched_volumes(block: JobBlock, choice: Choice | None) -> Iterator[resolved.PatchedVolume]:
    """The volumes in patches of targets that are not ``choice``, and that nothing patches for it.

    Without a choice it is each of the targets that the job has blocks for. Only what is written out is looked at.
    """
    found = {
        target: {(role, name.parts): name.span for role, name in _volumes(each)}
        for target, each in block.targets.items()
    }
    compiled = [choice.backend.name] if choice is not None else list(block.targets)
    for target, volumes in found.items():
        others = [found.get(other, {}) for other in compiled if other != target]
        for (role, parts), span in volumes.items():
            if any((role, parts) not in other for other in others):
                yield resolved.PatchedVolume(target, role, "".join(map(str, parts)), span)


def _volumes(block: TargetBlock) -> Iterator[tuple[str | None, ast.Str]]:
    """Role and name of each volume that a patch of ``block`` makes."""
    of_roles = ((name, patch) for name, role in block.roles.items() for patch in role.patches)
    for role, patch in (*((None, patch) for patch in block.patches), *of_roles):
        if patch.pod is None or patch.path.parts != ("spec.volumes",) or not isinstance(patch.value, ast.ListExpr):
            continue
        for item in patch.value.items:
            entries = item.entries if isinstance(item, ast.MapExpr) else ()
            yield from (
                (role, one.value) for one in entries if one.key.text == "name" and isinstance(one.value, ast.Str)
            )


def _meant(resolver: Resolver) -> frozenset[str]:
    """The attributes that misspelt names were probably meant to be."""
    own = (layer for role in resolver.role_names() for layer in resolver.own_layers(role))
    return frozenset(name for layer in (*resolver.job_layers(), *own) for name in layer.meant)


def _has_pods(block: JobBlock, choice: Choice | None) -> bool:
    if choice is not None:
        return choice.backend.pods
    written = [target for name in block.targets if (target := targets.find(name)) is not None]
    return not written or any(target.pods for target in written)


def _replicas(resolver: Resolver, name: str) -> ast.Expr:
    """The expression that decides how many replicas a role has, which is one that is written."""
    layers = [layer for layer in resolver.own_layers(name) if "replicas" in layer.attributes]
    return layers[-1].attributes["replicas"].value


# --- diagnostics that only follow from a syntax error: one mistake gives one message -----------------------------


# What is missing may be in the part that could not be read.
_MISSING = (
    name_rules.MISSING_PARAM,
    name_rules.ABSENT_JOBS,
    name_rules.NOTHING_TO_UNSET,
    name_rules.NO_MATRIX,
    name_rules.NOTHING_TO_UNSET,
    value_rules.BAD_AXIS,
    value_rules.BUILD_FROM,
    value_rules.STEP_WITHOUT_COMMAND,
    value_rules.MISSING_IMAGE,
    value_rules.NO_TRAINING_ROLE,
    value_rules.MISSING_LOGDIR,
)

# A value or a type that ends at such a place, or spans it, is not the intended one.
_CUT_SHORT = (
    syntax_rules.JOB_NAME,
    syntax_rules.UNCLOSED_INTERPOLATION,
    syntax_rules.UNFINISHED,
    syntax_rules.UNCLOSED_BRACKET,
    syntax_rules.NESTING_TOO_DEEP,
    syntax_rules.FORBIDDEN_CHARACTER,
)

# A guessed name: it need not exist.
_GUESSED = (syntax_rules.ODD_NAME, syntax_rules.UNQUOTED_KEY)

# A name that is declared in the wrong place is not unknown.
_UNKNOWN = (name_rules.UNKNOWN_NAME, name_rules.UNKNOWN_TEMPLATE)


def independent(diagnostics: Iterable[Diagnostic], program: Program) -> list[Diagnostic]:
    """``diagnostics`` without those that follow from the syntax errors of ``program``."""
    guessed = {(id(each.span.source), each.span.start) for each in program.diagnostics if each.rule in _GUESSED}
    inside = syntax_rules.DECLARATION_INSIDE
    declared = {each.span.text.split()[-1] for each in program.diagnostics if each.rule is inside}
    places = _places(program)
    return [
        each
        for each in diagnostics
        if each.rule not in _MISSING
        and (id(each.span.source), each.span.start) not in guessed
        and not (each.rule in _UNKNOWN and each.span.text in declared)
        and not _is_cut(each, places)
    ]


_QUOTES = (syntax_rules.SMART_QUOTES, syntax_rules.SINGLE_QUOTES, syntax_rules.UNCLOSED_STRING)
_NO_SUCH_KEY = (name_rules.UNKNOWN_ATTRIBUTE, value_rules.BAD_KEY)


def together(program: Program, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The syntax errors of ``program`` and what was ``found`` then, where both are about one mistake as one message.

    What is not an attribute is not looked into, and a fix of it mends its value too. A quantity between wrong quotes
    needs none.
    """
    if not program.syntax_errors:
        return [*program.diagnostics, *found]
    unknown = {(id(one.span.source), one.span.start): one for one in found if one.rule in _NO_SUCH_KEY}
    texts = {(id(one.span.source), one.span.start): one for one in found if one.rule is name_rules.WRONG_TYPE}
    items = _assigns(program, unknown) if unknown else []
    starts = [place for place, _ in items]
    left: list[Diagnostic] = []
    instead: dict[int, Diagnostic | None] = {}
    for one in program.diagnostics:
        place = (id(one.span.source), one.span.start)
        at = bisect_left(starts, place) - 1
        owner = unknown[starts[at]] if at >= 0 and _is_in(one, items[at][1]) else None
        text = texts.get(place) if one.rule in _QUOTES else None
        if owner is not None:
            instead[id(owner)] = _mending(instead.get(id(owner)) or owner, one)
        elif text is None or not text.fixes:
            left.append(one)
            instead |= {id(text): None} if text is not None else {}
    return [*left, *(now for one in found if (now := instead.get(id(one), one)) is not None)]


def _assigns(program: Program, keys: Collection[tuple[int, int]]) -> list[tuple[tuple[int, int], ast.Assign]]:
    """The attributes and entries of maps whose key is at one of the places ``keys``, by their places."""
    items = [item for item in every_item(program.jobs, program.templates) if isinstance(item, ast.Assign)]
    items += [entry for item in items if isinstance(item.value, ast.MapExpr) for entry in item.value.entries]
    placed = (((id(item.key.span.source), item.key.span.start), item) for item in items)
    return sorted((each for each in placed if each[0] in keys), key=lambda each: each[0])


def _is_in(diagnostic: Diagnostic, item: ast.Assign) -> bool:
    span = diagnostic.span
    whole = diagnostic.rule not in (*_CUT_SHORT, *_QUOTES)
    return whole and span.source is item.span.source and item.key.span.end <= span.start and span.end <= item.span.end


def _mending(owner: Diagnostic, inside: Diagnostic) -> Diagnostic:
    """``owner``, about a key, whose fix mends also what is wrong ``inside`` its item."""
    if not owner.fixes:
        return owner
    if not inside.fixes:
        return replace(owner, fixes=())
    first, second = owner.fixes[0], inside.fixes[0]
    both = Fix(f"{first.title}, and {second.title}", (*first.edits, *second.edits), first.safe and second.safe)
    return replace(owner, helps=(*owner.helps, *inside.helps), fixes=(both,))


_PLACES = regex(r"\{\{ *([A-Za-z_]\w*) *\}\}|(?<!\\)\$(?:([A-Za-z_]\w*)|\(([A-Za-z_]\w*)\))")


def _with_names(diagnostic: Diagnostic, params: Params) -> Diagnostic:
    """``diagnostic``; about a text with ``{{n}}``, ``$n`` or ``$(n)`` for a param or let, with ``${n}`` for it."""
    text = diagnostic.span.text
    if not text.startswith('"') or len(text) > conform.LONGEST_OFFER:
        return diagnostic
    known = params.names()

    def named(found: re.Match[str]) -> str:
        name = found[found.lastindex or 0]
        return f"${{{name}}}" if name in known else found[0]

    wanted = _PLACES.sub(named, text)
    if wanted == text:
        return diagnostic
    return diagnostic.help(f"write {wanted}").replacing(f"write {wanted}", wanted)


def _places(program: Program) -> dict[int, list[int]]:
    """For each text, by its identity, where something is cut short."""
    places: dict[int, list[int]] = {}
    for each in program.diagnostics:
        if each.rule in _CUT_SHORT:
            places.setdefault(id(each.span.source), []).append(each.span.start)
    for starts in places.values():
        starts.sort()
    return places


def _is_cut(diagnostic: Diagnostic, places: dict[int, list[int]]) -> bool:
    starts = places.get(id(diagnostic.span.source), [])
    first = bisect_left(starts, diagnostic.span.start)
    return first < len(starts) and starts[first] <= diagnostic.span.end


# --- how much there is to resolve in a job block: what a matrix repeats for each of its jobs ---------------------


def items_of(job: ast.Job, templates: Mapping[str, ast.Template]) -> int:
    """The items of a job block and of the templates it uses; those beside the roles count for each role as well."""
    counter = _Counter(templates)
    beside = counter.of(job.items)
    return beside * (1 + counter.roles) + counter.in_roles


class _Counter:
    """``roles``: how many role blocks were met, and ``in_roles``: how many items are in them."""

    def __init__(self, templates: Mapping[str, ast.Template]) -> None:
        self.templates = templates
        self.roles = 0
        self.in_roles = 0
        self._known: dict[str, int] = {}

    def of(self, found: Iterable[ast.Item]) -> int:
        """The items of one block, without those of its roles."""
        count = 0
        for item in found:
            count += 1
            if isinstance(item, ast.Role):
                self.roles += 1
                self.in_roles += self.of(item.items)
            elif isinstance(item, ast.Target | ast.Step):
                count += self.of(item.items)
            elif isinstance(item, ast.Build):
                count += len(item.items)
            elif isinstance(item, ast.Use):
                count += self._of_template(item.name.text)
        return count

    def _of_template(self, name: str) -> int:
        if name not in self._known:
            self._known[name] = 0  # one that uses itself is an error
            self._known[name] = self.of(self.templates[name].items) if name in self.templates else 0
        return self._known[name]
