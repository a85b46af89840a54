"""A page for each message: what ``tfdsl explain CODE`` prints, in Markdown."""

from __future__ import annotations

import posixpath
from functools import cache
from typing import TYPE_CHECKING

from mkdocs.structure.nav import Link, Navigation, Section
from mkdocs.structure.pages import Page

from tfdsl import targets
from tfdsl.cli.message_pages import as_markdown, body_of, is_markdown
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.registry import text_of

if TYPE_CHECKING:
    from mkdocs.structure import StructureItem

    from tfdsl.diagnostics import Rule

FOLDER = "messages"
NEAR = 8
"""So many messages before and after one are beside its page."""
_EVERY = "docs/messages.md"
_LEVELS = {"error": "an error", "warning": "a warning", "info": "a note", "off": "what every job gets"}


@cache
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


def navigation_of(code: str, whole: Navigation) -> Navigation:
    """Beside the page of a message: the first page of each part of the whole site, and the messages around this one.

    There are over a thousand such pages, and the whole navigation is many times as long as what they say.
    """
    family = [rule for rule in rules() if rule.code[:3] == code[:3]]
    at = [rule.code for rule in family].index(code)
    around = [
        Link(f"{rule.code} {rule.slug}", address_of(rule.code)) for rule in family[max(0, at - NEAR) : at + NEAR + 1]
    ]
    around[min(at, NEAR)].active = True
    parts = [Link(item.title or "", _address(item)) for item in whole.items]
    here = Section(_owner(code), [Link("All messages", "messages.html"), *around])
    here.active = True
    return Navigation([*parts, here], whole.pages)


def _address(item: StructureItem) -> str:
    """Where the first page of a part is."""
    while isinstance(item, Section):
        item = item.children[0]
    return item.url if isinstance(item, Link | Page) else ""


def _owner(code: str) -> str:
    """What a message is from, by the letters of its code."""
    titles = {target.prefix: target.title for target in targets.every()}
    return f"Messages of {titles.get(code[:3], 'the language')}"


def page_of(rule: Rule, path: str) -> str:
    """The page of a rule, whose links begin at ``path``."""
    every = posixpath.relpath(_EVERY, posixpath.dirname(path))
    words = f"[Messages]({every}) › `{rule.code}`, {_LEVELS[rule.level]}"
    body = body_of(rule)
    body = body if is_markdown(rule) else as_markdown(body)
    return f"---\ntitle: {rule.code} {rule.slug}\n---\n# {rule.code} {rule.slug}\n\n{words}\n\n{body}"
