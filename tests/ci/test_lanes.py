"""``.ci/run``: how steps run, what becomes of the run when one fails, hangs or is stopped, and that nothing is left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.skips import only_as_root

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
DRIVER = """\
import sys
from pathlib import Path
sys.path.insert(0, {ci!r})
import lanes
from lanes import Run, Step
lanes.ENDINGS = tuple((number, 3) for number, _ in lanes.ENDINGS)
sys.exit(Run({phases}, Path.cwd()).run({limit}))
"""


def start(folder: Path, phases: str, limit: int = 60) -> subprocess.Popen[str]:
    script = DRIVER.format(ci=str(ROOT / ".ci"), phases=phases, limit=limit)
    return subprocess.Popen(
        [sys.executable, "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def run(folder: Path, phases: str, limit: int = 60) -> tuple[int, str]:
    process = start(folder, phases, limit)
    output, _ = process.communicate(timeout=60)
    return process.returncode, output


def outcomes(output: str) -> dict[str, str]:
    """What the table at the end says of each step."""
    _, _, table = output.rpartition("\nstep ")
    rows = [re.split(r"\s{2,}", line.rstrip()) for line in table.splitlines()[1:]]
    return {row[0]: row[-1] for row in rows if len(row) == 6}


def wait_for(path: Path) -> str:
    end = time.monotonic() + 30
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < end, path
        time.sleep(0.02)
    return path.read_text().strip()


def lives(process: str) -> bool:
    return Path("/proc", process).exists()


def test_lanes_run_side_by_side_and_the_output_of_each_step_stays_together(tmp_path: Path) -> None:
    one = "echo one-1; touch a; until [ -e b ]; do sleep 0.02; done; echo one-2"
    two = "echo two-1; touch b; until [ -e a ]; do sleep 0.02; done; echo two-2"
    status, output = run(tmp_path, f"[dict(x=[Step('one', {one!r})], y=[Step('two', {two!r})])]")
    assert status == 0
    assert "one-1\none-2\n" in output
    assert "two-1\ntwo-2\n" in output
    assert outcomes(output) == {"one": "passed", "two": "passed"}
    assert output.endswith("\nall good\n")


def test_a_step_waits_for_the_one_before_it_and_a_phase_for_the_whole_one_before_it(tmp_path: Path) -> None:
    steps = "Step('a', 'sleep 0.3; echo a >> order'), Step('b', 'echo b >> order')"
    status, _ = run(tmp_path, f"[dict(x=[{steps}], y=[]), dict(z=[Step('c', 'echo c >> order')])]")
    assert status == 0
    assert (tmp_path / "order").read_text().split() == ["a", "b", "c"]


def test_a_failure_is_named_and_all_others_are_still_tried(tmp_path: Path) -> None:
    status, output = run(
        tmp_path, "[dict(x=[Step('bad', 'echo why; exit 3'), Step('next', ':')], y=[Step('other', 'sleep 0.2')])]"
    )
    assert status == 1
    assert "why\n== bad: failed with 3" in output
    assert outcomes(output) == {"bad": "failed with 3", "next": "passed", "other": "passed"}
    assert output.endswith("\nnot good: bad (x)\n")


@pytest.mark.parametrize("line", ["false; true", "kill -9 $$"])
def test_a_step_that_dies_has_failed(tmp_path: Path, line: str) -> None:
    status, output = run(tmp_path, f"[dict(x=[Step('bad', {line!r})])]")
    assert status == 1
    assert outcomes(output)["bad"].startswith("failed with ")


def test_what_needs_a_failed_step_is_not_run_and_not_good(tmp_path: Path) -> None:
    status, output = run(
        tmp_path,
        "[dict(x=[Step('get', 'false', needed=True), Step('use', ':')], y=[Step('other', ':')]),"
        " dict(z=[Step('later', ':')])]",
    )
    assert status == 1
    assert outcomes(output) == {"get": "failed with 1", "use": "not run", "other": "passed", "later": "not run"}
    assert output.endswith("\nnot good: get (x), use (x), later (z)\n")


def test_a_second_try_runs_what_was_said_and_counts(tmp_path: Path) -> None:
    status, output = run(
        tmp_path, "[dict(x=[Step('a', 'echo first; false', again='echo second'), Step('b', 'false', again='exit 2')])]"
    )
    assert status == 1
    assert "first\nsecond\n" in output
    assert outcomes(output) == {"a": "passed, second try", "b": "failed with 2"}


def test_a_step_has_its_environment_no_input_and_its_niceness(tmp_path: Path) -> None:
    status, output = run(tmp_path, "[dict(x=[Step('a', 'cat; nice; echo $WORD', nice=7, environment={'WORD': 'w'})])]")
    assert status == 0
    assert f"\n{min(os.nice(0) + 7, 19)}\nw\n" in output


def test_what_a_step_leaves_running_is_ended_with_all_that_it_starts(tmp_path: Path) -> None:
    stubborn = "trap '' INT TERM; sleep 100 & echo $$ $! > left; wait; sleep 100"
    line = f'setsid sh -c "{stubborn.replace("$", chr(92) + "$")}" & until [ -s left ]; do sleep 0.02; done'
    status, output = run(tmp_path, f"[dict(x=[Step('a', {line!r})])]")
    assert status == 0, output
    assert not any(map(lives, (tmp_path / "left").read_text().split()))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stopped_run_ends_its_steps_and_tells_what_they_have_written(tmp_path: Path, number: signal.Signals) -> None:
    process = start(tmp_path, "[dict(x=[Step('a', 'echo half; echo $$ > one; sleep 100'), Step('b', ':')])]")
    running = wait_for(tmp_path / "one")
    os.kill(process.pid, number)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert f"half\n== a: stopped by {number.name}" in output
    assert outcomes(output) == {"a": f"stopped by {number.name}", "b": "not run"}
    assert not lives(running)


def test_a_run_that_takes_too_long_tells_where_it_was(tmp_path: Path) -> None:
    status, output = run(tmp_path, "[dict(x=[Step('a', 'echo half; sleep 100')])]", limit=1)
    assert status == 1
    assert "half\n== a: not done after" in output
    assert "\nnot good: a (x)\n" in output


def test_the_processor_time_is_that_of_the_step(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 1.2: pass"
    status, output = run(tmp_path, f"[dict(x=[Step('a', {f'{sys.executable} -c {chr(34)}{burn}{chr(34)}'!r})])]")
    assert status == 0
    assert re.search(r"^a  +x  +0:0\d +0:\d\d +0:01 ", output, re.M), output


@only_as_root
def test_a_folder_is_removed_and_nothing_that_is_mounted_in_it(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").touch()
    (tmp_path / "scratch/at").mkdir(parents=True)
    if subprocess.run(["mount", "--bind", tmp_path / "kept", tmp_path / "scratch/at"], check=False).returncode:
        pytest.skip("the kernel denies it: no mounts")
    script = f"import sys; sys.path.insert(0, {str(ROOT / '.ci')!r}); from lanes import *; remove(Path('scratch'))"
    subprocess.run([sys.executable, "-c", script.replace("'scratch'", repr(str(tmp_path / "scratch")))], check=True)
    assert not (tmp_path / "scratch").exists()
    assert (tmp_path / "kept/file").exists()


MAKE = """\
#!/bin/sh
for word; do case $word in VENV=*) venv=${word#VENV=};; esac; done
mkdir -p "$venv/bin"
for name in python pyright; do printf '#!/bin/sh\\n' > "$venv/bin/$name"; chmod +x "$venv/bin/$name"; done
[ "$1" != "$FAILING" ]
"""
PYTHON = """\
#!/bin/sh
# As python, but environments are empty.
[ "$2" != venv ] || { mkdir -p "$4/bin"; printf '#!/bin/sh\\n' > "$4/bin/python"; exec chmod +x "$4/bin/python"; }
exec "$REAL" "$@"
"""


def whole_run(folder: Path, failing: str) -> tuple[int, str]:
    """``.ci/run`` with programs that do nothing, one of which fails."""
    for name, text in (("make", MAKE), ("python", PYTHON)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    (folder / "tmp").mkdir()
    variables = {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHON": str(folder / "python"),
        "REAL": sys.executable,
        "FAILING": failing,
        "TMPDIR": str(folder / "tmp"),
    }
    done = subprocess.run(["bash", ROOT / ".ci/run"], env=variables, capture_output=True, text=True, check=False)
    assert list((folder / "tmp").iterdir()) == []
    return done.returncode, done.stdout + done.stderr


def test_the_whole_run_is_good_if_everything_is(tmp_path: Path) -> None:
    status, output = whole_run(tmp_path, "")
    assert output.endswith("\nall good\n")
    assert status == 0


def test_the_whole_run_names_the_one_step_that_is_not(tmp_path: Path) -> None:
    status, output = whole_run(tmp_path, "test-slow")
    assert output.endswith("\nnot good: slow tests (project)\n")
    assert status == 1
    assert "-- slow tests, once more\n" in output
