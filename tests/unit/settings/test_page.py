"""The page of the settings: its TOML is sound, and the schema takes it. Its commands are run by tests/test_docs.py."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from tfdsl.settings.schema import schema
from tfdsl.settings.tables import read_settings
from tfdsl.text import Source

PAGE = (Path(__file__).resolve().parents[3] / "docs/settings.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.mark.parametrize("text", BLOCKS)
def test_toml_of_the_page(text: str) -> None:
    found = read_settings(Source("tfdsl.toml", text), shared=False)
    assert found is not None
    assert found.problems == ()
    assert list(jsonschema.Draft7Validator(schema()).iter_errors(tomllib.loads(text))) == []


def test_the_lines_that_where_is_asked_about() -> None:
    """The examples name the line of the first label, in the settings and in the output."""
    at = BLOCKS[0].splitlines().index('team = "vision"')
    assert f"tfdsl where tfdsl.toml:{at + 1} " in PAGE
