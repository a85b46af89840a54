"""The scripts of the shells, and how each is told what can follow.

The scripts do next to nothing. What a shell takes, quotes and puts behind a word differs; that is worked out here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from tfdsl.cli.completing import bash_line
from tfdsl.cli.completing.asking import answered
from tfdsl.cli.completing.bash_line import Word
from tfdsl.cli.completing.candidate import Answer, Candidate
from tfdsl.cli.completing.paths import found
from tfdsl.diagnostics.render.columns import visible

_LONGEST: Final = 90
"""Characters of a description."""
_BREAKS: Final = " \t\n\"'><=;|&(:@"
"""The COMP_WORDBREAKS of bash, where the script does not say them."""


def script(shell: str) -> str:
    """The script of a shell."""
    return Path(__file__).with_name(f"tfdsl.{shell}").read_text(encoding="utf-8")


# --- bash ------------------------------------------------------------------------------------------------------


def _bash(at: int, typed: Sequence[str]) -> Iterator[str]:
    """What bash puts in the place of its own current word. ``typed``: the line, in which the cursor is at ``at``."""
    line = "".join(typed[:1])
    separators = os.environ.get("TFDSL_WORDBREAKS", _BREAKS)
    before = bash_line.split(line[:at], separators)
    if len(before) < 2:  # the name of the program itself
        return
    current = before[-1]
    whole = bash_line.split(f"{current.raw}{line[at:]}", separators)
    after = whole[1:] if current.raw or line[at : at + 1].strip() else whole
    words = [word.text for word in (*before[1:], *after) if word.raw or word is current]
    answer = answered(words, len(before) - 2)
    lines = [*_bash_words(current, answer), *_bash_files(current, answer)]
    lone = len(lines) == 1 and not current.quote
    yield from (text + (" " if lone and not goes_on else "") for text, goes_on in lines)


def _bash_words(current: Word, answer: Answer) -> Iterator[tuple[str, bool]]:
    """Each candidate from where bash replaces, and whether the word goes on."""
    for one in answer.candidates:
        text = bash_line.quoted(one.text[current.breaks[1] :], current.quote)
        if text is not None:
            yield text, one.open


def _bash_files(current: Word, answer: Answer) -> Iterator[tuple[str, bool]]:
    """Each path, with its folder as it was typed."""
    if answer.files is None:
        return
    raw = current.raw[current.breaks[0] :]
    kept = answer.files.prefix[current.breaks[1] :]
    typed = raw[: max(raw.rfind("/") + 1, len(kept))]
    path = os.path.expandvars(current.text[len(answer.files.prefix) :])
    for one in found(path, answer.files):
        name = bash_line.quoted(one.name, current.quote)
        if name is not None:
            yield f"{typed}{name}{'/' if one.folder else ''}", one.folder


# --- zsh -------------------------------------------------------------------------------------------------------


def _zsh(at: int, typed: Sequence[str]) -> Iterator[str]:
    """A line for each candidate: ``word`` or ``open``, the text, how it is shown; zsh finds files itself."""
    answer = answered(typed, at)
    width = max((len(one.text) for one in answer.candidates), default=0)
    for one in answer.candidates:
        described = _description(one)
        shown = f"{one.text:<{width}}  -- {described}" if described else one.text
        yield "\t".join(("open" if one.open else "word", one.text, shown))
    files = answer.files
    if files is not None:
        endings = "|".join(ending.removeprefix(".") for ending in files.endings)
        yield "\t".join(("folders" if files.folders else "files", files.prefix, f"*.({endings})" if endings else "*"))


# --- fish ------------------------------------------------------------------------------------------------------


def _fish(at: int, typed: Sequence[str]) -> Iterator[str]:
    """A line for each candidate, with its description; fish puts no space behind ``=``, ``@``, ``.`` and ``/``."""
    answer = answered(typed, at)
    for one in answer.candidates:
        yield f"{one.text}\t{_description(one)}"
    files = answer.files
    if files is not None:
        path = typed[at][len(files.prefix) :]
        folder = typed[at][: len(typed[at]) - len(os.path.basename(path))]
        for entry in found(path, files):
            yield f"{folder}{entry.name}{'/' if entry.folder else ''}\t"


def _description(one: Candidate) -> str:
    text = visible(" ".join(one.description.split()))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


SHELLS: Final[dict[str, Callable[[int, Sequence[str]], Iterator[str]]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""Each shell, and what it is told."""
