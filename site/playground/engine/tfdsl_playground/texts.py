"""A text of the page at one moment."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.lsp.snapshot import Settings, Snapshot
from tfdsl.record import replace
from tfdsl.semantics.request import GivenOption
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.semantics.request import Request
    from tfdsl_playground.asked import Input
    from tfdsl_playground.project import Project


class Text(Snapshot):
    """A snapshot with the options of the input."""

    def __init__(self, source: Source, project: Project, asked: Input) -> None:
        settings = Settings((asked.target,), asked.profile, asked.params, asked.strict)
        super().__init__(source, project.read, settings, shown=project.shown)
        self._asked = asked

    @cached_property
    def request(self) -> Request:
        """What is asked for beside the text."""
        request = super().request
        backend = targets.find(self._asked.target.partition("@")[0])
        if backend is None:
            return request
        given = [
            GivenOption(backend.name, name, Source(f"option {name}", value)) for name, value in self._asked.options
        ]
        return replace(request, options=tuple(given))
