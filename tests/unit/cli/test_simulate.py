"""``tfdsl simulate``: what becomes of a job when something happens to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.shell import ROOT, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

JOB = """\
param workers: int = 4
job mnist {
  image = "registry.example.com/mnist:1.4"
  command = ["python", "train.py"]
  role chief { }
  role worker { replicas = workers }
  role ps { }
  on failed => restart pod
  on exit 3 => abort job
}
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "mnist.tfjob").write_text(JOB)
    return tmp_path


def shown(folder: Path, *words: str) -> str:
    ran = tfdsl("simulate", "mnist.tfjob", "-t", "volcano", *words, cwd=folder)
    assert (ran.status, ran.err) == (0, ""), ran.err
    return ran.out


def data(folder: Path, *words: str, file: str = "mnist.tfjob", target: str = "volcano") -> Any:
    ran = tfdsl("simulate", file, "-t", target, "--format", "json", *words, cwd=folder)
    assert (ran.status, ran.err) == (0, ""), ran.err
    return json.loads(ran.out)


def language(folder: Path, *faults: str, **more: Any) -> Any:
    words = [word for fault in faults for word in ("--inject", fault)]
    return data(folder, *words, **more)["jobs"][0]["scenarios"][0]["language"]


def test_one_scenario_is_a_table(job: Path) -> None:
    lines = shown(job, "--inject", "worker[1] exit 1 after 20s").splitlines()
    assert lines[0] == "# mnist: worker[1] exit 1 after 20s"
    assert lines[1].split() == ["outcome", "restarts", "left", "because"]
    assert lines[2].split("  ")[0] == "language"
    assert "worker[1] replaced" in lines[2]
    assert lines[2].endswith("chief completed")


def test_without_inject_the_usual_faults_are_played_one_by_one(job: Path) -> None:
    scenarios = data(job)["jobs"][0]["scenarios"]
    names = [" ".join(one["inject"]) for one in scenarios]
    assert names[0] == ""
    for role in ("chief[0]", "ps[0]", "worker[1]"):
        for event in ("exit 1", "oom", "evicted", "exit 1 always", "exit 3"):
            assert f"{role} {event}" in names
    ends = {name: one["language"]["outcome"] for name, one in zip(names, scenarios, strict=True)}
    assert ends[""] == "succeeded"
    assert (ends["worker[1] exit 1"], ends["worker[1] exit 1 always"]) == ("succeeded", "failed")
    assert ends["ps[0] exit 3"] == "aborted"
    text = shown(job)
    assert all(any(line.startswith(f"{name or 'nothing fails'}  ") for line in text.splitlines()) for name in names)


def test_a_difference_is_marked_and_a_message_of_the_target_tells_it(job: Path) -> None:
    """Volcano deletes the failed pods when no retry is left."""
    (scenario,) = data(job, "--inject", "worker[1] exit 1 always")["jobs"][0]["scenarios"]
    (volcano,) = scenario["targets"]
    assert (volcano["differs"], volcano["left"]) == (["left"], {})
    assert scenario["language"]["left"] == {"worker[1]": "failed"}
    assert [one["slug"] for one in volcano["messages"]] == ["volcano-lost-logs"]
    assert volcano["messages"][0]["line"] == 8
    text = shown(job, "--inject", "worker[1] exit 1 always")
    assert "* differs from the language\n  volcano: VOL152 volcano-lost-logs (mnist.tfjob:8): " in text


def test_what_the_block_of_a_target_changes_is_no_difference(tmp_path: Path) -> None:
    block = "  target volcano { on worker failed => restart job }\n}"
    (tmp_path / "mnist.tfjob").write_text(JOB.rstrip().removesuffix("}") + block)
    (scenario,) = data(tmp_path, "--inject", "worker[1] exit 1")["jobs"][0]["scenarios"]
    (volcano,) = scenario["targets"]
    assert set(scenario["language"]["restarts"]) == {"worker[1]"}
    assert len(volcano["restarts"]) == 6
    assert volcano["differs"] == []


