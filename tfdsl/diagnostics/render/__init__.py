"""Rendering diagnostics: ``render(diagnostics, paths)`` of a module, which is imported when needed.

``paths``: the files that were checked. The diagnostics are in the order in which they are to be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from tfdsl.diagnostics.diagnostic import Diagnostic

Format: TypeAlias = Literal["text", "concise", "json", "github", "sarif", "junit", "gitlab"]
FORMATS: tuple[Format, ...] = ("text", "concise", "json", "github", "sarif", "junit", "gitlab")
DOCUMENTS: tuple[Format, ...] = ("json", "sarif", "junit", "gitlab")
"""The formats that are one document, even without any diagnostics."""


_OF_BUILD_SERVERS = ("github", "gitlab", "junit")


def render(form: Format, diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """``diagnostics`` in one of the formats."""
    from importlib import import_module

    module, function = ("build_servers", form) if form in _OF_BUILD_SERVERS else (form, "render")
    text: str = getattr(import_module(f"tfdsl.diagnostics.render.{module}"), function)(diagnostics, paths)
    return text
