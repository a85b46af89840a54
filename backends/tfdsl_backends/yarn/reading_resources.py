"""The size of a container, as DistributedShell's client takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.draft import Block
from tfdsl.text import Span
from tfdsl_backends.hadoop.reading import memory

if TYPE_CHECKING:
    from tfdsl_backends.yarn.reading_options import Client

GPU: Final = "yarn.io/gpu"


def set_size(block: Block, client: Client, *, hidden: bool = False) -> None:
    """``memory``, ``cpu``, ``gpu`` and ``resources`` of a role. ``hidden``: its devices are those of another role."""
    word = client.options.get("container_resources")
    if word is not None:
        for name, amount in resources(word.text).items():
            set_resource(block, name, amount, word.span, hidden=hidden)
        return
    for option, name in (("container_memory", "memory-mb"), ("container_vcores", "vcores")):
        value = client.options.get(option)
        if value is not None:
            set_resource(block, name, value.text, value.span)


def resources(text: str) -> dict[str, str]:
    """``memory-mb=3072,vcores=1,yarn.io/gpu=2`` by name; brackets around it are allowed."""
    found: dict[str, str] = {}
    for part in text.strip().removeprefix("[").removesuffix("]").split(","):
        name, equals, amount = part.strip().partition("=")
        if equals:
            found[name.strip()] = amount.strip()
    return found


def set_resource(block: Block, name: str, amount: str, span: Span, *, hidden: bool = False) -> bool:
    """One of the resources as an attribute; whether it is one."""
    if name in ("memory-mb", "memory"):
        size = memory(amount)
        block.set("memory", size, span)
        return size is not None
    if not (amount.isascii() and amount.isdecimal() and len(amount) < 12):
        return False
    count = int(amount)
    if name == "vcores":
        block.set("cpu", count if count > 0 else None, span)
    elif "gpu" in name:
        if count and not hidden:
            block.set("gpu", count, span)
            block.set("gpu_resource", name if name != GPU else None, span)
    elif count:
        block.entry("resources", name, count, span)
    return True
