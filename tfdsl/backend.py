"""What a target is: its versions, its options, its support table, and how it generates documents.

A backend package (``tfdsl_backends/<name>/``) exposes ``BACKEND``, a :class:`Backend`. Everything in it but the
lowering is plain data that loads in a moment, so ``tfdsl targets``, hover and checks can read it; the lowering
module is imported when a job is generated.

**Loss is a table.** For every key of :func:`tfdsl.ir.fields.all_keys` the support table has at least one row, and
:func:`judge` walks what a job sets and reports what the rows say. A contract test enumerates keys × backends.
"""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol, cast

from tfdsl.diagnostics import Diagnostic, Rule, shortened
from tfdsl.record import Record, replace
from tfdsl.support import (
    Condition,
    Fate,
    Row,
    Support,
    approximated,
    chosen,
    kept,
    refused,
    translated,
)
from tfdsl.vocabulary import versions
from tfdsl.vocabulary.options import Option, OptionValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tfdsl.emit.located import Data
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Job
    from tfdsl.ir.origins import Origins
    from tfdsl.patch.rules import PatchRules
    from tfdsl.text import Span
    from tfdsl.vocabulary.versions import Version

__all__ = [
    "ALIASES",
    "Backend",
    "Condition",
    "Document",
    "Fate",
    "Lowering",
    "Option",
    "OptionValue",
    "Row",
    "Support",
    "TaskConfig",
    "Unit",
    "approximated",
    "chosen",
    "find",
    "judge",
    "kept",
    "names",
    "refused",
    "translated",
]


class Unit(Record):
    """One job to be generated for one target at one version.

    ``version``: the known one that decides what the target does. ``named``: the version as the user named it, where
    that is another (1.12.3 behaves like 1.12.0); read it as :attr:`shown_version`.
    ``options`` has a value for every option of the backend (its default where none was given); ``option_spans``
    tells where a given one was written, and as ``hosts[2]`` where a member of a list was.
    """

    target: str
    version: str
    job: Job
    origins: Origins
    options: Mapping[str, OptionValue]
    option_spans: Mapping[str, Span] = {}
    named: str = ""

    @property
    def shown_version(self) -> str:
        """The version in the user's words, for messages and names of folders."""
        return self.named or self.version

    def at_least(self, version: str) -> bool:
        """Whether the target's version is ``version`` or newer."""
        return versions.key(self.version) >= versions.key(version)

    def text(self, option: str) -> str:
        """The value of a string option; empty when it has none."""
        value = self.options[option]
        return value if isinstance(value, str) else ""

    def flag(self, option: str) -> bool:
        """The value of a bool option."""
        return self.options[option] is True

    def texts(self, option: str) -> tuple[str, ...]:
        """The value of a list option; empty when it has none."""
        value = self.options[option]
        return value if isinstance(value, tuple) else ()


class Document(Record):
    """One thing a backend makes.

    ``file``: its name in a set of files (``package/scripts/role.py``), ``None`` for a document of the one stream.
    ``data``: a tree with :class:`~tfdsl.emit.located.Located` leaves, or the text of a script.
    """

    data: Data
    file: str | None = None
    format: Literal["yaml", "json", "xml", "text"] = "yaml"
    executable: bool = False


class TaskConfig(Record):
    """What one task will see.

    ``tf_config`` as JSON text (``None``: not set), the flags appended to its arguments, and in words how this
    target's own delivery differs from the language's.
    """

    role: str
    index: int
    tf_config: str | None
    flags: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()


class Lowering(Protocol):
    """The functions of a backend's lowering module."""

    def check(self, unit: Unit, /) -> Iterable[Diagnostic]:
        """The target's own rules beyond its table: name budgets, host lists …"""
        ...

    def generate(self, unit: Unit, /) -> Sequence[Document]:
        """The documents of a job that passed every check, in output order."""
        ...

    def tasks(self, unit: Unit, /) -> Sequence[TaskConfig]:
        """What each task will see, roles in order, indexes ascending."""
        ...


class Backend(Record):
    """One target. ``output``: one YAML stream, or a set of files. ``lowering``: the module with :class:`Lowering`.

    ``versions``: those it knows, oldest first, the default last. ``prefix``: of its diagnostic codes (``VOL``).
    ``rules``: what its ``check`` can say (the table's rules come from the table). ``schemas``: the file of the schemas
    of its documents (:mod:`tfdsl.patch.schema`); empty when patches cannot be checked. ``requires_image``: whether
    every role needs an image with the given options (slider and yarn may run native). ``patch_rules``: the module whose
    ``RULES`` say what may not be patched; ``pods``: its documents have pod templates, which ``patch pod`` changes.
    """

    name: str
    title: str
    prefix: str
    versions: tuple[str, ...]
    options: tuple[Option, ...]
    support: Support
    output: Literal["stream", "files"]
    lowering: str
    aliases: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    schemas: str = ""
    patch_rules: str = ""
    pods: bool = False
    requires_image: Callable[[Mapping[str, object]], bool] = lambda options: True

    def load(self) -> Lowering:
        """Import the lowering."""
        return cast("Lowering", import_module(self.lowering))

    def find_version(self, text: str) -> Version | None:
        """What ``text`` names: a known version, one between them, or a patch of one; ``None`` for all else."""
        return versions.find(text, self.versions)

    def load_patch_rules(self) -> PatchRules:
        """What may not be patched in its documents."""
        module = import_module(self.patch_rules or "tfdsl.patch.rules")
        return cast("PatchRules", module.RULES)

    @property
    def default_version(self) -> str:
        """The version taken when none is named."""
        return self.versions[-1]

    def all_rules(self) -> tuple[Rule, ...]:
        """Every rule that this target can report."""
        return (*(row.rule for row in self.support.rows if row.rule is not None), *self.rules)


