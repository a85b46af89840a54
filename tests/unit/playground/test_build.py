"""What the build of the engine packs."""

from __future__ import annotations

import gzip
import importlib.metadata
import importlib.util
import json
import re
import struct
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.playground.page import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SPEC = importlib.util.spec_from_file_location("engine_build", ROOT / "site/playground/engine/build.py")
assert SPEC is not None
assert SPEC.loader is not None
build: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(build)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package with what is needed and what is not."""
    package = tmp_path / "tfdsl"
    for name in ("__init__.py", "text/page.md", "running/plan.py", "_speed.so", "__init__.pyi", "running_on.py"):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name} ü", encoding="utf-8")
    return package


def test_a_package_is_copied_without_what_is_not_needed(folder: Path, tmp_path: Path) -> None:
    to = tmp_path / "to" / "tfdsl"
    build.copy(folder, to)
    found = sorted(path.relative_to(to).as_posix() for path in to.rglob("*") if path.is_file())
    assert found == ["__init__.py", "running_on.py", "text/page.md"]


def test_a_pack_has_a_table_and_the_files_in_its_order(folder: Path) -> None:
    data = build.pack(folder)
    (length,) = struct.unpack_from("<I", data)
    table = json.loads(data[4 : 4 + length])
    at = 4 + length
    for name, size in table:
        assert data[at : at + size] == (folder / name).read_bytes()
        at += size
    assert at == len(data)
    assert len(table) == 6


def test_the_library_is_a_zip_that_is_not_compressed_twice(folder: Path) -> None:
    with zipfile.ZipFile(BytesIO(build.zipped(folder))) as archive:
        assert archive.read("text/page.md") == (folder / "text/page.md").read_bytes()
        assert {one.compress_type for one in archive.infolist()} == {zipfile.ZIP_STORED}


def test_the_same_data_is_packed_to_the_same_bytes(tmp_path: Path) -> None:
    one, other = tmp_path / "one.gz", tmp_path / "other.gz"
    build.write_packed(one, b"data")
    build.write_packed(other, b"data")
    assert one.read_bytes() == other.read_bytes()
    assert gzip.decompress(one.read_bytes()) == b"data"


def test_the_wheel_of_pydantic_core_is_locked() -> None:
    version = importlib.metadata.version("pydantic-core")
    text = (ROOT / "requirements" / "base.txt").read_text(encoding="utf-8")
    assert re.search(rf"^pydantic-core=={re.escape(version)}\b", text, re.M)
