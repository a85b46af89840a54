"""The nodes of values: names, literals, operators, calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.syntax.ast import Assign
    from tfdsl.text import Span


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
