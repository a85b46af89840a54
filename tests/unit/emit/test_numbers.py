"""Numbers in documents: some readers of YAML 1.1 and 1.2 take ``1e-4`` for a text."""

from __future__ import annotations

import pytest
import yaml

from tfdsl.emit import json, yaml as yaml_writer


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-4, "0.0001"),
        (1e-7, "0.0000001"),
        (-2.5e-9, "-0.0000000025"),
        (1e22, "10000000000000000000000.0"),
        (1.5e300, "15" + "0" * 299 + ".0"),
        (0.5, "0.5"),
    ],
)
def test_no_exponent(value: float, text: str) -> None:
    assert yaml_writer.number(value) == text
    assert json.scalar(value) == text
    assert yaml.safe_load(text) == value
