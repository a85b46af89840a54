"""Diagnostics, names and outputs in the words of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.lsp.features.problems import problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lsp.features.layout import Token
    from tfdsl.lsp.features.previews import Output
    from tfdsl_playground.project import Project

MOST_DIAGNOSTICS: Final = 500
"""``LIMITS.diagnostics`` of the protocol."""
LARGEST_OUTPUTS: Final = 4_000_000
"""``LIMITS.outputs`` of the protocol."""
LANGUAGES: Final = {"text": "plaintext", "dockerfile": "plaintext"}


def diagnostics(found: Sequence[Diagnostic], project: Project) -> list[dict[str, object]]:
    """The first of the diagnostics; the errors among all of them before those that are left out."""
    kept = found
    if len(found) > MOST_DIAGNOSTICS:
        by_level = sorted(range(len(found)), key=lambda at: _ORDER[found[at].level])
        kept = [found[at] for at in sorted(by_level[:MOST_DIAGNOSTICS])]
    return [_diagnostic(one, project) for one in kept]


_ORDER = {"error": 0, "warning": 1, "info": 2}


def _diagnostic(found: Diagnostic, project: Project) -> dict[str, object]:
    shown = problem(found)
    return {
        "code": found.rule.code,
        "slug": found.rule.slug,
        "level": found.level,
        "message": found.message,
        "helps": list(found.helps),
        "place": project.place(found.span),
        "labels": [{"place": project.place(label.span), "message": label.message} for label in found.labels],
        "target": found.target,
        "unnecessary": shown.unnecessary,
        "quiet": shown.quiet,
        "fixable": bool(found.fixes),
    }


def tokens(found: Iterable[Token], project: Project) -> list[dict[str, object]]:
    """The names of one text."""
    return [
        {
            "from": units.of(token.span.start),
            "to": units.of(token.span.end),
            "type": token.type,
        }
        for token in found
        for units in (project.units(token.span.source),)
    ]


def outputs(found: Sequence[Output]) -> tuple[list[dict[str, object]], str | None]:
    """The outputs that are sent, and a line about those that are not."""
    sent: list[dict[str, object]] = []
    left = LARGEST_OUTPUTS
    for output in found:
        left -= len(output.text)
        if left < 0:
            break
        sent.append(_output(output))
    if len(sent) == len(found):
        return sent, None
    size = sum(len(output.text) for output in found) / 1_000_000
    return sent, f"{len(sent):,} of {len(found):,} files are shown: all of them have {size:.1f} million characters"


def _output(output: Output) -> dict[str, object]:
    return {
        "job": output.job,
        "name": output.name,
        "language": LANGUAGES.get(output.language, output.language),
        "executable": output.executable,
        "text": output.text,
    }
