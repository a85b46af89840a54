"""The support table of a target: a row says what becomes of one key of the IR, and what tfdsl reports about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from tfdsl.diagnostics import Rule
from tfdsl.patterns import regex
from tfdsl.record import Record, replace

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item

REST = "everything else"
"""The key of the row for what has none of its own."""

Fate: TypeAlias = Literal["kept", "translated", "approximated", "refused"]
Test: TypeAlias = "Callable[[Unit, Item], bool]"


class Condition(Record):
    """Whether a row applies to an item of a job: in ``words`` for the tables, and as a ``test``."""

    words: str
    test: Test

    def __call__(self, unit: Unit, item: Item, /) -> bool:
        """Decide for ``item`` of ``unit.job``."""
        return self.test(unit, item)


def condition(words: str) -> Callable[[Test], Condition]:
    """Make the decorated function a :class:`Condition` that reads ``words`` in the tables."""
    return lambda test: Condition(words, test)


class Fill(Protocol):
    """Gives the values of further ``{names}`` in a row's text."""

    def __call__(self, unit: Unit, item: Item, /) -> Mapping[str, str]:
        """Name → text for ``item`` of ``unit.job``."""
        ...


class Row(Record):
    """What a target does with one key of the IR. Of the rows of one key the first that applies decides.

    ``to``: the field of the target, for the tables. ``text``: how it differs or why it is impossible; it may hold
    ``{value}``, ``{role}``, ``{job}``, the job's name, ``{key}``, the key as a file has it, and what ``fill`` gives.
    ``rule``: what is reported for an approximation or a refusal. ``instead``: what to write, or which target supports
    it. ``since``: the first version for which the row holds. ``when``: a further condition.
    ``default`` says what is reported when the value is a default that the source does not write: an info, or nothing.
    A ``translated`` row with a rule is reported in that case only: see :func:`chosen`.
    """

    key: str
    fate: Fate
    to: str = ""
    text: str = ""
    rule: Rule | None = None
    instead: str = ""
    since: str | None = None
    when: Condition | None = None
    default: Literal["info", "silent"] = "silent"
    fill: Fill | None = None

    @property
    def words(self) -> str:
        """The condition in words; empty when the row has none."""
        return self.when.words if self.when is not None else ""


# Rows that are reported name their rule by a code and a slug. The table to which a row belongs completes both: a code
# that is only digits gets the target's prefix, and a slug the target's name. A row without a slug takes the last word
# of its key: `job.cleanup` → `volcano-cleanup`.


def kept(key: str, to: str, *, since: str | None = None, when: Condition | None = None) -> Row:
    """The target has the same thing."""
    return Row(key, "kept", to, since=since, when=when)


def translated(key: str, to: str, text: str, *, since: str | None = None, when: Condition | None = None) -> Row:
    """The target expresses it in another way, with the same meaning."""
    return Row(key, "translated", to, text, since=since, when=when)


def chosen(
    key: str,
    to: str,
    text: str,
    message: str,
    code: str,
    slug: str = "",
    *,
    instead: str,
    since: str | None = None,
    when: Condition | None = None,
    fill: Fill | None = None,
) -> Row:
    """The target expresses it in another way, and its own default differs from the language's.

    ``message`` is an info for those who leave the value to the default; ``instead`` says what to write to change it.
    """
    return Row(key, "translated", to, text, Rule(code, slug, "info", message), instead, since, when, "info", fill)


def approximated(
    key: str,
    to: str,
    text: str,
    code: str,
    slug: str = "",
    *,
    instead: str = "",
    since: str | None = None,
    when: Condition | None = None,
    default: Literal["info", "silent"] = "info",
    level: Literal["warning", "info"] = "warning",
    fill: Fill | None = None,
) -> Row:
    """The target does something near: a warning that says how it differs, or an info where that seldom matters."""
    return Row(key, "approximated", to, text, Rule(code, slug, level, text), instead, since, when, default, fill)


def refused(
    key: str,
    text: str,
    code: str,
    slug: str = "",
    *,
    instead: str = "",
    since: str | None = None,
    when: Condition | None = None,
    default: Literal["info", "silent"] = "info",
    fill: Fill | None = None,
) -> Row:
    """The target cannot: an error with an alternative. Refused without a condition, it covers all parts of the key."""
    return Row(key, "refused", "", text, Rule(code, slug, "error", text), instead, since, when, default, fill)


