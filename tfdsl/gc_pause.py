"""No garbage collection while large, long-lived values are created.

A tree, its typed values and its documents live long and have hardly a reference cycle; scanning them again and again
takes a third of the time of a stage.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def without_gc(function: Callable[P, T]) -> Callable[P, T]:
    """``function`` with the collector paused while it runs, and restored afterwards."""

    @wraps(function)
    def paused(*args: P.args, **kwargs: P.kwargs) -> T:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            if collecting:
                gc.enable()

    return paused
