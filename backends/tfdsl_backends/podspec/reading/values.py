"""Texts, amounts and exit statuses of a manifest as values of the language.

A text in which Kubernetes replaces ``$(NAME)`` is read as ``podspec.command`` writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from tfdsl.backend.draft import Attribute, Bare, Policy, Text, Value
from tfdsl.manifest.nodes import View
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.rules.values import clean, qualified_problem
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import NO_LIMIT
from tfdsl.vocabulary.quantities import duration, quantity
from tfdsl_backends.podspec import quantities
from tfdsl_backends.podspec.expansion import Reference, Scope, parts
from tfdsl_backends.podspec.reading.facts import PodFacts

_NAME: Final = regex("[A-Za-z_][A-Za-z0-9_]*")


def value(text: str, scope: Scope) -> Value | None:
    """``text`` as it is written in the language; ``None`` where it refers to what has no word, or cannot be written."""
    if clean(text, "") is not None:
        return None
    pieces = parts(text, scope)
    words: list[str | Bare] = []
    for part in pieces:
        if isinstance(part, str):
            words.append(part)
        elif part.name == scope.index:
            words.append(Bare("task.index"))
        elif scope.defines(part.name) and _NAME.fullmatch(part.name):
            words.append(Bare(f"env.{part.name}"))
        else:
            return None
    if any(isinstance(word, Bare) for word in words):
        return Text(tuple(words))
    return "".join(word for word in words if isinstance(word, str))


def program(text: str, scope: Scope) -> Value | None:
    """The same for the text of a shell program, which can hold the index alone: ``${env.NAME}`` is the shell's."""
    if any(isinstance(part, Reference) and part.name != scope.index for part in parts(text, scope)):
        return None
    return value(text, scope)


def literal(text: str) -> str:
    """``text`` as a process gets it that has no variables."""
    return "".join(part if isinstance(part, str) else f"$({part.name})" for part in parts(text, Scope()))


def refers(text: str, name: str | None) -> bool:
    """Whether ``$(name)`` is in ``text``."""
    pieces = parts(text, Scope(frozenset({name}))) if name is not None else []
    return any(isinstance(part, Reference) and part.name == name for part in pieces)


def word(text: str | None) -> str | None:
    """A text that is not empty and that the language can write."""
    return text if text and clean(text, "") is None else None


GPU: Final = "nvidia.com/gpu"
_WRITTEN: Final = regex(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[mkMGTPE]|[KMGTPE]i)?")
_DEVICE: Final = regex(r".*(?:gpu|/mig-).*")
_MOST: Final = 10**18 * 1000


class Amount(Record):
    """A quantity: its thousandths, and as it is written."""

    milli: int
    text: str

    @property
    def whole(self) -> int | None:
        """The number of whole things; ``None`` if it is not a whole number."""
        return self.milli // 1000 if self.milli % 1000 == 0 else None


def amount(place: View) -> Amount | None:
    """The quantity at ``place`` as the API server reads it; ``None`` where the language has no number for it."""
    text, fraction = place.words, quantities.amount(place.words)
    if text is None or fraction is None or text[0] == "-":
        return None
    milli = fraction * 1000
    if milli.denominator != 1 or milli > _MOST:
        return None
    return Amount(int(milli), text if _WRITTEN.fullmatch(text) else quantity(int(milli)).text)


def bytes_at(place: View) -> Bare | None:
    """An amount of bytes with a unit, more than 0."""
    found = amount(place)
    return None if found is None else _bytes(found)


def _bytes(read: Amount) -> Bare | None:
    """Memory needs a unit in the language."""
    text = read.text if read.text[-1].isalpha() else quantity(read.milli).text
    return Bare(text) if read.milli > 0 and text[-1].isalpha() else None


