"""The server of the demo web: HTTP/1.1 with byte ranges, on loopback, in threads of its own."""

from __future__ import annotations

import sys
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from types import TracebackType
from typing import Self, cast

from mediacrawl.programs.demo.answers import Resource, answer
from mediacrawl.programs.demo.sites import ADDRESS, DemoSites, Station


class DemoServer:
    """Serves the demo's sites until `stop`.

    Args:
        port: to listen on; 0 takes any free one.

    Attributes:
        sites: what is served.

    Raises:
        OSError: the port is taken.
        OverflowError: it is none.
    """

    def __init__(self, port: int = 0) -> None:
        self._server = _Server((ADDRESS, port), _Handler)
        self.sites = self._server.sites = DemoSites(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="demo", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Listen no more; an answer that is under way ends with the process."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _Server(ThreadingTCPServer):
    """A thread for each connection. HTTPServer would look up the name of loopback, by DNS if need be."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64
    sites: DemoSites

    def handle_error(self, request: object, client_address: object) -> None:
        """Print an error of ours. A client that went away is none."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    # Head and body go out in two writes; with Nagle's algorithm the body would wait for an acknowledgement.
    disable_nagle_algorithm = True
    timeout = 60.0

    def do_GET(self) -> None:
        """Send a resource or a range of it, or play a station."""
        host = self.headers.get("Host", "").partition(":")[0].lower()
        found = cast("_Server", self.server).sites.find(host, self.path)
        if isinstance(found, Station):
            self._play(found)
        else:
            time.sleep(found.delay)
            self._send(found)

    do_HEAD = do_GET  # noqa: N815 - the name that http.server looks for

    def _send(self, resource: Resource) -> None:
        response = answer(resource, self.command, {name.lower(): value for name, value in self.headers.items()})
        self.send_response_only(response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        if response.status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    def _play(self, station: Station) -> None:
        self.close_connection = True
        titles = self.headers.get("Icy-MetaData") == "1"
        self.wfile.write(station.head(titles=titles))
        if self.command != "HEAD":
            for piece in station.sound_pieces(titles=titles):
                self.wfile.write(piece)
