from __future__ import annotations

import pytest

from tfdsl.diagnostics.render.text import fold


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("one", ["one"]),
        ("one two three", ["one", "two three"]),
        ("a  b", ["a  b"]),
        ("--a-word-too-long x", ["--a-word-too-long", "x"]),
        ("x --a-word-too-long", ["x", "--a-word-too-long"]),
    ],
)
def test_lines(text: str, lines: list[str]) -> None:
    assert fold(text, 5, 10) == lines
