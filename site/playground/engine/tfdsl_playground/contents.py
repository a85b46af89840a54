"""What a text declares: for the choosers of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.lsp.shown import shown
from tfdsl.semantics.derived import derive
from tfdsl.syntax import ast

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lsp.snapshot import Snapshot
    from tfdsl_playground.project import Project

MOST_JOBS: Final = 1000


def contents(snapshot: Snapshot, project: Project) -> dict[str, object]:
    """``Contents`` of the protocol."""
    program = snapshot.program
    if not program.readable:
        return {"params": [], "profiles": [], "jobs": [], "jobCount": 0, "targets": []}
    made = [one for one in derive(program, snapshot.params, _unheard) if one.known and not one.absent]
    return {
        "params": [_param(node, snapshot, project) for node in program.params.values()],
        "profiles": list(program.profiles),
        "jobs": [
            {"name": snapshot.masked(one.name), "place": project.place(one.node.name.span)} for one in made[:MOST_JOBS]
        ],
        "jobCount": len(made),
        "targets": list(dict.fromkeys(_blocks(snapshot))),
    }


def _param(node: ast.Param, snapshot: Snapshot, project: Project) -> dict[str, object]:
    settings = {setting.key.text: setting.value for setting in node.settings}

    def written(name: str) -> str | None:
        return settings[name].span.text if name in settings else None

    value = snapshot.params.lookup(node.name.text)
    text = shown(value.data) if value is not None else None
    choices = settings.get("one_of")
    return {
        "name": node.name.text,
        "type": node.type.span.text,
        "description": _plain(settings.get("description")),
        "default": node.default.span.text if node.default is not None else None,
        "value": snapshot.masked(text) if text is not None else None,
        "choices": [item.span.text for item in choices.items] if isinstance(choices, ast.ListExpr) else [],
        "min": written("min"),
        "max": written("max"),
        "place": project.place(node.name.span),
    }


def _plain(node: ast.Expr | None) -> str:
    """The text of a string without expressions in it."""
    if not isinstance(node, ast.Str):
        return ""
    return "".join(part for part in node.parts if isinstance(part, str))


def _blocks(snapshot: Snapshot) -> list[str]:
    return [item.name.text for job in snapshot.program.jobs for item in job.items if isinstance(item, ast.Target)]


def _unheard(diagnostic: Diagnostic) -> None:
    """The check has reported it."""
