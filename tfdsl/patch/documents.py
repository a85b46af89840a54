"""Applying the patches of a target block to the documents that a backend made, and where in a patch each fault is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from tfdsl import targets
from tfdsl.backend import Document, Unit
from tfdsl.backend.patch_rules import (
    POD,
    Complaint,
    Derived,
    FixedSet,
    Node,
    PatchRules,
    Schemas,
    Since,
    Steps,
    matches,
    owner,
    value_at,
)
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import (
    NO_POD_TEMPLATE,
    PATCH_DERIVED,
    PATCH_FITS_NOTHING,
    PATCH_NEW_MEMBER,
    PATCH_VALUE,
    PATCHED_DOCUMENT,
)
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.emit import located
from tfdsl.emit.located import Located, Plain, plain
from tfdsl.patch.apply import Patch, apply_to, choose, field_text, pod_templates
from tfdsl.patch.schema import kind_of, misfits, place
from tfdsl.record import Record
from tfdsl.semantics import resolved, values
from tfdsl.semantics.values import ListData, MapData, Value
from tfdsl.syntax.patch_path import Index, Key, Path, Problem
from tfdsl.text import Span
from tfdsl.vocabulary import versions
from tfdsl.vocabulary.quantities import Duration, Quantity


def span_in_path(patch: resolved.Patch, offset: int, end: int) -> Span:
    """The characters ``offset`` to ``end`` of the path; all of it if it has escapes."""
    span = patch.path_span
    if span.text[1:-1] != patch.path.text:
        return span
    return Span(span.source, span.start + 1 + offset, span.start + 1 + max(end, offset + 1))


def problem_span(patch: resolved.Patch, problem: Problem) -> Span:
    """The part of the path of ``patch`` that ``problem`` is about."""
    return span_in_path(patch, problem.offset, problem.end)


def concrete(data: Plain | None, path: Path, prefix: Steps = ()) -> Steps:
    """``path``, which leads through ``data`` from ``prefix`` on, as keys and positions."""
    at = prefix
    for step in path.steps:
        if isinstance(step, Key):
            at = (*at, step.name)
        elif isinstance(step, Index):
            at = (*at, step.number)
        else:
            items = value_at(data, at)
            texts = [field_text(item, step.key) for item in items] if isinstance(items, list) else []
            at = (*at, texts.index(step.value) if step.value in texts else 0)
    return at


def span_of(patch: resolved.Patch, changed: Steps, before: Plain | None, at: Steps, *, key: bool = False) -> Span:
    """The part of ``patch``, which changed the place ``changed``, that decides what is at ``at``.

    A step of the path when ``at`` is above ``changed``; when it is below, what is put there, or with ``key`` its key;
    all that is put when it is elsewhere.
    """
    prefix = len(changed) - len(patch.path.steps)
    common = len(changed) if at[: len(changed)] == changed else prefix + shared(changed[prefix:], at[prefix:])
    if patch.value is not None and common < len(changed) and len(at) > common:
        return patch.value.span
    if common < len(changed) or patch.value is None or (key and at == changed):
        decisive = len(patch.path.steps) if patch.value is None else max(common - prefix, 1)
        step = patch.path.steps[decisive - 1]
        return span_in_path(patch, step.offset, step.end)
    old = value_at(before, changed)
    below = at[len(changed) :]
    if not below:
        return patch.value.span
    if patch.op == "merge" and isinstance(below[0], int):
        number = below[0] - (len(old) if isinstance(old, list) else 0)
        single = number < 0 or not isinstance(patch.value.data, ListData)
        below = below[1:] if single else (number, *below[1:])
    return _in_value(patch.value, below, key=key)


def shared(left: Steps, right: Steps) -> int:
    """How many steps two places have in common."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _in_value(value: Value, steps: Steps, *, key: bool) -> Span:
    """What is at ``steps`` in ``value``, as far as that goes; with ``key`` the key of the last step."""
    span = value.span
    for number, step in enumerate(steps, 1):
        data = value.data
        if isinstance(data, MapData) and step in data.entries:
            entry = data.entries[str(step)]
            value = entry.value
            span = entry.key_span if key and number == len(steps) else value.span
        elif isinstance(data, ListData) and isinstance(step, int) and step < len(data.items):
            value = data.items[step]
            span = value.span
        else:
            break
    return span


class Place(Record):
    """One place that a patch changes: in which document, by which whole path, and where that leads."""

    document: int
    path: Path
    at: Steps


