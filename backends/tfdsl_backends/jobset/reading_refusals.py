"""What the server, the webhook of JobSet or the Job controller refuses or drops, told where it is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import NOT_KEPT, SERVER_REFUSES
from tfdsl.manifest.nodes import plain
from tfdsl_backends.jobset.patch_rules import RULES
from tfdsl_backends.podspec.reading.objects import dotted, unfit

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View

_TOLD_BY_PODS: Final = ("args", "command", "env")
"""Lists of texts in containers; their reader says itself what is not one."""


def refusals(root: View) -> Iterator[Diagnostic]:
    """What is refused in a JobSet or dropped from it; each place once."""
    told: set[tuple[int, int]] = set()
    for diagnostic in _all(root):
        place = (diagnostic.span.start, diagnostic.span.end)
        if place not in told:
            told.add(place)
            yield diagnostic


def _all(root: View) -> Iterator[Diagnostic]:
    assert root.node is not None
    for one in unfit(root.node, "JobSet"):
        if one.path[0] == "status":
            continue
        if one.unknown:
            reason = "JobSet has no such field here; the server drops it, or refuses it if kubectl validates"
            yield NOT_KEPT(one.span, what=one.name, reason=reason)
        elif not any(step in _TOLD_BY_PODS for step in one.path):
            yield SERVER_REFUSES(one.span, what=one.name, reason=f"it must be {one.wanted}")
    for complaint in RULES.check([plain(root.node)]):
        place = root
        for step in complaint.at:
            place = place[step]
        name = dotted(complaint.at) or "the document"
        yield SERVER_REFUSES(place.span, what=name, reason=complaint.message)
