"""The events of a YAML text, from libyaml or, where PyYAML was built without it, from PyYAML's own parser.

Offsets of events are characters, whatever is in the text; both parsers count so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from tfdsl.patterns import regex

if TYPE_CHECKING:
    import yaml

    class EventParser(Protocol):
        """What both parsers of PyYAML have."""

        def get_event(self) -> yaml.Event | None:
            """The next event; ``None`` after the last one."""
            ...


FORBIDDEN = regex("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that YAML does not allow in a text."""


def parser() -> Callable[[str], EventParser]:
    """The parser that there is."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        from yaml.loader import SafeLoader

        return SafeLoader
    return CParser


def events(text: str) -> Iterator[yaml.Event]:
    """All events of ``text``, which has no :data:`FORBIDDEN` character.

    Raises:
        yaml.MarkedYAMLError: From here on it is not YAML.
    """
    following = parser()(text).get_event
    event = following()
    while event is not None:
        yield event
        event = following()


def start_of(event: yaml.Event) -> int:
    """The offset at which ``event`` begins."""
    return event.start_mark.index if event.start_mark is not None else 0


def end_of(event: yaml.Event) -> int:
    """The offset after ``event``."""
    return event.end_mark.index if event.end_mark is not None else 0
