"""The shell in which Volcano's own example builds TF_CONFIG from the hosts files of svc.

The command is kept as it is. The compiler can give the same TF_CONFIG, so the shorter job is offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.import_rules import READ_DIFFERENTLY
from tfdsl.patterns import regex
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.draft import Draft
    from tfdsl.manifest.view import View
    from tfdsl.reading import Asked
    from tfdsl_backends.volcano.reading_roles import RoleOf

_SHELLS: Final = ("sh", "bash", "/bin/sh", "/bin/bash")
_LIST: Final = regex(
    r"""([A-Z_]+)=(?:`|\$\()cat /etc/volcano/([-_a-z0-9]+)\.host \| sed 's/\$/&:([0-9]{1,5})/g' \| """
    r"""sed 's/\^/"/;s/\$/"/' \| tr ['"]\\n['"] ['"],['"](?:`|\));?"""
)
_CONFIG: Final = regex(
    r"""export TF_CONFIG=\{\\"cluster\\":\{(.*)\},\\"task\\":\{\\"type\\":\\"([a-z]+)\\","""
    r"""\\"index\\":\$\{V[CK]_TASK_INDEX\}\},\\"environment\\":\\"cloud\\"\};?"""
)
_MEMBER: Final = regex(r"""\\"([a-z]+)\\":\[\$\{([A-Z_]+)\}\]""")
_LONGEST: Final = 10_000


class _Built(Record):
    """What a shell does: role → the file of its hosts and its port, the role of the task, and the command after it."""

    members: dict[str, tuple[str, int]]
    role: str
    command: str


def offer(draft: Draft, job: View, roles: Sequence[RoleOf], asked: Asked) -> None:
    """Tell of the command that would do, if every role builds the TF_CONFIG that the compiler would give."""
    built = [(one, _built(one.task["template"]["spec"]["containers"][0])) for one in roles]
    cluster = {one.role: one.name.replace("-", "_") for one in roles if one.role != "evaluator"}
    for one, shell in built:
        if shell is None or shell.role != one.role:
            return
        if {role: file for role, (file, _) in shell.members.items()} != cluster:
            return
    ports = {port for _, shell in built if shell is not None for _, port in shell.members.values()}
    commands = list(dict.fromkeys(shell.command for _, shell in built if shell is not None))
    if len(ports) != 1 or not commands:
        return
    port = ports.pop()
    place = roles[0].task["template"]["spec"]["containers"][0]["command"]
    told = READ_DIFFERENTLY(
        place.span,
        what="the shell that builds TF_CONFIG",
        word="part of the command",
        difference="the compiler could set the same TF_CONFIG instead",
    )
    written = commands[0] if len(commands) == 1 else "the rest of each text"
    told = told.help(f'remove cluster {{ discovery = "none" }} and plugins, and write command = "exec {written}"')
    asked.report(told.help(f"write port = {port}") if port != 2222 else told)


def _built(container: View) -> _Built | None:
    """What the shell of ``container`` does, if it is all known but its last command."""
    words = [one.text for one in (*container["command"].items(), *container["args"].items())]
    if len(words) != 3 or words[0] not in _SHELLS or words[1] != "-c" or words[2] is None or len(words[2]) > _LONGEST:
        return None
    lines = [line.strip() for line in words[2].strip().split("\n")]
    lists: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(lines):
        found = _LIST.fullmatch(line)
        if found is not None:
            lists[found[1]] = (found[2], int(found[3]))
            continue
        config = _CONFIG.fullmatch(line)
        rest = lines[number + 1 :]
        if config is None or len(rest) != 1:
            return None
        return _cluster(config[1], config[2], lists, rest[0])
    return None


def _cluster(text: str, role: str, lists: dict[str, tuple[str, int]], command: str) -> _Built | None:
    members: dict[str, tuple[str, int]] = {}
    for part in text.split(","):
        found = _MEMBER.fullmatch(part)
        if found is None or found[2] not in lists:
            return None
        members[found[1]] = lists[found[2]]
    plain = not any(mark in command for mark in ";&|<>`$\"'\\(")
    return _Built(members, role, command) if command and plain else None