@pytest.mark.parametrize(
    ("faults", "outcome", "restarts"),
    [
        ((), "succeeded", {}),
        (("worker[1] oom", "worker[1] oom"), "succeeded", {"worker[1]": {"replaced": 2, "in_place": 0}}),
        (("ps evicted after 1h",), "succeeded", {"ps[0]": {"replaced": 1, "in_place": 0}}),
        (("worker[0..1] preempted", "worker[2..3] node lost"), "failed", None),
        (("chief[0] completed after 1m", "worker[0] exit 1 after 2m"), "succeeded", {}),
    ],
)
def test_events(job: Path, faults: tuple[str, ...], outcome: str, restarts: dict[str, Any] | None) -> None:
    end = language(job, *faults) if faults else data(job)["jobs"][0]["scenarios"][0]["language"]
    assert end["outcome"] == outcome
    assert restarts is None or end["restarts"] == restarts


def test_what_could_not_happen_is_told(job: Path) -> None:
    fault = "worker[0] exit 1 after 2m"
    text = shown(job, "--inject", "chief[0] completed after 1m", "--inject", fault)
    assert f"\n{fault} did not happen by the language, on volcano " in text


def test_a_job_that_does_not_end_says_why(job: Path) -> None:
    faults = ("chief[0] pending", "worker[0] pending")
    end = language(job, *faults)
    assert (end["outcome"], end["cause"]) == (None, "chief[0] has not started, and nothing limits the wait")
    assert "does not end" in shown(job, *(word for fault in faults for word in ("--inject", fault)))


def test_wrong_events_are_marked_inside_of_their_argument(job: Path) -> None:
    words = ("--inject", "wroker[1] exit 137", "--inject", "worker[1] exit 300")
    ran = tfdsl("simulate", "mnist.tfjob", *words, cwd=job)
    assert (ran.status, ran.out) == (1, "")
    assert "error[TFJ4705] inject-status: an exit status must be a number from 0 to 255, not 300" in ran.err
    line, mark = ran.err.splitlines()[3:5]
    assert line[mark.index("^") : mark.rindex("^") + 1] == "300"
    ran = tfdsl("simulate", "mnist.tfjob", *words[:2], cwd=job)
    assert (ran.status, ran.out) == (1, "")
    line, mark = ran.err.splitlines()[3:5]
    assert line[mark.index("^") : mark.rindex("^") + 1] == "wroker[1]"
    assert "= help: did you mean worker?" in ran.err


def test_replicas_are_those_of_the_params(job: Path) -> None:
    assert tfdsl("simulate", "mnist.tfjob", "--inject", "worker[7] oom", cwd=job).status == 1
    assert tfdsl("simulate", "mnist.tfjob", "--inject", "worker[7] oom", "--set", "workers=8", cwd=job).status == 0


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("simulate", "mnist.tfjob", "-t", "volcan"), 2, "did you mean volcano?"),
        (("simulate", "mnist.tfjob", "-t", "volcano", "--all-targets"), 2, "--all-targets cannot be used with"),
        (("simulate", "nowhere.tfjob"), 2, "cannot read nowhere.tfjob"),
        (("simulate", "mnist.tfjob", "--job", "minst"), 1, "did you mean mnist?"),
        (("simulate", "mnist.tfjob", "--set", "workers=many"), 1, "many is not defined"),
        (("simulate", "mnist.tfjob", "-t", "volcano@1.9"), 1, "volcano-restart-pod-version"),
        (("simulate", "mnist.tfjob", "--inject"), 2, "--inject needs a value"),
    ],
)
def test_wrong_use(job: Path, words: tuple[str, ...], status: int, told: str) -> None:
    ran = tfdsl(*words, cwd=job)
    assert (ran.status, ran.out) == (status, "")
    assert told in ran.err


