"""The picture of a job: its boxes and links, from the IR and, for a target, from what was generated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics.render.columns import visible
from tfdsl.drawing.picture import FRAME, Box, Line, Link, LinkKind, Picture, cut
from tfdsl.drawing.roles import job_lines, role_boxes, role_id, role_links
from tfdsl.drawing.stores import Key, Store, Use, store_of, uses
from tfdsl.drawing.words import counted
from tfdsl.record import Record, replace
from tfdsl.target_objects import TargetObject

if TYPE_CHECKING:
    from tfdsl.ir.model import Job

_APART = 3
"""So many stores that the same roles use in the same way have a box each; more are lines of one box."""
_MOST_LABELS = 4
"""Lines of the label of a link."""
_KINDS: tuple[LinkKind, ...] = ("output", "logs", "mount", "variables")
"""Of several ways in which a role uses a store, the first is that of the link."""
_MANY = {"mount": "mount", "variables": "source of variables", "output": "destination", "logs": "folder"}


def picture(job: Job, target: str = "", objects: Sequence[TargetObject] = ()) -> Picture:
    """The picture of ``job``. ``objects``: what ``target``, a name with a version, has for it."""
    roles = [*role_boxes(job)]
    taken = {_key(one): one for one in objects}
    found, links = _stores(job)
    stores = [_with_object(box, keys, taken) for box, keys in found]
    of_role = [one for one in taken.values() if one.role]
    roles = [
        replace(box, lines=(*_said_of(one for one in of_role if role_id(one.role) == box.id), *box.lines))
        for box in roles
    ]
    whole = [_object_box(number, one) for number, one in enumerate(taken.values()) if not one.role]
    links = [*role_links(job), *links, *(Link(box.id, FRAME, "object") for box in whole if not box.implied)]
    lines = tuple(job_lines(job))
    return Picture(job.name, visible(target), lines, (*roles, *stores, *whole), tuple(links))


# --- stores ----------------------------------------------------------------------------------------------------------


class _Used(Record):
    """A store and all its uses."""

    store: Store
    uses: tuple[Use, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that use it, in order."""
        return tuple(dict.fromkeys(one.role for one in self.uses))

    def kind(self, role: str) -> LinkKind:
        """How a role uses it, first of all."""
        kinds = {one.kind for one in self.uses if one.role == role}
        return next(kind for kind in _KINDS if kind in kinds)

    def words(self, role: str) -> tuple[str, ...]:
        """What is to be said about how a role uses it."""
        return tuple(dict.fromkeys(one.words for one in self.uses if one.role == role))


def _stores(job: Job) -> tuple[list[tuple[Box, tuple[Key, ...]]], list[Link]]:
    """The boxes, each with the keys of its stores, and the links to them."""
    by_key: dict[Key, list[Use]] = {}
    for one in uses(job):
        by_key.setdefault(one.store.key, []).append(one)
    checkpoint = _checkpoint(job)
    alike: dict[object, list[_Used]] = {}
    for key, of_store in by_key.items():
        used = _Used(of_store[0].store, tuple(of_store))
        signature = tuple((role, used.kind(role)) for role in used.roles)
        alike.setdefault((signature, key == checkpoint), []).append(used)
    boxes: list[tuple[Box, tuple[Key, ...]]] = []
    links: list[Link] = []
    for group in alike.values():
        parts = [group] if len(group) > _APART else [[one] for one in group]
        for part in parts:
            box = _box(f"store-{len(boxes)}", part)
            if part[0].store.key == checkpoint:
                box = replace(box, lines=(*box.lines, Line("fact", "checkpoints", "checkpoint")))
            boxes.append((box, tuple(one.store.key for one in part)))
            links += _links(job, box, part)
    return boxes, links


def _checkpoint(job: Job) -> Key | None:
    """The store that the folder of checkpoints is in."""
    if job.checkpoint is None:
        return None
    found = (store_of(job, role, job.checkpoint, "checkpoint") for role in job.roles)
    return next((store.key for store in found if store is not None), None)


def _box(identity: str, group: Sequence[_Used]) -> Box:
    first = group[0].store
    if len(group) == 1:
        return Box(identity, "store", first.name, first.what, path=first.path)
    items = [Line("item", _item(one), one.store.path) for one in group]
    kinds = [*dict.fromkeys(one.kind(role) for one in group for role in one.roles)]
    thing = _MANY[kinds[0]] if len(kinds) == 1 else "store"
    name = counted(len(group), thing).replace("variabless", "variables")
    return Box(identity, "store", name, "", lines=tuple(cut(items)), path=first.path)


def _item(used: _Used) -> str:
    words = dict.fromkeys(word for role in used.roles for word in used.words(role))
    return f"{used.store.what} {used.store.name}: {', '.join(words)}".replace("\n", " ")


def _links(job: Job, box: Box, group: Sequence[_Used]) -> Iterator[Link]:
    """A link of the job for what all roles do alike, and one for each role that does more."""
    one, alone = group[0], len(group) == 1
    how = {role: {(use.kind, use.words): use for use in one.uses if use.role == role} for role in one.roles}
    shared = [way for way in how[one.roles[0]] if all(way in ways for ways in how.values())]
    if len(how) == len(job.roles) > 1 and shared:
        yield _link(FRAME, box, [how[one.roles[0]][way] for way in shared], alone=alone)
    else:
        shared = []
    for role, ways in how.items():
        own = [use for way, use in ways.items() if way not in shared]
        if own:
            yield _link(role_id(role), box, own, alone=alone)


def _link(source: str, box: Box, uses: Sequence[Use], *, alone: bool) -> Link:
    first = min(uses, key=lambda use: _KINDS.index(use.kind))
    return Link(source, box.id, first.kind, _label([use.words for use in uses]) if alone else "", path=first.path)


def _label(words: Sequence[str]) -> str:
    lines = [line for one in words for line in one.split("\n")]
    if len(lines) <= _MOST_LABELS:
        return "\n".join(lines)
    return "\n".join([*lines[: _MOST_LABELS - 1], f"… and {len(lines) - _MOST_LABELS + 1:,} more"])


# --- objects of the target -------------------------------------------------------------------------------------------


def _key(one: TargetObject) -> Key:
    return one.kind, visible(one.name)


def _with_object(box: Box, keys: Iterable[Key], objects: dict[Key, TargetObject]) -> Box:
    """``box`` with the objects that its stores are, which are taken out of ``objects``."""
    found = [objects.pop(key) for key in keys if key in objects]
    return replace(box, lines=(*_said_of(found), *box.lines)) if found else box


def _said_of(objects: Iterable[TargetObject]) -> Iterator[Line]:
    """Lines about ``objects`` in the box of a role or store."""
    for one in objects:
        yield Line("object", f"{one.kind} {visible(one.name)}")
        yield from (Line("object", f"  {visible(line)}") for line in one.lines)


def _object_box(number: int, one: TargetObject) -> Box:
    lines = [Line("fact", visible(line)) for line in one.lines]
    if one.maker:
        lines.append(Line("fact", f"made by {one.maker}"))
    return Box(
        f"object-{number}", "object", visible(one.name), one.kind, lines=tuple(cut(lines)), implied=bool(one.maker)
    )
