"""The text of a program as it travels to the cluster, without what only type checkers and linters read."""

from __future__ import annotations

import re
from typing import Final

from tfdsl.patterns import regex

_FOR_CHECKERS: Final = regex(r"\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n(?:    .*\n|\n(?=    ))*")
_TYPE_LINES: Final = regex(r"^ *# type: .*\n", re.MULTILINE)
_REMARKS: Final = regex(r" *# (?:type|noqa): .*")


def portable(source: str) -> str:
    """``source`` without its type comments, its remarks for linters, and its block under ``TYPE_CHECKING``."""
    return _REMARKS.sub("", _TYPE_LINES.sub("", _FOR_CHECKERS.sub("", source)))
