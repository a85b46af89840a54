"""The option ``placement`` and ``spread`` as one ``-placement_spec`` for each application.

DistributedShell knows only tags of its own application. Where a constraint names another role, every application gets a
tag that has the run in it, so that no other job's containers are meant.

Source of the constraints' form: PlacementConstraintParser and PlacementConstraintsUtil of Hadoop 3.4.2, and
PlacementSpec of 3.1. Their parsers take much that then means something else: of ``java=1.8,1.9`` only the first value
counts, ``java>=8`` is about an attribute ``java>``, ``IN,NODE`` is always satisfied, and ``AND(a)b`` is ``AND(a)``.
Here all of that is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, child
from tfdsl.emit.script import Quoted
from tfdsl.ir.model import Role
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl_backends.yarn.applications import Application
from tfdsl_backends.yarn.options import features

SELF: Final = "self"
_NAMESPACES: Final = (SELF, "not-self", "all")
"""Whose containers a tag is about. The parser has no form for the others, ``app-id/ID/TAG`` and ``app-tag/TAG/TAG``."""

_TAG: Final = regex(r"[A-Za-z0-9_.-]+\Z")
_ATTRIBUTE: Final = regex(
    r"(?:[A-Za-z0-9][A-Za-z0-9_.-]*/)?[A-Za-z0-9][A-Za-z0-9_-]*(?:!=|=)[A-Za-z0-9][A-Za-z0-9_.-]*\Z"
)
"""Names and values that a node can have (NodeLabelUtil)."""

_SPACES: Final = regex(r"\s*(!=|[,:()=])\s*")
_NUMBER: Final = regex(r"[0-9]{1,9}\Z")


class Near(Record):
    """``IN``, ``NOTIN`` or ``CARDINALITY``: how many containers with all of the ``tags`` a node or rack has.

    ``tags`` are (namespace, tag). ``counts``: the smallest and largest number of ``CARDINALITY``.
    """

    word: str
    scope: str
    tags: tuple[tuple[str, str], ...]
    counts: tuple[int, int] | None = None

    @property
    def needs_one(self) -> bool:
        """Whether one container with each tag must be there."""
        return self.word == "IN" or (self.counts is not None and self.counts[0] > 0)


class Attribute(Record):
    """``NAME=VALUE`` or ``NAME!=VALUE``: an attribute that the node must have, with or without that value."""

    text: str


class Several(Record):
    """``AND`` or ``OR`` of constraints."""

    word: str
    parts: tuple[Constraint, ...]


Constraint: TypeAlias = "Near | Attribute | Several"


class ConstraintError(Exception):
    """A text that is not a constraint; the message says why."""


def parse(text: str) -> Constraint:
    """The constraint that ``text`` is, with blanks around its signs.

    Raises:
        ConstraintError: it is none, or would not mean what it says.
    """
    return _constraint(_SPACES.sub(r"\1", text.strip()))


def _constraint(text: str) -> Constraint:
    word = re.split(r"[,(]", text, maxsplit=1)[0].upper()
    if word in ("AND", "OR") and "(" in text:
        return _several(word, text)
    if word in ("IN", "NOTIN", "CARDINALITY") and "," in text:
        return _near(word, text.split(",")[1:])
    if len(_parts(text)) > 1:
        raise ConstraintError("a role has one constraint; join several with AND(…:…) or OR(…:…)")
    if _ATTRIBUTE.match(text):
        return Attribute(text)
    if "=" in text and "," in text:
        raise ConstraintError("an attribute has one value; write OR(NAME=A:NAME=B) for one of several")
    raise ConstraintError(f'"{text}" is not IN, NOTIN, CARDINALITY, AND, OR, NAME=VALUE or NAME!=VALUE')


def _several(word: str, text: str) -> Several:
    if not text.endswith(")") or _depth(text[:-1]) != 1 or len(_parts(text)) > 1:
        raise ConstraintError("its parentheses do not match" if _depth(text) else f"nothing can follow {word}(…)")
    parts = _parts(text[len(word) + 1 : -1])
    if len(parts) < 2:
        raise ConstraintError(f"{word} joins two or more constraints with :")
    return Several(word, tuple(_constraint(part) for part in parts))


def _near(word: str, words: list[str]) -> Near:
    if ":" in "".join(words):
        raise ConstraintError("a role has one constraint; join several with AND(…:…) or OR(…:…)")
    counts, tags = (words[-2:], words[1:-2]) if word == "CARDINALITY" else ([], words[1:])
    form = f"{word},NODE,TAG" + (",MIN,MAX" if word == "CARDINALITY" else "")
    scope = words[0].upper()
    if scope not in ("NODE", "RACK"):
        raise ConstraintError(f"{word} is about NODE or RACK, not {words[0] or 'nothing'}: {form}")
    if not tags or not all(map(_NUMBER.match, counts)):
        raise ConstraintError(f"write {form}")
    numbers = (int(counts[0]), int(counts[1])) if counts else None
    if numbers is not None and numbers[0] > numbers[1]:
        raise ConstraintError(f"no number is at least {numbers[0]} and at most {numbers[1]}")
    return Near(word, scope, tuple(_parsed_tag(tag) for tag in tags), numbers)


def _parsed_tag(text: str) -> tuple[str, str]:
    space, slash, tag = text.rpartition("/")
    if slash and space not in _NAMESPACES:
        raise ConstraintError(f"only self/, not-self/ and all/ can be before a tag, not {space}/")
    if not _TAG.match(tag):
        raise ConstraintError(f'"{tag}" is not a tag: use letters, digits, _ . and -')
    return space, tag


def _parts(text: str) -> list[str]:
    """The parts between the ``:`` outside of parentheses."""
    parts, depth = [""], 0
    for char in text:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == ":" and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _depth(text: str) -> int:
    """How many parentheses are open at the end; below 0 as soon as one closes too many."""
    depth = 0
    for char in text:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth < 0:
            break
    return depth


def written(constraint: Constraint, tag: Callable[[str, str], str]) -> str:
    """``constraint`` in Hadoop's form; ``tag`` writes a namespace and a tag."""
    match constraint:
        case Attribute():
            return constraint.text
        case Several():
            return f"{constraint.word}({':'.join(written(part, tag) for part in constraint.parts)})"
        case Near():
            counts = map(str, constraint.counts or ())
            return ",".join((constraint.word, constraint.scope, *(tag(*pair) for pair in constraint.tags), *counts))


