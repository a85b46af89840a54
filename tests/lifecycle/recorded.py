"""What real controllers did with small jobs, as data that the predictions are compared with.

``scenarios/TARGET.toml`` has a table ``[[scenario]]`` for each run:

- ``name``; ``source``: where it was seen, in a few words;
- ``job``: the lines of a job that has an image and a command, with a block ``target NAME { … }`` where it has options;
- ``version`` of the target, without it the newest; ``inject``: what happened, as ``tfdsl simulate --inject`` takes it;
- ``finish = false``: the commands ran on for ever; otherwise those that nothing happened to ended with 0;
- ``outcome``: ``succeeded``, ``failed``, ``aborted``, or ``running`` for a job that did not end;
- ``parts``: of a job that is several objects, the outcome of each;
- ``restarts``: of the replicas whose commands started again, how often, in place or in new pods; one that is not named
  did not, and without the field nobody counted. One whose prepare step failed before had not started;
- ``left``: the replicas of which something was left at the end, and its phase; without the field nobody looked;
- ``removed``: whether all of it was removed after the ``ttl``;
- ``said``: codes of what is reported about the job; ``refused``: the code with which the target refuses the job (then
  nothing is played);
- ``chance``: the code or the key of the row of the support table that says that this may end in several ways: what was
  seen is one of those that are predicted, and there are several;
- ``loose``: the same of what cannot be foreseen: ``outcome`` is then a list of what was seen in different runs, and
  nothing is compared.

A table ``[[unsaid]]`` with ``name`` and ``why`` is a recorded run that the language cannot say.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.lifecycle.faults import Injected, parse
from tfdsl.lifecycle.scenario import play
from tfdsl.record import Record
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tfdsl.backend import Backend
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lifecycle.scenario import Prediction

_STEP = re.compile(r"\S+/\S+ exits ")
"""A line of a story: a step has failed. Nothing recorded happened to a sidecar."""

FOLDER = Path(__file__).with_name("scenarios")
JOB = 'job {name} {{\n  image = "registry.example.com/seen:1"\n  command = ["python", "train.py"]\n{lines}\n}}\n'


class Observation(Record):
    """How a job ended. ``outcome``: ``running`` when it did not; ``None`` where nobody looked."""

    outcome: str
    restarts: Mapping[str, int] | None
    left: Mapping[str, str] | None
    removed: bool | None
    parts: Mapping[str, str] | None = None


class Scenario(Record):
    """A recorded run (see the module)."""

    target: str
    name: str
    source: str
    job: str
    version: str | None
    inject: tuple[str, ...]
    finish: bool
    seen: Observation | None
    said: tuple[str, ...]
    refused: str
    loose: str
    outcomes: tuple[str, ...]
    chance: str

    def __str__(self) -> str:
        """For the name of a test."""
        return f"{self.target}-{self.name}"


def recorded() -> list[str]:
    """The targets of which runs are recorded."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def scenarios(target: str) -> list[Scenario]:
    """The recorded runs of ``target`` that the language can say."""
    return [_scenario(target, one) for one in _read(target).get("scenario", ())]


def unsaid(target: str) -> dict[str, str]:
    """The others: name → why the language cannot say them."""
    return {one["name"]: one["why"] for one in _read(target).get("unsaid", ())}


def compiled(scenario: Scenario) -> tuple[pipeline.Made | None, tuple[Diagnostic, ...]]:
    """The job of a scenario as it is made now, and what is reported about it."""
    return compile_lines(scenario.job, backend_of(scenario.target), scenario.version)


def compile_lines(
    lines: str, backend: Backend, version: str | None = None
) -> tuple[pipeline.Made | None, tuple[Diagnostic, ...]]:
    """A job of ``lines``, made for a target, and what is reported about it."""
    program = pipeline.load(Source("seen.tfjob", text_of(lines)), lambda path: "no files here")
    done = pipeline.run(program, Request(), [Choice(backend, version)])
    return (done.made[0] if done.made else None), done.diagnostics


def text_of(lines: str, name: str = "seen") -> str:
    """The text of a job of ``lines``."""
    return JOB.format(name=name, lines=lines)


def backend_of(target: str) -> Backend:
    """The target called so."""
    backend = targets.find(target)
    assert backend is not None, target
    return backend


def predicted(made: pipeline.Made, faults: Sequence[str], *, finish: bool = True) -> Prediction:
    """What the target is said to make of a job when ``faults`` happen."""
    behaviour = backend_of(made.unit.target).behaviour(made.unit, made.documents)
    assert behaviour is not None, f"nobody says how jobs live on {made.unit.target}"
    return play(behaviour, injected(faults), finish=finish)


def injected(faults: Sequence[str]) -> list[Injected]:
    """The faults as events."""
    return [_injected(text) for text in faults]


def _injected(text: str) -> Injected:
    fault = parse(text)
    assert isinstance(fault, Injected), f"{text}: {fault.message}"
    return fault


def observation(prediction: Prediction) -> Observation:
    """A prediction in the words of an observation."""
    unstarted = Counter(line.partition("/")[0] for line in prediction.story if _STEP.match(line))
    restarts = {
        str(one.task): max(one.starts - 1 + one.restarts - unstarted[str(one.task)], 0) for one in prediction.replicas
    }
    return Observation(
        prediction.outcome or "running",
        {task: count for task, count in restarts.items() if count},
        prediction.left(),
        prediction.removed_after is not None,
        {part: outcome or "running" for part, outcome in prediction.parts.items()} or None,
    )


def differences(prediction: Prediction, seen: Observation) -> list[str]:
    """Where a prediction differs from what was seen, in words; what nobody looked at is left out."""
    expected = observation(prediction)
    pairs = [
        ("outcome", expected.outcome, seen.outcome),
        ("restarts", expected.restarts, seen.restarts),
        ("left", expected.left, seen.left),
        ("removed", expected.removed, seen.removed),
        ("parts", expected.parts, seen.parts),
    ]
    return [f"{what}: predicted {ours}, seen {theirs}" for what, ours, theirs in pairs if theirs not in (None, ours)]


def _read(target: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{target}.toml").read_text("utf-8"))


FIELDS = {
    *("name", "source", "job", "version", "inject", "finish", "outcome", "parts", "restarts", "left", "removed"),
    *("said", "refused", "loose", "chance"),
}


def _scenario(target: str, one: dict[str, Any]) -> Scenario:
    assert set(one) <= FIELDS, f"{one['name']}: {sorted(set(one) - FIELDS)}"
    loose, refused = one.get("loose", ""), one.get("refused", "")
    outcomes = tuple(one["outcome"]) if loose else ()
    seen = None
    if not loose and not refused:
        seen = Observation(one["outcome"], one.get("restarts"), one.get("left"), one.get("removed"), one.get("parts"))
    return Scenario(
        target,
        one["name"],
        one["source"],
        one["job"],
        one.get("version"),
        tuple(one.get("inject", ())),
        one.get("finish", True),
        seen,
        tuple(one.get("said", ())),
        refused,
        loose,
        outcomes,
        one.get("chance", ""),
    )
