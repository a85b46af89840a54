"""Commands and environment of roles (language reference, "Attributes": command, args, env)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.patterns import regex
from tfdsl.rules.broken import KEY, Broken
from tfdsl.rules.texts import literal, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.rules.protocols import Job, Role

_USES_ARGS = regex(r"\$(?:[@*1-9#]|\{[@*1-9#])")


def commands(job: Job) -> Iterator[Broken]:
    """Commands that would lose their arguments, and reserved variables."""
    discovery = job.cluster.discovery
    for at, role in enumerate(job.roles):
        if not role.server:
            flags = discovery in ("flags", "both") and role.name != "tensorboard"
            yield from (broken.below("roles", at) for broken in _arguments(role, flags=flags))
        if discovery != "none" and "TF_CONFIG" in role.env:
            broken = Broken(value_rules.TF_CONFIG_SET, ("roles", at, "env", "TF_CONFIG", KEY))
            broken = broken.help('to set it yourself, write cluster { discovery = "none" }')
            yield broken if discovery is None else broken.note(("cluster", "discovery"), "discovery is set here")


def _arguments(role: Role, *, flags: bool) -> Iterator[Broken]:
    if parts_of(role.command) is None or _USES_ARGS.search(literal(role.command)):
        return
    if role.args:
        broken = Broken(value_rules.ARGS_IGNORED, ("command",), {"what": "args"})
        yield broken.note(("args",), "these args").help('end the text with "$@"')
    elif flags:
        broken = Broken(value_rules.ARGS_IGNORED, ("command",), {"what": "the discovery flags"})
        yield broken.help('end the text with "$@"')
