"""What a container runs; the inverse of ``podspec.command``: the programs around a command are taken off again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.import_rules import SERVER_REFUSES
from tfdsl.draft import Attribute, Text, Value
from tfdsl.ir.cluster_spec import flag_hosts, flag_task_of
from tfdsl.record import Record, replace
from tfdsl.rules.job import uses_args
from tfdsl_backends.podspec.command import SHELL
from tfdsl_backends.podspec.expansion import Scope
from tfdsl_backends.podspec.programs import TENSORFLOW_SERVER, shell_program
from tfdsl_backends.podspec.reading.texts import literal, program, refers, value

if TYPE_CHECKING:
    from tfdsl.manifest.view import View
    from tfdsl.reading import Asked
    from tfdsl.text import Span

_HEAD: Final = 4
"""Words of ``/bin/sh -c PROGRAM sh``."""
_OUTPUT: Final = 5
"""Parameters of each output."""


class Copied(Record):
    """An output as the parameters of the program say it: when, which replica, whether it replaces, from, to."""

    when: str
    replica: str
    overwrite: bool
    source: str
    destination: str


class Words(Record):
    """What a container runs, without what the compiler puts around it.

    ``command`` and ``args``: as they are in the manifest, with the places. ``joined``: whether they could not be told
    apart, so that ``command`` holds all. ``around``: the parameters of the target's own program, ``None`` without one.
    ``flags``: whether the flags of the cluster were at the end. ``server``: the protocol of the TensorFlow server that
    runs instead of a command, ``command`` being its Python. ``refers``: words that are gone.
    """

    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    spans: tuple[Span, Span] | None = None
    joined: bool = False
    around: tuple[str, ...] | None = None
    outputs: tuple[Copied, ...] = ()
    offset: str | None = None
    flags: bool = False
    server: str | None = None
    taken: tuple[str, ...] = ()


def words(container: View, program_around: Callable[[str], int | None] | None, asked: Asked) -> Words | None:
    """The words of ``container``; ``None`` where they are no texts."""
    command, args = _texts(container["command"], asked), _texts(container["args"], asked)
    if command is None or args is None:
        return None
    spans = (container["command"].span, container["args"].span)
    found = Words(tuple(command), tuple(args), spans)
    if program_around is not None:
        found = _without_program(found, program_around)
    found = _without_outputs(found)
    found = _without_index(found)
    if found.joined and _is_shell(found.command):
        found = replace(found, command=found.command[:_HEAD], args=found.command[_HEAD:])
    return _as_server(found)


def without_flags(found: Words, expected: Sequence[str]) -> Words:
    """The same without the flags of the cluster, if they are ``expected`` and at the end.

    The last, the index, is not there where a program computes it.
    """
    flags = tuple(expected[:-1] if found.offset is not None else expected)
    for field in ("command",) if found.joined and not found.args else ("args",):
        own: tuple[str, ...] = getattr(found, field)
        if flags and own[-len(flags) :] == flags:
            return replace(found, flags=True, taken=(*found.taken, *flags), **{field: own[: -len(flags)]})
    return found


def flag_words(role: str, roles: Sequence[str], hosts: Mapping[str, Sequence[str]], index: str) -> list[str]:
    """The flags of a replica, as the compiler writes them."""
    ps, workers = flag_hosts({name: list(addresses) for name, addresses in hosts.items()})
    name, offset = flag_task_of(role, roles)
    own = str(int(index) + offset) if index.isdigit() else index
    return [f"--ps_hosts={ps}", f"--worker_hosts={workers}", f"--job_name={name}", f"--task_index={own}"]


def statements(found: Words, scope: Scope, *, flags: bool) -> Iterator[Attribute]:
    """``command`` and ``args``, each where the language can say it. ``flags``: whether flags are appended."""
    spans = found.spans
    command_span, args_span = spans if spans is not None else (None, None)
    text = _program_text(found, scope, flags=flags)
    if text is not None:
        yield Attribute("command", text, command_span)
    elif found.command:
        command = _values(found.command, scope)
        if command is not None:
            yield Attribute("command", command, command_span)
    if found.args:
        args = _values(found.args, scope)
        if args is not None:
            yield Attribute("args", args, args_span)


def interpreter(command: Value | None) -> str:
    """The Python that a server of a role with ``command`` runs with; the same as ``podspec.command``."""
    if not isinstance(command, list | tuple) or not command or not isinstance(command[0], str):
        return "python"
    name = command[0].rpartition("/")[2]
    version = name.removeprefix("python")
    is_python = name.startswith("python") and all(char.isdigit() or char == "." for char in version)
    return command[0] if is_python else "python"


def all_texts(found: Words) -> Iterator[str]:
    """Every word, also those that were taken off."""
    yield from found.command
    yield from found.args
    yield from found.taken


def uses(found: Words, name: str | None) -> bool:
    """Whether ``$(name)`` is in any word."""
    return any(refers(text, name) for text in all_texts(found))


def _texts(place: View, asked: Asked) -> list[str] | None:
    found: list[str] = []
    for item in place.items():
        text = item.text
        if text is None:
            text = str(item.flag).lower() if item.flag is not None else item.words
            if text is None:
                return None
            reason = "an argument is a text; write it in quotes"
            asked.report(SERVER_REFUSES(item.span, what=f"{text} as an argument", reason=reason))
        found.append(text)
    return found


def _is_shell(command: Sequence[str]) -> bool:
    return len(command) >= _HEAD and tuple(command[:2]) == (SHELL, "-c") and command[3] == "sh"


def _inside(found: Words) -> tuple[str, list[str]] | None:
    """The text of the shell program that starts everything else, and the words behind it."""
    if not _is_shell(found.command):
        return None
    return literal(found.command[2]), [*found.command[_HEAD:], *found.args]


def _started(found: Words, taken: Sequence[str], rest: Sequence[str]) -> Words:
    return replace(found, command=tuple(rest), args=(), joined=True, taken=(*found.taken, *taken))


def _without_program(found: Words, program_around: Callable[[str], int | None]) -> Words:
    inside = _inside(found)
    count = None if inside is None else program_around(inside[0])
    if inside is None or count is None or len(inside[1]) < count:
        return found
    taken, rest = inside[1][:count], inside[1][count:]
    return replace(_started(found, taken, rest), around=tuple(taken))


def _without_outputs(found: Words) -> Words:
    inside = _inside(found)
    if inside is None or inside[0] != shell_program("output"):
        return found
    rest = inside[1]
    count = int(rest[2]) if len(rest) > 2 and rest[2].isdigit() and len(rest[2]) < 6 else 0
    end = 3 + count * _OUTPUT
    if not count or len(rest) < end:
        return found
    outputs = [_copied(rest[at : at + _OUTPUT]) for at in range(3, end, _OUTPUT)]
    return replace(_started(found, rest[:end], rest[end:]), outputs=tuple(outputs))


def _copied(parameters: Sequence[str]) -> Copied:
    when, replica, overwrite, source, destination = parameters
    return Copied(when, replica, overwrite == "yes", source, destination)


def _without_index(found: Words) -> Words:
    inside = _inside(found)
    if inside is None or inside[0] != shell_program("task_index") or len(inside[1]) < 2:
        return found
    return replace(_started(found, inside[1][:1], inside[1][2:]), offset=inside[1][1])


def _as_server(found: Words) -> Words:
    command = found.command
    if len(command) != 4 or found.args or command[1] != "-c" or literal(command[2]) != TENSORFLOW_SERVER:
        return found
    return replace(found, command=command[:1], server=command[3])


def _program_text(found: Words, scope: Scope, *, flags: bool) -> Value | None:
    """The text of a shell program that is the whole command; ``None`` where a list says it better, or alone."""
    if len(found.command) != _HEAD or not _is_shell(found.command):
        return None
    text = program(found.command[2], scope)
    if not text:
        return None
    whole = text if isinstance(text, str) else "".join(p for p in _parts(text) if isinstance(p, str))
    return text if uses_args(whole) or not (found.args or flags) else None


def _parts(text: Value) -> Sequence[object]:
    return text.parts if isinstance(text, Text) else ()


def _values(texts: Sequence[str], scope: Scope) -> list[Value] | None:
    values: list[Value] = []
    for text in texts:
        one = value(text, scope)
        if one is None:
            return None
        values.append(one)
    return values
