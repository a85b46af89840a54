"""From a line of a source to the lines of the output that it made, for each target, or why it made nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl import targets
from tfdsl.backend import Backend
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.front_end import Input, Ready
from tfdsl.compiling.pipeline import Outcome, Output
from tfdsl.diagnostics import Diagnostic
from tfdsl.record import Record
from tfdsl.semantics.project import Program
from tfdsl.semantics.request import Choice, Request
from tfdsl.syntax import ast
from tfdsl.text import Source, Span
from tfdsl.tracing.statements import Name, Statement, Uses, children, spoken, statements, without
from tfdsl.tracing.trace import OutputLine, Place, Trace, place_of, unmatched

if TYPE_CHECKING:
    from tfdsl.compiling.output_files import OutputFile


Files: TypeAlias = "Callable[[Sequence[Output]], Iterable[OutputFile]]"
"""The files that jobs become, by the names that they are to be shown under."""

How: TypeAlias = Literal["made", "through", "decided"]


class Lines(Record):
    """Lines of the output that belong together.

    ``how``: ``made`` by the line that was asked about, ``through`` the line ``by`` that uses what is written there, or
    ``decided``: they would not be there, or would be others, without it.
    """

    how: How
    lines: tuple[OutputLine, ...]
    by: Place | None = None


class Answer(Record):
    """What a line made for one target. ``reason``: why it made nothing."""

    target: str
    version: str
    lines: tuple[Lines, ...]
    reason: str | None = None


class Without(Record):
    """What was learnt from leaving a line out: it does not compile, or ``gone`` lines are there only without it."""

    refused: bool = False
    gone: int = 0


class Question(Record):
    """A place in a source: ``span``, a line or what is written at a column of it."""

    given: Input
    span: Span
    request: Request

    @property
    def program(self) -> Program | None:
        """The program that the source belongs to; a job that is data has none."""
        return None if isinstance(self.given, Ready) else self.given


def line_span(source: Source, line: int) -> Span:
    """What is written on a line, without the blanks around it."""
    text = source.line(line)
    start = source.line_starts[line - 1]
    stripped = text.strip()
    start += len(text) - len(text.lstrip()) if stripped else 0
    return Span(source, start, start + len(stripped))


def on_line(program: Program | None, span: Span) -> list[Statement]:
    """The statements that are written at ``span``; of one that is in another only the inner one."""
    file = next((one for one in program.files if one.source is span.source), None) if program is not None else None
    if file is None or span.start == span.end:
        return []
    found = [
        statement
        for statement in statements(file)
        if statement.head.start < span.end and span.start < statement.head.end
    ]
    return [
        statement
        for statement in found
        if statement.head.start >= span.start or not any(_within(other, statement) for other in found)
    ]


def _within(inner: Statement, outer: Statement) -> bool:
    return inner is not outer and outer.node in inner.above


def narrowed(program: Program | None, span: Span, offset: int) -> Span:
    """Of a line the statement at ``offset``, as far as it is on the line."""
    here = [
        statement.head for statement in on_line(program, span) if statement.head.start <= offset <= statement.head.end
    ]
    if not here:
        return span
    inner = max(here, key=lambda head: head.start)
    return Span(span.source, max(inner.start, span.start), min(inner.end, span.end))


def choices_for(given: Input) -> tuple[Choice, ...]:
    """The targets that are asked about when none is named: those with a block, else all built-in ones."""
    blocks = front_end.target_blocks(given)
    known = {target.name: target for block in blocks if (target := targets.find(block.name.text)) is not None}
    return tuple(Choice(target) for target in known.values() or targets.known())


class Forward:
    """Answers about one question. ``compile_`` gives the outcome for one target, ``None`` if that takes too long."""

    def __init__(self, question: Question, files: Files, compile_: Callable[[Input, Choice], Outcome | None]) -> None:
        self.question = question
        self.statements = on_line(question.program, question.span)
        self.without = Without()
        self._files = files
        self._compile = compile_
        program, request = question.program, question.request
        self.uses = Uses(program, request.profile, outside(request)) if program is not None else None

    def answer(self, choice: Choice, outcome: Outcome) -> Answer:
        """What the line made in ``outcome``, which has no errors."""
        self.without = Without()
        trace = Trace(self._files(outcome.outputs))
        groups = _each_once(self._groups(trace))
        if not groups:
            groups = self._decided(choice, trace)
        version = outcome.outputs[0].unit.shown_version if outcome.outputs else choice.backend.default_version
        why = None if groups else reason(self, choice.backend, outcome)
        return Answer(choice.backend.name, version, tuple(groups), why)

    # --- what is in the map of the output ---

    def _groups(self, trace: Trace) -> Iterator[Lines]:
        made = trace.made_by(self.question.span)
        if self.question.span.start < self.question.span.end:
            yield Lines("made", tuple(made))
        for statement in self.statements:
            yield from self._within(statement, trace)
            for name in self._names(statement):
                yield from self._through(name, trace)

    def _names(self, statement: Statement) -> Iterator[Name]:
        """The names that get their value here; another profile or the command line may give it to them instead."""
        uses, program = self.uses, self.question.program
        if uses is None or program is None:
            return
        here = (statement.node, *children(statement.node))
        for name in names_of(statement):
            is_param = name[0] == "value" and name[1] in program.params
            if not is_param or uses.value_of(name[1]) in here:
                yield name

    def _within(self, statement: Statement, trace: Trace) -> Iterator[Lines]:
        """The lines of what a block or a file holds that the statement is the head of, or brings in."""
        node = statement.node
        if isinstance(node, ast.Target | ast.Cluster | ast.Build | ast.Template | ast.Step):
            yield Lines("made", tuple(trace.inside(statement.span)))
        elif isinstance(node, ast.Use):
            roles = [one.name.text for one in statement.above if isinstance(one, ast.Role)]
            for template in self._templates(node.name.text):
                yield Lines("through", tuple(trace.inside(template.span, roles or None)), place_of(template.name.span))
        elif isinstance(node, ast.Include):
            for source in self._included(statement):
                yield Lines("made", tuple(trace.inside(Span(source, 0, len(source.text)))))

    def _through(self, name: Name, trace: Trace) -> Iterator[Lines]:
        """The lines of what uses ``name``, directly or through names that are given values with it."""
        by_place: dict[Place, list[OutputLine]] = {}
        seen = {name}
        todo = [name]
        while todo and self.uses is not None:
            for use in self.uses.of(todo.pop(0)):
                lines = trace.inside(use.span) if use.is_whole else trace.made_by(use.span, whole=False)
                if lines or use.owner is None:
                    by_place.setdefault(place_of(use.span), []).extend(lines)
                elif use.owner not in seen:
                    seen.add(use.owner)
                    todo.append(use.owner)
        for place, lines in by_place.items():
            yield Lines("through", tuple(lines), place)

    def _templates(self, name: str) -> list[ast.Template]:
        """The template of this name and those that it uses."""
        program = self.question.program
        templates: dict[str, ast.Template] = {}
        todo = [name]
        while program is not None and todo:
            one = todo.pop()
            if one in program.templates and one not in templates:
                templates[one] = program.templates[one]
                todo += [item.name.text for item in templates[one].items if isinstance(item, ast.Use)]
        return list(templates.values())

    def _included(self, statement: Statement) -> list[Source]:
        """The texts that an ``include`` brings in, those that they include too."""
        program = self.question.program
        node = statement.node
        if program is None or not isinstance(node, ast.Include):
            return []
        sources: list[Source] = []
        todo = [(statement.span.source, node)]
        while todo:
            origin, include = todo.pop()
            file = next((one for one in program.files if _is_included(origin, include, one.source)), None)
            if file is not None and file.source not in sources:
                sources.append(file.source)
                todo += [
                    (file.source, declaration)
                    for declaration in file.declarations
                    if isinstance(declaration, ast.Include)
                ]
        return sources

    # --- what would be different without it ---

    def _decided(self, choice: Choice, trace: Trace) -> list[Lines]:
        program = self.question.program
        if program is None:
            return []
        for statement in self.statements:
            if isinstance(statement.node, ast.Job | ast.Template | ast.Profile | ast.Include | ast.Param | ast.Let):
                continue
            other = without(program, statement)
            outcome = self._compile(other, choice) if other is not None else None
            if outcome is None or pipeline.has_errors(outcome.diagnostics):
                self.without = Without(refused=True)
                continue
            decided, more = differing(trace.lines, Trace(self._files(outcome.outputs)).lines)
            if decided:
                return [Lines("decided", tuple(decided))]
            self.without = Without(gone=more) if more else self.without
        return []


def differing(now: Sequence[OutputLine], before: Sequence[OutputLine]) -> tuple[list[OutputLine], int]:
    """The lines of ``now`` that are not in ``before``, and how many of ``before`` are not in ``now``."""
    numbers, gone = unmatched([_key(output_line) for output_line in before], [_key(output_line) for output_line in now])
    return [now[number] for number in numbers], gone


def _key(line: OutputLine) -> tuple[str, str | None]:
    return line.place.path, line.place.text


def names_of(statement: Statement) -> Iterator[Name]:
    """The names that a statement gives a value to."""
    node = statement.node
    above = statement.above[-1] if statement.above else None
    if isinstance(node, ast.Let | ast.Param):
        yield "value", node.name.text
    elif isinstance(node, ast.Profile):
        yield from (("value", setting.key.text) for setting in node.settings)
    elif isinstance(node, ast.Matrix):
        yield from (("matrix", axis.key.text) for axis in node.axes)
    elif isinstance(node, ast.Job):
        yield "job", "name"
    elif isinstance(node, ast.Assign):
        if isinstance(above, ast.Profile):
            yield "value", node.key.text
        elif isinstance(above, ast.Matrix):
            yield "matrix", node.key.text
        elif isinstance(above, ast.Role) and node.key.text == "replicas":
            yield "replicas", above.name.text


def outside(request: Request) -> set[str]:
    """The params that get their values from outside of the program."""
    from tfdsl.syntax.parser import parse_values

    names = {param.name for param in request.params}
    for source in request.values:
        entries, _ = parse_values(source)
        names.update(entry.key.text for entry in entries)
    return names


def _each_once(groups: Iterable[Lines]) -> list[Lines]:
    """``groups`` without those that are empty, and without lines that an earlier one has."""
    seen: set[tuple[str, int]] = set()
    found: list[Lines] = []
    for group in groups:
        new = [line for line in group.lines if (line.place.path, line.place.line) not in seen]
        seen.update((output_line.place.path, output_line.place.line) for output_line in new)
        if new:
            found.append(Lines(group.how, tuple(new), group.by))
    return found


def _is_included(source: Source, include: ast.Include, other: Source) -> bool:
    import posixpath

    text = "".join(part for part in include.path.parts if isinstance(part, str))
    folder = posixpath.dirname(source.origin or "")
    return other.origin is not None and posixpath.normpath(other.origin) == posixpath.normpath(
        posixpath.join(folder, text)
    )


def reason(forward: Forward, backend: Backend, outcome: Outcome) -> str:
    """Why the line of ``forward`` made nothing for ``backend``, as the rest of a sentence about it."""
    span, program = forward.question.span, forward.question.program
    if program is None or all(file.source is not span.source for file in program.files):
        return "nothing of the output comes from it"
    if not forward.statements:
        return _no_statement(program, span)
    statement = forward.statements[0]
    return (
        _elsewhere(statement, backend, outcome)
        or _unused(forward, statement, program)
        or _of_target(forward, backend, outcome)
    )


def _no_statement(program: Program, span: Span) -> str:
    text = span.text
    if not text:
        return "it is blank"
    if text.startswith("#"):
        return "it is a comment"
    file = next((one for one in program.files if one.source is span.source), None)
    around = (
        [statement for statement in statements(file) if statement.span.start < span.end <= statement.span.end]
        if file
        else []
    )
    if around:
        outer = around[-1]
        return f"it ends {spoken(outer.node)} (line {place_of(outer.span).line})"
    return "there is no statement on it"


def _elsewhere(statement: Statement, backend: Backend, outcome: Outcome) -> str | None:
    """That the statement is for another target or another job than was made."""
    nodes = (*statement.above, statement.node)
    for node in nodes:
        if isinstance(node, ast.Target) and targets.find(node.name.text) is not backend:
            return f"it is in the block of another target, {node.name.text}"
        jobs = [job.unit.origins.job for job in outcome.jobs]
        if isinstance(node, ast.Job) and jobs and node.name.span not in jobs:
            return f"job {node.name.text} is not compiled here"
    for node in nodes:
        condition = getattr(node, "condition", None)
        if isinstance(condition, ast.Condition) and outcome.conditions.get(condition.span) is False:
            return f"its condition is false: {condition.span.text}"
    return None


def _unused(forward: Forward, statement: Statement, program: Program) -> str | None:
    """The reason that nothing uses what is declared, or that its value is from elsewhere."""
    node, uses = statement.node, forward.uses
    above = statement.above[-1] if statement.above else None
    if uses is None:
        return None
    if isinstance(node, ast.Edition):
        return "it says how the file is read"
    profile = node if isinstance(node, ast.Profile) else above if isinstance(above, ast.Profile) else None
    if profile is not None and profile.name.text != forward.question.request.profile:
        return f"profile {profile.name.text} is not chosen (--profile {profile.name.text})"
    names = [node.name.text] if isinstance(node, ast.Let | ast.Param) else []
    if isinstance(node, ast.Assign) and isinstance(above, ast.Profile):
        names = [node.key.text]
    for name in names:
        if not uses.is_used(("value", name)):
            return f"nothing uses {name}"
        if name in program.params and uses.value_of(name) is not node:
            given = uses.value_of(name)
            if given is None:
                return f"the value of {name} is given from outside the file"
            place = place_of(given.span)
            return f"the value of {name} is from {place.path}:{place.line}"
        return f"what uses {name} makes no line"
    template = next((one for one in (*statement.above, node) if isinstance(one, ast.Template)), None)
    if template is not None:
        from tfdsl.semantics.project import used_templates

        if template.name.text not in used_templates(program.jobs, program.templates):
            return f"no job uses template {template.name.text}"
    return None


def _of_target(forward: Forward, backend: Backend, outcome: Outcome) -> str:
    """What is left: the target does the same by itself, or has nothing of the kind."""
    said = problems_at(outcome.diagnostics, forward.question.span, backend.name)
    if said:
        return said[0]
    gone = forward.without.gone
    if gone:
        return f"it only takes away: without it there {'is 1 more line' if gone == 1 else f'are {gone} more lines'}"
    if forward.without.refused:
        return f"no line comes from it alone, but the job does not compile for {backend.name} without it"
    hidden = _hidden_by(forward, outcome)
    if hidden:
        return f"it is replaced in {hidden}"
    return f"the output for {backend.name} is the same without it"


def problems_at(diagnostics: Iterable[Diagnostic], span: Span, target: str) -> list[str]:
    """What ``target`` says about a place."""
    return [
        diagnostic.message
        for diagnostic in diagnostics
        if diagnostic.target == target
        and diagnostic.span.source is span.source
        and diagnostic.span.start < span.end
        and span.start < diagnostic.span.end
    ]


def _hidden_by(forward: Forward, outcome: Outcome) -> str:
    """Where the roles have what the line says for all of them, if every role does."""
    node = forward.statements[0].node
    if not isinstance(node, ast.Assign):
        return ""
    found: dict[str, None] = {}
    for made in outcome.jobs:
        for role in made.unit.job.roles:
            written = made.unit.origins.written(f"roles[{role.name}].{node.key.text}")
            if written is None or written == node.value.span:
                return ""
            place = place_of(written)
            found[f"{place.path}:{place.line}"] = None
    return ", ".join(found)
