"""``shm`` counts as a mount at /dev/shm. It is loaded only for roles that have both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.rules.mounts import SHM_PATH, shm_twice
from tfdsl.semantics import resolved
from tfdsl.semantics.resolve import Resolver, inherited

if TYPE_CHECKING:
    Settings = dict[str, resolved.Setting]
    Mounts = dict[str, resolved.Mount]


def settled(resolver: Resolver, role: str, settings: Settings, mounts: Mounts) -> tuple[Settings, Mounts]:
    """Both in one block are an error, else the higher layer wins."""
    mount = mounts[SHM_PATH]
    shm = mounted = 0
    for at, (layer, own) in enumerate(resolver.role_layers(role)):
        if "shm" in layer.attributes and (own or inherited("shm", role)):
            shm = at
        if any(node.span == mount.span for node in layer.mounts):
            mounted = at
    if shm == mounted:
        spans = {"mount": mount.at_span, "shm": settings["shm"].key}
        resolver.report(shm_twice(role, ("mount",), ("shm",)).among(spans))
    if shm < mounted:
        return {name: value for name, value in settings.items() if name != "shm"}, mounts
    return settings, {path: one for path, one in mounts.items() if path != SHM_PATH}
