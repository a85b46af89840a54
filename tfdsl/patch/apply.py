"""Where pod templates are in documents, and what a patch makes of documents (language.md §5).

Nothing is changed in place: a patch gives new documents that share what it did not touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from tfdsl.backend.patch_rules import Steps
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.emit.located import Data, Located, placed_like, plain, unwrap
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.syntax.patch_path import Index, Key, Path, Problem, Selector, Step, parse_path, quoted

_ROLE: Final = regex(r"roles\[([a-z]+)\]")


class PodTemplate(Record):
    """A pod template. ``document``: its position; ``at``: its place there; ``role``: whose pods are made of it."""

    document: int
    at: Steps
    role: str | None


def pod_templates(documents: Sequence[Data]) -> Iterator[PodTemplate]:
    """All pod templates: whatever is called ``template`` and has containers."""
    for number, data in enumerate(documents):
        for at, role in _templates(data, (), None):
            yield PodTemplate(number, at, role)


def _templates(data: Data, at: Steps, role: str | None) -> Iterator[tuple[Steps, str | None]]:
    while isinstance(data, Located):
        match = _ROLE.match(data.path)
        role = match.group(1) if match else role
        data = data.value
    if isinstance(data, Mapping):
        if at and at[-1] == "template" and _has_containers(data):
            yield at, role
            return
        for key, value in data.items():
            yield from _templates(value, (*at, key), role)
    elif isinstance(data, list | tuple):
        present = [item for item in data if unwrap(item) is not None]
        for number, item in enumerate(present):
            yield from _templates(item, (*at, number), role)


def _has_containers(template: Mapping[str, Data]) -> bool:
    spec = unwrap(template.get("spec"))
    return isinstance(spec, Mapping) and unwrap(spec.get("containers")) is not None


__all__ = ["Operation", "Patch", "Path", "Problem", "apply", "parse_path"]

Operation: TypeAlias = Literal["set", "merge", "remove"]


class Patch(Record):
    """One change. ``value`` is nothing for ``remove``; ``origin`` is the patch's own path, for the source map."""

    path: Path
    operation: Operation
    value: Data
    origin: str


class Patchable(Protocol):
    """What a document has to have: see :class:`tfdsl.backend.Document`."""

    @property
    def data(self) -> Data:
        """The content of the document, as plain data."""
        ...

    @property
    def file(self) -> str | None:
        """Its name in a set of files."""
        ...


D = TypeVar("D", bound="Patchable")

_FEW: Final = 6
_GONE: Final = Located(None, "")


def apply(documents: Sequence[D], patch: Patch) -> list[D] | Problem:
    """The documents after ``patch``, or what is wrong with it.

    Without prefix the first document is meant; ``KIND`` means all documents of that kind, ``KIND/NAME`` and a file name
    one of them. ``set`` and ``merge`` make the maps that are missing on the way, as kubectl and yq do, but no lists and
    no list items; ``remove`` needs what it removes. ``merge`` merges maps key by key and all the way down, and appends
    to lists; where nothing is yet, it sets.
    """
    chosen = choose(documents, patch.path)
    if isinstance(chosen, Problem):
        return chosen
    changed = list(documents)
    for index in chosen:
        document = apply_to(documents[index], patch)
        if isinstance(document, Problem):
            return document
        changed[index] = document
    return changed


def apply_to(document: D, patch: Patch) -> D | Problem:
    """One document after ``patch``, whatever the prefix of its path; or what is wrong with it."""
    data = _change(document.data, patch, 0)
    if isinstance(data, Problem):
        return data
    assert isinstance(document, Record)
    return replace(document, data=data)


def choose(documents: Sequence[Patchable], path: Path) -> list[int] | Problem:
    """Positions of the documents that ``path`` is about, or why there are none."""
    prefix = path.prefix
    if prefix is None:
        if documents and isinstance(unwrap(documents[0].data), Mapping):
            return [0]
        return Problem(0, len(path.text), "there is no main document that could be patched")
    names = [_names(document) for document in documents]
    chosen = [index for index, known in enumerate(names) if prefix in known]
    if not chosen:
        every = [name for known in names for name in known]
        return Problem(0, len(prefix), f"there is no document {prefix!r} in the output", _near(prefix, every))
    texts = [index for index in chosen if not isinstance(unwrap(documents[index].data), Mapping | list | tuple)]
    if texts:
        return Problem(0, len(prefix), f"{prefix!r} is a text, which cannot be patched")
    return chosen


def _names(document: Patchable) -> list[str]:
    """What a prefix may call the document."""
    names = [] if document.file is None else [document.file]
    data = unwrap(document.data)
    if isinstance(data, Mapping):
        kind, metadata = unwrap(data.get("kind")), unwrap(data.get("metadata"))
        if isinstance(kind, str):
            names.append(kind)
            name = unwrap(metadata.get("name")) if isinstance(metadata, Mapping) else None
            names += [f"{kind}/{name}"] if isinstance(name, str) else []
    return names


