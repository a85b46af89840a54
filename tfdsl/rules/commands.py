"""Commands and environment of roles (language reference, "Attributes": command, args, env)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.patterns import regex
from tfdsl.rules.broken import KEY, Broken, Place
from tfdsl.rules.texts import literal, parts_of

if TYPE_CHECKING:
    from tfdsl.rules.protocols import Job, Role, Step

_USES_ARGS = regex(r"\$(?:[@*1-9#]|\{[@*1-9#])")


def commands(job: Job) -> Iterator[Broken]:
    """Commands that would lose their arguments, and reserved variables."""
    discovery = job.cluster.discovery
    for at, role in enumerate(job.roles):
        if not role.server:
            flags = discovery in ("flags", "both") and role.name != "tensorboard"
            yield from (broken.below("roles", at) for broken in _arguments(role, flags=flags))
        for number, step in enumerate(role.steps):
            yield from (broken.below("roles", at, "steps", number) for broken in _arguments(step, flags=False))
        if discovery != "none":
            yield from (_reserved(discovery, "roles", at, *place) for place in _with_tf_config(role))


def _with_tf_config(role: Role) -> Iterator[Place]:
    """What sets TF_CONFIG; a step that inherits it does not."""
    if "TF_CONFIG" in role.env:
        yield ()
        return
    yield from (("steps", number) for number, step in enumerate(role.steps) if "TF_CONFIG" in step.env)


def _reserved(discovery: str | None, *place: str | int) -> Broken:
    broken = Broken(value_rules.TF_CONFIG_SET, (*place, "env", "TF_CONFIG", KEY))
    broken = broken.help('to set it yourself, write cluster { discovery = "none" }')
    return broken if discovery is None else broken.note(("cluster", "discovery"), "discovery is set here")


def uses_args(program: str) -> bool:
    """Whether the text of a shell program uses its arguments."""
    return _USES_ARGS.search(program) is not None


def _arguments(role: Role | Step, *, flags: bool) -> Iterator[Broken]:
    if parts_of(role.command) is None or uses_args(literal(role.command)):
        return
    if role.args:
        broken = Broken(value_rules.ARGS_IGNORED, ("command",), {"what": "args"})
        yield broken.note(("args",), "these args").help('end the text with "$@"')
    elif flags:
        broken = Broken(value_rules.ARGS_IGNORED, ("command",), {"what": "the discovery flags"})
        yield broken.help('end the text with "$@"')
