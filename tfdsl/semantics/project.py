"""One program from a file and its includes.

Params, lets, templates and profiles come from all files, jobs and flows only from the main file. A file that is
included twice is read once; a cycle is reported at the include that closes it.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule, name_rules, repeated
from tfdsl.record import Record
from tfdsl.source_files import Outside, is_file_name
from tfdsl.syntax import ast, parse
from tfdsl.syntax.bidi import reordered
from tfdsl.text import Source, Span
from tfdsl.vocabulary.statements import RESERVED_NAMES, TRUTH

if TYPE_CHECKING:
    Reader = Callable[[str], "Source | str"]
    """Path → source, or the reason why it is not read."""

EDITION = 1
DEEPEST_INCLUDE = 50
"""The longest chain of includes."""


class Program(Record):
    """All declarations of a file and its includes.

    ``files``: in the order of inclusion, the main file first. ``missing``: paths of included files that could not be
    read. ``read``: reads a file by path, for ``file()``. ``hidden``: the secrets of the files that ``env_file()`` has
    read so far; no message may show them.
    """

    files: tuple[ast.File, ...]
    params: dict[str, ast.Param]
    lets: dict[str, ast.Let]
    templates: dict[str, ast.Template]
    profiles: dict[str, tuple[ast.Profile, ...]]
    jobs: tuple[ast.Job, ...]
    flows: tuple[ast.Flow, ...]
    diagnostics: tuple[Diagnostic, ...]
    missing: tuple[str, ...]
    read: Reader
    hidden: set[str]

    @property
    def readable(self) -> bool:
        """Whether all files have a known edition; otherwise nothing else is checked."""
        return not any(diagnostic.rule is name_rules.EDITION_UNKNOWN for diagnostic in self.diagnostics)

    @property
    def syntax_errors(self) -> bool:
        """Whether any file has a syntax error."""
        return any(
            diagnostic.rule.code.startswith("TFJ0") and diagnostic.level == "error" for diagnostic in self.diagnostics
        )


def load(source: Source, read: Reader) -> Program:
    """Parse ``source`` and everything it includes, and collect the declarations."""
    loader = _Loader(read)
    loader.file(source, ())
    return loader.program()


def every_item(jobs: Iterable[ast.Job], templates: Mapping[str, ast.Template]) -> Iterator[ast.Item]:
    """The items of ``jobs``, of their roles and targets, and of the templates that these use, each once."""
    seen: set[str] = set()
    todo: list[tuple[ast.Item, ...]] = [job.items for job in jobs]
    while todo:
        for item in todo.pop():
            yield item
            if isinstance(item, ast.Role | ast.Target):
                todo.append(item.items)
            elif isinstance(item, ast.Use) and item.name.text in templates and item.name.text not in seen:
                seen.add(item.name.text)
                todo.append(templates[item.name.text].items)


def used_templates(jobs: Iterable[ast.Job], templates: Mapping[str, ast.Template]) -> set[str]:
    """The templates that ``jobs`` use, directly or indirectly."""
    items = every_item(jobs, templates) if templates else ()
    return {item.name.text for item in items if isinstance(item, ast.Use)} & templates.keys()


class _Loader:
    """State of one :func:`load`."""

    def __init__(self, read: Reader) -> None:
        self.read = read
        self.files: list[ast.File] = []
        self.paths: set[str] = set()
        self.shown: dict[str, str] = {}  # identity → the path as written
        self.missing: list[str] = []
        self.diagnostics: list[Diagnostic] = []
        self.params: dict[str, ast.Param] = {}
        self.lets: dict[str, ast.Let] = {}
        self.templates: dict[str, ast.Template] = {}
        self.profiles: dict[str, list[ast.Profile]] = {}
        self.jobs: dict[str, ast.Job] = {}
        self.flows: dict[str, ast.Flow] = {}
        self.names: dict[str, ast.Name] = {}

    def program(self) -> Program:
        profiles = {name: tuple(parts) for name, parts in self.profiles.items()}
        return Program(
            tuple(self.files), self.params, self.lets, self.templates, profiles, tuple(self.jobs.values()),
            tuple(self.flows.values()), tuple(self.diagnostics), tuple(self.missing), self.read, set(),
        )  # fmt: skip

    def file(self, source: Source, stack: tuple[str, ...]) -> None:
        here = source.path if source.origin is None else _identity(source.origin)
        self.paths.add(here)
        self.shown[here] = source.path
        parsed = parse(source)
        main = not stack
        self.files.append(parsed.file)
        if not self.known_edition(parsed.file):
            return
        self.diagnostics.extend(parsed.diagnostics)
        self.diagnostics.extend(reordered(parsed))
        for at, declaration in enumerate(parsed.file.declarations):
            if isinstance(declaration, ast.Edition):
                self.edition(declaration, at)
            elif isinstance(declaration, ast.Include):
                self.include(declaration, source, (*stack, here))
            elif isinstance(declaration, ast.Job):
                if main:
                    self.job(declaration)
            elif isinstance(declaration, ast.Flow):
                if main:
                    self.flow(declaration)
            else:
                self.declare(declaration)

    def known_edition(self, file: ast.File) -> bool:
        """Whether the file has a known edition; if not, that is the only error reported for it."""
        for declaration in file.declarations:
            if isinstance(declaration, ast.Edition) and declaration.number.text != str(EDITION):
                number = declaration.number
                diagnostic = name_rules.EDITION_UNKNOWN(number.span, number=number.text)
                self.diagnostics.append(diagnostic.help(f"use a newer tfdsl, or write edition {EDITION}"))
                return False
        return True

    def edition(self, declaration: ast.Edition, at: int) -> None:
        if at > 0:
            self.diagnostics.append(name_rules.EDITION_NOT_FIRST(declaration.span))

    def include(self, declaration: ast.Include, source: Source, stack: tuple[str, ...]) -> None:
        span = declaration.path.span
        parts = declaration.path.parts
        if not all(isinstance(part, str) for part in parts):
            self.diagnostics.append(
                name_rules.WRONG_TYPE(span, what="an include", expected="a fixed path", given="a computed one")
            )
            return
        path = "".join(part for part in parts if isinstance(part, str))
        if posixpath.isabs(path) or path.startswith("~") or "\\" in path:
            self.diagnostics.append(
                name_rules.INCLUDE_ABSOLUTE(span).help("write a path with /, relative to this file")
            )
            return
        if source.origin is None:
            self.diagnostics.append(name_rules.INCLUDE_NO_FOLDER(span).help("save the text to a file"))
            return
        if not is_file_name(path):
            self.diagnostics.append(
                name_rules.INCLUDE_MISSING(span, path=shown_path(path), reason="it is not a file name")
            )
            return
        full = posixpath.normpath(posixpath.join(posixpath.dirname(source.origin), path))
        identity = _identity(full)
        if identity in stack:
            self.diagnostics.append(_cycle(span, [self.shown[file] for file in stack[stack.index(identity) :]]))
        elif identity not in self.paths:
            read = self.reading(full, len(stack))
            if isinstance(read, str):
                self.missing.append(full)
                self.diagnostics.append(not_read(name_rules.INCLUDE_MISSING, span, path, read))
            else:
                self.file(read, stack)

    def reading(self, path: str, depth: int) -> Source | str:
        return f"includes can be nested at most {DEEPEST_INCLUDE} deep" if depth > DEEPEST_INCLUDE else self.read(path)

    def job(self, declaration: ast.Job) -> None:
        name = declaration.name.text
        if declaration.pattern or declaration.condition:  # two of one text may be two jobs
            name = f"{name}\0{declaration.span.start}"
        first = self.jobs.setdefault(name, declaration)
        if first is not declaration:
            again = name_rules.DUPLICATE_JOB(declaration.name.span, name=declaration.name.text)
            self.diagnostics.append(repeated(again, first.name.span))

    def flow(self, declaration: ast.Flow) -> None:
        name = declaration.name
        first = self.flows.setdefault(name.text, declaration)
        if first is not declaration:
            again = name_rules.DUPLICATE_NAME(name.span, kind="flow", name=name.text)
            self.diagnostics.append(repeated(again, first.name.span, "declared"))

    def declare(self, declaration: ast.Param | ast.Let | ast.Template | ast.Profile) -> None:
        name = declaration.name
        if isinstance(declaration, ast.Profile):
            self.profiles.setdefault(name.text, []).append(declaration)
            return
        kind = type(declaration).__name__.lower()
        if name.text in (*RESERVED_NAMES, *TRUTH):
            if isinstance(declaration, ast.Param) and not declaration.type.span.text:
                return  # the type is missing, which has been reported
            self.diagnostics.append(name_rules.RESERVED_NAME(name.span, name=name.text, kind=kind))
            return
        first = self.names.setdefault(f"template {name.text}" if kind == "template" else name.text, name)
        if first is not name:
            again = name_rules.DUPLICATE_NAME(name.span, kind=kind, name=name.text)
            self.diagnostics.append(repeated(again, first.span, "declared"))
        elif isinstance(declaration, ast.Param):
            self.params[name.text] = declaration
        elif isinstance(declaration, ast.Let):
            self.lets[name.text] = declaration
        else:
            self.templates[name.text] = declaration


def _cycle(span: Span, files: Iterable[str]) -> Diagnostic:
    """The diagnostic for ``files``, each of which includes the next, and the last the first, at ``span``."""
    names = [shown_path(name) for name in files]
    diagnostic = name_rules.INCLUDE_CYCLE(span, files=" -> ".join([*names, names[0]]))
    return diagnostic.marked("this closes the cycle").help(
        "move what they share into a file that includes none of them"
    )


def not_read(rule: Rule, span: Span, path: str, why: str) -> Diagnostic:
    """The diagnostic for the file at ``path``, named at ``span``, that was not read because of ``why``."""
    diagnostic = rule(span, path=shown_path(path), reason=why)
    return diagnostic.help(Outside.HELP) if isinstance(why, Outside) else diagnostic


def shown_path(path: str) -> str:
    """``path`` for a message, quoted if it is empty or not printable."""
    return path if path and path.isprintable() else ascii(path)


def _identity(path: str) -> str:
    """The same for all names of a file, including relative paths and links."""
    return os.path.realpath(path)
