"""What the Jobs of a job say of themselves: name, namespace, labels, annotations and the fields that are the job's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl.diagnostics.command_rules import READ_DIFFERENTLY
from tfdsl.draft import Bare, Draft
from tfdsl.manifest.nodes import View
from tfdsl.patterns import regex
from tfdsl.reading import Asked
from tfdsl.vocabulary.quantities import duration
from tfdsl_backends.kubernetes.reading.parts import JOB_LABEL, ROLE_LABEL
from tfdsl_backends.podspec.options import QUEUE_LABEL

_OURS: Final = (JOB_LABEL, ROLE_LABEL)
_SERVERS: Final = regex(
    r"kubectl\.kubernetes\.io/last-applied-configuration|(?:batch\.kubernetes\.io/)?(?:controller-uid|job-name)"
    r"|batch\.kubernetes\.io/job-tracking|batch\.kubernetes\.io/cronjob-scheduled-timestamp"
)
"""Labels and annotations that a client or a controller writes."""

_NO_LETTER: Final = regex("[^a-z0-9]+")
LONGEST: Final = 63


def job_name(wanted: str, place: View, ending: str, asked: Asked) -> str:
    """A name for the job that is like ``wanted``, short enough for ``ending`` behind it."""
    name = "-".join(part for part in _NO_LETTER.split(wanted.lower()) if part) or "job"
    name = name[: LONGEST - len(ending)].rstrip("-")
    if name != wanted:
        difference = "a name of the language has lowercase letters, digits and -, and room for the role and the index"
        asked.report(READ_DIFFERENTLY(place.span, what=f"the name {wanted}", word=name, difference=difference))
    return name


def read_metadata(draft: Draft, jobs: Sequence[View]) -> None:
    """What all ``jobs`` say of themselves; the rest differs between them."""
    metadata = [job["metadata"] for job in jobs]
    namespace = metadata[0]["namespace"]
    if namespace.text:
        draft.job.set("namespace", namespace.text, namespace.span)
    for key, place in _common([one["labels"] for one in metadata]):
        if key == QUEUE_LABEL:
            draft.job.set("queue", place.text, place.span)
        else:
            draft.job.entry("labels", key, place.text or "", place.span)
    for key, place in _common([one["annotations"] for one in metadata]):
        draft.job.entry("annotations", key, place.text or "", place.span)


def _common(maps: Sequence[View]) -> Iterator[tuple[str, View]]:
    """The entries that are in all ``maps``, except those of the compiler, a client or a controller."""
    for key, place in maps[0].entries():
        text = place.text
        own = key not in _OURS and _SERVERS.fullmatch(key) is None
        if own and text is not None and all(other[key].text == text for other in maps):
            yield key, place


def read_limits(draft: Draft, specs: Sequence[View]) -> None:
    """The times and the suspension that most Jobs have; the others differ."""
    for name, key in (("deadline", "activeDeadlineSeconds"), ("ttl", "ttlSecondsAfterFinished")):
        place = _most([spec[key] for spec in specs])
        seconds = None if place is None else place.number
        if place is not None and seconds is not None and (seconds > 0 or (seconds == 0 and name == "ttl")):
            draft.job.set(name, Bare(duration(seconds * 1000).text), place.span)
    suspend = _most([spec["suspend"] for spec in specs])
    if suspend is not None and suspend.flag:
        draft.job.set("suspend", True, suspend.span)


def _most(places: Sequence[View]) -> View | None:
    """The value that most of ``places`` have; ``None`` where most have none."""
    values = [place.flag if place.flag is not None else place.number for place in places]
    most = max(range(len(places)), key=lambda number: values.count(values[number]))
    return places[most] if values[most] is not None else None
