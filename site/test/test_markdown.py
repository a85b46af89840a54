"""The pages say on the site what they say in a checkout: the renderer of the site reads them as CommonMark does."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest
import yaml
from markdown import Markdown
from markdown_it import MarkdownIt

from site_builder.rendered import slug, whole_cells
from site_builder.repository import ROOT, shown

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [
    *(ROOT / file.path for file in shown(()) if file.kind == "page"),
    *sorted((ROOT / "tfdsl/diagnostics/pages").glob("*.md")),
]


def renderer() -> Markdown:
    config = yaml.safe_load((ROOT / "site/mkdocs.yml").read_text(encoding="utf-8"))
    options: dict[str, dict[str, object]] = {}
    for entry in config["markdown_extensions"]:
        options |= entry if isinstance(entry, dict) else {entry: {}}
    options |= {"pymdownx.highlight": {"use_pygments": False}, "toc": {"slugify": slug}}
    return Markdown(extensions=[*options], extension_configs=options)


def words(rendered: str) -> str:
    """What a reader sees, without the white space."""
    return re.sub(r"\s", "", html.unescape(re.sub(r"<[^>]+>", "", rendered)))


def shape(rendered: str) -> dict[str, int]:
    """How many elements there are of the kinds that a page is made of."""
    kinds = ("<li", "<pre", "<table", "<tr", "<h1", "<h2", "<h3", "<h4", "<blockquote", "<img", "<em", "<strong")
    return {kind: len(re.findall(rf"{kind}\b", rendered)) for kind in kinds}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_site_reads_a_page_as_everybody_does(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    expected = MarkdownIt("commonmark").enable("table").render(text)
    rendered = whole_cells(renderer().convert(text))
    assert words(rendered) == words(expected)
    assert shape(rendered) == shape(expected)
