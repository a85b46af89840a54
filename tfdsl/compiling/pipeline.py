"""The way of a job from its text to the documents of a target. Only this module knows the order of the stages.

``load`` parses and includes; ``run`` resolves, evaluates and checks, and for every target calls ``make``: lower,
judge, generate, patch; ``settle`` takes the waivers and puts the diagnostics in order. Nothing here reads or writes a
file but through the reader it is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, cast

from tfdsl import targets
from tfdsl.backend import Backend, Document, Row, Support, Unit, spoken
from tfdsl.diagnostics import Diagnostic, Report, Rule, name_rules, shortened
from tfdsl.diagnostics.diagnostic import in_file_order
from tfdsl.gc_pause import without_gc
from tfdsl.lint.runner import lint, rules as lint_rules
from tfdsl.record import Record, replace
from tfdsl.semantics import check as semantics, project, resolved
from tfdsl.semantics.derived import Reports
from tfdsl.semantics.request import Choice, Request
from tfdsl.semantics.secrets import secrets
from tfdsl.text import Argument, Source, Span
from tfdsl.vocabulary.versions import Version

if TYPE_CHECKING:
    from tfdsl.backend.flow import FlowUnit
    from tfdsl.emit.located import Written
    from tfdsl.ir.fields import Item, Origins
    from tfdsl.ir.flow import Flow
    from tfdsl.ir.model import Build
    from tfdsl.semantics.project import Program, Reader


NO_LABELS: Mapping[str, Argument] = MappingProxyType({})
"""Of a job that is in no project."""


class Made(Record):
    """The output of one job for one target.

    ``dockerfile``: of its ``build`` block, if it has one. ``private``: the job holds a secret as plain text.
    ``source``: the main text that it was made from.
    """

    unit: Unit
    documents: tuple[Document, ...]
    dockerfile: Written | None
    private: bool = False
    source: Source | None = None


class MadeFlow(Record):
    """The output of one flow for one target. ``jobs``: what its jobs alone would be, under their names in the flow.

    ``private``, ``source``: as of a job.
    """

    unit: FlowUnit
    documents: tuple[Document, ...]
    jobs: tuple[Made, ...]
    private: bool = False
    source: Source | None = None


Output: TypeAlias = Made | MadeFlow
"""What is written as one thing."""


class Outcome(Record):
    """What a program gives: the jobs that could be made, for one target after the other, and all there is to say.

    ``targets``: those that were asked for. ``flows``: what flows became, whose jobs are not in ``made`` unless one is
    asked for by its name. ``conditions``: whether each condition, by its place, held for any job or
    role.
    """

    targets: tuple[Backend, ...]
    made: tuple[Made, ...]
    diagnostics: tuple[Diagnostic, ...]
    conditions: Mapping[Span, bool] = {}
    flows: tuple[MadeFlow, ...] = ()

    @property
    def outputs(self) -> tuple[Output, ...]:
        """All that is written: jobs, then flows."""
        return (*self.made, *self.flows)

    @property
    def jobs(self) -> tuple[Made, ...]:
        """All jobs, those of flows too, which are called there as in their flow."""
        return (*self.made, *(job for flow in self.flows for job in flow.jobs))


def load(source: Source, read: Reader) -> Program:
    """Parse ``source`` and what it includes. ``read`` gives the source of a path, or why it is not read."""
    return project.load(source, read)


def run(program: Program, request: Request, choices: Sequence[Choice] = ()) -> Outcome:
    """Check a program, and make its jobs for every target of ``choices``.

    Documents are made only when the language's own rules found no error; a job that one target refuses does not stop
    the others from being tried.
    """
    return finish(program, request, choices, check(program, request, choices))


def check(program: Program, request: Request, choices: Sequence[Choice] = ()) -> semantics.Checked:
    """The first half of :func:`run`: what the language's own rules say."""
    return semantics.check(program, request, choices)


