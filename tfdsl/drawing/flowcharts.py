"""A picture in the languages of graphviz and of Mermaid, which put everything into its place themselves.

Mermaid reads ``#35;`` and the like in a text as that character, so that all but plain characters is written so.
Sources: "DOT Language" of graphviz.org, and its attributes ``label``, ``lhead`` and ``ltail``; "Flowcharts Syntax" of
mermaid.js.org, "Entity codes to escape characters".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tfdsl.drawing.picture import FRAME, Box, Direction, Link, LinkKind, Picture
from tfdsl.drawing.sizes import TEXT, WIDEST_ITEM, shape_of, shortened

# --- graphviz --------------------------------------------------------------------------------------------------------

_DOT_SHAPES: Final = {
    "card": 'shape=box, style="rounded,filled", color="#3569c4", fillcolor="#ffffff"',
    "object": 'shape=box, style="rounded,filled", color="#8a63c9", fillcolor="#f4effb"',
    "table": 'shape=box, style=filled, color="#4f8f5c", fillcolor="#eef6ef"',
    "sheet": 'shape=note, style=filled, color="#4f8f5c", fillcolor="#eef6ef"',
    "cylinder": 'shape=cylinder, style=filled, color="#4f8f5c", fillcolor="#eef6ef"',
}
_DOT_LINKS: Final[Mapping[LinkKind, str]] = {
    "peers": 'dir=both, color="#3569c4"',
    "after": "style=dashed",
    "mount": "dir=none",
    "output": 'color="#2f7d43"',
    "variables": "style=dotted, dir=back",
    "logs": "dir=back",
    "object": 'color="#8a63c9"',
    "succeeded": 'color="#3569c4"',
    "failed": 'color="#c0392b", style=dashed',
    "ended": "style=dotted",
}


def dot(pictures: Sequence[Picture], direction: Direction = "down") -> str:
    """One graph of all pictures."""
    rank = "" if direction == "down" else "rankdir=LR, "
    lines = [
        "digraph tfdsl {",
        f'  graph [{rank}compound=true, fontname="Helvetica", fontsize=12, ranksep=0.6]',
        '  node [fontname="Helvetica", fontsize=12]',
        '  edge [fontname="Helvetica", fontsize=10, color="#59636e"]',
    ]
    for number, picture in enumerate(pictures):
        lines += (f"  {line}" for line in _dot_picture(picture, number))
    return "\n".join([*lines, "}"]) + "\n"


def _dot_picture(picture: Picture, number: int) -> Iterator[str]:
    yield from (_dot_node(box, number) for box in picture.of_kind("object"))
    yield f"subgraph cluster_{number} {{"
    label = _left([picture.heading, *(line.text for line in picture.lines)])
    yield f'  graph [label="{label}", labeljust=l, style="rounded,filled", color="#c4ccd6", fillcolor="#f6f8fa"]'
    yield from (f"  {_dot_node(box, number)}" for box in picture.framed)
    yield "}"
    yield from (_dot_node(box, number) for box in picture.of_kind("store"))
    roles = picture.framed
    for link in picture.links:
        yield _dot_link(link, roles, number)


def _dot_node(box: Box, number: int) -> str:
    shape = shape_of(box)
    what = [box.what] if box.what and shape != "card" else []
    label = _left([*what, box.title, *(line.text for line in box.lines)])
    looks = _DOT_SHAPES[shape].replace("filled", "filled,dashed") if box.implied else _DOT_SHAPES[shape]
    return f'{_dot_id(number, box.id)} [label="{label}", tooltip="{dot_escaped(box.name)}", {looks}]'


def _dot_link(link: Link, roles: Sequence[Box], number: int) -> str:
    """A link of the whole job is one of a role in it, cut off at the frame."""
    looks = [_DOT_LINKS[link.kind]]
    source, target = link.source, link.target
    if source == FRAME:
        source = roles[-1].id
        looks.append(f"ltail=cluster_{number}")
    if target == FRAME:
        target = roles[0].id
        looks.append(f"lhead=cluster_{number}")
    if link.label:
        looks.append(f'label="{_left(link.label.split(chr(10)))}"')
    return f"{_dot_id(number, source)} -> {_dot_id(number, target)} [{', '.join(looks)}]"


def _dot_id(number: int, name: str) -> str:
    return f"g{number}_{name.replace('-', '_')}"


def _left(lines: Sequence[str]) -> str:
    """Lines below each other, from the left."""
    return "".join(f"{dot_escaped(_short(line))}\\l" for line in lines)


def dot_escaped(text: str) -> str:
    """``text`` as it may be between quotes; graphviz reads backslashes and HTML's entities there."""
    return " ".join(text.splitlines()).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


# --- Mermaid ---------------------------------------------------------------------------------------------------------

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
    "succeeded": "-->",
    "failed": "-.->",
    "ended": "-.->",
}
_CLASSES: Final = (
    "classDef role stroke:#3569c4,stroke-width:2px",
    "classDef store stroke:#4f8f5c,stroke-width:2px",
    "classDef object stroke:#8a63c9,stroke-width:2px",
    "classDef implied stroke:#8a63c9,stroke-dasharray:5 4",
    "classDef about stroke-width:0px",
)


def mermaid(pictures: Sequence[Picture], direction: Direction = "down") -> str:
    """One flowchart of all pictures."""
    lines = ["flowchart TB" if direction == "down" else "flowchart LR"]
    for number, picture in enumerate(pictures):
        prefix = f"g{number}_" if len(pictures) > 1 else ""
        lines += (f"  {line}" for line in _picture(picture, prefix))
    return "\n".join([*lines, *(f"  {line}" for line in _CLASSES)]) + "\n"


def _picture(picture: Picture, prefix: str) -> Iterator[str]:
    yield from (_node(box, prefix) for box in picture.of_kind("object"))
    yield f'subgraph {prefix}{FRAME}["{escaped(_short(picture.heading))}"]'
    if picture.lines:  # the title of a subgraph would be over its boxes
        yield f'  {prefix}about["{"<br/>".join(escaped(_short(line.text)) for line in picture.lines)}"]:::about'
    yield from (f"  {_node(box, prefix)}" for box in picture.framed)
    yield "end"
    yield from (_node(box, prefix) for box in picture.of_kind("store"))
    for link in picture.links:
        label = f'|"{"<br/>".join(escaped(_short(line)) for line in link.label.split(chr(10)))}"|' if link.label else ""
        yield f"{_id(prefix, link.source)} {_ARROWS[link.kind]}{label} {_id(prefix, link.target)}"


def _node(box: Box, prefix: str) -> str:
    start, end = _SHAPES[shape_of(box)]
    above = f"{escaped(_short(box.what))}<br/>" if box.what and shape_of(box) != "card" else ""
    kind = "implied" if box.implied else "role" if box.kind == "run" else box.kind
    texts = [f"<b>{escaped(_short(box.title))}</b>", *(escaped(_short(line.text)) for line in box.lines)]
    return f'{_id(prefix, box.id)}{start}"{above}{"<br/>".join(texts)}"{end}:::{kind}'


def _short(text: str) -> str:
    return shortened(text, TEXT, WIDEST_ITEM)


def _id(prefix: str, name: str) -> str:
    return prefix + name.replace("-", "_")


def escaped(text: str) -> str:
    """``text`` as it may be between quotes."""
    return "".join(char if char in _PLAIN or (ord(char) > 0xA0) else f"#{ord(char)};" for char in text)
