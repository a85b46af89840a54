"""The colours of a picture, in light and in dark, as a style sheet for SVG."""

from __future__ import annotations

from typing import Final

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
    ".after .way{stroke-dasharray:6 4}"
    ".variables .way{stroke-dasharray:2 3}"
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
    return ",".join(f".{scope} {one}" for one in selectors.split(",")) + brace + body
