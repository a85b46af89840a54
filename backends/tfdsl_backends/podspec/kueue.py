"""The label by which Kueue takes a job into a queue."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Rule
from tfdsl.emit.located import entry
from tfdsl.record import replace
from tfdsl_backends.podspec.kueue_label import QUEUE_LABEL
from tfdsl_backends.podspec.support import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic

LABEL_VALUE: Final = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?\Z")


def kueue_label_rule(prefix: str) -> Rule:
    """The rule with the code of ``prefix``."""
    target = TARGETS[prefix]
    return Rule(
        f"{prefix}045",
        f"{target}-kueue-label",
        "error",
        f"{target}: label {QUEUE_LABEL} is what queue {{queue}} is written to",
    )


def queue_name_rule(prefix: str) -> Rule:
    """The rule for names that no label can hold, with the code of ``prefix``."""
    target = TARGETS[prefix]
    return Rule(
        f"{prefix}046",
        f"{target}-queue-name",
        "error",
        f"{target}: queue {{queue}} becomes a label, which holds letters, digits, -, _ and . only, at most 63",
    )


def check_queue_name(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    """An error when the queue cannot be the value of a label."""
    queue = unit.job.queue
    if queue is not None and not LABEL_VALUE.match(queue):
        yield replace(rule(unit.origins.span("queue"), queue=repr(queue)), target=unit.target)


def check_kueue_label(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    """An error when the job has the label and a queue that is another one."""
    job = unit.job
    if job.queue is not None and job.labels.get(QUEUE_LABEL, job.queue) != job.queue:
        found = rule(unit.origins.span(entry("labels", QUEUE_LABEL)), queue=job.queue)
        yield replace(found.help("leave the label out"), target=unit.target)
