"""What a JobSet says of itself in single fields: queue, ttl, network, options; the order and deadline of its Jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.command_rules import READ_DIFFERENTLY
from tfdsl.draft import Attribute, Draft
from tfdsl.patterns import regex
from tfdsl_backends.jobset.lower import EXCLUSIVE
from tfdsl_backends.jobset.options import JOB_NAME
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.reading.values import seconds

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View
    from tfdsl.reading import Asked
    from tfdsl_backends.jobset.reading_roles import RoleOf

BOARD: Final = "tensorboard"
_NAME: Final = regex(JOB_NAME)


def read_settings(draft: Draft, root: View, found: Sequence[RoleOf]) -> None:
    """Attributes of the job and options of the target."""
    spec, metadata = root["spec"], root["metadata"]
    queue = metadata["labels"][QUEUE_LABEL]
    draft.job.set("queue", queue.text or None, queue.span)
    ttl = spec["ttlSecondsAfterFinished"]
    if ttl.number is not None and ttl.number >= 0:
        draft.job.set("ttl", seconds(ttl.number), ttl.span)
    if spec["suspend"].flag:
        draft.job.set("suspend", True, spec["suspend"].span)
    _network(draft, spec["network"])
    topology = metadata["annotations"][EXCLUSIVE]
    if topology.text:
        statements = draft.job.statements
        draft.job.statements = [one for one in statements if one.identity != f"annotations[{EXCLUSIVE}]"]
        draft.options.set("exclusive_topology", topology.text, topology.span)
    chosen, coordinator = spec["coordinator"]["replicatedJob"], spec["coordinator"]
    role = next((one.role for one in found if one.name == chosen.text), None)
    if role is not None and not coordinator["jobIndex"].number and not coordinator["podIndex"].number:
        draft.options.set("coordinator", role, chosen.span)
    for one in found:
        if one.name != one.role and _NAME.fullmatch(one.name):
            draft.options.entry("job_names", one.role, one.name, one.job["name"].span)


def _network(draft: Draft, network: View) -> None:
    if network["enableDNSHostnames"].flag is False:
        draft.options.set("service", False, network["enableDNSHostnames"].span)
    domain = network["subdomain"]
    if domain.text and domain.text != draft.name:
        draft.options.set("subdomain", domain.text, domain.span)


def read_order(draft: Draft, found: Sequence[RoleOf], asked: Asked) -> None:
    """``after`` of each role."""
    roles = {one.name: one.role for one in found}
    for one in found:
        place = one.job["dependsOn"]
        others = [other for other in place.items() if other["name"].text in roles]
        for other in others:
            if other["status"].text == "Complete":
                draft.law = False
                what, word = f"status Complete of {other['name'].text}", "after"
                difference = "the role starts when the other runs, not when it has completed"
                asked.report(READ_DIFFERENTLY(other["status"].span, what=what, word=word, difference=difference))
        names = [roles[other["name"].text or ""] for other in others]
        if names:
            draft.role(one.role).add(Attribute("after", names, place.span))


def read_limits(draft: Draft, found: Sequence[RoleOf]) -> None:
    """The deadline, if that of all Jobs but TensorBoard's is the same."""
    places = [one.spec["activeDeadlineSeconds"] for one in found if one.role != BOARD]
    numbers = {place.number for place in places}
    number = numbers.pop() if len(numbers) == 1 else None
    if number is not None and number > 0:
        draft.job.set("deadline", seconds(number), places[0].span)
