"""``tfdsl targets``: the targets, their versions and options."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from tfdsl import targets
from tfdsl.backend import Backend, Option
from tfdsl.cli.arguments import TEXT_OR_JSON, Arguments, Command, Positional, right
from tfdsl.cli.report import document, refuse, report
from tfdsl.cli.selection import unusable
from tfdsl.cli.streams import columns, out
from tfdsl.compiling.front_end import choice_of
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.render.text import hanging
from tfdsl.simulating import table
from tfdsl.vocabulary.types import OptionValue, StringType, describe

COMMAND = Command(
    "targets",
    (Positional("TARGET", "show all of these: versions, what every job gets, options", required=False, many=True),),
    (TEXT_OR_JSON,),
    ("tfdsl targets", "tfdsl targets volcano", "tfdsl targets --format json"),
)


def run(arguments: Arguments) -> int:
    """Print the targets; returns 2 if an installed target cannot be used."""
    errors: list[Diagnostic] = []
    named = [
        choice.backend
        for choice in right([choice_of(argument.text, argument.span) for argument in arguments.rest], errors)
    ]
    refuse(errors, arguments)
    known = named or targets.every()
    if arguments.text(TEXT_OR_JSON.name) == "json":
        out(_json(known))
    elif named:
        out("\n".join(described(backend, columns(sys.stdout)) for backend in named))
    else:
        out(_overview(known))
    return report(unusable(arguments), ())


def _overview(known: Iterable[Backend]) -> str:
    rows = [("TARGET", "SYSTEM", "VERSIONS", "OUTPUT")]
    for backend in known:
        oldest, newest = backend.versions[0], backend.default_version
        versions = newest if oldest == newest else f"{oldest} to {newest}"
        rows.append((backend.name, backend.title, versions, "YAML" if backend.output == "stream" else "files"))
    return "".join(f"{line}\n" for line in (*table(rows, columns(sys.stdout)), "", _MORE))


_MORE = "The newest version is the default. tfdsl targets TARGET shows one in full."


def described(backend: Backend, room: int | None = None) -> str:
    """A target, its versions, what every job of it gets, and its options. ``room``: the width of the terminal."""
    also = f" (also {', '.join(backend.aliases)})" if backend.aliases else ""
    output = "one YAML stream" if backend.output == "stream" else "several files; needs -o FOLDER"
    between = " and the versions between" if len(backend.versions) > 1 else ""
    known = ", ".join(backend.versions) + between
    lines = [
        f"{backend.name}{also}: {backend.title}",
        f"  versions  {known}; default {backend.default_version}",
        f"  output    {output}",
    ]
    if facts := backend.facts():
        lines.append(f"  every job{f' ({backend.docs})' if backend.docs else ''}")
        lines += [f"    {rule.message} ({rule.code})" for rule in facts]
    if backend.options:
        lines.append("  options   in the target block, or -O TARGET.KEY=VALUE")
        lines += [f"    {_option(option)}" for option in backend.options]
    return "".join(f"{part}\n" for line in lines for part in hanging(line, room, 6))


def _option(option: Option) -> str:
    default = "" if option.default in (None, "", ()) else f", default {_shown(option.default)}"
    return f"{option.name}: {describe(option.type)}{default}. {option.doc}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


# --- for programs ----------------------------------------------------------------------------------------------


def _json(known: Iterable[Backend]) -> str:
    return document(1, {"targets": [_data(backend) for backend in known]})


def _data(backend: Backend) -> object:
    return {
        "name": backend.name,
        "aliases": list(backend.aliases),
        "title": backend.title,
        "versions": list(backend.versions),
        "default_version": backend.default_version,
        "output": backend.output,
        "options": [_option_data(option) for option in backend.options],
    }


def _option_data(option: Option) -> object:
    words: tuple[str, ...] = option.type.one_of if isinstance(option.type, StringType) else ()
    return {
        "name": option.name,
        "type": describe(option.type),
        "one_of": list(words) or None,
        "default": _plain(option.default),
        "description": option.doc,
    }


def _plain(value: OptionValue) -> object:
    if isinstance(value, tuple):
        return list(value)
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, Mapping) else value
