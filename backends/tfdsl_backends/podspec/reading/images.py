"""Images that are none: placeholders that nobody has filled in, and containers without one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.import_rules import READ_DIFFERENTLY
from tfdsl.draft import Attribute, Draft
from tfdsl.reading import Asked
from tfdsl.rules.values import image
from tfdsl_backends.podspec.reading.pod import main_container

if TYPE_CHECKING:
    from tfdsl.manifest.view import View
    from tfdsl_backends.podspec.reading.facts import PodFacts

_NONE: Final = "image"
_ODD: Final = re.compile(r"[^a-z0-9._/:@-]+")
_LONGEST: Final = 200


def add_missing_images(draft: Draft, pods: Mapping[str, View], facts: PodFacts, asked: Asked) -> dict[str, str]:
    """Give an image to each role without one, because the language needs it; such a job never ran as it was.

    Returns what the roles were given.
    """
    made: dict[str, str] = {}
    if any(isinstance(one, Attribute) and one.name == "image" for one in draft.job.statements):
        return made
    for role, template in pods.items():
        block = draft.role(role)
        if not any(isinstance(one, Attribute) and one.name == "image" for one in block.statements):
            container = main_container(template, facts)
            place = container["image"] if container["image"].present else container
            made[role] = _near(place.text or "")
            block.set("image", made[role], place.span)
            _tell(place, made[role], asked)
            draft.law = False
    return made


def _tell(place: View, made: str, asked: Asked) -> None:
    what = f"image {place.text}" if place.text else "a container without an image"
    difference = "it is not the name of an image" if place.text else "a role needs one"
    word = f"image {made}" if place.text else f'one with image = "{made}"'
    told = READ_DIFFERENTLY(place.span, what=what, word=word, difference=difference)
    asked.report(told.help("write the image that is meant"))


def _near(text: str) -> str:
    """An image whose name is like ``text``."""
    made = _ODD.sub("", text[:_LONGEST].lower()).strip("._/:@-")
    return made if made and image(made) is None else _NONE
