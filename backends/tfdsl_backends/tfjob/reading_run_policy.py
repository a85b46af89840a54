"""``runPolicy`` of a TFJob as attributes of the job and options of the target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.command_rules import READ_DIFFERENTLY
from tfdsl.draft import Attribute, Bare, Draft, Patch, Value
from tfdsl.vocabulary.quantities import duration
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.reading.objects import dotted
from tfdsl_backends.tfjob.lower import CLEANUP
from tfdsl_backends.tfjob.patch_rules import MANAGERS
from tfdsl_backends.tfjob.reading_refusals import never

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View
    from tfdsl.reading import Asked

_WORD: Final = {written: word for word, written in CLEANUP.items()}
_DEFAULT_CLEANUP: Final = "running"
_WORDLESS: Final = ("priorityClass", "minResources", "scheduleTimeoutSeconds")
_VOLCANO: Final = "volcano"
_WHY: Final = "The language has no word for this."
_YIELD: Final = ("worker", "evaluator", "ps", "master", "chief")
"""Roles in the order in which a job can do without their replicas at first."""


def read_run_policy(
    draft: Draft, job: View, replicas: Mapping[str, int], schedulers: set[str | None], asked: Asked
) -> None:
    """What happens to the job as a whole. ``schedulers``: those that its pods name."""
    policy = job["spec"]["runPolicy"]
    _cleanup(draft, policy["cleanPodPolicy"], asked)
    for name, key in (("deadline", "activeDeadlineSeconds"), ("ttl", "ttlSecondsAfterFinished")):
        seconds = policy[key].number
        if seconds is not None and seconds >= 0:
            draft.job.set(name, Bare(duration(seconds * 1000).text), policy[key].span)
    if policy["suspend"].flag:
        draft.job.set("suspend", True, policy["suspend"].span)
    of_volcano = _queue(draft, job)
    if not _gang(draft, policy["schedulingPolicy"], replicas, schedulers, asked) and of_volcano:
        draft.options.set("gang_scheduler", _VOLCANO, policy["schedulingPolicy"]["queue"].span)
    _patches(draft, policy)


def _patches(draft: Draft, policy: View) -> None:
    """What there is no word for. ``priority`` is the class of the pods, too."""
    said = any(isinstance(one, Attribute) and one.name == "priority" for one in draft.job.statements)
    places = [policy["schedulingPolicy"][key] for key in _WORDLESS if not (said and key == "priorityClass")]
    gang = any(isinstance(one, Attribute) and one.name == "gang_scheduler" for one in draft.options.statements)
    if said and gang and not policy["schedulingPolicy"]["priorityClass"].present:
        draft.options.add(Patch("spec.runPolicy.schedulingPolicy.priorityClass", "", span=policy.span))
    if policy["managedBy"].text in MANAGERS[1:]:
        places.append(policy["managedBy"])
    why = _WHY
    for place in places:
        value: Value | None = place.text or place.number or {name: one.words or "" for name, one in place.entries()}
        if value:
            draft.options.add(Patch(dotted(place.path), "=", value, why=why, span=place.span))
            why = ""


def _cleanup(draft: Draft, policy: View, asked: Asked) -> None:
    """The operator keeps all pods where nothing is said, and deletes all for a word that it does not know."""
    written = policy.text or "None"
    word = _WORD.get(written, "all")
    if word != _DEFAULT_CLEANUP:
        draft.job.set("cleanup", word, policy.span)
    if written not in _WORD:
        difference = "the operator deletes all pods for a word that it does not know"
        what = f"cleanPodPolicy {written}"
        asked.report(READ_DIFFERENTLY(policy.span, what=what, word='cleanup = "all"', difference=difference))


def _queue(draft: Draft, job: View) -> bool:
    """The queue, of Kueue (a label names it) or of Volcano as the gang scheduler; returns whether it is Volcano's."""
    label = job["metadata"]["labels"][QUEUE_LABEL]
    queue = job["spec"]["runPolicy"]["schedulingPolicy"]["queue"]
    if label.text:
        draft.options.set("kueue", True, label.span)
    first = label if label.text else queue
    draft.job.set("queue", first.text or None, first.span)
    return bool(queue.text) and not label.text


def _gang(draft: Draft, policy: View, replicas: Mapping[str, int], schedulers: set[str | None], asked: Asked) -> bool:
    """How many pods start together, which only an operator with a gang scheduler reads; returns whether it is said."""
    minimum, total = policy["minAvailable"], sum(replicas.values())
    least = minimum.number
    if least is None:
        return False
    if not 0 <= least <= total:
        reason = f"it has {total} replicas, so a gang of {least} never starts" if least > 0 else "it is negative"
        asked.report(never(minimum.span, f"minAvailable {least}", reason))
        draft.law = False
        return False
    named = schedulers - {None}
    scheduler = named.pop() if len(named) == 1 else None
    draft.options.set("gang_scheduler", scheduler or _VOLCANO, minimum.span)
    if least == 1 < total:
        draft.job.set("gang", False, minimum.span)
        return True
    spare = total - least
    for name in _YIELD:
        taken = min(spare, replicas.get(name, 0))
        if taken:
            draft.role(name).set("min_available", replicas[name] - taken, minimum.span)
        spare -= taken
    return True
