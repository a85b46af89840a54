"""What is wrong with a text and with the files that it includes."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Literal, TypeAlias

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.diagnostics.fixes import fixed, offered
from tfdsl.lsp.documents import uri_of
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.record import Record
from tfdsl.syntax import ast, parse
from tfdsl.text import Source, Span

MOST = 500
"""At most so many messages of one file are sent; nobody reads more."""
_PAGES = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "diagnostics", "pages"
)
_UNNECESSARY = ("unused-", "dead-policy")


class Problem(Record):
    """A diagnostic for an editor. ``text``: with its advice; ``page``: the URI of what explains it, if there is one.

    ``unnecessary``: what it marks has no effect and can be shown faded. ``quiet``: it is a note, which hover shows.
    """

    diagnostic: Diagnostic
    text: str
    page: str | None
    unnecessary: bool
    quiet: bool


def problems(snapshot: Snapshot) -> dict[str, list[Problem]]:
    """The problems by the path of their file, those of the project's settings too; the text itself is always there."""
    return _by_file(snapshot, snapshot.diagnostics)


def early_problems(snapshot: Snapshot, offset: int) -> tuple[tuple[int, int], dict[str, list[Problem]]]:
    """As :meth:`Snapshot.early`: the lines of some jobs, and the problems that are known before all are checked."""
    lines, diagnostics = snapshot.early(offset)
    return lines, _by_file(snapshot, diagnostics)


def _by_file(snapshot: Snapshot, diagnostics: Iterable[Diagnostic]) -> dict[str, list[Problem]]:
    found: dict[str, list[Problem]] = {snapshot.source.path: []}
    for diagnostic in diagnostics:
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
    quiet = diagnostic.level == "info"
    return Problem(diagnostic, "\n".join(lines), _page(slug), slug.startswith(_UNNECESSARY), quiet)


@cache
def _page(slug: str) -> str | None:
    path = os.path.join(_PAGES, f"{slug}.md")
    return uri_of(path) if os.path.isfile(path) else None


Kind: TypeAlias = Literal["quickfix", "source.fixAll.tfdsl"]
KINDS: tuple[Kind, ...] = ("quickfix", "source.fixAll.tfdsl")


class Action(Record):
    """One change. ``diagnostic``: what it is about; ``preferred``: it is safe to take without looking."""

    title: str
    kind: Kind
    edits: tuple[Edit, ...]
    diagnostic: Diagnostic | None = None
    preferred: bool = False


def code_actions(snapshot: Snapshot, start: int, end: int, *, whole: bool = False) -> list[Action]:
    """The actions for the problems that touch the characters from ``start`` to ``end``.

    With a problem there, or when asked for the ``whole`` text, also the one that fixes all.
    """
    here = [diagnostic for diagnostic in snapshot.diagnostics if _touches(diagnostic.span, snapshot, start, end)]
    actions: list[Action] = []
    for one in offered(snapshot.diagnostics, here, snapshot.diagnostics_with):
        actions += [Action(_sentence(fix.title), "quickfix", fix.edits, one, fix.safe) for fix in one.fixes]
    for one in here:
        actions += _allow(snapshot, one)
    return [*actions, *(_fix_all(snapshot) if here or whole else ())]


def _touches(span: Span, snapshot: Snapshot, start: int, end: int) -> bool:
    return span.source.path == snapshot.source.path and span.start <= end and start <= span.end


def _sentence(title: str) -> str:
    return title[:1].upper() + title[1:]


def _allow(snapshot: Snapshot, diagnostic: Diagnostic) -> Iterator[Action]:
    """A waiver on the line above; there is none for an error, or inside a text block."""
    if diagnostic.level == "error":
        return
    source = snapshot.source
    line = source.position(diagnostic.span.start)[0]
    start = source.line_starts[line - 1]
    text = source.line(line)
    indent = text[: len(text) - len(text.lstrip())]
    waiver = f"{indent}# tfdsl: allow[{diagnostic.rule.slug}] \n"
    if _inside_token(snapshot, start) or not _fits(source, start, waiver):
        return
    edit = Edit(Span(source, start, start), waiver)
    yield Action(f"Allow {diagnostic.rule.slug} here", "quickfix", (edit,), diagnostic)


def _inside_token(snapshot: Snapshot, offset: int) -> bool:
    from tfdsl.syntax import lexer

    lexed = snapshot.lexed
    return any(
        start < offset < end
        for type_, start, end in zip(lexed.types, lexed.starts, lexed.ends, strict=True)
        if type_ != lexer.NEWLINE
    )


def _fits(source: Source, offset: int, text: str) -> bool:
    """Whether a comment line at ``offset`` breaks nothing."""
    changed = Source("", source.text[:offset] + text + source.text[offset:])
    return len(parse(changed).diagnostics) <= len(parse(source).diagnostics)


def _fix_all(snapshot: Snapshot) -> Iterator[Action]:
    """The safe fixes of the whole text in one."""
    source = snapshot.source
    text = fixed(snapshot.diagnostics, [source], snapshot.diagnostics_with).get(source.path)
    if text is not None and text != source.text:
        whole = Edit(Span(source, 0, len(source.text)), text)
        yield Action("Apply all safe fixes", "source.fixAll.tfdsl", (whole,))


class Lens(Record):
    """Above the job's name: a ``command`` of the client about ``job``, or ``None``: compile it.

    ``target``: the one that it is for; ``None``: one that the user chooses, or all.
    """

    span: Span
    title: str
    command: str | None
    target: str | None
    job: str


def code_lens(snapshot: Snapshot, commands: Collection[str] = ()) -> list[Lens]:
    """Compile, for each target that a job has a block for, else that it is checked for; else for one that is picked.

    ``commands``: those of the client, which have lenses too; ``tfdsl.run`` is called ``run``.
    """
    if not snapshot.settings.code_lens:
        return []
    lenses: list[Lens] = []
    for job in snapshot.program.jobs:
        blocks = [targets.find(item.name.text) for item in job.items if isinstance(item, ast.Target)]
        written = [target.name for target in blocks if target is not None]
        names = dict.fromkeys(written or (choice.backend.name for choice in snapshot.choices))
        span, name = job.name.span, job.name.text
        lenses += [Lens(span, f"compile to {target or '…'}", None, target, name) for target in names or (None,)]
        lenses += [Lens(span, command.rpartition(".")[2], command, None, name) for command in commands]
    return lenses
