"""What was seen on real controllers is what we write and say: every recorded scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends.volcano.scenarios import HEAD, Seen, play, scenarios
from tfdsl import pipeline, targets
from tfdsl.emit.located import plain
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

SCENARIOS = scenarios()
PLAYED = [one for one in SCENARIOS if "phase" in one]
OF_DELETED = (137, 143)


def compiled(case: dict[str, Any]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """The job of a scenario as it is written now, and what is said about it."""
    backend = targets.find("volcano")
    assert backend is not None
    text = f'job s {{\nimage = "r/x:1"\ncommand = ["python", "t.py"]\n{case["roles"]}\n}}\n'
    program = pipeline.load(Source("job.tfjob", text), lambda path: "no includes here")
    done = pipeline.run(program, pipeline.Request(), [pipeline.Choice(backend, version=case.get("release", HEAD))])
    made = [plain(document.data) for one in done.made for document in one.documents]
    return (made[0] if made else {}), list(done.diagnostics)  # type: ignore[return-value]  # a document is a map


def as_then(job: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """The manifest without the statuses of deleted pods, which were not given the evicted action at that time."""

    def kept(policies: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [p for p in policies if p.get("exitCode") not in OF_DELETED or f"exit {p['exitCode']}" in case["roles"]]

    spec = job["spec"]
    tasks = [{**task, "policies": kept(task.get("policies", []))} for task in spec["tasks"]]
    return {**job, "spec": {**spec, "policies": kept(spec.get("policies", [])), "tasks": tasks}}


def fails_deleted(case: dict[str, Any]) -> bool:
    """Whether the release of the scenario sees the end of a pod that is deleted."""
    return case.get("release", HEAD) != "1.9.1"


def same(seen: Seen, expected: dict[str, Any]) -> bool:
    """Whether what was played ended as expected, in what the scenario tells."""
    starts = {pod: seen.starts.get(pod) for pod in expected.get("starts", {})}
    return (seen.phase, seen.retries, starts) == (expected["phase"], expected["retries"], expected.get("starts", {}))


def name(case: dict[str, Any]) -> str:
    return "-".join(case["names"])


def test_none_is_left_out() -> None:
    assert len({name for case in SCENARIOS for name in case["names"]}) == 85


@pytest.mark.parametrize("case", SCENARIOS, ids=name)
def test_what_is_said(case: dict[str, Any]) -> None:
    _, diagnostics = compiled(case)
    codes = {d.rule.code for d in diagnostics}
    assert set(case.get("told", ())) <= codes
    assert [d.rule.code for d in diagnostics if d.level == "error"] == ([case["refused"]] if "refused" in case else [])
    if "phase" in case and "VOL149" not in codes:
        assert "wanted" not in case or "VOL142" in codes


@pytest.mark.parametrize("case", PLAYED, ids=name)
def test_the_player_ends_as_the_controller_did(case: dict[str, Any]) -> None:
    job, diagnostics = compiled(case)
    seen = play(as_then(job, case), case["events"], fails_deleted=fails_deleted(case))
    if any(d.rule.code == "VOL149" for d in diagnostics):  # one restart may count for two, and for the whole job
        assert (seen.phase, seen.retries in (case["retries"], case["retries"] // 2)) == (case["phase"], True)
    else:
        assert same(seen, case)


@pytest.mark.parametrize("case", PLAYED, ids=name)
def test_what_is_written_now_does_what_the_job_says(case: dict[str, Any]) -> None:
    job, diagnostics = compiled(case)
    seen = play(job, case["events"], fails_deleted=fails_deleted(case))
    if not any(d.rule.code == "VOL149" for d in diagnostics):
        assert same(seen, case.get("wanted", case))
