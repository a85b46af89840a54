"""Which lines of the output a line of a text made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tfdsl.api.asking import target_of
from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.errors import UsageError
from tfdsl.api.failing import compile_error
from tfdsl.api.loaded import Call, asked_of, outcome
from tfdsl.api.values import Value
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.front_end import Input, ReadyJob
from tfdsl.compiling.masking import hide
from tfdsl.compiling.pipeline import Choice, Outcome
from tfdsl.tracing import files
from tfdsl.tracing.forward import Forward, Question, line_span
from tfdsl.tracing.trace import line_count

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class MadeLine:
    """A line of the output. ``file``: the file that ``tfdsl compile -o FOLDER`` writes it to.

    ``how``: ``made`` by the line that was asked about, ``through`` the line ``by`` (path and line) that uses what is
    written there, or ``decided``: without it the line would be different.
    """

    file: str
    line: int
    text: str
    how: Literal["made", "through", "decided"]
    by: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """What a line made. ``reason``: why it made nothing, as the rest of a sentence about the line."""

    lines: tuple[MadeLine, ...]
    reason: str | None = None


def where(
    source: Source,
    line: int,
    target: str,
    *,
    file: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
    name: str | None = None,
) -> Where:
    """The lines of the output for ``target`` that a line of a text made; ``tfdsl where`` asks the same.

    ``line``: counted from 1, of the source, or of ``file``, which it includes. The other arguments are those of
    :func:`compile`.

    Raises:
        CompileError: The job has errors, or the target refuses something.
        UsageError: There is no such target, version or line.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    choice = target_of(target)
    loaded = loaded_of(source, None, None, profile, params, params_file)
    call = Call(choice, options or {}, job, name)
    done = outcome(loaded, call)
    if pipeline.has_errors(done.diagnostics):
        raise compile_error(f"cannot compile {loaded.path} for {target}", done.diagnostics)
    given = loaded.given
    main = given.source if isinstance(given, ReadyJob) else given.files[0].source
    text = main if file is None else files.in_program(file, given)
    if text is None or not 0 < line <= line_count(text):
        raise UsageError(f"{loaded.path} has no line {line}" if file is None else f"{file} has no line {line} in it")
    asked = asked_of(loaded, call)

    def compiled(other: Input, choice: Choice) -> Outcome:
        return front_end.compiled(other, asked.request, [choice])

    question = Question(given, line_span(text, line), asked.request)
    answer = Forward(question, files.Destination().files, compiled).answer(choice, done)
    lines = tuple(
        MadeLine(
            one.place.path,
            one.place.line,
            hide(one.place.text or "", asked.hidden),
            group.how,
            (group.by.path, group.by.line) if group.by is not None else None,
        )
        for group in answer.lines
        for one in group.lines
    )
    return Where(lines, answer.reason)
