"""``tfdsl where``: which lines of the output a line made, and which line of the source made a line of the output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NoReturn

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import TEXT_OR_JSON, Arguments, Command, Flag, Positional
from tfdsl.cli.report import ERRORS, OK, document, end, lines_for_people, refuse, report
from tfdsl.cli.streams import out
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.front_end import Input, Ready
from tfdsl.compiling.masking import Hidden, hidden_texts, hide
from tfdsl.compiling.pipeline import Outcome
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import (
    BAD_ARGUMENT,
    BAD_MAP,
    NO_MAP,
    NO_SUCH_LINE,
    NOT_OF_SOURCE,
    NOT_SHOWN,
    STALE,
    UNREADABLE_FILE,
)
from tfdsl.emit.header import Stated, said_by
from tfdsl.record import replace
from tfdsl.semantics.request import Choice
from tfdsl.settings.finding import is_settings_file
from tfdsl.source_files import Outside, is_below, read, root_of
from tfdsl.text import Argument, Source, Span
from tfdsl.tracing import back, files, trace
from tfdsl.tracing.back import Origin
from tfdsl.tracing.forward import Answer, Forward, Question, choices_for, line_span, narrowed, outside
from tfdsl.tracing.statements import Uses
from tfdsl.tracing.trace import Asked, Place

OUTPUT = Flag("--output", "the folder or file that the output is in, as for tfdsl compile", short="-o", value="PATH")
SOURCE = Flag("--source", "compile this file: FILE is its output, or is included by it", value="FILE")

COMMAND = Command(
    "where",
    (Positional("FILE:LINE", "a line of a .tfjob file, or of an output"),),
    (
        chosen.TARGET,
        SOURCE,
        OUTPUT,
        *chosen.OF_JOBS,
        chosen.ALLOW_READ,
        TEXT_OR_JSON,
    ),
    (
        "tfdsl where mnist.tfjob:9",
        "tfdsl where mnist.tfjob:16 -t volcano --format json",
    ),
    "Without -t: the targets that the project sets (tfdsl.toml), else those that the job has blocks for, else every\n"
    "target it compiles for.\n"
    "The source of an output is looked up in FILE.map beside it. Without one, the source that its header names is\n"
    "compiled for the target that is named there, with the options given here; --source names another.\n"
    "Exit status: 0 found, 1 the line made nothing or comes from nowhere, 2 the question cannot be answered.",
)


def run(arguments: Arguments) -> int:
    """Answer the question of the command line."""
    picked = chosen.selection(arguments)
    argument = arguments.rest[0]
    asked = trace.asked(argument.text)
    bad = BAD_ARGUMENT(argument.span, what=f"where needs FILE:LINE, not {argument.text or '(nothing)'}")
    bad = bad.help("name one line, counted from 1: mnist.tfjob:9")
    refuse([*picked.errors, *([bad] if asked is None else [])], arguments, hidden=picked.hidden)
    assert asked is not None
    return _Where(arguments, picked, asked, argument).run()


class _Where:
    """One question of a command line."""

    def __init__(self, arguments: Arguments, picked: chosen.Selection, asked: Asked, argument: Argument) -> None:
        self.arguments = arguments
        self.picked = picked
        self.asked = asked
        self.argument = argument
        self.hidden = picked.hidden
        self.warnings: list[Diagnostic] = []
        self.in_project = False

    def run(self) -> int:
        """Find out which way the question goes, and answer it."""
        main = self.arguments.value(SOURCE.name)
        if main is not None:
            return self._with_source(main)
        source = self._read(self.argument, self.asked.path)
        map_path = f"{self.asked.path}.map"
        if not source.path.endswith(".tfjob") and os.path.lexists(map_path):
            return self._by_map(source, map_path)
        given = files.as_source(source, chosen.inputs(self.arguments, source))
        stated = said_by(source.text) if given is None else None
        if stated is not None:
            main_path = files.named_in_header(self.asked.path, stated)
            named = None if main_path is None else read(main_path, self._roots(self.asked.path))
            if isinstance(named, Source):
                return self._by_header(source, named, stated)
        if given is None:
            error = NO_MAP(self.argument.span, path=self.asked.path)
            self._trouble(
                error.help("name the source: --source FILE.tfjob").help(
                    "or write the map: tfdsl compile --source-map -o PATH"
                )
            )
        return self._forward(given, given.source if isinstance(given, Ready) else given.files[0].source)

    def _read(self, argument: Argument, path: str) -> Source:
        source = read(path)
        if isinstance(source, str):
            self._trouble(UNREADABLE_FILE(argument.span, path=path, reason=source))
        return source

    def _trouble(self, *diagnostics: Diagnostic) -> NoReturn:
        end(diagnostics, hidden=self.hidden)

    def _has_line(self, source: Source) -> None:
        """The command ends if ``source`` does not have the line."""
        last = trace.line_count(source)
        if self.asked.line > last:
            self._trouble(NO_SUCH_LINE(self.argument.span, path=self.asked.path, line=self.asked.line, last=last))

    # --- forward ---

    def _with_source(self, argument: Argument) -> int:
        main = self._read(argument, argument.text)
        given = front_end.read(main, chosen.inputs(self.arguments, main))
        self._take_project(given)
        labels = self.picked.request.labels.values()
        own = files.in_program(self.asked.path, given) or files.in_settings(self.asked.path, labels)
        if own is not None:
            return self._forward(given, own)
        return self._back(given, self._read(self.argument, self.asked.path))

    def _forward(self, given: Input, source: Source) -> int:
        self._has_line(source)
        program = None if isinstance(given, Ready) else given
        span = line_span(source, self.asked.line)
        if self.asked.column is not None:
            span = narrowed(program, span, source.offset(self.asked.line, self.asked.column))
        outcomes = self._outcomes(given)
        place = self._destination(outcomes)
        forward = Forward(Question(given, span, self.picked.request), place.files, self._compiled)
        answers = [forward.answer(choice, outcome) for choice, outcome in outcomes]
        self._warn(given)
        self._warn(None)
        asked = trace.Place(self.asked.path, self.asked.line, source.line(self.asked.line))
        out(forward_text(asked, answers, self.hidden, json=self._json))
        return OK if any(answer.lines for answer in answers) else ERRORS

    def _take_project(self, given: Input) -> None:
        """Choose what the project of ``given`` sets; once, since places are in the text that was read."""
        if not self.in_project:
            self.picked = chosen.in_project(self.picked, given)
            self.in_project = True

    def _destination(self, outcomes: Sequence[tuple[Choice, Outcome]]) -> files.Destination:
        """Where the output is; a warning for each file there that is another now."""
        path = self.arguments.value(OUTPUT.name)
        made = [output for _, outcome in outcomes for output in outcome.outputs]
        place = files.destination(path.text if path is not None else None, made, several=len(self.picked.choices) > 1)
        if path is not None:
            roots = None if files.is_one_file(path.text) else (os.path.realpath(path.text),)
            made_now = (file for _, outcome in outcomes for file in place.files(outcome.outputs))
            written = files.changed(made_now, roots)
            since = "it was compiled from this source"
            self.warnings += [STALE(path.span, path=one, since=since) for one in written]
        return place

    def _outcomes(self, given: Input) -> list[tuple[Choice, Outcome]]:
        """What is made for each target."""
        self._take_project(given)
        if self.picked.errors:
            self._trouble(*self.picked.errors)
        choices = self.picked.choices or choices_for(given)
        named = self.picked.choices or bool(front_end.target_blocks(given))
        done = [(choice, self._compiled(given, choice)) for choice in choices]
        wrong = [pair for pair in done if pipeline.has_errors(pair[1].diagnostics)]
        if wrong and (named or len(wrong) == len(done)):
            self._trouble(*(diagnostic for diagnostic in wrong[0][1].diagnostics if diagnostic.level == "error"))
        return [pair for pair in done if pair not in wrong]

    def _compiled(self, given: Input, choice: Choice) -> Outcome:
        return front_end.compiled(given, self.picked.request, [choice])

    # --- back ---

    def _by_map(self, source: Source, map_path: str) -> int:
        """Answer from the map beside an output."""
        self._has_line(source)
        text = read(map_path, self._roots(map_path))
        source_map = back.parse_map(text.text) if isinstance(text, Source) else text
        if isinstance(source_map, str):
            again = "write the map again (tfdsl compile --source-map -o PATH), or name the source: --source FILE.tfjob"
            self._trouble(BAD_MAP(self.argument.span, path=map_path, reason=source_map).help(again))
        if files.newer(self.asked.path, map_path):
            self.warnings.append(STALE(self.argument.span, path=self.asked.path, since=f"{map_path} was written"))
        opened: dict[str, Input] = {}

        def look_up(path: str) -> Source | str:
            there = files.beside(path, map_path)
            main = read(there, self._roots(map_path))
            if isinstance(main, str):
                self.warnings.append(_not_shown(self.argument.span, there, main))
            if isinstance(main, str) or is_settings_file(there):
                return main
            if files.source_is_newer(there, map_path):
                self.warnings.append(STALE(self.argument.span, path=there, since=f"{map_path} was written"))
            given = files.as_source(main, chosen.inputs(self.arguments, main))
            if given is None:
                self.warnings.append(_not_shown(self.argument.span, there, "it is not a job"))
                return "it is not a job"
            opened[path] = given
            return files.in_program(there, given) or main

        def uses_at(span: Span) -> list[Span]:
            given = next(iter(opened.values()), None)
            return self._uses_at(given, span) if given is not None else []

        origin = back.from_map(source_map, self.asked.line, source.line(self.asked.line), look_up, uses_at)
        for given in opened.values():
            self._warn(given)
        return self._came_from(source, origin)

    def _roots(self, path: str) -> tuple[str, ...]:
        """The folders in which the sources may be that a map or an output names; what it names nobody else has."""
        here = root_of(None)
        return (
            here if is_below(path, [here]) else root_of(path),
            *map(os.path.realpath, self.picked.allowed),
        )

    def _by_header(self, source: Source, main: Source, stated: Stated) -> int:
        """Answer from the source that the header of an output names, for the target that it names."""
        if not self.picked.choices:
            choice = front_end.choice_of(f"{stated.target}@{stated.version}", self.argument.span)
            if isinstance(choice, Diagnostic):
                self._trouble(choice)
            self.picked = replace(self.picked, choices=(choice,))
        return self._back(front_end.read(main, chosen.inputs(self.arguments, main)), source)

    def _uses_at(self, given: Input, span: Span) -> list[Span]:
        uses = self._uses(given)
        return uses.at([span]) if uses is not None else []

    def _uses(self, given: Input) -> Uses | None:
        request = self.picked.request
        return None if isinstance(given, Ready) else Uses(given, request.profile, outside(request))

    def _back(self, given: Input, source: Source) -> int:
        """Answer from what ``--source`` compiles to."""
        self._has_line(source)
        made = [output for _, outcome in self._outcomes(given) for output in outcome.outputs]
        text = source.text.replace("\r\n", "\n")  # as git may check it out on Windows
        match = back.match(text, self.asked.path, self.asked.line, list(files.candidates(made)))
        main = front_end.path_of(given)
        if match is None:
            self._trouble(NOT_OF_SOURCE(self.argument.span, path=self.asked.path, source=main))
        if not match.same:
            since = f"it was compiled, or {main} has"
            self.warnings.append(STALE(self.argument.span, path=self.asked.path, since=since))
        self._warn(given)
        return self._came_from(source, back.from_output(match, self._uses(given)))

    def _came_from(self, source: Source, origin: back.Origin) -> int:
        self._warn(None)
        asked = trace.Place(self.asked.path, self.asked.line, source.line(self.asked.line))
        out(back_text(asked, origin, self.hidden, json=self._json))
        return OK if origin.place is not None else ERRORS

    # --- what is shown ---

    @property
    def _json(self) -> bool:
        return self.arguments.text(TEXT_OR_JSON.name) == "json"

    def _warn(self, given: Input | None) -> None:
        """Report the warnings; secrets of the files that ``given`` has read are hidden from now on."""
        secret: set[str] = set() if given is None or isinstance(given, Ready) else given.hidden
        if secret:
            self.hidden = Hidden((*self.hidden.values, *hidden_texts(secret).values), self.hidden.paths)
        if self.warnings and given is None:
            report(self.warnings, (), hidden=self.hidden)
            self.warnings = []


def _not_shown(place: Span, path: str, reason: str) -> Diagnostic:
    """The warning for a source that a map names and that is not read."""
    warning = NOT_SHOWN(place, path=path, reason=reason)
    return warning.help(reason.HELP).help("or name it: --source FILE") if isinstance(reason, Outside) else warning


def forward_text(place: Place, answers: Sequence[Answer], hidden: Hidden, *, json: bool) -> str:
    """The lines that a line made, for each target."""
    if json:
        targets = [_target(answer, hidden) for answer in answers]
        return document(1, {**_asked(place, hidden), "direction": "forward", "targets": targets})
    return lines_for_people(_forward_lines(place, answers), hidden)


def back_text(place: Place, origin: Origin, hidden: Hidden, *, json: bool) -> str:
    """The line that made a line."""
    if json:
        return document(
            1,
            {
                **_asked(place, hidden),
                "direction": "back",
                "target": origin.target,
                "target_version": origin.version,
                "source": _place(origin.place, hidden) if origin.place is not None else None,
                "uses": [_place(use, hidden) for use in origin.uses],
                "reason": origin.reason or None,
            },
        )
    return lines_for_people(_back_lines(place, origin), hidden)


def _forward_lines(place: Place, answers: Sequence[Answer]) -> Iterator[str]:
    yield _shown(place)
    reasons = {answer.reason for answer in answers}
    if len(answers) > 1 and len(reasons) == 1 and (reason := reasons.pop()) is not None:
        yield from ("", f"# nothing, {reason}")
        return
    for answer in answers:
        yield ""
        head = f"# {answer.target} {answer.version}"
        if answer.reason is not None:
            yield f"{head}: nothing, {answer.reason}"
            continue
        yield head
        for group in answer.lines:
            if group.how == "decided":
                yield "# without it these lines would be different"
            elif group.by is not None:
                yield f"# through {_shown(group.by)}"
            yield from (_shown(line.place) for line in group.lines)


def _back_lines(place: Place, origin: Origin) -> Iterator[str]:
    yield _shown(place)
    yield ""
    if origin.target is not None:
        yield f"# {origin.target} {origin.version}"
    if origin.place is None:
        yield f"# {origin.reason}"
        return
    yield _shown(origin.place)
    if origin.uses:
        yield "# with"
        yield from map(_shown, origin.uses)


def _shown(place: Place) -> str:
    return f"{place.path}:{place.line}: {place.text}" if place.text is not None else f"{place.path}:{place.line}"


# --- JSON ------------------------------------------------------------------------------------------------------


def _asked(place: Place, hidden: Hidden) -> dict[str, object]:
    return {"asked": _place(place, hidden)}


def _place(place: Place, hidden: Hidden) -> dict[str, object]:
    return {
        "path": place.path,
        "line": place.line,
        "text": hide(place.text, hidden) if place.text is not None else None,
    }


def _target(answer: Answer, hidden: Hidden) -> dict[str, object]:
    lines = [
        {
            **_place(line.place, hidden),
            "how": group.how,
            "by": _place(group.by, hidden) if group.by is not None else None,
        }
        for group in answer.lines
        for line in group.lines
    ]
    return {
        "target": answer.target,
        "target_version": answer.version,
        "lines": lines,
        "reason": answer.reason,
    }
