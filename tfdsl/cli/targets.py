"""``tfdsl targets``: the targets, their versions and options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.cli.arguments import Command
from tfdsl.cli.report import report
from tfdsl.cli.selection import unusable
from tfdsl.cli.streams import out
from tfdsl.vocabulary.types import describe

if TYPE_CHECKING:
    from tfdsl.backend import Backend, Option
    from tfdsl.cli.arguments import Arguments

COMMAND = Command("targets", "list the targets, their versions and options", (), (), ("tfdsl targets",))


def run(arguments: Arguments) -> int:
    """Print the targets; returns 2 if an installed target cannot be used."""
    out("\n".join(map(described, targets.every())))
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
