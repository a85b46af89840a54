"""One input of a kind: what to prove about it, and the texts to keep when it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Finding(Exception):  # noqa: N818  (it is a finding, not an error of the program)
    """Something that does not hold."""


class Case(NamedTuple):
    """``prove`` raises what is wrong. ``texts``: what was made up, by the end of the name of the file that keeps it."""

    prove: Callable[[], object]
    texts: Mapping[str, bytes]


def expect(holds: object, what: str) -> None:
    """Raise a finding that says ``what`` when it does not hold."""
    if not holds:
        raise Finding(what)


def kept(text: str) -> bytes:
    """``text`` as it is kept, also when it is no text."""
    return text.encode("utf-8", "surrogatepass")
