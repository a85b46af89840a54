"""Names that are no target: which one was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules
from tfdsl.diagnostics.suggest import alias_table, closest, listing, offering

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.syntax import ast


def unknown_target(name: ast.Name, known: tuple[str, ...]) -> Diagnostic:
    """There is no such target; which one was meant."""
    found = name_rules.UNKNOWN_TARGET(name.span, name=name.text)
    same = {"kubernetes": ["k8s", "kube"], "volcano": ["vcjob"], "yarn": ["distributedshell"]}
    akin = {"tfjob": ["kubeflow", "trainingoperator"], "yarn": ["hadoop"], "kubernetes": ["job"]}
    aliases = alias_table(same.items(), akin.items())
    near = closest(name.text, known, aliases)
    if near is not None:
        return offering(found, near, known, aliases)
    return found.help(f"targets are {listing(known)}")
