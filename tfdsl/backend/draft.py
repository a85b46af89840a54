"""A job as it is read from a manifest, before it is written: statements with the places they were read from.

The reader of a target makes a :class:`Draft`; :mod:`tfdsl.importing` writes it as a text, compiles that, and adds a
patch for whatever the output lacks. So a reader says in words what it knows words for and leaves the rest alone; a word
that is wrong costs readability, never the meaning of the job.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, TypeAlias, Union

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Node
    from tfdsl.text import Span


class Bare(Record):
    """Words that are written as they are: ``2Gi``, ``30m``, ``secret("name", "key")``, ``env.HOME``."""

    words: str


class Text(Record):
    """A string with values in it, ``"index ${task.index}"``: texts are quoted, :class:`Bare` parts go into ``${}``."""

    parts: tuple[str | Bare, ...]


Value: TypeAlias = Union[bool, int, str, Bare, Text, "Sequence[Value]", "Mapping[str, Value]"]
"""A value of the language. A ``str`` is the text itself; it is quoted when it is written."""


class _Statement(Record):
    """A statement of a block."""

    @property
    def identity(self) -> str:
        """What it is, within its block: a statement of a role hides that of the job with the same identity."""
        known_by = _KNOWN_BY.get(type(self))
        fields = [id(self)] if known_by is None else [getattr(self, field) for field in known_by]
        return f"{type(self).__name__} {fields!r}"


class Attribute(_Statement):
    """``name = value``. A map is one attribute per entry: ``key`` is that of the entry, and ``value`` its value."""

    name: str
    value: Value
    span: Span | None = None
    key: str | None = None

    @property
    def identity(self) -> str:
        """The name; of an entry with its key."""
        return self.name if self.key is None else f"{self.name}[{self.key}]"


class Mount(_Statement):
    """``mount KIND SOURCE at "PATH" [readonly] { options }``. ``source``: a text or a size, ``None`` for a bare one."""

    kind: str
    source: Value | None
    at: Value
    readonly: bool = False
    options: tuple[tuple[str, Value], ...] = ()
    span: Span | None = None


class Policy(_Statement):
    """``on EVENT => ACTION``. ``event``: with its role, statuses and delay, e.g. ``worker exit [137, 143]``."""

    event: str
    action: str
    span: Span | None = None


class Output(_Statement):
    """``output SOURCE to DESTINATION [on WHEN] [from OF] { overwrite = true }``. ``of``: a role, also with an index."""

    source: Value
    destination: Value
    when: str = "success"
    of: str = ""
    overwrite: bool = False
    span: Span | None = None


class Step(_Statement):
    """``prepare NAME { … }`` or ``sidecar NAME { … }``. ``kind``: which of the two."""

    kind: str
    name: str
    statements: tuple[Attribute, ...]
    span: Span | None = None


class Patch(_Statement):
    """``patch [pod] "PATH" = VALUE [unchecked]``; ``operator``: ``=``, ``+=`` or, for ``unpatch``, nothing.

    ``written``: its path as it is written, where that is not ``path``. ``why``: the comment above it. ``node``:
    what ``value`` was made of, of a patch that can be taken apart.
    """

    path: str
    operator: str
    value: Value = ""
    pod: bool = False
    unchecked: bool = False
    why: str = ""
    span: Span | None = None
    node: Node | None = None
    written: Value | None = None


class Param(Record):
    """``param NAME: TYPE = DEFAULT { description = "…" }``.

    ``example``: a value as it is written, with which the job compiles where there is no default.
    """

    name: str
    type: str
    description: str
    default: Value | None = None
    example: str = ""


Statement: TypeAlias = Attribute | Mount | Policy | Output | Step | Patch

_KNOWN_BY: dict[type, tuple[str, ...]] = {
    Mount: ("at",),
    Policy: ("event",),
    Output: ("source", "destination"),
    Step: ("kind", "name"),
}
"""By what statements are known beside their kind. Patches are not in it: they do not replace each other."""


class Block:
    """The statements of a job, of a role or of a target block, in the order they were added."""

    def __init__(self, statements: Iterable[Statement] = ()) -> None:
        self.statements = list(statements)

    def add(self, *statements: Statement) -> None:
        """Append ``statements``."""
        self.statements += statements

    def set(self, name: str, value: Value | None, span: Span | None = None) -> None:
        """Append ``name = value``; nothing when there is no value. Of a map each entry becomes an attribute."""
        if value is not None:
            self.add(Attribute(name, value, span))

    def entry(self, name: str, key: str, value: Value, span: Span | None = None) -> None:
        """Append ``key = value`` to the map ``name``."""
        self.add(Attribute(name, value, span, key))


class Draft:
    """One job.

    ``target`` and ``version``: what it was read from, whose block ``options`` and ``role_options`` are for.
    ``title``: its name as it is written, where that is not ``name``. ``places``: where a role is in the manifest.
    ``params``: those of its file. ``roles``: each role's block, by name; written in the language's order.
    ``renamed``: what the manifest calls a role (``trainer``, ``MASTER``) → the role. ``cluster``: settings of
    ``cluster { … }``. ``compared``: whether the output for ``target`` is compared with the manifest, and patched
    where it differs; not where there is no normal form. ``law``: whether the manifest is one that compiling must
    give again, so that no difference is a proof; without it (the server refuses it, several Jobs become one) all
    that can be kept is kept. ``wanted``: what compiling must give, where that is not what was read: the manifest
    with roles of another name, or what an older operator made of it.
    """

    def __init__(self, name: str, target: str, span: Span, version: str | None = None, *, law: bool = True) -> None:
        self.name = name
        self.title: Value | None = None
        self.target = target
        self.span = span
        self.version = version
        self.law = law
        self.compared = law
        self.params: list[Param] = []
        self.job = Block()
        self.roles: dict[str, Block] = {}
        self.places: dict[str, Span] = {}
        self.options = Block()
        self.role_options: dict[str, Block] = {}
        self.cluster: dict[str, Value] = {}
        self.renamed: dict[str, str] = {}
        self.wanted: tuple[Node, ...] = ()

    def role(self, name: str) -> Block:
        """The block of role ``name``, made when it is first asked for."""
        return self.roles.setdefault(name, Block())

    def role_option(self, name: str) -> Block:
        """The block of role ``name`` within the target block, made when it is first asked for."""
        return self.role_options.setdefault(name, Block())

    def block(self, role: str | None = None, *, written: bool) -> Block:
        """The block of ``role``, or of the job, for what is ``written`` in the manifest.

        What only a default of the system says belongs to the target: elsewhere the default of the language holds.
        """
        if written:
            return self.job if role is None else self.role(role)
        return self.options if role is None else self.role_option(role)

    def blocks(self) -> list[Block]:
        """Those of the job, of its roles, and of the target block."""
        return [self.job, *self.roles.values(), *self.target_blocks()]

    def target_blocks(self) -> list[Block]:
        """The target block, and those of roles in it."""
        return [self.options, *self.role_options.values()]

    def copy(self) -> Draft:
        """Another draft with the same statements, whose blocks can be changed."""
        other = copy(self)
        other.params, other.cluster, other.renamed = [*self.params], {**self.cluster}, {**self.renamed}
        other.job, other.options = Block(self.job.statements), Block(self.options.statements)
        other.roles = {name: Block(block.statements) for name, block in self.roles.items()}
        other.role_options = {name: Block(block.statements) for name, block in self.role_options.items()}
        return other
