"""Endings of the program: exit statuses, and never a traceback."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import COMMAND, JOB, environment, process, tfdsl
from tfdsl.cli.commands import SUMMARIES

if TYPE_CHECKING:
    from pathlib import Path


def test_version(folder: Path) -> None:
    from tfdsl import __version__

    assert tfdsl("--version", cwd=folder) == (0, f"tfdsl {__version__}\n", "")
    for word in ("-v", "version"):
        assert "did you mean --version?" in tfdsl(word, cwd=folder).err


def test_without_a_command_the_overview_goes_to_standard_error(folder: Path) -> None:
    ran = tfdsl(cwd=folder)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err == tfdsl("--help", cwd=folder).out


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("complie",), "did you mean compile?"),
        (("check", "mnist.tfjob", "-t", "volcno"), "did you mean volcano?"),
        (("check", "mnist.tfjob", "-t", "tfjob@1.60.0"), "1.3 to 1.9"),
        (("check", "mnist.tfjob", "--profiel", "x"), "did you mean --profile?"),
        (("compile", "mnist.tfjob"), "needs a target"),
        (("compile", "mnist.tfjob", "-t", "tfjob", "-t", "volcano"), "-t tfjob -t volcano -o out"),
        (("compile", "mnist.tfjob", "-t", "tfjob", "--source-map"), "-t tfjob --source-map -o out"),
        (("compile", "mnist.tfjob", "-t", "tfjob", "-O", "volcano.x=1"), "not one of the targets"),
        (("compile", "mnist.tfjob", "-t", "tfjob", "-O", "x=1"), "TARGET.KEY=VALUE"),
        (("compile", "mnist.tfjob", "-t", "tfjob", "--set", "x"), "PARAM=VALUE"),
        (("compile", "mnist.tfjob", "-t", "tfjob", "--set", "x=@none.txt"), "there is no such file"),
        (("check", "none.tfjob"), "there is no such file"),
        (("compile", ".", "-t", "tfjob"), "it is a folder"),
        (("tfconfig", "."), "it is a folder"),
        (("check", ""), "no such file"),
        (("check", "mnist.tfjob", "--all-targets", "-t", "tfjob"), "cannot be used with"),
        (("check", "-", "--fix"), "standard input"),
        (("new", "Not_A_Name"), "is not a job name"),
        (("--wrong",), "unknown-flag"),
    ],
)
def test_wrong_use_is_2_and_says_what_to_do(folder: Path, words: tuple[str, ...], advice: str) -> None:
    ran = tfdsl(*words, cwd=folder)
    assert ran.status == 2
    assert ran.out == ""
    assert advice in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--format", "json"),
        ("check", "--format=json", "none.tfjob"),
        ("check", "mnist.tfjob", "--format", "json", "--wrong"),
        ("chekc", "mnist.tfjob", "--format=json"),
        ("check", "mnist.tfjob", "--format=json", "-t", "none"),
    ],
)
def test_wrong_use_in_json_is_json(folder: Path, words: tuple[str, ...]) -> None:
    ran = tfdsl(*words, cwd=folder)
    told = json.loads(ran.out)
    assert ran.status == 2
    assert ran.err == ""
    assert told["errors"] == 1
    assert told["diagnostics"][0]["path"] == "<command line>"


def test_errors_are_1(folder: Path) -> None:
    (folder / "bad.tfjob").write_text(JOB.replace("cpu = 4", "cpuu = 4"))
    ran = tfdsl("check", "bad.tfjob", cwd=folder)
    assert ran.status == 1
    assert "did you mean cpu?" in ran.err


def test_a_task_that_the_job_does_not_have(folder: Path) -> None:
    ran = tfdsl("tfconfig", "mnist.tfjob", "-t", "tfjob", "worker[2]", cwd=folder)
    assert ran.status == 1
    assert "job mnist has no task worker[2]" in ran.err


def test_one_unreadable_file_does_not_hide_the_others(folder: Path) -> None:
    (folder / "bad.tfjob").write_text("job {\n")
    ran = tfdsl("check", "none.tfjob", "bad.tfjob", cwd=folder)
    assert ran.status == 2
    assert "none.tfjob" in ran.err
    assert "bad.tfjob:1" in ran.err


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xfej\x00", "it is UTF-16"),
        (b"job a {\n\xe9 }", "it is not UTF-8 (byte 0xe9 in line 2)"),
    ],
)
def test_other_encodings_are_told(folder: Path, data: bytes, reason: str) -> None:
    (folder / "x.tfjob").write_bytes(data)
    ran = tfdsl("check", "x.tfjob", cwd=folder)
    assert ran.status == 2
    assert reason in ran.err


def test_byte_order_mark_and_standard_input(folder: Path) -> None:
    assert tfdsl("check", "-", cwd=folder, stdin=b"\xef\xbb\xbf" + JOB.encode()).status == 0
    ran = tfdsl("check", "-", cwd=folder, stdin=b"job {")
    assert ran.status == 1
    assert "--> <stdin>:1" in ran.err


@pytest.mark.parametrize(
    "text", ["", "\0", "}" * 500, "{" * 5000, "job a {" * 300, '"' * 3, "\r\r\r", "🎉", "x = " + "(" * 3000]
)
def test_no_input_is_a_bug(folder: Path, text: str) -> None:
    (folder / "x.tfjob").write_text(text, newline="")
    ran = tfdsl("check", "x.tfjob", cwd=folder)
    assert ran.status in (0, 1)
    assert "Traceback" not in ran.err


def bug(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command in which the pipeline raises."""
    code = (
        "import sys; from tfdsl.compiling import pipeline; from tfdsl.cli.main import main\n"
        "def load(*given): raise RuntimeError('two\\nlines')\n"
        "pipeline.load = load\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, cwd=folder, env=environment(**more), capture_output=True, text=True, check=False)


def test_a_bug_is_one_line_and_70(folder: Path) -> None:
    done = bug(folder, "check", "mnist.tfjob")
    assert done.returncode == 70
    assert done.stderr.count("\n") == 1
    assert "RuntimeError: two lines" in done.stderr


def test_a_bug_is_json_where_json_is_asked_for(folder: Path) -> None:
    done = bug(folder, "check", "mnist.tfjob", "--format=json")
    assert done.returncode == 70
    assert json.loads(done.stdout)["diagnostics"][0]["slug"] == "internal-error"


def test_debug_shows_the_traceback_of_a_bug(folder: Path) -> None:
    done = bug(folder, "check", "mnist.tfjob", TFDSL_DEBUG="1")
    assert done.returncode == 70
    assert "Traceback" in done.stderr


def test_reader_that_went_away(folder: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            [*COMMAND, "compile", "mnist.tfjob", "-t", "tfjob"],
            cwd=folder, env=environment(), stdout=closed, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (141, b"")


def test_full_disk_behind_standard_output(folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "compile", "mnist.tfjob", "-t", "tfjob"],
            cwd=folder, env=environment(), stdout=full, stderr=subprocess.PIPE, check=False, text=True,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "tfdsl: cannot write to standard output: No space left on device\n")


def test_interrupt_is_quiet(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "check", "-"], cwd=folder, env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(1)  # now it waits for its input
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"")


