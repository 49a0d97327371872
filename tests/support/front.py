"""A front proxy that spreads TCP connections over API hosts, like the balancer of a deployment."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from types import TracebackType


class FrontProxy:
    """Listens on a loopback port and passes each connection to the next host in rotation."""

    def __init__(self, ports: list[int]) -> None:
        """Each host listens on one of these loopback ports."""
        self.port = 0
        self.carried = dict.fromkeys(ports, 0)
        """By port, how many connections it got."""
        self._rotation = list(ports)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="front", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def drain(self, port: int) -> None:
        """Give this host no new connections. Those that it has stay."""
        self._rotation = [each for each in self._rotation if each != port]

    def restore(self, port: int) -> None:
        """Give this host connections again."""
        self._rotation = [*self._rotation, port]

    def __enter__(self) -> FrontProxy:
        self._thread.start()
        started = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._carry, "127.0.0.1", 0), self._loop
        )
        self._server = started.result(60)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)

    async def _close(self) -> None:
        self._server.close()
        carrying = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in carrying:
            task.cancel()
        await asyncio.gather(*carrying, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for port in list(self._rotation):
            try:
                inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                continue
            if port in self._rotation:
                self._rotation = [*(each for each in self._rotation if each != port), port]
            self.carried[port] += 1
            # The stream's own callback logs a task that ends as cancelled.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(_pipe(reader, inner_writer), _pipe(inner_reader, writer))
            return
        writer.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until one side closes, then close the other."""
    with contextlib.suppress(OSError):
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()
