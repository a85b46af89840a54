"""What is too long for every hand-in is left out, unless it is asked for: ``-m long``, ``-m "long or not long"``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("markexpr"):
        return
    long = [item for item in items if item.get_closest_marker("long") and item.path.is_relative_to(HERE)]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]
