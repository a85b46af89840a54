"""A job that was created and not changed since is the same as its source, with all that the server has added."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests import flows
from tests.conformance.kubernetes.compiling import accepted
from tests.conformance.kubernetes.created import Created, unused_name
from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from typing import Any

    from tests.conformance.kubernetes.api import Api

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
TARGETS = ("tfjob", "kubernetes", "volcano")
PAIRS = [
    (folder.name, target)
    for folder in sorted(EXAMPLES.iterdir())
    for target in TARGETS
    if (folder / "expected" / target).is_dir() or list(folder.glob(f"expected/{target}*"))
    if folder.name not in flows.EXAMPLES
    if "matrix {" not in (folder / "main.tfjob").read_text(encoding="utf-8")  # its jobs are those of other examples
]


def as_kubectl_writes(objects: list[dict[str, Any]]) -> str:
    """What ``kubectl get … -o yaml`` prints for objects: one by itself, several as a list."""
    whole = objects[0] if len(objects) == 1 else {"apiVersion": "v1", "kind": "List", "items": objects}
    return yaml.safe_dump(whole)


def one_job(text: str, name: str) -> str:
    """The text with its only job called ``name``."""
    start = text.index("\njob ") + 5
    return text[:start] + name + text[text.index(" {", start) :]


@pytest.mark.parametrize(("example", "target"), PAIRS)
def test_what_was_created_is_the_same_as_its_source(api: Api, tmp_path: Path, example: str, target: str) -> None:
    text = (EXAMPLES / example / "main.tfjob").read_text(encoding="utf-8")
    text = one_job(text, unused_name("diff"))
    (tmp_path / "main.tfjob").write_text(text, encoding="utf-8")
    made = accepted(text, target)
    for namespace in {manifest.namespace for manifest in made.documents}:
        api.call("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    with Created(api, made) as created:
        objects = [api.get(f"{created.place(one)}/{one.name}") for one in made.documents]
        assert all(one["metadata"]["uid"] for one in objects)
        ran = tfdsl("diff", "main.tfjob", "-t", target, "-", cwd=tmp_path, stdin=as_kubectl_writes(objects).encode())
        assert (ran.status, ran.out) == (0, ""), ran.out + ran.err
        created.remove()


def test_a_change_on_the_server_is_shown(api: Api, tmp_path: Path) -> None:
    name = unused_name("diff")
    text = f'job {name} {{\n  image = "i:1"\n  role worker {{ replicas = 2 }}\n}}\n'
    (tmp_path / "main.tfjob").write_text(text, encoding="utf-8")
    made = accepted(text, "tfjob")
    with Created(api, made) as created:
        live = created.object("TFJob")
        live["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = 3
        words = ("diff", "main.tfjob", "-t", "tfjob", "-", "--format", "summary")
        ran = tfdsl(*words, cwd=tmp_path, stdin=as_kubectl_writes([live]).encode())
        assert ran.status == 1
        assert [line.split("  (")[0] for line in ran.out.splitlines()[1:]] == ["  worker: replicas 2 → 3"]
        created.remove()
