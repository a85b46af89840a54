"""``tfdsl targets``: the targets, their versions and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tfdsl import targets
from tfdsl.backend import Backend, Option
from tfdsl.cli.arguments import TEXT_OR_JSON, Arguments, Command
from tfdsl.cli.report import document, report
from tfdsl.cli.selection import unusable
from tfdsl.cli.streams import out
from tfdsl.vocabulary.types import OptionValue, StringType, describe

COMMAND = Command(
    "targets",
    "list the targets, their versions and options",
    (),
    (TEXT_OR_JSON,),
    ("tfdsl targets", "tfdsl targets --format json"),
)


def run(arguments: Arguments) -> int:
    """Print the targets; returns 2 if an installed target cannot be used."""
    known = targets.every()
    out(_json(known) if arguments.text(TEXT_OR_JSON.name) == "json" else "\n".join(map(described, known)))
    return report(unusable(arguments), ())


def described(backend: Backend) -> str:
    """A target, its versions and its options."""
    also = f" (also {', '.join(backend.aliases)})" if backend.aliases else ""
    output = "one YAML stream" if backend.output == "stream" else "several files; needs -o FOLDER"
    between = " and the versions between" if len(backend.versions) > 1 else ""
    known = ", ".join(backend.versions) + between
    lines = [
        f"{backend.name}{also}: {backend.title}",
        f"  versions  {known}; default {backend.default_version}",
        f"  output    {output}",
    ]
    if backend.options:
        lines.append("  options   in the target block, or -O TARGET.KEY=VALUE")
        lines += [f"    {_option(option)}" for option in backend.options]
    return "\n".join(lines) + "\n"


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