def _cpus(read: Amount) -> Bare | None:
    """CPUs are a number or thousandths."""
    if read.milli <= 0:
        return None
    if not read.text[-1].isalpha() or read.text[-1] == "m":
        return Bare(read.text)
    return Bare(str(read.milli // 1000) if read.milli % 1000 == 0 else f"{read.milli}m")


def seconds(number: int) -> Bare:
    """A length of time, in its largest whole unit."""
    return Bare(duration(number * 1000).text)


def resources(container: View, facts: PodFacts) -> Iterator[Attribute]:
    """What the container asks of its node, as far as requests and limits are what the compiler writes."""
    place = container["resources"]
    for name, written in (("cpu", _cpus), ("memory", _bytes)):
        yield from _with_limit(place, name, written)
    devices = dict(_devices(place))
    yield from [*_shares(devices, place, facts)] or _gpus(devices, place)
    for name, count in devices.items():
        if not qualified_problem(name) and name not in (GPU, "cpu", "memory") and count.whole is not None:
            yield Attribute("resources", Bare(count.text), place["limits"][name].span, name)


def step_device(containers: Iterator[View]) -> Attribute | None:
    """``gpu_resource`` of a role that has no device itself, for the steps that have one of another maker."""
    for container in containers:
        place = container["resources"]
        name = _other_gpu(dict(_devices(place)))
        if name not in (None, GPU):
            return Attribute("gpu_resource", name, place["limits"].key(name))
    return None


def plain_resources(container: View) -> Iterator[Attribute]:
    """The same for a step: its requests are its limits."""
    place = container["resources"]
    for name, written in (("cpu", _cpus), ("memory", _bytes)):
        for attribute in _with_limit(place, name, written):
            if attribute.name == name:
                yield attribute


def _with_limit(place: View, name: str, written: Callable[[Amount], Bare | None]) -> Iterator[Attribute]:
    request, limit = amount(place["requests"][name]), amount(place["limits"][name])
    span = place["requests"][name].span if request is not None else place["limits"][name].span
    first = request or limit
    value = None if first is None else written(first)
    if first is None or value is None:
        return
    yield Attribute(name, value, span)
    if limit is None:
        yield Attribute(f"{name}_limit", NO_LIMIT, span)
    elif limit.milli > first.milli:
        higher = written(limit)
        if higher is not None:
            yield Attribute(f"{name}_limit", higher, place["limits"][name].span)


def _devices(place: View) -> Iterator[tuple[str, Amount]]:
    """What is limited, and requested with the same amount or not at all, which the server takes for the same."""
    for name, at in place["limits"].entries():
        limit = amount(at)
        requested = place["requests"][name]
        if name in ("cpu", "memory") or limit is None:
            continue
        request = amount(requested)
        if not requested.present or (request is not None and request.milli == limit.milli):
            yield name, limit


def _gpus(devices: dict[str, Amount], place: View) -> Iterator[Attribute]:
    """``gpu``, and ``gpu_resource`` for a device of another maker where it is the only one."""
    name = GPU if GPU in devices else _other_gpu(devices)
    count = None if name is None else devices[name].whole
    if name is None or not count:
        return
    del devices[name]
    if name != GPU:
        yield Attribute("gpu_resource", name, place["limits"].key(name))
    yield Attribute("gpu", count, place["limits"][name].span)


def _other_gpu(devices: dict[str, Amount]) -> str | None:
    names = [name for name in devices if "/" in name and _DEVICE.fullmatch(name.lower())]
    return names[0] if len(names) == 1 and not qualified_problem(names[0]) else None


def _shares(devices: dict[str, Amount], place: View, facts: PodFacts) -> Iterator[Attribute]:
    """A share of a device."""
    if facts.shares is None:
        return
    number_name, memory_name = facts.shares
    number, memory = devices.get(number_name), devices.get(memory_name)
    if number is None or memory is None or not number.whole or not memory.whole:
        return
    del devices[number_name], devices[memory_name]
    if number.whole != 1:
        yield Attribute("gpu", number.whole, place["limits"][number_name].span)
    size = f"{memory.whole // 1024}Gi" if memory.whole % 1024 == 0 else f"{memory.whole}Mi"
    yield Attribute("gpu_memory", Bare(size), place["limits"][memory_name].span)


STATUSES: Final = range(1, 256)
"""With which a container fails."""

_RUN: Final = 3
"""So many statuses in a row are written as a range."""


def on_exit(statuses: Collection[int], action: str, span: Span, of: str = "") -> Iterator[Policy]:
    """Policies for ``statuses``: each long row of numbers is a range, the others are one list.

    ``of``: which replica they are about, with a space after it.
    """
    single: list[int] = []
    for run in _runs(sorted(statuses)):
        if len(run) >= _RUN:
            yield Policy(f"{of}exit {run[0]}..{run[-1]}", action, span)
        else:
            single += run
    if single:
        event = f"exit {single[0]}" if len(single) == 1 else f"exit [{', '.join(map(str, single))}]"
        yield Policy(of + event, action, span)


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs
