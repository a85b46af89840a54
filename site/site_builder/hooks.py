"""What MkDocs calls while it builds the site."""

from __future__ import annotations

import posixpath
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "backends"), str(ROOT / "site")]

from mkdocs.structure.files import File  # noqa: E402
from mkdocs.structure.nav import Link, Navigation  # noqa: E402
from mkdocs.utils import get_relative_url  # noqa: E402

from site_builder import (  # noqa: E402
    example_pages,
    home,
    message_pages,
    navigation,
    playground,
    rendered,
    screens,
    search_words,
    target_pages,
)
from site_builder.files import copied, page  # noqa: E402
from site_builder.repository import example, examples, shown  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page
    from mkdocs.utils.templates import TemplateContext

_SHIM = ROOT / "site/node_modules/iframe-worker/shim/index.js"
"""Lets the search work from a folder too, without a server."""
_BOOSTS = {
    "docs/guide/": 4,
    "docs/": 2,
    "tests/": 0.2,
    "CHANGELOG": 0.2,
    "messages/": 0.2,
    "tfdsl/": 0.3,
}
_UNLINKED = ("tests/spec/", "examples/")
"""Pages whose jobs are parts and mistakes, or have links of their own."""
_UNSERVED = ("404.html", "sitemap.xml", "sitemap.xml.gz")
"""What needs the address of the site, which nobody knows here."""
_CODES = {rule.code for rule in message_pages.rules()}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Settings that YAML cannot have."""
    config["mdx_configs"]["toc"]["slugify"] = rendered.slug
    entries: list[navigation.Entry] = config["nav"]
    config["nav"] = navigation.whole(entries)
    screens.take_one_prompt()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the repository, and those that are made."""
    made = [*_made(config)]
    for file in [*made, *_assets(config), *(copied(config, one) for one in shown(file.src_uri for file in made))]:
        files.append(file)
    return files


def _made(config: MkDocsConfig) -> Iterator[File]:
    yield page(config, target_pages.PATH, target_pages.ADDRESS, target_pages.overview())
    for rule in message_pages.rules():
        path = message_pages.path_of(rule)
        yield page(config, path, message_pages.address_of(rule.code), message_pages.page_of(rule, path))
    for name in examples():
        yield page(config, example(name), example_pages.address_of(name), example_pages.page_of(name))


def _assets(config: MkDocsConfig) -> Iterator[File]:
    yield File.generated(config, "assets/iframe-worker/shim.js", abs_src_path=str(_SHIM))
    for name in examples():
        picture = File.generated(config, f"examples/{name}/{name}.svg", content=example_pages.drawn(name))
        picture.dest_uri = example_pages.picture_of(name)
        yield picture


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Add the playground, which is no page of MkDocs."""
    return Navigation([*nav, Link("Playground", playground.ADDRESS)], nav.pages)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill the first page, and link jobs to the playground."""
    path = page.file.src_uri
    boost = next((boost for start, boost in _BOOSTS.items() if path.startswith(start)), 1)
    page.meta.setdefault("search", {"boost": boost})
    page.meta.setdefault("tags", search_words.words(path))
    if path.startswith(_UNLINKED):
        return markdown
    whole = screens.named(home.whole(markdown) if page.is_homepage else markdown)
    return playground.linked_jobs(whole, path, page.url)


def on_page_context(context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation) -> TemplateContext:
    """The pages of messages have a navigation of their own."""
    folder, _, name = page.url.rpartition("/")
    if folder == message_pages.FOLDER:
        context["nav"] = message_pages.navigation_of(name.removesuffix(".html"), nav)
    return context


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mend what the renderer does differently, and make codes of messages links."""
    own = posixpath.basename(page.url).removesuffix(".html")
    codes = {code for code in _CODES if code in html and code != own}
    addresses = {code: get_relative_url(message_pages.address_of(code), page.url) for code in codes}
    return rendered.linked_codes(rendered.whole_cells(html), addresses)


def on_post_build(config: MkDocsConfig) -> None:
    """Take away what would be wrong."""
    for name in _UNSERVED:
        Path(config.site_dir, name).unlink(missing_ok=True)