_BUILT_IN = {
    "tfjob": "tfdsl_backends.tfjob",
    "volcano": "tfdsl_backends.volcano",
    "kubernetes": "tfdsl_backends.kubernetes",
    "slider": "tfdsl_backends.slider",
    "yarn": "tfdsl_backends.yarn",
}
ALIASES = {"kubeflow": "tfjob", "simpletfjob": "kubernetes"}
"""Other names of the built-in targets."""

_loaded: dict[str, Backend] = {}


def names() -> tuple[str, ...]:
    """Names of the built-in targets."""
    return tuple(_BUILT_IN)


def find(name: str) -> Backend | None:
    """The backend called ``name`` (an alias is fine): built in, else from an entry point of ``tfdsl.backends``."""
    name = ALIASES.get(name, name)
    if name not in _loaded:
        module = _BUILT_IN.get(name)
        found = cast("Backend", import_module(module).BACKEND) if module else _entry_point(name)
        if found is None:
            return None
        _loaded[name] = found
    return _loaded[name]


def _entry_point(name: str) -> Backend | None:
    from importlib.metadata import distributions  # costs 26 ms, paid only for a name that is not built in

    for distribution in distributions(path=_installed()):
        for point in distribution.entry_points.select(group="tfdsl.backends", name=name):
            return cast("Backend", point.load())
    return None


def _installed() -> list[str]:
    """Where programs are installed: all of the path but the current folder, which may be a stranger's."""
    if _is_current(os.path.dirname(os.path.dirname(__file__))):
        return sys.path
    return [place for place in sys.path if not _is_current(place)]


def _is_current(folder: str) -> bool:
    try:
        return os.path.samefile(folder or os.curdir, os.curdir)
    except OSError:  # a folder of the path that is not there, or a current folder that has been removed
        return False


def judge(backend: Backend, unit: Unit) -> list[Diagnostic]:
    """What the target keeps silently, changes with a warning, or refuses, for everything that the job sets.

    One diagnostic per row and place, however many roles inherit the value.
    """
    from tfdsl.ir.fields import walk

    found: dict[tuple[str, Span], Diagnostic] = {}
    items = list(walk(unit.job, unit.origins))
    others = _Others(backend, unit, items)
    for item in items:
        row = backend.support.decide(unit, item)
        if row is None or row.rule is None:
            continue
        diagnostic = _report(backend, unit, item, row)
        if diagnostic is None or (row.rule.code, diagnostic.span) in found:
            continue
        if row.fate == "refused" and not names_other(row.instead, backend.name):
            diagnostic = diagnostic.help(others.advice(item))
        found[row.rule.code, diagnostic.span] = diagnostic
    return list(found.values())


def _report(backend: Backend, unit: Unit, item: Item, row: Row) -> Diagnostic | None:
    rule = cast("Rule", row.rule)
    span = unit.origins.written(item.path)
    if row.default == "silent" if span is None else row.fate == "translated":
        return None
    values = {"value": item.shown, "role": item.role, "job": unit.job.name}
    if row.fill is not None:
        values |= row.fill(unit, item)
    message = rule.message.format_map({key: shortened(value) for key, value in values.items()})
    level = "info" if span is None else rule.level
    diagnostic = Diagnostic(rule, level, f"{backend.name}: {message}", span or unit.origins.span(item.path))
    if row.instead:
        diagnostic = diagnostic.help(row.instead.format_map(values))
    return replace(diagnostic, target=backend.name, approximation=row.fate == "approximated" and span is not None)


def names_other(advice: str, target: str) -> bool:
    """Whether ``advice`` names a target other than ``target``, or says that there is none."""
    named = re.findall(r"\w+", " ".join(re.findall(r"(?:compile to|target) ([^;(]*)", advice.lower())))
    return "no target can" in advice or any(name in named for name in names() if name != target)


class _Others:
    """What the other targets would make of things that ``backend`` refuses, at their defaults."""

    def __init__(self, backend: Backend, unit: Unit, items: Sequence[Item]) -> None:
        self._backend = backend
        self._unit = unit
        self._items = items
        self._units: list[tuple[Backend, Unit]] = []
        self._by_node: dict[int, list[Item]] = {}

    def advice(self, item: Item) -> str:
        """Which other targets take ``item``, as a line of help."""
        from tfdsl.diagnostics.suggest import listing

        if not self._units:
            self._prepare()
        able = [other.name for other, there in self._units if self._takes(other, there, item)]
        return f"compile to {listing(able)}, which can" if able else "no target can"

    def _prepare(self) -> None:
        for name in names():
            other = find(name)
            if other is not None and other is not self._backend:
                options = {option.name: option.default for option in other.options}
                there = replace(self._unit, target=other.name, version=other.default_version, options=options)
                self._units.append((other, replace(there, option_spans={}, named="")))
        for one in self._items:
            self._by_node.setdefault(id(one.node), []).append(one)

    def _takes(self, other: Backend, there: Unit, item: Item) -> bool:
        """Whether nothing is refused of ``item``, nor of the mount, output or policy that it belongs to."""
        whole = item.key.startswith(("mounts", "outputs", "policies"))
        parts = self._by_node[id(item.node)] if whole else [item]
        rows = [other.support.decide(there, part) for part in parts]
        return all(row is not None and row.fate != "refused" for row in rows)
