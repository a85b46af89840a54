"""The settings of an editor, read without trusting them: what is not of its type is left at its default.

The page ``docs/editors.md`` lists them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import cast

from tfdsl.compiling import front_end
from tfdsl.compiling.pipeline import Choice, Request
from tfdsl.record import Record
from tfdsl.semantics.params import Given
from tfdsl.semantics.project import Program
from tfdsl.source_files import Inputs
from tfdsl.text import Source, Span


class Settings(Record):
    """What a user may choose.

    ``targets``: as ``-t`` takes them; empty: those of the project, else those that the file has blocks for.
    ``profile`` and ``params``: as ``--profile`` and ``--set`` take them. ``strict``: as ``--strict``, or as the project
    sets it. ``allow_read``: as ``--allow-read``. ``params_file``: as ``--params``, by its path from the
    root of the text.
    """

    targets: tuple[str, ...] = ()
    profile: str | None = None
    params: tuple[tuple[str, str], ...] = ()
    strict: bool = False
    inlay_hints: bool = True
    code_lens: bool = True
    allow_read: tuple[str, ...] = ()
    params_file: str | None = None


def read_settings(data: object) -> Settings:
    """The settings out of the JSON that a client sends; it may have them under ``tfdsl``."""
    table = _table(data)
    if isinstance(table.get("tfdsl"), dict):
        table = _table(table["tfdsl"])
    profile, params_file = table.get("profile"), table.get("paramsFile")
    return Settings(
        _texts(table.get("targets")),
        profile if isinstance(profile, str) and profile else None,
        tuple((name, _text(value)) for name, value in _table(table.get("params")).items()),
        table.get("strict") is True,
        table.get("inlayHints") is not False,
        table.get("codeLens") is not False,
        _texts(table.get("allowRead")),
        params_file if isinstance(params_file, str) and params_file else None,
    )


def _table(data: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", data) if isinstance(data, dict) else {}


def _texts(data: object) -> tuple[str, ...]:
    items = cast("list[object]", data) if isinstance(data, list) else []
    return tuple(item for item in items if isinstance(item, str))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def request_of(settings: Settings, program: Program, inputs: Inputs) -> Request:
    """What is asked for beside the text; a profile or param that the program does not have is passed over.

    ``inputs``: what the text may read, and the file of values with it.
    """
    values = () if settings.params_file is None else _values_in(settings.params_file, program, inputs)
    given = tuple(
        Given(name, Source(f"setting {name}", value)) for name, value in settings.params if name in program.params
    )
    profile = settings.profile if settings.profile in program.profiles else None
    return Request(profile, (*values, *given))


def _values_in(name: str, program: Program, inputs: Inputs) -> tuple[Given, ...]:
    """The values of the file called ``name``, from the root; none if it cannot be read."""
    from tfdsl.syntax.parser import parse_values

    source = inputs(os.path.join(inputs.roots[0], name))
    entries = parse_values(source)[0] if isinstance(source, Source) else ()
    known = [entry for entry in entries if entry.key.text in program.params]
    return tuple(
        Given(entry.key.text, Source(f"{name}: {entry.key.text}", entry.value.span.text), "literal") for entry in known
    )


def choices_of(settings: Settings, of_project: tuple[Choice, ...], program: Program) -> tuple[Choice, ...]:
    """The targets to check for, each once; for a file without jobs, which is only included, there are no targets.

    Those of the editor's settings; without any, those ``of_project``, then those that the file has blocks for.
    """
    if not program.jobs:
        return ()
    if not settings.targets and of_project:
        return of_project
    choices: dict[tuple[str, str | None], Choice] = {}
    for text in settings.targets or _blocks(program):
        choice = choice_of(text)
        if choice is not None:
            choices[choice.backend.name, choice.version] = choice
    return tuple(choices.values())


def choice_of(text: str) -> Choice | None:
    """``volcano`` or ``volcano@1.9``; ``None`` when there is no such target or version."""
    choice = front_end.choice_of(text, Span(Source("target", text), 0, len(text)))
    return choice if isinstance(choice, Choice) else None


def _blocks(program: Program) -> list[str]:
    from tfdsl.syntax import ast

    return [item.name.text for job in program.jobs for item in job.items if isinstance(item, ast.Target)]
