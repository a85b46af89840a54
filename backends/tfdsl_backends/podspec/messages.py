"""What the checks of the Kubernetes family can say; one set of rules for each target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule
from tfdsl.record import Record, fields_of
from tfdsl_backends.podspec.options import NO_SIDECAR, QUEUE_LABEL, VISIBLE_DEVICES

if TYPE_CHECKING:
    from tfdsl.diagnostics import Level


class Rules(Record):
    """Rules of several checks with the codes of one target; every field is one."""

    def all(self) -> tuple[Rule, ...]:
        """Every one of them, for :attr:`tfdsl.backend.Backend.rules`."""
        return tuple(getattr(self, name) for name in fields_of(type(self)))


class PodRules(Rules):
    """The rules of :mod:`tfdsl_backends.podspec.checks` and :mod:`tfdsl_backends.podspec.additions`."""

    name_too_long: Rule
    value_too_large: Rule
    no_command: Rule
    name_first_letter: Rule
    host_port: Rule
    resource_name: Rule
    relative_path: Rule
    variable_in_shell: Rule
    limits: Rule
    no_sidecar: Rule
    hidden_devices: Rule


class KueueRules(Rules):
    """The rules of targets whose queue can be one of Kueue's."""

    label: Rule
    queue_name: Rule


def pod_rules(target: str, prefix: str, *, additions: int) -> PodRules:
    """The rules of ``target``; ``additions``: the code of the first that reports something we add to pods."""

    def rule(code: int, slug: str, level: Level, message: str) -> Rule:
        return Rule(f"{prefix}{code:03}", f"{target}-{slug}", level, f"{target}: {message}")

    return PodRules(
        rule(
            40,
            "name-too-long",
            "error",
            "{what} would be called {longest}: {length} characters, {limit} are allowed",
        ),
        rule(
            41,
            "value-too-large",
            "error",
            "{what} of role {role} is {size} bytes long; Linux gives a process at most 131071 in one argument or "
            "variable",
        ),
        rule(
            42,
            "no-command",
            "error",
            "the command of role {role} has to be started by {starter}, but the entrypoint of its image is not known "
            "here",
        ),
        rule(
            43,
            "name-first-letter",
            "error",
            "the job's name has to begin with a letter, for it is also the name of {what}",
        ),
        rule(44, "host-port", "warning", "{who} use port {port} of their nodes, so no two of them can run on one node"),
        rule(47, "resource-name", "error", "Kubernetes gives out no resource {name}: {problem}"),
        rule(48, "relative-path", "error", "the path of {what} is absolute on Kubernetes, and {path} is relative"),
        rule(
            49,
            "variable-in-shell",
            "warning",
            "role {role} is started by /bin/sh, which may not pass {name} on: many shells drop variables whose names "
            "have a . or -",
        ),
        rule(
            additions,
            "limits-equal-requests",
            "info",
            "the limit of {names} equals the request, so a replica cannot use more",
        ),
        rule(
            additions + 1,
            "no-istio-sidecar",
            "info",
            f'pods get the annotation {NO_SIDECAR}: "false"; Istio\'s sidecar would keep them from ending',
        ),
        rule(
            additions + 2,
            "gpus-hidden",
            "info",
            f"roles without a GPU ({{roles}}) get {VISIBLE_DEVICES}={{value}}; they would see all GPUs of their node",
        ),
    )


def kueue_rules(target: str, prefix: str) -> KueueRules:
    """The rules of ``target`` about Kueue's queues."""
    return KueueRules(
        Rule(
            f"{prefix}045",
            f"{target}-kueue-label",
            "error",
            f"{target}: label {QUEUE_LABEL} is what queue {{queue}} is written to",
        ),
        Rule(
            f"{prefix}046",
            f"{target}-queue-name",
            "error",
            f"{target}: queue {{queue}} becomes a label, which holds letters, digits, -, _ and . only, at most 63",
        ),
    )
