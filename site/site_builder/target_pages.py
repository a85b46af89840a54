"""The page of the folder ``docs/targets``: the table of the targets in ``README.md``."""

from __future__ import annotations

import re

from site_builder.repository import ROOT

PATH = "docs/targets"
ADDRESS = "targets/index.html"
_SECTION = re.compile(r"^## Targets\n(.*?)(?=^## )", re.S | re.M)


def overview() -> str:
    """The page, whose links begin in ``docs``."""
    section = _SECTION.search((ROOT / "README.md").read_text(encoding="utf-8"))
    if section is None:
        raise ValueError("README.md has no section Targets")
    return "# Targets\n" + section[1].replace("](docs/", "](")
