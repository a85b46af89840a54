"""One text as it is at one moment, with what is known about it. Each part is worked out when it is first asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from tfdsl.backend import Unit
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.front_end import Project, project_with
from tfdsl.compiling.pipeline import Outcome
from tfdsl.diagnostics import Diagnostic
from tfdsl.gc_pause import without_gc
from tfdsl.record import Record, replace
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program
from tfdsl.semantics.request import Choice, Given, Request
from tfdsl.settings.finding import settings_for
from tfdsl.source_files import Inputs
from tfdsl.syntax import ast
from tfdsl.syntax.lexer import Lexed, lex
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.source_files import Opener


class Settings(Record):
    """What a user may choose.

    ``targets``: as ``-t`` takes them; empty: those of the project, else those that the file has blocks for.
    ``profile`` and ``params``: as ``--profile`` and ``--set`` take them. ``strict``: as ``--strict``, or as the project
    sets it. ``allow_read``: as ``--allow-read``. ``params_file``: as ``--params``, by its path from the
    root of the text. ``check_all_files``: those that are not open have their problems shown too.
    """

    targets: tuple[str, ...] = ()
    profile: str | None = None
    params: tuple[tuple[str, str], ...] = ()
    strict: bool = False
    inlay_hints: bool = True
    code_lens: bool = True
    allow_read: tuple[str, ...] = ()
    params_file: str | None = None
    check_all_files: bool = False


def read_settings(data: object) -> Settings:
    """The settings out of the JSON that a client sends; it may have them under ``tfdsl``."""
    table = table_of(data)
    if isinstance(table.get("tfdsl"), dict):
        table = table_of(table["tfdsl"])
    profile, params_file = table.get("profile"), table.get("paramsFile")
    return Settings(
        texts_of(table.get("targets")),
        profile if isinstance(profile, str) and profile else None,
        tuple((name, _text(value)) for name, value in table_of(table.get("params")).items()),
        table.get("strict") is True,
        table.get("inlayHints") is not False,
        table.get("codeLens") is not False,
        texts_of(table.get("allowRead")),
        params_file if isinstance(params_file, str) and params_file else None,
        table.get("checkAllFiles") is True,
    )


def table_of(data: object) -> Mapping[str, object]:
    """What a client sent as an object; empty where it sent something else."""
    return cast("Mapping[str, object]", data) if isinstance(data, dict) else {}


def texts_of(data: object) -> tuple[str, ...]:
    """The texts of a list that a client sent; none where it sent something else."""
    items = cast("Sequence[object]", data) if isinstance(data, list | tuple) else ()
    return tuple(item for item in items if isinstance(item, str))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def request_of(settings: Settings, program: Program, inputs: Inputs) -> Request:
    """What is asked for beside the text; a profile or param that the program does not have is passed over.

    ``inputs``: what the text may read, and the file of values with it.
    """
    values = () if settings.params_file is None else _values_in(settings.params_file, program, inputs)
    given = tuple(
        Given(name, Source(f"setting {name}", value)) for name, value in settings.params if name in program.params
    )
    profile = settings.profile if settings.profile in program.profiles else None
    return Request(profile, (*values, *given))


def _values_in(name: str, program: Program, inputs: Inputs) -> tuple[Given, ...]:
    """The values of the file called ``name``, from the root; none if it cannot be read."""
    from tfdsl.syntax.parser import parse_values

    source = inputs(os.path.join(inputs.roots[0], name))
    entries = parse_values(source)[0] if isinstance(source, Source) else ()
    known = [entry for entry in entries if entry.key.text in program.params]
    return tuple(
        Given(entry.key.text, Source(f"{name}: {entry.key.text}", entry.value.span.text), "literal") for entry in known
    )


def choices_of(settings: Settings, of_project: tuple[Choice, ...], program: Program) -> tuple[Choice, ...]:
    """The targets to check for, each once; for a file without jobs, which is only included, there are no targets.

    Those of the editor's settings; without any, those ``of_project``, then those that the file has blocks for.
    """
    if not program.jobs:
        return ()
    if not settings.targets and of_project:
        return of_project
    choices: dict[tuple[str, str | None], Choice] = {}
    for text in settings.targets or _blocks(program):
        choice = choice_of(text)
        if choice is not None:
            choices[choice.backend.name, choice.version] = choice
    return tuple(choices.values())


def choice_of(text: str) -> Choice | None:
    """``volcano`` or ``volcano@1.9``; ``None`` when there is no such target or version."""
    choice = front_end.choice_of(text, Span(Source("target", text), 0, len(text)))
    return choice if isinstance(choice, Choice) else None


def _blocks(program: Program) -> list[str]:
    from tfdsl.syntax import ast

    return [item.name.text for job in program.jobs for item in job.items if isinstance(item, ast.Target)]


_step = without_gc(next)


class Snapshot:
    """A text, the files it includes, and the settings.

    ``read`` opens the file at a path or says why it cannot be read. ``before`` is an earlier program of the same text,
    for what does not bear waiting. ``units``: what :mod:`tfdsl.lsp.features.hover` has lowered; ``compiled``: the last
    compilation for a preview, and what was asked for.
    ``programs`` gives the programs of the workspace that a file is part of. ``between`` is called between pieces of a
    check, and may raise to end it; what has been done so far is kept. ``shown``: the texts that are open.
    """

    def __init__(
        self,
        source: Source,
        read: Opener,
        settings: Settings | None = None,
        before: Program | None = None,
        programs: Callable[[str], Iterable[Program]] = lambda path: (),
        between: Callable[[], None] = lambda: None,
        shown: Callable[[str], str | None] = lambda path: None,
    ) -> None:
        self.source = source
        self.read = read
        self.settings = settings or Settings()
        self.programs = programs
        self.units: dict[str, list[Unit]] = {}
        self.compiled: tuple[object, Choice, Outcome] | None = None
        self._before = before
        self._between = between
        self._shown = shown
        self._work: Generator[None, None, Outcome] | None = None
        self._outcome: Outcome | None = None

    @cached_property
    def lexed(self) -> Lexed:
        """The tokens; they are there for any text."""
        return lex(self.source)

    @cached_property
    def program(self) -> Program:
        """The text and its includes; there is a tree for any text."""
        return pipeline.load(self.source, self.inputs)

    @cached_property
    def inputs(self) -> Inputs:
        """The files that the text may read."""
        return Inputs(self.source, self.settings.allow_read, self.read)

    @property
    def file(self) -> ast.File:
        """The tree of the text itself."""
        return self.program.files[0]

    @property
    def loaded(self) -> Program | None:
        """The program if it has been read, else the one before."""
        program: Program | None = self.__dict__.get("program", self._before)
        return program

    @cached_property
    def request(self) -> Request:
        """What is asked for beside the text."""
        return self.project.request(request_of(self.settings, self.program, self.inputs))

    @cached_property
    def project(self) -> Project:
        """The project that the text is in."""
        return project_with(settings_for(self.source.origin, self._shown, self.settings.allow_read))

    @property
    def strict(self) -> bool:
        """Whether a warning about different behaviour is an error: the editor or the project can ask for that."""
        return self.settings.strict or self.project.settings.strict

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The targets that the text is checked for."""
        return choices_of(self.settings, self.project.choices, self.program)

    @property
    def outcome(self) -> Outcome:
        """What all stages say."""
        while self.work():
            self._between()
        assert self._outcome is not None
        return self._outcome

    def work(self) -> bool:
        """Do a piece of the check; whether something is left to do."""
        if self._outcome is None:
            # Of a matrix the first job and one for each further value of an axis: it is checked at every keystroke.
            sample = replace(self.request, extent="sample")
            work = self._work or pipeline.run_in_steps(self.program, sample, self.choices)
            self._work = None  # an error in it must not make half a check a whole one
            try:
                _step(work)
                self._work = work
            except StopIteration as end:
                self._outcome = replace(end.value, made=())
        return self._outcome is None

    @property
    def checked(self) -> bool:
        """Whether the check has come to its end: what must be answered at once does not wait for it."""
        return self._outcome is not None

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the text and its includes, in file order."""
        settled = pipeline.settle([self.outcome], [self.program], strict=self.strict, paths=[self.source.path])
        return tuple(settled)

    def early(self, offset: int) -> tuple[tuple[int, int], tuple[Diagnostic, ...]]:
        """What can be said before a long check has ended: the lines (from 1) of the jobs around ``offset``.

        And the diagnostics about them, with the mistakes in the syntax of the whole program.
        """
        jobs = [job for job in self.program.jobs if job.span.source is self.source]
        here = next((at for at, job in enumerate(jobs) if offset <= job.span.end), len(jobs) - 1)
        near = tuple(jobs[max(here - 1, 0) : here + 2])
        part = replace(self.program, jobs=near, flows=())
        outcome = pipeline.run(part, replace(self.request, extent="sample", job=None, flow=None), self.choices)
        start, end = (near[0].span.start, near[-1].span.end) if near else (0, 0)
        settled = pipeline.settle([outcome], [part], strict=self.strict, paths=[self.source.path])
        written = {one.span for one in self.program.diagnostics}
        found = [
            one
            for one in settled
            if one.span in written or (one.span.source is self.source and start <= one.span.start < end)
        ]
        return (self.source.position(start)[0], self.source.position(end)[0]), tuple(found)

    def masked(self, text: str) -> str:
        """``text`` without the secrets of the files that ``env_file()`` has read."""
        hidden = self.program.hidden
        if not hidden:
            return text
        from tfdsl.compiling.masking import hidden_texts, hide

        return hide(text, hidden_texts(hidden))

    def diagnostics_with(self, texts: Mapping[str, str]) -> tuple[Diagnostic, ...]:
        """The diagnostics if the files of these paths had these texts."""

        def read(path: str, roots: Sequence[str]) -> Source | str:
            return Source(path, texts[path], path) if path in texts else self.read(path, roots)

        source = self.source
        changed = Source(source.path, texts.get(source.path, source.text), source.origin)
        return Snapshot(changed, read, self.settings, shown=self._shown).diagnostics

    @cached_property
    def params(self) -> Params:
        """The values of params and lets."""
        return Params(self.program, self.request.profile, self.request.params, unheard, self.request.values)


def unheard(diagnostic: Diagnostic) -> None:
    """For what the check has reported."""
