"""``tfdsl completion``: what shells are told. tests/editors/terminal presses the keys in the real ones."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import SHELLCHECK, environment, tfdsl
from tfdsl import targets
from tfdsl.cli import completion
from tfdsl.cli.arguments import load
from tfdsl.cli.commands import SUMMARIES
from tfdsl.cli.completion import SHELLS
from tfdsl.cli.completion.values import ARGUMENTS, FAULTS, FAULTS_OF_JOB, NAMES, VALUES
from tfdsl.lifecycle import faults

if TYPE_CHECKING:
    from pathlib import Path

JOB = """\
include "common.tfjob"
param workers: int = 4 { description = "training\\treplicas" }
param size: string = "small" { one_of = ["small", "very large", "it's", "@file", "a\\nb"] }
param fast: bool
param tag: string = "small"
param memory: list<quantity> = [4Gi, 8Gi]
param labels: map<number> = { "a b" = 1e-3 }
profile laptop { workers = 2 }
profile large { workers = 16 }
job mnist {
  image = "${registry}/mnist:1.4"
  role chief { }
  role worker { replicas = workers }
  mount scratch at "/data"
}
job sweep {
  image = "x:1"
  matrix { lr = [1, 2] }
  role worker { }
}
job "${tag}-digits" { image = "x:1", role ps { replicas = 2 }, role worker { } }
job never when workers > 100 { image = "x:1", role worker { } }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mnist.tfjob").write_text(JOB)
    (tmp_path / "common.tfjob").write_text('param registry: string = "r"\n')
    (tmp_path / "my jobs").mkdir()
    (tmp_path / "my jobs/$1.tfjob").write_text(JOB.partition("\n")[2])
    (tmp_path / "notes.txt").touch()
    (tmp_path / ".hidden.tfjob").touch()
    return tmp_path


def bash(folder: Path, line: str, at: int | None = None, **more: str) -> list[str]:
    """What bash is told for a line with the cursor at its end."""
    ran = tfdsl("completion", "bash", "--", str(len(line) if at is None else at), line, cwd=folder, **more)
    assert (ran.status, ran.err) == (0, "")
    return ran.out.splitlines()


def words(folder: Path, line: str) -> list[str]:
    """The words that zsh is told."""
    typed = shlex.split(line)[1:] + ([""] if line.endswith(" ") else [])
    ran = tfdsl("completion", "zsh", "--", str(len(typed) - 1), *typed, cwd=folder)
    assert (ran.status, ran.err) == (0, "")
    return [row.split("\t")[1] for row in ran.out.splitlines() if row.startswith(("word\t", "open\t"))]


