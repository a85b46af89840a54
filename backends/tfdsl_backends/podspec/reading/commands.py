"""What a container runs and its variables; the inverse of ``podspec.command``.

The programs around a command are taken off again. The variables to which the texts of a container refer are a scope;
one of them may be the index of the replica.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from tfdsl.backend.draft import Attribute, Bare, Draft, Output, Text, Value
from tfdsl.emit.shell import TENSORFLOW_SERVER
from tfdsl.ir.cluster_spec import flag_hosts, flag_task_of
from tfdsl.manifest.nodes import View
from tfdsl.record import Record, replace
from tfdsl.rules.job import uses_args
from tfdsl.rules.values import clean, data_key, name_problem, pod_field, quoted
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import ENV_NAME, decider
from tfdsl.vocabulary.statements import OUTPUT_WHEN
from tfdsl_backends.podspec.command import SHELL, shell_program
from tfdsl_backends.podspec.expansion import Scope
from tfdsl_backends.podspec.reading.facts import PodFacts
from tfdsl_backends.podspec.reading.objects import meant_text
from tfdsl_backends.podspec.reading.values import literal, program, refers, value


class Variable(Record):
    """A variable: its name, its value in the language, its text if it is one, and its place."""

    name: str
    value: Value
    text: str | None
    span: Span


def variable_names(container: View) -> frozenset[str]:
    """The names of all variables in ``env``."""
    return frozenset(entry["name"].text or "" for entry in container["env"].items())


def variable_fields(container: View) -> dict[str, str]:
    """Name → field of the pod, for the variables that are filled from one."""
    found: dict[str, str] = {}
    for entry in container["env"].items():
        name, path = entry["name"].text, entry["valueFrom"]["fieldRef"]["fieldPath"].text
        if name is not None and path is not None:
            found[name] = path
    return found


def variable_texts(container: View) -> Iterator[str]:
    """The values that are texts."""
    for entry in container["env"].items():
        if (text := entry["value"].text) is not None:
            yield text


def variables(container: View, scope: Scope) -> list[Variable]:
    """The variables that have a word, in their order; the last of a name counts."""
    found: dict[str, Variable] = {}
    before: set[str] = set()
    later = {*variable_names(container)} - {scope.index}
    lost = {*scope.others}
    seen = replace(scope, names=before, later=later, others=lost)
    for entry in container["env"].items():
        name = entry["name"].text
        if name is None or re.fullmatch(ENV_NAME, name) is None:
            continue
        variable = _variable(name, entry, seen)
        if variable is not None:
            found[name] = variable
            before.add(name)
        else:
            found.pop(name, None)
            before.discard(name)
            lost.add(name)  # what refers to it has no word either
        later.discard(name)
    return list(found.values())


def _variable(name: str, entry: View, scope: Scope) -> Variable | None:
    if entry["valueFrom"].present:
        source = _source(entry["valueFrom"])
        return None if source is None else Variable(name, source, None, entry.span)
    text = meant_text(entry["value"]) if entry["value"].present else ""
    written = None if text is None else value(text, scope)
    return None if written is None else Variable(name, written, text, entry.span)


def _source(place: View) -> Bare | None:
    for kind, word, what in (("secretKeyRef", "secret", "Secret"), ("configMapKeyRef", "configmap", "ConfigMap")):
        name, key = place[kind]["name"].text, place[kind]["key"].text
        if name is not None and key is not None and place[kind]["optional"].flag is not True:
            usable = not name_problem(name) and data_key(key, what) is None
            return Bare(f'{word}("{name}", "{key}")') if usable else None
    path = place["fieldRef"]["fieldPath"].text
    if path is None or clean(path, "") is not None or pod_field(path) is not None:
        return None
    return field(path)


def field(path: str) -> Bare:
    """A field of the pod."""
    return Bare(f"pod_field({quoted(path)})")


def env_from(container: View) -> list[Bare] | None:
    """The Secrets and ConfigMaps whose keys become variables; ``None`` where the language cannot say all of them."""
    sources: list[Bare] = []
    for entry in container["envFrom"].items():
        source = _keys(entry)
        if source is None:
            return None
        sources.append(source)
    return sources


def _keys(entry: View) -> Bare | None:
    if entry["prefix"].text:
        return None
    for kind, word in (("secretRef", "secret"), ("configMapRef", "configmap")):
        name = entry[kind]["name"].text
        if name is not None and not name_problem(name) and entry[kind]["optional"].flag is not True:
            return Bare(f'{word}("{name}")')
    return None


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


def words(container: View, program_around: Callable[[str], int | None] | None) -> Words | None:
    """The words of ``container``; ``None`` where they are no texts."""
    command, args = _texts(container["command"]), _texts(container["args"])
    if command is None or args is None:
        return None
    found = Words(tuple(command), tuple(args), (container["command"].span, container["args"].span))
    if program_around is not None:
        found = _without_program(found, program_around)
    found = _without_outputs(found)
    found = _without_index(found)
    if found.joined and _is_shell(found.command):
        found = replace(found, command=found.command[:_HEAD], args=found.command[_HEAD:])
    return _as_server(found)


def without_flags(given: Words, expected: Sequence[str]) -> Words:
    """The same without the flags of the cluster, if they are ``expected`` and at the end.

    The last, the index, is not there where a program computes it.
    """
    flags = tuple(expected[:-1] if given.offset is not None else expected)
    for field in ("command",) if given.joined and not given.args else ("args",):
        own: tuple[str, ...] = getattr(given, field)
        if flags and own[-len(flags) :] == flags:
            return replace(given, flags=True, taken=(*given.taken, *flags), **{field: own[: -len(flags)]})
    return given


def flag_words(role: str, roles: Sequence[str], hosts: Mapping[str, Sequence[str]], index: str) -> list[str]:
    """The flags of a replica, as the compiler writes them."""
    ps, workers = flag_hosts({name: list(addresses) for name, addresses in hosts.items()})
    name, offset = flag_task_of(role, roles)
    own = str(int(index) + offset) if index.isdigit() else index
    return [f"--ps_hosts={ps}", f"--worker_hosts={workers}", f"--job_name={name}", f"--task_index={own}"]


def statements(given: Words, scope: Scope, *, flags: bool) -> Iterator[Attribute]:
    """``command`` and ``args``, each where the language can say it. ``flags``: whether flags are appended."""
    spans = given.spans
    command_span, args_span = spans if spans is not None else (None, None)
    text = _program_text(given, scope, flags=flags)
    if text is not None:
        yield Attribute("command", text, command_span)
    elif given.command:
        command = _values(given.command, scope)
        if command is not None:
            yield Attribute("command", command, command_span)
    if given.args:
        args = _values(given.args, scope)
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


def all_texts(given: Words) -> Iterator[str]:
    """Every word, also those that were taken off."""
    yield from given.command
    yield from given.args
    yield from given.taken


def uses(given: Words, name: str | None) -> bool:
    """Whether ``$(name)`` is in any word."""
    return any(refers(text, name) for text in all_texts(given))


def _texts(place: View) -> list[str] | None:
    found = [meant_text(item) for item in place.items()]
    texts = [text for text in found if text is not None]
    return texts if len(texts) == len(found) else None


def _is_shell(command: Sequence[str]) -> bool:
    return len(command) >= _HEAD and tuple(command[:2]) == (SHELL, "-c") and command[3] == "sh"


def _inside(given: Words) -> tuple[str, list[str]] | None:
    """The text of the shell program that starts everything else, and the words behind it."""
    if not _is_shell(given.command):
        return None
    return literal(given.command[2]), [*given.command[_HEAD:], *given.args]


def _started(given: Words, taken: Sequence[str], rest: Sequence[str]) -> Words:
    return replace(given, command=tuple(rest), args=(), joined=True, taken=(*given.taken, *taken))


def _without_program(given: Words, program_around: Callable[[str], int | None]) -> Words:
    inside = _inside(given)
    count = None if inside is None else program_around(inside[0])
    if inside is None or count is None or len(inside[1]) < count:
        return given
    taken, rest = inside[1][:count], inside[1][count:]
    return replace(_started(given, taken, rest), around=tuple(taken))


def _without_outputs(given: Words) -> Words:
    inside = _inside(given)
    if inside is None or inside[0] != shell_program("output"):
        return given
    rest = inside[1]
    count = int(rest[2]) if len(rest) > 2 and rest[2].isdigit() and len(rest[2]) < 6 else 0
    end = 3 + count * _OUTPUT
    if not count or len(rest) < end:
        return given
    outputs = [_copied(rest[at : at + _OUTPUT]) for at in range(3, end, _OUTPUT)]
    return replace(_started(given, rest[:end], rest[end:]), outputs=tuple(outputs))


def _copied(parameters: Sequence[str]) -> Copied:
    when, replica, overwrite, source, destination = parameters
    return Copied(when, replica, overwrite == "yes", source, destination)


def _without_index(given: Words) -> Words:
    inside = _inside(given)
    if inside is None or inside[0] != shell_program("task_index") or len(inside[1]) < 2:
        return given
    return replace(_started(given, inside[1][:1], inside[1][2:]), offset=inside[1][1])


def _as_server(given: Words) -> Words:
    command = given.command
    if len(command) != 4 or given.args or command[1] != "-c" or literal(command[2]) != TENSORFLOW_SERVER:
        return given
    return replace(given, command=command[:1], server=command[3])


def _program_text(given: Words, scope: Scope, *, flags: bool) -> Value | None:
    """The text of a shell program that is the whole command; ``None`` where a list says it better, or alone."""
    if len(given.command) != _HEAD or not _is_shell(given.command):
        return None
    text = program(given.command[2], scope)
    if not text:
        return None
    whole = text if isinstance(text, str) else "".join(p for p in _parts(text) if isinstance(p, str))
    return text if uses_args(whole) or not (given.args or flags) else None


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


def scope_of(role: str, container: View, words: Words | None, facts: PodFacts) -> Scope:
    """The scope of the texts of ``container``, which runs ``words``: its variables are those that have a word."""
    names = variable_names(container)
    index = _index(role, container, words, facts)
    any_name = next(container["envFrom"].items(), None) is not None
    scope = Scope(names, index, any_name, others=facts.variables, named_sources=env_from(container) is not None)
    written = {variable.name for variable in variables(container, scope)}
    return replace(scope, names=names & written, others=facts.variables | (names - written))


def _index(role: str, container: View, words: Words | None, facts: PodFacts) -> str | None:
    """The variable of the index, if it is one that the compiler would write: it is there, and something refers to it.

    A program that reads it by itself has asked for it: there it is a variable like others.
    """
    if facts.replicas.get(role, 1) <= 1:
        return None
    texts = [*variable_texts(container), *(all_texts(words) if words is not None else ())]
    texts += [place["subPathExpr"].text or "" for place in container["volumeMounts"].items()]
    for name, field in variable_fields(container).items():
        if (field, name.replace("TFDSL_", "")) == facts.index_of(role) and any(refers(text, name) for text in texts):
            return name
    return None


def board(words: Words, port: int, scope: Scope) -> Iterator[Attribute]:
    """``logdir`` where the command is the compiler's for it, else the command; it needs a ``logdir`` all the same."""
    folder = _folder([*words.command, *words.args])
    logdir = value(folder, scope) if folder else None
    if logdir is not None:
        yield Attribute("logdir", logdir, words.spans[0] if words.spans is not None else None)
    usual = ("tensorboard", "--logdir", folder, "--bind_all", "--port", str(port))
    if words.args or words.command != usual:
        yield from statements(words, scope, flags=False)


def _folder(words: list[str]) -> str | None:
    for number, word in enumerate(words):
        if word == "--logdir" and number + 1 < len(words):
            return words[number + 1]
        if word.startswith("--logdir="):
            return word.removeprefix("--logdir=")
    return None


def add_outputs(draft: Draft, role: str, words: Words, replicas: Mapping[str, int], scope: Scope) -> None:
    """Add the outputs of ``role``: those of each of its replicas to its block, those of one of them to the job."""
    span = words.spans[0] if words.spans is not None else None
    is_usual = role == decider(replicas)
    for copied in words.outputs:
        source, destination = value(copied.source, scope), value(copied.destination, scope)
        every = copied.replica == "every"
        if source is None or destination is None or copied.when not in OUTPUT_WHEN:
            continue
        if is_usual and (copied.replica == "0" or (every and replicas.get(role, 1) == 1)):
            block, of = draft.job, ""
        elif every:
            block, of = draft.role(role), ""
        elif copied.replica.isdigit():
            block, of = draft.job, f"{role}[{copied.replica}]"
        else:
            continue
        block.add(Output(source, destination, copied.when, of, copied.overwrite, span))
