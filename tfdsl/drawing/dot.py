"""A picture in the language of graphviz, which puts everything into its place itself.

Source: "DOT Language" of graphviz.org, and its attributes ``label``, ``lhead`` and ``ltail``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tfdsl.drawing.glyphs import shortened
from tfdsl.drawing.picture import FRAME, Box, Line, Link, LinkKind, Picture
from tfdsl.drawing.sizes import TEXT, WIDEST_ITEM, shape_of

_SHAPES: Final = {
    "card": 'shape=box, style="rounded,filled", color="#3569c4", fillcolor="#ffffff"',
    "object": 'shape=box, style="rounded,filled", color="#8a63c9", fillcolor="#f4effb"',
    "table": 'shape=box, style=filled, color="#4f8f5c", fillcolor="#eef6ef"',
    "sheet": 'shape=note, style=filled, color="#4f8f5c", fillcolor="#eef6ef"',
    "cylinder": 'shape=cylinder, style=filled, color="#4f8f5c", fillcolor="#eef6ef"',
}
_LINKS: Final[Mapping[LinkKind, str]] = {
    "peers": 'dir=both, color="#3569c4"',
    "after": "style=dashed",
    "mount": "dir=none",
    "output": 'color="#2f7d43"',
    "variables": "style=dotted, dir=back",
    "logs": "dir=back",
    "object": 'color="#8a63c9"',
}


def dot(pictures: Sequence[Picture]) -> str:
    """One graph of all pictures."""
    lines = [
        "digraph tfdsl {",
        '  graph [compound=true, fontname="Helvetica", fontsize=12, ranksep=0.6]',
        '  node [fontname="Helvetica", fontsize=12]',
        '  edge [fontname="Helvetica", fontsize=10, color="#59636e"]',
    ]
    for number, one in enumerate(pictures):
        lines += (f"  {line}" for line in _picture(one, number))
    return "\n".join([*lines, "}"]) + "\n"


def _picture(picture: Picture, number: int) -> Iterator[str]:
    yield from (_node(box, number) for box in picture.of_kind("object"))
    yield f"subgraph cluster_{number} {{"
    label = _left([f"job {picture.title}", *(line.text for line in picture.lines)])
    yield f'  graph [label="{label}", labeljust=l, style="rounded,filled", color="#c4ccd6", fillcolor="#f6f8fa"]'
    yield from (f"  {_node(box, number)}" for box in picture.of_kind("role"))
    yield "}"
    yield from (_node(box, number) for box in picture.of_kind("store"))
    roles = picture.of_kind("role")
    for link in picture.links:
        yield _link(link, roles, number)


def _node(box: Box, number: int) -> str:
    shape = shape_of(box)
    name = f"{box.name} ×{box.count:,}" if box.count > 1 else box.name
    what = [box.what] if box.what and shape != "card" else []
    label = _left([*what, name, *_texts(box.lines)])
    looks = _SHAPES[shape].replace("filled", "filled,dashed") if box.implied else _SHAPES[shape]
    return f'{_id(number, box.id)} [label="{label}", tooltip="{escaped(box.name)}", {looks}]'


def _texts(lines: Sequence[Line]) -> list[str]:
    return [line.text for line in lines]


def _link(link: Link, roles: Sequence[Box], number: int) -> str:
    """A link of the whole job is one of a role in it, cut off at the frame."""
    looks = [_LINKS[link.kind]]
    source, target = link.source, link.target
    if source == FRAME:
        source = roles[-1].id
        looks.append(f"ltail=cluster_{number}")
    if target == FRAME:
        target = roles[0].id
        looks.append(f"lhead=cluster_{number}")
    if link.label:
        looks.append(f'label="{_left(link.label.split(chr(10)))}"')
    return f"{_id(number, source)} -> {_id(number, target)} [{', '.join(looks)}]"


def _id(number: int, name: str) -> str:
    return f"g{number}_{name.replace('-', '_')}"


def _left(lines: Sequence[str]) -> str:
    """Lines below each other, from the left."""
    return "".join(f"{escaped(shortened(line, TEXT, WIDEST_ITEM))}\\l" for line in lines)


def escaped(text: str) -> str:
    """``text`` as it may be between quotes; graphviz reads backslashes and HTML's entities there."""
    line = " ".join(text.splitlines())
    return line.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
