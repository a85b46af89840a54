"""What manifests with Jobs (batch/v1) in them share: fields of the job, ends, and what the API server refuses or drops.

Source of the latter: Kubernetes `pkg/apis/batch/validation`; tried on a real server by the conformance tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend.draft import Draft
from tfdsl.backend.patch_rules import PatchRules
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import NOT_KEPT, SERVER_REFUSES
from tfdsl.manifest.nodes import View, plain
from tfdsl.text import Span
from tfdsl_backends.podspec import fields, patching
from tfdsl_backends.podspec.plan import MOST_RULES
from tfdsl_backends.podspec.reading.objects import dotted, misfits
from tfdsl_backends.podspec.reading.values import seconds

INDEXED: Final = "Indexed"
MOST_STATUSES: Final = 255
_ACTIONS: Final = ("FailJob", "FailIndex", "Ignore", "Count")


def read_field(draft: Draft, field: fields.Field, place: View) -> None:
    """``field`` of the job's object, which is at ``place``, as the attribute of the job."""
    if field.codec == "flag":
        draft.job.set(field.name, place.flag or None, place.span)
    elif place.number is not None and field.fits is not None and field.fits(place.number):
        draft.job.set(field.name, seconds(place.number), place.span)


def ending_alone(spec: View) -> list[tuple[int, Span]]:
    """The replicas that each end the Job when they succeed, if its successPolicy says no more than that."""
    indexes: list[tuple[int, Span]] = []
    for rule in spec["successPolicy"]["rules"].items():
        text = rule["succeededIndexes"].text
        if text is None or not text.isdecimal() or len(text) > 6 or rule["succeededCount"].present:
            return []
        indexes.append((int(text), rule.span))
    return indexes


# --- what is refused or dropped ---


def refusals(root: View, kind: str, rules: PatchRules, server: str) -> Iterator[Diagnostic]:
    """What is refused in an object or dropped from it, each place once.

    ``kind``: of its schema; ``rules``: what is refused after a patch, too; ``server``: whose API it is.
    """
    told: set[tuple[int, int]] = set()
    for diagnostic in _refusals(root, kind, rules, server):
        place = (diagnostic.span.start, diagnostic.span.end)
        if place not in told:
            told.add(place)
            yield diagnostic


def _refusals(root: View, kind: str, rules: PatchRules, server: str) -> Iterator[Diagnostic]:
    assert root.node is not None
    yield from misfits(root.node, kind, server)
    if kind == "Job":
        yield from _job(root)
    for job in root["spec"]["replicatedJobs"].items():
        yield from _selector(job["template"]["spec"])
    for complaint in rules.check([plain(root.node)]):
        place = root
        for step in complaint.at:
            place = place[step]
        yield SERVER_REFUSES(place.span, what=dotted(complaint.at) or "the document", reason=complaint.message)


def _job(job: View) -> Iterator[Diagnostic]:
    spec = job["spec"]
    yield from _names(job)
    yield from _restart_policy(spec)
    yield from _selector(spec)
    yield from _indexes(spec)
    yield from _failure_policy(spec)
    yield from _success_policy(spec)
    yield from _replacement(spec)
    yield from _init_containers(spec["template"]["spec"])


def schedule_of(spec: View, reason: str) -> Iterator[Diagnostic]:
    """That ``spec`` of a CronJob, but for its job, is not kept, for ``reason``."""
    keys = [key for key, _ in spec.entries() if key != "jobTemplate"]
    if keys:
        yield NOT_KEPT(spec.key(keys[0]), what=f"the schedule of the CronJob ({', '.join(keys)})", reason=reason)


def _refused(place: View, what: str, reason: str) -> Diagnostic:
    return SERVER_REFUSES(place.span, what=what, reason=reason)


def _names(job: View) -> Iterator[Diagnostic]:
    metadata = job["metadata"]
    name, spec = metadata["name"].text or metadata["generateName"].text, job["spec"]
    if not name:  # the reader of its name says so
        return
    if not patching.is_dns_name(name.removesuffix("-") if not metadata["name"].text else name):
        place = metadata["name"] if metadata["name"].present else metadata["generateName"]
        yield _refused(place, f"the name {name}", "it has lowercase letters, digits, - and ., at most 253")
    elif spec["completionMode"].text == INDEXED:
        last = f"{name}-{max((spec['completions'].number or 1) - 1, 0)}"
        if not patching.is_dns_label(last):
            place = metadata["name"] if metadata["name"].present else metadata["generateName"]
            reason = "with the index it is the hostname of a pod: lowercase letters, digits and -, at most 63"
            yield _refused(place, f"the name {name}", reason)


def _restart_policy(spec: View) -> Iterator[Diagnostic]:
    pod = spec["template"]["spec"]
    policy = pod["restartPolicy"]
    if not policy.present:
        reason = "it is Always unless it is written; a Job needs OnFailure or Never"
        yield SERVER_REFUSES(pod.span, what="pods without a restartPolicy", reason=reason)
    elif policy.text not in ("OnFailure", "Never"):
        yield _refused(policy, f"restartPolicy {policy.words}", "a Job needs OnFailure or Never")


def _selector(spec: View) -> Iterator[Diagnostic]:
    selector = spec["selector"]
    if not selector.present or is_servers(selector):
        return
    if spec["manualSelector"].flag is not True:
        yield SERVER_REFUSES(spec.key("selector"), what="a selector", reason="the server makes the selector of a Job")


