"""A picture as SVG: one text without scripts and without anything from elsewhere, for light and dark pages.

It has a style sheet with its colours in light and in dark, and a description for those who do not see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt
from typing import Final

from tfdsl.drawing.layout import Drawn, Frame, Layout, Placed, Point, layout
from tfdsl.drawing.picture import FRAME, Direction, Link, Picture
from tfdsl.drawing.sizes import CAP, STACK, Section, Text
from tfdsl.drawing.topology import counted, listed
from tfdsl.patterns import regex

SCOPE: Final = "tfdsl-graph"
_HEAD: Final = 7.0
_RADIUS: Final = 8.0
_BELOW: Final = 3.0
"""Between a line that goes to the right and its label."""
_UNFIT: Final = regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold (XML 1.0, "Char")."""
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_NO_END: Final = ("mount",)
_TO_SOURCE: Final = ("variables", "logs")
"""Links whose arrow is at their source: that is where the data goes."""


def svg(pictures: Sequence[Picture], direction: Direction = "down") -> str:
    """The pictures below each other, whose links go to a side."""
    layouts = [layout(picture, direction) for picture in pictures]
    wide = max((each.width for each in layouts), default=0)
    high = sum(each.height for each in layouts)
    title = ", ".join(picture.title for picture in pictures)
    about = " ".join(described(picture) for picture in pictures)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{SCOPE}" role="img" width="{_n(wide)}" height="{_n(high)}" '
        f'viewBox="0 0 {_n(wide)} {_n(high)}" aria-label="{escaped(title)}">',
        f"<title>{escaped(title)}</title>",
        f"<desc>{escaped(about)}</desc>",
        f"<style>{style_sheet(SCOPE)}</style>",
        f'<rect class="paper" width="{_n(wide)}" height="{_n(high)}"/>',
    ]
    top = 0.0
    for number, one in enumerate(layouts):
        parts.append(f'<g data-graph="{number}" transform="translate({_n((wide - one.width) / 2)} {_n(top)})">')
        parts += _drawing(one)
        parts.append("</g>")
        top += one.height
    return "\n".join([*parts, "</svg>"]) + "\n"


def escaped(text: str) -> str:
    """``text`` as XML has it, in a text and in an attribute."""
    return _UNFIT.sub("\ufffd", text).translate(_ENTITIES)


def _n(number: float) -> str:
    """A number with at most one digit after the point."""
    return f"{number:.1f}".removesuffix(".0")


def _drawing(made: Layout) -> Iterator[str]:
    yield from _frame(made.frame)
    boxes = {box.sized.box.id: box for box in made.boxes}
    for link in made.links:
        yield from _link(link, boxes, made.direction)
    for placed in made.boxes:
        yield from _box(placed)
    for drawn in made.links:  # above everything: nothing is behind a label
        yield from _label(drawn, 0 if made.direction == "down" else _BELOW)


# --- boxes -----------------------------------------------------------------------------------------------------------


def _frame(frame: Frame) -> Iterator[str]:
    yield '<g class="job" data-path="">'
    yield _rect("frame", frame.x, frame.y, frame.width, frame.height, 12)
    yield f'<g transform="translate({_n(frame.x)} {_n(frame.y)})">'
    yield from (_section(section, frame.width - 12, 6) for section in frame.sections)
    yield from (_text(text) for text in frame.texts)
    yield "</g></g>"


