"""Mounts to the IR, and the claims that they ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.ir import model
from tfdsl.ir.lower_text import plain_map, text
from tfdsl.semantics.values import ListData, MapData

if TYPE_CHECKING:
    from tfdsl.ir.origins import Origins
    from tfdsl.semantics import resolved


class ClaimBook:
    """The claims of one job: one per ``mount claim`` of the source, however many roles mount it."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._names: dict[tuple[int, int], str] = {}
        self._mounts: dict[str, resolved.Mount] = {}
        self._alike: dict[str, int] = {}  # stem → the last number behind it

    def name(self, mount: resolved.Mount) -> str:
        """The claim's name for ``mount``."""
        key = (id(mount.span.source), mount.span.start)
        if key not in self._names:
            name = self._free_name(mount.at)
            self._names[key] = name
            self._mounts[name] = mount
        return self._names[key]

    def _free_name(self, at: str) -> str:
        stem = re.sub(r"[^a-z0-9]+", "-", at.lower()).strip("-")[:20].strip("-") or "claim"
        name = stem
        while name in self._mounts:
            self._alike[stem] = self._alike.get(stem, 1) + 1
            name = f"{stem}-{self._alike[stem]}"
        return name

    def claims(self) -> tuple[model.Claim, ...]:
        """All claims, in the order of their first mounts."""
        return tuple(self._claim(name, mount) for name, mount in self._mounts.items())

    def _claim(self, name: str, mount: resolved.Mount) -> model.Claim:
        options = mount.options
        modes = options["access_modes"].value.data if "access_modes" in options else None
        return model.Claim.model_validate(
            {
                "name": name,
                "size": mount.source.data if mount.source is not None else None,
                "storage_class": _option(mount, "storage_class"),
                "access_modes": tuple(str(mode.data) for mode in modes.items) if isinstance(modes, ListData) else (),
                "keep": _option(mount, "keep") is True,
            }
        )


def mounts(role: resolved.Role, path: str, origins: Origins, claims: ClaimBook) -> tuple[model.BaseMount, ...]:
    """The mounts of ``role``, in source order."""
    found: list[model.BaseMount] = []
    for at, mount in enumerate(role.mounts):
        here = f"{path}.mounts[{at}]"
        origins.record(here, mount.head)
        origins.record(f"{here}.at", mount.at_span)
        if mount.readonly is not None:
            origins.record(f"{here}.readonly", mount.readonly)
        for name, setting in mount.options.items():
            origins.record(f"{here}.{name}", setting.value.span)
        found.append(_mount(mount, claims))
    return tuple(found)


def _mount(mount: resolved.Mount, claims: ClaimBook) -> model.BaseMount:
    kind = mount.kind.name
    fields: dict[str, object] = {"at": mount.at}
    source = mount.source.data if mount.source is not None else None
    if mount.readonly is not None:
        fields["readonly"] = True
    if kind in ("pvc", "claim"):
        fields["sub_path"] = _text_option(mount, "sub_path")
    if kind == "claim":
        return model.ClaimMount.model_validate({**fields, "claim": claims.name(mount)})
    if kind in ("scratch", "memory"):
        size = model.ScratchMount if kind == "scratch" else model.MemoryMount
        return size.model_validate({**fields, "size": source})
    if kind == "nfs":
        return _nfs(mount, fields)
    if kind == "host":
        fields["type"] = _option(mount, "type")
    if kind in ("configmap", "secret"):
        items = _option(mount, "items")
        fields |= {"items": plain_map(items) if isinstance(items, MapData) else {}, "mode": _option(mount, "mode")}
    model_of, field = _WITH_TEXT[kind]
    return model_of.model_validate({**fields, field: text(source) if source is not None else ""})


_WITH_TEXT: dict[str, tuple[type[model.BaseMount], str]] = {
    "pvc": (model.PvcMount, "claim"),
    "host": (model.HostMount, "source"),
    "configmap": (model.ConfigMapMount, "name"),
    "secret": (model.SecretMount, "name"),
    "hdfs": (model.HdfsMount, "uri"),
    "archive": (model.ArchiveMount, "source"),
}


def _nfs(mount: resolved.Mount, fields: dict[str, object]) -> model.BaseMount:
    source = text(mount.source.data) if mount.source is not None else ""
    if isinstance(source, str):
        server, _, share = source.partition(":")
        return model.NfsMount.model_validate({**fields, "server": server, "share": share})
    head = source.parts[0] if isinstance(source.parts[0], str) else ""
    server, _, first = head.partition(":")
    rest = model.RunTimeText(parts=(*((first,) if first else ()), *source.parts[1:]))
    return model.NfsMount.model_validate({**fields, "server": server, "share": rest})


def _option(mount: resolved.Mount, name: str) -> object:
    setting = mount.options.get(name)
    return None if setting is None else setting.value.data


def _text_option(mount: resolved.Mount, name: str) -> model.Text | None:
    setting = mount.options.get(name)
    return None if setting is None else text(setting.value.data)
