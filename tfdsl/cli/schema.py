"""``tfdsl schema``: the JSON Schema of a job's IR, for programs that read or make jobs as data, or of the settings."""

from __future__ import annotations

from tfdsl.cli.arguments import Arguments, Command, Flag
from tfdsl.cli.report import OK
from tfdsl.cli.streams import out
from tfdsl.diagnostics.render.json import dumped

SETTINGS = Flag("--settings", "the schema of tfdsl.toml instead, for editors of TOML")

COMMAND = Command(
    "schema",
    (),
    (SETTINGS,),
    ("tfdsl schema", "tfdsl schema --settings"),
)


def run(arguments: Arguments) -> int:
    """Print the JSON Schema of a job, or of the settings."""
    out(dumped(_settings() if arguments.on(SETTINGS.name) else _job()))
    return OK


def _job() -> object:
    from tfdsl.ir.model import Job  # costs pydantic

    return Job.model_json_schema()


def _settings() -> object:
    from tfdsl.settings.schema import schema

    return schema()
