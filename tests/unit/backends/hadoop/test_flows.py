"""flow.sh of YARN and Slider: in which order it runs jobs, and how it ends them. Their submissions are stand-ins."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.flows import flow_of
from tests.unit.cli.shell import SHELLCHECK
from tfdsl.targets import find
from tfdsl.vocabulary.quantities import Duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

Runs = tuple[tuple[str, tuple[str, ...], str], ...]
NIGHTLY: Runs = (
    ("fetch", (), "succeeded"),
    ("other", (), "succeeded"),
    ("export", ("train", "eval"), "succeeded"),
    ("train", ("fetch",), "succeeded"),
    ("eval", ("train",), "succeeded"),
    ("notify", ("train",), "failed"),
    ("tidy", ("train",), "ended"),
)
SUBMIT = """#!/bin/sh
job=$(basename "$(dirname "$0")")
trap 'echo "$job ended" >>"$STORY"; exit 130' TERM
echo "$job starts $*" >>"$STORY"
case " ${WAITS-} " in *" $job "*) while [ ! -e "$GO" ]; do sleep 0.05; done ;; esac
case " ${FAILS-} " in *" $job "*) status=2 ;; *) status=0 ;; esac
echo "$job $status" >>"$STORY"
exit "$status"
"""
SLIDER = """#!/bin/sh
echo "slider $1 $2" >>"$STORY"
case $1 in
exists)
  [ -e "$STATE/live-$2" ] || exit 255
  [ -n "${LIVES-}" ] || [ "$(grep -c "exists $2" "$STORY")" -lt 4 ] || rm "$STATE/live-$2"
  ;;
create)
  : >"$STATE/live-$2"
  case " ${FAILS-} " in *" $2 "*) echo fail ;; *) echo complete ;; esac >"$STATE/end-$2"
  ;;
stop) rm "$STATE/live-$2" ;;
esac
"""
YARN = """#!/bin/sh
case $2 in
-list)
  printf 'Total number of applications: 2\\n'
  for end in "$STATE"/end-*; do
    for number in 1 2; do
      printf 'application_1_%s-%s\\t %s\\torg-apache-slider\\talice\\tdefault\\tFINISHED\\t%s\\t100%%\\thttp://x\\n' \\
        "${end##*-}" "$number" "${end##*/end-}" "${FINAL:-SUCCEEDED}"
    done
  done
  ;;
-applicationId)
  case $3 in *-2) ;; *) echo '2026-01-02 03:04:05 worker[0]: fail job: an earlier run'; exit ;; esac
  name=${3#application_1_} name=${name%-2}
  echo "fail job: the command itself has printed this"
  printf '2026-01-02 03:04:05 worker[0]: %s job: exited with status 3\\n' "$(cat "$STATE"/end-*"$name")"
  ;;
esac
"""


class Client:
    """Where the flow is called from, with what has happened in ``story``."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.flow, self.story = folder, folder / "the flow's", folder / "story"
        self.processes: list[subprocess.Popen[str]] = []
        (folder / "bin").mkdir()
        (folder / "state").mkdir()
        for name, text in (("slider", SLIDER), ("yarn", YARN)):
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)

    def write(self, target: str = "yarn", runs: Runs = NIGHTLY, command: str = "true", **fields: Any) -> None:
        backend = find(target)
        assert backend is not None
        flows = backend.load_flows()
        assert flows is not None
        body = f'command = ["{command}"]\n  cpu = 1\n  memory = 1Gi\n  role worker {{ }}'
        unit = flow_of("".join(f"job {name} {{\n  {body}\n}}\n" for name, _, _ in runs), runs, target, **fields)
        assert not list(flows.check(unit))
        for document in flows.generate(unit):
            path = self.flow / str(document.file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(document.data), encoding="utf-8")
            if path.name == "submit.sh" and target == "yarn" and command == "true":
                path.write_text(SUBMIT)
            path.chmod(0o755)

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        given = {
            **os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "STORY": str(self.story),
            "GO": str(self.folder / "go"), "STATE": str(self.folder / "state"), "TFJOB_POLL": "0.05",
            "TMPDIR": str(self.folder), **variables,
        }  # fmt: skip
        process = subprocess.Popen(
            [self.flow / "flow.sh", *words], cwd=self.folder, env=given, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.processes.append(process)
        return process

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*words, **variables)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    @property
    def said(self) -> list[str]:
        return [line.strip() for line in self.story.read_text().splitlines()] if self.story.exists() else []

    def until(self, what: Callable[[], object]) -> None:
        end = time.monotonic() + 30
        while not what():
            assert time.monotonic() < end, self.said
            time.sleep(0.02)

    def close(self) -> None:
        (self.folder / "go").touch()
        for process in self.processes:
            try:
                process.communicate(timeout=60)
            finally:
                with contextlib.suppress(ProcessLookupError):  # what a failed test has left
                    os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path)
    yield made
    made.close()


