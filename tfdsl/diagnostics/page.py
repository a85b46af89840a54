"""The pages that explain the rules of the language: ``pages/<slug>.md``."""

from __future__ import annotations

import os

FOLDER = os.path.join(os.path.dirname(__file__), "pages")


def text_of(slug: str) -> str | None:
    """The page of a rule in Markdown, its title first; ``None`` for lint rules and rules of targets."""
    try:
        with open(os.path.join(FOLDER, f"{slug}.md"), encoding="utf-8") as page:
            return page.read()
    except FileNotFoundError:
        return None