# --- what is offered ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tfdsl co", ["compile", "completion"]),
        ("tfdsl --", ["--help", "--version"]),
        ("tfdsl help ex", ["explain"]),
        ("tfdsl nonsense ", []),
        ("tfdsl compile --a", ["--allow-read"]),
        ("tfdsl compile -t", ["-t"]),
        ("tfdsl compile mnist.tfjob --job a --jo", []),
        ("tfdsl compile mnist.tfjob --set a=1 --se", ["--set"]),
        ("tfdsl check --format s", ["sarif"]),
        ("tfdsl check --format=s", ["--format=sarif"]),
        ("tfdsl check --color ", ["auto", "always", "never"]),
        ("tfdsl compile -- --s", []),
        ("tfdsl compile mnist.tfjob -t vol", ["volcano"]),
        ("tfdsl compile mnist.tfjob -t kube", ["kubeflow", "kubernetes"]),
        ("tfdsl compile mnist.tfjob -tvolcano@1.9", ["-tvolcano@1.9"]),
        ("tfdsl compile mnist.tfjob -t slurm,yarn@2", ["slurm,yarn@2.10"]),
        ("tfdsl compile mnist.tfjob -t nowhere@", []),
        ("tfdsl compile mnist.tfjob -O yarn.version=2", ["yarn.version=2.10"]),
        ("tfdsl compile mnist.tfjob -t yarn -O ", ["yarn."]),
        ("tfdsl compile mnist.tfjob -O tfjob.limit", ["tfjob.limit_restarts="]),
        ("tfdsl compile x -O tfjob.kueue=", ["tfjob.kueue=true", "tfjob.kueue=false"]),
        ("tfdsl compile mnist.tfjob -O nowhere.", []),
        ("tfdsl compile mnist.tfjob --profile ", ["laptop", "large"]),
        ("tfdsl compile --profile l mnist.tfjob", []),
        ("tfdsl compile mnist.tfjob --set ", ["registry=", "workers=", "size=", "fast=", "tag=", "memory=", "labels="]),
        ("tfdsl compile mnist.tfjob --set size=small --set s", []),
        ("tfdsl compile mnist.tfjob --set workers=", ["workers=4", "workers=2", "workers=16"]),
        ("tfdsl compile mnist.tfjob --set size=", ["size=small", "size=very large", "size=it's"]),
        ("tfdsl compile mnist.tfjob --set fast=", ["fast=true", "fast=false"]),
        ("tfdsl compile mnist.tfjob --set memory=", ["memory=[4Gi, 8Gi]"]),
        ("tfdsl compile mnist.tfjob --set labels=", ['labels={ "a b" = 0.001 }']),
        ("tfdsl compile mnist.tfjob --set nothing=", []),
        ("tfdsl compile mnist.tfjob --job ", ["mnist", "sweep", "sweep-0", "sweep-1", "small-digits"]),
        ("tfdsl compile mnist.tfjob --set tag=tiny --job t", ["tiny-digits"]),
        ("tfdsl compile mnist.tfjob --name ", []),
        ("tfdsl diff mnist.tfjob@main mnist.tfjob --profile ", ["laptop", "large"]),
        ("tfdsl where mnist.tfjob:9 --profile ", ["laptop", "large"]),
        ("tfdsl where out/mnist.yaml:9 --source mnist.tfjob --profile ", ["laptop", "large"]),
        ("tfdsl tfconfig mnist.tfjob ", ["chief", "worker", "ps"]),
        ("tfdsl tfconfig mnist.tfjob 'ps[1'", ["ps[1]"]),
        ("tfdsl tfconfig mnist.tfjob ps extra", []),
        ("tfdsl run mnist.tfjob --scale ps", ["ps="]),
        ("tfdsl run mnist.tfjob --scale ps=", ["ps=2"]),
        ("tfdsl run mnist.tfjob --mount ", ["/data="]),
        ("tfdsl run mnist.tfjob --timeout ", []),
        ("tfdsl simulate mnist.tfjob --inject ", ["chief[", "worker[", "ps[", "preempted", "time limit", "unknown"]),
        ("tfdsl simulate mnist.tfjob --inject 'ps['", ["ps[0] ", "ps[1] "]),
        ("tfdsl simulate mnist.tfjob --inject 'ps[1] o'", ["ps[1] oom"]),
        ("tfdsl import a.yaml --role trainer=w", ["trainer=worker"]),
        ("tfdsl new --from two", ["two-clusters"]),
        ("tfdsl explain node_s", ["node_selector"]),
        ("tfdsl explain TFJ2104", ["TFJ2104"]),
        ("tfdsl explain duplicate-mount", ["duplicate-mount-path"]),
        ("tfdsl completion ", ["bash", "zsh", "fish"]),
        ("tfdsl targets sl", ["slider", "slurm"]),
    ],
)  # fmt: skip
def test_words(folder: Path, line: str, offered: list[str]) -> None:
    assert words(folder, line) == offered


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_flag_and_argument_of_every_command_is_known(name: str) -> None:
    command = load(name).COMMAND
    values = {flag.value for flag in command.flags if flag.value and not flag.one_of and flag.name not in NAMES}
    assert values - set(VALUES) == set()
    assert {one.name for one in command.positionals} - set(ARGUMENTS) == set()


def test_faults_can_be_injected() -> None:
    texts = (*(f"worker[0] {what}" for what in FAULTS), *FAULTS_OF_JOB)
    assert all(isinstance(faults.parse(text), faults.Injected) for text in texts)


def test_every_version_of_every_target(folder: Path) -> None:
    for backend in targets.every():
        offered = words(folder, f"tfdsl compile x -t {backend.name}@")
        assert offered == [f"{backend.name}@{version}" for version in reversed(backend.versions)]


# --- files that have no names to offer ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe\x00",
        b"job {{{ \x00",
        b"x" * 300_000,
        b'include "mnist.tfjob"',
        b'include "/etc/passwd"\n' + b"[" * 5000,
        b"param a: int = b\nparam b: int = a",
        b"edition 99",
        b"{ not json",
        b'{"name": "x"}',
        b'job "${nothing}" { }',
        b"profile \xf0\x9f\x9a\x80 { }",
        b"job a { matrix { x = [1, 2", b"",
    ],
)  # fmt: skip
@pytest.mark.parametrize("asked", ["--profile ", "--job ", "--set ", "--set a=", "--inject "])
def test_a_broken_file_is_no_error(folder: Path, text: bytes, asked: str) -> None:
    (folder / "mnist.tfjob").write_bytes(text)
    command = "simulate" if "inject" in asked else "check"
    assert bash(folder, f"tfdsl {command} mnist.tfjob {asked}") is not None


