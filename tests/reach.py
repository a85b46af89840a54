"""What the quick tests reach: a run of them fails when they leave out a message, a target or a command."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import COMMAND
from tfdsl import targets
from tfdsl.backend import Backend
from tfdsl.cli import arguments
from tfdsl.cli.commands import SUMMARIES
from tfdsl.compiling import pipeline
from tfdsl.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence


def everything() -> set[str]:
    """All that has to be reached."""
    rules = {f"message {rule.code} ({rule.slug})" for rule in pipeline.every_rule().values()}
    return rules | {f"target {name}" for name in targets.names()} | {f"command {name}" for name in SUMMARIES}


def lines(reached: Iterable[str]) -> list[str]:
    """What is wrong with tests that reach only so much."""
    return [f"no quick test reaches {what}" for what in sorted(everything() - set(reached))]


class Reach:
    """The part of the test run that counts what the tests reach, slow ones left out."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.counts = False
        self.reached: set[str] = set()
        self.missing: list[str] = []

    def note(self, what: str) -> None:
        """Count ``what``, if a quick test is running."""
        if self.counts:
            self.reached.add(what)

    def watch(self) -> None:
        """Look over the shoulder of what makes a diagnostic, loads a target and takes or starts a command."""
        make, load, parse, start = Diagnostic.__init__, Backend.load, arguments.parse, subprocess.Popen.__init__

        def watched_make(diagnostic: Diagnostic, *values: object, **named: object) -> None:
            make(diagnostic, *values, **named)
            self.note(f"message {diagnostic.rule.code} ({diagnostic.rule.slug})")

        def watched_load(target: Backend) -> object:
            self.note(f"target {target.name}")
            return load(target)

        def watched_parse(command: arguments.Command, *rest: object) -> arguments.Arguments:
            found = parse(command, *rest)
            if not found.help and not found.errors:
                self.note(f"command {command.name}")
            return found

        def watched_start(
            process: subprocess.Popen[bytes], command: Sequence[str], *rest: object, **named: object
        ) -> None:
            start(process, command, *rest, **named)
            if list(command[: len(COMMAND)]) == list(COMMAND):
                self.note(f"command {next(iter(command[len(COMMAND) :]), '')}")

        Diagnostic.__init__, Backend.load, arguments.parse = watched_make, watched_load, watched_parse
        subprocess.Popen.__init__ = watched_start

    def is_whole(self) -> bool:
        """Whether this run has all quick tests in it."""
        option = self.config.option
        # The last two may be switched off.
        names = ("keyword", "markexpr", "collectonly", "slow", "long", "lf", "failedfirst")
        chosen = any(getattr(option, name, None) for name in names)
        return not chosen and self.config.args_source is pytest.Config.ArgsSource.TESTPATHS

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Count during quick tests."""
        self.counts = item.get_closest_marker("slow") is None
        try:
            return (yield)
        finally:
            self.counts = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """Take over what a worker has counted."""
        self.reached |= set(getattr(node, "workeroutput", {}).get("reached", ()))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand over what was counted, or judge it."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["reached"] = sorted(self.reached)
        elif session.exitstatus == pytest.ExitCode.OK and self.is_whole():
            self.missing = lines(self.reached)
            if self.missing:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what is missing."""
        if self.missing:
            terminalreporter.section("not reached by a quick test", red=True)
            terminalreporter.write("".join(f"{line}\n" for line in self.missing))
