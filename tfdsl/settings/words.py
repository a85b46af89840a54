"""What each setting is, in words: for the page of the settings, their schema and the editor."""

from __future__ import annotations

from typing import Final

from tfdsl.record import Record


class Word(Record):
    """One setting. ``type``: what its value is; ``default``: what counts without it."""

    name: str
    type: str
    default: str
    meaning: str


KEYS: Final = (
    Word(
        "targets",
        "a list of strings",
        "none",
        "The targets of a command that names none, each as `-t` takes it: `TARGET` or `TARGET@VERSION`.",
    ),
    Word(
        "strict",
        "`true` or `false`",
        "`false`",
        "Whether everything that a target does differently is an error, as with `--strict`.",
    ),
    Word(
        "gpus_per_node",
        "a whole number",
        "not known",
        "How many GPUs the largest node has. A replica that needs more is reported (`more-gpus-than-a-node`).",
    ),
)
"""The settings that are one value."""

TABLES: Final = (
    Word(
        "lint",
        "a table, `MESSAGE = LEVEL`",
        "each its own",
        "The level of a message, by its name or its code: `error`, `warning`, `info` or `off`.",
    ),
    Word(
        "labels",
        "a table, `LABEL = VALUE`",
        "none",
        "Labels of every Kubernetes object of every job. A label of the job itself wins.",
    ),
)
"""The settings that are tables."""

LEVELS: Final = {
    "error": "`tfdsl check` fails, and nothing is compiled",
    "warning": "reported; `tfdsl check` does not fail",
    "info": "reported as a note",
    "off": "not reported",
}
"""What each level of a message means."""