def run_in_steps(program: Program, request: Request, choices: Sequence[Choice]) -> Generator[None, None, Outcome]:
    """:func:`run` with a break after each job that is checked, and each that is made."""
    checked = yield from semantics.check_in_steps(program, request, choices)
    return (yield from _finish_in_steps(program, request, choices, checked))


@without_gc
def finish(program: Program, request: Request, choices: Sequence[Choice], checked: semantics.Checked) -> Outcome:
    """The second half of :func:`run`: lint, and the documents, for what :func:`check` gave."""
    return semantics.whole(_finish_in_steps(program, request, choices, checked))


def _finish_in_steps(
    program: Program, request: Request, choices: Sequence[Choice], checked: semantics.Checked
) -> Generator[None, None, Outcome]:
    asked = tuple(choice.backend for choice in choices)
    found = semantics.together(program, checked.diagnostics)
    if has_errors(found):
        return Outcome(asked, (), tuple(levelled(found, request.levels)), checked.conditions)
    found += lint(program, checked.jobs, checked.used, request.levels, request.gpus_per_node, checked.flows)
    made: list[Made] = []
    reports = Reports(found.append)
    by_name = {backend.name: backend for backend in asked}
    seen: set[tuple[str, str, tuple[int, ...]]] = set()  # -t volcano -t volcano@1.9 for a file that says 1.9
    in_flows = frozenset[str]().union(*(flow.named for flow in checked.flows))
    for values in checked.jobs:
        if values.target is None or not values.derived.chosen or values.name in in_flows:
            continue
        backend = by_name[values.target]
        key = (values.name, backend.name, version_of(backend, values).exact)
        one = make(backend, values, reports.about(values.derived), request.labels) if key not in seen else None
        seen.add(key)
        made += [replace(one, source=program.files[0].source)] if one is not None else []
        yield
    flows: list[MadeFlow] = []
    count = len(checked.jobs) // max(len(asked), 1)
    versions: set[tuple[object, ...]] = set()
    for at, backend in enumerate(asked):
        jobs = {values.name: values for values in checked.jobs[at * count : (at + 1) * count]}
        for flow in checked.flows:
            its = [jobs[run.job] for run in flow.runs if run.job in jobs]
            of_flow = (flow.name, backend.name, *(version_of(backend, one).exact for one in its))
            if of_flow in versions:
                continue
            versions.add(of_flow)
            made_flow = make_flow(backend, flow, jobs, reports, request.labels)
            flows += [replace(made_flow, source=program.files[0].source)] if made_flow is not None else []
            yield
    reports.end()
    diagnostics = tuple(levelled(found, request.levels))
    return Outcome(asked, tuple(made), diagnostics, checked.conditions, tuple(flows))


def compile_source(source: Source, target: Backend) -> tuple[Made, ...]:
    """The jobs of a text without includes for one target; none when there is an error."""
    outcome = run(load(source, lambda path: "files cannot be included here"), Request(), [Choice(target)])
    return () if has_errors(outcome.diagnostics) else outcome.made


# --- one job, one target -------------------------------------------------------------------------------------------


def unit_of(backend: Backend, values: resolved.Job) -> Unit:
    """``values`` (which must be without errors) as the IR, for the target they were resolved for."""
    from tfdsl.compiling.lower import lower

    job, origins = lower(values)
    version = version_of(backend, values)
    return Unit(backend.name, version.known, job, origins, values.options, values.option_spans, version.shown)


def version_of(backend: Backend, values: resolved.Job) -> Version:
    """The version that ``values`` were resolved for; the default where none was chosen."""
    version = backend.find_version(values.version or backend.default_version)
    assert version is not None  # the semantics lets no other through
    return version


def make(
    backend: Backend,
    values: resolved.Job,
    report: Report,
    labels: Mapping[str, Argument] = NO_LABELS,
) -> Made | None:
    """Lower, judge, generate and patch one job; what there is to say goes to ``report``."""
    private = next(secrets(values), None) is not None
    said: list[Diagnostic] = []
    one = make_unit(backend, unit_of(backend, values), said, values.patches, labels, private=private)
    for diagnostic in said:
        report(diagnostic)
    return one


