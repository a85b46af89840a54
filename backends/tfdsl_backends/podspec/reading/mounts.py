"""Volumes and where they are mounted, as mounts of the language; the inverse of the volumes of ``podspec.pods``.

A claim that is made for a job is one mount, of the job or of a single role.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from tfdsl.backend.draft import Attribute, Draft, Mount, Text, Value
from tfdsl.manifest.nodes import View
from tfdsl.record import Record, replace
from tfdsl.rules import mounts as rules
from tfdsl.rules.values import map_key, name_problem
from tfdsl.vocabulary.attributes import IN_MEMORY_AT
from tfdsl.vocabulary.statements import ACCESS_MODES, HOST_TYPES, ITEM_KEY, WITH_SUB_PATH
from tfdsl_backends.podspec.expansion import Scope
from tfdsl_backends.podspec.reading.facts import ClaimFacts, PodFacts
from tfdsl_backends.podspec.reading.values import bytes_at, value, word

_OWN_SPACE: Final = ("scratch", "memory")
"""Kinds of which each mount is a volume of its own."""

_USUAL_MODE: Final = 0o644


class _Volume(Record):
    """What a volume is in the language: the kind of its mounts, their source and options, the claim's name."""

    kind: str
    source: Value | None
    options: tuple[tuple[str, Value], ...] = ()
    claim: str = ""


class PodMounts(Record):
    """What is mounted, as ``statements``; ``places``: by path the name of the volume; ``claims``: that of the claim."""

    statements: tuple[Mount | Attribute, ...]
    places: Mapping[str, str]
    claims: Mapping[str, str]


def pod_mounts(template: View, container: View, facts: PodFacts, scope: Scope) -> PodMounts:
    """The mounts of ``container`` that the compiler gives back."""
    volumes = _volumes(template["spec"], facts)
    statements: list[Mount | Attribute] = []
    last: list[Attribute] = []
    places: dict[str, str] = {}
    claims: dict[str, str] = {}
    by_source: dict[str, str] = {}
    mounted: set[str] = set()
    for place in container["volumeMounts"].items():
        name = place["name"].text
        volume = volumes.get(name or "")
        path = _path(place["mountPath"].text)
        if name is None or volume is None or path is None or path in places:
            continue
        again = volume.kind in _OWN_SPACE and name in mounted
        if again or by_source.setdefault(_identity(volume, name), name) != name:
            continue
        mount = _mount(place, volume, path, scope)
        if mount is None:
            continue
        places[path] = name
        mounted.add(name)
        claims |= {path: volume.claim} if volume.kind == "claim" else {}
        if mount.source is not None and _is_of_attribute(mount, name):
            last.append(Attribute(IN_MEMORY_AT[path], mount.source, mount.span))
        else:
            statements.append(mount)
    return PodMounts((*statements, *last), places, claims)


def claim_facts(document: View) -> ClaimFacts | None:
    """What is known of the claim that ``document``, a PersistentVolumeClaim, makes; ``None`` without a size."""
    return claim_spec_facts(document["spec"])


def claim_spec_facts(spec: View) -> ClaimFacts | None:
    """The same of the ``spec`` alone, as other documents embed it."""
    size = bytes_at(spec["resources"]["requests"]["storage"])
    if size is None:
        return None
    options: list[tuple[str, Value]] = []
    storage_class = spec["storageClassName"].text
    if storage_class and not name_problem(storage_class):
        options.append(("storage_class", storage_class))
    modes = [mode.text or "" for mode in spec["accessModes"].items()]
    if modes and all(mode in ACCESS_MODES for mode in modes) and rules.access_modes(modes) is None:
        options.append(("access_modes", modes))
    return ClaimFacts(size, tuple(options))


def _path(text: str | None) -> str | None:
    """Where something is mounted, if it can be mounted there in the language."""
    if word(text) is None or text is None or not text.startswith("/") or rules.path(text) is not None:
        return None
    return text.rstrip("/")


def _is_of_attribute(mount: Mount, volume: str) -> bool:
    """Whether it is what an attribute gives; by the name of its volume, the compiler has made it of a mount."""
    at = str(mount.at)
    of_mount = f"memory{at.replace('/', '-')}"
    return mount.kind == "memory" and at in IN_MEMORY_AT and not mount.readonly and volume != of_mount


def _identity(volume: _Volume, name: str) -> str:
    """What makes two volumes one for the compiler."""
    if volume.kind in _OWN_SPACE:
        return name
    return repr((volume.kind, volume.source, volume.options, volume.claim))


def _mount(place: View, volume: _Volume, path: str, scope: Scope) -> Mount | None:
    options = list(volume.options)
    sub_path = _sub_path(place, scope)
    if sub_path is not None:
        if volume.kind not in WITH_SUB_PATH or not sub_path:
            return None
        options.append(("sub_path", sub_path))
    return Mount(volume.kind, volume.source, path, place["readOnly"].flag is True, tuple(options), place.span)


def _sub_path(place: View, scope: Scope) -> Value | None:
    """``None`` without one; an empty text for one that has no word."""
    plain, expanded = place["subPath"].text, place["subPathExpr"].text
    if plain:
        return plain if word(plain) is not None and rules.inside("pvc", plain) is None else ""
    if expanded:
        found = value(expanded, scope)
        return found if found is not None and rules.inside("pvc", _pattern(found)) is None else ""
    return None


