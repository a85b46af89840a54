"""What a replica copies when its command has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.draft import Output
from tfdsl.vocabulary.statements import OUTPUT_WHEN
from tfdsl_backends.podspec.reading.texts import value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.draft import Draft
    from tfdsl_backends.podspec.reading.commands import Words
    from tfdsl_backends.podspec.reading.texts import Scope


def add_outputs(draft: Draft, role: str, words: Words, replicas: Mapping[str, int], scope: Scope) -> None:
    """Add the outputs of ``role``: those of each of its replicas to its block, those of one of them to the job."""
    span = words.spans[0] if words.spans is not None else None
    for copied in words.outputs:
        source, destination = value(copied.source, scope), value(copied.destination, scope)
        if source is None or destination is None or copied.when not in OUTPUT_WHEN:
            continue
        if copied.replica == "every":
            draft.role(role).add(Output(source, destination, copied.when, overwrite=copied.overwrite, span=span))
        elif copied.replica == "0" and role == _usual(replicas):
            draft.job.add(Output(source, destination, copied.when, overwrite=copied.overwrite, span=span))


def _usual(replicas: Mapping[str, int]) -> str:
    """The role whose replica 0 copies what the job says."""
    return next((role for role in ("chief", "master", "worker") if role in replicas), "")
