r"""Write the compact schemas of Kubernetes objects, with which patches are checked, from the OpenAPI of a server.

The server has to have the CRDs of Kubeflow's TFJob, of Volcano and of JobSet::

    for group in api/v1 apis/apps/v1 apis/batch/v1 apis/kubeflow.org/v1 apis/batch.volcano.sh/v1alpha1 \
        apis/jobset.x-k8s.io/v1alpha2; do
      kubectl get --raw /openapi/v3/$group > FOLDER/$(echo $group | tr / _).json
    done
    python backends/bake_schemas.py FOLDER

``tests/conformance/kubernetes`` compares the result with what a server says. The form of the file is described in
``tfdsl_backends/podspec/schema.py``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

OUT = Path(__file__).parent / "tfdsl_backends" / "podspec" / "schemas.json"
KINDS = {
    "PersistentVolumeClaim": "api_v1",
    "Service": "api_v1",
    "Deployment": "apis_apps_v1",
    "Job": "apis_batch_v1",
    "TFJob": "apis_kubeflow.org_v1",
    "Job.batch.volcano.sh": "apis_batch.volcano.sh_v1alpha1",
    "JobSet": "apis_jobset.x-k8s.io_v1alpha2",
}
"""What the backends write: kind (with its group where two have one) → the document that describes it."""

_SCALARS = {"string": "s", "integer": "i", "boolean": "b", "number": "n"}


class Baker:
    """Collects each different object schema once."""

    def __init__(self) -> None:
        self.types: list[Any] = []
        self.known: dict[str, int] = {}
        self.busy: set[str] = set()

    def node(self, schema: dict[str, Any], document: dict[str, Any]) -> Any:
        """The compact form of ``schema``."""
        if "$ref" in schema:
            return self.reference(schema["$ref"], document)
        if len(schema.get("allOf", ())) == 1:
            return self.node(schema["allOf"][0], document)
        if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string" or "oneOf" in schema:
            return "x"
        if schema.get("enum"):
            return ["e", *schema["enum"]]
        kind = schema.get("type")
        if kind in _SCALARS:
            return _SCALARS[kind]
        if kind == "array":
            return ["l", self.node(schema["items"], document)]
        if schema.get("x-kubernetes-preserve-unknown-fields"):
            return "a"
        if "properties" in schema:
            return self.shared({key: self.node(value, document) for key, value in sorted(schema["properties"].items())})
        if isinstance(schema.get("additionalProperties"), dict):
            return ["m", self.node(schema["additionalProperties"], document)]
        return "a"

    def reference(self, reference: str, document: dict[str, Any]) -> Any:
        """The schema that ``reference`` names; one that holds itself is open at that point."""
        name = reference.rpartition("/")[2]
        if name.endswith(("Quantity", "IntOrString")):
            return "x"
        if name in self.busy:
            return "a"
        self.busy.add(name)
        made = self.node(document["components"]["schemas"][name], document)
        self.busy.discard(name)
        return made

    def shared(self, properties: dict[str, Any]) -> int:
        """The number of an object schema, the same for equal ones."""
        key = json.dumps(properties, sort_keys=True)
        if key not in self.known:
            self.known[key] = len(self.types)
            self.types.append(properties)
        return self.known[key]


def bake(documents: dict[str, dict[str, Any]]) -> str:
    """The text of the schemas file out of the OpenAPI documents, by name."""
    baker = Baker()
    kinds: dict[str, Any] = {}
    for kind, name in KINDS.items():
        document = documents[name]
        schemas = document["components"]["schemas"]
        found = next(
            schema
            for _, schema in sorted(schemas.items())
            if any(one["kind"] == kind.partition(".")[0] for one in schema.get("x-kubernetes-group-version-kind", ()))
        )
        properties = {key: value for key, value in found["properties"].items() if key != "status"}
        kinds[kind] = baker.node({**found, "properties": properties}, document)
    lines = ",\n".join(json.dumps(one, separators=(",", ":"), ensure_ascii=False) for one in baker.types)
    return f'{{"kinds":{json.dumps(kinds)},\n"types":[\n{lines}\n]}}\n'


def main() -> None:
    """Read the documents of a folder and write the file."""
    folder = Path(sys.argv[1])
    OUT.write_text(bake({name: json.loads((folder / f"{name}.json").read_text()) for name in set(KINDS.values())}))
    print(f"wrote {OUT.name}: {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
