"""Screens: commands after ``$``, and what they write. The button beside one copies the commands."""

from __future__ import annotations

import re

from pygments.lexers.shell import BashSessionLexer

_UNNAMED = re.compile(r"^```\n(?=\$ )", re.MULTILINE)


def named(markdown: str) -> str:
    """``markdown`` with the language at screens without one, which the tests of the documentation do not execute."""
    return _UNNAMED.sub("```console\n", markdown)


def take_one_prompt() -> None:
    """Let only ``$`` be a prompt: the first line of a manifest that is shown is a comment, not a command of root's."""
    BashSessionLexer._ps1rgx = re.compile(r"^(\$ )(.*\n?)")
