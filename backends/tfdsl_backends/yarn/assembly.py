"""Joins the parts of the task program that a job needs into the one file that is sent with it.

The modules of :mod:`tfdsl_backends.yarn.programs`, and those of :mod:`tfdsl_backends.hadoop.programs`, which slider
sends too, register what they can do in tables (``COMMANDS["fetch"] = ...``). The caller names the entries that the job
needs; only those, and what their text uses, are joined. What a module defines and uses is read from its text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Final

from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl_backends.hadoop.programs import portable


class Definition(Record):
    """Some lines of a module that are kept or left out together, with the comment above them.

    ``names``: what they define. ``uses``: the names of other definitions they read. ``mentions``: the attributes they
    name, any of which may be a method. ``entry``: the ``TABLE.key`` that they register. ``owner``: the class, for a
    method that nothing but its name calls. ``is_start``: they are the program's start.
    """

    module: str
    first: int
    last: int
    names: frozenset[str]
    uses: frozenset[str]
    mentions: frozenset[str]
    entry: str = ""
    owner: str = ""
    is_start: bool = False


def definitions(module: str, source: str) -> list[Definition]:
    """The definitions of ``source``, in order; lines that matter to it as a module only belong to none of them."""
    parsed: list[Definition] = []
    for node, first, last in _spans(ast.parse(source).body, 0):
        if _is_of_the_module(node):
            continue
        methods = list(_methods(node))
        parts = _parts(node, [method for method, *_ in methods])
        start = isinstance(node, ast.If) and "__name__" in _uses([node.test])
        names = frozenset(_defined(node))
        parsed.append(Definition(module, first, last, names, _uses(parts), _mentions(parts), _entry(node), "", start))
        for method, begin, end in methods:
            used, mentioned = _uses([method]), _mentions([method])
            owner = "".join(names)
            parsed.append(Definition(module, begin, end, frozenset({method.name}), used, mentioned, owner=owner))
    return parsed


def imports(source: str) -> dict[str, str]:
    """Name -> line of each plain import of the standard library."""
    lines = {node.names[0].name: ast.unparse(node) for node in ast.parse(source).body if isinstance(node, ast.Import)}
    return {name.partition(".")[0]: line for name, line in lines.items()}


def _spans(body: list[ast.stmt], before: int) -> Iterator[tuple[ast.stmt, int, int]]:
    """Each statement with its first and last line: the comments above it and the text below it are its own."""
    end = before
    for node, below in zip(body, [*body[1:], None], strict=True):
        if _is_text(node) and node is not body[0]:
            continue
        last = below if below is not None and _is_text(below) and node is not body[0] else node
        yield node, end + 1, last.end_lineno or last.lineno
        end = last.end_lineno or last.lineno


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_of_the_module(node: ast.stmt) -> bool:
    """The docstring, imports of other parts, and plain imports, which go to the top."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__" or (node.module or "").startswith("tfdsl_backends.")
    return _is_text(node) or isinstance(node, ast.Import)


def _methods(node: ast.stmt) -> Iterator[tuple[ast.FunctionDef, int, int]]:
    """The methods of a class that nothing but their name calls: none where a base from elsewhere may call them."""
    if not isinstance(node, ast.ClassDef) or _uses(node.bases) - {"object", "Exception"}:
        return
    for part, first, last in _spans(node.body, node.lineno):
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("__"):
            yield part, first, last


def _parts(node: ast.stmt, without: list[ast.FunctionDef]) -> list[ast.AST]:
    """``node`` in pieces that have local names of their own, less those of ``without``."""
    if not isinstance(node, ast.ClassDef):
        return [node]
    return [*node.bases, *(part for part in node.body if part not in without)]


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in part.names)


def _uses(parts: Iterable[ast.AST]) -> frozenset[str]:
    """The names that ``parts`` read; what a function assigns is its own."""
    read: set[str] = set()
    for part in parts:
        names = [name for name in ast.walk(part) if isinstance(name, ast.Name)]
        own = (
            {name.id for name in names if isinstance(name.ctx, ast.Store)} if isinstance(part, ast.FunctionDef) else ()
        )
        read.update(name.id for name in names if name.id not in own)
    return frozenset(read)