def make_unit(
    backend: Backend,
    unit: Unit,
    found: list[Diagnostic],
    patches: Sequence[resolved.Patch] = (),
    labels: Mapping[str, Argument] = NO_LABELS,
    *,
    private: bool = False,
) -> Made | None:
    """Judge, generate and patch; what there is to say goes to ``found``.

    ``labels``: those of the project. ``private``: the job holds a secret.
    """
    here = verdict(backend, unit)
    if labels and backend.pods:
        from tfdsl.compiling.object_labels import refused

        here += refused(backend, labels)
    dockerfile = _dockerfile(unit.job.build, unit.origins, here)
    found += here
    if has_errors(here):
        return None
    documents = backend.load().generate(unit)
    if backend.pods and (labels or unit.job.common_labels):
        from tfdsl.compiling.object_labels import labelled

        documents = labelled(unit, documents, labels)
    if patches:
        documents, wrong = _patched(backend, documents, patches, unit)
        found += wrong
        if wrong:
            return None
    return Made(unit, tuple(documents), dockerfile, private)


def _dockerfile(build: Build | None, origins: Origins, found: list[Diagnostic]) -> Written | None:
    if build is None:
        return None
    from tfdsl.diagnostics.command_rules import BUILD_NOT_WRITABLE
    from tfdsl.emit import dockerfile

    problems = dockerfile.problems(build)
    found += [BUILD_NOT_WRITABLE(origins.span(path), problem=problem) for path, problem in problems]
    return None if problems else dockerfile.write(build)


def _patched(
    backend: Backend, documents: Sequence[Document], patches: Sequence[resolved.Patch], unit: Unit
) -> tuple[Sequence[Document], list[Diagnostic]]:
    import os

    from tfdsl.backend.patch_rules import load_schemas
    from tfdsl.patch.documents import patched

    schemas = load_schemas(*os.path.split(backend.schemas)) if backend.schemas else None
    return patched(unit, documents, patches, schemas, backend.load_patch_rules())


def written(document: Document) -> Written:
    """The text of one document."""
    if document.format == "yaml":
        from tfdsl.emit import yaml

        return yaml.write([document.data])
    if document.format == "json":
        from tfdsl.emit import json

        return json.write(document.data)
    if document.format == "xml":
        from tfdsl.emit import xml

        return xml.write(document.data)
    from tfdsl.emit.located import Written, plain

    text = plain(document.data)
    assert isinstance(text, str)
    return Written(text, document.lines or (None,) * text.count("\n"))


# --- what a target says of a job -------------------------------------------------------------------------------------


def verdict(backend: Backend, unit: Unit) -> list[Diagnostic]:
    """Everything that the target says of the job, marked as the target's, whose name begins each message."""
    return [_said_by(backend, diagnostic) for diagnostic in (*judge(backend, unit), *backend.load().check(unit))]


def _said_by(backend: Backend, diagnostic: Diagnostic) -> Diagnostic:
    return replace(diagnostic, target=backend.name, message=f"{backend.name}: {diagnostic.message}")


def judge(backend: Backend, unit: Unit) -> list[Diagnostic]:
    """What the support table says of everything that the job sets.

    One diagnostic per row and place, however many roles inherit the value.

    Raises:
        LookupError: the table has a hole, so that something would be lost without a word.
    """
    from tfdsl.ir.fields import walk

    items = list(walk(unit.job, unit.origins))
    return judged(unit, backend.support, items, _Others(backend, unit, items).advice)