class Applied(Record):
    """A patch that was applied, its place in one document, and the documents as plain data before and after it."""

    patch: resolved.Patch
    place: Place
    before: tuple[Plain | None, ...]
    after: tuple[Plain | None, ...]


def patched(
    unit: Unit,
    documents: Sequence[Document],
    patches: Sequence[resolved.Patch],
    schemas: Schemas | None,
    rules: PatchRules,
) -> tuple[list[Document], list[Diagnostic]]:
    """The ``documents`` of ``unit`` after all ``patches`` in order, and what is wrong with those that are left out.

    Each patch gets a path in the unit's origins, so that what it wrote leads back to it. A wrong path is an error at
    the step, a wrong value at the value.
    """
    run = _Run(unit, documents, schemas, rules)
    for number, patch in enumerate(patches):
        origin = f"patches[{number}]"
        unit.origins.record(origin, patch.span)
        run.apply(patch, origin)
    run.check_documents()
    return run.documents, list(run.found.values())


class _Run:
    """The documents on their way through the patches, and what is wrong."""

    def __init__(self, unit: Unit, documents: Sequence[Document], schemas: Schemas | None, rules: PatchRules) -> None:
        self.unit = unit
        self.documents = list(documents)
        self.schemas = schemas
        self.rules = rules
        self.plain = tuple(plain(document.data) for document in self.documents)
        self.first = self.plain
        self.applied: list[Applied] = []
        self.found: dict[tuple[str, int, int], Diagnostic] = {}
        self.complaints_before: dict[int, set[tuple[int, Steps, str]]] = {}
        """By the identity of the documents before a step that was applied, which the step keeps."""

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic, once for all documents and roles that lead to it."""
        span = diagnostic.span
        self.found.setdefault((diagnostic.rule.code, span.start, span.end), diagnostic)

    def apply(self, patch: resolved.Patch, origin: str) -> None:
        """Apply one patch everywhere, or nowhere when something is wrong with it."""
        places = self._places(patch)
        done = list(self.documents)
        wrong: list[Diagnostic] = []
        for where in places:
            node = self._node(patch, where)
            wrong += list(self._strangers(patch, where)) or list(self._against_schema(patch, node))
            value = None if patch.value is None else Located(_written(patch, patch.value, node), origin)
            document = apply_to(done[where.document], Patch(where.path, patch.op, value, origin))
            if not isinstance(document, Problem):
                done[where.document] = document
            elif not wrong:
                wrong.append(_fits_nothing(patch, document))
        after = tuple(
            known if new is old else plain(new.data)
            for known, old, new in zip(self.plain, self.documents, done, strict=True)
        )
        steps = [Applied(patch, where, self.plain, after) for where in places]
        wrong = wrong or [diagnostic for step in steps for diagnostic in self._forbidden(step)]
        for problem in wrong:
            self.report(problem)
        if places and not wrong:
            self.documents, self.plain = done, after
            self.applied += steps

    def _places(self, patch: resolved.Patch) -> list[Place]:
        if patch.pod is not None:
            return self._pod_places(patch, patch.pod)
        chosen = choose(self.documents, patch.path)
        if isinstance(chosen, Problem):
            self.report(_fits_nothing(patch, chosen))
            return []
        return [Place(number, patch.path, concrete(self.plain[number], patch.path)) for number in chosen]

    def _pod_places(self, patch: resolved.Patch, word: Span) -> list[Place]:
        templates = list(pod_templates([document.data for document in self.documents]))
        if not templates:
            diagnostic = NO_POD_TEMPLATE(word, target=self.unit.target)
            self.report(diagnostic.help(f"targets with pod templates are {enumeration(targets.with_pods())}"))
        return [
            Place(
                template.document,
                Path(patch.path.text, None, (*_steps(template.at), *patch.path.steps)),
                concrete(self.plain[template.document], patch.path, template.at),
            )
            for template in templates
            if patch.role in (None, template.role)
        ]

    def _node(self, patch: resolved.Patch, where: Place) -> Node | Problem | None:
        """What the schema of the document asks for at the place."""
        if self.schemas is None:
            return None
        return place(self.schemas, self._kind(where.document), where.path, unchecked=patch.unchecked)

    def _against_schema(self, patch: resolved.Patch, node: Node | Problem | None) -> Iterator[Diagnostic]:
        """What the schema says of ``patch``."""
        if isinstance(node, Problem):
            yield _fits_nothing(patch, node)
        elif node is not None and patch.value is not None and self.schemas is not None:
            appended = patch.op == "merge"
            for misfit in misfits(self.schemas, node, patch.value, appended=appended, unchecked=patch.unchecked):
                diagnostic = PATCH_VALUE(misfit.span, problem=misfit.message)
                near = misfit.suggestion
                if near is None:
                    yield diagnostic
                    continue
                text = f'"{near}"' if misfit.span.text.startswith('"') else near
                yield diagnostic.help(f"did you mean {near}?").replacing(f"write {near}", text)

    # --- what a patch may not do ---

    def _forbidden(self, step: Applied) -> Iterator[Diagnostic]:
        yield from self._new_members(step)
        number = step.place.document
        kind = self._kind(number)
        before, after = step.before[number], step.after[number]
        changed = step.place.at
        for rule in self._derived():
            starts = self._starts(rule.kind, kind, number)
            places = [at for start in starts for at in _differences(rule, before, after, start)]
            if places:
                nearest = max(places, key=lambda at: shared(at, changed))
                at = changed if changed[: len(nearest)] == nearest else nearest
                span = span_of(step.patch, changed, before, at, key=True)
                yield PATCH_DERIVED(span, what=rule.what).help(rule.instead)
                return

    def _derived(self) -> Iterable[Derived]:
        """The rules about derived fields that hold for this job."""
        job = self.unit.job
        found = job.cluster.discovery != "none" or any(role.server for role in job.roles)
        return [rule for rule in self.rules.derived if found or not rule.discovery]

    def _starts(self, wanted: str, kind: str, number: int) -> Iterable[Steps]:
        """Where a pattern for documents of the kind ``wanted`` begins in the document ``number``."""
        if wanted == POD:
            templates = pod_templates([document.data for document in self.documents])
            return [template.at for template in templates if template.document == number]
        whole = wanted == kind or (wanted == "*" and self.documents[number].file is None)
        return [()] if whole else []

    def _kind(self, number: int) -> str:
        return kind_of(self.documents[number].data, self.documents[number].file, self.schemas)

    def _new_members(self, step: Applied) -> Iterator[Diagnostic]:
        number = step.place.document
        before, after = step.before[number], step.after[number]
        for rule in self.rules.fixed:
            for at in matches(before, rule.path) if rule.kind == self._kind(number) else ():
                old, new = value_at(before, at), value_at(after, at)
                there = self._members(rule, at) if rule.like else list(old) if isinstance(old, dict) else []
                for name in new if isinstance(new, dict) else ():
                    if name in there:
                        continue
                    span = span_of(step.patch, step.place.at, before, (*at, name), key=True)
                    yield self._stranger(rule, span, name, there)

    def _strangers(self, patch: resolved.Patch, where: Place) -> Iterator[Diagnostic]:
        """A step of the path that names no member of a fixed set, whatever is written behind it."""
        steps = where.path.steps
        for rule in self.rules.fixed if patch.op != "remove" else ():
            size = len(rule.path)
            names = tuple(step.name if isinstance(step, Key) else "" for step in steps[: size + 1])
            if rule.kind != self._kind(where.document) or len(names) <= size or names[:size] != rule.path:
                continue
            old = value_at(self.plain[where.document], rule.path)
            there = self._members(rule, rule.path) if rule.like else list(old) if isinstance(old, dict) else []
            step = steps[size]
            if isinstance(step, Key) and step.name not in there:
                yield self._stranger(rule, problem_span(patch, Problem(step.offset, step.end, "")), step.name, there)

    def _stranger(self, rule: FixedSet, span: Span, name: str, there: Sequence[str]) -> Diagnostic:
        diagnostic = PATCH_NEW_MEMBER(span, what=rule.what, name=name, known=enumeration(there))
        near = closest(name, there)
        return diagnostic.help(f"did you mean {near}?" if near is not None else rule.instead)

    def _members(self, rule: FixedSet, at: Steps) -> list[str]:
        """The members of the map at ``at`` in the document that has all of them."""
        same = [value_at(data, at) for number, data in enumerate(self.plain) if self._kind(number) == rule.like]
        return [name for data in same if isinstance(data, dict) for name in data]

    # --- what the server would say of the result ---

    def check_documents(self) -> None:
        """Report what a server would refuse in the result and not in what the backend made."""
        if not self.applied:
            return
        known = {_identity(complaint) for complaint in self._complaints(self.first)}
        for complaint in self._complaints(self.plain):
            if _identity(complaint) not in known:
                self._complain(complaint)

    def _complain(self, complaint: Complaint) -> None:
        step = self._culprit(complaint)
        if complaint.fork and step.patch.unchecked:
            return
        before = step.before[step.place.document]
        span = span_of(step.patch, step.place.at, before, complaint.at, key=complaint.key)
        diagnostic = PATCHED_DOCUMENT(span, problem=complaint.message)
        self.report(diagnostic.help(complaint.help) if complaint.help else diagnostic)

    def _culprit(self, complaint: Complaint) -> Applied:
        """The last patch before which ``complaint`` was not there, at the place of it that is nearest."""
        guilty = next((step.patch for step in reversed(self.applied) if self._began(complaint, step)), None)
        steps = [step for step in self.applied if guilty in (None, step.patch)]
        return max(
            steps, key=lambda step: (step.place.document == complaint.document, shared(step.place.at, complaint.at))
        )

    def _began(self, complaint: Complaint, step: Applied) -> bool:
        before = self.complaints_before.get(id(step.before))
        if before is None:
            before = {_identity(each) for each in self._complaints(step.before)}
            self.complaints_before[id(step.before)] = before
        return _identity(complaint) not in before

    def _complaints(self, documents: Sequence[Plain | None]) -> Iterator[Complaint]:
        yield from self.rules.check(documents)
        yield from self._too_new(documents)

    def _too_new(self, documents: Sequence[Plain | None]) -> Iterator[Complaint]:
        """What only later versions of the target than the one that is compiled for have."""
        asked = versions.key(self.unit.shown_version)[:2]
        for rule in self.rules.since:
            if asked >= versions.key(rule.version):
                continue
            for number, data in enumerate(documents):
                for at in self._matching(rule, number, data):
                    value = value_at(data, at)
                    if value is not None and rule.covers(value):
                        message = f"{rule.what} came with {self.unit.target} {rule.version}"
                        advice = f'write version = "{rule.version}" in target {self.unit.target} if the cluster has it'
                        yield Complaint(number, at, message, advice, key=rule.value is None, fork=True)

    def _matching(self, rule: Since, number: int, data: Plain | None) -> Iterator[Steps]:
        for start in self._starts(rule.kind, self._kind(number), number):
            yield from matches(data, rule.path, start)


def _differences(rule: Derived, before: Plain | None, after: Plain | None, start: Steps) -> Iterator[Steps]:
    """Places of ``rule`` at which something else is than before, in members that were there before."""
    old, new = _values(rule, before, start), _values(rule, after, start)
    for member in {**old, **new}:
        here, now = old.get(member, {}), new.get(member, {})
        if value_at(before, member) is not None and list(here.values()) != list(now.values()):
            changed = [at for at, value in now.items() if value not in here.values()]
            yield (changed or list(here) or list(now))[0]


def _values(rule: Derived, data: Plain | None, start: Steps) -> dict[Steps, dict[Steps, Plain]]:
    """What ``rule`` is about, by member and by place."""
    found: dict[Steps, dict[Steps, Plain]] = {}
    for at in matches(data, rule.path, start):
        value = value_at(data, at)
        if value is not None:
            found.setdefault(owner(rule.path, at), {})[at] = value
    return found


def _identity(complaint: Complaint) -> tuple[int, Steps, str]:
    return complaint.document, complaint.at, complaint.message


def _steps(at: Steps) -> Iterator[Key | Index]:
    """Steps of a path that are written nowhere in the source."""
    for step in at:
        yield Key(step, 0, 0) if isinstance(step, str) else Index(step, 0, 0)


def _written(patch: resolved.Patch, value: values.Value, node: Node | Problem | None) -> located.Data:
    """The value of ``patch``; one item that is appended to a list that is not there yet makes it."""
    data = _data(value.data)
    is_list = isinstance(node, list) and node[0] == "l"
    return [data] if patch.op == "merge" and is_list and not isinstance(data, list) else data


def _data(data: values.Data) -> located.Data:
    if isinstance(data, values.ListData):
        return [_data(item.data) for item in data.items]
    if isinstance(data, values.MapData):
        return {key: _data(entry.value.data) for key, entry in data.entries.items()}
    if isinstance(data, Decimal):
        return int(data) if data == data.to_integral_value() else float(data)
    if isinstance(data, str | int | Quantity | Duration):
        return data
    return values.show(data) or ""


def _fits_nothing(patch: resolved.Patch, problem: Problem) -> Diagnostic:
    diagnostic = PATCH_FITS_NOTHING(problem_span(patch, problem), problem=problem.message)
    return diagnostic.help(f"did you mean {problem.suggestions[0]}?") if problem.suggestions else diagnostic
