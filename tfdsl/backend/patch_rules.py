"""What a backend says about patches of its documents: what may not be patched, and what a server would refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias, Union

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.emit.located import Plain


Steps: TypeAlias = "tuple[str | int, ...]"
"""Where something is in a document: keys of maps and positions in lists."""

POD: Final = "pod template"
"""The kind of a rule whose pattern begins in each pod template of the documents."""


class Derived(Record):
    """Fields that other parts of the output follow from, so that a patch of them alone would leave those behind.

    ``kind``: of the document (:func:`tfdsl.patch.schema.kind_of`), ``"*"`` for any that has ``metadata``, or
    :data:`POD`. ``path``: a pattern, see :func:`matches`. ``what``: the field in words. ``instead``: what to write.
    ``discovery``: only the tasks' addresses follow from it, so that a job whose tasks do not find each other by them
    can patch it.
    """

    kind: str
    path: tuple[str, ...]
    what: str
    instead: str
    discovery: bool = False


class FixedSet(Record):
    """A map whose members follow from the job. ``what``: one member in words; ``instead``: how to add one.

    ``like``: the kind of the document whose map at the same place has all members, where that is another one.
    """

    kind: str
    path: tuple[str, ...]
    what: str
    instead: str
    like: str = ""


class Since(Record):
    """What came with a later version of the target: servers of older ones drop it, do nothing at it, or refuse it.

    ``kind``, ``path``: as of :class:`Derived`. ``version``: the first that has it. ``what``: it in words. ``value``:
    only this value, or those that it holds for, are new; without it the field is.
    """

    kind: str
    path: tuple[str, ...]
    version: str
    what: str
    value: str | Callable[[object], bool] | None = None

    def covers(self, value: object) -> bool:
        """Whether the rule is about ``value``."""
        return self.value(value) if callable(self.value) else self.value in (None, value)


class Complaint(Record):
    """What a server would say of the patched documents: at which place in which of them.

    ``key``: it is about the key at that place, not about its value. ``fork``: the server of a fork may take it, so that
    a patch that is ``unchecked`` is let through.
    """

    document: int
    at: Steps
    message: str
    help: str = ""
    key: bool = False
    fork: bool = False


class PatchRules(Record):
    """All of it. ``check`` gets the documents as plain data; texts are among them."""

    derived: tuple[Derived, ...]
    fixed: tuple[FixedSet, ...]
    check: Callable[[Sequence[Plain | None]], Iterable[Complaint]]
    since: tuple[Since, ...] = ()


RULES: Final = PatchRules((), (), lambda documents: ())
"""Of a target whose documents follow from nothing and are read by no server that is known."""

Found: TypeAlias = Union["Plain", None]


def value_at(data: Found, steps: Steps) -> Found:
    """What is at ``steps``; ``None`` when nothing is."""
    for step in steps:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def matches(data: Found, pattern: tuple[str, ...], at: Steps = ()) -> Iterable[Steps]:
    """Places in ``data`` that ``pattern`` matches, whether something is there or not.

    A step of a pattern is a key, ``*`` for every member of a map or list, or ``key=value`` in brackets for the items
    of a list that have this value.
    """
    if not pattern:
        yield at
        return
    step, rest = pattern[0], pattern[1:]
    inner = value_at(data, at)
    if step == "*":
        members: Iterable[str | int] = inner if isinstance(inner, dict) else range(len(_items(inner)))
        for member in members:
            yield from matches(data, rest, (*at, member))
    elif step.startswith("["):
        key, _, value = step[1:-1].partition("=")
        for number, item in enumerate(_items(inner)):
            if isinstance(item, dict) and item.get(key) == value:
                yield from matches(data, rest, (*at, number))
    elif inner is None or isinstance(inner, dict):
        yield from matches(data, rest, (*at, step))


def owner(pattern: tuple[str, ...], at: Steps) -> Steps:
    """The member at or above ``at`` that the last ``*`` of ``pattern`` stands for; the document without one."""
    stars = [number for number, step in enumerate(pattern) if step == "*"]
    extra = len(at) - len(pattern)
    return at[: extra + stars[-1] + 1] if stars else at[:extra]


def _items(data: Found) -> list[Plain]:
    return data if isinstance(data, list) else []


# --- schemas -----------------------------------------------------------------------------------------------------

Node: TypeAlias = str | int | list["Node"]
"""A node of a schema, see :class:`Schemas`."""


class Schemas(Record):
    """The compact schemas of a family of targets.

    A schemas file is JSON: ``kinds`` maps a kind (``Job``, or ``Job.batch.volcano.sh`` where two groups have one, or
    the name of a file) to a node, ``types`` is a list of objects that nodes refer to by number. A node is

    ========================  ================================================
    ``"s" "i" "n" "b"``       text, int, number, bool
    ``"x"``                   an int or a text (quantities, ports)
    ``"a"``                   anything
    ``["e", "A", "B"]``       one of these texts
    ``["l", node]``           a list
    ``["m", node]``           a map from any text
    ``["k", number, "A."]``   an object that may also have texts under keys
                              that begin with one of these prefixes
    a number                  an object: the keys that it may have, with nodes
    ========================  ================================================
    """

    kinds: Mapping[str, Node]
    types: Sequence[Mapping[str, Node]]

    def keys(self, node: Node) -> Mapping[str, Node]:
        """The keys that an object may have, with their nodes."""
        number = node[1] if isinstance(node, list) else node
        return self.types[number] if isinstance(number, int) else {}

    def below(self, node: Node, key: str) -> Node | None:
        """The node of what is under ``key`` of a map; ``None`` where there is no such key."""
        if isinstance(node, list) and node[0] == "m":
            return node[1]
        known = self.keys(node).get(key)
        if known is None and isinstance(node, list) and key.startswith(tuple(map(str, node[2:]))):
            return "s"
        return known


def is_map(node: Node) -> bool:
    """Whether a node asks for a map."""
    return isinstance(node, int) or (isinstance(node, list) and node[0] in ("m", "k"))


@cache
def load_schemas(folder: str, name: str) -> Schemas:
    """Read the schemas file ``name`` in ``folder``, once: it is part of the program."""
    import json
    import os

    with open(os.path.join(folder, name), encoding="utf-8") as file:
        read = json.load(file)
    return Schemas(read["kinds"], read["types"])
