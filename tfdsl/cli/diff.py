"""``tfdsl diff``: what differs between two jobs as the cluster would see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import Argument, Arguments, Command, Flag, Positional
from tfdsl.cli.report import ERRORS, OK, USAGE, report, wrong_use
from tfdsl.cli.streams import out
from tfdsl.compiling.masking import Hidden, hidden_texts
from tfdsl.compiling.pipeline import Choice
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, MISSING_ARGUMENT
from tfdsl.source_files import STDIN

if TYPE_CHECKING:
    from tfdsl.comparing.sides import Side

FORMAT = Flag(
    "--format",
    "text: a unified diff (default); summary: a line per difference",
    value="FORMAT",
    one_of=("text", "summary", "json"),
)

COMMAND = Command(
    "diff",
    "show what differs between two jobs as the cluster would see them",
    (
        Positional("A", "a .tfjob file, FILE@REVISION of git, a manifest, a job as JSON, or -"),
        Positional("B", "the same"),
    ),
    (
        chosen.TARGET,
        chosen.JOB,
        chosen.PROFILE,
        chosen.PARAMS,
        chosen.SET,
        chosen.OPTION,
        chosen.ALLOW_READ,
        FORMAT,
    ),
    (
        "tfdsl diff mnist.tfjob mnist.tfjob -t tfjob",
        "tfdsl diff mnist.tfjob mnist.tfjob -t volcano --format summary",
    ),
    "Both sides are brought into the normal form of the target: what the server adds is left out, and a default is\n"
    "the same as nothing. Without -t: the target of a manifest, else those that the project sets (tfdsl.toml), else\n"
    "those that A has blocks for, else those of B.\n"
    "Params and options apply to both sides. Exit status: 0 no difference, 1 a difference, 2 no answer.",
)


def run(arguments: Arguments) -> int:
    """Compare the two sides."""
    picked = chosen.selection(arguments)
    errors = list(picked.errors)
    first, second = arguments.rest
    if first.text == second.text == STDIN:
        errors.append(BAD_ARGUMENT(second.span, what="standard input can be read only once"))
    if errors:
        return wrong_use(errors, "text", "tfdsl diff --help", picked.hidden)
    return _Diff(arguments, picked).run(first, second)


class _Diff:
    """One comparison, and what there is to say about it."""

    def __init__(self, arguments: Arguments, picked: chosen.Selection) -> None:
        self.arguments = arguments
        self.picked = picked
        self.diagnostics: list[Diagnostic] = []

    def run(self, first: Argument, second: Argument) -> int:
        """Read the sides, compare them, and print what differs; the exit status."""
        sides = self._open(first), self._open(second)
        if sides[0] is None or sides[1] is None:
            return self._trouble(())
        return self._compare((sides[0], sides[1]), second)

    def _open(self, argument: Argument) -> Side | None:
        from tfdsl.comparing.sides import open_side

        return open_side(argument.text, argument.span, self.picked.allowed, self.diagnostics.append)

    def _compare(self, sides: tuple[Side, Side], second: Argument) -> int:
        from tfdsl.cli import diff_text
        from tfdsl.comparing.comparison import compared, targets_for

        report_one = self.diagnostics.append
        choices: list[Choice] = targets_for(*sides, self.picked.choices, second.span, report_one, self.picked.allowed)
        if not choices and not self.diagnostics:
            missing = MISSING_ARGUMENT(self.arguments.line, what="diff needs a target: -t TARGET")
            return self._trouble(sides, missing)
        results = compared(sides, choices, self.picked.request, report_one, self.picked.allowed) if choices else None
        if results is None:
            return self._trouble(sides)
        hidden = self._hidden(sides)
        report(self.diagnostics, (), hidden=hidden)
        from tfdsl.comparing.sides import path_of

        names = path_of(sides[0]), path_of(sides[1])
        out(diff_text.shown(results, names, hidden, self.arguments.text(FORMAT.name, "text")))
        return OK if all(result.same for result in results) else ERRORS

    def _hidden(self, sides: tuple[Side, ...]) -> Hidden:
        """The values of the command line and of the files of ``env_file()`` that nothing may show."""
        secrets: set[str] = set()
        for side in sides:
            secrets |= getattr(side, "hidden", set())
        if not secrets:
            return self.picked.hidden
        more = hidden_texts(secrets)
        return Hidden((*self.picked.hidden.values, *more.values), self.picked.hidden.paths)

    def _trouble(self, sides: tuple[Side, ...], *more: Diagnostic) -> int:
        errors = [one for one in self.diagnostics if one.level == "error"]
        report([*errors, *more], (), hidden=self._hidden(sides))
        return USAGE
