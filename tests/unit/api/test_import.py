"""``import tfdsl`` costs nothing and shows what there is."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tfdsl
from tests.unit.cli.shell import environment


def modules_after(code: str) -> set[str]:
    """The modules that ``code`` loads beside those of a bare interpreter."""
    run = [sys.executable, "-c", f"import sys\nbefore = set(sys.modules)\n{code}\nprint(*set(sys.modules) - before)"]
    return set(subprocess.check_output(run, text=True, env=environment()).split())


def test_importing_loads_nothing() -> None:
    assert modules_after("import tfdsl; dir(tfdsl); tfdsl.__version__") == {"tfdsl"}


def test_a_name_loads_what_it_needs() -> None:
    loaded = modules_after("import tfdsl; tfdsl.load")
    assert "tfdsl.compiling.pipeline" in loaded
    assert not loaded & {"pydantic", "jinja2", "yaml", "importlib.metadata", "tfdsl.cli", "tfdsl.lsp"}


def test_every_public_name_is_there() -> None:
    assert set(tfdsl.__all__) <= set(dir(tfdsl))
    for name in tfdsl.__all__:
        value = getattr(tfdsl, name)
        assert value is getattr(tfdsl, name)
        assert name in ("Value", "ir") or value.__doc__, name


def test_other_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="module 'tfdsl' has no attribute 'complie'"):
        _ = tfdsl.complie  # type: ignore[attr-defined]