def test_what_refuses_the_job_is_named_when_all_targets_are_asked(job: Path) -> None:
    text = JOB.replace("on exit 3 => abort job", "on worker[1] failed => ignore")
    (job / "mnist.tfjob").write_text(text)
    ran = tfdsl("simulate", "mnist.tfjob", "--all-targets", "--format", "json", cwd=job)
    assert ran.status == 0
    found = json.loads(ran.out)
    shown_targets = {one["target"] for one in found["jobs"][0]["scenarios"][0]["targets"]}
    assert not shown_targets & {*found["refused"], *found["unknown"]}
    assert found["jobs"][0]["scenarios"][0]["language"]["outcome"] == "succeeded"


def test_jobs_of_a_matrix_that_end_alike_are_shown_once(tmp_path: Path) -> None:
    sweep = JOB.replace("job mnist {", "job mnist {\n  matrix { rate = [1, 2, 3, 4, 5], keep = [true, false] }")
    sweep = sweep.replace("  on exit 3", '  retries = matrix.keep ? 3 : 1\n  args = ["${matrix.rate}"]\n  on exit 3')
    (tmp_path / "mnist.tfjob").write_text(sweep)
    ran = tfdsl("simulate", "mnist.tfjob", "-t", "volcano", "--inject", "worker[1] oom always", cwd=tmp_path)
    heads = [line for line in ran.out.splitlines() if line.startswith("#")]
    assert heads == [
        "# mnist-0 to mnist-8 (5 jobs): worker[1] oom always",
        "# mnist-1 to mnist-9 (5 jobs): worker[1] oom always",
    ]
    one = tfdsl("simulate", "mnist.tfjob", "--job", "mnist-3", "--inject", "worker[1] oom", cwd=tmp_path)
    assert one.out.startswith("# mnist-3: worker[1] oom\n")


def test_a_suspended_job_is_played_as_resumed(tmp_path: Path) -> None:
    (tmp_path / "mnist.tfjob").write_text(JOB.replace("  role chief", "  suspend = true\n  role chief", 1))
    ran = tfdsl("simulate", "mnist.tfjob", "--inject", "worker[1] oom", cwd=tmp_path)
    assert ran.out.splitlines()[1] == "It is created suspended; this is what happens once it is resumed."


def test_a_job_as_json_and_from_standard_input(job: Path) -> None:
    given = {"name": "digits", "roles": [{"name": "worker", "replicas": 2, "image": "r.example.com/x:1"}]}
    text = json.dumps(given).encode()
    ran = tfdsl("simulate", "-", "-t", "volcano", "--inject", "worker[1] exit 1", cwd=job, stdin=text)
    assert (ran.status, ran.err) == (0, "")
    assert "worker[1] exited 1" in ran.out


def test_four_thousand_workers_take_their_time_but_not_more(job: Path) -> None:
    end = data(job, "--set", "workers=4000", "--inject", "worker[3999] exit 1", "--inject", "worker evicted after 1h")
    assert end["jobs"][0]["scenarios"][0]["language"]["outcome"] == "failed"
    text = shown(job, "--set", "workers=4000", "--inject", "worker evicted")
    assert max(map(len, text.splitlines())) < 200


def test_whether_tensorboard_restarts_with_the_others_is_no_difference(job: Path) -> None:
    board = '  role tensorboard { logdir = "/runs" }\n  mount pvc "runs" at "/runs"\n'
    (job / "mnist.tfjob").write_text(JOB.replace("  on failed", f"{board}  on evicted => restart job\n  on failed"))
    (scenario,) = data(job, "--inject", "worker[1] preempted")["jobs"][0]["scenarios"]
    (volcano,) = scenario["targets"]
    assert (volcano["differs"], "tensorboard[0]" in volcano["restarts"]) == ([], True)


@pytest.mark.parametrize("name", sorted(path.parent.name for path in (ROOT / "examples").glob("*/main.tfjob")))
def test_every_example_is_played_everywhere(name: str) -> None:
    ran = tfdsl("simulate", "main.tfjob", "--all-targets", "--format", "json", cwd=ROOT / "examples" / name)
    assert ran.status == 0, ran.err
    for job in json.loads(ran.out)["jobs"]:
        assert job["scenarios"][0]["language"]["outcome"] == "succeeded"
        for scenario in job["scenarios"]:
            for one in (scenario["language"], *scenario["targets"]):
                assert one["outcome"] in ("succeeded", "failed", "aborted", None)
                assert one["cause"]


