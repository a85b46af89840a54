"""Variables that Kubernetes takes and a shell does not.

Kubernetes allows ``.`` and ``-`` in the name of a variable. A POSIX shell cannot have such a variable: bash passes it
on to what it starts all the same, dash and busybox drop it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.emit.located import child, entry
from tfdsl.record import replace
from tfdsl.vocabulary.attributes import SHELL_NAME
from tfdsl_backends.podspec.command import layers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.ir.model import Role
    from tfdsl_backends.podspec.plan import PodPlan
    from tfdsl_backends.podspec.rules import PodRules


def check_shell_names(unit: Unit, rules: PodRules, role: Role, plan: PodPlan) -> Iterator[Diagnostic]:
    """A warning for each variable that may be lost, where a shell starts the command of ``role``."""
    by_shell = not isinstance(role.command, tuple) or bool(layers(unit.job, role, plan))
    if role.server or not by_shell:
        return
    for name in role.env:
        if re.fullmatch(SHELL_NAME, name) is None:
            place = unit.origins.span(f"{entry(child(role.path, 'env'), name)}.key")
            found = rules.variable_in_shell(place, role=role.name, name=name)
            found = found.help(
                "use letters, digits and _ in the name, or start the program from a list without a shell"
            )
            yield replace(found, target=unit.target, approximation=True)
