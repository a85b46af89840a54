"""Answers every request: the protocol's rules for messages, where pygls does not apply them.

A request with wrong parameters, one before ``initialize`` or after ``shutdown``, and one that the client has cancelled
get an error. A separate thread reads the messages, so that a ``$/cancelRequest`` in the queue is seen before the work
on its request begins, and while it goes on.

Sources: JSON-RPC 2.0; Language Server Protocol 3.17, "Base Protocol" and "Lifecycle Messages".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias, cast

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

if TYPE_CHECKING:
    from io import RawIOBase

    from cattrs import Converter
    from pygls.lsp.server import LanguageServer
    from pygls.protocol.json_rpc import RPCMessage


TYPES = ("class", "namespace", "struct", "parameter", "variable", "type", "event", "enumMember", "property", "function")
MODIFIERS = ("declaration", "readonly")
LEGEND = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))
"""The numbers of semantic tokens."""

# --- messages out of bytes -------------------------------------------------------------------------------------
# Language Server Protocol 3.17, "Base Protocol": header fields that end in ``\r\n``, an empty line, and so many bytes
# of JSON as ``Content-Length`` says. Names of header fields have no case, as in HTTP.

_PIECE = 65536
LARGEST_HEADER = 8192
"""Bytes; a client that sends more before the empty line does not speak the protocol."""


def bodies(stream: RawIOBase) -> Iterator[bytes]:
    """The bodies of the messages in ``stream`` until it ends.

    The stream is not buffered: a thread may wait in it while the process ends, and must not hold a lock then.
    """
    buffer = bytearray()
    while buffer or _more(stream, buffer):
        end = _header_end(stream, buffer)
        if end is None:
            return
        length = _length(bytes(buffer[:end]))
        del buffer[:end]
        if length is None:  # nobody knows where its body ends; the next header may be a good one
            continue
        while len(buffer) < length:
            if not _more(stream, buffer):
                return
        body = bytes(buffer[:length])
        del buffer[:length]
        yield body


def _more(stream: RawIOBase, buffer: bytearray) -> bool:
    piece = stream.read(_PIECE)
    buffer += piece or b""
    return bool(piece)


def _header_end(stream: RawIOBase, buffer: bytearray) -> int | None:
    """The offset behind the empty line; ``None`` if the stream ends or does not follow the protocol."""
    while True:
        ends = [at + len(mark) for mark in (b"\r\n\r\n", b"\n\n") if (at := buffer.find(mark)) >= 0]
        if ends:
            return min(ends)
        if len(buffer) > LARGEST_HEADER or not _more(stream, buffer):
            return None


def _length(header: bytes) -> int | None:
    """What ``Content-Length`` says; ``None`` when it is missing or no number."""
    for line in header.splitlines():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    return None


# --- messages --------------------------------------------------------------------------------------------------

Number: TypeAlias = int | str
"""What a request is known by."""
Table: TypeAlias = dict[str, object]


def read_message(body: bytes) -> object:
    """The JSON of a message; a :class:`JsonRpcParseError` if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as problem:
        return JsonRpcParseError(f"the message is not JSON: {problem}")


class Protocol(LanguageServerProtocol):
    """The rules for messages of one session."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._begun = False
        self._current: Number | None = None
        self._cancelled: set[Number] = set()

    def notice(self, message: object) -> None:
        """Look at a message that has just been read; called by the thread that reads."""
        number = _cancels(message)
        if number is not None:
            self._cancelled.add(number)

    def give_up_if_cancelled(self) -> None:
        """Called between pieces of work: ends the request that is being answered when nobody waits for it."""
        if self._current is not None and self._current in self._cancelled:
            raise _cancellation()

    def take(self, message: object) -> None:
        """Do what a message asks for; a request is answered, whatever it holds."""
        number, method = _number(message), _method(message)
        try:
            self._check(message, number, method)
            if method == types.CANCEL_REQUEST:
                self._end(_cancels(message))
                return
            known = self._structured(cast("Table", message), number)
        except JsonRpcException as problem:
            if method is None or "id" in cast("Table", message):
                # pygls would leave out a null number, which the protocol requires if the request is not known.
                error = {"code": problem.code, "message": problem.message}
                self._send_data({"jsonrpc": self.VERSION, "id": number, "error": error})
            return
        self._begun = self._begun or method == types.INITIALIZE
        self._current = number
        try:
            self.handle_message(known)
        finally:
            self._current = None

    def _end(self, number: Number | None) -> None:
        """End the request that a message cancels, if it still waits for something; else it has been answered."""
        if number is not None:
            self._cancelled.discard(number)
        if number in self._request_futures:
            self._handle_cancel_notification(number)

    def _check(self, message: object, number: Number | None, method: str | None) -> None:
        """Raise the protocol's error for a message that must not be handled."""
        if isinstance(message, JsonRpcException):
            raise message
        if not _is_message(message):
            raise JsonRpcInvalidRequest("the message is not a JSON-RPC 2.0 message")
        if method in (None, types.EXIT):
            return
        if self._shutdown:
            raise JsonRpcInvalidRequest(f"{method} was sent after shutdown")
        if self._begun and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("initialize was sent twice")
        if not self._begun and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized(f"{method} was sent before initialize")
        if number is not None and number in self._cancelled:
            raise _cancellation()

    def _structured(self, message: Table, number: Number | None) -> RPCMessage:
        """A message as pygls takes it."""
        if "method" in message:
            message.setdefault("params", None)
        try:
            return cast("RPCMessage", self.structure_message(message))
        except JsonRpcException as problem:
            if number is None:
                raise
            raise JsonRpcInvalidParams(f"invalid params for {message['method']}") from problem


def _cancellation() -> JsonRpcException:
    return JsonRpcRequestCancelled("the request was cancelled")


def _is_message(message: object) -> bool:
    """Whether something is a request, a notification or an answer."""
    if not isinstance(message, dict):
        return False
    table = cast("Table", message)
    if table.get("jsonrpc") != "2.0" or ("id" in table and _plain(table["id"]) is None):
        return False
    return isinstance(table["method"], str) if "method" in table else "id" in table


def _plain(number: object) -> Number | None:
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def _number(message: object) -> Number | None:
    """What a request is known by; ``None`` for anything but a request."""
    if not isinstance(message, dict) or "method" not in message:
        return None
    return _plain(cast("Table", message).get("id"))


def _method(message: object) -> str | None:
    method = cast("Table", message).get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) else None


def _cancels(message: object) -> Number | None:
    """The request that a message cancels."""
    if _method(message) != types.CANCEL_REQUEST:
        return None
    params = cast("Table", message).get("params")
    return _plain(cast("Table", params).get("id")) if isinstance(params, dict) else None
