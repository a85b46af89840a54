"""``tfdsl lsp``: the language server for editors."""

from __future__ import annotations

import gc
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tfdsl.cli.arguments import Command, Flag
from tfdsl.cli.report import USAGE
from tfdsl.cli.streams import err

if TYPE_CHECKING:
    from tfdsl.cli.arguments import Arguments

COMMAND = Command(
    "lsp",
    "serve an editor on standard input and output",
    (),
    # Editors append these by themselves: the protocol recommends that every server takes them.
    (
        Flag("--stdio", "speak on standard input and output, which is the only way there is"),
        Flag("--clientProcessId", "the editor's process; the one in its first message counts", value="PID"),
    ),
    ("tfdsl lsp", "tfdsl lsp --stdio"),
    "An editor starts this command and speaks the Language Server Protocol with it.\n"
    "Needs the extra lsp: pip install 'tfdsl[lsp]'. See docs/editors.md for settings.",
)


def run(arguments: Arguments) -> int:
    """Serve until the client says good-bye or goes away; 2 when the extra is not installed."""
    if find_spec("pygls") is None:
        err("tfdsl: the language server needs pygls: pip install 'tfdsl[lsp]'\n")
        return USAGE
    # Loading makes many long-lived objects; looking through them again and again takes a quarter of the time.
    # The server collects again when it has answered the first message.
    gc.disable()
    from tfdsl.lsp.server import run as serve

    return serve()
