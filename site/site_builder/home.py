"""The first page: how to install tfdsl, as the README says it, and the outputs of the job on it, as tabs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import tfdsl
from site_builder.blocks import block, indented
from site_builder.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSTALL = re.compile(r"^## Install\n.*?\n(?=## )", re.S | re.M)
_JOB = re.compile(r"^```tfjob\n(.*?)^```", re.S | re.M)
_TARGETS = (
    ("Volcano", "volcano"),
    ("Kubeflow", "tfjob"),
    ("Kubernetes", "kubernetes"),
    ("JobSet", "jobset"),
    ("Slurm", "slurm"),
    ("YARN", "yarn"),
)


def whole(markdown: str) -> str:
    """The page with how to install tfdsl, and what its job becomes."""
    job = _JOB.search(markdown)
    if job is None:
        raise ValueError("the first page has no job")
    page = markdown.replace("\nINSTALL\n", "\n" + installation() + "\n")
    return page.replace("\nOUTPUTS\n", "\n" + "\n".join(_tabs(job[1])) + "\n")


def installation() -> str:
    """The section of README.md that says how to install tfdsl and how to see that it works."""
    section = _INSTALL.search((ROOT / "README.md").read_text(encoding="utf-8"))
    if section is None:
        raise ValueError("README.md does not say how to install tfdsl")
    return section[0]


def _tabs(text: str) -> Iterator[str]:
    for title, target in _TARGETS:
        document = tfdsl.compile(text=text, target=target).documents[0]
        yield f'=== "{title}"\n\n{indented(block(document.file, document.text))}'
