"""Strings that Linux passes to no process: the task would end before its command begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.emit.located import child
from tfdsl.ir.process_limits import LONG_HOST, SHORT_HOST, address_list, long_strings
from tfdsl_backends.slider import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.ir.model import Role

INTEGER: Final = 2**31 - 1
"""The largest number that Slider reads."""


def check_strings(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Arguments and variables of the role's own."""
    for found in long_strings(role):
        place = unit.origins.span(found.path)
        told = rules.TOO_LONG(place, what=found.what, role=role.name, size=found.size)
        yield told.help("put it into a file that the command reads: files of the target, or mount hdfs")


def check_addresses(unit: Unit) -> Iterator[Diagnostic]:
    """The list of all addresses, whose length depends on the names of the nodes."""
    found = address_list(unit.job)
    if found is None or found.room >= LONG_HOST or found.role.replicas > INTEGER:  # the number itself is told
        return
    place = unit.origins.span(child(found.role.path, "replicas"))
    if found.room < SHORT_HOST:
        told = rules.TOO_MANY_ADDRESSES(place, what=found.what, count=found.count)
    else:
        told = rules.MANY_ADDRESSES(place, what=found.what, count=found.count, room=found.room)
    yield told.help('lower replicas, or write cluster { discovery = "none" } if the program finds the others itself')
