"""The secrets that a job contains as plain text, wherever they are written.

The lint rule reports them; files of such a job are written so that only their owner can read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.record import Record
from tfdsl.semantics.values import Data, ListData, MapData, RunTimeText, Value
from tfdsl.syntax.patch_path import Index, Path, Selector
from tfdsl.text import Span
from tfdsl.vocabulary.secrets import group, in_command, in_words, is_secret, secret_in

if TYPE_CHECKING:
    from tfdsl.semantics import resolved
    from tfdsl.vocabulary.types import OptionValue

Where: TypeAlias = Literal["env", "env file", "command", "metadata", "build", "patch", "address", "option"]
"""Where a secret is, which decides what to do about it."""

_METADATA = ("annotations", "common_labels", "labels")


class Secret(Record):
    """A secret at ``span``. ``name``: its name there; ``form``: its description, if it is recognized by its form."""

    name: str
    span: Span
    where: Where
    form: str = ""


def secrets(job: resolved.Job) -> Iterator[Secret]:
    """The secrets in ``job``, each once however many roles inherit it."""
    seen: set[tuple[str, str, int, int, str]] = set()
    for found in _all(job):
        span = found.span
        name = found.name if found.where == "env file" else ""
        place = (found.where, span.source.path, span.start, span.end, name)
        if place not in seen:
            seen.add(place)
            yield found


def _all(job: resolved.Job) -> Iterator[Secret]:
    yield from _settings(job.settings)
    for role in job.roles:
        yield from _settings(role.settings)
        for step in role.steps:
            yield from _settings(step.settings)
        for mount in role.mounts:
            yield from _addresses("the source of a mount", [mount.source])
            yield from _addresses("an option of a mount", (setting.value for setting in mount.options.values()))
        for output in role.outputs:
            yield from _addresses("the destination of an output", [output.destination])
    if job.build is not None:
        yield from _build(job.build)
    for patch in job.patches:
        if patch.value is not None:
            yield from _tree(_key(patch.path), patch.value)
    for name, value in job.options.items():
        yield from _option(job, name, name, value)


def _option(job: resolved.Job, path: str, name: str, value: OptionValue) -> Iterator[Secret]:
    """The texts in a map that is an option of the target; ``path``: that of ``job.option_spans``."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _option(job, f"{path}[{key}]", key, inner)
    elif isinstance(value, str) and path != name and path in job.option_spans and is_secret(name, value):
        form = secret_in(value) or ""
        yield Secret(
            name if group(name) is not None else f"the value of {name}", job.option_spans[path], "option", form
        )


def _settings(settings: Mapping[str, resolved.Setting]) -> Iterator[Secret]:
    for name, setting in settings.items():
        data = setting.value.data
        if name == "env" and isinstance(data, MapData):
            yield from _variables(data)
        elif name in _METADATA and isinstance(data, MapData):
            for key, entry in data.entries.items():
                yield from _named(key, entry.value, "metadata")
        elif name in ("command", "args"):
            yield from _command(setting.value, "command")
        else:
            yield from _addresses(name, [setting.value])


def _variables(data: MapData) -> Iterator[Secret]:
    """The entries of ``env``; those that ``env_file()`` read are all at its call."""
    for name, entry in data.entries.items():
        read = entry.value.span == entry.key_span
        yield from _named(name, entry.value, "env file" if read else "env")


def _named(name: str, value: Value, where: Where) -> Iterator[Secret]:
    """A value under a name. A value with run-time parts is judged by its fixed parts alone."""
    text = _text(value.data)
    form = secret_in(text)
    by_name = group(name) is not None
    if form is not None:
        yield Secret(name if by_name else f"the value of {name}", value.span, where, form)
    elif isinstance(value.data, str) and is_secret(name, text):
        yield Secret(name, value.span, where)


def _command(value: Value, where: Where) -> Iterator[Secret]:
    """The text of a shell, or the words of a command."""
    data = value.data
    if isinstance(data, ListData):
        words = [_text(item.data) for item in data.items]
        for at, name in in_words(words):
            yield _unnamed(name, words[at], data.items[at].span, where)
    else:
        text = _text(data)
        for name in in_command(text):
            yield _unnamed(name, text, value.span, where)


def _unnamed(name: str, text: str, span: Span, where: Where) -> Secret:
    """A secret in a command; ``name`` is that of a variable or an option, or the description of its form."""
    form = secret_in(text) or ""
    what = "a step of build" if where == "build" else "part of the command"
    return Secret(what if name == form else name, span, where, form)


def _addresses(name: str, values: Iterable[Value | None]) -> Iterator[Secret]:
    """All other texts: passwords in addresses, tokens in the wrong place."""
    for value in values:
        data = value.data if value is not None else None
        if value is None or data is None:
            continue
        if isinstance(data, ListData):
            yield from _addresses(name, data.items)
        elif form := secret_in(_text(data)):
            yield Secret(name, value.span, "address", form)


def _build(build: resolved.Build) -> Iterator[Secret]:
    for step in build.steps:
        yield from _command(step.source, "build")
    for name, setting in build.settings.items():
        if name == "entrypoint":
            yield from _command(setting.value, "build")
        else:
            yield from _addresses(f"{name} of build", [setting.value])


def _key(path: Path) -> str:
    """The name of the value of a patch: the last key, or the name of the variable whose value it is."""
    names = [
        step.value if isinstance(step, Selector) else step.name for step in path.steps if not isinstance(step, Index)
    ]
    is_value = len(names) > 1 and names[-1] == "value" and isinstance(path.steps[-2], Selector)
    return "" if not names else names[-2] if is_value else names[-1]


def _tree(key: str, value: Value) -> Iterator[Secret]:
    """The secrets in the value of a patch, by its keys and in variables written as ``{ name = …, value = … }``."""
    data = value.data
    if isinstance(data, MapData):
        named = data.entries.get("name")
        own = _text(named.value.data) if named is not None else ""
        for name, entry in data.entries.items():
            yield from _tree(own if own and name == "value" else name, entry.value)
    elif isinstance(data, ListData):
        if key in ("command", "args"):
            yield from _command(value, "patch")
        else:
            for item in data.items:
                yield from _tree(key, item)
    else:
        yield from _named(key, value, "patch")


def _text(data: Data) -> str:
    if isinstance(data, RunTimeText):
        return "".join(part if isinstance(part, str) else "${…}" for part in data.parts)
    return data if isinstance(data, str) else ""
