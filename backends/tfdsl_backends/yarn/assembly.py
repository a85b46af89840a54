"""Joins the parts of the task program that a job needs into the one file that is sent with it.

The modules of :mod:`tfdsl_backends.yarn.programs` register what they can do in tables (``COMMANDS["fetch"] = ...``).
The caller names the entries that the job needs; only those, and what their text uses, are joined.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Final

from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl_backends.hadoop.programs import portable
from tfdsl_backends.yarn.definitions import Definition, definitions, imports

MODULES: Final = (
    "ways", "plan", "cluster", "wire", "webhdfs", "storage", "marks", "transfer", "unzip", "coordinator", "steps",
    "task", "rendezvous", "alone", "server", "main",
)  # fmt: skip
"""The modules of :mod:`tfdsl_backends.yarn.programs`, each after those it uses."""

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
    return frozenset(one.entry for module in _modules() for one in module.definitions if one.entry)


def program(wanted: Iterable[str]) -> str:
    """The program with the entries ``wanted``, as Python text."""
    return _program(frozenset(wanted))


@cache
def _program(wanted: frozenset[str]) -> str:
    assert wanted <= entries(), f"no module registers {sorted(wanted - entries())}"
    kept = _reached(wanted)
    used = {name for one in kept for name in one.uses}
    heads = {line for module in _modules() for name, line in module.imports.items() if name in used}
    bodies = [_body(module, [one for one in module.definitions if one in kept]) for module in _modules()]
    return _HEAD + "\n".join(sorted(heads)) + "\n" + "".join(bodies)


@cache
def _modules() -> tuple[_Module, ...]:
    modules: list[_Module] = []
    for name in MODULES:
        source = portable(files("tfdsl_backends.yarn.programs").joinpath(f"{name}.py").read_text("utf-8"))
        title = (ast.get_docstring(ast.parse(source)) or "").splitlines()[0].rstrip(".")
        lines = tuple(source.splitlines())
        modules.append(_Module(title, lines, imports(source), tuple(definitions(name, source))))
    return tuple(modules)


def _reached(wanted: frozenset[str]) -> set[Definition]:
    """The start of the program, the ``wanted`` entries, and everything that they use, directly or not."""
    left = {one for module in _modules() for one in module.definitions}
    kept: set[Definition] = set()
    more = {one for one in left if one.is_start or one.entry in wanted}
    while more:
        kept |= more
        left -= more
        used = {name for one in kept for name in one.uses}
        mentioned = {name for one in kept for name in one.mentions}
        more = {one for one in left if not one.entry and _is_needed(one, used, mentioned)}
    return kept


def _is_needed(one: Definition, used: set[str], mentioned: set[str]) -> bool:
    return one.owner in used and bool(one.names & mentioned) if one.owner else bool(one.names & used)


def _body(module: _Module, kept: list[Definition]) -> str:
    """The kept lines of a module, under its title."""
    if not kept:
        return ""
    text = ""
    for before, one in zip([None, *kept], kept, strict=False):
        piece = "\n".join(_lines(module, one)) + "\n"
        if one.entry:  # the definitions between the last one and this one may be left out
            piece = ("" if before is not None and before.entry else "\n\n") + piece.lstrip("\n")
        text += piece
    return f"\n\n# ---- {module.title} ----\n\n" + _BLANKS.sub("\n\n\n", text).strip("\n") + "\n"


def _lines(module: _Module, one: Definition) -> list[str]:
    """The lines of a definition; of a class, those outside its methods."""
    inside = [part for part in module.definitions if part.owner and part.owner in one.names]
    taken = {number for part in inside for number in range(part.first, part.last + 1)}
    numbers = (number for number in range(one.first, one.last + 1) if number not in taken)
    return [module.lines[number - 1] for number in numbers]
