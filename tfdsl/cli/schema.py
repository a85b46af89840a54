"""``tfdsl schema``: the JSON Schema of the IR of a job or a flow, and of other documents."""

from __future__ import annotations

from tfdsl.cli.arguments import Arguments, Command, Flag
from tfdsl.cli.report import OK
from tfdsl.cli.streams import out
from tfdsl.diagnostics.render.json import dumped

SETTINGS = Flag("--settings", "the schema of tfdsl.toml instead, for editors of TOML")
STATUS = Flag("--status", "the schema of what tfdsl status --format json prints, of jobs and flows")

COMMAND = Command(
    "schema",
    (),
    (SETTINGS, STATUS),
    ("tfdsl schema", "tfdsl schema --settings", "tfdsl schema --status"),
)


def run(arguments: Arguments) -> int:
    """Print the JSON Schema of a job or a flow, of the settings, or of the status of jobs."""
    made = _settings if arguments.on(SETTINGS.name) else _status if arguments.on(STATUS.name) else _ir
    out(dumped(made()))
    return OK


def _ir() -> object:
    from tfdsl.ir.flow import schema  # costs pydantic

    return schema()


def _status() -> object:
    from tfdsl.operating.showing import schema

    return schema()


def _settings() -> object:
    from tfdsl.settings.schema import schema

    return schema()