def is_servers(selector: View) -> bool:
    """Whether the server has made a selector of a Job: it names the Job by its number."""
    keys = {key.removeprefix("batch.kubernetes.io/") for key, _ in selector["matchLabels"].entries()}
    return "controller-uid" in keys


def _indexes(spec: View) -> Iterator[Diagnostic]:
    indexed = spec["completionMode"].text == INDEXED
    mode = spec["completionMode"]
    if mode.text not in (None, INDEXED, "NonIndexed"):
        yield _refused(mode, f"completionMode {mode.text}", "it must be Indexed or NonIndexed")
    if indexed and not spec["completions"].present and spec["parallelism"].present:
        yield _refused(mode, "completionMode Indexed with parallelism alone", "write completions")
    for key in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"):
        if spec[key].present and not indexed:
            yield SERVER_REFUSES(spec.key(key), what=key, reason="it needs completionMode Indexed")
    if spec["maxFailedIndexes"].present and not spec["backoffLimitPerIndex"].present:
        yield SERVER_REFUSES(
            spec.key("maxFailedIndexes"), what="maxFailedIndexes", reason="it needs backoffLimitPerIndex"
        )
    most, completions = spec["maxFailedIndexes"].number, spec["completions"].number
    if most is not None and completions is not None and most > completions:
        yield _refused(spec["maxFailedIndexes"], f"maxFailedIndexes {most}", f"completions is {completions}")


def _failure_policy(spec: View) -> Iterator[Diagnostic]:
    policy = spec["podFailurePolicy"]
    if not policy.present:
        return
    if spec["template"]["spec"]["restartPolicy"].text != "Never":
        reason = "it needs restartPolicy Never, because it looks at pods that have ended"
        yield SERVER_REFUSES(spec.key("podFailurePolicy"), what="podFailurePolicy", reason=reason)
    rules = list(policy["rules"].items())
    if len(rules) > MOST_RULES:
        yield _refused(policy["rules"], f"{len(rules)} rules", f"podFailurePolicy has at most {MOST_RULES}")
    for rule in rules:
        yield from _rule(spec, rule)


def _rule(spec: View, rule: View) -> Iterator[Diagnostic]:
    action, exits, conditions = rule["action"], rule["onExitCodes"], rule["onPodConditions"]
    if action.text not in _ACTIONS:
        yield _refused(action, f"action {action.words}", f"it must be {', '.join(_ACTIONS[:-1])} or {_ACTIONS[-1]}")
    if action.text == "FailIndex" and not spec["backoffLimitPerIndex"].present:
        yield _refused(action, "action FailIndex", "it needs backoffLimitPerIndex")
    if exits.present == any(True for _ in conditions.items()):
        yield _refused(rule, "this rule", "it needs onExitCodes or onPodConditions, not both")
    if exits.present:
        yield from _exits(spec, exits)


def _exits(spec: View, exits: View) -> Iterator[Diagnostic]:
    values = exits["values"]
    numbers = [value.number for value in values.items()]
    known = [number for number in numbers if number is not None]
    operator = exits["operator"]
    if operator.text not in ("In", "NotIn"):
        yield _refused(operator, f"operator {operator.words}", "it must be In or NotIn")
    if not 0 < len(numbers) <= MOST_STATUSES:
        yield _refused(values, f"{len(numbers)} values", f"there must be 1 to {MOST_STATUSES}")
    elif known != sorted(set(known)):
        yield _refused(values, "these values", "they must ascend, each once")
    if operator.text == "In" and 0 in known:
        yield _refused(values, "the value 0", "status 0 is a success; only NotIn can name it")
    name, pod = exits["containerName"].text, spec["template"]["spec"]
    names = [view["name"].text for key in ("containers", "initContainers") for view in pod[key].items()]
    if name is not None and name not in names:
        yield _refused(exits["containerName"], f"containerName {name}", "there is no such container")


def _success_policy(spec: View) -> Iterator[Diagnostic]:
    policy = spec["successPolicy"]
    if not policy.present:
        return
    rules = list(policy["rules"].items())
    if not 0 < len(rules) <= MOST_RULES:
        yield _refused(policy, f"{len(rules)} rules", f"successPolicy has 1 to {MOST_RULES}")
    for rule in rules:
        indexes, completions = rule["succeededIndexes"], spec["completions"].number
        if not indexes.present and not rule["succeededCount"].present:
            yield _refused(rule, "this rule", "it needs succeededIndexes or succeededCount")
        last = (indexes.text or "").replace(",", "-").rpartition("-")[2]
        if completions is not None and last.isdecimal() and len(last) < 10 and int(last) >= completions:
            yield _refused(indexes, f"succeededIndexes {indexes.text}", f"the last index is {completions - 1}")


def _init_containers(pod: View) -> Iterator[Diagnostic]:
    for container in pod["initContainers"].items():
        for key in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
            if container[key].present and container["restartPolicy"].text != "Always":
                reason = "an init container has none, unless it is a sidecar (restartPolicy Always)"
                yield SERVER_REFUSES(container.key(key), what=key, reason=reason)


def _replacement(spec: View) -> Iterator[Diagnostic]:
    place = spec["podReplacementPolicy"]
    if place.text not in (None, "Failed", "TerminatingOrFailed"):
        yield _refused(place, f"podReplacementPolicy {place.text}", "it must be Failed or TerminatingOrFailed")
    elif place.text == "TerminatingOrFailed" and spec["podFailurePolicy"].present:
        yield _refused(place, "podReplacementPolicy TerminatingOrFailed", "with podFailurePolicy it must be Failed")