@pytest.mark.parametrize("file", ["gone.tfjob", ".", "/dev/zero", "-", "", "$(rm -rf x)", "~nobody/x", "\udc80"])
def test_a_file_that_cannot_be_read_is_no_error(folder: Path, file: str) -> None:
    ran = tfdsl("completion", "zsh", "--", "3", "check", file, "--profile", "", cwd=folder)
    assert (ran.status, ran.out, ran.err) == (0, "", "")


def test_names_of_a_file_with_mistakes_are_offered(folder: Path) -> None:
    (folder / "mnist.tfjob").write_text(JOB + "job {{{\nparam x: list<nothing> = 1\n")
    assert words(folder, "tfdsl compile mnist.tfjob --profile ") == ["laptop", "large"]
    assert "workers=" in words(folder, "tfdsl compile mnist.tfjob --set ")


def test_what_could_command_a_terminal_is_not_offered(folder: Path) -> None:
    text = 'param a: string { one_of = ["\\u{1B}[31m", "ok"], description = "\\u{1B}]0;x" }\n'
    (folder / "mnist.tfjob").write_text(text)
    for shell in SHELLS:
        line = "tfdsl check mnist.tfjob --set "
        typed = [str(len(line)), line] if shell == "bash" else ["3", "check", "mnist.tfjob", "--set", ""]
        assert "\x1b" not in tfdsl("completion", shell, "--", *typed, cwd=folder).out
    assert words(folder, "tfdsl check mnist.tfjob --set a=") == ["a=ok"]


# --- bash --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tfdsl exp", ["explain "]),
        ("tfdsl check mnist.tfjob -t volcano@1.5", ["@1.5.0 "]),
        ("tfdsl check mnist.tfjob -O tfjob.limit_restarts=t", ["true "]),
        ("tfdsl check mnist.tfjob --set size=v", ["very\\ large "]),
        ('tfdsl check mnist.tfjob --set "size=v', ["size=very large"]),
        ("tfdsl check mnist.tfjob --set size='v", ["very large"]),
        ("tfdsl check mnist.tfjob --set size=i", ["it\\'s "]),
        ("tfdsl check mnist.tfjob --set 'size=i", []),
        ("tfdsl check mn", ["mnist.tfjob "]),
        ("tfdsl check no", ["notes.txt "]),
        ("tfdsl check ", ["common.tfjob", "mnist.tfjob", "my\\ jobs/"]),
        ("tfdsl check .h", [".hidden.tfjob "]),
        ("tfdsl check my", ["my\\ jobs/"]),
        ("tfdsl check my\\ jobs/", ["my\\ jobs/\\$1.tfjob "]),
        ('tfdsl check "my jobs/', ['my jobs/\\$1.tfjob']),
        ("tfdsl check 'my jobs/", ["my jobs/$1.tfjob"]),
        ("tfdsl check my\\ jobs/\\$1.tfjob --profile lap", ["laptop "]),
        ("tfdsl check $HERE/my\\ jobs/", ["$HERE/my\\ jobs/\\$1.tfjob "]),
        ("tfdsl check ~/mn", ["~/mnist.tfjob "]),
        ("tfdsl compile x -o my", ["my\\ jobs/"]),
        ("tfdsl compile x --output=my", ["my\\ jobs/"]),
        ("tfdsl check x --allow-read ", ["my\\ jobs/"]),
        ("tfdsl check x --set a=@no", ["@notes.txt "]),
        ("tfdsl run x --mount /data=my", ["my\\ jobs/"]),
        ("tfdsl check gone/", []),
        ("tfdsl run mnist.tfjob --inject 'ps[1] e", ["ps[1] exit 1", "ps[1] evicted"]),
        ("tfdsl tfconfig mnist.tfjob ps[1", ["ps\\[1\\] "]),
        ("tfdsl", []),
        ("tfdsl check $(echo x) \"unfinished ' ` \\", []),
    ],
)  # fmt: skip
def test_bash(folder: Path, line: str, offered: list[str]) -> None:
    assert bash(folder, line, HERE=str(folder), HOME=str(folder)) == offered


