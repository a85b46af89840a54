"""``tfdsl schema``: the JSON Schema of a job's IR, for programs that read or make jobs as data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tfdsl.cli.arguments import Command
from tfdsl.cli.report import OK
from tfdsl.cli.streams import out

if TYPE_CHECKING:
    from tfdsl.cli.arguments import Arguments

COMMAND = Command("schema", "print the JSON Schema of a job", (), (), ("tfdsl schema",))


def run(arguments: Arguments) -> int:
    """Print the schema."""
    from tfdsl.ir.model import Job  # costs pydantic

    out(json.dumps(Job.model_json_schema(), indent=2, ensure_ascii=False) + "\n")
    return OK
