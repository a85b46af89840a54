"""Run-time values in Kubernetes: ``${task.index}`` and ``${env.NAME}`` become references that the kubelet replaces.

The kubelet expands ``$(NAME)`` in ``command``, ``args``, env values and ``subPathExpr``, from the container's own env
and envFrom only (what the image sets is not seen), in an env value only from envFrom and the entries before it. An
unknown name stays as written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.emit.located import Located, child
from tfdsl.emit.shell import escape_expansion
from tfdsl.ir.model import EnvValue, EnvVar, Job, Node, Role, RunTimeText, Step, TaskIndex, Text

if TYPE_CHECKING:
    from tfdsl_backends.podspec.plan import Index


def expanded(text: Text, index: Index) -> str:
    """``text`` for a place that the kubelet expands: literals escaped, run-time values as references."""
    if isinstance(text, str):
        return escape_expansion(text)
    return "".join(_part(part, index) for part in text.parts)


def shell_text(text: Text, index: Index) -> str:
    """The same for the program text of a shell.

    ``${env.NAME}`` is left to the shell, which also sees what the image sets and never reads the value as program
    text; the index consists of digits and is put in by the kubelet.
    """
    if isinstance(text, str):
        return escape_expansion(text)
    return "".join(f"${{{p.name}}}" if isinstance(p, EnvVar) else _part(p, index) for p in text.parts)


def located_texts(node: Node, field: str, index: Index) -> list[Located]:
    """Every text of a list field of ``node``, expanded, each with its place."""
    texts: tuple[Text, ...] = getattr(node, field)
    path = child(node.path, field)
    return [Located(expanded(text, index), f"{path}[{at}]") for at, text in enumerate(texts)]


def literal(text: Text) -> str:
    """A text in a place that the kubelet does not expand; the support table refuses run-time values there."""
    return text if isinstance(text, str) else "".join(part for part in text.parts if isinstance(part, str))


def names_in(value: EnvValue) -> list[str]:
    """The names of ``${env.NAME}`` in ``value``, in order."""
    return [part.name for part in value.parts if isinstance(part, EnvVar)] if isinstance(value, RunTimeText) else []


def uses_index(job: Job, role: Role) -> bool:
    """Whether ``${task.index}``, or an output of one replica only, is used anywhere in ``role``."""
    return any(output.index is not None for output in role.outputs) or any(map(_has_index, _all_texts(job, role)))


def step_uses_index(role: Role, step: Step) -> bool:
    """Whether ``${task.index}`` is used anywhere in the container of ``step``."""
    command = step.command if isinstance(step.command, tuple) else (step.command,)
    return any(map(_has_index, (*step.env.values(), *command, *step.args, *_sub_paths(role))))


def _has_index(text: object) -> bool:
    return isinstance(text, RunTimeText) and any(isinstance(part, TaskIndex) for part in text.parts)


def _all_texts(job: Job, role: Role) -> Iterator[object]:
    yield from role.env.values()
    yield from role.command if isinstance(role.command, tuple) else (role.command,)
    yield from role.args
    yield from (role.logdir, job.checkpoint)
    yield from _sub_paths(role)
    for output in role.outputs:
        yield output.source
        yield output.destination


def _sub_paths(role: Role) -> Iterator[object]:
    for mount in role.mounts:
        yield getattr(mount, "sub_path", None)


def _part(part: str | TaskIndex | EnvVar, index: Index) -> str:
    if isinstance(part, str):
        return escape_expansion(part)
    return index.reference if isinstance(part, TaskIndex) else f"$({part.name})"
