"""A picture in words, for those who do not see it."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.drawing.picture import FRAME, Link, Picture
from tfdsl.drawing.words import counted, listed

_VERBS = {
    "peers": "talks to",
    "after": "starts after",
    "mount": "mounts",
    "output": "writes to",
    "variables": "reads",
    "logs": "reads",
}


def described(picture: Picture) -> str:
    """A few sentences: the roles, then each link."""
    roles = (f"{box.name} ({counted(box.count, 'replica')})" for box in picture.of_kind("role"))
    objects = [f"{box.what} {box.name}" for box in picture.of_kind("object")]
    on_it = [f"On {picture.target}: {listed(objects)}."] if objects else []
    return " ".join([f"Job {picture.title}: {listed(roles)}.", *_links(picture), *on_it])


def _links(picture: Picture) -> Iterator[str]:
    names = {box.id: f"{box.what} {box.name}".strip() if box.kind != "role" else box.name for box in picture.boxes}
    names[FRAME] = "each role"
    for link in picture.links:
        if link.kind != "object":
            yield f"{_capital(names[link.source])} {_VERBS[link.kind]} {names[link.target]}{_more(link)}."


def _more(link: Link) -> str:
    words = link.label.replace("\n", ", ")
    return f": {words}" if words and link.kind not in ("peers", "after") else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
