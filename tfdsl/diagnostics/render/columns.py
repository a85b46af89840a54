"""How wide a text is on a terminal, so that marks are under what they mark, and how to keep it from acting there.

A build server reads commands from the output of a program. GitHub's runner reads ``::name::`` after the spaces at the
start of a line and ``##[name]`` anywhere in it (``src/Runner.Common/ActionCommand.cs`` of github.com/actions/runner),
Azure Pipelines ``##vso[name]`` and TeamCity ``##teamcity[name]``. A space in between makes them harmless; an invisible
character (a soft hyphen, a joiner) does not, because .NET ignores these when it compares texts (learn.microsoft.com,
"Best practices for comparing strings in .NET"), so a hostile command can contain them.
"""

from __future__ import annotations

from bisect import bisect_left

from tfdsl.patterns import regex

TAB = "    "
_JOINER = 0x200D
_EMOJI_STYLE = 0xFE0F
_PICTURES = 0x2400
_ACTS = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""What a terminal or a reader of lines acts on beside ASCII's controls: C1, ends of lines, lone surrogates, and marks
that change the writing direction (CVE-2021-42574)."""
ACTING = regex(f"[{_ACTS}]")
_UNSEEN = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]*"
)
"""Any number of characters that are Default_Ignorable_Code_Point in Unicode."""
TWO_SIGNS = regex(rf"#(?={_UNSEEN}#)")
"""The first of two ``#`` that are adjacent for a build server."""
_COMMAND = regex(
    rf"#(?={_UNSEEN}#(?:{_UNSEEN}\[|{_UNSEEN}[vV]{_UNSEEN}[sS]{_UNSEEN}[oO]{_UNSEEN}\[|(?i:teamcity)\[))"
)  # TeamCity is written in Java, which ignores no characters
_LINE_COMMAND = regex(rf"(?:\s|{_UNSEEN[:-1]})*:(?={_UNSEEN}:)")


def visible(text: str) -> str:
    """``text`` with a tab as four spaces, and with visible signs for what a terminal or a build server would act on.

    Control characters become their pictures (U+2400 …), marks that change the writing direction (CVE-2021-42574) and
    lone surrogates become U+FFFD, ``##[`` becomes ``# #[``.
    """
    if "#" in text:
        text = _COMMAND.sub("# ", text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(char) for char in text)


def in_a_line(text: str) -> str:
    """``text`` without its line breaks: :func:`visible`."""
    return " ".join(map(visible, text.split("\n")))


def line_of(text: str) -> str:
    """``text`` for the start of a line: :func:`visible`, and not beginning with ``::``."""
    shown = visible(text)
    return _LINE_COMMAND.sub(r"\g<0> ", shown, count=1) if begins_command(shown) else shown


def begins_command(text: str) -> bool:
    """Whether a line ``text`` would be a command for GitHub."""
    return _LINE_COMMAND.match(text) is not None


def _visible(char: str) -> str:
    code = ord(char)
    if char == "\t":
        return TAB
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == 0x7F:
        return "\u2421"
    return "\ufffd" if ACTING.match(char) else char


def cells(text: str) -> list[int]:
    """The number of terminal columns of each character of ``text`` (which must be :func:`visible`).

    Combining marks and what is joined to an emoji have none; wide characters (UAX 11: W and F) and emoji have two.
    """
    if text.isascii():
        return [1] * len(text)
    from unicodedata import category, east_asian_width

    widths: list[int] = []
    joined = False
    for char in text:
        code = ord(char)
        if code < 0x7F:
            width = 1
        elif code == _EMOJI_STYLE and widths and widths[-1] == 1:
            widths[-1], width = 2, 0
        elif joined or category(char) in ("Mn", "Me", "Cf") or 0x1F3FB <= code <= 0x1F3FF:
            width = 0
        else:
            width = 2 if east_asian_width(char) in "WF" else 1
        joined = code == _JOINER
        widths.append(width)
    return widths


class Measured:
    """A line of a source, measured once for all the marks in it.

    ``text`` as it is in the source, ``width`` in terminal columns when it is :func:`visible`.
    """

    __slots__ = ("_starts", "text", "width")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = None if text.isascii() and text.isprintable() else _starts(text)
        self.width = len(text) if self._starts is None else self._starts[-1]

    def column(self, at: int) -> int:
        """The terminal column where the character ``at`` begins; after the last one, the width."""
        at = min(at, len(self.text))
        return at if self._starts is None else self._starts[at]

    def at(self, column: int) -> int:
        """The first character that begins at or after ``column``."""
        return min(column, len(self.text)) if self._starts is None else bisect_left(self._starts, column)


def _starts(text: str) -> list[int]:
    """The column of each character of ``text``, and the column after the last one."""
    shown = [_visible(char) for char in text]
    widths = iter(cells("".join(shown)))
    columns = [0]
    for sign in shown:
        columns.append(columns[-1] + sum(next(widths) for _ in sign))
    return columns


def width(text: str) -> int:
    """The number of terminal columns of ``text`` (which must be :func:`visible`)."""
    return sum(cells(text))
