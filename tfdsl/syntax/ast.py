"""The syntax tree that everything after the parser works on.

Each node has the :class:`~tfdsl.text.Span` of the text that it was read from. The parser returns a :class:`File` even
for a broken text; a part that could not be read is an :class:`ErrorExpr` or left out, and a diagnostic says where.
Nothing is resolved yet: names are names, and ``tfdsl.semantics`` decides whether an attribute exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.text import Source, Span


class Name(Record):
    """A word of the text: a name, a keyword used as a name, or a quoted key with its escapes undone."""

    text: str
    span: Span
    quoted: bool = False


class Comment(Record):
    """From ``#`` to the end of the line, the mark included."""

    text: str
    span: Span


# --- expressions -----------------------------------------------------------------------------------------------


class Str(Record):
    """A string, text block or raw block: literal pieces (escapes undone) and interpolated expressions in order.

    No piece is empty and no two literal pieces are neighbours, so an empty string has no parts at all.
    """

    parts: tuple[str | Expr, ...]
    span: Span
    form: Literal["string", "text", "raw"] = "string"


class Number(Record):
    """A decimal literal as written, e.g. ``42`` or ``1.5``."""

    text: str
    span: Span


class Unit(Record):
    """A number with a unit as written, e.g. ``500m``, ``4Gi``, ``1h30m``."""

    text: str
    span: Span


class Bool(Record):
    """``true`` or ``false``."""

    value: bool
    span: Span


class Ref(Record):
    """A bare name."""

    name: str
    span: Span


class ListExpr(Record):
    """``[a, b]``."""

    items: tuple[Expr, ...]
    span: Span


class MapExpr(Record):
    """``{ key = value, … }``."""

    entries: tuple[Assign, ...]
    span: Span


class Unary(Record):
    """``!x`` or ``-x``."""

    op: str
    operand: Expr
    span: Span


class Binary(Record):
    """``left op right``; ``op`` is one of ``+ - * / % == != < <= > >= && ||``."""

    op: str
    left: Expr
    right: Expr
    span: Span


class Choice(Record):
    """``condition ? yes : no``."""

    condition: Expr
    yes: Expr
    no: Expr
    span: Span


class Index(Record):
    """``base[index]``."""

    base: Expr
    index: Expr
    span: Span


class Member(Record):
    """``base.name``."""

    base: Expr
    name: Name
    span: Span


class Call(Record):
    """``name(arguments…)``."""

    name: Name
    arguments: tuple[Expr, ...]
    span: Span


class ErrorExpr(Record):
    """An expression that could not be read. It has been reported, so later stages say nothing about it."""

    span: Span


Expr: TypeAlias = (
    Str | Number | Unit | Bool | Ref | ListExpr | MapExpr | Unary | Binary | Choice | Index | Member | Call | ErrorExpr
)


# --- items -----------------------------------------------------------------------------------------------------


class Assign(Record):
    """``key = value``: an attribute, a setting, or an entry of a map."""

    key: Name
    value: Expr
    span: Span


class Use(Record):
    """``use template``."""

    name: Name
    span: Span


class Mount(Record):
    """``mount KIND [SOURCE] at PATH [readonly] [{ options }]``."""

    kind: Name
    source: Expr | None
    path: Expr
    readonly: Span | None
    options: tuple[Assign, ...]
    span: Span


class Subject(Record):
    """``ROLE`` or ``ROLE[INDEX]``."""

    role: Name
    index: Number | None
    span: Span


class Output(Record):
    """``output SOURCE to DESTINATION [on WHEN] [from SUBJECT] [{ options }]``."""

    source: Expr
    destination: Expr
    when: Name | None
    subject: Subject | None
    options: tuple[Assign, ...]
    span: Span


class CodeRange(Record):
    """``N`` (``last`` is ``None``) or ``N..M``."""

    first: Number
    last: Number | None
    span: Span


