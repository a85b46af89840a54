"""Where each value of a JSON text is written."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tfdsl.patterns import regex
from tfdsl.rules.broken import KEY
from tfdsl.text import Source, Span

_TOKEN = regex(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class Place:
    """A value: its span, the keys and members of an object, the items of an array.

    ``repeated``: the keys of an object that it has a second time.
    """

    __slots__ = ("end", "items", "keys", "members", "repeated", "source", "start")

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.keys: dict[str, Span] = {}
        self.members: dict[str, Place] = {}
        self.items: list[Place] = []
        self.repeated: list[tuple[str, Span]] = []

    @property
    def span(self) -> Span:
        """The whole value."""
        return Span(self.source, self.start, self.end)

    @property
    def head(self) -> Span:
        """Where a message about the value points: to the first character of an object or array."""
        return Span(self.source, self.start, self.start + 1) if self.source.text[self.start] in "{[" else self.span


def places(source: Source) -> Place:
    """The places of a text that is known to be JSON."""
    root = Place(source, 0, len(source.text))
    open_values: list[Place] = []
    key: tuple[str, Span] | None = None
    for token in _TOKEN.finditer(source.text):
        word = token[0]
        if word in ",:":
            continue
        if word in "}]":
            open_values.pop().end = token.end()
            continue
        outer = open_values[-1] if open_values else None
        if outer is not None and source.text[outer.start] == "{" and key is None:
            key = (json.loads(word), Span(source, token.start(), token.end()))
            continue
        value = Place(source, token.start(), token.end())
        if outer is None:
            root = value
        elif key is not None and key[0] in outer.keys:
            outer.repeated.append(key)
        elif key is not None:
            outer.keys[key[0]], outer.members[key[0]] = key[1], value
        else:
            outer.items.append(value)
        key = None
        if word in "{[":
            open_values.append(value)
    return root


def repeated_keys(root: Place) -> Iterator[tuple[str, Span, Span]]:
    """Each key that its object has already, where it is again, and where it is first."""
    waiting = [root]
    while waiting:
        place = waiting.pop()
        yield from ((key, again, place.keys[key]) for key, again in place.repeated)
        waiting += [*place.members.values(), *place.items]


def path_in(root: Place, location: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The steps of what pydantic calls ``location`` that are in the text, and the last one, which may be missing."""
    here, steps = root, list[str | int]()
    for at, step in enumerate(location):
        if isinstance(step, str):
            inner = here.members.get(step)
        else:
            inner = here.items[step] if step < len(here.items) else None
        if inner is not None or (at == len(location) - 1 and step != KEY):
            steps.append(step)
        here = inner or here
    return tuple(steps)


def find(root: Place, location: tuple[str | int, ...], *, key: bool = False) -> Span:
    """The span of what pydantic calls ``location``, or of what holds it where it is missing; ``key``: that of its key.

    Steps that are not in the text, such as the tags of unions, are passed over.
    """
    here, last = root, root.head
    for at, step in enumerate(location):
        if isinstance(step, str) and step in here.members:
            if location[at + 1 : at + 2] == (KEY,):
                return here.keys[step]
            here, last = here.members[step], here.keys[step]
        elif isinstance(step, int) and step < len(here.items):
            here = here.items[step]
            last = here.head
    return last if key else here.head
