"""Write the types of Kubernetes objects, by which manifests get their normal form, from the Go source of its API.

    python backends/bake_api_types.py FOLDER

``FOLDER`` has the modules ``k8s.io/api`` and ``k8s.io/apimachinery`` of one version, as ``go mod download`` puts them
(``api@v0.34.4`` and ``apimachinery@v0.34.4``). The file says of each type which fields it has: a server that decodes a
manifest into Go values cannot tell an empty value from an absent one, unless the field is a pointer. The form of the
file is described in ``tfdsl_backends/podspec/normal/walk.py``.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

OUT = Path(__file__).parent / "tfdsl_backends" / "podspec" / "normal" / "types.json"
SOURCES = (
    "apimachinery/pkg/apis/meta/v1/types.go",
    "api/core/v1/types.go",
    "api/batch/v1/types.go",
    "api/apps/v1/types.go",
)
ROOTS = ("Job", "CronJob", "Deployment", "Service", "PersistentVolumeClaim")
"""The kinds that our targets write or read; every type that they reach is kept."""

_TYPE = re.compile(r"^type (\w+) (\S+)( \{)?$")
_FIELD = re.compile(r"^\t(?:(\w+) +)?(\S+) +`json:\"([^\"]*)\"")
_DEFAULT = re.compile(r'^\t// \+default=(".*"|true|false|-?\d+)$')
_SCALARS = {"string": "s", "bool": "b", "int32": "i", "int64": "i", "float64": "n", "uint8": "i"}
_NAMED = {
    "resource.Quantity": "q",
    "intstr.IntOrString": "x",
    "ResourceList": "{}q",
    "metav1.Time": "s",
    "Time": "s",
    "MicroTime": "s",
    "types.UID": "s",
    "metav1.ManagedFieldsEntry": "a",
    "runtime.RawExtension": "a",
    "FieldsV1": "a",
    "metav1.LabelSelector": "LabelSelector",
    "metav1.ObjectMeta": "ObjectMeta",
}


class Reader:
    """Reads the struct types of Go sources: name → fields, and named types of scalars."""

    def __init__(self) -> None:
        self.structs: dict[str, list[tuple[str, str, str | None]]] = {}
        self.aliases: dict[str, str] = {}

    def read(self, text: str) -> None:
        """Take the types of one file."""
        fields: list[tuple[str, str, str | None]] | None = None
        default: str | None = None
        for line in text.splitlines():
            if (match := _TYPE.match(line)) is not None:
                if match[2] == "struct":
                    fields = self.structs[match[1]] = []
                else:
                    self.aliases[match[1]] = match[2]
            elif line == "}":
                fields = None
            elif (match := _DEFAULT.match(line)) is not None:
                default = match[1]
            elif fields is not None and (match := _FIELD.match(line)) is not None:
                name = match[3].partition(",")[0]
                fields.append((name, match[2], default))
                default = None
            elif not line.startswith("\t//"):
                default = None

    def kind(self, go: str) -> str:
        """The compact form of a Go type."""
        if go in _NAMED:
            return _NAMED[go]
        if go.startswith("*"):
            return "*" + self.kind(go[1:])
        if go == "[]byte":
            return "s"
        if go.startswith("[]"):
            return "[]" + self.kind(go[2:])
        if go.startswith("map["):
            return "{}" + self.kind(go.partition("]")[2])
        if go in _SCALARS:
            return _SCALARS[go]
        short = go.rpartition(".")[2]
        if short in self.structs:
            return short
        return self.kind(self.aliases[short])

    def type(self, name: str) -> dict[str, str | list[object]]:
        """The fields of a struct, those of embedded ones among them."""
        fields: dict[str, str | list[object]] = {}
        for json_name, go, default in self.structs[name]:
            if json_name:
                kind = self.kind(go)
                fields[json_name] = kind if default is None else [kind, json.loads(default)]
            elif go.rpartition(".")[2] not in ("TypeMeta", "ListMeta"):
                fields |= self.type(go.rpartition(".")[2])
        return fields


def baked(folder: Path) -> dict[str, dict[str, str | list[object]]]:
    """All types that the roots reach."""
    reader = Reader()
    for source in SOURCES:
        module, _, path = source.partition("/")
        reader.read(next(folder.glob(f"{module}@*")).joinpath(path).read_text(encoding="utf-8"))
    types: dict[str, dict[str, str | list[object]]] = {}
    waiting = [*ROOTS]
    while waiting:
        name = waiting.pop()
        if name in types or name.endswith("Status") or name not in reader.structs:
            continue
        types[name] = reader.type(name)
        kinds = [str(kind if isinstance(kind, str) else kind[0]) for kind in types[name].values()]
        waiting += [re.sub(r"^[\[\]{}*]*", "", kind) for kind in kinds]
    return dict(sorted(types.items()))


def main() -> None:
    """Write the types of the API to the file that is named on the command line."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    types = baked(Path(sys.argv[1]))
    lines = [f"{json.dumps(name)}: {json.dumps(fields, separators=(',', ':'))}" for name, fields in types.items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(types)} types, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