def judged(
    unit: Unit | FlowUnit, support: Support, items: Iterable[Item], advice: Callable[[Item], str]
) -> list[Diagnostic]:
    """What a table says of ``items``; ``advice``: which other targets take one.

    Raises:
        LookupError: the table has a hole.
    """
    diagnostics: dict[tuple[str, Span], Diagnostic] = {}
    for item in items:
        row = support.decide(unit, item)
        if row is None:
            if not support[item.key]:
                raise LookupError(f"the support table of {unit.target} has no row for {item.key}")
            continue  # a part of something that is refused as a whole
        diagnostic = _reported(unit, item, row)
        if diagnostic is None or (diagnostic.rule.code, diagnostic.span) in diagnostics:
            continue
        if row.fate == "refused" and not names_other(row.instead, unit.target):
            diagnostic = diagnostic.help(advice(item))
        diagnostics[diagnostic.rule.code, diagnostic.span] = diagnostic
    return list(diagnostics.values())


def _reported(unit: Unit | FlowUnit, item: Item, row: Row) -> Diagnostic | None:
    span = unit.origins.written(item.path)
    if row.rule is None or (row.default == "silent" if span is None else row.fate == "translated"):
        return None
    values = words_of(row, unit, item)
    message = row.rule.message.format_map({key: shortened(value) for key, value in values.items()})
    level = "info" if span is None else row.rule.level
    diagnostic = Diagnostic(row.rule, level, message, span or unit.origins.span(item.path))
    if row.instead:
        diagnostic = diagnostic.help(row.instead.format_map(values))
    return replace(diagnostic, approximation=row.fate == "approximated" and span is not None)


def words_of(row: Row, unit: Unit | FlowUnit, item: Item) -> dict[str, str]:
    """What the fields in the texts of ``row`` stand for, for one item."""
    values = {"value": item.shown, "role": item.role, "job": unit.name, "key": spoken(item.key)}
    return values if row.fill is None else values | dict(row.fill(cast("Unit", unit), item))


def names_other(advice: str, target: str) -> bool:
    """Whether ``advice`` names a target other than ``target``, or says that there is none."""
    named = re.findall(r"\w+", " ".join(re.findall(r"(?:compile to|target) ([^;(]*)", advice.lower())))
    return "no target can" in advice or any(name in named for name in targets.names() if name != target)


class _Others:
    """What the other built-in targets would make of things that ``backend`` refuses, at their defaults."""

    def __init__(self, backend: Backend, unit: Unit, items: Sequence[Item]) -> None:
        self._backend = backend
        self._unit = unit
        self._items = items
        self._units: list[tuple[Backend, Unit]] = []
        self._by_node: dict[int, list[Item]] = {}

    def advice(self, item: Item) -> str:
        """Which other targets take ``item``, as a line of help."""
        if not self._units:
            self._prepare()
        return _instead(other for other, there in self._units if self._takes(other, there, item))

    def _prepare(self) -> None:
        for other in targets.built_in():
            if other is not self._backend:
                options = {option.name: option.default for option in other.options}
                there = replace(self._unit, target=other.name, version=other.default_version, options=options)
                self._units.append((other, replace(there, option_spans={}, named="")))
        for item in self._items:
            self._by_node.setdefault(id(item.node), []).append(item)

    def _takes(self, other: Backend, there: Unit, item: Item) -> bool:
        """Whether nothing is refused of ``item``, nor of the mount, output, step or policy that it belongs to."""
        whole = item.key.startswith(("mounts", "outputs", "steps", "policies"))
        parts = self._by_node[id(item.node)] if whole else [item]
        rows = [other.support.decide(there, part) for part in parts]
        return all(row is not None and row.fate != "refused" for row in rows)


# --- one flow, one target ------------------------------------------------------------------------------------------


class Part(Record):
    """A job of a flow under its own name, and who hears what is said about it. ``private``: it holds a secret."""

    unit: Unit
    report: Report
    private: bool
    patches: Sequence[resolved.Patch] = ()


