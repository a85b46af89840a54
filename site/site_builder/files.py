"""Files for MkDocs that are not in its folder: pages of the repository, and pages that are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs.structure.files import File, InclusionLevel

from site_builder.blocks import block
from site_builder.repository import ROOT

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

    from site_builder.repository import Shown


class PageFile(File):
    """A page, whatever the file that it is about is called."""

    def is_documentation_page(self) -> bool:
        """Whether Markdown is read."""
        return True


def page(config: MkDocsConfig, path: str, address: str, markdown: str) -> File:
    """A page that is made; links lead to it by ``path``, as if it were in the repository there."""
    file = PageFile(path, None, config.site_dir, use_directory_urls=False, dest_uri=address)
    file.inclusion = InclusionLevel.NOT_IN_NAV
    file.content_string = markdown
    return file


def copied(config: MkDocsConfig, shown: Shown) -> File:
    """A file of the repository: a page in Markdown, a picture, or a text with a page around it."""
    if shown.kind == "text":
        return page(config, shown.path, shown.address, _around(shown.path))
    file = File(shown.path, str(ROOT), config.site_dir, use_directory_urls=False, dest_uri=shown.address)
    file.inclusion = InclusionLevel.UNDEFINED if shown.navigated else InclusionLevel.NOT_IN_NAV
    return file


def _around(path: str) -> str:
    """The page around the text of a file."""
    return f"# {path}\n\n{block(path, (ROOT / path).read_text(encoding='utf-8'))}"
