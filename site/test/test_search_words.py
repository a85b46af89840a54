"""The words that the search knows belong to pages that exist."""

from __future__ import annotations

from site_builder.repository import ROOT
from site_builder.search_words import PAGES, words


def test_each_page_exists_and_has_words() -> None:
    for path in PAGES:
        assert (ROOT / path).is_file(), path
        assert words(path), path
    assert words("docs/no-such-page.md") == []