def _box(placed: Placed) -> Iterator[str]:
    sized = placed.sized
    box = sized.box
    look = "role" if box.kind == "run" else box.kind
    yield f'<g class="{look}" data-path="{escaped(box.path)}" transform="translate({_n(placed.x)} {_n(placed.y)})">'
    yield f"<title>{escaped(_tip(placed))}</title>"
    wide = sized.width - sized.pile * STACK
    top = sized.pile * STACK
    high = sized.height - top
    for number in range(sized.pile, 0, -1):
        yield _rect("body faint", number * STACK, top - number * STACK, wide, high, _RADIUS)
    if sized.shape == "cylinder":
        yield from _cylinder(wide, high)
    elif sized.shape == "sheet":
        yield _sheet(wide, high)
    else:
        kind = "body implied" if box.implied else "body"
        yield _rect(kind, 0, top, wide, high, 3 if sized.shape == "table" else _RADIUS)
    yield from (_section(section, wide - 2, 1) for section in sized.sections)
    yield from (_text(text) for text in sized.texts)
    yield "</g>"


def _tip(placed: Placed) -> str:
    box = placed.sized.box
    words = f"{box.what} {box.name}".strip()
    return f"{words}, {box.count:,} replicas" if box.count > 1 else words


def _rect(kind: str, x: float, y: float, width: float, height: float, radius: float) -> str:
    corner = f' rx="{_n(radius)}"' if radius else ""
    return f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{corner}/>'


def _cylinder(wide: float, high: float) -> Iterator[str]:
    cap, side, width = _n(CAP), _n(high - CAP), _n(wide)
    arc = f"A{_n(wide / 2)} {cap} 0 0 0"
    yield f'<path class="body" d="M0 {cap}V{side}{arc} {width} {side}V{cap}{arc} 0 {cap}Z"/>'
    yield f'<path class="body" d="M0 {cap}{arc} {width} {cap}{arc} 0 {cap}Z"/>'


def _sheet(wide: float, high: float) -> str:
    fold = 12
    edge = _n(wide - fold)
    return f'<path class="body" d="M0 0H{edge}L{_n(wide)} {fold}V{_n(high)}H0ZM{edge} 0V{fold}H{_n(wide)}"/>'


def _section(section: Section, wide: float, x: float) -> str:
    return _rect(section.kind, x, section.y, wide, section.height + 4, 3)


def _text(text: Text) -> str:
    kind = {"what": "muted", "label": "muted", "default policy": "policy faint", "object": "made"}.get(
        text.kind, text.kind
    )
    size = f' style="font-size:{_n(text.size)}px"' if text.size != 12 else ""
    path = f' data-path="{escaped(text.path)}"' if text.path else ""
    tip = f"<title>{escaped(text.whole)}</title>" if text.whole != text.text else ""
    long = f' textLength="{_n(text.room)}" lengthAdjust="spacingAndGlyphs"' if text.text.strip() else ""
    place = f'x="{_n(text.x)}" y="{_n(text.y)}"{long}'
    return f'<text class="{kind}" {place}{size}{path}>{tip}{escaped(text.text)}</text>'


# --- links -----------------------------------------------------------------------------------------------------------


def _link(drawn: Drawn, boxes: dict[str, Placed], direction: Direction) -> Iterator[str]:
    link = drawn.link
    points = list(drawn.route)
    lower = link.target if drawn.forwards else link.source
    if direction == "down":
        points[-1] = _on_edge(points[-1], boxes.get(lower))
    at_target = link.kind not in _NO_END and link.kind not in _TO_SOURCE
    at_source = link.both or link.kind in _TO_SOURCE
    at_end, at_start = (at_target, at_source) if drawn.forwards else (at_source, at_target)
    kind = "object-link" if link.kind == "object" else link.kind
    heads: list[str] = []
    if at_end:
        heads.append(_head(points[-1], 1, direction))
        points[-1] = _moved(points[-1], 1 - _HEAD, direction)
    if at_start:
        heads.append(_head(points[0], -1, direction))
        points[0] = _moved(points[0], _HEAD - 1, direction)
    way = _way(points, direction)
    yield f'<g class="link {kind}" data-path="{escaped(link.path)}"><path class="way" d="{way}"/>'
    yield from heads
    yield "</g>"


