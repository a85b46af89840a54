"""Text that has to get through a shell or through Kubernetes unchanged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tfdsl.patterns import regex

_BARE: Final = regex(r"(?:[A-Za-z0-9_@%+:,./][A-Za-z0-9_@%+:,./-]*|-[A-Za-z0-9_@%+:,./=-]*)\Z")
_RESERVED: Final = regex(r"(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|select|time|coproc)\Z")
"""Words that the shell itself reads where a command starts (POSIX.1 XCU 2.4, and bash's own)."""

_EXPANDABLE: Final = regex(r"\$(?=[$(]|[^\x00-\x7f]|\Z)")


def quote(text: str) -> str:
    r"""``text`` as one word of a POSIX shell (dash, bash, busybox), byte for byte.

    A word of harmless characters stays bare, others are put in single quotes, in which only ``'`` itself has a meaning.
    ``NAME=value`` and reserved words are quoted too, since in front they would not be a command. Raises ``ValueError``
    for a NUL, which no argument of a process can hold.
    """
    if "\0" in text:
        raise ValueError("an argument of a process cannot hold a NUL character")
    if _BARE.match(text) and not _RESERVED.match(text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def quote_argv(argv: Iterable[str]) -> str:
    """The words of a command line, one blank between them."""
    return " ".join(map(quote, argv))


def escape_expansion(text: str) -> str:
    r"""``text`` for a place in which Kubernetes expands ``$(NAME)``: command, args, env values, ``subPathExpr``.

    There ``$(NAME)`` is a reference, ``$$`` is one ``$``, and any other ``$`` is itself (third_party/forked/golang/
    expansion/expand.go). Two traps: the character after a lone ``$`` is copied as one *byte*, so ``$é`` arrives
    damaged; and a ``$`` at the end would join with a ``$(NAME)`` written after it. Each ``$`` that could be read
    otherwise is doubled, so the result may be joined with references on both sides.
    """
    return _EXPANDABLE.sub("$$", text) if "$" in text else text
