"""The server on pygls: positions to offsets, features to messages. Nothing else knows the protocol.

Modules that do the work are imported when they are first needed, so that the answer to ``initialize`` does not wait
for them; they are fetched right after it.
"""

from __future__ import annotations

import logging
import os
import sys

from lsprotocol.types import LSPErrorCodes

from tfdsl.lsp.server import asking, compiling, editing, graphing, lifecycle, moving
from tfdsl.lsp.server.session import REQUEST_FAILED, Session

FEATURES = (
    *lifecycle.FEATURES,
    *asking.FEATURES,
    *editing.FEATURES,
    *compiling.FEATURES,
    *graphing.FEATURES,
    *moving.FEATURES,
)
"""Method, options and handler of everything that the server answers."""


def make_server() -> Session:
    """A server with all its features."""
    session = Session()
    for method, options, handler in FEATURES:
        session.feature(method, options)(handler)

    def open_output(uri: str, target: str, job: str) -> list[str]:
        return compiling.open_output(session, uri, target, job)

    session.command(compiling.OPEN_OUTPUT)(open_output)
    return session


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record is more than a request that failed for a reason that the client knows, or was cancelled."""
    error = record.exc_info[1] if record.exc_info else None
    quiet = (REQUEST_FAILED, LSPErrorCodes.RequestCancelled, LSPErrorCodes.ContentModified)
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
        compiling.remove_outputs(session)
    return 0 if session.ended_well or session.begin is None else 1
