"""What the roles of a job agree on, which the compiler adds to all of them: said once, or switched off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.draft import Attribute, Bare, Block, Draft, Step, Text, Value
from tfdsl.record import replace
from tfdsl_backends.podspec.options import NO_SIDECAR, VISIBLE_DEVICES
from tfdsl_backends.podspec.reading.amounts import GPU
from tfdsl_backends.podspec.reading.commands import interpreter
from tfdsl_backends.podspec.reading.texts import word

if TYPE_CHECKING:
    from tfdsl.manifest.view import View

_SIDECAR: Final = f"annotations[{NO_SIDECAR}]"
_DEVICES: Final = f"env[{VISIBLE_DEVICES}]"
_CHECKPOINT: Final = "env[CHECKPOINT_DIR]"
_HIDDEN: Final = "void"


def checkpoint(draft: Draft, replicas: Mapping[str, int]) -> None:
    """``CHECKPOINT_DIR`` of all roles is the job's ``checkpoint``; TensorBoard shows it without being told."""
    said = [_find(block, _CHECKPOINT) for block in draft.roles.values()]
    first = next((one for one in said if one is not None and isinstance(one.value, Text)), said[0] if said else None)
    if first is None or not first.value:
        return
    for name, one in zip(draft.roles, said, strict=True):
        if one is None or one.value not in (first.value, _of_first(first.value, replicas.get(name, 1))):
            return
    draft.job.set("checkpoint", first.value, first.span)
    for name, block in draft.roles.items():
        folders = (first.value, _of_first(first.value, replicas.get(name, 1)))
        _drop(block, _CHECKPOINT, folders)
        _drop(block, "logdir", folders)


def sidecars(draft: Draft) -> None:
    """The annotation that keeps Istio's sidecar away, which the compiler gives to every pod."""
    blocks = draft.roles.values()
    if all(_find(block, _SIDECAR) is not None for block in blocks):
        for block in blocks:
            _drop(block, _SIDECAR, ("false",))
    else:
        draft.options.set("istio_annotation", False)


def names(draft: Draft, specs: Sequence[View]) -> None:
    """Which names pods on the network of their node resolve: those of the cluster too, unless all leave it open."""
    alone = [spec for spec in specs if spec["hostNetwork"].flag is True]
    if alone and all(spec["dnsPolicy"].text in (None, "ClusterFirst") for spec in alone):
        draft.options.set("cluster_dns", False)


def devices(draft: Draft) -> None:
    """The variable that hides devices, which the compiler gives to all that has none beside what has some."""
    if not any(_has_devices(block) for block in draft.roles.values()):
        return
    if any(_shows_devices(block) for block in draft.roles.values()):
        draft.options.set("nvidia_visible_devices", "")
        return
    for block in draft.roles.values():
        if not _uses_nvidia(block):
            _drop(block, _DEVICES, (_HIDDEN,))
        block.statements = [_without_hidden(one) if isinstance(one, Step) else one for one in block.statements]


def servers(draft: Draft, pythons: Mapping[str, str], index: Attribute, *, indexed: bool) -> None:
    """The command of the roles that run a server: only its Python counts, so it can be that of another role.

    ``index``: the variable of the index as an attribute; a command that uses it needs it, though a server does not.
    ``indexed``: whether the compiler adds it to servers in any case.
    """
    others = [block for name, block in draft.roles.items() if name not in pythons]
    for role, python in pythons.items():
        like = next((block for block in others if interpreter(_value(block, "command")) == python), None)
        block = draft.role(role)
        found = [_find(like, name) for name in ("command", "args")] if like is not None else []
        program = [one for one in found if one is not None]
        used = any(_uses_index(one.value) for one in program)
        given = _index_of(block, index)
        if program and (not used or given is not None or indexed):
            block.statements += program
        elif python != "python":
            block.set("command", [python])
        if indexed:
            used = True
        elif given is not None and not used and _steps(block):  # steps would inherit it as a variable
            block.statements = [one for one in block.statements if one.identity != "args"]
            block.set("args", [Text((Bare("task.index"),))], given.span)
            used = True
        if given is not None and used:
            _drop(block, given.identity, (given.value,))


def _index_of(block: Block, index: Attribute) -> Attribute | None:
    """The variable of the index among the statements of ``block``, which can have got a prefix."""
    for one in block.statements:
        if not isinstance(one, Attribute) or one.name != "env" or one.key is None:
            continue
        if one.value == index.value and one.key.endswith(str(index.key)):
            return one
    return None


def _uses_index(value: Value) -> bool:
    if isinstance(value, Text):
        return Bare("task.index") in value.parts
    return isinstance(value, list | tuple) and any(_uses_index(one) for one in value)


def job_field(draft: Draft, name: str, places: Sequence[View | None]) -> None:
    """An attribute of the job that the compiler writes to each pod, if all pods have it."""
    first = places[0] if places else None
    text = word(first.text) if first is not None else None
    if first is not None and text is not None and all(place is not None and place.text == text for place in places):
        draft.job.set(name, text, first.span)


def _of_first(value: Value, replicas: int) -> Value:
    """``value`` as the compiler writes it for a role of one replica, whose index is known."""
    if replicas != 1 or not isinstance(value, Text):
        return value
    parts = ["0" if part == Bare("task.index") else part for part in value.parts]
    if all(isinstance(part, str) for part in parts):
        return "".join(part for part in parts if isinstance(part, str))
    return Text(tuple(parts))


def _find(block: Block, identity: str) -> Attribute | None:
    for one in block.statements:
        if isinstance(one, Attribute) and one.identity == identity:
            return one
    return None


def _value(block: Block, identity: str) -> Value | None:
    found = _find(block, identity)
    return None if found is None else found.value


def _drop(block: Block, identity: str, values: Sequence[Value]) -> None:
    """Take the attribute out of ``block`` if its value is one of ``values``."""
    found = _find(block, identity)
    if found is not None and found.value in values:
        block.statements = [one for one in block.statements if one is not found]


def _uses_nvidia(block: Block) -> bool:
    return _nvidia(block, _value(block, "gpu"))


def _nvidia(block: Block, count: Value | None) -> bool:
    """The same as ``podspec.environment``: a share of a device, or devices of that maker."""
    device = _value(block, "gpu_resource") or GPU
    return _value(block, "gpu_memory") is not None or (bool(count) and str(device).startswith("nvidia.com/"))


def _steps(block: Block) -> list[Step]:
    return [one for one in block.statements if isinstance(one, Step)]


def _of_step(step: Step, identity: str) -> Attribute | None:
    return next((one for one in step.statements if one.identity == identity), None)


def _step_uses_nvidia(block: Block, step: Step) -> bool:
    count = _of_step(step, "gpu")
    return count is not None and _nvidia(block, count.value)


def _has_devices(block: Block) -> bool:
    return _uses_nvidia(block) or any(_step_uses_nvidia(block, step) for step in _steps(block))


def _shows_devices(block: Block) -> bool:
    """Whether something in it has no device and does not say which it sees."""
    said = _find(block, _DEVICES) is not None
    if not said and not _uses_nvidia(block):
        return True
    bare = [step for step in _steps(block) if not _step_uses_nvidia(block, step)]
    return not said and any(_of_step(step, _DEVICES) is None for step in bare)


def _without_hidden(step: Step) -> Step:
    kept = tuple(one for one in step.statements if not (one.identity == _DEVICES and one.value == _HIDDEN))
    return replace(step, statements=kept)
