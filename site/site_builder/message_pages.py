"""A page for each message: what ``tfdsl explain CODE`` prints, in Markdown."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.cli.message_pages import body_of
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.page import text_of

if TYPE_CHECKING:
    from tfdsl.diagnostics import Rule

FOLDER = "messages"
_EVERY = "docs/messages.md"
_LEVELS = {"error": "an error", "warning": "a warning", "info": "a note"}
_ROW = re.compile(r"  (\S+) +(.+)")
_SPECIAL = re.compile(r"([\\*_\[\]|])")
_CODE = re.compile(r"(`[^`]*`)")


def rules() -> list[Rule]:
    """Every rule, by code."""
    known = {rule.code: rule for rule in pipeline.every_rule().values()}
    return [known[code] for code in sorted(known)]


def path_of(rule: Rule) -> str:
    """Where the links of the page of a message begin: the file that it is from, if it is from one."""
    return f"tfdsl/diagnostics/pages/{rule.slug}.md" if text_of(rule.slug) is not None else f"{FOLDER}/{rule.code}.md"


def address_of(code: str) -> str:
    """Where the page of a message is on the site."""
    return f"{FOLDER}/{code}.html"


def page_of(rule: Rule, path: str) -> str:
    """The page of a rule, whose links begin at ``path``."""
    every = posixpath.relpath(_EVERY, posixpath.dirname(path))
    words = f"[Messages]({every}) › `{rule.code}`, {_LEVELS[rule.level]}"
    body = body_of(rule)
    if text_of(rule.slug) is None and not re.search(r"^## ", body, re.M):
        body = _targeted(body)
    return f"---\ntitle: {rule.code} {rule.slug}\n---\n# {rule.code} {rule.slug}\n\n{words}\n\n{body}"


def _targeted(body: str) -> str:
    """The page of a message of a target: sentences, lists, and a table of what other targets do."""
    names = {backend.name for backend in targets.known()}
    parts: list[str] = []
    for line in body.splitlines():
        row = _ROW.fullmatch(line)
        if row is not None and row[1] in names:
            head = (
                [] if parts and parts[-1].startswith("| ") else ["", "| target | what becomes of it |", "| --- | --- |"]
            )
            parts += [*head, f"| `{row[1]}` | {plain(row[2])} |"]
        elif line.startswith("  "):
            head = [] if parts and parts[-1].startswith("- ") else [""]
            parts += [*head, f"- {plain(line.strip())}"]
        else:
            parts += ["", plain(line)] if line else [""]
    return "\n".join(parts) + "\n"


def plain(text: str) -> str:
    """Words in which nothing is markup but what is between backquotes."""
    pieces = _CODE.split(text)
    return "".join(piece if piece.startswith("`") else _escaped(piece) for piece in pieces)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")