class Support:
    """The support table of a target: rows by key, in the order they are tried.

    ``target`` and ``prefix`` complete the slugs and codes of the rows. ``rest``: the row, with the key :data:`REST`, of
    all keys that have no row of their own.
    """

    def __init__(self, target: str, prefix: str, *rows: Row, rest: Row | None = None) -> None:
        self.rest = () if rest is None else (_completed(rest, target, prefix),)
        self.rows = (*(_completed(row, target, prefix) for row in rows), *self.rest)
        self._by_key: dict[str, list[Row]] = {}
        for row in self.rows:
            self._by_key.setdefault(row.key, []).append(row)

    def __getitem__(self, key: str) -> Sequence[Row]:
        """The rows of ``key``, or those that refuse the whole it is a part of; empty when the table has a hole."""
        whole = _whole(key)
        return self._by_key.get(whole if self._refuses(whole) else key, self.rest)

    def decide(self, unit: Unit, item: Item) -> Row | None:
        """The row that holds for ``item``; ``None`` for a part of something that is refused as a whole."""
        whole = _whole(item.key)
        if whole != item.key and self._refuses(whole):
            return None
        for row in self[item.key]:
            if row.since is not None and not unit.at_least(row.since):
                continue
            if row.when is None or row.when(unit, item):
                return row
        return None

    def _refuses(self, key: str) -> bool:
        rows = self._by_key.get(key, self.rest)
        return bool(rows) and all(row.fate == "refused" for row in rows)


_KEYS = (
    (regex(r"policies\[(\w+)\]\.index"), r"on ROLE[INDEX] \1"),
    (regex(r"policies\[(\w+)\]\.delay"), r"on \1 after DURATION"),
    (regex(r"policies\[(\w+)\]\.(.+)"), r"on \1 => \2"),
    (regex(r"policies\[(\w+)\]"), r"on \1"),
    (regex(r"mounts\[(\w+)\]\.(\w+)(.*)"), r"\2 of mount \1\3"),
    (regex(r"mounts\[(\w+)\](.*)"), r"mount \1\2"),
    (regex(r"steps\[(\w+)\]\.(\w+)(.*)"), r"\2 of \1\3"),
    (regex(r"steps\[(\w+)\]"), r"\1"),
    (regex(r"outputs\[\]\.when"), "on success|failure|always of output"),
    (regex(r"outputs\[\]\.index"), "from ROLE[INDEX] of output"),
    (regex(r"outputs\[\]\.(\w+)(.*)"), r"\1 of output\2"),
    (regex(r"outputs\[\]"), "output"),
    (regex(r"(?:roles\[\]|job)\.(\w+)(.*)"), r"\1\2"),
    (regex(r"cluster\.(\w+)"), r"\1 of cluster"),
)


_PARTS = (
    ("{task.index}", " with ${task.index}"),
    ("{env}", " with ${env.NAME}"),
    ("{pod_field}", " with pod_field()"),
)


def spoken(key: str) -> str:
    """A key of a support table as it is written in a file: ``on failed => restart pod``."""
    for form, words in _KEYS:
        match = form.fullmatch(key)
        if match is not None:
            key = match.expand(words)
            break
    for mark, words in _PARTS:
        key = key.replace(mark, words)
    return key


def _whole(key: str) -> str:
    """The mount, output, step or policy that ``key`` is about: ``mounts[pvc]`` for ``mounts[pvc].sub_path{env}``."""
    before, bracket, _ = key.partition("]")
    return key if before == "roles[" else before + bracket


def _completed(row: Row, target: str, prefix: str) -> Row:
    if row.rule is None:
        return row
    code = prefix + row.rule.code if row.rule.code.isdigit() else row.rule.code
    slug = f"{target}-{row.rule.slug or _last_word(row.key)}"
    return replace(row, rule=replace(row.rule, code=code, slug=slug))


def _last_word(key: str) -> str:
    """The end of a key as the end of a slug: ``cpu-limit``, ``mount-pvc``, ``pending``, ``restart-pod``."""
    last = (
        key.rpartition(".")[2]
        .removesuffix("]")
        .replace("mounts[", "mount-")
        .replace("policies[", "")
        .replace("steps[", "")
    )
    return last.replace("_", "-").replace(" ", "-").removesuffix("[")
