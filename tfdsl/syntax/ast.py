"""The syntax tree that everything after the parser works on.

Each node has the :class:`~tfdsl.text.Span` of the text that it was read from. The parser returns a :class:`File` even
for a broken text; a part that could not be read is an :class:`ErrorExpr` or left out, and a diagnostic says where.
Nothing is resolved yet: names are names, and ``tfdsl.semantics`` decides whether an attribute exists.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from tfdsl.record import Record
from tfdsl.text import Source, Span

# --- ast values ---
#
# The nodes of values: names, literals, operators, calls.


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


__all__ = [
    "Binary",
    "Bool",
    "Call",
    "Choice",
    "Comment",
    "ErrorExpr",
    "Expr",
    "Index",
    "ListExpr",
    "MapExpr",
    "Member",
    "Name",
    "Number",
    "Ref",
    "Str",
    "Unary",
    "Unit",
]
"""The nodes of values, which belong to the tree as well."""


# --- items -----------------------------------------------------------------------------------------------------


class Condition(Record):
    """``when VALUE``; the item that has it is absent where the value is false."""

    value: Expr
    span: Span


class Assign(Record):
    """``key = value [when CONDITION]``: an attribute; without condition also a setting or an entry of a map."""

    key: Name
    value: Expr
    span: Span
    condition: Condition | None = None


class Use(Record):
    """``use TEMPLATE [when CONDITION]``."""

    name: Name
    span: Span
    condition: Condition | None = None


class Mount(Record):
    """``mount KIND [SOURCE] at PATH [readonly] [when CONDITION] [{ options }]``."""

    kind: Name
    source: Expr | None
    path: Expr
    readonly: Span | None
    options: tuple[Assign, ...]
    span: Span
    condition: Condition | None = None


class Subject(Record):
    """``ROLE`` or ``ROLE[INDEX]``."""

    role: Name
    index: Number | None
    span: Span


class Output(Record):
    """``output SOURCE to DESTINATION [on WHEN] [from SUBJECT] [when CONDITION] [{ options }]``."""

    source: Expr
    destination: Expr
    when: Name | None
    subject: Subject | None
    options: tuple[Assign, ...]
    span: Span
    condition: Condition | None = None


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
    """``on [SUBJECT] EVENT [after DELAY] [when CONDITION] => ACTION``.

    The words of the action are joined by one space.
    """

    subject: Subject | None
    event: Event
    delay: Expr | None
    action: Name
    span: Span
    condition: Condition | None = None


class Role(Record):
    """``role NAME [when CONDITION] { … }``."""

    name: Name
    items: tuple[Item, ...]
    span: Span
    condition: Condition | None = None


class Step(Record):
    """``prepare NAME [when CONDITION] { … }`` or ``sidecar …``: a container beside the command of each replica."""

    kind: Literal["prepare", "sidecar"]
    name: Name
    items: tuple[Item, ...]
    span: Span
    condition: Condition | None = None


class UnsetAttribute(Record):
    """``unset NAME`` or ``unset NAME[KEY]``, each with an optional condition."""

    name: Name
    key: Expr | None
    span: Span
    condition: Condition | None = None


class UnsetMount(Record):
    """``unset mount PATH [when CONDITION]``."""

    path: Expr
    span: Span
    condition: Condition | None = None


class UnsetOutput(Record):
    """``unset output SOURCE to DESTINATION [when CONDITION]``."""

    source: Expr
    destination: Expr
    span: Span
    condition: Condition | None = None


class UnsetPolicy(Record):
    """``unset on [SUBJECT] EVENT [when CONDITION]``; ``restarted`` has no count here."""

    subject: Subject | None
    event: Event
    span: Span
    condition: Condition | None = None


class UnsetStep(Record):
    """``unset prepare NAME [when CONDITION]`` or ``unset sidecar …``."""

    kind: Literal["prepare", "sidecar"]
    name: Name
    span: Span
    condition: Condition | None = None


Unset: TypeAlias = UnsetAttribute | UnsetMount | UnsetOutput | UnsetPolicy | UnsetStep
UNSET = (UnsetAttribute, UnsetMount, UnsetOutput, UnsetPolicy, UnsetStep)  # the same for isinstance


class Matrix(Record):
    """``matrix { axis = [values], … }``; ``word`` covers the keyword."""

    word: Span
    axes: tuple[Assign, ...]
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

    Each may end with a condition. ``pod`` and ``unchecked`` are the spans of these words, if they are written.
    """

    op: Literal["set", "merge", "remove"]
    pod: Span | None
    path: Str
    value: Expr | None
    unchecked: Span | None
    span: Span
    condition: Condition | None = None


class Target(Record):
    """``target NAME { … }``."""

    name: Name
    items: tuple[Item, ...]
    span: Span


Item: TypeAlias = (
    Assign | Use | Mount | Output | Policy | Step | Unset | Role | Cluster | Build | Matrix | Patch | Target
)


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
    """``job NAME [when CONDITION] { … }``; a quoted name has ``name.quoted``.

    ``pattern``: a name with ``${}``, which is evaluated; ``name`` is then the text between the quotes as written.
    """

    name: Name
    items: tuple[Item, ...]
    span: Span
    condition: Condition | None = None
    pattern: Str | None = None

    @property
    def matrix(self) -> Matrix | None:
        """Its matrix, if it has one."""
        return next((item for item in self.items if isinstance(item, Matrix)), None)


class FlowRun(Record):
    """``run JOB [after JOB or LIST [ENDING]] [when CONDITION]``.

    A job is a name if it is written as one, with or without quotes; a text with ``${}`` and what cannot name a job are
    values.
    """

    job: Name | Expr
    after: tuple[Name | Expr, ...]
    ending: Name | None
    span: Span
    condition: Condition | None = None


class Flow(Record):
    """``flow NAME { … }``."""

    name: Name
    items: tuple[Assign | FlowRun, ...]
    span: Span


Declaration: TypeAlias = Edition | Include | Param | Let | Template | Profile | Job | Flow


class File(Record):
    """The tree of one text, with its comments."""

    source: Source
    declarations: tuple[Declaration, ...]
    comments: tuple[Comment, ...]
