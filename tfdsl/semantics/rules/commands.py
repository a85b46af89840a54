"""Commands and environment of roles (language reference, "Attributes": command, args, env)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.semantics.values import ListData, MapData, RunTimeText

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved

    Report = Callable[[Diagnostic], None]

_USES_ARGS = re.compile(r"\$(?:[@*1-9#]|\{[@*1-9#])")


def check(job: resolved.Job, report: Report) -> None:
    """Commands that would lose their arguments, and reserved variables."""
    flags = job.cluster.get("discovery")
    with_flags = flags is not None and flags.value.data in ("flags", "both")
    generated = flags is None or flags.value.data != "none"
    for role in job.roles:
        if role.data("server") is not True:
            _arguments(role, with_flags and role.name != "tensorboard", report)
        if generated:
            _environment(role, flags, report)


def _arguments(role: resolved.Role, with_flags: bool, report: Report) -> None:
    command = role.data("command")
    text = (
        "".join(part for part in command.parts if isinstance(part, str))
        if isinstance(command, RunTimeText)
        else command
    )
    if not isinstance(text, str) or _USES_ARGS.search(text):
        return
    args = role.settings.get("args")
    setting = role.settings["command"]
    data = role.data("args")
    if args is not None and isinstance(data, ListData) and data.items:
        found = value_rules.ARGS_IGNORED(setting.value.span, what="its args ($@)")
        report(found.note(args.value.span, "these args").help('end the text with "$@"'))
    elif with_flags:
        found = value_rules.ARGS_IGNORED(setting.value.span, what="the discovery flags ($@)")
        report(found.help('end the text with "$@"'))


def _environment(role: resolved.Role, discovery: resolved.Setting | None, report: Report) -> None:
    setting = role.settings.get("env")
    data = setting.value.data if setting is not None else None
    if isinstance(data, MapData) and "TF_CONFIG" in data.entries:
        found = value_rules.TF_CONFIG_SET(data.entries["TF_CONFIG"].key_span)
        found = found.help('to set it yourself, write cluster { discovery = "none" }')
        report(found if discovery is None else found.note(discovery.value.span, "discovery is set here"))
