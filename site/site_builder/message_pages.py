"""A page for each message: what ``tfdsl explain CODE`` prints, in Markdown."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from tfdsl.cli.message_pages import as_markdown, body_of, is_markdown
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.registry import text_of

if TYPE_CHECKING:
    from tfdsl.diagnostics import Rule

FOLDER = "messages"
_EVERY = "docs/messages.md"
_LEVELS = {"error": "an error", "warning": "a warning", "info": "a note", "off": "what every job gets"}


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
    body = body if is_markdown(rule) else as_markdown(body)
    return f"---\ntitle: {rule.code} {rule.slug}\n---\n# {rule.code} {rule.slug}\n\n{words}\n\n{body}"
