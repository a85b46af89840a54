"""Outputs, policies, cluster and build: trees to typed values.

Each function reports what is wrong with a single statement and returns ``None`` when nothing usable is left. Rules
about more than one statement are in :mod:`tfdsl.semantics.job_rules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from tfdsl.diagnostics import Diagnostic, Report, name_rules, repeated, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration, fold, folded, meant, offering, words_of
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.rules import mounts as rules, policies as policy_rules, values
from tfdsl.rules.broken import Broken
from tfdsl.semantics import misplaced_names, resolved
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate, evaluate_as
from tfdsl.semantics.known_names import known_role
from tfdsl.semantics.rule_views import value_span
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.values import POISON, ListData, MapData, PodField, Poison, Reference, RunTimeText, Value, a_kind
from tfdsl.syntax import ast
from tfdsl.syntax.patch_path import Path, Problem, parse_path
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, foreign, statements
from tfdsl.vocabulary.statements import SOURCE_TYPES, MountKind, Setting, called
from tfdsl.vocabulary.types import INT, RUN_TIME_WORD, STRING, TIME_LIMIT, WORD, ListType, Type


def settings(
    assigns: Iterable[ast.Assign], rows: Iterable[Setting], where: str, scope: Scope
) -> dict[str, resolved.Setting]:
    """The settings of a block or of the braces after a statement, by name."""
    table = {row.name: row for row in rows}
    chosen: dict[str, resolved.Setting] = {}
    for assign in assigns:
        key = assign.key
        row = table.get(key.text)
        value = evaluate_as(assign.value, None if row is None else row.type, scope)
        if row is None:
            diagnostic = name_rules.UNKNOWN_OPTION(key.span, where=where, name=key.text)
            has = f"it has {enumeration(table)}" if table else "it has no options"
            offered = meant(diagnostic, key.text, table, words_of(table.values()), has)
            instead = misplaced_names.attribute_of(key.text, table) if not offered.fixes else None
            scope.report(offered.help(instead) if instead else offered)
        elif key.text in chosen:
            scope.report(repeated(name_rules.DUPLICATE_KEY(key.span, name=key.text), chosen[key.text].key, "set"))
        elif row.type is not None:
            chosen[key.text] = resolved.Setting(key.span, conform(value, row.type, key.text, scope.report))
    return chosen


# --- outputs ---------------------------------------------------------------------------------------------------


def output(node: ast.Output, scope: Scope, index: int | None) -> resolved.Output | None:
    """``node`` as a typed output of the role in ``scope``; ``index``: the one replica that copies."""
    report = scope.report
    source, destination = _ends(node, scope)
    options = settings(node.options, statements.OUTPUT_OPTIONS, "an output", scope)
    when = "success"
    if node.when is not None:
        when = node.when.text
        if when not in statements.OUTPUT_WHEN:
            diagnostic = name_rules.UNKNOWN_WHEN(node.when.span, name=when)
            aliases = {"failed": "failure", "fail": "failure", "completed": "success", "succeeded": "success"}
            report(meant(diagnostic, when, statements.OUTPUT_WHEN, aliases))
            return None
    if isinstance(source.data, Poison) or isinstance(destination.data, Poison):
        return None
    when_span = node.when.span if node.when is not None else None
    subject = node.subject.span if node.subject is not None else None
    return resolved.Output(source, destination, when, when_span, index, subject, options, node.span)


def _ends(node: ast.Output | ast.UnsetOutput, scope: Scope) -> tuple[Value, Value]:
    """The source and the destination of an output."""
    source = conform(evaluate(node.source, scope), RUN_TIME_WORD, called("output", "source"), scope.report)
    return source, conform(
        evaluate(node.destination, scope), RUN_TIME_WORD, called("output", "destination"), scope.report
    )


# --- policies --------------------------------------------------------------------------------------------------


def policy(node: ast.Policy, scope: Scope, role: str | None) -> resolved.Policy | None:
    """``node`` as a typed policy; ``role``: the role of the enclosing role block, if any."""
    report = scope.report
    event = _event(node.event, report)
    action = _action(node, event, report)
    delay = None
    if node.delay is not None:
        delay = conform(evaluate(node.delay, scope), TIME_LIMIT, called("policy", "delay"), report)
    codes = _codes(node.event, scope)
    count = _count(node.event, report)
    if node.subject is not None and role is not None:
        report(_subject_in_role(node.subject))
        return None
    known = node.subject is None or known_role(node.subject.role.text, node.subject.role.span, report)
    if event is None or codes is None:
        return None
    if not _fits(node, event, action, role, report) or not known:
        return None
    subject = node.subject
    index = None if subject is None or subject.index is None else index_of(subject.index)
    return resolved.Policy(
        role if subject is None else subject.role.text,
        index,
        None if subject is None else subject.span,
        event.name,
        node.event.span,
        codes,
        count,
        None if delay is None or isinstance(delay.data, Poison) else delay,
        node.action.text,
        node.action.span,
        node.span,
    )


def index_of(index: ast.Number) -> int | None:
    """The written index, or ``None`` when no replica can have it."""
    return int(index.text) if index.text.isdigit() and len(index.text) < 10 else None


def _subject_in_role(subject: ast.Subject) -> Diagnostic:
    return value_rules.SUBJECT_IN_ROLE(subject.span).help("remove the role")


def _event(node: ast.Event, report: Report) -> statements.Event | None:
    for event in statements.EVENTS:
        if event.name == node.name.text:
            return event
    diagnostic = name_rules.UNKNOWN_EVENT(node.name.span, name=node.name.text)
    names = [event.name for event in statements.EVENTS]
    report(meant(diagnostic, node.name.text, names, words_of(statements.EVENTS), f"events are {enumeration(names)}"))
    return None


_LATE_CONDITION = regex(r"\s(?:when|if)(?:\s|$)")


def _late_condition(policy: ast.Policy, start: int) -> Diagnostic:
    """The report for ``=> restart job when prod``; the condition begins ``start`` characters into the action."""
    from tfdsl.syntax.condition_mistakes import misplaced_in_policy

    span = policy.action.span
    action = span.text[:start].rstrip()
    arrow = span.source.text.rindex("=>", policy.span.start, span.start)
    condition = Span(span.source, span.start + start, span.end)
    return misplaced_in_policy(condition, Span(span.source, span.start, span.start + len(action)), arrow)


def _action(policy: ast.Policy, event: statements.Event | None, report: Report) -> str | None:
    """The action of ``policy``; for an unknown one, only actions of ``event`` are suggested."""
    node = policy.action
    names = [action.name for action in statements.ACTIONS]
    if node.text in names:
        return node.text
    late = _LATE_CONDITION.search(node.span.text)
    if late is not None:  # a name follows, or nothing; the parser reports anything else
        report(_late_condition(policy, late.start() + 1))
        return None
    diagnostic = name_rules.UNKNOWN_ACTION(node.span, name=node.text)
    possible = names if event is None else event.actions
    aliases = words_of(statements.ACTIONS)
    near = closest(node.text, names, aliases)
    if " after" in node.text:  # a name follows, or nothing; the parser reports a number
        report(diagnostic.help("write the delay before the arrow: on EVENT after DURATION => ACTION"))
    elif near is not None and near in possible:
        report(offering(diagnostic, near, names, aliases))
    else:
        of = "actions" if event is None else f"actions of {event.name}"
        report(diagnostic.help(f"{of} are {enumeration(possible)}"))
    return None


def _fits(node: ast.Policy, event: statements.Event, action: str | None, role: str | None, report: Report) -> bool:
    """Whether subject, delay and action fit the event; reported if not."""
    subject, delay = node.subject, node.delay
    spans = {
        "event": node.event.span,
        "role": node.event.span if subject is None else subject.span,
        "delay": node.event.span if delay is None else delay.span,
        "action": node.action.span,
    }
    has_subject = subject is not None or role is not None
    problems = list(policy_rules.fits(event, action, subject=has_subject, delay=delay is not None))
    for broken in problems:
        report(broken.among(spans))
    return action is not None and not problems


def _codes(node: ast.Event, scope: Scope) -> tuple[int, ...] | None:
    """The exit statuses of an ``exit`` event, ascending; ``None`` when they are wrong."""
    codes = node.codes
    if codes is None:
        return ()
    if isinstance(codes, ast.CodeRange):
        return _code_range(codes, scope.report)
    value = conform(evaluate(codes, scope), ListType(INT), called("policy", "codes"), scope.report)
    if not isinstance(value.data, ListData):
        return None
    statuses: list[int] = []
    for item in value.data.items:
        if not isinstance(item.data, int):
            return None
        statuses.append(item.data)
    broken = policy_rules.statuses(statuses)
    if broken is not None:
        scope.report(broken.diagnostic(lambda place: value_span(value, place) if place else codes.span))
        return None
    return tuple(sorted(statuses))


def _code_range(codes: ast.CodeRange, report: Report) -> tuple[int, ...] | None:
    ends = [codes.first] if codes.last is None else [codes.first, codes.last]
    numbers: list[int] = []
    for end in ends:
        if not end.text:  # it is missing, which has been reported
            return None
        number = int(end.text) if end.text.isdigit() and len(end.text) < 10 else 0
        if policy_rules.statuses([number]) is not None:
            report(policy_rules.status(end.text).at(end.span))
            return None
        numbers.append(number)
    if numbers[-1] < numbers[0]:
        report(
            value_rules.EXIT_RANGE(
                codes.span, problem=f"{numbers[0]}..{numbers[-1]} is empty; write the smaller status first"
            )
        )
        return None
    return tuple(range(numbers[0], numbers[-1] + 1))


def _count(node: ast.Event, report: Report) -> int | None:
    if node.count is None:
        return None
    text = node.count.text
    if not text.isdigit() or not 1 <= int(text[:12]) <= 2**31 - 1:
        report(
            value_rules.OUT_OF_RANGE(node.count.span, what="the number of restarts", expected="at least 1", given=text)
        )
        return 1
    return int(text)


# --- cluster and build -----------------------------------------------------------------------------------------


def cluster(node: ast.Cluster | None, scope: Scope) -> dict[str, resolved.Setting]:
    """The settings of a ``cluster`` block; without a block none."""
    return {} if node is None else settings(node.settings, statements.CLUSTER, "cluster", scope)


def build(node: ast.Build | None, scope: Scope) -> resolved.Build | None:
    """The ``build`` block as values; ``None`` without a block."""
    if node is None:
        return None
    chosen = settings((item for item in node.items if isinstance(item, ast.Assign)), statements.BUILD, "build", scope)
    steps: list[resolved.BuildStep] = []
    for item in node.items:
        if isinstance(item, ast.Copy):
            source = conform(evaluate(item.source, scope), WORD, called("copy", "source"), scope.report)
            target = conform(evaluate(item.destination, scope), WORD, called("copy", "destination"), scope.report)
            if isinstance(source.data, str):
                source = _copy_source(source, scope)
            steps.append(resolved.BuildStep(source, target, item.span))
        elif isinstance(item, ast.Run):
            command = conform(evaluate(item.command, scope), WORD, called("run", "command"), scope.report)
            steps.append(resolved.BuildStep(command, None, item.span))
    rows = [row.name for row in statements.BUILD]
    if "from" not in chosen and all(item.key.text in rows for item in node.items if isinstance(item, ast.Assign)):
        scope.report(value_rules.BUILD_FROM(node.word).help('for example from = "tensorflow/tensorflow:2.17.0"'))
    return resolved.Build(node.word, chosen, tuple(steps))


def _copy_source(source: Value, scope: Scope) -> Value:
    broken = values.copied(str(source.data))
    if broken is None:
        return source
    scope.report(broken.at(source.span))
    return replace(source, data=POISON)


# --- mounts ------------------------------------------------------------------------------------------------------


_ALIASES = words_of(statements.MOUNT_KINDS)


def mount(node: ast.Mount, scope: Scope) -> resolved.Mount | None:
    """``node`` as a typed mount; ``None``, with a report, when its path or kind is not known."""
    kind = mount_kind(node, scope.report)
    source = None if node.source is None else evaluate(node.source, scope)
    at = conform(evaluate(node.path, scope), STRING, called("mount", "at"), scope.report)
    options: dict[str, resolved.Setting] = {}
    if kind is None:
        kind = _any_kind(node, scope)
    else:
        options = settings(node.options, kind.options, f"mount {kind.name}", scope)
        _check_options(kind, options, scope)
        source = _source(node, kind, source, scope)
    if isinstance(at.data, Poison):
        return None
    path = str(at.data)
    broken = rules.path(path)
    if broken is not None:
        scope.report(broken.at(at.span))
        return None
    head = node.kind.span if node.source is None else node.kind.span.to(node.source.span)
    clean = path.rstrip("/") or "/"
    return resolved.Mount(kind, source, clean, at.span, node.readonly, options, head, node.span)


def _any_kind(node: ast.Mount, scope: Scope) -> MountKind:
    """A placeholder for an unknown kind, so that the rest of the job can be checked as if the mount were lasting.

    The values of its options are evaluated to report what is wrong with them.
    """
    for option in node.options:
        evaluate(option.value, scope)
    return MountKind(node.kind.text, "name", "", "", "", optional=True, durable=True)


def mount_kind(node: ast.Mount, report: Report) -> MountKind | None:
    """The kind of ``node``; ``None``, with a report, when it does not exist."""
    name = node.kind
    kinds = statements.MOUNTS_BY_NAME
    if name.text in kinds:
        return kinds[name.text]
    diagnostic = name_rules.UNKNOWN_MOUNT_KIND(name.span, name=name.text)
    instead = folded(foreign.MOUNTS).get(fold(name.text))
    if instead is not None:
        report(diagnostic.help(instead))
    else:
        report(meant(diagnostic, name.text, kinds, _ALIASES, f"mount kinds are {enumeration(kinds)}"))
    return None


def _source(node: ast.Mount, kind: MountKind, source: Value | None, scope: Scope) -> Value | None:
    if source is None:
        if not kind.optional:
            problem = f"needs a source: the {kind.source_doc}"
            scope.report(value_rules.MOUNT_SOURCE(node.kind.span, kind=kind.name, problem=problem))
            return Value(POISON, node.kind.span)
        return None
    value = conform(source, SOURCE_TYPES[kind.source], called(f"mount {kind.name}", kind.field), scope.report)
    broken = rules.source(kind.name, value.data)
    if broken is None:
        return value
    scope.report(broken.at(value.span))
    return Value(POISON, value.span)


def _check_options(kind: MountKind, options: dict[str, resolved.Setting], scope: Scope) -> None:
    """``sub_path`` and the file names of ``items`` must stay inside the volume (Kubernetes, validation of volumes)."""
    places = [options["sub_path"].value] if "sub_path" in options else []
    items = options["items"].value.data if "items" in options else None
    if isinstance(items, MapData):
        places += [entry.value for entry in items.entries.values()]
    for value in places:
        _report(rules.inside(kind.name, value.data), value.span, scope)
    modes = options["access_modes"].value if "access_modes" in options else None
    if modes is not None and isinstance(modes.data, ListData):
        _report(rules.access_modes([item.data for item in modes.data.items]), modes.span, scope)


def _report(broken: Broken | None, span: Span, scope: Scope) -> None:
    if broken is not None:
        scope.report(broken.at(span))


# --- patches: their syntax; whether a path exists is checked when there is a document to patch ----------------------


def patch(node: ast.Patch, role: str | None, scope: Scope) -> resolved.Patch | None:
    """``node``, in the block of ``role`` if there is one; ``None``, with a report, when it is wrong."""
    written = conform(evaluate(node.path, scope), STRING, "the path of a patch", scope.report)
    value = None if node.value is None else evaluate(node.value, scope)
    fits = value is None or _fits_documents(value, scope)
    path = _path(written, written.data, scope, pod=node.pod is not None) if isinstance(written.data, str) else None
    if path is None or not fits:
        return None
    unchecked = node.unchecked is not None
    return resolved.Patch(node.op, node.pod, role, path, written.span, value, unchecked, node.span)


def _path(value: Value, text: str, scope: Scope, *, pod: bool) -> Path | None:
    """``text`` as a path; what is wrong with it is reported."""
    parsed = parse_path(text)
    if not isinstance(parsed, Problem) and (parsed.prefix is None or not pod):
        return parsed
    if not isinstance(parsed, Problem):
        parsed = Problem(0, len(parsed.prefix or "") + 1, "the path of patch pod starts at the pod template")
    span = value.span
    if span.text == f'"{text}"' and text:  # without escapes, offsets in the path are offsets in the source
        start = span.start + 1 + min(parsed.offset, len(text) - 1)
        span = Span(span.source, start, max(start + 1, span.start + 1 + min(parsed.end, len(text))))
    scope.report(name_rules.BAD_PATCH_PATH(span, problem=parsed.message))
    return None


def _fits_documents(value: Value, scope: Scope) -> bool:
    """Whether a document can contain ``value``; reported if not."""
    fits = True
    for leaf in _leaves(value):
        data = leaf.data
        if isinstance(data, RunTimeText):
            diagnostic = name_rules.RUN_TIME_HERE(leaf.span, name="this text")
            scope.report(diagnostic.help("a patch is fixed when the job is compiled"))
        elif isinstance(data, Reference | PodField):
            expected = "text, a number, a bool, a list or a map"
            what = "the value of a patch"
            scope.report(name_rules.WRONG_TYPE(leaf.span, what=what, expected=expected, given=a_kind(data)))
        elif not isinstance(data, Poison):
            continue
        fits = False
    return fits


def _leaves(value: Value) -> Iterator[Value]:
    data = value.data
    if isinstance(data, ListData):
        for item in data.items:
            yield from _leaves(item)
    elif isinstance(data, MapData):
        for entry in data.entries.values():
            yield from _leaves(entry.value)
    else:
        yield value


# --- items of any kind ---------------------------------------------------------------------------------------------

Key: TypeAlias = tuple[object, ...]
"""What an item of one kind is known by: path, source and destination, event with subject and status, kind and name."""


def identities(node: ast.Item, scope: Scope, role: str | None) -> tuple[Key, ...]:
    """What ``node``, an item or an ``unset``, is known by; nothing, with a report, when it is wrong.

    ``role``: the role of the enclosing role block, if any. A policy has an identity for each of its exit statuses.
    """
    if isinstance(node, ast.Mount | ast.UnsetMount):
        path = conform(evaluate(node.path, scope), STRING, called("mount", "at"), scope.report).data
        return ((path.rstrip("/") or "/",),) if isinstance(path, str) else ()
    if isinstance(node, ast.Output | ast.UnsetOutput):
        source, destination = (end.data for end in _ends(node, scope))
        return () if isinstance(source, Poison) or isinstance(destination, Poison) else ((source, destination),)
    if isinstance(node, ast.Policy | ast.UnsetPolicy):
        return _policy_identities(node, scope, role)
    if isinstance(node, ast.Step | ast.UnsetStep):
        return ((node.kind, node.name.text),)
    if isinstance(node, ast.UnsetAttribute) and node.key is not None:
        key = evaluate(node.key, scope)
        if isinstance(key.data, str):
            return ((node.name.text, key.data),)
        if not isinstance(key.data, Poison):
            given = a_kind(key.data)
            scope.report(name_rules.INDEX_TYPE(node.key.span, base="a map", expected="a string", given=given))
    return ()


def _policy_identities(node: ast.Policy | ast.UnsetPolicy, scope: Scope, role: str | None) -> tuple[Key, ...]:
    event, subject = _event(node.event, scope.report), node.subject
    codes = _codes(node.event, scope)
    if subject is not None and role is not None:
        scope.report(_subject_in_role(subject))
        return ()
    if subject is not None:
        known = known_role(subject.role.text, subject.role.span, scope.report)
        of: Key = (subject.role.text, None if subject.index is None else subject.index.text)
    else:
        known, of = True, (role, None)
    if event is None or codes is None or not known:
        return ()
    return tuple((event.name, *of, code) for code in codes or (None,))


def check(item: ast.Item, role: str | None, scope: Scope, options: Mapping[str, Type]) -> None:
    """Report what is wrong with ``item`` by itself; ``options``: what its block can set beside attributes."""
    if isinstance(item, ast.Assign):
        name = item.key.text
        row = attributes.BY_NAME.get(name)
        type_ = options.get(name) or (row.type if row is not None else None)
        value = evaluate_as(item.value, type_, scope)
        if type_ is not None:
            conform(value, type_, name, scope.report)
    elif isinstance(item, ast.Mount):
        mount(item, scope)
    elif isinstance(item, ast.Output):
        output(item, scope, None)
        if item.subject is not None:
            known_role(item.subject.role.text, item.subject.role.span, scope.report)
    elif isinstance(item, ast.Policy):
        policy(item, scope, None if item.subject is not None else role)
    elif isinstance(item, ast.Step):
        for each in item.items:
            check(each, role, scope, options)
    elif isinstance(item, ast.UNSET):
        identities(item, scope, role)
    elif isinstance(item, ast.Patch):
        patch(item, None, scope)