def _change(data: Data, patch: Patch, at: int) -> Data | Problem:
    """``data`` with the change at step ``at`` and below; ``_GONE`` when ``data`` itself is to be removed."""
    if at == len(patch.path.steps):
        return _leaf(data, patch)
    if isinstance(data, Located):
        value = _change(data.value, patch, at)
        return value if isinstance(value, Problem) else Located(value, data.path)
    step = patch.path.steps[at]
    if isinstance(step, Key):
        return _change_map(data, step, patch, at)
    if not isinstance(data, list | tuple):
        return _mismatch(data, step, "a list")
    return _change_list(data, step, patch, at)


def _change_map(data: Data, step: Key, patch: Patch, at: int) -> Data | Problem:
    fields: Mapping[str, Data] = {}
    if isinstance(data, Mapping):
        fields = data
    elif data is not None:
        return _mismatch(data, step, "a map")
    old = fields.get(step.name)
    if unwrap(old) is None:
        old = None
        following = patch.path.steps[at + 1] if at + 1 < len(patch.path.steps) else None
        if patch.operation == "remove" or isinstance(following, Index | Selector):
            present = [quoted(name) for name, value in fields.items() if unwrap(value) is not None]
            return Problem(step.offset, step.end, f"there is no {quoted(step.name)} here", _near(step.name, present))
    new = _change(old, patch, at + 1)
    if isinstance(new, Problem):
        return new
    rest = dict(fields)
    if new is _GONE:
        del rest[step.name]
    else:
        rest[step.name] = new
    return Located(rest, patch.origin) if data is None else rest


def _change_list(data: Sequence[Data], step: Index | Selector, patch: Patch, at: int) -> Data | Problem:
    present = [item for item in data if unwrap(item) is not None]
    number = step.number if isinstance(step, Index) else _select(present, step)
    if isinstance(number, Problem):
        return number
    if number >= len(present):
        items = "1 item" if len(present) == 1 else f"{len(present)} items"
        return Problem(step.offset, step.end, f"the list has {items}, counted from 0; += appends")
    new = _change(present[number], patch, at + 1)
    if isinstance(new, Problem):
        return new
    return [*present[:number], *([] if new is _GONE else [new]), *present[number + 1 :]]


def _select(items: Sequence[Data], step: Selector) -> int | Problem:
    values = [field_text(item, step.key) for item in items]
    indexes = [index for index, value in enumerate(values) if value == step.value]
    if len(indexes) == 1:
        return indexes[0]
    if indexes:
        return Problem(step.offset, step.end, f"{len(indexes)} items have {step.key} = {step.value}; write [n]")
    known = [value for value in values if value is not None]
    if not known:
        keys = [quoted(key) for item in map(unwrap, items) if isinstance(item, Mapping) for key in item]
        return Problem(step.offset, step.end, f"no item of the list has a {step.key}", _near(step.key, keys))
    there = f": the list has {enumeration(known)}" if len(known) <= _FEW else ""
    return Problem(step.offset, step.end, f"no item has {step.key} = {step.value}{there}", _near(step.value, known))


def field_text(item: Data, key: str) -> str | None:
    """The value of ``key`` in an item of a list, as the text that a selector compares with."""
    item = unwrap(item)
    value = plain(item.get(key)) if isinstance(item, Mapping) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _leaf(data: Data, patch: Patch) -> Data | Problem:
    if patch.operation == "remove":
        return _GONE
    value = Located(patch.value, patch.origin)
    old = unwrap(data)
    if patch.operation == "set" or old is None:
        return value
    last = patch.path.steps[-1]
    if isinstance(old, Mapping):
        if not isinstance(unwrap(patch.value), Mapping):
            return Problem(last.offset, last.end, "this is a map; += takes a map to merge into it")
        return _merged(data, value, patch.origin)
    if isinstance(old, list | tuple):
        added = unwrap(patch.value)
        items = added if isinstance(added, list | tuple) else [added]
        return placed_like(data, [*old, *(Located(item, patch.origin) for item in items)])
    return Problem(last.offset, last.end, "this is neither a map nor a list; = replaces it")


def _merged(old: Data, new: Data, origin: str) -> Data:
    """``new`` merged into ``old``: maps key by key, everything else replaced."""
    base, top = unwrap(old), unwrap(new)
    if not isinstance(base, Mapping) or not isinstance(top, Mapping):
        return Located(top, origin)
    merged = dict(base)
    for key, value in top.items():
        merged[key] = _merged(merged.get(key), value, origin)
    return placed_like(old, merged)


def _mismatch(data: Data, step: Step, wanted: str) -> Problem:
    kind = "a map" if isinstance(data, Mapping) else "a list" if isinstance(data, list | tuple) else "a single value"
    return Problem(step.offset, step.end, f"this step needs {wanted}, but there is {kind} here")


def _near(wanted: str, known: Sequence[str]) -> tuple[str, ...]:
    """The names that are spelt like ``wanted``; if there are none, all names, unless they are many."""
    unique = tuple(dict.fromkeys(known))
    best = closest(wanted, unique)
    if best is not None:
        return (best,)
    return unique if len(unique) <= _FEW else ()
