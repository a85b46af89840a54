"""The files that are named on a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT, UNREADABLE_FILE
from tfdsl.source_files import STDIN, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.cli.arguments import Argument
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.text import Source


def named_files(argument: Sequence[Argument]) -> tuple[list[Source], list[Diagnostic]]:
    """The texts of the files (``-`` is standard input), each once, and errors for those that cannot be read."""
    sources: dict[str, Source] = {}
    errors: list[Diagnostic] = []
    for one in argument:
        if one.text in sources:
            if one.text == STDIN:
                errors.append(BAD_ARGUMENT(one.span, what="standard input can be read only once"))
            continue
        found = read(one.text)
        if isinstance(found, str):
            errors.append(UNREADABLE_FILE(one.span, path=one.text or "(no name)", reason=found))
        else:
            sources[one.text] = found
    return list(sources.values()), errors
