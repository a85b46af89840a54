"""The settings of a project: ``tfdsl.toml``, or ``[tool.tfdsl]`` of ``pyproject.toml``. docs/settings.md lists them."""

from __future__ import annotations

from collections.abc import Mapping

from tfdsl.diagnostics import Diagnostic
from tfdsl.record import Record
from tfdsl.text import Argument, Source

HOME = ("tool", "tfdsl")
"""The table of ``pyproject.toml`` that belongs to tfdsl."""


class Settings(Record):
    """What a project sets, and what is wrong with the file that it comes from.

    ``levels``: slug of a message → error, warning, info or off. ``targets``: those that a command takes when none is
    named, as ``-t`` takes them. ``strict``: as ``--strict``. ``gpus_per_node``: devices of the largest node.
    ``labels``: of every Kubernetes object of every job. ``source``: their text, if there is one.
    """

    levels: Mapping[str, str] = {}
    problems: tuple[Diagnostic, ...] = ()
    targets: tuple[Argument, ...] = ()
    strict: bool = False
    gpus_per_node: int | None = None
    labels: Mapping[str, Argument] = {}
    source: Source | None = None