def all_near(constraint: Constraint, *, certain: bool = False) -> Iterator[Near]:
    """Every part about tags; with ``certain`` only those that must hold."""
    match constraint:
        case Near():
            yield constraint
        case Several() if not (certain and constraint.word == "OR"):
            for part in constraint.parts:
                yield from all_near(part, certain=certain)
        case _:
            pass


def beyond_first_form(constraint: Constraint) -> str:
    """What the parser of Hadoop 3.1 does not know; empty if it knows all of it."""
    match constraint:
        case Attribute():
            return "node attributes"
        case Several():
            return f"{constraint.word}(…)"
        case Near():
            return "not-self/ and all/" if any(space not in ("", SELF) for space, _ in constraint.tags) else ""


OPTION: Final = "placement"
_RUN: Final = "\0"
"""Stands for the run, which only submit.sh knows."""


def constraints(unit: Unit) -> dict[str, Constraint]:
    """Role → its constraint, for the roles of the job whose text is one."""
    by_role: dict[str, Constraint] = {}
    for role, text in unit.entries(OPTION).items():
        if unit.job.role(role) is None:
            continue
        try:
            by_role[role] = parse(str(text))
        except ConstraintError:
            continue  # the checks say why
    return by_role


def other_roles(unit: Unit, role: str, near: Near) -> list[str]:
    """The other roles of the job that ``near``, of ``role``, is about."""
    return [tag for space, tag in near.tags if not space and tag != role and unit.job.role(tag) is not None]


def placement_spec(unit: Unit, app: Application) -> list[Data]:
    """``-placement_spec`` and its value; empty without a constraint."""
    form = features(unit.version).placement
    role = app.roles[0]
    placed = unit.once(constraints).get(role.name)
    spread = next((one for one in app.roles if one.spread == "node"), None) if app.containers > 1 else None
    meant = app.name in _roles_meant(unit)
    if not form or (placed is None and spread is None and not meant):
        return []
    own = _own_tag(unit, app)
    apart = Near("NOTIN", "NODE", (("", role.name),)) if spread is not None else None
    whole = placed if apart is None else apart if placed is None else Several("AND", (apart, placed))
    spec = form.replace("tag", own).replace("N", str(app.containers), 1)
    if whole is not None:
        spec += f",{written(whole, lambda space, tag: _tag(unit, role, own, space, tag))}"
    word: Data = Quoted(f'"{spec.replace(_RUN, "$run")}"') if _RUN in spec else spec  # no character of it is special
    return ["-placement_spec", Located(word, child(spread.path, "spread")) if spread is not None else word]


def _own_tag(unit: Unit, app: Application) -> str:
    """The tag of an application's own containers."""
    return _run_tag(app.name) if app.name and _roles_meant(unit) else app.name or "task"


def _tag(unit: Unit, role: Role, own: str, space: str, tag: str) -> str:
    if space in ("", SELF) and tag == role.name:
        return own
    if not space and unit.job.role(tag) is not None:
        return f"all/{_run_tag(tag)}"
    return f"{space}/{tag}" if space else tag


def _run_tag(role: str) -> str:
    return f"{role}-{_RUN}"


def _roles_meant(unit: Unit) -> set[str]:
    """The roles that a constraint of another role is about: their containers must have tags, too."""
    by_role = unit.once(constraints)
    return {
        name
        for role, constraint in by_role.items()
        for near in all_near(constraint)
        for name in other_roles(unit, role, near)
    }