def test_bash_knows_what_is_behind_the_cursor(folder: Path) -> None:
    line = "tfdsl check --profile lap mnist.tfjob"
    assert bash(folder, line, line.index(" mnist")) == ["laptop "]
    assert bash(folder, line.replace("lap", ""), line.index("lap")) == ["laptop", "large"]


def test_bash_may_break_words_elsewhere(folder: Path) -> None:
    line = "tfdsl check mnist.tfjob -O tfjob.limit_restarts=t"
    assert bash(folder, line, TFDSL_WORDBREAKS=" \t\n") == ["tfjob.limit_restarts=true "]


@pytest.mark.parametrize("text", ["plain", "two words", "it's", 'a"b', "$x `y` \\z", "~a*b?[c]{d}#!&;|<>()", "é 🚀"])
def test_what_is_written_for_bash_is_read_by_it(text: str) -> None:
    written = [completion.quoted(text, ""), f'"{completion.quoted(text, chr(34))}"']
    done = subprocess.run(
        ["bash", "--norc", "-c", f"printf '%s\\0' {' '.join(map(str, written))}"], capture_output=True, check=True
    )
    assert done.stdout.decode().split("\0")[:-1] == [text, text]
    for one in written:
        assert [word.text for word in completion.split(f"{one}", "")] == [text]


def test_the_script_in_the_real_bash(folder: Path) -> None:
    """The function that it defines, called as bash calls it."""
    (folder / "bin").mkdir()
    (folder / "bin/tfdsl").write_text('#!/bin/sh\nprintf "%s\\n" "$@" "$TFDSL_WORDBREAKS"\n')
    (folder / "bin/tfdsl").chmod(0o755)
    script = tfdsl("completion", "bash", cwd=folder).out
    call = "COMP_LINE='tfdsl a  b' COMP_POINT=9 COMP_WORDBREAKS=:; _tfdsl; printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(
        ["bash", "--norc", "-c", f"PATH={folder}/bin:$PATH\n{script}\n{call}"],
        capture_output=True, text=True, check=True, env=environment(),
    )  # fmt: skip
    assert done.stdout.splitlines() == ["completion", "bash", "--", "9", "tfdsl a  b", ":"]
    assert done.stderr == ""


# --- zsh and fish, and the command itself -------------------------------------------------------------------------


def test_zsh_and_fish_show_descriptions(folder: Path) -> None:
    asked = ("--", "3", "check", "mnist.tfjob", "--set", "wor")
    assert tfdsl("completion", "zsh", *asked, cwd=folder).out == "open\tworkers=\tworkers=  -- int: training replicas\n"
    assert tfdsl("completion", "fish", *asked, cwd=folder).out == "workers=\tint: training replicas\n"


def test_zsh_finds_files_itself(folder: Path) -> None:
    assert tfdsl("completion", "zsh", "--", "1", "check", "", cwd=folder).out == "files\t\t*.(tfjob|json)\n"
    asked = ("completion", "zsh", "--", "2", "check", "x", "--allow-read=my")
    assert tfdsl(*asked, cwd=folder).out == "folders\t--allow-read=\t*\n"


def test_fish_is_told_the_files(folder: Path) -> None:
    ran = tfdsl("completion", "fish", "--", "2", "compile", "x", "--output=my", cwd=folder)
    assert ran.out == "--output=my jobs/\t\n"
    ran = tfdsl("completion", "fish", "--", "1", "check", "my jobs/", cwd=folder)
    assert ran.out == "my jobs/$1.tfjob\t\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed(shell: str, folder: Path) -> None:
    ran = tfdsl("completion", shell, cwd=folder)
    assert (ran.status, ran.err) == (0, "")
    assert f"tfdsl completion {shell}" in ran.out


def test_the_script_of_bash_is_checked_by_shellcheck(folder: Path) -> None:
    script = tfdsl("completion", "bash", cwd=folder).out
    done = subprocess.run([SHELLCHECK, "-s", "bash", "-"], input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("tcsh",), "SHELL must be bash, zsh or fish, not tcsh"),
        ((), "completion needs SHELL"),
        (("bash", "--", "x", "y"), "from 0"),
        (("bash", "--", "-1", "y"), "from 0"),
        (("bash", "--", "1"), "from 0"),
        (("zsh", "--", "7", "compile"), "from 0"),
    ],
)  # fmt: skip
def test_wrong_use(folder: Path, asked: tuple[str, ...], told: str) -> None:
    ran = tfdsl("completion", *asked, cwd=folder)
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err
