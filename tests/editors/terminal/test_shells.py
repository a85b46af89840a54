"""``tfdsl completion`` in the real bash, zsh and fish: keys are pressed, and the line is read from the screen."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.terminal.debian import NotToBeHadError
from tests.editors.terminal.page import ROOT
from tests.editors.terminal.screen import Terminal
from tests.editors.terminal.shells import shells

if TYPE_CHECKING:
    from collections.abc import Iterator

AGAIN = 2
"""Seconds after which an interrupt is sent again: fish loses one that comes while it redraws."""
SECONDS = 15
SHELLS = ("bash", "zsh", "fish")
PROMPT = "ready> "
JOB = """\
param workers: int = 4 { description = "training replicas" }
param size: string = "small" { one_of = ["small", "very large", "it's"] }
param fast: bool = false
profile laptop { workers = 2 }
profile large { workers = 16 }
job mnist {
  image = "registry.example.com/mnist:1.4"
  role chief { }
  role worker { replicas = workers }
}
job "${size}-digits" {
  image = "registry.example.com/mnist:1.4"
  role worker { }
}
"""
BASHRC = 'PS1="{prompt}"\nbind "set enable-bracketed-paste off"\neval "$(tfdsl completion bash)"\n'
ZSHRC = 'PROMPT="{prompt}"\nunsetopt beep\nautoload -Uz compinit\ncompinit -u\nsource <(tfdsl completion zsh)\n'
FISH = (
    "function fish_prompt\n  echo -n '{prompt}'\nend\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n"
    "tfdsl completion fish | source\n"
)

_ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


class Shell:
    """A shell in which a command line is typed and completed, one after the other."""

    def __init__(self, name: str, terminal: Terminal) -> None:
        self.name = name
        self.terminal = terminal

    def line(self) -> str:
        """The last command line on the screen."""
        lines = [line for line in self.terminal.text().split("\n") if line.startswith(PROMPT.rstrip())]
        return lines[-1].removeprefix(PROMPT.rstrip()).lstrip() if lines else ""

    def completed(self, typed: str, expected: str) -> None:
        """Type, press Tab, and wait until the line is what is expected; what is typed then stands behind it."""
        self.clear()
        self.terminal.type(f"{typed}\t#")
        self.terminal.wait(lambda: self.line() == f"{expected}#", SECONDS)
        assert "rror" not in self.terminal.text()

    def offered(self, typed: str, *shown: str) -> None:
        """Type, press Tab, and wait until the screen shows all that is to be offered."""
        self.clear()
        tabs = {"bash": 3, "zsh": 2, "fish": 1}[self.name]  # the first may complete what all have in common
        self.terminal.type(typed + "\t" * tabs)
        self.terminal.wait(lambda: all(text in self.terminal.text() for text in shown), SECONDS)
        self.terminal.type("#")  # an interrupt while the shell still asks would leave it without a prompt
        self.terminal.wait(lambda: self.line().endswith("#"), SECONDS)

    def clear(self) -> None:
        """Give up the line, and empty the screen."""
        self.terminal.type("\x03")
        pressed = time.monotonic()

        def given_up() -> bool:
            nonlocal pressed
            if time.monotonic() - pressed > AGAIN:
                self.terminal.type("\x03")
                pressed = time.monotonic()
            return self.line() in ("", "^C")

        self.terminal.wait(given_up, SECONDS)
        self.run("true")

    def run(self, command: str) -> None:
        """Run a command that prints nothing, and empty the screen, which may be empty before."""
        line = f"{command}; clear"
        self.terminal.type(line)
        self.terminal.wait(lambda: "".join(line.split()) in "".join(self.terminal.text().split()), SECONDS)
        self.terminal.type("\r")
        self.terminal.wait(lambda: self.terminal.text().strip() == PROMPT.strip(), SECONDS)


@pytest.fixture(scope="module")
def programs(request: pytest.FixtureRequest) -> Path:
    """The folder with the shells that the machine may not have."""
    work = request.config.getoption("--editors-work") or ROOT / ".editors"
    try:
        return shells(Path(work).resolve())
    except NotToBeHadError as missing:
        pytest.exit(str(missing), returncode=1)


def at_home(home: Path, programs: Path) -> None:
    """A home in which each shell takes its script at each start, with some jobs."""
    jobs = home / "jobs"
    (jobs / "my jobs").mkdir(parents=True)
    (jobs / "data").mkdir()
    for path in ("mnist.tfjob", "my jobs/the first.tfjob", "notes.txt"):
        (jobs / path).write_text(JOB, encoding="utf-8")
    (jobs / "broken.tfjob").write_text(JOB + "job {{{ = \x01", encoding="utf-8")
    (home / ".bashrc").write_text(BASHRC.format(prompt=PROMPT), encoding="utf-8")
    (home / ".zshenv").write_text((programs / "zshenv").read_text(encoding="utf-8"), encoding="utf-8")
    (home / ".zshrc").write_text(ZSHRC.format(prompt=PROMPT), encoding="utf-8")
    (home / ".config/fish/completions").mkdir(parents=True)
    (home / ".config/fish/config.fish").write_text(FISH.format(prompt=PROMPT), encoding="utf-8")


@contextlib.contextmanager
def started(name: str, home: Path, programs: Path) -> Iterator[Shell]:
    """A shell in the folder of the jobs."""
    path = f"{programs}:{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    environment = {"HOME": str(home), "PATH": path, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
    environment["fish_features"] = "no-keyboard-protocols"  # which the terminal of the tests does not speak
    program = shutil.which(name, path=path)
    assert program is not None
    with Terminal([program, "-i"], home / "jobs", environment) as terminal:
        terminal.wait(lambda: PROMPT.strip() in terminal.text())
        yield Shell(name, terminal)


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest, programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Each of the shells."""
    home = tmp_path_factory.mktemp("home")
    at_home(home, programs)
    with started(request.param, home, programs) as shell:
        yield shell


