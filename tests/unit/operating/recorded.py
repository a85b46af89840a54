"""Objects of real controllers, recorded while jobs waited, ran and ended.

Volcano 1.15.1, JobSet 0.12.0, Kubernetes 1.35. ``tests/data/live/TARGET.json``: by the
name of what happened and when it was
looked at, the objects that ``kubectl get`` gave, without fields that nothing reads; ``NAME.tfjob``: the job.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, cast

from tests.unit.cli.shell import ROOT
from tests.unit.operating.stand_in_kubectl import rendered, selected
from tfdsl import targets
from tfdsl.backend.cluster import Answer, Live, Place
from tfdsl.compiling.pipeline import Made, compile_source
from tfdsl.operating.session import Session
from tfdsl.text import Source

FOLDER = ROOT / "tests/data/live"


@cache
def states(target: str) -> dict[str, list[dict[str, Any]]]:
    """Everything recorded for a target."""
    return cast("dict[str, list[dict[str, Any]]]", json.loads((FOLDER / f"{target}.json").read_text()))


@cache
def made(target: str, name: str) -> Made:
    """The job of a recording, compiled."""
    text = (FOLDER / f"{name}.tfjob").read_text(encoding="utf-8")
    backend = targets.find(target)
    assert backend is not None
    return compile_source(Source(f"{name}.tfjob", text), backend)[0]


def live(target: str, objects: list[dict[str, Any]], name: str = "", job: str = "train") -> Live:
    """What ``tfdsl status`` makes of ``objects``; with the file called ``name`` if there is one."""
    backend = targets.find(target)
    assert backend is not None
    unit, documents = (made(target, name).unit, made(target, name).documents) if name else (None, ())
    session = Session(backend, Place(job, "rec", unit=unit), documents)
    answers: list[Answer] = []
    for call in session.cluster.reads(session.place):
        template = call.words[-1].removeprefix("jsonpath=")
        answers.append(Answer(0, rendered(template, selected(list(call.words), objects)), ""))
    found = session.cluster.live(session.place, answers)
    assert found is not None
    return session.explained(found)
