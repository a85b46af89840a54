"""Rendering diagnostics: one module per format, imported when needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    from tfdsl.diagnostics.diagnostic import Diagnostic

Format: TypeAlias = Literal["text", "concise", "json", "github", "sarif", "junit", "gitlab"]
FORMATS: tuple[Format, ...] = ("text", "concise", "json", "github", "sarif", "junit", "gitlab")
DOCUMENTS: tuple[Format, ...] = ("json", "sarif", "junit", "gitlab")
"""The formats that are one document, even without any diagnostics."""


class Renderer(Protocol):
    """A module of this package."""

    def render(self, diagnostics: Sequence[Diagnostic], paths: Sequence[str], /) -> str:
        """All of ``diagnostics`` (in the order given) as one text. ``paths``: the files that were checked."""
        ...


def render(form: Format, diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """``diagnostics`` in one of the formats."""
    from importlib import import_module

    return cast("Renderer", import_module(f"tfdsl.diagnostics.render.{form}")).render(diagnostics, paths)
