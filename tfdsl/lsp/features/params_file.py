"""A file of values for params, as ``--params`` takes it, in an editor.

Nothing in it says for which job it is: it counts for the file of its folder, else of the nearest folder above, that has
most of its params.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

from tfdsl.diagnostics import Diagnostic
from tfdsl.lsp.features.completion import complete as complete_job
from tfdsl.lsp.features.completion_values import Completions
from tfdsl.lsp.features.hover import Hover, hover as hover_job
from tfdsl.lsp.features.problems import Problem, problem
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.record import replace
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program
from tfdsl.syntax.parser import parse_values
from tfdsl.text import Source, Span

Answer = TypeVar("Answer", Completions, Hover)


def problems(source: Source, programs: Iterable[Program]) -> dict[str, list[Problem]]:
    """What is wrong in the file, by its path."""
    program = _program(source, programs)
    found: list[Diagnostic] = []
    if program is None:
        found += parse_values(source)[1]
    else:
        Params(program, None, (), found.append, [source])
    return {source.path: [problem(one) for one in found if one.span.source is source]}


def complete(source: Source, programs: Iterable[Program], offset: int) -> Completions | None:
    """The params that are not set yet, and their values."""
    return _as_profile(source, programs, offset, complete_job)


def hover(source: Source, programs: Iterable[Program], offset: int) -> Hover | None:
    """What a param means."""
    return _as_profile(source, programs, offset, hover_job)


def _as_profile(
    source: Source, programs: Iterable[Program], offset: int, ask: Callable[[Snapshot, int], Answer | None]
) -> Answer | None:
    """The answer for the text as a profile of its job, which is written in the same way."""
    program = _program(source, programs)
    if program is None:
        return None
    main = program.files[0].source
    before = f"{main.text}\nprofile {_NAME} {{\n"
    whole = Source(main.path, f"{before}{source.text}\n}}\n", main.origin)
    answer = ask(Snapshot(whole, lambda path, _: program.read(path)), len(before) + offset)
    if answer is None:
        return None
    start, end = (place - len(before) for place in (answer.span.start, answer.span.end))
    return replace(answer, span=Span(source, start, end))


_NAME = "_values"


def _program(source: Source, programs: Iterable[Program]) -> Program | None:
    """The program that the file is for, if there is one."""
    named = {entry.key.text for entry in parse_values(source)[0]}
    folder = os.path.dirname(source.path)

    def fits(program: Program) -> tuple[int, int]:
        home = os.path.dirname(program.files[0].source.path)
        inside = folder == home or folder.startswith(home.rstrip("/") + "/")
        return (len(home) if inside else -1, len(named & set(program.params)))

    best = max((program for program in programs if program.jobs and program.params), key=fits, default=None)
    return best if best is not None and fits(best)[0] >= 0 else None
