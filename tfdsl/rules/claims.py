"""Claims of a job that comes as data; in a text, a claim is declared by its first mount."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tfdsl.diagnostics import job_rules, name_rules
from tfdsl.diagnostics.suggest import listing
from tfdsl.rules.broken import Broken, Place


def matched(claims: Sequence[str], mounts: Iterable[tuple[Place, str]]) -> Iterator[Broken]:
    """Every mount of a claim must name one of ``claims``, and all of them must be mounted. ``mounts``: place, name."""
    mounted: set[str] = set()
    for place, name in mounts:
        mounted.add(name)
        if name not in claims:
            broken = Broken(job_rules.CLAIM_NOT_IN_JOB, place, {"name": name})
            yield broken.help(f"its claims are {listing(claims)}") if claims else broken
    for at, name in enumerate(claims):
        if name in claims[:at]:
            yield Broken(name_rules.DUPLICATE_NAME, ("claims", at, "name"), {"kind": "claim", "name": name})
        elif name not in mounted:
            yield Broken(job_rules.CLAIM_NOT_MOUNTED, ("claims", at, "name"), {"name": name})
