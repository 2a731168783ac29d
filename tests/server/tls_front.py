"""TLS before a server that speaks none, as stunnel does it: the Redis servers in wheels are built without."""

import asyncio
import contextlib
import ssl
import threading


class TlsFront:
    """Accepts TLS on a free port of loopback, and hands all bytes on, in both directions.

    Args:
        port: of the server behind it, on loopback.
        certificate: its file.
        key: its file.
    """

    def __init__(self, port, certificate, key):
        self._behind = port
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self):
        self._thread.start()
        serving = asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context)
        self._server = asyncio.run_coroutine_threadsafe(serving, self._loop).result(30)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    async def _end(self):
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader, writer):
        behind, before = await asyncio.open_connection("127.0.0.1", self._behind)
        try:
            await asyncio.gather(self._pump(reader, before), self._pump(behind, writer))
        finally:
            for each in (writer, before):
                each.close()

    async def _pump(self, reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()
