"""The server on pygls: positions to offsets, features to messages. Nothing else knows the protocol.

The answers to requests are in ``requests.py`` and ``previews.py``. These load the features and with them the compiler,
so they are imported with the first request, or when ``initialize`` has been answered.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module

from lsprotocol import types

from tfdsl.lsp.server.lifecycle import FEATURES
from tfdsl.lsp.server.protocol import LEGEND
from tfdsl.lsp.server.session import OPEN_OUTPUT, REQUEST_FAILED, Session

_NAMES = [
    types.FileOperationFilter(types.FileOperationPattern("**/*.tfjob", types.FileOperationPatternKind.File), "file"),
    types.FileOperationFilter(types.FileOperationPattern("**", types.FileOperationPatternKind.Folder), "file"),
]

REQUESTS = (
    ("requests.completion", types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(list('.{"=> '))),
    ("requests.hover", types.TEXT_DOCUMENT_HOVER, None),
    ("requests.signature_help", types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(["(", ","])),
    ("requests.inlay_hint", types.TEXT_DOCUMENT_INLAY_HINT, None),
    ("requests.code_lens", types.TEXT_DOCUMENT_CODE_LENS, None),
    ("requests.definition", types.TEXT_DOCUMENT_DEFINITION, None),
    ("requests.references", types.TEXT_DOCUMENT_REFERENCES, None),
    ("requests.highlight", types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, None),
    ("requests.document_symbol", types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, None),
    ("requests.workspace_symbol", types.WORKSPACE_SYMBOL, None),
    ("requests.document_link", types.TEXT_DOCUMENT_DOCUMENT_LINK, None),
    ("requests.prepare_rename", types.TEXT_DOCUMENT_PREPARE_RENAME, None),
    ("requests.rename", types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True)),
    ("requests.will_rename_files", types.WORKSPACE_WILL_RENAME_FILES, types.FileOperationRegistrationOptions(_NAMES)),
    ("requests.folding_range", types.TEXT_DOCUMENT_FOLDING_RANGE, None),
    ("requests.selection_range", types.TEXT_DOCUMENT_SELECTION_RANGE, None),
    ("requests.semantic_tokens", types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND),
    ("requests.semantic_tokens_range", types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, LEGEND),
    ("requests.formatting", types.TEXT_DOCUMENT_FORMATTING, None),
    ("requests.range_formatting", types.TEXT_DOCUMENT_RANGE_FORMATTING, None),
    (
        "requests.on_type_formatting",
        types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        types.DocumentOnTypeFormattingOptions("}", ["\n"]),
    ),
    ("previews.compiled", "tfdsl/compile", None),
    ("previews.where", "tfdsl/where", None),
    ("previews.graph", "tfdsl/graph", None),
    ("previews.imported", "tfdsl/import", None),
    ("previews.choices", "tfdsl/choices", None),
)
"""Who answers, the method, and its options."""


def make_server() -> Session:
    """A server with all its features."""
    session = Session()
    for method, options, handler in FEATURES:
        session.feature(method, options)(handler)
    for name, method, registered in REQUESTS:
        session.feature(method, registered)(partial(_answer, session, name))

    async def open_output(uri: str, target: str | None, job: str) -> object:
        from tfdsl.lsp.server import previews

        return await previews.open_output(session, uri, target, job)

    session.command(OPEN_OUTPUT)(open_output)
    return session


def _answer(session: Session, name: str, params: object) -> object:
    return _named(name)(session, params)


def _named(name: str) -> Callable[..., object]:
    """The function ``MODULE.NAME`` of this package."""
    module, _, function = name.partition(".")
    answer: Callable[..., object] = getattr(import_module(f"{__name__}.{module}"), function)
    return answer


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record is more than a request that failed for a reason that the client knows, or was cancelled."""
    error = record.exc_info[1] if record.exc_info else None
    if record.msg.startswith("Unable to deserialize message"):  # with the traceback of what has checked it
        record.msg, record.args = "a message of the client does not fit the protocol", ()
    told = types.LSPErrorCodes.RequestCancelled, types.LSPErrorCodes.ContentModified, types.ErrorCodes.InvalidParams
    quiet = (REQUEST_FAILED, *told)
    return getattr(error, "code", None) not in quiet


def run() -> int:
    """Serve one client on standard input and output; gives the exit status.

    0: the client said good-bye, or never came; 1: it went away without (as the protocol asks for).
    """
    stdin, stdout = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    sys.stdout = sys.stderr  # whatever prints by mistake must not get among the messages
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_news)
    session = make_server()
    try:
        session.serve(stdin, stdout)
    finally:
        session.remove_outputs()
    return 0 if session.ended_well or session.begin is None else 1
