"""Why a line of a source made nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.tracing.places import place_of
from tfdsl.tracing.statements import Statement, spoken, statements

if TYPE_CHECKING:
    from tfdsl.backend import Backend
    from tfdsl.compiling.pipeline import Outcome
    from tfdsl.semantics.project import Program
    from tfdsl.tracing.forward import Forward


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
    around = [one for one in statements(file) if one.span.start < span.end <= one.span.end] if file else []
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
        if isinstance(node, ast.Job) and outcome.made:
            names = [one.unit.origins.job for one in outcome.made]
            if node.name.span not in names:
                return f"job {node.name.text} is not compiled here"
    for node in nodes:
        condition = getattr(node, "condition", None)
        if isinstance(condition, ast.Condition) and outcome.conditions.get(condition.span) is False:
            return f"its condition is false: {condition.span.text}"
    return None


def _unused(forward: Forward, statement: Statement, program: Program) -> str | None:
    """That nothing uses what is declared, or that its value is from elsewhere."""
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
        one.message
        for one in diagnostics
        if one.target == target
        and one.span.source is span.source
        and one.span.start < span.end
        and span.start < one.span.end
    ]


def _hidden_by(forward: Forward, outcome: Outcome) -> str:
    """Where the roles have what the line says for all of them, if every role does."""
    node = forward.statements[0].node
    if not isinstance(node, ast.Assign):
        return ""
    found: dict[str, None] = {}
    for made in outcome.made:
        for role in made.unit.job.roles:
            written = made.unit.origins.written(f"roles[{role.name}].{node.key.text}")
            if written is None or written == node.value.span:
                return ""
            place = place_of(written)
            found[f"{place.path}:{place.line}"] = None
    return ", ".join(found)
