"""``tfdsl lsp``: the language server for editors."""

from __future__ import annotations

import gc
from importlib.util import find_spec

from tfdsl.cli.arguments import Arguments, Command, Flag
from tfdsl.cli.report import USAGE
from tfdsl.cli.streams import err

_INSTALL = "pip install '.[lsp]' in a checkout of tfdsl, or pip install 'FILE.whl[lsp]'"
"""No name of an index: the project owns none (CONTRIBUTING.md, "Addresses")."""

COMMAND = Command(
    "lsp",
    (),
    # Editors append these on their own: the protocol recommends that every server accepts them.
    (
        Flag("--stdio", "use standard input and output, which is the only way"),
        Flag("--clientProcessId", "the editor's process; ignored, the first message names it", value="PID"),
    ),
    ("tfdsl lsp", "tfdsl lsp --stdio"),
    "An editor starts this command and speaks the Language Server Protocol with it.\n"
    f"It needs the extra lsp: {_INSTALL}.\ndocs/editors.md describes the settings.",
)


def run(arguments: Arguments) -> int:
    """Serve until the client says goodbye or disconnects; returns 2 if the extra is not installed."""
    if find_spec("pygls") is None:
        err(f"tfdsl: the language server needs pygls: {_INSTALL}\n")
        return USAGE
    # Loading creates many long-lived objects, and scanning them again and again takes a quarter of the time. The server
    # turns collection on again after it has answered the first message.
    gc.disable()
    from tfdsl.lsp.server import run as serve

    return serve()