class Event(Record):
    """The event of a policy. ``exit`` has ``codes``; ``restarted`` has ``count``; all others are only a word."""

    name: Name
    codes: CodeRange | ListExpr | None
    count: Number | None
    span: Span


class Policy(Record):
    """``on [SUBJECT] EVENT [after DELAY] => ACTION``; the words of the action are joined by one space."""

    subject: Subject | None
    event: Event
    delay: Expr | None
    action: Name
    span: Span


class Role(Record):
    """``role NAME { … }``."""

    name: Name
    items: tuple[Item, ...]
    span: Span


class Cluster(Record):
    """``cluster { … }``; ``word`` covers the keyword."""

    word: Span
    settings: tuple[Assign, ...]
    span: Span


class Copy(Record):
    """``copy SOURCE to DESTINATION`` of a build."""

    source: Expr
    destination: Expr
    span: Span


class Run(Record):
    """``run COMMAND`` of a build."""

    command: Expr
    span: Span


class Build(Record):
    """``build { … }``; ``word`` covers the keyword."""

    word: Span
    items: tuple[Assign | Copy | Run, ...]
    span: Span


class Patch(Record):
    """``patch PATH = VALUE`` (``set``), ``patch PATH += VALUE`` (``merge``) or ``unpatch PATH`` (``remove``).

    ``pod`` and ``unchecked`` are the spans of these words, if they are written.
    """

    op: Literal["set", "merge", "remove"]
    pod: Span | None
    path: Str
    value: Expr | None
    unchecked: Span | None
    span: Span


class Target(Record):
    """``target NAME { … }``."""

    name: Name
    items: tuple[Item, ...]
    span: Span


Item: TypeAlias = Assign | Use | Mount | Output | Policy | Role | Cluster | Build | Patch | Target


# --- declarations ----------------------------------------------------------------------------------------------


class Edition(Record):
    """``edition N``."""

    number: Number
    span: Span


class Include(Record):
    """``include "file"``."""

    path: Str
    span: Span


class TypeRef(Record):
    """``int``, ``list<string>`` …"""

    name: Name
    of: TypeRef | None
    span: Span


class Param(Record):
    """``param NAME: TYPE [= DEFAULT] [{ settings }]``."""

    name: Name
    type: TypeRef
    default: Expr | None
    settings: tuple[Assign, ...]
    span: Span


class Let(Record):
    """``let NAME = VALUE``."""

    name: Name
    value: Expr
    span: Span


class Template(Record):
    """``template NAME { … }``."""

    name: Name
    items: tuple[Item, ...]
    span: Span


class Profile(Record):
    """``profile NAME { … }``."""

    name: Name
    settings: tuple[Assign, ...]
    span: Span


class Job(Record):
    """``job NAME { … }``; a quoted name has ``name.quoted``."""

    name: Name
    items: tuple[Item, ...]
    span: Span

    if not TYPE_CHECKING:  # for type checkers every job has its items
        _read: Job
        _moved: Callable[[tuple[Item, ...]], tuple[Item, ...]]

        def __getattr__(self, name: str) -> object:
            if name != "items":
                raise AttributeError(name)
            self.items = self._moved(self._read.items)
            return self.items

    @staticmethod
    def later(read: Job, name: Name, span: Span, moved: Callable[[tuple[Item, ...]], tuple[Item, ...]]) -> Job:
        """A job that was read at another place; its items are moved when somebody looks at them."""
        job = object.__new__(Job)
        for field, value in (("_read", read), ("_moved", moved), ("name", name), ("span", span)):
            object.__setattr__(job, field, value)
        return job

    @property
    def as_read(self) -> Job:
        """The same job at the place where it was read: only its spans may differ."""
        return getattr(self, "_read", self)


Declaration: TypeAlias = Edition | Include | Param | Let | Template | Profile | Job


class File(Record):
    """One whole text."""

    source: Source
    declarations: tuple[Declaration, ...]
    comments: tuple[Comment, ...]
