"""A program: passes on every connection to one address to another. Pods cannot reach what listens on loopback only.

usage: python -m tests.conformance.kubernetes.forwarding ADDRESS PORT TO_ADDRESS TO_PORT
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import closing, suppress


async def _pass_on(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError), closing(to):
        while data := await source.read(65536):
            to.write(data)
            await to.drain()


async def _serve(address: str, port: int, to_address: str, to_port: int) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError), closing(writer):
            there, back = await asyncio.open_connection(to_address, to_port)
            await asyncio.gather(_pass_on(reader, back), _pass_on(there, writer))

    async with await asyncio.start_server(connected, address, port) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
