"""The variables of a container; the inverse of ``podspec.environment``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics.import_rules import SERVER_REFUSES
from tfdsl.draft import Bare, Value
from tfdsl.record import Record, replace
from tfdsl.rules.values import clean, data_key, name_problem, pod_field, quoted
from tfdsl.vocabulary.attributes import ENV_NAME
from tfdsl_backends.podspec.expansion import Scope
from tfdsl_backends.podspec.reading.texts import value

if TYPE_CHECKING:
    from tfdsl.manifest.view import View
    from tfdsl.reading import Asked
    from tfdsl.text import Span


class Variable(Record):
    """A variable: its name, its value in the language, its text if it is one, and its place."""

    name: str
    value: Value
    text: str | None
    span: Span


def names(container: View) -> frozenset[str]:
    """The names of all variables in ``env``."""
    return frozenset(entry["name"].text or "" for entry in container["env"].items())


def fields(container: View) -> dict[str, str]:
    """Name → field of the pod, for the variables that are filled from one."""
    found: dict[str, str] = {}
    for entry in container["env"].items():
        name, path = entry["name"].text, entry["valueFrom"]["fieldRef"]["fieldPath"].text
        if name is not None and path is not None:
            found[name] = path
    return found


def texts(container: View) -> Iterator[str]:
    """The values that are texts."""
    for entry in container["env"].items():
        if (text := entry["value"].text) is not None:
            yield text


def variables(container: View, scope: Scope, asked: Asked) -> list[Variable]:
    """The variables that have a word, in their order; the last of a name counts."""
    found: dict[str, Variable] = {}
    before: set[str] = set()
    later = {*names(container)} - {scope.index}
    lost = {*scope.others}
    seen = replace(scope, names=before, later=later, others=lost)
    for entry in container["env"].items():
        name = entry["name"].text
        if name is None or re.fullmatch(ENV_NAME, name) is None:
            continue
        one = _variable(name, entry, seen, asked)
        if one is not None:
            found[name] = one
            before.add(name)
        else:
            found.pop(name, None)
            before.discard(name)
            lost.add(name)  # what refers to it has no word either
        later.discard(name)
    return list(found.values())


def _variable(name: str, entry: View, scope: Scope, asked: Asked) -> Variable | None:
    if entry["valueFrom"].present:
        source = _source(entry["valueFrom"])
        return None if source is None else Variable(name, source, None, entry.span)
    text = _text(name, entry, asked)
    written = None if text is None else value(text, scope)
    return None if written is None else Variable(name, written, text, entry.span)


def _text(name: str, entry: View, asked: Asked) -> str | None:
    place = entry["value"]
    if not place.present:
        return ""
    if place.text is not None:
        return place.text
    text = str(place.flag).lower() if place.flag is not None else place.words
    if text is not None:
        reason = "the value of a variable is a text; write it in quotes"
        asked.report(SERVER_REFUSES(place.span, what=f"{text} as the value of {name}", reason=reason))
    return text


def _source(place: View) -> Bare | None:
    for kind, word, what in (("secretKeyRef", "secret", "Secret"), ("configMapKeyRef", "configmap", "ConfigMap")):
        name, key = place[kind]["name"].text, place[kind]["key"].text
        if name is not None and key is not None and place[kind]["optional"].flag is not True:
            usable = not name_problem(name) and data_key(key, what) is None
            return Bare(f'{word}("{name}", "{key}")') if usable else None
    path = place["fieldRef"]["fieldPath"].text
    if path is None or clean(path, "") is not None or pod_field(path) is not None:
        return None
    return field(path)


def field(path: str) -> Bare:
    """A field of the pod."""
    return Bare(f"pod_field({quoted(path)})")


def env_from(container: View) -> list[Bare] | None:
    """The Secrets and ConfigMaps whose keys become variables; ``None`` where the language cannot say all of them."""
    sources: list[Bare] = []
    for entry in container["envFrom"].items():
        source = _keys(entry)
        if source is None:
            return None
        sources.append(source)
    return sources


def _keys(entry: View) -> Bare | None:
    if entry["prefix"].text:
        return None
    for kind, word in (("secretRef", "secret"), ("configMapRef", "configmap")):
        name = entry[kind]["name"].text
        if name is not None and not name_problem(name) and entry[kind]["optional"].flag is not True:
            return Bare(f'{word}("{name}")')
    return None