def _on_edge(point: Point, placed: Placed | None) -> Point:
    """``point`` on the upper edge of a box; that of a cylinder is round."""
    if placed is None or placed.sized.shape != "cylinder":
        return point
    half = placed.sized.width / 2
    off = min(1.0, abs(point[0] - placed.x - half) / half)
    return point[0], point[1] + CAP * (1 - sqrt(1 - off * off))


def _moved(point: Point, far: float, direction: Direction) -> Point:
    """``point`` moved forwards."""
    x, y = point
    return (x, y + far) if direction == "down" else (x + far, y)


def _way(points: Sequence[Point], direction: Direction) -> str:
    words = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        if abs(x0 - x1 if direction == "down" else y0 - y1) < 0.5:
            words.append(f"L{_n(x1)} {_n(y1)}")
        elif direction == "down":
            words.append(f"C{_n(x0)} {_n(y)} {_n(x1)} {_n(y)} {_n(x1)} {_n(y1)}")
        else:
            words.append(f"C{_n(x)} {_n(y0)} {_n(x)} {_n(y1)} {_n(x1)} {_n(y1)}")
    return "".join(words)


def _head(point: Point, forwards: int, direction: Direction) -> str:
    x, y = point
    back_x, back_y = _moved(point, -forwards * _HEAD, direction)
    base = f"L{_n(x - 4)} {_n(back_y)}H{_n(x + 4)}" if direction == "down" else f"L{_n(back_x)} {_n(y - 4)}V{_n(y + 4)}"
    return f'<path class="head" d="M{_n(x)} {_n(y)}{base}Z"/>'


def _label(drawn: Drawn, below: float) -> Iterator[str]:
    label = drawn.label
    if label is None:
        return
    yield f'<g transform="translate({_n(label.x)} {_n(label.y + below)})">'
    yield from (_text(text) for text in label.texts)
    yield "</g>"


# --- words -----------------------------------------------------------------------------------------------------------

_VERBS = {
    "peers": "talks to",
    "after": "starts after",
    "mount": "mounts",
    "output": "writes to",
    "variables": "reads",
    "logs": "reads",
    "succeeded": "has to succeed before",
    "failed": "has to fail before",
    "ended": "has to end before",
}


def described(picture: Picture) -> str:
    """A few sentences: the roles, then each link."""
    roles = (
        box.name if box.kind == "run" else f"{box.name} ({counted(box.count, 'replica')})" for box in picture.framed
    )
    objects = [f"{box.what} {box.name}" for box in picture.of_kind("object")]
    on_it = [f"On {picture.target}: {listed(objects)}."] if objects else []
    return " ".join([f"{_capital(picture.heading)}: {listed(roles)}.", *_link_sentences(picture), *on_it])


def _link_sentences(picture: Picture) -> Iterator[str]:
    names = {
        box.id: f"{box.what} {box.name}".strip() if box.kind in ("store", "object") else box.name
        for box in picture.boxes
    }
    names[FRAME] = "each role"
    for link in picture.links:
        if link.kind != "object":
            yield f"{_capital(names[link.source])} {_VERBS[link.kind]} {names[link.target]}{_more(link)}."


_WITH_LABEL: Final = ("mount", "output", "variables", "logs")


def _more(link: Link) -> str:
    words = link.label.replace("\n", ", ")
    return f": {words}" if words and link.kind in _WITH_LABEL else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- colours ---------------------------------------------------------------------------------------------------------

FONT: Final = "Helvetica Neue,Helvetica,Arial,Liberation Sans,sans-serif"

