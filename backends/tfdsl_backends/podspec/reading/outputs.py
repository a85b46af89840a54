"""What a replica copies when its command has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfdsl.draft import Draft, Output
from tfdsl.vocabulary.statements import OUTPUT_WHEN
from tfdsl_backends.podspec.expansion import Scope
from tfdsl_backends.podspec.reading.texts import value

if TYPE_CHECKING:
    from tfdsl_backends.podspec.reading.commands import Words


def add_outputs(draft: Draft, role: str, words: Words, replicas: Mapping[str, int], scope: Scope) -> None:
    """Add the outputs of ``role``: those of each of its replicas to its block, those of one of them to the job."""
    span = words.spans[0] if words.spans is not None else None
    is_usual = role == next((name for name in ("chief", "master", "worker") if name in replicas), None)
    for copied in words.outputs:
        source, destination = value(copied.source, scope), value(copied.destination, scope)
        every = copied.replica == "every"
        if source is None or destination is None or copied.when not in OUTPUT_WHEN:
            continue
        if is_usual and (copied.replica == "0" or (every and replicas.get(role, 1) == 1)):
            block, of = draft.job, ""
        elif every:
            block, of = draft.role(role), ""
        elif copied.replica.isdigit():
            block, of = draft.job, f"{role}[{copied.replica}]"
        else:
            continue
        block.add(Output(source, destination, copied.when, of, copied.overwrite, span))
