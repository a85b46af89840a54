"""The job that is opened in each editor, and what an editor has to show of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "main.tfjob"
TEXT = """# A job.
param workers: int = 4
let rate = 1e-2

job mnist {
  image = "tf:${workers}"
  command = \"\"\"
    echo ${rate}
    \"\"\"
  role worker {
    replicas   = max(1, workers)
  }
  role ps {
  replicas = 2
  }
  mount pvc "data" at "/mnt" readonly
  on worker failed => restart job
  on exit 137 => abort job
  target volcano {
    patch pod "spec.hostIPC" = true unchecked
    unpatch pod "spec.restartPolicy"
  }
  retris = 3
}
"""
"""It has one mistake, ``retris``, and is not formatted."""

MISTAKE_LINE = 1 + TEXT[: TEXT.index("retris")].count("\n")
MISTAKE = ("TFJ1501", "a job has no attribute retris", "did you mean retries?")

COLOURS = {
    "# A job": "comment",
    "param": "keyword",
    "let": "keyword",
    "job mnist": "keyword",
    "role worker": "keyword",
    "mount": "keyword",
    "readonly": "keyword",
    "on worker": "keyword",
    "target": "keyword",
    "patch pod": "keyword",
    'pod "spec.h': "keyword",
    "unchecked": "keyword",
    "unpatch": "keyword",
    "exit": "keyword",
    "tf:": "string",
    "echo": "string",
    "1e-2": "number",
    "137": "number",
    "replicas": "attribute",
    "image": "attribute",
    "mnist": "name",
    "max": "function",
}
"""Places of the job, by their text, and what kind of thing each is."""


def formatted() -> str:
    """The job as the server has to lay it out, seen through ``tfdsl fmt``'s own rules for what is wrong in it."""
    return (
        TEXT.replace("  image = ", "  image   = ")
        .replace("replicas   =", "replicas =")
        .replace("\n  replicas = 2", "\n    replicas = 2")
    )


def assert_colours(colour: Callable[[str], str]) -> None:
    """No colour stands for two kinds of words, and what the language does not know has one that no kind has.

    Args:
        colour: The colour in which an editor shows the place of a text.
    """
    kinds = {"unknown": {colour("retris")}}
    for text, kind in COLOURS.items():
        kinds.setdefault(kind, set()).add(colour(text))
    shared = {(one, other) for one in kinds for other in kinds if one < other and kinds[one] & kinds[other]}
    assert shared == set(), kinds