@pytest.mark.parametrize("name", ["zsh", "fish"])
def test_a_script_that_is_kept_in_a_file(name: str, programs: Path, tmp_path: Path) -> None:
    """Where the shell looks for it when it is first needed, as docs/commands.md says."""
    at_home(tmp_path, programs)
    script = subprocess.run(["tfdsl", "completion", name], capture_output=True, check=True, env=_ENVIRONMENT).stdout
    if name == "zsh":
        (tmp_path / ".zshenv").write_text((programs / "zshenv").read_text() + f"fpath=({tmp_path} $fpath)\n")
        (tmp_path / ".zshrc").write_text(ZSHRC.partition("source")[0].format(prompt=PROMPT))
        (tmp_path / "_tfdsl").write_bytes(script)
    else:
        (tmp_path / ".config/fish/config.fish").write_text(FISH.partition("tfdsl ")[0].format(prompt=PROMPT))
        (tmp_path / ".config/fish/completions/tfdsl.fish").write_bytes(script)
    with started(name, tmp_path, programs) as shell:
        for _ in range(2):  # zsh reads the file at the first time
            shell.completed("tfdsl compile mnist.tfjob -t volc", "tfdsl compile mnist.tfjob -t volcano ")


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("tfdsl comple", "tfdsl completion "),
        ("tfdsl compile --prof", "tfdsl compile --profile "),
        ("tfdsl compile mn", "tfdsl compile mnist.tfjob "),
        ("tfdsl compile mnist.tfjob -t volc", "tfdsl compile mnist.tfjob -t volcano "),
        ("tfdsl compile mnist.tfjob -t volcano@1.15", "tfdsl compile mnist.tfjob -t volcano@1.15 "),
        ("tfdsl compile mnist.tfjob -t volcano@1.5", "tfdsl compile mnist.tfjob -t volcano@1.5.0 "),
        ("tfdsl compile mnist.tfjob --target=volc", "tfdsl compile mnist.tfjob --target=volcano "),
        ("tfdsl compile mnist.tfjob -t tfjob,volc", "tfdsl compile mnist.tfjob -t tfjob,volcano "),
        ("tfdsl compile mnist.tfjob --profile lap", "tfdsl compile mnist.tfjob --profile laptop "),
        ("tfdsl compile mnist.tfjob --job small", "tfdsl compile mnist.tfjob --job small-digits "),
        ("tfdsl compile mnist.tfjob --set work", "tfdsl compile mnist.tfjob --set workers="),
        ("tfdsl compile mnist.tfjob --set workers=1", "tfdsl compile mnist.tfjob --set workers=16 "),
        ("tfdsl compile mnist.tfjob --set fast=t", "tfdsl compile mnist.tfjob --set fast=true "),
        ("tfdsl compile mnist.tfjob -O volcano.tf", "tfdsl compile mnist.tfjob -O volcano.tf_config="),
        ("tfdsl compile mnist.tfjob -O volcano.tf_config=p", "tfdsl compile mnist.tfjob -O volcano.tf_config=plugin "),
        ("tfdsl compile mnist.tfjob -O volc", "tfdsl compile mnist.tfjob -O volcano."),
        ("tfdsl compile mnist.tfjob --format j", "tfdsl compile mnist.tfjob --format json "),
        ("tfdsl compile mnist.tfjob -o da", "tfdsl compile mnist.tfjob -o data/"),
        ("tfdsl compile mnist.tfjob --output=da", "tfdsl compile mnist.tfjob --output=data/"),
        ("tfdsl compile mnist.tfjob --set size=@no", "tfdsl compile mnist.tfjob --set size=@notes.txt "),
        ("tfdsl tfconfig mnist.tfjob ch", "tfdsl tfconfig mnist.tfjob chief "),
        ("tfdsl run mnist.tfjob --scale wor", "tfdsl run mnist.tfjob --scale worker="),
        ("tfdsl explain duplicate-mount-p", "tfdsl explain duplicate-mount-path "),
        ("tfdsl new --from two", "tfdsl new --from two-clusters "),
    ],
)  # fmt: skip
def test_a_word(shell: Shell, typed: str, line: str) -> None:
    shell.completed(typed, line)


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        ("tfdsl compile mnist.tfjob --set size=v", {"": r"tfdsl compile mnist.tfjob --set size=very\ large "}),
        ("tfdsl compile my", {"": r"tfdsl compile my\ jobs/"}),
        (r"tfdsl compile my\ jobs/th", {"": r"tfdsl compile my\ jobs/the\ first.tfjob "}),
        (
            'tfdsl compile "my jobs/th',
            {"bash": 'tfdsl compile "my jobs/the first.tfjob"', "": 'tfdsl compile "my jobs/the first.tfjob" '},
        ),
        (
            "tfdsl compile 'my jobs/th",
            {"bash": "tfdsl compile 'my jobs/the first.tfjob'", "": "tfdsl compile 'my jobs/the first.tfjob' "},
        ),
        (r"tfdsl compile my\ jobs/the\ first.tfjob --profile la", {"": ""}),
    ],
)
def test_blanks_and_quotes(shell: Shell, typed: str, lines: dict[str, str]) -> None:
    line = lines.get(shell.name, lines[""])
    if line:
        shell.completed(typed, line)
    else:
        shell.offered(typed, "laptop", "large")


