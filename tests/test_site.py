"""The navigation of the site has every page of the documentation; the site itself is tested by ``make test-site``."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from site_builder import home, navigation
from site_builder.repository import ROOT, Shown, shown

SITE = ROOT / "site/mkdocs.yml"


def navigated() -> list[str]:
    nav = yaml.safe_load(SITE.read_text(encoding="utf-8"))["nav"]
    return list(navigation.pages(navigation.whole(nav)))


def test_every_page_of_the_documentation_is_in_the_navigation() -> None:
    """``docs/guide/README.md`` links to each page of the guide, and ``site/mkdocs.yml`` names every other one."""
    pages = {file.path for file in shown(()) if file.navigated}
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")} <= pages
    assert pages - {*navigated()} == set()


def test_no_page_is_in_the_navigation_twice() -> None:
    assert sorted(navigated()) == sorted({*navigated()})


def test_what_the_navigation_names_is_there() -> None:
    made = {"index.md"}
    assert [path for path in navigated() if path not in made and not Path(ROOT, path).exists()] == []


def test_no_two_files_have_the_same_address() -> None:
    addresses = [file.address for file in shown(())]
    assert sorted(addresses) == sorted({*addresses})
    assert Shown("docs/language.md").address == "language.html"
    assert Shown("tests/spec/README.md").address == "spec/index.html"
    assert Shown("CHANGELOG.md").address == "project/changelog.html"
    assert Shown("docs/images/mnist.svg").address == "images/mnist.svg"
    assert Shown("action.yml").address == "files/action.yml.html"


@pytest.mark.slow
def test_the_first_page_begins_with_how_to_install_tfdsl() -> None:
    """As the README says it, which tests/packaging/test_guide.py follows."""
    page = home.whole((ROOT / "site/pages/index.md").read_text(encoding="utf-8"))
    assert page.index("\ngit clone ") < page.index("\n$ tfdsl new --from ") < page.index("\njob mnist {")
