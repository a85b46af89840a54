"""Pods on the node's network take its ports, so those of one port never share a node."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule
from tfdsl.emit.located import child
from tfdsl.record import replace
from tfdsl_backends.podspec.support import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic


def host_port_rule(prefix: str) -> Rule:
    """The rule with the code of ``prefix``."""
    target = TARGETS[prefix]
    return Rule(
        f"{prefix}044",
        f"{target}-host-port",
        "warning",
        f"{target}: {{who}} use port {{port}} of their nodes, so no two of them can run on one node",
    )


def check_host_ports(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    """Roles on the node's network that can never share a node; lint rule TFJ3019 tells of the replicas of one role."""
    on_host = [role for role in unit.job.roles if role.host_network]
    for first, second in combinations(on_host, 2):
        if first.port == second.port:
            place = unit.origins.span(child(second.path, "host_network"))
            found = rule(place, who=f"{first.name} and {second.name}", port=second.port)
            yield replace(found.help("give each role a port of its own"), target=unit.target)
