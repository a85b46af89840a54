"""The support table of a target: a row says what becomes of one key of the IR, and what is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from tfdsl.diagnostics import Rule
from tfdsl.record import Record
from tfdsl.vocabulary.statements import MOUNTS_BY_NAME, RUN_TIME_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item

Fate: TypeAlias = Literal["kept", "translated", "approximated", "refused"]


class Condition(Protocol):
    """Whether a row applies to an item of a job."""

    def __call__(self, unit: Unit, item: Item, /) -> bool:
        """Decide for ``item`` of ``unit.job``."""
        ...


class Fill(Protocol):
    """Gives the values of further ``{names}`` in a row's text."""

    def __call__(self, unit: Unit, item: Item, /) -> Mapping[str, str]:
        """Name → text for ``item`` of ``unit.job``."""
        ...


class Row(Record):
    """What a target does with one key of the IR.

    ``to``: the field of the target, for the tables. ``text``: how it differs or why it cannot be (may hold
    ``{value}``, ``{role}``, ``{job}``, the job's name, and what ``fill`` gives). ``rule``: what is reported for an
    approximation or a refusal. ``instead``: what to write or which target can. ``since``: the first version for which
    the row holds. ``when``: a further condition; ``when_text`` says it in words for the tables. Of the rows of one key
    the first that applies decides.
    ``default`` says what is told when the value is a default that the source does not write: an info, or nothing.
    A ``translated`` row with a rule is reported in that case only: see :func:`chosen`.
    """

    key: str
    fate: Fate
    to: str
    text: str
    rule: Rule | None
    instead: str
    since: str | None
    when: Condition | None
    when_text: str
    default: Literal["info", "silent"]
    fill: Fill | None = None


def kept(key: str, to: str, *, since: str | None = None, when: Condition | None = None, when_text: str = "") -> Row:
    """The target has the same thing."""
    return Row(key, "kept", to, "", None, "", since, when, when_text, "silent")


def translated(
    key: str, to: str, text: str, *, since: str | None = None, when: Condition | None = None, when_text: str = ""
) -> Row:
    """The target says it in another way, with the same meaning."""
    return Row(key, "translated", to, text, None, "", since, when, when_text, "silent")


def chosen(
    key: str,
    to: str,
    text: str,
    told: str,
    code: str,
    slug: str,
    *,
    instead: str,
    since: str | None = None,
    when: Condition | None = None,
    when_text: str = "",
    fill: Fill | None = None,
) -> Row:
    """The target says it in another way, but left alone it would do something else than the language's default.

    ``told`` is an info for those who leave the value to the default; ``instead`` says what to write to have it
    otherwise.
    """
    rule = Rule(code, slug, "info", told)
    return Row(key, "translated", to, text, rule, instead, since, when, when_text, "info", fill)


def approximated(
    key: str,
    to: str,
    text: str,
    code: str,
    slug: str,
    *,
    instead: str = "",
    since: str | None = None,
    when: Condition | None = None,
    when_text: str = "",
    default: Literal["info", "silent"] = "info",
    fill: Fill | None = None,
) -> Row:
    """The target does something near: a warning that says how it differs."""
    rule = Rule(code, slug, "warning", text)
    return Row(key, "approximated", to, text, rule, instead, since, when, when_text, default, fill)


def refused(
    key: str,
    text: str,
    code: str,
    slug: str,
    *,
    instead: str = "",
    since: str | None = None,
    when: Condition | None = None,
    when_text: str = "",
    default: Literal["info", "silent"] = "info",
    fill: Fill | None = None,
) -> Row:
    """The target cannot: an error with an alternative."""
    rule = Rule(code, slug, "error", text)
    return Row(key, "refused", "", text, rule, instead, since, when, when_text, default, fill)


def refused_mount(kind: str, text: str, code: str, slug: str, *, instead: str = "") -> Iterator[Row]:
    """A kind of mount that the target cannot have: refused once, of the mount itself, not of its options again."""
    key = f"mounts[{kind}]"
    yield refused(key, text, code, slug, instead=instead)
    row = MOUNTS_BY_NAME[kind]
    options = dict.fromkeys(("readonly", *(option.name for option in row.options)))
    marked = [] if row.source == "size" else [key]
    marked += [f"{key}.sub_path"] if "sub_path" in options else []
    keys = [*(f"{key}.{option}" for option in options), *(f"{at}{mark}" for at in marked for mark in RUN_TIME_MARKS)]
    yield from (translated(one, "", "the mount itself is refused") for one in keys)


class Support:
    """The support table of a target: rows by key, in the order they are tried."""

    def __init__(self, *rows: Row) -> None:
        self.rows = rows
        self._by_key: dict[str, list[Row]] = {}
        for row in rows:
            self._by_key.setdefault(row.key, []).append(row)

    def __getitem__(self, key: str) -> Sequence[Row]:
        """The rows of ``key``; empty when the table has a hole."""
        return self._by_key.get(key, ())

    def decide(self, unit: Unit, item: Item) -> Row | None:
        """The row that holds for ``item``."""
        for row in self[item.key]:
            if row.since is not None and not unit.at_least(row.since):
                continue
            if row.when is None or row.when(unit, item):
                return row
        return None
