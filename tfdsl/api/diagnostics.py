"""Messages of the compiler as a Python program sees them, and the exceptions that carry them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from tfdsl import diagnostics, text
from tfdsl.diagnostics.render.columns import in_a_line, visible
from tfdsl.diagnostics.render.html import table
from tfdsl.diagnostics.render.text import render

Level: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text. Lines and columns count from 1, columns in characters; the end is exclusive.

    ``path`` is the file as it was named, ``<text>`` for a text, or where a value came from (``params["workers"]``).
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        """The place in one line, as ``main.tfjob:3:5``."""
        return f"{visible(self.path)}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Label:
    """Another place that explains the message."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace what ``span`` covers with ``text``; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change to the text that resolves the message. ``safe``: ``tfdsl check --fix`` makes it without asking."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message at one place, the same that ``tfdsl check --format json`` prints.

    ``code`` (``TFJ2104``) and ``slug`` (``duplicate-mount-path``) name the rule and never change; ``tfdsl explain``
    takes either. ``help``: what to write instead, if there is advice. ``target``: the target that refuses or changes
    something; ``None`` for a rule of the language.
    """

    code: str
    slug: str
    level: Level
    message: str
    span: Span
    labels: tuple[Label, ...] = ()
    help: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    target: str | None = None

    def __str__(self) -> str:
        """``main.tfjob:3:5: error[TFJ2104] duplicate-mount-path: …``."""
        return f"{self.span}: {self.level}[{self.code}] {self.slug}: {in_a_line(self.message)}"

    def _repr_html_(self) -> str:
        return messages((self,))


class Diagnostics(tuple[Diagnostic, ...]):
    """Messages, which a notebook shows as a table."""

    __slots__ = ()
    __module__ = "tfdsl"

    def _repr_html_(self) -> str:
        return messages(self)


def messages(diagnostics: Iterable[Diagnostic]) -> str:
    """Messages as a table: severity, place, what is wrong, and what to do about it."""
    rows = [
        (
            one.level,
            str(one.span),
            f"{one.message} [{one.code}]",
            "\n".join([*one.help, *(fix.title for fix in one.fixes)]),
        )
        for one in diagnostics
    ]
    return table(("severity", "place", "message", "what to do"), rows) if rows else "<p>no messages</p>"


def public(diagnostics: Iterable[diagnostics.Diagnostic]) -> Diagnostics:
    """The compiler's diagnostics as public ones."""
    return Diagnostics(map(_diagnostic, diagnostics))


def _diagnostic(diagnostic: diagnostics.Diagnostic) -> Diagnostic:
    own = [Label(_span(diagnostic.span), diagnostic.mark)] if diagnostic.mark else []
    return Diagnostic(
        diagnostic.rule.code,
        diagnostic.rule.slug,
        cast("Level", diagnostic.level),  # what is off is not among them
        diagnostic.message,
        _span(diagnostic.span),
        (*own, *(Label(_span(label.span), label.message) for label in diagnostic.labels)),
        diagnostic.helps,
        tuple(map(_fix, diagnostic.fixes)),
        diagnostic.target,
    )


def _fix(fix: diagnostics.Fix) -> Fix:
    return Fix(fix.title, tuple(Edit(_span(edit.span), edit.text) for edit in fix.edits), fix.safe)


def _span(span: text.Span) -> Span:
    position = span.source.position
    return Span(span.source.path, *position(span.start), *position(span.end))


class OutputWarning(UserWarning):
    """What does not fit in a folder that was written; ``diagnostic`` says what, and what to do about it."""

    __module__ = "tfdsl"

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic

    def __str__(self) -> str:
        """The message, and what to do about it."""
        return "; ".join((str(self.diagnostic), *map(in_a_line, self.diagnostic.help)))


# --- exceptions ------------------------------------------------------------------------------------------------


class UsageError(ValueError):
    """A call that is wrong whatever the job is: an unknown target, version or task. The command line exits with 2."""

    __module__ = "tfdsl"


class CompileError(ValueError):
    """A job has errors. The command line exits with 1.

    ``diagnostics`` holds all messages, in file order. ``str()`` shows the errors and warnings as the command does:
    with the lines of the text and the places marked.
    """

    __module__ = "tfdsl"

    def __init__(self, diagnostics: tuple[Diagnostic, ...], rendered: str) -> None:
        super().__init__(diagnostics, rendered)  # both are needed to pickle it, for pools of processes
        self.diagnostics = diagnostics
        self._rendered = rendered

    def __str__(self) -> str:
        """The errors and warnings, ready to be printed."""
        return self._rendered


def usage_error(diagnostic: diagnostics.Diagnostic) -> UsageError:
    """``diagnostic`` about an argument of a call."""
    return UsageError("; ".join(map(in_a_line, (diagnostic.message, *diagnostic.helps))))


def compile_error(action: str, problems: Sequence[diagnostics.Diagnostic]) -> CompileError:
    """The exception for diagnostics that made ``action`` (``cannot compile main.tfjob``) impossible."""
    shown = [diagnostic for diagnostic in problems if diagnostic.level != "info"]
    return CompileError(public(problems), f"{action}\n{render(shown).rstrip()}")
