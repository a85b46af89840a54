"""``tfdsl completion``: the script by which a shell completes words, and the answers that the script asks for."""

from __future__ import annotations

from tfdsl.cli.arguments import Arguments, Command, Positional, not_one_of
from tfdsl.cli.report import OK, wrong_use
from tfdsl.cli.streams import out
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.patterns import regex

_NUMBER = regex(r"[0-9]{1,9}")

COMMAND = Command(
    "completion",
    "print the script by which bash, zsh or fish completes commands",
    (
        Positional("SHELL", "bash, zsh or fish"),
        Positional("TYPED", "asked by the script: which word is typed, and all words", required=False, many=True),
    ),
    (),
    ("tfdsl completion bash", "tfdsl completion fish -- 1 compile mnist.tfjob"),
    "For bash, add  source <(tfdsl completion bash)  to ~/.bashrc.\n"
    "For zsh, add  source <(tfdsl completion zsh)  to ~/.zshrc, after compinit.\n"
    "For fish, run  tfdsl completion fish > ~/.config/fish/completions/tfdsl.fish  once.\n"
    "Commands, options, targets and versions are completed, and what is in the file on the line: its jobs, profiles,\n"
    "params with their values, roles and replicas.",
)


def run(arguments: Arguments) -> int:
    """Print the script, or what can follow."""
    from tfdsl.cli.completing.shells import SHELLS, script

    shell, *typed = arguments.rest
    if shell.text not in SHELLS:
        return wrong_use([not_one_of("SHELL", shell, SHELLS)], "text", "tfdsl completion --help")
    if not typed:
        out(script(shell.text))
        return OK
    place, *words = typed
    number = int(place.text) if _NUMBER.fullmatch(place.text) else None
    if number is None or not words or (shell.text != "bash" and number >= len(words)):
        error = BAD_ARGUMENT(place.span, what="the first word after -- says which of the words is typed, from 0")
        return wrong_use([error], "text", "tfdsl completion --help")
    out("".join(f"{line}\n" for line in SHELLS[shell.text](number, [word.text for word in words])))
    return OK
