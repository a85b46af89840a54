"""What is asked of the compiler beside the text of a job: targets, values from outside, and which of its jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from tfdsl.backend import Backend
from tfdsl.record import Record
from tfdsl.text import Argument, Source

Form: TypeAlias = Literal["text", "lines", "literal"]
"""How the text of a value is read: as ``--set`` takes it, as a list with one item a line, or as a literal."""

Extent: TypeAlias = Literal["all", "sample", "first", "names"]


class Given(Record):
    """A value for a param from outside the file, and how its text is read."""

    name: str
    source: Source
    form: Form = "text"


class GivenOption(Record):
    """``-O TARGET.KEY=VALUE``: the target's own name, the key, the value's text and how it is read."""

    target: str
    key: str
    source: Source
    form: Form = "text"


class Choice(Record):
    """A target to compile for. ``version``: ``None`` takes that of the target block, else the default."""

    backend: Backend
    version: str | None = None

    @property
    def shown(self) -> str:
        """As a command line names it: ``volcano@1.9``."""
        return f"{self.backend.name}@{self.version}" if self.version else self.backend.name


class Request(Record):
    """What is asked for beside the text: values of params and options from outside, and which job (``None``: all).

    ``values``: files of values for params, which those of ``params`` override. ``flow``: only this flow and its jobs,
    which nothing else leaves out. ``job``, ``name``: ``--job``, and
    ``--name``, the name instead of that of the one job. ``levels``: those that the project sets for messages, by slug.
    ``extent``: which jobs of each matrix are looked at: all of them, the first and one for each further value of an
    axis, or the first. With ``names`` no job is, only their names. ``scale``: role → replicas that it has whatever the
    text says. ``gpus_per_node``: of the largest node, if the project says so. ``labels``: those that the project gives
    to every object.
    """

    profile: str | None = None
    params: tuple[Given, ...] = ()
    options: tuple[GivenOption, ...] = ()
    job: Argument | None = None
    name: Argument | None = None
    levels: Mapping[str, str] = {}
    extent: Extent = "all"
    values: tuple[Source, ...] = ()
    scale: Mapping[str, int] = {}
    gpus_per_node: int | None = None
    labels: Mapping[str, Argument] = {}
    flow: Argument | None = None
