"""How flows end. What is expected follows from the rules of flows in docs/language.md, not from the code."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from tests.unit.lifecycle.jobs import flow_of
from tfdsl.lifecycle.flow import FlowMachine, FlowPrediction, play_flow, without_needless
from tfdsl.lifecycle.scenario import Prediction

_ENDS = {"ok": "succeeded", "fail": "failed", "abort": "aborted", "never": None}

_CHAIN = "fetch; train after fetch; eval after train"
_HANDLED = "train; export after train; notify after train failed"
_CLEANED = "train; clean after train ended; report after clean"
_BRANCHES = "fetch; a after fetch; b after fetch; c after a; d after b"
_DIAMOND = "fetch; a after fetch; b after fetch; join after a b"
_BOTH = "a; b; tidy after a b ended; next after tidy"
_TRAINED = "fetch; train after fetch; rescue after train failed; export after rescue; always after rescue ended"


def _played(text: str, ends: str, deadline: str | None = None) -> FlowPrediction:
    """``ends``: ``JOB:END[@HOURS]``; other jobs succeed after an hour."""
    flow = flow_of(text, deadline)
    told = dict(one.split(":") for one in ends.split())
    predictions: dict[str, Prediction] = {}
    for run in flow.runs:
        end, _, hours = told.pop(run.job, "ok").partition("@")
        predictions[run.job] = Prediction(_ENDS[end], f"it {end}s", (), 0, (), ms=int(hours or 1) * 3_600_000)
    assert not told
    return play_flow(flow, predictions)


@pytest.mark.parametrize(
    ("flow", "ends", "deadline", "outcome", "states"),
    [
        (_CHAIN, "", None, "succeeded", "ok ok ok"),
        (_CHAIN, "fetch:fail", None, "failed", "fail - -"),
        (_CHAIN, "train:fail", None, "failed", "ok fail -"),
        (_CHAIN, "train:abort", None, "failed", "ok abort -"),
        (_CHAIN, "eval:abort", None, "failed", "ok ok abort"),
        (_CHAIN, "train:never", None, None, "ok run wait"),  # nothing limits the wait
        (_CHAIN, "train:never", "12h", "failed", "ok fail -"),
        (_CHAIN, "train:ok@20", "12h", "failed", "ok fail -"),
        (_CHAIN, "train:ok@10", "12h", "succeeded", "ok ok ok"),
        (_CHAIN, "train:ok@11", "12h", "failed", "ok ok fail"),  # the deadline is that of the whole flow
        (_HANDLED, "", None, "succeeded", "ok ok -"),
        (_HANDLED, "train:fail", None, "failed", "fail - ok"),  # what handles a failure turns no flow green
        (_HANDLED, "train:abort", None, "failed", "abort - ok"),
        (_HANDLED, "train:fail notify:fail", None, "failed", "fail - fail"),
        (_HANDLED, "export:fail", None, "failed", "ok fail -"),
        (_HANDLED, "train:never", "1h", "failed", "fail - -"),  # nothing starts after the deadline
        (_HANDLED, "train:fail@2 notify:never", "3h", "failed", "fail - fail"),
        (_CLEANED, "", None, "succeeded", "ok ok ok"),
        (_CLEANED, "train:fail", None, "failed", "fail ok ok"),
        (_CLEANED, "train:abort", None, "failed", "abort ok ok"),
        (_CLEANED, "clean:fail", None, "failed", "ok fail -"),
        (_BRANCHES, "", None, "succeeded", "ok ok ok ok ok"),
        (_BRANCHES, "a:fail", None, "failed", "ok fail ok - ok"),  # the other branch goes on
        (_BRANCHES, "a:fail b:abort", None, "failed", "ok fail abort - -"),
        (_BRANCHES, "fetch:fail", None, "failed", "fail - - - -"),
        (_BRANCHES, "a:never", "9h", "failed", "ok fail ok - ok"),
        (_BRANCHES, "a:never", None, None, "ok run ok wait ok"),
        (_BRANCHES, "d:fail", None, "failed", "ok ok ok ok fail"),
        (_DIAMOND, "", None, "succeeded", "ok ok ok ok"),
        (_DIAMOND, "a:fail", None, "failed", "ok fail ok -"),
        (_DIAMOND, "b:abort@7", None, "failed", "ok ok abort -"),
        (_DIAMOND, "a:never b:fail", None, None, "ok run fail -"),
        (_DIAMOND, "join:fail", None, "failed", "ok ok ok fail"),
        (_BOTH, "a:fail b:abort", None, "failed", "fail abort ok ok"),  # both have ended
        (_BOTH, "a:fail b:never", None, None, "fail run wait wait"),
        (_BOTH, "a:fail b:never", "5h", "failed", "fail fail - -"),
        (_TRAINED, "", None, "succeeded", "ok ok - - -"),
        (_TRAINED, "train:fail", None, "failed", "ok fail ok ok ok"),
        (_TRAINED, "train:fail rescue:abort", None, "failed", "ok fail abort - ok"),
        (_TRAINED, "fetch:fail", None, "failed", "fail - - - -"),  # train did not run: it has not failed, or ended
        ("b after a failed; a", "a:fail", None, "failed", "ok fail"),  # the order of the file decides nothing
        ("a; b; c after a b", "a:ok@5 b:ok@1", "6h", "succeeded", "ok ok ok"),
    ],
)
def test_how_a_flow_ends(flow: str, ends: str, deadline: str | None, outcome: str | None, states: str) -> None:
    words = {"run": "running", "wait": "waiting", "-": "not run", **{word: end or "" for word, end in _ENDS.items()}}
    played = _played(flow, ends, deadline)
    assert (played.outcome, list(played.jobs.values())) == (outcome, [words[word] for word in states.split()])


@pytest.mark.parametrize(
    ("flow", "ends", "deadline", "cause"),
    [
        (_CHAIN, "", None, "every job that ran has succeeded"),
        (_CHAIN, "train:fail", None, "train has failed: it fails"),
        (_CHAIN, "train:abort", None, "train was aborted: it aborts"),
        (_CHAIN, "train:never", None, "train does not end: it nevers"),
        (_CHAIN, "train:never", "12h", "the deadline of the flow has passed, and train still runs"),
    ],
)
def test_what_ended_a_flow(flow: str, ends: str, deadline: str | None, cause: str) -> None:
    assert _played(flow, ends, deadline).cause == cause


def test_what_runs_at_the_same_time() -> None:
    machine = FlowMachine(flow_of(_DIAMOND))
    assert machine.begin() == ["fetch"]
    assert machine.ended("fetch", "succeeded") == ["a", "b"]
    assert machine.ended("b", "succeeded") == []
    assert (machine.running, machine.outcome) == (["a"], None)
    assert machine.ended("a", "succeeded") == ["join"]


def test_nothing_starts_once_a_flow_is_stopped() -> None:
    machine = FlowMachine(flow_of("a; b after a failed; c after a ended"))
    machine.begin()
    assert machine.stop() == ["a"]
    assert machine.ended("a", "aborted") == []
    assert (machine.outcome, machine.jobs) == ("failed", {"a": "aborted", "b": "not run", "c": "not run"})


def test_each_way_in_which_a_job_can_end_is_a_way_for_the_flow() -> None:
    flow = flow_of(_HANDLED)
    good = Prediction("succeeded", "", (), 0, ())
    bad = Prediction("failed", "it was lost", (), 0, ())
    ends = {"train": Prediction("succeeded", "", (), 0, (), others=(bad, good)), "export": good, "notify": good}
    played = play_flow(flow, ends)
    assert (played.outcome, [(one.outcome, one.not_run) for one in played.others]) == (
        "succeeded",
        [("failed", ["export"])],
    )


def test_a_long_flow_takes_no_time() -> None:
    jobs = [f"j{at}" for at in range(2000)]
    text = "; ".join([jobs[0], *(f"{job} after {before}" for before, job in pairwise(jobs))])
    assert _played(text, "").outcome == "succeeded"
    assert _played(text, "j0:fail").not_run == jobs[1:]


@pytest.mark.parametrize(
    ("flow", "lean"),
    [
        ("a; b after a; c after a b", "a; b after a; c after b"),
        ("a; c after a b; b after a", "a; c after b; b after a"),
        ("a; b after a; c after a b ended", "a; b after a; c after b ended"),
        ("a; b after a failed; c after a b ended", "a; b after a failed; c after a b ended"),  # a has not succeeded
        ("a; b after a ended; c after a b", "a; b after a ended; c after a b"),  # nor is it sure here
        ("a; b after a; c after b ended; d after a c", "a; b after a; c after b ended; d after c"),
        (_DIAMOND, _DIAMOND),
    ],
)
def test_what_a_job_need_not_wait_for(flow: str, lean: str) -> None:
    assert without_needless(flow_of(flow)) == flow_of(lean)


def test_a_flow_lives_the_same_without_what_is_needless() -> None:
    random = Random(31)
    for _ in range(150):
        jobs = [f"j{at}" for at in range(random.randint(2, 9))]
        texts: list[str] = []
        for at, job in enumerate(jobs):
            after = random.sample(jobs[:at], random.randint(0, at))
            ending = random.choice(["succeeded", "succeeded", "ended", "failed"]) if after else "succeeded"
            after = after[:1] if ending == "failed" else after
            texts.append(" ".join([job, *(["after", *after] if after else []), *([ending] * (ending != "succeeded"))]))
        flow = flow_of("; ".join(texts), random.choice([None, "3h"]))
        for _ in range(6):
            ends = {
                job: Prediction(random.choice(["succeeded", "succeeded", "failed", "aborted", None]), job, (), 0, (),
                                ms=random.randint(1, 3) * 3_600_000)
                for job in jobs
            }  # fmt: skip
            assert play_flow(without_needless(flow), ends) == play_flow(flow, ends), flow


def test_a_flow_where_each_job_waits_for_all_before_it_costs_what_a_chain_costs() -> None:
    jobs = [f"j{at}" for at in range(150)]
    every = "; ".join([jobs[0], *(f"{job} after {' '.join(jobs[:at])}" for at, job in enumerate(jobs) if at)])
    chain = "; ".join([jobs[0], *(f"{job} after {before}" for before, job in pairwise(jobs))])
    assert without_needless(flow_of(every)) == flow_of(chain)
