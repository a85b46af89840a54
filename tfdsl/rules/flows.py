"""Rules of flows, for texts, JSON and Python alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from tfdsl.rules.broken import Broken


class Run(Protocol):
    """A job of a flow, and the jobs that it comes after."""

    @property
    def job(self) -> str:
        """Its name."""
        ...

    @property
    def after(self) -> Sequence[str]:
        """Those before it."""
        ...


class Flow(Protocol):
    """What the rules ask of a flow."""

    @property
    def runs(self) -> Sequence[Run]:
        """Its jobs, in the order of the file."""
        ...


def of_flow(flow: Flow) -> Iterator[Broken]:
    """What a flow breaks; places are those of its model (``runs``, number, field)."""
    yield from ()
