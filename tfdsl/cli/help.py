"""What ``tfdsl COMMAND --help`` prints, from the command's table."""

from __future__ import annotations

from collections.abc import Iterable

from tfdsl.cli.arguments import COLOUR, Command, Flag, Positional
from tfdsl.diagnostics.render.text import NARROW, fold

_WIDTH = 26
_LONGEST = 120
"""Columns of the longest line on a wide terminal, and in a file."""


def command_help(command: Command, columns: int | None = None) -> str:
    """Usage, arguments, options and examples of a command. ``columns``: the width of the terminal, if there is one."""
    usage = " ".join([f"usage: tfdsl {command.name}", *map(usage_of, command.positionals), "[options]"])
    parts = [usage + "\n", _folded(command.summary[0].upper() + command.summary[1:] + ".", columns)]
    if command.positionals:
        parts.append(_table("arguments", [(one.name, one.doc) for one in command.positionals], columns))
    flags = [(_spelling(flag), flag_doc(flag)) for flag in (*command.flags, COLOUR)]
    parts.append(_table("options", [*flags, ("-h, --help", "show this help")], columns))
    if command.notes:
        parts.append(_folded(command.notes, columns))
    examples = "".join(f"  {example}\n" for example in command.examples)
    parts.append(f"example{'s' * (len(command.examples) > 1)}:\n{examples}")
    return "\n".join(parts)


def _folded(text: str, columns: int | None) -> str:
    if columns is None or columns >= NARROW:
        return text + "\n"
    return "".join(f"{part}\n" for line in text.split("\n") for part in fold(line, columns, columns))


def usage_of(positional: Positional) -> str:
    """An argument as a line of usage has it."""
    name = f"{positional.name}..." if positional.many else positional.name
    return name if positional.required else f"[{name}]"


def _spelling(flag: Flag) -> str:
    names = f"{flag.short}, {flag.name}" if flag.short else f"    {flag.name}"
    return names if flag.value is None else f"{names} {flag.value}"


def flag_doc(flag: Flag) -> str:
    """What a flag does, and which values it takes."""
    extra = [f"one of {', '.join(flag.one_of)}"] if flag.one_of else []
    extra += ["may be repeated"] if flag.many else []
    return f"{flag.doc} ({'; '.join(extra)})" if extra else flag.doc


def _table(title: str, rows: Iterable[tuple[str, str]], columns: int | None) -> str:
    lines = [f"{title}:"]
    if columns is not None and columns < NARROW:
        for left, right in rows:
            lines += [f"  {left.strip()}", *(f"      {part}" for part in fold(right, columns - 6, columns - 6))]
        return "\n".join(lines) + "\n"
    room = _LONGEST - _WIDTH - 3
    for left, right in rows:
        first, *more = fold(right, room, room)
        if len(left) >= _WIDTH:
            lines += [f"  {left}", f"  {'':<{_WIDTH}} {first}"]
        else:
            lines.append(f"  {left:<{_WIDTH}} {first}")
        lines += [f"  {'':<{_WIDTH}} {part}" for part in more]
    return "\n".join(lines) + "\n"
