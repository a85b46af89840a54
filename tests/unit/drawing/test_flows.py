"""A flow as a picture: its order, its schedule, and that a large one does not take for ever."""

from __future__ import annotations

from time import process_time
from xml.etree import ElementTree

import pytest

from tests.unit.drawing.test_formats import DOT, MERMAID
from tests.unit.lifecycle.jobs import CHIEF, flow_of, job
from tfdsl.drawing.flowcharts import dot, mermaid
from tfdsl.drawing.layout import layout
from tfdsl.drawing.picture import Picture
from tfdsl.drawing.svg import svg
from tfdsl.drawing.topology import flow_picture

NIGHTLY = (
    "fetch; train after fetch; eval after train; export after train eval; notify after train failed; "
    "tidy after eval ended"
)


def drawn(text: str, deadline: str | None = None, **fields: str) -> Picture:
    flow, one = flow_of(text, deadline, **fields), job(CHIEF)
    return flow_picture(flow, {run.job: one for run in flow.runs})


def test_each_job_is_below_those_before_it() -> None:
    made = layout(drawn(NIGHTLY))
    tops = {placed.sized.box.name: placed.y for placed in made.boxes}
    assert tops["fetch"] < tops["train"] < tops["eval"] < tops["export"]
    assert tops["notify"] > tops["train"]
    assert tops["tidy"] > tops["eval"]


def test_an_edge_says_with_which_end() -> None:
    links = {(one.source, one.target): (one.kind, one.label, one.path) for one in drawn(NIGHTLY).links}
    assert links == {
        ("run-0", "run-1"): ("succeeded", "", "runs[1].after"),
        ("run-1", "run-2"): ("succeeded", "", "runs[2].after"),
        ("run-1", "run-3"): ("succeeded", "", "runs[3].after"),
        ("run-2", "run-3"): ("succeeded", "", "runs[3].after"),
        ("run-1", "run-4"): ("failed", "failed", "runs[4].after"),
        ("run-2", "run-5"): ("ended", "ended", "runs[5].after"),
    }


def test_the_title_has_the_schedule() -> None:
    made = drawn(NIGHTLY, "12h", schedule="0 2 * * 1-5", time_zone="Europe/Berlin")
    assert made.heading == "flow nightly, 0 2 * * 1-5 (Europe/Berlin)"
    assert [line.text for line in made.lines] == ["a run that is due while another runs does not start", "at most 12h"]
    assert [line.text for line in made.boxes[0].lines] == ["chief, ps, worker ×2"]


def test_every_format_is_well_formed_and_has_the_order() -> None:
    made = [drawn(NIGHTLY, schedule="@daily"), drawn("a")]
    assert ElementTree.fromstring(svg(made)).tag.endswith("svg")
    assert "Train has to fail before notify. Eval has to end before tidy." in svg(made)
    assert 'class="link failed"' in svg(made)
    assert DOT.fullmatch(dot(made))
    assert 'g0_run_1 -> g0_run_4 [color="#c0392b", style=dashed, label="failed\\l"]' in dot(made)
    assert MERMAID.fullmatch(mermaid(made))
    assert 'g0_run_1 -.->|"failed"| g0_run_4' in mermaid(made)


@pytest.mark.parametrize("ending", ["", " ended"])
def test_of_a_large_flow_what_follows_from_other_edges_is_left_out(ending: str) -> None:
    jobs = [f"j{at}" for at in range(300)]
    began = process_time()
    every = drawn(
        "; ".join(f"{name} after {' '.join(jobs[:at])}{ending}" if at else name for at, name in enumerate(jobs))
    )
    assert [(link.source, link.target) for link in every.links] == [(f"run-{at}", f"run-{at + 1}") for at in range(299)]
    svg([every])
    assert process_time() - began < 20