def test_home(shell: Shell) -> None:
    shell.completed("tfdsl compile ~/jobs/mn", "tfdsl compile ~/jobs/mnist.tfjob ")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("tfdsl ", ("compile", "simulate", "explain")),
        ("tfdsl compile mnist.tfjob -", ("--target", "--profile", "--allow-read")),
        ("tfdsl compile mnist.tfjob -t ", ("tfjob", "volcano", "slurm")),
        ("tfdsl compile mnist.tfjob -t volcano@1.1", ("1.11", "1.15", "1.13.2")),
        ("tfdsl compile mnist.tfjob --set ", ("workers=", "size=", "fast=")),
        ("tfdsl compile mnist.tfjob --set size=", ("small", "very", "it")),
        ("tfdsl tfconfig mnist.tfjob 'worker[", ("0]", "3]")),
        ("tfdsl run mnist.tfjob --inject 'worker[1] ", ("exit 1", "oom", "node lost")),
        ("tfdsl compile broken.tfjob --profile ", ("laptop", "large")),
    ],
)
def test_several_words(shell: Shell, typed: str, shown: tuple[str, ...]) -> None:
    shell.offered(typed, *shown)


@pytest.mark.parametrize(
    "typed",
    [
        "tfdsl nonsense x",
        "tfdsl compile gone.tfjob --profile x",
        "tfdsl compile --profile x",
        "tfdsl compile data --set x",
        "tfdsl compile mnist.tfjob --name x",
        "tfdsl compile mnist.tfjob --set nothing=x",
        "tfdsl compile mnist.tfjob -O nowhere.x",
        "tfdsl compile mnist.tfjob --wrong x --profile x",
        "tfdsl run mnist.tfjob --timeout x",
        "tfdsl compile $(echo mnist.tfjob) --profile x",
        "tfdsl compile $NOWHERE --profile x",
    ],
)
def test_nothing_to_offer_is_no_error(shell: Shell, typed: str) -> None:
    shell.completed(typed, typed)


def test_in_the_middle_of_a_line(shell: Shell) -> None:
    """The file comes after the cursor."""
    shell.clear()
    shell.terminal.type("tfdsl compile --profile lap mnist.tfjob" + "\x1b[D" * len(" mnist.tfjob") + "\t")
    shell.terminal.wait(lambda: shell.line().startswith("tfdsl compile --profile laptop"), SECONDS)


def test_descriptions(shell: Shell) -> None:
    if shell.name != "bash":
        shell.offered("tfdsl compile mnist.tfjob --set ", "training replicas")


def test_without_tfdsl_nothing_is_said(shell: Shell) -> None:
    shell.clear()
    fish = shell.name == "fish"
    shell.run("set -g KEPT $PATH; set -gx PATH /usr/bin" if fish else "KEPT=$PATH; PATH=/usr/bin")
    try:
        shell.completed("tfdsl compile mnist.tfjob -t volc", "tfdsl compile mnist.tfjob -t volc")
    finally:
        shell.clear()
        shell.run("set -gx PATH $KEPT" if fish else "PATH=$KEPT")
