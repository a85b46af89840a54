"""Statements of a job in a few words each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics.render.columns import visible
from tfdsl.rules.values import parts_of

if TYPE_CHECKING:
    from tfdsl.ir.model import Output, Policy, Role

_WHEN = {"success": "on success", "failure": "on failure", "always": "always"}


def shown(text: object) -> str:
    """A text of the job on one line; what is known only at run time is ``${task.index}`` or ``${env.NAME}``."""
    return visible("".join(_part(part) for part in parts_of(text) or ()))


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    return "${task.index}" if getattr(part, "kind", "") == "task_index" else f"${{env.{getattr(part, 'name', '')}}}"


def counted(count: int, thing: str) -> str:
    """``1 replica``, ``4,000 replicas``."""
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def devices(role: Role) -> str:
    """What a replica of a role is given: ``2 GPUs · 4 CPUs · 16Gi``; empty when it asks for nothing."""
    words: list[str] = []
    if role.gpu:
        words.append(counted(role.gpu, "GPU") + (f" ({shown(role.gpu_resource)})" if role.gpu_resource else ""))
    if role.gpu_memory is not None:
        words.append(f"{role.gpu_memory.text} of a GPU")
    if role.cpu is not None:
        words.append(f"{role.cpu.text} CPU" + ("" if role.cpu.milli <= 1000 else "s"))
    if role.memory is not None:
        words.append(role.memory.text)
    words += [f"{amount} {shown(name)}" for name, amount in role.resources.items()]
    return " · ".join(words)


def policy(one: Policy, *, subject: bool) -> str:
    """``worker[1] exit 137 after 5s → restart pod``; without ``subject`` only what follows it."""
    words: list[str] = []
    if one.index is not None:
        words.append(f"{one.role}[{one.index}]")
    elif subject and one.role is not None:
        words.append(one.role)
    words.append(one.event)
    if one.codes:
        words.append(ranges(one.codes))
    if one.count is not None:
        words.append(f"{one.count:,}")
    if one.delay is not None:
        words.append(f"after {one.delay.text}")
    return f"{' '.join(words)} → {one.action}"


def ranges(numbers: Sequence[int]) -> str:
    """``1–3, 7``: ascending numbers, neighbours joined."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)


def output(one: Output) -> str:
    """``/tmp/model`` and below it ``→ /data/model on success``."""
    who = "" if one.index is None else f"replica {one.index}: "
    return f"{who}{shown(one.source)}\n→ {shown(one.destination)} {_WHEN[one.when]}"


def listed(words: Iterable[str]) -> str:
    """``a, b and c``."""
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last
