"""What a Slider application says about itself and its application master, as options of ``target slider``."""

from __future__ import annotations

from typing import Final

from tfdsl.draft import Draft, Value
from tfdsl.manifest.nodes import View
from tfdsl.text import Span
from tfdsl_backends.hadoop.reading import java_number
from tfdsl_backends.slider.config_files import FORMATS
from tfdsl_backends.slider.reading_files import MASTER, Files

APP_VERSION: Final = "1.0.0"
HADOOP_CONF: Final = "/etc/hadoop/conf"
STRICT, ANYWHERE, SPREAD = 1, 2, 4
"""Bits of ``yarn.component.placement.policy``."""

PLACED: Final = {STRICT: "strict", ANYWHERE: "anywhere"}


def read_options(draft: Draft, files: Files) -> None:
    """The options that are in Slider's own files."""
    if files.xml:
        draft.options.set("metainfo", "xml", files.application.span)
    version = files.application["version"]
    if version.words not in (None, APP_VERSION):
        draft.options.set("app_version", version.words, version.span)
    settings = files.config["global"]
    folder = settings["site.global.hadoop.conf"]
    if folder.text not in (None, "", HADOOP_CONF):
        draft.options.set("hadoop_conf", folder.text, folder.span)
    ports = settings["site.global.slider.allowed.ports"]
    draft.options.set("allowed_ports", ports.text, ports.span)
    _config_files(draft, files)
    _master(draft, files)


def _master(draft: Draft, files: Files) -> None:
    """Memory and Java heap of the application master."""
    amount = files.resources["components"][MASTER]["yarn.memory"]
    memory = java_number(amount.words or "")
    draft.options.set("am_memory", memory, amount.span)
    size = files.config["components"][MASTER]["jvm.heapsize"]
    heap = heap_size(size.words or "")
    if heap is not None and (memory is None or heap != memory * 3 // 4):
        draft.options.set("am_heap", heap, size.span)


def heap_size(text: str) -> int | None:
    """A size of a Java heap in MB."""
    number, unit = (text[:-1], text[-1].lower()) if text[-1:].isalpha() else (text, "m")
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return None
    return {"m": int(number), "g": int(number) * 1024, "k": int(number) // 1024}.get(unit)


def _config_files(draft: Draft, files: Files) -> None:
    """The files that the application master writes, with what their dictionaries in appConfig hold."""
    settings = list(files.config["global"].entries())
    written: dict[str, Value] = {}
    span: Span | None = None
    for one in files.config_files():
        name, dictionary = one["fileName"].text, one["dictionaryName"].text
        if name is None or dictionary is None or not dictionary or FORMATS.get(_ending(name)) != one["type"].text:
            continue
        prefix = f"site.{dictionary}."
        entries = {key.removeprefix(prefix): value for key, value in settings if key.startswith(prefix)}
        written[name] = {key: value.words or "" for key, value in entries.items()}
        span = span or one.span
    draft.options.set("config_files", written or None, span)


def _ending(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return dot + ending if stem else ""


def placement_of(component: View) -> int:
    """The bits of the placement policy."""
    return java_number(component["yarn.component.placement.policy"].words or "") or 0


def read_placement(draft: Draft, role: str, component: View) -> None:
    """Where Slider puts the replicas of a role."""
    policy = component["yarn.component.placement.policy"]
    bits = placement_of(component)
    if bits & SPREAD:
        draft.role(role).set("spread", "node", policy.span)
    else:
        word = PLACED.get(bits & (STRICT | ANYWHERE))
        if word is not None:
            draft.options.entry("placement", role, word, policy.span)
    seconds = component["yarn.placement.escalate.seconds"]
    number = java_number(seconds.words or "")
    if number is not None:
        draft.options.entry("escalate_seconds", role, number, seconds.span)
