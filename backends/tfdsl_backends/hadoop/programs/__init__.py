"""What the programs of yarn and slider share on the cluster: texts and files, HDFS, marks of copies, addresses.

yarn joins what a job needs of them into its one program; slider sends them as ``task_NAME.py`` beside its own. So they
are in the syntax and the library of Python 2.6, the oldest of Slider's agents, and of Python 3, with type comments. No
two modules define the same name.
"""

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
