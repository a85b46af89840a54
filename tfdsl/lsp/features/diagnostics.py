"""What is wrong with a text and with the files that it includes."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from tfdsl.lsp.uris import uri_of
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lsp.snapshot import Snapshot

MOST = 500
"""At most so many messages of one file are sent; nobody reads more."""
_PAGES = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "diagnostics", "pages"
)
_UNNECESSARY = ("unused-", "dead-policy")


class Problem(Record):
    """A diagnostic for an editor. ``text``: with its advice; ``page``: the URI of what explains it, if there is one.

    ``unnecessary``: what it marks has no effect and can be shown faded. ``quiet``: it reports what a target does
    on its own, which is true of nearly every job and needs no action.
    """

    diagnostic: Diagnostic
    text: str
    page: str | None
    unnecessary: bool
    quiet: bool


def problems(snapshot: Snapshot) -> dict[str, list[Problem]]:
    """The problems by the path of their file, those of the project's settings too; the text itself is always there."""
    found: dict[str, list[Problem]] = {snapshot.source.path: []}
    for diagnostic in snapshot.diagnostics:
        of_file = found.setdefault(diagnostic.span.source.path, [])
        if len(of_file) < MOST:
            of_file.append(problem(diagnostic))
    for one in snapshot.project.problems:
        found.setdefault(one.span.source.path, []).append(problem(one))
    return found


def problem(diagnostic: Diagnostic) -> Problem:
    """A diagnostic as an editor shows it."""
    lines = [diagnostic.message, *(f"help: {text}" for text in diagnostic.helps)]
    slug = diagnostic.rule.slug
    quiet = diagnostic.level == "info" and not diagnostic.rule.code.startswith("TFJ")
    return Problem(diagnostic, "\n".join(lines), _page(slug), slug.startswith(_UNNECESSARY), quiet)


@cache
def _page(slug: str) -> str | None:
    path = os.path.join(_PAGES, f"{slug}.md")
    return uri_of(path) if os.path.isfile(path) else None
