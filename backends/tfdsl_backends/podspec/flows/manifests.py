"""A manifest of a job as the text that Argo hands to the server.

It is JSON, in which what Argo or the kubelet would replace is escaped: Argo reads ``{{…}}`` at least three times, so no
escape of its own survives, and the manifest reaches the executor in a variable in which the kubelet expands ``$(NAME)``
and ``$$`` (seen). What belongs to one run of the flow is left to Argo.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from tfdsl.backend.flow import FlowUnit
from tfdsl.emit.json import write
from tfdsl.emit.located import Data, Lines, changed, placed_like, unwrap

RUN: Final = "{{=workflow.uid[0:8]}}"
RUN_LENGTH: Final = 8
"""What becomes the mark of a run, and how many characters it has then."""
API_VERSION: Final = "argoproj.io/v1alpha1"
FLOW_LABEL: Final = "tfdsl/flow"
RUN_LABEL: Final = "tfdsl/flow-run"
"""Labels of what is made for a flow: the name of the flow, and the mark of the run."""


def manifest(unit: FlowUnit, number: int, data: Data, kept: Sequence[str]) -> Lines:
    """The manifest ``data`` of job ``number``, owned by the run of the flow. ``kept``: names that all runs share."""
    name, uid = f"name of {unit.mark}", f"uid of {unit.mark}"  # names begin with the flow's, so no text is like these
    labels = {FLOW_LABEL: unit.flow.name, RUN_LABEL: unit.mark}
    owner: Data = {"apiVersion": API_VERSION, "kind": "Workflow", "name": name, "uid": uid}
    shared = {one: shared_name(unit, one) for one in kept}
    written = write(_owned(changed(data, lambda text: shared.get(text, text)) if kept else data, labels, owner))
    text = re.sub(rf"[^ -~\n\U00010000-\U0010FFFF]|\$|\{{{{2,}}|\{{(?={unit.mark})", _escaped, written.text)
    for mark, reference in ((name, "{{workflow.name}}"), (uid, "{{workflow.uid}}"), (unit.mark, RUN)):
        text = text.replace(mark, reference)
    return Lines(text, [None if path is None else unit.path_in(number, path) for path in written.lines])


def shared_name(unit: FlowUnit, text: str) -> str:
    """A name as it is where all runs share it."""
    return text.replace(f"-{unit.mark}", "")


def _owned(data: Data, labels: Mapping[str, Data], owner: Data) -> Data:
    fields = cast("Mapping[str, Data]", unwrap(data))
    metadata = cast("Mapping[str, Data]", unwrap(fields["metadata"]))
    own = metadata.get("labels")
    has = cast("Mapping[str, Data]", unwrap(own) or {})
    whole = {**metadata, "labels": placed_like(own, {**has, **labels}), "ownerReferences": [owner]}
    return placed_like(data, {**fields, "metadata": placed_like(fields["metadata"], whole)})


def _escaped(match: re.Match[str]) -> str:
    """Characters as JSON has them; those beyond 16 bits would be two, which Argo refuses, as it reads YAML (seen)."""
    return "".join(f"\\u{ord(character):04x}" for character in match[0])
