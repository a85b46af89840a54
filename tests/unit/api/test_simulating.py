"""``tfdsl.simulate`` and ``tfdsl.matrix``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tfdsl

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
param workers: int = 2
job digits {
  image = "registry.example.com/ml/digits:1.4"
  matrix { rate = [0.1, 0.01], memory = [4Gi] }
  role worker { replicas = workers, memory = matrix.memory, args = ["--rate=${matrix.rate}"] }
  on failed => restart pod
}
"""


def test_scenarios_by_the_language_and_on_targets() -> None:
    first, second = tfdsl.simulate(text=TEXT, targets="volcano", inject=["worker[1] exit 1", "worker[0] oom"])
    assert (first.job, second.job) == ("digits-0", "digits-1")
    assert first.inject == ("worker[1] exit 1", "worker[0] oom")
    assert (first.language.outcome, first.language.retries) == ("succeeded", 2)
    assert first.language.replaced == {"worker[0]": 1, "worker[1]": 1}
    (on,) = first.targets
    assert (on.target, on.ending, on.differs) == ("volcano", on.ending, ())
    assert on.ending.replaced == first.language.replaced


def test_other_ends_that_are_possible() -> None:
    text = TEXT.replace("on failed => restart pod", "on failed => abort job\n  on evicted => restart job")
    (on,) = tfdsl.simulate(text=text, job="digits-0", targets="volcano", inject="worker[1] evicted")[0].targets
    assert (on.ending.outcome, [one.outcome for one in on.others]) == ("succeeded", ["aborted"])
    (on,) = tfdsl.simulate(text=text, job="digits-0", targets="volcano", inject="worker[1] preempted")[0].targets
    assert on.others == ()


def test_without_targets_the_language_alone() -> None:
    scenarios = tfdsl.simulate(text=TEXT, job="digits-1")
    assert scenarios[0].inject == ()
    assert {one.job for one in scenarios} == {"digits-1"}
    assert not any(one.targets for one in scenarios)


def test_a_difference_comes_with_the_message_that_tells_it() -> None:
    first = tfdsl.simulate(text=TEXT, targets=["volcano@1.14"], inject="worker[1] exit 1 always")[0]
    (on,) = first.targets
    assert on.version == "1.14"
    assert on.differs == ("left",)
    assert [one.slug for one in on.diagnostics] == ["volcano-lost-logs"]


@pytest.mark.parametrize("inject", ["worker[1] exit 999", "worker", "", "worker[1] exit 1 after 3"])
def test_a_wrong_event_is_wrong_use(inject: str) -> None:
    with pytest.raises(tfdsl.UsageError):
        tfdsl.simulate(text=TEXT, inject=inject)


def test_a_replica_that_is_not_there_is_an_error_of_the_job() -> None:
    with pytest.raises(tfdsl.CompileError, match="role worker of job digits-0 and job digits-1 has no replica 2"):
        tfdsl.simulate(text=TEXT, inject="worker[2] oom")
    assert tfdsl.simulate(text=TEXT, inject="worker[2] oom", params={"workers": 3})


def test_options_belong_to_one_target() -> None:
    with pytest.raises(TypeError):
        tfdsl.simulate(text=TEXT, targets=("volcano", "tfjob"), options={"tf_config": "static"})
    assert tfdsl.simulate(text=TEXT, targets="volcano", options={"tf_config": "static"}, inject="worker oom")


def test_a_job_made_in_python() -> None:
    role = tfdsl.ir.Role(name="worker", image="registry.example.com/x:1", command=("a",), replicas=2)
    (scenario,) = tfdsl.simulate(tfdsl.ir.Job(name="x", roles=(role,)), "volcano", "worker[1] exit 1")
    assert scenario.language.cause == "worker[1] exited 1"


def test_the_jobs_of_a_matrix(tmp_path: Path) -> None:
    (tmp_path / "digits.tfjob").write_text(TEXT)
    first, second = tfdsl.matrix(tmp_path / "digits.tfjob")
    assert (first.name, first.block, first.index, first.values) == (
        "digits-0",
        "digits",
        0,
        {"rate": 0.1, "memory": "4Gi"},
    )
    assert second.values["rate"] == 0.01
    assert [one.name for one in tfdsl.matrix(text=TEXT, job="digits-1")] == ["digits-1"]
    with pytest.raises(tfdsl.CompileError):
        tfdsl.matrix(text=TEXT, job="digits-2")
