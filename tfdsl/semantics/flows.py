"""The flows of a file: their attributes, and which jobs run in them after which others.

A run whose condition is false, or whose job is absent, is left out. What comes after it by ``succeeded`` comes after
those before it, unless that one was for a failure or any end; what comes after it by ``failed`` or ``ended`` is left
out, too, if it comes after nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from tfdsl.diagnostics import Diagnostic, Report, name_rules, value_rules
from tfdsl.diagnostics.suggest import alias_table, closest, enumeration, listing, meant
from tfdsl.record import Record, replace
from tfdsl.rules import flows as rules
from tfdsl.rules.fields import broken_by
from tfdsl.semantics import resolved
from tfdsl.semantics.conditions import Conditions
from tfdsl.semantics.derived import Derived
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.job_rules import plain
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program
from tfdsl.semantics.request import Request
from tfdsl.semantics.rule_views import value_span
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.statements import settings
from tfdsl.semantics.values import Data, RunTimeText
from tfdsl.syntax import ast
from tfdsl.text import Argument, Span
from tfdsl.vocabulary.quantities import Duration
from tfdsl.vocabulary.statements import ENDINGS, FLOW


class Run(Record):
    """One job of a statement ``run``, before what is absent is left out. ``why``: why it is absent; empty if not."""

    job: str
    span: Span
    after: tuple[tuple[str, Span], ...]
    ending: str
    node: ast.FlowRun
    why: str = ""


def read_flows(program: Program, params: Params, jobs: Sequence[Derived], report: Report) -> tuple[resolved.Flow, ...]:
    """All flows of ``program``; ``jobs``: those of the file."""
    if not program.flows:
        return ()
    reader = _Reader(params, _Jobs(jobs, complete=not program.syntax_errors), report)
    flows = tuple(map(reader.flow, program.flows))
    for diagnostic in _clashes(flows, jobs):
        report(diagnostic)
    return flows


class _Jobs:
    """The jobs of a file, as a run names them: by a name, or all that a block makes by that of the block."""

    def __init__(self, jobs: Iterable[Derived], *, complete: bool) -> None:
        self.complete = complete
        self.present: set[str] = set()
        self._by_name: dict[str, tuple[str, ...]] = {}
        self._by_block: dict[str, dict[str, None]] = {}
        for job in jobs:
            self.complete &= job.known
            self._by_name[job.name] = (job.name,)
            self._by_block.setdefault(job.node.name.text, {})[job.name] = None
            self.present |= set() if job.absent else {job.name}

    def named(self, name: str) -> tuple[str, ...]:
        """The jobs that ``name`` is for; none if there is none."""
        return self._by_name.get(name) or tuple(self._by_block.get(name, ()))

    def names(self) -> list[str]:
        """All names of jobs and blocks."""
        return [*dict.fromkeys((*self._by_block, *self._by_name))]


class _Reader:
    """Reads the flows of one file."""

    def __init__(self, params: Params, jobs: _Jobs, report: Report) -> None:
        self.jobs = jobs
        self.report = report
        self.scope = Scope(params, report)
        self.conditions = Conditions(self.scope)
        self.complete = True

    def flow(self, node: ast.Flow) -> resolved.Flow:
        """One flow, of whose rules everything broken is reported."""
        self.complete = self.jobs.complete
        assigns = [item for item in node.items if isinstance(item, ast.Assign) and self._holds(item.condition)]
        for assign in assigns:
            if assign.key.text in _RUNS:
                unknown = name_rules.UNKNOWN_OPTION(assign.key.span, where="a flow", name=assign.key.text)
                self.report(unknown.help("write run JOB after JOB, for each of its jobs"))
        chosen = settings((one for one in assigns if one.key.text not in _RUNS), FLOW, "a flow", self.scope)
        written = [run for item in node.items if isinstance(item, ast.FlowRun) for run in self._runs(item)]
        runs = tuple(self._left(node.name.text, written)) if self.complete else ()
        named = frozenset(run.job for run in written)
        flow = resolved.Flow(chosen, node.name.text, node.name.span, runs, named, self.complete)
        for broken in broken_by("flow", "name", node.name.text):
            self.report(broken.at(node.name.span))
        for name, setting in chosen.items():
            data = flow.data(name)
            for broken in broken_by("flow", name, plain(data)) if data is not None else ():
                self.report(broken.diagnostic(partial(value_span, setting.value)))
        for broken in rules.of_flow(flow) if self.complete and (runs or not written) else ():
            self.report(broken.diagnostic(flow.span))
        return flow

    def _holds(self, condition: ast.Condition | None) -> bool:
        return condition is None or self.conditions.holds(condition, None)

    def _runs(self, node: ast.FlowRun) -> Iterator[Run]:
        """The runs of one statement, of which a matrix makes several."""
        ending = self._ending(node.ending)
        after = tuple((job, each.span) for each in node.after for job in self._named(each))
        holds = self._holds(node.condition)
        condition = node.condition.value.span.text if node.condition is not None else ""
        for job in self._named(node.job):
            absent = "" if job in self.jobs.present else "the job is absent"
            yield Run(job, node.job.span, after, ending, node, absent or ("" if holds else f"{condition} is false"))

    def _named(self, node: ast.Name | ast.Expr) -> tuple[str, ...]:
        """The jobs that are named at one place; none, with a report, if it names none."""
        text = node.text if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Str):
            data = evaluate(node, self.scope).data
            text = data if isinstance(data, str) else None
            given = "a text that is known only at run time" if isinstance(data, RunTimeText) else ""
        else:
            given = "" if isinstance(node, ast.Name | ast.ErrorExpr) else "an expression"
        if given:
            wrong = name_rules.WRONG_TYPE(node.span, what="this", expected="the name of a job", given=given)
            several = isinstance(node, ast.ListExpr)
            self.report(wrong.help("write run JOB for each of them") if several else wrong)
        found = self.jobs.named(text) if text is not None else ()
        if text is not None and not found and self.jobs.complete:
            self.report(_unknown(node.span, text, self.jobs.names()))
        self.complete &= bool(found)
        return found

    def _ending(self, node: ast.Name | None) -> str:
        if node is None or node.text in ENDINGS:
            return node.text if node is not None else ENDINGS[0]
        self.report(meant(name_rules.UNKNOWN_ENDING(node.span, name=node.text), node.text, ENDINGS, _ENDINGS))
        self.complete = False
        return ENDINGS[0]

    def _left(self, flow: str, written: Sequence[Run]) -> Iterator[resolved.FlowRun]:
        """The runs that are there, after jobs that are there."""
        by_name: dict[str, Run] = {}
        for run in written:
            if run.job not in by_name or by_name[run.job].why:
                by_name[run.job] = run
        ring = rules.ring({name: [job for job, _ in run.after] for name, run in by_name.items()})
        if len({bool(by_name[name].why) for name in ring}) == 2:  # if all are there, the rules of a flow say it
            place = next(span for job, span in by_name[ring[0]].after if job == ring[-1])
            self.report(value_rules.RUN_CYCLE(place, **rules.of_ring(flow, ring)).help(rules.BREAK))
            self.complete = False
            return
        before = self._before(flow, by_name)
        for run in written:
            here = before.get(run.job, run.after)
            if run.why or here is None:
                continue
            names, spans = tuple(job for job, _ in here), tuple(span for _, span in here)
            ending = run.node.ending.span if run.node.ending is not None else None
            yield resolved.FlowRun(run.job, run.span, names, spans, run.ending, ending, run.node.span)

    def _before(self, flow: str, runs: Mapping[str, Run]) -> dict[str, tuple[tuple[str, Span], ...] | None]:
        """What each run comes after; ``None`` if it is left out. Told where that is not what is written."""
        before: dict[str, tuple[tuple[str, Span], ...] | None] = {}
        why = {name: run.why for name, run in runs.items()}
        for name in rules.in_order({name: [job for job, _ in run.after] for name, run in runs.items()}):
            run = runs[name]
            left: dict[str, Span] = {}
            gone = list(dict.fromkeys(job for job, _ in run.after if why.get(job)))
            for job, span in run.after:
                if not why.get(job):
                    left.setdefault(job, span) if gone else None
                elif run.ending != ENDINGS[0]:
                    continue
                elif runs[job].ending == ENDINGS[0] and (those := before[job]) is not None:
                    left |= {other: span for other, _ in those if other not in left}
                else:
                    why[name] = why[name] or f"it comes after {job}, and {runs[job].why or _NEITHER}"
            before[name] = tuple(left.items()) if gone else run.after
            if gone and run.ending != ENDINGS[0] and not left:
                why[name] = why[name] or f"it comes after {gone[0]}, and {runs[gone[0]].why or _NEITHER}"
            if why[name] and not run.why:
                self.report(value_rules.RUN_LEFT_OUT(run.span, flow=flow, job=name, why=why[name]))
                before[name] = None
            elif gone and not why[name]:
                absent = f"{enumeration(gone)} {'is' if len(gone) == 1 else 'are'} absent"
                self.report(value_rules.RUN_FOLLOWS(run.span, job=name, after=enumeration(left), absent=absent))
        return before


def _unknown(span: Span, name: str, names: Sequence[str]) -> Diagnostic:
    others = f"there are {enumeration(names)}" if names else "write job NAME { … } for it"
    return meant(name_rules.UNKNOWN_JOB(span, name=name), name, names, None, others)


# --- what several of them have in common ---------------------------------------------------------------------------


def _clashes(flows: Iterable[resolved.Flow], jobs: Iterable[Derived]) -> Iterator[Diagnostic]:
    """Each name that two things of a file have: flows, jobs alone, and jobs in flows."""
    named = [(job.name, f"job {job.name}", job.node.name.span) for job in jobs if not job.absent]
    named += [(name, what, flow.span(place)) for flow in flows for name, what, place in rules.names(flow)]
    for span, place, words in rules.clashes(named):
        clash = value_rules.SAME_NAME_IN_FLOW(span, **words)
        yield clash.note(place, f"{words['first']} is here").help(rules.CLASH)


def check_jobs(flows: Iterable[resolved.Flow], jobs: Mapping[str, resolved.Job], report: Report) -> None:
    """Report what the jobs of a flow, resolved for one target, break together."""
    for flow in flows:
        its = [jobs[run.job] for run in flow.runs if run.job in jobs]
        if not its or len(its) < len(flow.runs):
            continue
        own = flow.data("namespace")
        spaces = [_text(job.data("namespace")) for job in its]
        ttls = [ttl if isinstance(ttl := job.data("ttl"), Duration) else None for job in its]
        for broken in rules.of_its_jobs(flow, _text(own), spaces, ttls):
            report(broken.diagnostic(flow.span))
        for error in _versions(flow, its):
            report(error)


def _versions(flow: resolved.Flow, jobs: Sequence[resolved.Job]) -> Iterator[Diagnostic]:
    """That a flow runs on one cluster, with both places that name a version of it."""
    first = jobs[0]
    other = next((job for job in jobs if job.version != first.version), None)
    if other is None:
        return
    places = [job.option_spans.get("version", job.name_span) for job in (other, first)]
    known = enumeration([str(first.version), str(other.version)])
    words = {"first": first.name, "second": other.name, "flow": flow.name, "target": first.target, "versions": known}
    error = value_rules.FLOW_VERSIONS(places[0], **words).note(places[1], f"job {first.name} is for {first.version}")
    yield error.help("write the same version in all of its jobs, or choose one with -t TARGET@VERSION")


def _text(data: Data | None) -> str | None:
    return data if isinstance(data, str) else None


def asked(
    flows: Sequence[resolved.Flow], jobs: Sequence[Derived], request: Request, report: Report
) -> tuple[resolved.Flow, ...]:
    """The flow that ``request`` asks for, or all that have a job that is present; none if it asks for a job.

    ``jobs``: those of the file, one of which ``--flow`` may name.
    """
    flow = request.flow
    if flow is None:
        alone = request.job is not None or request.name is not None
        return () if alone else tuple(one for one in flows if one.runs)
    found = tuple(one for one in flows if one.name == flow.text)
    if not found:
        is_job = any(flow.text in (job.name, job.node.name.text) for job in jobs)
        report(unknown_flow(flow, [one.name for one in flows], is_job=is_job))
    elif found[0].complete and not found[0].runs:
        report(name_rules.ABSENT_FLOW(flow.span, flow=flow.text))
    return found


def with_runs(
    jobs: list[Derived], named: Sequence[str], flows: Sequence[resolved.Flow], asked: Sequence[resolved.Flow]
) -> list[Derived]:
    """``jobs`` with what each knows of the run of its flow. ``named``: their own names, which --name may have replaced.

    ``flows``: those of the file; while one is not complete, nothing is wrong. ``asked``: those that are compiled.
    """
    if not flows:
        return jobs
    first = {name: flow.name for flow in reversed(flows) for name in flow.named}
    these = frozenset[str]().union(*(flow.named for flow in asked))
    is_open = not all(flow.complete for flow in flows)

    def wrong(job: Derived, name: str) -> tuple[str, ...]:
        if is_open or name in these or (name in first and not job.chosen):
            return ()
        return ("is compiled without its flow", f"write --flow {first[name]}") if name in first else job.without_run

    return [replace(job, without_run=wrong(job, name)) for job, name in zip(jobs, named, strict=True)]


def unknown_flow(flow: Argument, names: Sequence[str], *, is_job: bool) -> Diagnostic:
    """The error that there is no flow called ``flow``. ``is_job``: there is a job of that name."""
    if is_job:
        error = name_rules.UNKNOWN_FLOW(flow.span, name=flow.text)
        return error.help(f"{flow.text} is a job: write --job {flow.text}")
    near = closest(flow.text, names)
    known = f"{'the flow is' if len(names) == 1 else 'there are'} {listing(names)}"
    others = known if names else "write flow NAME { … } in it"
    return name_rules.UNKNOWN_FLOW(flow.span, name=flow.text).help(f"did you mean {near}?" if near else others)


_RUNS = ("jobs", "steps", "tasks", "stages", "needs", "depends_on", "dependsOn", "dependencies", "after", "runs")
"""What other tools set instead of statements."""
_NEITHER = "that is left out, too"
_ENDINGS = alias_table(
    [
        ("succeeded", ("success", "successful", "ok", "afterok", "complete", "completed")),
        ("failed", ("failure", "fail", "error", "afternotok")),
        ("ended", ("always", "any", "afterany", "finished", "done")),
    ]
)
"""What other tools call the ends of a job."""
