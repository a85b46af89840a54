"""Variables of a container: a set, as far as no value refers to another with ``$(…)``.

The kubelet goes through the list: ``$(NAME)`` becomes the value of an entry before it, and stays as it is where the
entry comes later; of two entries with one name the last wins (``pkg/kubelet/kubelet_pods.go``, ``makeEnvironment``).
So two orders are alike if each value still sees the same entries before it; the normal form is the first of them by
name.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable
from typing import Final

from tfdsl.manifest.edits import child, items, scalar, with_value, without
from tfdsl.manifest.nodes import Mapping, Node, Sequence

_REFERENCE: Final = re.compile(r"\$\$|\$\(([^()]*)\)")


def names_in(text: str) -> frozenset[str]:
    """The variables that ``text`` refers to; ``$$(X)`` is no reference."""
    return frozenset(found[1] for found in _REFERENCE.finditer(text) if found[1])


def ordered(container: Mapping) -> Mapping:
    """``container`` with its ``env`` in the one order of all that mean the same."""
    env = container.get("env")
    if not isinstance(env, Sequence):
        return container
    names = [scalar(child(item, "name")) for item in env.items]
    texts = [value for value in names if isinstance(value, str)]
    references = [_references(item) for item in env.items]
    if len(texts) < len(names):
        return container
    referred = {name for item in references for name in item}
    last = {name: number for number, name in enumerate(texts)}
    if any(name in referred and texts.count(name) > 1 for name in last):
        return container
    kept = [number for number, name in enumerate(texts) if last[name] == number]
    order = _first_order(kept, texts, references, last)
    return with_value(container, "env", Sequence(tuple(env.items[number] for number in order), env.span))


def without_entries(container: Mapping, ignored: Callable[[Node], bool]) -> Mapping:
    """``container`` without the entries of ``env`` that are ``ignored`` and that no value refers to."""
    env = items(container.get("env"))
    referred = {name for item in env for name in _references(item)}
    kept = tuple(item for item in env if scalar(child(item, "name")) in referred or not ignored(item))
    if len(kept) == len(env):
        return container
    old = container.get("env")
    assert old is not None
    return with_value(container, "env", Sequence(kept, old.span)) if kept else without(container, ("env",))


def _references(item: Node) -> frozenset[str]:
    value = scalar(child(item, "value"))
    return names_in(value) if isinstance(value, str) else frozenset()


def _first_order(
    kept: list[int], names: list[str], references: list[frozenset[str]], last: dict[str, int]
) -> list[int]:
    """The first order by name in which every pair of an entry and one that it refers to is as it was."""
    after: dict[int, list[int]] = {number: [] for number in kept}
    waiting = dict.fromkeys(kept, 0)
    for number in kept:
        for name in references[number]:
            other = last.get(name)
            if other is not None and other != number:
                first, second = sorted((number, other))
                after[first].append(second)
                waiting[second] += 1
    ready = [(names[number], number) for number in kept if not waiting[number]]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, number = heapq.heappop(ready)
        order.append(number)
        for second in after[number]:
            waiting[second] -= 1
            if not waiting[second]:
                heapq.heappush(ready, (names[second], second))
    return order