@pytest.mark.slow
def test_output_is_the_same_in_every_locale(folder: Path) -> None:
    (folder / "x.tfjob").write_text(JOB.replace("train.py", "trän 数据.py"))
    command = ("compile", "x.tfjob", "-t", "tfjob")
    plain = tfdsl(*command, cwd=folder)
    assert plain.status == 0
    assert "trän 数据.py" in plain.out
    for locale in ("C", "POSIX", "en_US.ISO-8859-1"):
        ran = process(*command, cwd=folder, LC_ALL=locale, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
        assert ran.out == plain.out


def test_colour_only_on_a_terminal(folder: Path) -> None:
    assert "\x1b" not in tfdsl("check", "none.tfjob", cwd=folder).err
    shown = on_a_terminal(folder)
    assert "\x1b[1;31m" in shown
    assert "\x1b" not in on_a_terminal(folder, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(folder, TERM="dumb")


@pytest.mark.parametrize(
    ("options", "variables", "coloured"),
    [
        ("", {"FORCE_COLOR": "1"}, True),
        ("", {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ("", {"FORCE_COLOR": "", "TERM": "xterm"}, False),
        ("", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("", {"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        ("--color auto", {"FORCE_COLOR": "1"}, True),
        ("--color=always", {"NO_COLOR": "1", "TERM": "dumb"}, True),
        ("--color never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_who_says_whether_there_is_colour(
    folder: Path, options: str, variables: dict[str, str], coloured: bool
) -> None:
    """The option, NO_COLOR, FORCE_COLOR, TERM, in this order (no-color.org, force-color.org)."""
    for words in (["check", "none.tfjob"], ["explain", "nonsense"], ["fmt", "none.tfjob"], ["compile", "--wrong"]):
        ran = tfdsl(*words, *options.split(), cwd=folder, stdin=b"", **variables)
        assert ("\x1b[1;31m" in ran.err) == coloured, words


def test_a_program_gets_no_colours(folder: Path) -> None:
    ran = tfdsl("check", "none.tfjob", "--format", "json", "--color", "always", cwd=folder)
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize("command", SUMMARIES)
def test_every_command_takes_color(folder: Path, command: str) -> None:
    assert "--color WHEN" in tfdsl(command, "--help", cwd=folder).out
    wrong = tfdsl(command, "--color", "sometimes", cwd=folder)
    assert "--color must be auto, always or never, not sometimes" in wrong.err


@pytest.mark.parametrize("columns", [40, 60, 79])
def test_a_narrow_terminal(folder: Path, columns: int) -> None:
    """The place is in what is shown, and no line is left to the terminal to break but examples and rows of marks."""
    text = (
        'job j {\n  image = "r/x:1"\n  role worker { replicas = 2, cpu = 4, memroy = 4Gi, gpu = 1, port = 2222 }\n}\n'
    )
    (folder / "wide.tfjob").write_text(text)
    shown = on_a_terminal(folder, "check", "wide.tfjob", columns=columns, NO_COLOR="1").splitlines()
    assert [line for line in shown if len(line) > columns] == []
    at = next(at for at, line in enumerate(shown) if "^" in line)
    assert shown[at - 1][shown[at].index("^") : shown[at].rindex("^") + 1] == "memroy"
    for words in ([], *([command] for command in SUMMARIES)):
        text = on_a_terminal(folder, *words, "--help", columns=columns).partition("example")[0]
        lines = text.splitlines()[0 if not words else 1 :]
        assert [line for line in lines if len(line) > columns and not line.startswith("usage")] == [], words


@pytest.mark.parametrize(
    "words",
    [
        ("targets",),
        ("targets", "yarn"),
        ("simulate", "j.tfjob"),
        ("simulate", "j.tfjob", "--inject", "worker[1] exit 1"),
        ("matrix", "j.tfjob"),
    ],
)
def test_tables_fit_on_a_terminal(folder: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Between words; elsewhere the same table is as wide as it has to be."""
    axes = 'matrix { learning_rate = [1e-3], data_set = ["one and two and three", "all of them, twice over"] }'
    policies = "retries = 3, on failed => restart container"
    job = f'job j {{ image = "r/x:1", command = ["a"], {axes}, role worker {{ replicas = 4 }}\n {policies} }}\n'
    (folder / "j.tfjob").write_text(job)
    plain = tfdsl(*words, cwd=folder).out
    monkeypatch.setattr(f"tfdsl.cli.{words[0]}.columns", lambda stream: 80)  # more than a terminal buffers
    shown = tfdsl(*words, cwd=folder).out.splitlines()
    assert len(shown) > 2
    assert [line for line in shown if len(line) > 80] == []
    assert set(" ".join(shown).split()) == set(plain.split())


def test_a_wide_terminal_breaks_lines_itself(folder: Path) -> None:
    piped = tfdsl("check", "--help", cwd=folder).out
    assert on_a_terminal(folder, "check", "--help", columns=200).replace("\r\n", "\n") == piped


def on_a_terminal(folder: Path, *words: str, columns: int = 0, **more: str) -> str:
    """What ``tfdsl`` (``check none.tfjob`` if nothing is said) writes to a terminal."""
    ours, theirs = pty.openpty()
    if columns:
        termios.tcsetwinsize(theirs, (24, columns))
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal:
        tfdsl(*(words or ("check", "none.tfjob")), cwd=folder, onto=terminal, **{"TERM": "xterm", **more})
    shown = b""
    with contextlib.suppress(OSError):  # EIO is the end of a terminal; one read may give a part of what is there
        while data := os.read(ours, 100_000):
            shown += data
    os.close(ours)
    return shown.decode()