def make_flow(
    backend: Backend,
    values: resolved.Flow,
    jobs: Mapping[str, resolved.Job],
    reports: Reports,
    labels: Mapping[str, Argument] = NO_LABELS,
) -> MadeFlow | None:
    """Make a flow of its jobs; what there is to say goes to ``reports``. Nothing is made if a job is missing."""
    from tfdsl.compiling.lower import flow as lowered

    if any(run.job not in jobs for run in values.runs):
        return None
    flow, origins = lowered(values)
    parts: dict[str, Part] = {}
    for its in (jobs[run.job] for run in flow.runs):
        private = next(secrets(its), None) is not None
        parts[its.name] = Part(unit_of(backend, its), reports.about(its.derived), private, its.patches)
    return make_flow_unit(backend, flow, origins, parts, reports.report, labels)


def make_flow_unit(
    backend: Backend,
    flow: Flow,
    origins: Origins,
    parts: Mapping[str, Part],
    report: Report,
    labels: Mapping[str, Argument] = NO_LABELS,
) -> MadeFlow | None:
    """Make a flow of ``parts``, its jobs by their own names; what there is to say goes to ``report`` and theirs."""
    from tfdsl.compiling.flows import readable, too_long, walk, with_documents, without_board, without_documents

    lowering = backend.load_flows()
    if lowering is None:
        report(_no_flows(backend, origins.job))
        return None
    long = list(too_long(flow, origins, lowering.MARK))
    for diagnostic in long:
        report(_said_by(backend, diagnostic))
    if long:
        return None
    units = {name: part.unit for name, part in parts.items()}
    unit = without_documents(backend, flow, origins, units)
    made: list[Made] = []
    for job in unit.jobs:
        its, said = parts[job.run.job], list[Diagnostic]()
        one = make_unit(backend, without_board(job.unit), said, its.patches, labels, private=its.private)
        made += [one] if one is not None else []
        for diagnostic in said:
            its.report(readable(diagnostic, unit.mark))
    found = judge_flow(backend, unit, list(walk(flow, units)))
    is_whole = len(made) == len(unit.jobs)
    if is_whole:
        unit = with_documents(unit, [one.documents for one in made])
        if backend.pods and (labels or flow.common_labels):
            from tfdsl.compiling.object_labels import of_flow

            unit = replace(unit, labels=of_flow(unit, labels))
        found += lowering.check(unit)
    for diagnostic in found:
        report(_said_by(backend, diagnostic))
    if not is_whole or has_errors(found):
        return None
    return MadeFlow(unit, tuple(lowering.generate(unit)), tuple(made), any(one.private for one in made))


def judge_flow(backend: Backend, unit: FlowUnit, items: Sequence[Item]) -> list[Diagnostic]:
    """What the target's table for flows says of a flow; a note that is about many runs once, at the first.

    Raises:
        LookupError: the table has a hole.
    """
    lowering = backend.load_flows()
    assert lowering is not None

    def takes(other: Backend, item: Item) -> bool:
        there = other.load_flows()
        row = there.SUPPORT.decide(unit, item) if there is not None else None
        return row is not None and row.fate != "refused"

    def advice(item: Item) -> str:
        return _instead(other for other in targets.built_in() if other is not backend and takes(other, item))

    said: dict[str, Diagnostic] = {}
    found = judged(unit, lowering.SUPPORT, items, advice)
    return [one for one in found if one.level != "info" or said.setdefault(one.message, one) is one]


def _no_flows(backend: Backend, name: Span) -> Diagnostic:
    error = name_rules.NO_FLOWS(name, target=backend.name)
    able = _instead(other for other in targets.built_in() if other.flows)
    return replace(error, target=backend.name).help(able).help("or compile its jobs one by one with --job")


def _instead(able: Iterable[Backend]) -> str:
    """Which other targets can do something, as a line of help."""
    from tfdsl.diagnostics.suggest import listing

    names = [other.name for other in able]
    return f"compile to {listing(names)}, which can" if names else "no target can"


# --- what is reported -----------------------------------------------------------------------------------------------


