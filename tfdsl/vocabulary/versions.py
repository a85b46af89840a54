"""Versions of targets: which known version another one behaves like.

A target knows the versions at which its behaviour changes. People also run versions in between, and name them with a
patch level or a ``v``, as their cluster reports them. Such a version behaves like the newest known one that is not
newer.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.patterns import regex
from tfdsl.record import Record

_VERSION = regex(r"v?([0-9]{1,6}\.[0-9]{1,6}(?:\.[0-9]{1,6})?)")


class Version(Record):
    """A version that a user named. ``known``: the version that determines what the target does.

    ``shown``: as written, without a ``v``. ``exact``: the release it means, with its patch level: equal for two
    spellings of one version.
    """

    known: str
    shown: str
    exact: tuple[int, ...]


def find(text: str, known: Sequence[str]) -> Version | None:
    """What ``text`` means to a target that knows ``known`` (oldest first); ``None`` if it is unknown.

    Without a patch level, the newest known one is meant. Later patches of the newest known version are in range.
    """
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    shown = match[1]
    asked = key(shown)
    if asked[:2] > key(known[-1])[:2]:
        return None
    older = [version for version in known if (key(version) if len(asked) > 2 else key(version)[:2]) <= asked]
    if not older:
        return None
    same = key(older[-1])[:2] == asked
    return Version(older[-1], shown, (*(key(older[-1]) if same else asked), 0)[:3])


def why_unknown(text: str, known: Sequence[str]) -> str:
    """What to write instead of ``text``, for which :func:`find` found nothing."""
    span = f"{known[0]} to {known[-1]}"
    if _VERSION.fullmatch(text) is None:
        return f"write a version such as {known[-1]} or {known[-1].removesuffix('.0')}.1; tfdsl knows {span}"
    return f"tfdsl knows {span}; take the newest version that is not newer than yours"


def described(known: Sequence[str]) -> str:
    """The allowed versions, in a sentence for documentation."""
    return f"Any from {known[0]} to {known[-1]}, also with a patch level; {', '.join(known)} differ."


def key(version: str) -> tuple[int, ...]:
    """A version as numbers, for comparison; parts that are not numbers count as 0."""
    return tuple(int(part) if part.isdigit() else 0 for part in version.split("."))
