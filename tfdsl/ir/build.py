"""The build block of the IR: the Dockerfile of a job's image."""

from typing import Annotated, Literal

from pydantic import Field

from tfdsl.ir.part import Node, holds
from tfdsl.ir.text import Clean, Word
from tfdsl.rules import build as rules


class CopyStep(Node):
    """``copy SOURCE to DESTINATION``."""

    kind: Literal["copy"] = "copy"
    source: Annotated[Word, holds(rules.copied)]
    destination: Word


class RunStep(Node):
    """``run COMMAND``."""

    kind: Literal["run"] = "run"
    command: Word


class Build(Node):
    """The Dockerfile of the job's image."""

    base: Word
    workdir: Word | None = None
    steps: tuple[Annotated[CopyStep | RunStep, Field(discriminator="kind")], ...] = ()
    entrypoint: tuple[Clean, ...] = ()
    hadoop: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)+$")] | None = None
