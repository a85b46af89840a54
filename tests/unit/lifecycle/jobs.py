"""Jobs for the tests of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.lifecycle import recorded
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.ir.flow import Flow, FlowRun
from tfdsl.lifecycle.behaviour import Behaviour
from tfdsl.lifecycle.scenario import Prediction, play
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source
from tfdsl.vocabulary.quantities import Duration

if TYPE_CHECKING:
    from tfdsl.ir.model import Job
    from tfdsl.lifecycle.faults import Injected

CHIEF = "role chief { }\n  role worker { replicas = 2 }\n  role ps { }"
WORKERS = "role worker { replicas = 2 }\n  role ps { }"


def job(*lines: str) -> Job:
    """A job with ``lines`` in it, as the language's own rules leave it."""
    body = "\n  ".join(('image = "registry.example.com/mnist:1.4"', 'command = ["python", "train.py"]', *lines))
    program = pipeline.load(Source("mnist.tfjob", f"job mnist {{\n  {body}\n}}\n"), lambda path: "no files here")
    checked = pipeline.check(program, Request(), [])
    errors = [one.message for one in checked.diagnostics if one.level == "error"]
    assert not errors, errors
    backend = targets.find("volcano")
    assert backend is not None
    [values] = pipeline.check(program, Request(), [Choice(backend)]).jobs
    return pipeline.unit_of(backend, values).job


def flow_of(text: str, deadline: str | None = None, **fields: Any) -> Flow:
    """The flow ``nightly``, as ``JOB [after JOB… [ENDING]]; …``."""
    runs: list[FlowRun] = []
    for words in (one.split() for one in text.split(";")):
        ending = words.pop() if words[-1] in ("failed", "ended") else "succeeded"
        runs.append(FlowRun.model_validate({"job": words[0], "after": tuple(words[2:]), "ending": ending}))
    limit = Duration(deadline) if deadline is not None else None
    return Flow(name="nightly", runs=tuple(runs), deadline=limit, **fields)


def injected(*texts: str) -> list[Injected]:
    """What is injected."""
    return recorded.injected(texts)


def played(lines: tuple[str, ...] | str, *faults: str) -> Prediction:
    """What becomes of a job."""
    lines = (lines,) if isinstance(lines, str) else lines
    return play(Behaviour(job(*lines)), injected(*faults))
