"""A picture as a flowchart of Mermaid, which puts everything into its place itself.

Mermaid reads ``#35;`` and the like in a text as that character, so that all but plain characters is written so.
Source: "Flowcharts Syntax" of mermaid.js.org, "Entity codes to escape characters".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl.drawing.glyphs import shortened
from tfdsl.drawing.picture import FRAME, Box, Line, LinkKind, Picture
from tfdsl.drawing.sizes import TEXT, WIDEST_ITEM, shape_of

_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _./:=+,()-{}$")
_SHAPES: Final = {
    "card": ("[", "]"),
    "object": ("([", "])"),
    "table": ("[", "]"),
    "sheet": (">", "]"),
    "cylinder": ("[(", ")]"),
}
_ARROWS: Final[dict[LinkKind, str]] = {
    "peers": "<-->",
    "after": "-.->",
    "mount": "---",
    "output": "==>",
    "variables": "-.-",
    "logs": "---",
    "object": "-->",
}
_CLASSES: Final = (
    "classDef role stroke:#3569c4,stroke-width:2px",
    "classDef store stroke:#4f8f5c,stroke-width:2px",
    "classDef object stroke:#8a63c9,stroke-width:2px",
    "classDef implied stroke:#8a63c9,stroke-dasharray:5 4",
    "classDef about stroke-width:0px",
)


def mermaid(pictures: Sequence[Picture]) -> str:
    """One flowchart of all pictures."""
    lines = ["flowchart TB"]
    for number, one in enumerate(pictures):
        prefix = f"g{number}_" if len(pictures) > 1 else ""
        lines += (f"  {line}" for line in _picture(one, prefix))
    return "\n".join([*lines, *(f"  {line}" for line in _CLASSES)]) + "\n"


def _picture(picture: Picture, prefix: str) -> Iterator[str]:
    yield from (_node(box, prefix) for box in picture.of_kind("object"))
    yield f'subgraph {prefix}{FRAME}["{escaped(_short(f"job {picture.title}"))}"]'
    if picture.lines:  # the title of a subgraph would be over its boxes
        yield f'  {prefix}about["{"<br/>".join(escaped(_short(line.text)) for line in picture.lines)}"]:::about'
    yield from (f"  {_node(box, prefix)}" for box in picture.of_kind("role"))
    yield "end"
    yield from (_node(box, prefix) for box in picture.of_kind("store"))
    for link in picture.links:
        label = f'|"{"<br/>".join(escaped(_short(line)) for line in link.label.split(chr(10)))}"|' if link.label else ""
        yield f"{_id(prefix, link.source)} {_ARROWS[link.kind]}{label} {_id(prefix, link.target)}"


def _node(box: Box, prefix: str) -> str:
    start, end = _SHAPES[shape_of(box)]
    name = f"{box.name} ×{box.count:,}" if box.count > 1 else box.name
    above = f"{escaped(_short(box.what))}<br/>" if box.what and box.kind != "role" else ""
    kind = f"{box.kind} implied".split()[: 2 if box.implied else 1]
    classes = f":::{kind[-1]}" if box.implied else f":::{box.kind}"
    return f'{_id(prefix, box.id)}{start}"{above}{_text(name, box.lines)}"{end}{classes}'


def _text(name: str, lines: Sequence[Line]) -> str:
    return "<br/>".join([f"<b>{escaped(_short(name))}</b>", *(escaped(_short(line.text)) for line in lines)])


def _short(text: str) -> str:
    return shortened(text, TEXT, WIDEST_ITEM)


def _id(prefix: str, name: str) -> str:
    return prefix + name.replace("-", "_")


def escaped(text: str) -> str:
    """``text`` as it may be between quotes."""
    return "".join(char if char in _PLAIN or (ord(char) > 0xA0) else f"#{ord(char)};" for char in text)
