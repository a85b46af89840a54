"""A client that writes and reads the messages themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, cast

from tests.unit.cli.shell import ROOT, environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    Message = Mapping[str, object]


class Wire:
    """A server's process and its pipes."""

    def __init__(self, *command: str, **more: str) -> None:
        self.process = subprocess.Popen(
            command or (sys.executable, "-m", "tfdsl.cli.main", "lsp"),
            cwd=ROOT,
            env=environment(**more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.number = 0
        self.notifications: list[Message] = []

    def send(self, method: str, params: object, number: int | None = None) -> None:
        """Send a notification, or with a number a request."""
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
        self.raw(message if number is None else {**message, "id": number})

    def raw(self, message: object) -> None:
        """Send any JSON."""
        assert self.process.stdin is not None
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> Message:
        """The next message; an end of the server is an :class:`EOFError`."""
        assert self.process.stdout is not None
        length = 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError
            if not line.strip():
                return cast("Message", json.loads(self.process.stdout.read(length)))
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length

    def request(self, method: str, params: object) -> Message:
        """The answer to a request; what comes before it is kept."""
        self.number += 1
        self.send(method, params, self.number)
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message
            self._keep(message)

    def until(self, method: str) -> Message:
        """The next notification of a method."""
        while True:
            message = self.receive()
            self._keep(message)
            if message.get("method") == method:
                return message

    def published(self, version: int) -> Message:
        """The diagnostics of a version of a text, whether they have come already or not."""
        method = "textDocument/publishDiagnostics"
        while True:
            for message in self.notifications:
                params = cast("Mapping[str, object]", message.get("params"))
                if message.get("method") == method and params.get("version") == version:
                    self.notifications.clear()
                    return params
            self._keep(self.receive())

    def _keep(self, message: Message) -> None:
        if "id" in message and "method" in message:
            self.raw({"jsonrpc": "2.0", "id": message["id"], "result": None})
        self.notifications.append(message)

    def begin(self, **more: object) -> Message:
        """Shake hands."""
        answer = self.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}, **more})
        self.send("initialized", {})
        return answer

    def open(self, uri: str, text: str) -> None:
        """Open a text."""
        self.send(
            "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "tfjob", "version": 1, "text": text}}
        )

    def change(self, uri: str, version: int, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Replace a range."""
        range_ = {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        }
        self.send(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": range_, "text": text}]},
        )

    def end(self) -> int:
        """Say good-bye; gives the exit status."""
        self.request("shutdown", None)
        self.send("exit", None)
        return self.process.wait(10)

    def close(self) -> None:
        """End the process, if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