def settle(
    outcomes: Iterable[Outcome], programs: Iterable[Program], *, strict: bool, paths: Iterable[str] = ()
) -> list[Diagnostic]:
    """What is to be reported about ``outcomes``: waivers taken, approximations promoted, in file order, each once.

    Secrets from the files of ``env_file()`` are masked.
    """
    programs = list(programs)
    done = list(outcomes)
    diagnostics = in_file_order((diagnostic for outcome in done for diagnostic in outcome.diagnostics), paths)
    diagnostics = _waive(diagnostics, programs, done)
    if strict:
        diagnostics = [
            replace(diagnostic, level="error") if diagnostic.approximation else diagnostic for diagnostic in diagnostics
        ]
    secret = {text for program in programs for text in program.hidden}
    if secret:
        from tfdsl.compiling.masking import hidden_texts, masked

        diagnostics = list(masked(diagnostics, hidden_texts(secret)))
    return in_file_order(diagnostics, paths)


def _waive(diagnostics: list[Diagnostic], programs: Sequence[Program], outcomes: Sequence[Outcome]) -> list[Diagnostic]:
    comments = {
        (comment.span.source.path, comment.span.start): comment.span
        for program in programs
        for file in program.files
        for comment in file.comments
        if "tfdsl" in comment.text
    }
    if not comments:
        return diagnostics
    from tfdsl.diagnostics.waivers import apply

    # After an error not every rule has been asked about a program.
    wrong = {diagnostic.span.source.path for diagnostic in diagnostics if diagnostic.level == "error"}
    paths = [{file.source.path for file in program.files} for program in programs]
    unasked = wrong.union(*(files for files in paths if files & wrong))
    prefixes = {"TFJ", *(backend.prefix for outcome in outcomes for backend in outcome.targets)}
    absent: set[tuple[str, int]] = set()
    if not all(held for outcome in outcomes for held in outcome.conditions.values()):
        from tfdsl.semantics.absent import absent_lines

        absent.update(*(absent_lines(program, [outcome.conditions for outcome in outcomes]) for program in programs))

    def looked_at(rule: Rule, path: str, lines: Iterable[int]) -> bool:
        there = not any((path, line) in absent for line in lines)
        return there and path not in unasked and rule.code[:3] in prefixes and rule.level != "off"

    return apply(diagnostics, comments.values(), every_rule, looked_at)


def every_rule(names: Iterable[str] = ()) -> Mapping[str, Rule]:
    """All rules of the language, of lint and of the targets, by code and by slug.

    Targets that are installed beside the built-in ones are asked only for a rule of ``names`` that nobody else has.
    """
    table = _rules_of(targets.known())
    return table if all(name in table for name in names) else _rules_of(targets.every())


def rule_called(name: str) -> Rule | None:
    """The rule of a code, in whatever case, or of a slug."""
    known = every_rule()
    return known.get(name.upper()) or known.get(name)


def _rules_of(known: Iterable[Backend]) -> Mapping[str, Rule]:
    from tfdsl.diagnostics.registry import by_name, rules

    return by_name([*rules(), *lint_rules(), *(rule for backend in known for rule in backend.all_rules())])


def levelled(diagnostics: Sequence[Diagnostic], levels: Mapping[str, str]) -> Sequence[Diagnostic]:
    """``diagnostics`` at the ``levels`` that a project sets, by slug; an error stays one.

    What has a level of the project is not for ``--strict`` to decide.
    """
    found: list[Diagnostic] = []
    for diagnostic in diagnostics:
        level = None if diagnostic.level == "error" else levels.get(diagnostic.rule.slug)
        if level is not None and level != "off":
            found.append(replace(diagnostic, level=level, approximation=False))
        elif level is None and diagnostic.level != "off":
            found.append(diagnostic)
    return found


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether there is an error among ``diagnostics``."""
    return any(diagnostic.level == "error" for diagnostic in diagnostics)
