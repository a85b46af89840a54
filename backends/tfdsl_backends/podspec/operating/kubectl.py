"""Command lines of ``kubectl``, and its answers as rows.

``-o jsonpath`` prints maps and lists as JSON and all else as it is, so a row takes from each object only what is
needed, which for a pod is a hundredth: its ``TF_CONFIG`` lists every other pod. Texts that could hold a tab or the end
of a line, as annotations, queues and reasons of events, are always taken with the map that they are in, so nobody can
write a row into one. Only rows that begin with a mark and have every column count, whatever else a client or its
plugins print, and an answer without the mark of its end was cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from tfdsl.backend.cluster import Answer, Call, Place
from tfdsl.patterns import regex

Columns: TypeAlias = Mapping[str, str]
"""Name of a column → path in the object."""
Object: TypeAlias = "dict[str, Any]"
"""The columns of one object; those that it has not are empty texts."""

PLAIN: Final = {
    "api": ".apiVersion",
    "kind": ".kind",
    "name": ".metadata.name",
    "namespace": ".metadata.namespace",
    "uid": ".metadata.uid",
    "created": ".metadata.creationTimestamp",
    "deleted": ".metadata.deletionTimestamp",
    "labels": ".metadata.labels",
    "owners": ".metadata.ownerReferences",
}
STATE: Final = PLAIN | {"status": ".status", "annotations": ".metadata.annotations"}
POD: Final = PLAIN | {
    "status": ".status",
    "node": ".spec.nodeName",
    "claims": ".spec.volumes[*].persistentVolumeClaim.claimName",
}
EVENT: Final = {"whole": ""}
_MARK: Final = "tfdsl"
_END: Final = f"{_MARK} end"
_LONGEST_ROW: Final = 8 << 20
NAME: Final = regex(r"[a-z0-9][a-z0-9.-]*")


def kubectl(place: Place, *words: str) -> tuple[str, ...]:
    """A command line in the namespace and the context of ``place``."""
    namespace = ("-n", place.namespace) if place.namespace else ()
    return ("kubectl", *place.flags, *namespace, *words)


def get(place: Place, what: str, columns: Columns, about: str, *selectors: str) -> Call:
    """Read objects as rows of ``columns``."""
    cells = '{"\\t"}'.join(f"{{{path}}}" if path else "{@}" for path in columns.values())
    row = f'{{range .items[*]}}{{"{_MARK}\\t"}}{cells}{{"\\n"}}{{end}}{{"{_END}\\n"}}'
    return Call(kubectl(place, "get", what, *selectors, "-o", f"jsonpath={row}"), about, is_whole=_is_whole)


def _is_whole(out: str) -> bool:
    return out.endswith(f"{_END}\n")


def rows(answer: Answer, columns: Columns) -> Iterator[Object]:
    """The objects of an answer."""
    lines = answer.out.split("\n")[:-1]  # what has no end of line was cut
    for line in lines:
        mark, *cells = line.split("\t") if len(line) <= _LONGEST_ROW else [""]
        if mark == _MARK and len(cells) == len(columns):
            try:
                row = {name: _value(cell) for name, cell in zip(columns, cells, strict=True)}
            except (ValueError, RecursionError):
                continue
            if NAME.fullmatch(str(row.get("name", "x"))):  # it can become a word of a command line
                yield row


def _value(cell: str) -> object:
    return json.loads(cell) if cell[:1] in ("{", "[") else cell


def text(data: object, *path: str) -> str:
    """The text at ``path`` in ``data``; empty if there is none."""
    found = _at(data, path)
    return found if isinstance(found, str) else ""


def number(data: object, *path: str) -> int | None:
    """The whole number at ``path``, also where it is a cell of a row; ``None`` if there is none."""
    found = _at(data, path)
    if isinstance(found, str) and _NUMBER.fullmatch(found):
        return int(found)
    if isinstance(found, bool) or not isinstance(found, int) or abs(found) >= _LARGEST:
        return None
    return found


_NUMBER: Final = regex(r"[0-9]{1,9}")
_LARGEST: Final = 1 << 32
"""Exit statuses of Windows have 32 bits."""


def mapping(data: object, *path: str) -> Mapping[str, object]:
    """The map at ``path``; empty if there is none."""
    return _map(_at(data, path))


def items(data: object, *path: str) -> list[Mapping[str, object]]:
    """The maps of the list at ``path``."""
    found = _at(data, path)
    several = cast("list[object]", found) if isinstance(found, list) else []
    return [one for one in map(_map, several) if one]


def _at(data: object, path: Sequence[str]) -> object:
    for name in path:
        data = _map(data).get(name)
    return data


def _map(data: object) -> Mapping[str, object]:
    return cast("dict[str, object]", data) if isinstance(data, dict) else {}


def counts(parts: Sequence[Mapping[str, object]], *path: str) -> dict[str, int]:
    """The numbers at ``path`` of named parts, by their names."""
    return {text(one, "name"): found for one in parts if (found := number(one, *path)) is not None}


def conditions(row: Object) -> dict[str, Mapping[str, object]]:
    """The conditions of an object that hold, by type."""
    return {
        text(one, "type"): one for one in items(row["status"], "conditions") if text(one, "status").lower() == "true"
    }