def test_what_is_wrong_without_a_target_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """1,500 wrong jobs were compiled for seven targets before that was said."""

    def asked(*_: object) -> None:
        pytest.fail("a target is asked about a job that is wrong on every target")

    wrong = "".join(f"job j{number} {{\n  image = 'a:1'\n  role worker {{ replica = 2 }}\n}}\n" for number in range(3))
    (tmp_path / "wrong.tfjob").write_text(wrong.replace("'", '"'))
    monkeypatch.setattr("tfdsl.compiling.front_end.compiled", asked)
    ran = tfdsl("simulate", "wrong.tfjob", cwd=tmp_path)
    assert ran.status == 1
    assert ran.err.count("unknown-attribute") == 3


def test_a_target_may_give_what_the_job_lacks(tmp_path: Path) -> None:
    """Without an image a job is an error, but on volcano it has one."""
    job = 'job j {\n  command = ["x"]\n  role worker { }\n  target volcano { image = "a:1" }\n}\n'
    (tmp_path / "j.tfjob").write_text(job)
    ran = tfdsl("simulate", "j.tfjob", "--inject", "worker[0] exit 1", cwd=tmp_path)
    assert (ran.status, "volcano" in ran.out) == (0, True), ran.err


EVICTED = JOB.replace("on failed => restart pod", "on failed => abort job\n  on evicted => restart job").replace(
    "  on exit 3 => abort job\n", '  prepare fetch { command = ["fetch"] }\n'
)


def test_several_ends_are_shown(tmp_path: Path) -> None:
    """Seen with Volcano 1.15.1: in 3 of 8 runs the job was aborted, in the others it was restarted."""
    (tmp_path / "mnist.tfjob").write_text(EVICTED)
    lines = shown(tmp_path, "--inject", "worker[1] evicted after 20s").splitlines()
    assert [line.split()[:3] for line in lines[2:5]] == [
        ["language", "succeeded", "chief[0]"],
        ["volcano", "1.15", "succeeded"],
        ["or", "aborted", "*"],
    ]
    assert any("VOL142" in line for line in lines)
    [target] = data(tmp_path, "--inject", "worker[1] evicted after 20s")["jobs"][0]["scenarios"][0]["targets"]
    assert (target["outcome"], target["differs"]) == ("succeeded", ["outcome", "restarts", "left"])
    assert [(one["outcome"], one["left"]) for one in target["or"]] == [("aborted", {"worker[1]": "failed"})]
    overview = [" ".join(line.split()) for line in shown(tmp_path).splitlines()]
    assert "worker[1] evicted succeeded, 6 restarts succeeded, 6 restarts or aborted *" in overview
    [deleted] = data(tmp_path, "--inject", "worker[1] preempted")["jobs"][0]["scenarios"][0]["targets"]
    assert (deleted["differs"], deleted["or"]) == ([], [])


def test_prepare_steps_are_played_without_being_asked(tmp_path: Path) -> None:
    text = EVICTED.replace("on failed => abort job", "on failed => restart pod\n  on exit 5 => abort job")
    (tmp_path / "mnist.tfjob").write_text(text)
    lines = shown(tmp_path).splitlines()
    assert "worker[1]/fetch exit 5 aborted succeeded, 1 restart *" in [" ".join(line.split()) for line in lines]
    assert any("VOL170" in line for line in lines)


def test_a_limit_of_the_cluster_is_no_difference_where_there_is_none(job: Path) -> None:
    text = shown(job, "--inject", "time limit after 3h")
    assert "time limit after 3h did not happen on volcano 1.15: nothing limits its time" in text
    assert "differs" not in text


def test_run_plays_nothing_that_happens_to_a_step(job: Path) -> None:
    ran = tfdsl("run", "mnist.tfjob", "--inject", "worker[0]/fetch exit 1", cwd=job)
    assert ran.status != 0
    assert "TFJ4702" in ran.err
    assert "use tfdsl simulate" in ran.err