_LIGHT: Final = {
    "paper": "#ffffff",
    "ink": "#1f2328",
    "muted": "#59636e",
    "frame": "#f6f8fa",
    "frame-line": "#c4ccd6",
    "role": "#ffffff",
    "role-line": "#3569c4",
    "role-name": "#1f4e9e",
    "store": "#eef6ef",
    "store-line": "#4f8f5c",
    "store-name": "#24593a",
    "object": "#f4effb",
    "object-line": "#8a63c9",
    "object-name": "#5b3796",
    "notes": "#fff6d9",
    "notes-ink": "#6a5100",
    "link": "#59636e",
    "output": "#2f7d43",
    "peers": "#3569c4",
    "failed": "#c0392b",
}
_DARK: Final = {
    "paper": "#0d1117",
    "ink": "#e6edf3",
    "muted": "#9198a1",
    "frame": "#151b23",
    "frame-line": "#3d444d",
    "role": "#0f1a2c",
    "role-line": "#5d8ee0",
    "role-name": "#9cc0ff",
    "store": "#10211a",
    "store-line": "#4f9a66",
    "store-name": "#8fd3a5",
    "object": "#1d1730",
    "object-line": "#9a7bd8",
    "object-name": "#c9b2f5",
    "notes": "#2e2710",
    "notes-ink": "#e3c96b",
    "link": "#8b949e",
    "output": "#56b870",
    "peers": "#6f9cea",
    "failed": "#f0776b",
}

_RULES: Final = (
    (".paper", "fill", "paper"),
    (".frame", "fill", "frame"),
    (".frame", "stroke", "frame-line"),
    (".role rect.body", "fill", "role"),
    (".role rect.body", "stroke", "role-line"),
    (".store .body", "fill", "store"),
    (".store .body", "stroke", "store-line"),
    (".object .body", "fill", "object"),
    (".object .body", "stroke", "object-line"),
    (".notes", "fill", "notes"),
    (".objects", "fill", "object"),
    ("text", "fill", "ink"),
    (".muted", "fill", "muted"),
    (".title", "fill", "ink"),
    (".role .name", "fill", "role-name"),
    (".role .count", "fill", "role-line"),
    (".store .name", "fill", "store-name"),
    (".object .name", "fill", "object-name"),
    (".made", "fill", "object-name"),
    (".policy", "fill", "notes-ink"),
    (".link path.way", "stroke", "link"),
    (".link path.head", "fill", "link"),
    (".output path.way", "stroke", "output"),
    (".output path.head", "fill", "output"),
    (".peers path.way", "stroke", "peers"),
    (".peers path.head", "fill", "peers"),
    (".succeeded path.way", "stroke", "peers"),
    (".succeeded path.head", "fill", "peers"),
    (".failed path.way", "stroke", "failed"),
    (".failed path.head", "fill", "failed"),
    (".object-link path.way", "stroke", "object-line"),
    (".object-link path.head", "fill", "object-line"),
)
_FIXED: Final = (
    f"text{{font-family:{FONT};font-size:12px;white-space:pre}}"
    ".name,.title{font-weight:bold}"
    ".body{stroke-width:1.4}"
    ".frame{stroke-width:1.4}"
    ".faint{opacity:.72}"
    ".implied{stroke-dasharray:5 4}"
    ".way{fill:none;stroke-width:1.4}"
    ".output .way,.peers .way{stroke-width:1.8}"
    ".after .way,.failed .way{stroke-dasharray:6 4}"
    ".variables .way,.ended .way{stroke-dasharray:2 3}"
)


def style_sheet(scope: str) -> str:
    """The style sheet; each rule is for what is in the element of class ``scope`` alone."""
    light = _colours(_LIGHT, scope)
    dark = _colours(_DARK, scope)
    fixed = "".join(_scoped(rule, scope) for rule in _FIXED.replace("}", "}\n").splitlines())
    return f"{fixed}{light}@media(prefers-color-scheme:dark){{{dark}}}"


def _colours(colours: dict[str, str], scope: str) -> str:
    return "".join(f".{scope} {selector}{{{name}:{colours[colour]}}}" for selector, name, colour in _RULES)


def _scoped(rule: str, scope: str) -> str:
    selectors, brace, body = rule.partition("{")
    return ",".join(f".{scope} {word}" for word in selectors.split(",")) + brace + body