def _pattern(text: Value) -> str:
    """``text`` with a letter for what is known later."""
    parts = text.parts if isinstance(text, Text) else (text,)
    return "".join(part if isinstance(part, str) else "x" for part in parts)


def _volumes(spec: View, facts: PodFacts) -> dict[str, _Volume]:
    """The volumes that the language can say, by name."""
    volumes: dict[str, _Volume] = {}
    for place in spec["volumes"].items():
        name = place["name"].text
        sources = (read(place[kind], facts) for kind, read in _SOURCES.items() if place[kind].present)
        volume = next(filter(None, sources), None)
        if name is not None and volume is not None:
            volumes.setdefault(name, volume)
    return volumes


def _claim(place: View, facts: PodFacts) -> _Volume | None:
    name = place["claimName"].text
    if word(name) is None or name is None or name_problem(name):
        return None
    made = facts.claims.get(name)
    return _Volume("pvc", name) if made is None else _Volume("claim", made.size, made.options, name)


def _host(place: View, facts: PodFacts) -> _Volume | None:
    path, kind = word(place["path"].text), place["type"].text
    if path is None or rules.source("host", path) is not None:
        return None
    return _Volume("host", path, (("type", kind),) if kind in HOST_TYPES else ())


def _nfs(place: View, facts: PodFacts) -> _Volume | None:
    server, path = word(place["server"].text), word(place["path"].text)
    if server is None or path is None or ":" in server or rules.source("nfs", f"{server}:{path}") is not None:
        return None
    return _Volume("nfs", f"{server}:{path}")


def _files(kind: str, place: View, key: str) -> _Volume | None:
    name = place[key].text
    if word(name) is None or name is None or name_problem(name):
        return None
    options: list[tuple[str, Value]] = []
    items = _items(place["items"])
    if items is None:
        return None
    if items:
        options.append(("items", items))
    mode = place["defaultMode"].number
    if mode is not None and 0 <= mode <= 0o777 and mode != _USUAL_MODE:
        options.append(("mode", f"{mode:04o}"))
    return _Volume(kind, name, tuple(options))


def _items(place: View) -> dict[str, Value] | None:
    """Key → file name; ``None`` where the language cannot say it."""
    items: dict[str, Value] = {}
    for item in place.items():
        key, path = item["key"].text, word(item["path"].text)
        if key is None or path is None or map_key(key, "items", ITEM_KEY) or rules.inside("configmap", path):
            return None
        if key in items or item["mode"].present:
            return None
        items[key] = path
    return items


def _space(place: View, facts: PodFacts) -> _Volume | None:
    medium, size = place["medium"].text or "", bytes_at(place["sizeLimit"])
    if medium == "Memory":
        return _Volume("memory", size)
    return _Volume("scratch", size) if not medium else None


_SOURCES: Final[Mapping[str, Callable[[View, PodFacts], _Volume | None]]] = {
    "persistentVolumeClaim": _claim,
    "hostPath": _host,
    "nfs": _nfs,
    "configMap": lambda place, facts: _files("configmap", place, "name"),
    "secret": lambda place, facts: _files("secret", place, "secretName"),
    "emptyDir": _space,
}
"""Key of a volume's source → what it is in the language."""


_LONGEST_STEM: Final = 20


def stem(path: str) -> str:
    """What a claim of a job is called after: the path at which it is mounted."""
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")[:_LONGEST_STEM].strip("-") or "claim"


def share(draft: Draft, claims: Mapping[str, Mapping[str, str]], replicas: Mapping[str, int]) -> None:
    """Say each claim once: in the job if several roles mount it, or the only one, else in its role.

    ``claims``: role → path → name of the claim that is mounted there. Where a role mounts it otherwise than the others,
    or not at all, the language has no word for that: two mounts would be two claims.
    """
    for claim in dict.fromkeys(name for places in claims.values() for name in places.values()):
        mounts = {role: _mounts(draft, role, places, claim) for role, places in claims.items()}
        users = [role for role, of_role in mounts.items() if of_role]
        if not users:
            continue
        first = _without_usual_modes(mounts[users[0]][0], sum(replicas.get(role, 1) for role in users))
        shared = len(users) > 1 or len(draft.roles) == 1
        if shared:
            draft.job.add(first)
        for role in users:
            block, old = draft.role(role), mounts[role]
            kept = [first if statement is old[0] and not shared else statement for statement in block.statements]
            block.statements = [statement for statement in kept if all(statement is not mount for mount in old)]


def _mounts(draft: Draft, role: str, places: Mapping[str, str], claim: str) -> list[Mount]:
    mounts = [
        statement
        for statement in draft.role(role).statements
        if isinstance(statement, Mount) and statement.kind == "claim"
    ]
    return [mount for mount in mounts if places.get(str(mount.at)) == claim]


def _without_usual_modes(mount: Mount, replicas: int) -> Mount:
    """Without the access modes that the language gives to a claim of so many replicas."""
    usual = ["ReadWriteMany" if replicas > 1 else "ReadWriteOnce"]
    kept = tuple(option for option in mount.options if option[0] != "access_modes" or option[1] != usual)
    return replace(mount, options=kept)
