"""When texts are checked: soon after a change, a piece at a time, so that requests are answered in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot

QUIET = 0.002
"""Seconds without a change after which a text is checked: a request that comes with a keystroke is answered first."""
PATIENCE = 0.2
"""Seconds after which the check of a text begins at once although changes go on."""


class Checks:
    """The checks that are waiting or going on; a change of a text ends the check of what it was before.

    ``snapshot`` gives an open text as it is now; ``publish`` is called for a text that has been checked, ``fail`` when
    there is a bug in a check, which must not end the server.
    """

    def __init__(
        self,
        snapshot: Callable[[str], Snapshot | None],
        publish: Callable[[str], None],
        fail: Callable[[Exception], None],
    ) -> None:
        self._snapshot = snapshot
        self._publish = publish
        self._fail = fail
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._since: dict[str, float] = {}

    def soon(self, uri: str) -> None:
        """Check a text when it is quiet for a moment."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        task = self._tasks.get(uri)
        if task is not None:
            task.cancel()
        since = self._since.setdefault(uri, now)
        self._tasks[uri] = loop.create_task(self._check(uri, QUIET if now - since < PATIENCE else 0))

    def leave(self, uri: str) -> None:
        """Do not publish a text: somebody has asked for it."""
        task = self._tasks.pop(uri, None)
        self._since.pop(uri, None)
        if task is not None:
            task.cancel()

    async def finish(self, uri: str) -> None:
        """Check a text as it is now, or as it is when that has changed meanwhile."""
        while (snapshot := self._snapshot(uri)) is not None and snapshot.work():
            await asyncio.sleep(0)

    async def finish_as_it_is(self, uri: str) -> None:
        """Check a text for an answer about places in it, which nobody can use when it changes meanwhile."""
        before = self._snapshot(uri)
        await self.finish(uri)
        if self._snapshot(uri) is not before:
            raise JsonRpcException("the text has changed", LSPErrorCodes.ContentModified)

    async def _check(self, uri: str, delay: float) -> None:
        await asyncio.sleep(delay)
        try:
            await self.finish(uri)
            del self._tasks[uri], self._since[uri]
            self._publish(uri)
        except Exception as error:
            self._fail(error)
