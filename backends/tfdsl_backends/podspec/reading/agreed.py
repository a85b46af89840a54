"""What the roles of a job agree on, which the compiler adds to all of them: said once, or switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.draft import Attribute, Step
from tfdsl.record import replace
from tfdsl.rules.names import name_problem
from tfdsl_backends.podspec.options import NO_SIDECAR, VISIBLE_DEVICES
from tfdsl_backends.podspec.reading.amounts import GPU
from tfdsl_backends.podspec.reading.commands import interpreter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tfdsl.draft import Block, Draft, Value
    from tfdsl.manifest.view import View

_SIDECAR: Final = f"annotations[{NO_SIDECAR}]"
_DEVICES: Final = f"env[{VISIBLE_DEVICES}]"
_CHECKPOINT: Final = "env[CHECKPOINT_DIR]"
_HIDDEN: Final = "void"
_USUAL_SCHEDULER: Final = "default-scheduler"


def checkpoint(draft: Draft) -> None:
    """``CHECKPOINT_DIR`` of all roles is the job's ``checkpoint``; TensorBoard shows it without being told."""
    said = [_find(block, _CHECKPOINT) for block in draft.roles.values()]
    first = said[0] if said else None
    if first is None or not first.value or any(one is None or one.value != first.value for one in said):
        return
    draft.job.set("checkpoint", first.value, first.span)
    for block in draft.roles.values():
        _drop(block, lambda one: one.identity == _CHECKPOINT)
        _drop(block, lambda one: one.identity == "logdir" and one.value == first.value)


def sidecars(draft: Draft) -> None:
    """The annotation that keeps Istio's sidecar away, which the compiler gives to every pod."""
    blocks = draft.roles.values()
    if all(_find(block, _SIDECAR) is not None for block in blocks):
        for block in blocks:
            _drop(block, lambda one: one.identity == _SIDECAR and one.value == "false")
    else:
        draft.options.set("istio_annotation", False)


def devices(draft: Draft) -> None:
    """The variable that hides devices, which the compiler gives to all that has none beside what has some."""
    if not any(_has_devices(block) for block in draft.roles.values()):
        return
    if any(_shows_devices(block) for block in draft.roles.values()):
        draft.options.set("nvidia_visible_devices", "")
        return
    for block in draft.roles.values():
        if not _uses_nvidia(block):
            _drop(block, lambda one: one.identity == _DEVICES and one.value == _HIDDEN)
        block.statements = [_without_hidden(one) if isinstance(one, Step) else one for one in block.statements]


def servers(draft: Draft, pythons: Mapping[str, str]) -> None:
    """The command of the roles that run a server: only its Python counts, so it can be that of another role."""
    others = [block for name, block in draft.roles.items() if name not in pythons]
    for role, python in pythons.items():
        like = next((block for block in others if interpreter(_value(block, "command")) == python), None)
        command, args = (None, None) if like is None else (_find(like, "command"), _find(like, "args"))
        block = draft.role(role)
        if command is not None:
            block.add(command)
            if args is not None:
                block.add(args)
        elif python != "python":
            block.set("command", [python])


def job_field(draft: Draft, name: str, places: Sequence[View]) -> None:
    """An attribute of the job that the compiler writes to each pod, if all pods have it."""
    texts = {place.text for place in places}
    text = texts.pop() if len(texts) == 1 else None
    if text and not name_problem(text) and not (name == "scheduler" and text == _USUAL_SCHEDULER):
        draft.job.set(name, text, places[0].span)


def _find(block: Block, identity: str) -> Attribute | None:
    for one in block.statements:
        if isinstance(one, Attribute) and one.identity == identity:
            return one
    return None


def _value(block: Block, identity: str) -> Value | None:
    found = _find(block, identity)
    return None if found is None else found.value


def _drop(block: Block, unwanted: Callable[[Attribute], bool]) -> None:
    block.statements = [one for one in block.statements if not (isinstance(one, Attribute) and unwanted(one))]


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
