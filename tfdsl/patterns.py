"""Regular expressions that are compiled when they are first used.

The front end has about eighty of them, and a text without mistakes needs a third: compiling all of them takes as long
as reading and checking a small job.
"""

from __future__ import annotations

import re
from typing import cast


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` gives, but made at the first use; for the constants of modules."""
    return cast("re.Pattern[str]", _Pattern(text, flags))


class _Pattern:
    """Has no attribute but what it is made from; the first that is asked for makes it take those of the pattern."""

    def __init__(self, text: str, flags: int) -> None:
        self._made_from = text, flags

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(*self._made_from)
        own = vars(self)
        for method in ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn", "pattern"):
            own[method] = getattr(compiled, method)
        return getattr(compiled, name)