def outcomes(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Job -> what the summary says of it."""
    lines = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in lines}


@pytest.mark.parametrize(
    ("fails", "status", "ran", "not_run"),
    [
        ("", 0, "fetch train eval export tidy other", "notify"),
        ("train", 2, "fetch train notify tidy other", "eval export"),
        ("fetch", 2, "fetch other", "train eval export notify tidy"),
        ("tidy", 2, "fetch train eval export tidy other", "notify"),
        ("other train notify", 2, "fetch train notify tidy other", "eval export"),
    ],
)
def test_jobs_run_when_those_before_them_have_ended(
    client: Client, fails: str, status: int, ran: str, not_run: str
) -> None:
    client.write()
    done = client.run("--", "--jar", "x y", FAILS=fails)
    assert done.returncode == status, done.stderr
    starts = [line.split()[0] for line in client.said if " starts " in line]
    assert sorted(starts) == sorted(ran.split())
    assert all("starts --cancel-on-interrupt --jar x y" in line for line in client.said if " starts" in line)
    found = outcomes(done)
    assert {job for job, end in found.items() if end == "did not run"} == set(not_run.split())
    assert {job for job, end in found.items() if end.startswith("failed")} == set(fails.split()) & set(starts)
    for job, before, _ in NIGHTLY:  # nothing has started before what it comes after has ended
        at = next((number for number, line in enumerate(client.said) if line.startswith(f"{job} starts")), None)
        ends = {line.split()[0] for line in client.said[:at] if line[-1].isdigit() and " starts" not in line}
        assert at is None or set(before) <= ends


def test_branches_run_at_the_same_time(client: Client) -> None:
    client.write()
    process = client.start(WAITS="other")
    client.until(lambda: any(line.startswith("tidy 0") for line in client.said))
    assert process.poll() is None
    client.close()
    assert process.returncode == 0


def test_it_goes_on_from_a_job(client: Client) -> None:
    client.write()
    assert client.run("--from", "eval").returncode == 0
    assert [line for line in client.said if "starts" not in line] == ["eval 0", "export 0"]
    assert client.run("--from=train", FAILS="train").returncode == 2
    assert {line.split()[0] for line in client.said[4:]} == {"train", "notify", "tidy"}
    wrong = client.run("--from", "trian")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "there is no job trian in it" in wrong.stderr


_NAMED: Runs = (("fetch", (), "succeeded"), ("train", ("fetch",), "succeeded"))
_SAYS = '#!/bin/sh\necho "$TFDSL_FLOW_RUN" "$@" >>"$STORY"\n'


def test_all_jobs_of_a_run_know_its_name_and_a_part_that_runs_again_keeps_it(client: Client) -> None:
    client.write(runs=_NAMED, command="${env.TFDSL_FLOW_RUN}")
    printed = subprocess.run(
        [client.flow / "train/submit.sh", "--print"], env={**os.environ, "TFDSL_FLOW_RUN": "20260102-030405-00c0ffee"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "-shell_env TFDSL_FLOW_RUN=20260102-030405-00c0ffee" in printed.stdout
    for job in ("fetch", "train"):
        (client.flow / job / "submit.sh").write_text(_SAYS)
    runs = [client.run(*words) for words in ((), (), ("--from", "train"))]
    names = [line.split()[0] for line in client.said]
    said = [re.findall(r"^\S+ the run (\S+)$", run.stdout, re.M)[0] for run in runs]
    assert [client.run("--status", "--run", run).returncode for run in said] == [0, 0, 0]
    assert said[:2] == [names[0], names[2]]
    assert said[2] != said[1]
    assert all(re.fullmatch(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}", name) for name in names)
    assert (names[0], names[2], names[4]) == (names[1], names[3], names[3])
    assert names[0] != names[2]


def test_slider_hands_the_name_of_a_run_to_its_agents(client: Client) -> None:
    client.write("slider", _NAMED, "${env.TFDSL_FLOW_RUN}")
    printed = client.run("--print").stdout
    names = re.findall(r"submit\.sh --option site\.global\.flow\.run ([0-9a-f-]{24})", printed)
    assert len(names) == 2
    assert names[0] == names[1]


@pytest.mark.parametrize(("number", "deadline"), [(signal.SIGINT, ""), (signal.SIGTERM, ""), (None, "1s")])
def test_it_ends_its_jobs(client: Client, number: signal.Signals | None, deadline: str) -> None:
    """Ctrl-C goes to all processes of a terminal, SIGTERM from a scheduler to one."""
    client.write(deadline=Duration(deadline) if deadline else None)
    process = client.start(WAITS="fetch")
    client.until(lambda: "other 0" in client.said and any("fetch" in line for line in client.said))
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    elif number is not None:
        process.send_signal(number)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == (2 if deadline else 130)
    assert "fetch ended" in client.said
    assert not any(line.startswith("train") for line in client.said)
    assert ("the deadline has passed" in out) == bool(deadline)


@pytest.mark.parametrize("overlap", ["skip", "allow", "replace"])
def test_an_earlier_run(client: Client, overlap: str) -> None:
    client.write(overlap=overlap)
    first = client.start(WAITS="fetch")
    client.until(lambda: any("fetch" in line for line in client.said))
    second = client.run()
    assert second.returncode == (3 if overlap == "skip" else 0), second.stderr
    assert ("fetch ended" in client.said) == (overlap == "replace")
    assert overlap == "allow" or f"process {first.pid} on {os.uname().nodename}" in second.stdout + second.stderr
    client.close()
    assert first.returncode == (130 if overlap == "replace" else 0)


def test_the_lock_of_a_killed_one_is_free_when_its_jobs_have_ended(client: Client) -> None:
    client.write()
    first = client.start(WAITS="fetch")
    client.until(lambda: any("fetch" in line for line in client.said))
    first.kill()
    first.wait(30)
    assert client.run().returncode == 3
    (client.folder / "go").touch()
    client.until(lambda: "fetch 0" in client.said)
    client.until(lambda: client.run().returncode == 0)


def test_the_line_for_crontab(client: Client) -> None:
    """crontab(5): % ends the command unless it is escaped."""
    client.flow = client.folder / "100% mine"
    client.write(schedule="@daily")
    line = client.run("--schedule").stdout.strip()
    assert line.startswith("@daily cd ")
    assert "%" not in line.replace("\\%", "")
    command = line.removeprefix("@daily ").replace("\\%", "%")
    told = subprocess.run(["sh", "-c", f"{command} --help"], cwd="/", capture_output=True, text=True)
    assert told.stdout.startswith("usage: flow.sh")


def test_print_runs_nothing(client: Client) -> None:
    client.write()
    done = client.run("--print", "--from", "train")
    assert [line for line in done.stdout.splitlines() if line.startswith("#")] == [
        "# train: afterok:fetch", "# eval: afterok:train", "# notify: afternotok:train afterok:fetch",
        "# tidy: afterany:train afterok:fetch", "# export: afterok:train afterok:eval",
    ]  # fmt: skip
    assert client.said == []


SLIDER_RUNS: Runs = (("fetch", (), "succeeded"), ("train", ("fetch",), "succeeded"), ("notify", ("fetch",), "failed"))


@pytest.mark.parametrize(
    ("variables", "status", "expected"),
    [
        ({}, 0, {"fetch": "succeeded", "train": "succeeded", "notify": "did not run"}),
        ({"FAILS": "nightly-fetch"}, 2, {"train": "did not run", "notify": "succeeded"}),
        ({"FINAL": "FAILED"}, 2, {"train": "did not run"}),
        ({"FINAL": "KILLED"}, 2, {"train": "did not run"}),
    ],
)
def test_slider_jobs_are_read_from_their_logs(
    client: Client, variables: dict[str, str], status: int, expected: dict[str, str]
) -> None:
    """YARN shows both as SUCCEEDED (docs of the target); the application of an earlier run has the same name."""
    client.write("slider", SLIDER_RUNS)
    done = client.run(**variables)
    assert done.returncode == status, done.stdout + done.stderr
    assert outcomes(done) | expected == outcomes(done)
    assert [line for line in client.said if "fetch" in line][:4] == [
        "slider exists nightly-fetch", "slider destroy nightly-fetch", "slider create nightly-fetch",
        "slider exists nightly-fetch",
    ]  # fmt: skip


def test_a_slider_job_is_stopped(client: Client) -> None:
    client.write("slider", SLIDER_RUNS)
    live = client.folder / "state/live-nightly-fetch"
    live.touch()
    assert client.run().returncode == 2, "an application of this name runs"
    assert "slider create nightly-fetch" not in client.said
    live.unlink()
    process = client.start(LIVES="yes")
    client.until(lambda: client.said[-2:] == ["slider exists nightly-fetch"] * 2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 130
    assert "slider stop nightly-fetch" in client.said


@pytest.mark.parametrize("target", ["yarn", "slider"])
def test_shellcheck_has_nothing_to_say(client: Client, target: str) -> None:
    client.write(target, schedule="@daily", deadline=Duration("1h"))
    done = subprocess.run([SHELLCHECK, client.flow / "flow.sh"], capture_output=True, text=True)
    assert done.stdout == ""
