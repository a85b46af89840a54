"""The first page: the outputs of the job on it, as tabs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import tfdsl
from site_builder.blocks import block, indented

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """The page with what its job becomes."""
    job = _JOB.search(markdown)
    if job is None:
        raise ValueError("the first page has no job")
    return markdown.replace("\nOUTPUTS\n", "\n" + "\n".join(_tabs(job[1])) + "\n")


def _tabs(text: str) -> Iterator[str]:
    for title, target in _TARGETS:
        document = tfdsl.compile(text=text, target=target).documents[0]
        yield f'=== "{title}"\n\n{indented(block(document.file, document.text))}'
