"""One text as it is at one moment, with what is known about it. Each part is worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from tfdsl.backend import Unit
from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import Project, project_with
from tfdsl.compiling.pipeline import Choice, Outcome, Request
from tfdsl.diagnostics import Diagnostic
from tfdsl.lsp.checking import Checker
from tfdsl.lsp.settings import Settings, choices_of, request_of
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program
from tfdsl.settings.finding import settings_for
from tfdsl.source_files import Inputs
from tfdsl.syntax import ast
from tfdsl.syntax.lexer import Lexed, lex
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.source_files import Opener


def _no_programs(path: str) -> Iterable[Program]:
    return ()


def _nothing_is_open(path: str) -> str | None:
    return None


def _go_on() -> None:
    """Nobody can cancel anything."""


class Snapshot:
    """A text, the files it includes, and the settings.

    ``read`` opens the file at a path or says why it cannot be read. ``before`` is an earlier program of the same text,
    for what does not bear waiting. ``units``: what :mod:`tfdsl.lsp.fates` has lowered; ``compiled``: the last
    compilation for a preview, and what was asked for.
    ``programs`` gives the programs of the workspace that a file is part of. ``between`` is called between pieces of a
    check, and may raise to end it; what has been done so far is kept. ``shown``: the texts that are open.
    """

    def __init__(
        self,
        source: Source,
        read: Opener,
        settings: Settings | None = None,
        checker: Checker | None = None,
        before: Program | None = None,
        programs: Callable[[str], Iterable[Program]] = _no_programs,
        between: Callable[[], None] = _go_on,
        shown: Callable[[str], str | None] = _nothing_is_open,
    ) -> None:
        self.source = source
        self.read = read
        self.settings = settings or Settings()
        self.programs = programs
        self.units: dict[str, list[Unit]] = {}
        self.compiled: tuple[object, Choice, Outcome] | None = None
        self._checker = checker or Checker()
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
            work = self._work or self._checker.run(self.program, self.request, self.choices)
            self._work = None  # an error in it must not make half a check a whole one
            try:
                next(work)
                self._work = work
            except StopIteration as end:
                self._outcome = end.value
        return self._outcome is None

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the text and its includes, in file order."""
        paths = [self.source.path]
        settled = pipeline.settle([self.outcome], [self.program], strict=self.strict, paths=paths)
        return tuple(settled)

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
        return Snapshot(changed, read, self.settings, self._checker.copy(), shown=self._shown).diagnostics

    @cached_property
    def params(self) -> Params:
        """The values of params and lets."""
        return Params(self.program, self.request.profile, self.request.params, _unheard, self.request.values)


def _unheard(diagnostic: Diagnostic) -> None:
    """The check has reported what is wrong with params."""
