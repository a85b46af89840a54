"""Cases that are equal to each other, such as generated jobs: a few in each run, all of them before a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable


def sampled(cases: Iterable[Any], one_of: int) -> list[Any]:
    """The cases, every ``one_of``-th a slow test and the others long ones."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=[pytest.mark.long if number % one_of else pytest.mark.slow],
        )
        for number, case in enumerate(cases)
    ]
