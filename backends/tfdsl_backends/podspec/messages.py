"""The rules of checks that the Kubernetes family shares; one set for each target."""

from __future__ import annotations

from tfdsl.diagnostics import Level, Rule
from tfdsl.record import Record, fields_of
from tfdsl_backends.podspec.options import NO_SIDECAR, QUEUE_LABEL, VISIBLE_DEVICES


class Rules(Record):
    """Rules of several checks with the codes of one target; every field is one."""

    def all(self) -> tuple[Rule, ...]:
        """Every one of them, for :attr:`tfdsl.backend.Backend.rules`."""
        return tuple(getattr(self, name) for name in fields_of(type(self)))


class PodRules(Rules):
    """The rules of :mod:`tfdsl_backends.podspec.checks` and :mod:`tfdsl_backends.podspec.checks`."""

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
    step_resources: Rule


class KueueRules(Rules):
    """The rules of targets whose queue can be one of Kueue's."""

    label: Rule
    queue_name: Rule


class FlowRules(Rules):
    """The rules of :mod:`tfdsl_backends.podspec.flows.checks`."""

    versions: Rule
    suspended: Rule
    size: Rule
    templates: Rule
    name: Rule
    late: Rule
    replaces: Rule
    no_account: Rule
    no_zone: Rule
    no_schedule: Rule
    board: Rule


def pod_rules(target: str, prefix: str, *, additions: int) -> PodRules:
    """The rules of ``target``; ``additions``: the code of the first that reports something we add to pods."""

    def rule(code: int, slug: str, level: Level, message: str) -> Rule:
        return Rule(f"{prefix}{code:03}", f"{target}-{slug}", level, message)

    return PodRules(
        rule(
            40,
            "name-too-long",
            "error",
            "{what} would be named {longest}: {length} characters, but at most {limit} are allowed",
        ),
        rule(
            41,
            "value-too-large",
            "error",
            "{what} of role {role} is {size} bytes long; Linux allows at most 131071 in one argument or variable",
        ),
        rule(
            42,
            "no-command",
            "error",
            "{starter} has to start the command of role {role}, but the entrypoint of its image is unknown",
        ),
        rule(
            43,
            "name-first-letter",
            "error",
            "the job's name must begin with a letter because it is also the name of {what}",
        ),
        rule(
            44, "host-port", "warning", "{who} use port {port} of their node, so no two of their pods can share a node"
        ),
        rule(47, "resource-name", "error", "{name} is not a resource that Kubernetes accepts: {problem}"),
        rule(48, "relative-path", "error", "{what} needs an absolute path on Kubernetes, but {path} is relative"),
        rule(
            49,
            "variable-in-shell",
            "warning",
            "/bin/sh starts {what} and may drop {name}: many shells discard variables with . or - in their names",
        ),
        rule(
            additions,
            "limits-equal-requests",
            "off",
            "a limit of memory or cpu that is not written equals the request: write memory_limit or cpu_limit to set "
            'another, or "none" for no limit',
        ),
        rule(
            additions + 1,
            "no-istio-sidecar",
            "off",
            f'pods get the annotation {NO_SIDECAR}: "false", because Istio\'s sidecar would keep them from ending: '
            "write istio_annotation = false to leave it out",
        ),
        rule(
            additions + 2,
            "gpus-hidden",
            "off",
            f"roles without a GPU get {VISIBLE_DEVICES}=void, because otherwise they see all GPUs of their node: write "
            'nvidia_visible_devices = "" to leave it out',
        ),
        rule(36, "step-resources", "info", "for {kind} {name} each replica of role {role} asks for {more}"),
    )


def kueue_rules(target: str, prefix: str) -> KueueRules:
    """The rules of ``target`` about Kueue's queues."""
    return KueueRules(
        Rule(
            f"{prefix}045",
            f"{target}-kueue-label",
            "error",
            f"queue {{queue}} is written to the label {QUEUE_LABEL}, which the job sets to something else",
        ),
        Rule(
            f"{prefix}046",
            f"{target}-queue-name",
            "error",
            "queue {queue} becomes a label: use only letters, digits, -, _ and ., at most 63 characters",
        ),
    )


def sidecar_rule(target: str, prefix: str) -> Rule:
    """The rule of ``target``, whose versions are not those of Kubernetes, about the nodes that a sidecar needs."""
    message = "sidecar {name} needs nodes with Kubernetes 1.29 or newer"
    return Rule(f"{prefix}035", f"{target}-sidecar-nodes", "info", message)


def job_label_rule(target: str, prefix: str) -> Rule:
    """The rule of ``target`` about them."""
    message = "Kubernetes writes the label {name} on each pod of a Job itself, so it cannot have another value"
    return Rule(f"{prefix}037", f"{target}-job-label", "error", message)


def flow_rules(target: str, prefix: str) -> FlowRules:
    """The rules of ``target`` about flows."""

    def rule(code: int, slug: str, level: Level, message: str) -> Rule:
        return Rule(f"{prefix}{code:03}", f"{target}-flow-{slug}", level, message)

    return FlowRules(
        rule(
            180,
            "versions",
            "error",
            "the jobs of a flow need one version of Argo: {first} has {version} and {job} has {other}",
        ),
        rule(182, "suspended", "error", "job {job} starts suspended, so its flow would wait for it forever"),
        rule(184, "too-large", "error", "the Workflow has {size} bytes; Argo takes at most {limit}"),
        rule(
            185,
            "too-many-templates",
            "error",
            "the Workflow has {count} templates; from 4.0 on Argo takes at most {limit}",
        ),
        rule(
            186, "name-too-long", "error", "the name of a {kind} has at most {limit} characters, this one has {length}"
        ),
        rule(
            187,
            "deadline",
            "info",
            "after the deadline the objects of the run are deleted, also of jobs that have ended",
        ),
        rule(183, "replace", "info", "each run deletes the objects of all earlier runs, also of those that have ended"),
        rule(
            188,
            "no-service-account",
            "info",
            "Argo's pods use the service account default, which usually cannot create the objects of the jobs",
        ),
        rule(
            189,
            "no-time-zone",
            "info",
            "without time_zone, the schedule is in the time zone of Argo's controller, usually UTC",
        ),
        rule(
            190,
            "no-schedule",
            "warning",
            "without a schedule, overlap has no effect: Argo runs every Workflow it is given",
        ),
        rule(191, "tensorboard", "info", "the TensorBoard of job {job} is left out of the flow"),
    )
