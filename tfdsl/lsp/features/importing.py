"""The job that a manifest describes, for an editor that shows the manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.importing.manifests import Imported


def import_text(path: str, text: str, origin: str | None) -> Imported:
    """The text of the jobs in a manifest, and all there is to say about it. ``path``: its name in messages."""
    from tfdsl.importing.manifests import import_manifests

    return import_manifests([Source(path, text.removeprefix("\ufeff"), origin)])[0]
