"""The schemas that patches are checked with are those of the server."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from tests.conformance.kubernetes.api import Api

BACKENDS = Path(__file__).resolve().parents[3] / "backends"


def baker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bake_schemas", BACKENDS / "bake_schemas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_schemas_are_the_servers(api: Api) -> None:
    bake = baker()
    documents = {name: api.get(f"/openapi/v3/{name.replace('_', '/')}") for name in set(bake.KINDS.values())}
    assert bake.bake(documents) == bake.OUT.read_text()
