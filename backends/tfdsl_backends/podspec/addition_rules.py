"""What is told of the things that we add to pods; one set of infos for each target's prefix."""

from __future__ import annotations

from tfdsl.diagnostics import Rule
from tfdsl.record import Record
from tfdsl_backends.podspec.options import NO_SIDECAR, VISIBLE_DEVICES
from tfdsl_backends.podspec.support import TARGETS


class AdditionRules(Record):
    """The rules of :mod:`tfdsl_backends.podspec.additions`, with the codes of one target."""

    limits: Rule
    no_sidecar: Rule
    hidden_devices: Rule

    def all(self) -> tuple[Rule, ...]:
        """Every one of them, for :attr:`tfdsl.backend.Backend.rules`."""
        return self.limits, self.no_sidecar, self.hidden_devices


def addition_rules(prefix: str, first: int) -> AdditionRules:
    """The rules with the codes of ``prefix`` from ``first`` on."""
    target = TARGETS[prefix]
    return AdditionRules(
        Rule(
            f"{prefix}{first}",
            f"{target}-limits-equal-requests",
            "info",
            f"{target}: the limit of {{names}} equals the request, so a replica cannot use more",
        ),
        Rule(
            f"{prefix}{first + 1}",
            f"{target}-no-istio-sidecar",
            "info",
            f'{target}: pods get the annotation {NO_SIDECAR}: "false"; Istio\'s sidecar would keep them from ending',
        ),
        Rule(
            f"{prefix}{first + 2}",
            f"{target}-gpus-hidden",
            "info",
            f"{target}: roles without a GPU ({{roles}}) get {VISIBLE_DEVICES}={{value}}; they would see all GPUs of "
            "their node",
        ),
    )
