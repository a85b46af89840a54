"""The last line of ``tfdsl compile``: how many notes there are, and the command that shows them."""

from __future__ import annotations

from collections.abc import Iterable

from tfdsl.cli.arguments import Arguments, quote
from tfdsl.cli.selection import ALLOW_READ, JOB, NAME, OPTION, PARAMS, PROFILE, SET, TARGET
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.diagnostic import count_infos
from tfdsl.diagnostics.render.columns import visible


def closing_line(diagnostics: Iterable[Diagnostic], arguments: Arguments, hidden: Hidden) -> str:
    """The line that counts the infos in ``diagnostics``, without ``hidden`` values; empty if there are none."""
    infos = count_infos(diagnostics)
    if not infos:
        return ""
    return f"{infos} {'note' if infos == 1 else 'notes'}, shown by: {visible(hide(_check(arguments), hidden))}\n"


def _check(arguments: Arguments) -> str:
    """``tfdsl check`` with the choices of this compilation."""
    words = ["tfdsl", "check", *(argument.text for argument in arguments.rest)]
    for flag in (TARGET, JOB, NAME, PROFILE, PARAMS, SET, OPTION, ALLOW_READ):
        words += [word for argument in arguments.values(flag.name) for word in (flag.short or flag.name, argument.text)]
    return " ".join(quote(word) for word in words)
