"""Texts of others inside Markdown.

An editor loads the images and follows the links that Markdown names. What a file, a folder or a setting holds is shown
as the characters it is made of (spec.commonmark.org, "Backslash escapes", "Code spans", "Fenced code blocks").
"""

from __future__ import annotations

from tfdsl.diagnostics.render.columns import visible
from tfdsl.patterns import regex

_SIGN = regex(r"[\\`*\[\]<>&!~|$]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.")
_RUN = regex("`+")


def plain(text: str) -> str:
    """``text`` inside a line, with its special characters escaped."""
    return _SIGN.sub(r"\\\g<0>", " ".join(visible(part).strip() for part in text.split("\n")))


def code(text: str) -> str:
    """``text`` as code inside of a line, between marks that it does not hold."""
    text = " ".join(visible(part) for part in text.split("\n"))
    mark = "`" * (_longest_run(text) + 1)
    space = " " if text[:1] in ("`", " ", "") or text[-1:] in ("`", " ") else ""
    return f"{mark}{space}{text}{space}{mark}"


def fenced(text: str) -> str:
    """``text`` as a block of code of the language, between fences that no line of it closes."""
    fence = "`" * max(3, _longest_run(text) + 1)
    shown = "\n".join(visible(line.rstrip("\r")) for line in text.split("\n"))
    return f"{fence}tfjob\n{shown}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUN.findall(text)), default=0)
