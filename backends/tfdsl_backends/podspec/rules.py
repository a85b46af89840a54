"""What the checks of the Kubernetes family can say; one set of rules for each target's prefix."""

from __future__ import annotations

from tfdsl.diagnostics import Rule
from tfdsl.record import Record
from tfdsl_backends.podspec.support import TARGETS


class PodRules(Record):
    """The rules of :mod:`tfdsl_backends.podspec.checks`, with the codes of one target."""

    name_too_long: Rule
    value_too_large: Rule
    no_command: Rule
    name_first_letter: Rule
    resource_name: Rule
    relative_path: Rule
    variable_in_shell: Rule

    def all(self) -> tuple[Rule, ...]:
        """Every one of them, for :attr:`tfdsl.backend.Backend.rules`."""
        return (
            self.name_too_long,
            self.value_too_large,
            self.no_command,
            self.name_first_letter,
            self.resource_name,
            self.relative_path,
            self.variable_in_shell,
        )


def pod_rules(prefix: str) -> PodRules:
    """The rules with the codes of ``prefix``."""
    target = TARGETS[prefix]
    return PodRules(
        Rule(
            f"{prefix}040",
            f"{target}-name-too-long",
            "error",
            f"{target}: {{what}} would be called {{longest}}: {{length}} characters, {{limit}} are allowed",
        ),
        Rule(
            f"{prefix}041",
            f"{target}-value-too-large",
            "error",
            f"{target}: {{what}} of role {{role}} is {{size}} bytes long; Linux gives a process at most 131071 in one "
            "argument or variable",
        ),
        Rule(
            f"{prefix}042",
            f"{target}-no-command",
            "error",
            f"{target}: the command of role {{role}} has to be started by {{starter}}, but the entrypoint of its image "
            "is not known here",
        ),
        Rule(
            f"{prefix}043",
            f"{target}-name-first-letter",
            "error",
            f"{target}: the job's name has to begin with a letter, for it is also the name of {{what}}",
        ),
        Rule(
            f"{prefix}047",
            f"{target}-resource-name",
            "error",
            f"{target}: Kubernetes gives out no resource {{name}}: {{problem}}",
        ),
        Rule(
            f"{prefix}048",
            f"{target}-relative-path",
            "error",
            f"{target}: the path of {{what}} is absolute on Kubernetes, and {{path}} is relative",
        ),
        Rule(
            f"{prefix}049",
            f"{target}-variable-in-shell",
            "warning",
            f"{target}: role {{role}} is started by /bin/sh, which may not pass {{name}} on: many shells drop "
            "variables whose names have a . or -",
        ),
    )
