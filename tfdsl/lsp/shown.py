"""Values as they would be written, in one short line."""

from __future__ import annotations

from tfdsl.diagnostics.render.columns import in_a_line, visible
from tfdsl.patterns import regex
from tfdsl.semantics.values import Data, ListData, MapData, PodField, Poison, Reference, RunTime, RunTimeText, show

LONGEST = 60
"""Characters; the rest is left out."""
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def shown(data: Data) -> str | None:
    """The text of a value; ``None`` for a wrong one."""
    text = _text(data)
    return text if text is None or len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _text(data: Data) -> str | None:
    match data:
        case Poison():
            return None
        case str():
            return quoted(data[: 2 * LONGEST])
        case RunTimeText():
            return '"' + "".join(_part(part) for part in data.parts[:LONGEST]) + '"'
        case Reference():
            key = f", {_text(data.key.data)}" if data.key is not None else ""
            return f"{data.kind}({_text(data.name.data)}{key})"
        case PodField():
            return f"pod_field({_text(data.path.data)})"
        case ListData():
            return _joined("[", [_text(item.data) for item in data.items[:LONGEST]], "]")
        case MapData():
            entries = list(data.entries.values())[:LONGEST]
            return _joined("{ ", [f"{entry.key} = {_text(entry.value.data)}" for entry in entries], " }")
        case _:
            return show(data)


def _joined(begin: str, parts: list[str | None], end: str) -> str:
    return f"{begin}{', '.join('…' if part is None else part for part in parts)}{end}"


def quoted(text: str) -> str:
    """``text`` as a string literal of the language, on one line."""
    return '"' + _escaped(text) + '"'


def _escaped(text: str) -> str:
    plain = "".join(_ESCAPES.get(char, char if char.isprintable() else f"\\u{{{ord(char):X}}}") for char in text)
    return plain.replace("${", "\\${")


def _part(part: str | RunTime) -> str:
    if isinstance(part, str):
        return _escaped(part)
    return f"${{env.{part.name}}}" if part.kind == "env" else f"${{{part.kind}}}"


_SIGN = regex(r"[\\`*\[\]<>&!~|$]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.")
_RUN = regex("`+")


def plain(text: str) -> str:
    """``text`` inside a line, with its special characters escaped."""
    return _SIGN.sub(r"\\\g<0>", " ".join(visible(part).strip() for part in text.split("\n")))


def code(text: str) -> str:
    """``text`` as code inside of a line, between marks that it does not hold."""
    text = in_a_line(text)
    mark = "`" * (_longest_run(text) + 1)
    space = " " if text[:1] in ("`", " ", "") or text[-1:] in ("`", " ") else ""
    return f"{mark}{space}{text}{space}{mark}"


def fenced(text: str) -> str:
    """``text`` as a block of code of the language, between fences that no line of it closes."""
    fence = "`" * max(3, _longest_run(text) + 1)
    shown = "\n".join(visible(line.rstrip("\r")) for line in text.split("\n"))
    return f"{fence}tfjob\n{shown}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUN.findall(text)), default=0)