def _mentions(parts: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(node.attr for part in parts for node in ast.walk(part) if isinstance(node, ast.Attribute))


def _entry(node: ast.stmt) -> str:
    """``TABLE.key`` of ``TABLE["key"] = ...``."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)):
        return ""
    return f"{target.value.id}.{ast.literal_eval(target.slice)}"


MODULES: Final = (
    "hadoop.programs.files", "yarn.programs.plan", "hadoop.programs.addresses", "yarn.programs.wire",
    "hadoop.programs.marks", "hadoop.programs.hdfs", "yarn.programs.webhdfs", "yarn.programs.storage",
    "yarn.programs.transfer", "yarn.programs.coordinator", "yarn.programs.task", "yarn.programs.rendezvous",
    "yarn.programs.main",
)  # fmt: skip
"""The modules of the program, each after those it uses."""

_HEAD: Final = '''\
"""What each container of the job runs: it gives TensorFlow the addresses of all tasks and runs the command.

Runs under Python 2.7 and 3, with only the standard library.
"""

from __future__ import print_function

'''
_BLANKS: Final = regex(r"\n{4,}")


class _Module(Record):
    """The text of a module, read once."""

    title: str
    lines: tuple[str, ...]
    imports: dict[str, str]
    definitions: tuple[Definition, ...]


@cache
def entries() -> frozenset[str]:
    """Every entry that a module registers, as ``TABLE.key``."""
    return frozenset(definition.entry for module in _modules() for definition in module.definitions if definition.entry)


def program(wanted: Iterable[str]) -> str:
    """The program with the entries ``wanted``, as Python text."""
    return _program(frozenset(wanted))


@cache
def _program(wanted: frozenset[str]) -> str:
    assert wanted <= entries(), f"no module registers {sorted(wanted - entries())}"
    kept = _reached(wanted)
    used = {name for definition in kept for name in definition.uses}
    heads = {line for module in _modules() for name, line in module.imports.items() if name in used}
    bodies = [
        _body(module, [definition for definition in module.definitions if definition in kept]) for module in _modules()
    ]
    return _HEAD + "\n".join(sorted(heads)) + "\n" + "".join(bodies)


@cache
def _modules() -> tuple[_Module, ...]:
    modules: list[_Module] = []
    for name in MODULES:
        package, _, file = name.rpartition(".")
        source = portable(files(f"tfdsl_backends.{package}").joinpath(f"{file}.py").read_text("utf-8"))
        title = (ast.get_docstring(ast.parse(source)) or "").splitlines()[0].rstrip(".")
        lines = tuple(source.splitlines())
        modules.append(_Module(title, lines, imports(source), tuple(definitions(name, source))))
    return tuple(modules)


def _reached(wanted: frozenset[str]) -> set[Definition]:
    """The start of the program, the ``wanted`` entries, and everything that they use, directly or not."""
    left = {definition for module in _modules() for definition in module.definitions}
    kept: set[Definition] = set()
    more = {definition for definition in left if definition.is_start or definition.entry in wanted}
    while more:
        kept |= more
        left -= more
        used = {name for definition in kept for name in definition.uses}
        mentioned = {name for definition in kept for name in definition.mentions}
        more = {definition for definition in left if not definition.entry and _is_needed(definition, used, mentioned)}
    return kept


def _is_needed(definition: Definition, used: set[str], mentioned: set[str]) -> bool:
    return (
        definition.owner in used and bool(definition.names & mentioned)
        if definition.owner
        else bool(definition.names & used)
    )


def _body(module: _Module, kept: list[Definition]) -> str:
    """The kept lines of a module, under its title."""
    if not kept:
        return ""
    text = ""
    for before, definition in zip([None, *kept], kept, strict=False):
        piece = "\n".join(_lines(module, definition)) + "\n"
        if definition.entry:  # the definitions between the last one and this one may be left out
            piece = ("" if before is not None and before.entry else "\n\n") + piece.lstrip("\n")
        text += piece
    return f"\n\n# ---- {module.title} ----\n\n" + _BLANKS.sub("\n\n\n", text).strip("\n") + "\n"


def _lines(module: _Module, definition: Definition) -> list[str]:
    """The lines of a definition; of a class, those outside its methods."""
    inside = [part for part in module.definitions if part.owner and part.owner in definition.names]
    taken = {number for part in inside for number in range(part.first, part.last + 1)}
    numbers = (number for number in range(definition.first, definition.last + 1) if number not in taken)
    return [module.lines[number - 1] for number in numbers]
