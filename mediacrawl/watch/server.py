"""An HTTP server in a thread: metrics, health, and the report of a crawl. It reads files only."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from mediacrawl.watch.status import CrawlStatus, crawl_folders, crawl_state, states

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The Content-Security-Policy of the page, which may load nothing."""
PATIENCE = 10.0
"""Seconds that a client may take for its whole request, and then for a part of the answer."""
MOST_CLIENTS = 8
"""Connections at a time. A further one closes the one that has been sending its request for longest."""
FRESH = 15.0
"""Seconds for which a report is kept: one of a large crawl takes seconds to make."""
LONGEST = 120.0
"""Seconds after which a report that is not ready is given up."""


class Reports:
    """What the server answers.

    Args:
        folder: see `MetricsServer`.
        make: makes a report in a format, ``html`` or ``json``.
    """

    def __init__(self, folder: Path, make: Callable[[Path, str], bytes] | None = None) -> None:
        self._folder = folder
        self._make = make or _report
        self._lock = threading.Lock()
        self._made: dict[str, tuple[float, bytes]] = {}

    def metrics(self) -> tuple[str, bytes]:
        """Return content type and text of ``/metrics``."""
        # Importing it takes 40 ms, and this module is imported by each command.
        from mediacrawl.watch.metrics import CONTENT_TYPE, open_metrics  # noqa: PLC0415

        free = None
        with suppress(OSError):
            free = float(shutil.disk_usage(self._folder).free)
        return CONTENT_TYPE, open_metrics(self._statuses(), time.time(), free).encode()

    def health(self) -> tuple[bool, str]:
        """Whether the crawl runs, and a sentence."""
        statuses, now = self._statuses(), time.time()
        running = sum(status.runs(now) for status in statuses)
        if running:
            return True, f"{running} of {len(statuses)} processes run\n"
        why = statuses[-1].reason or crawl_state(statuses, now) if statuses else "no state was written yet"
        return False, f"the crawl does not run: {why}\n"

    def report(self, form: str) -> bytes:
        """The report as of now, at most `FRESH` seconds old.

        Args:
            form: ``html`` or ``json``.

        Raises:
            OSError: it cannot be made.
        """
        with self._lock:
            made, content = self._made.get(form, (0.0, b""))
            if time.monotonic() - made > FRESH or not content:
                content = self._make(self._folder, form)
                self._made[form] = time.monotonic(), content
            return content

    def _statuses(self) -> list[CrawlStatus]:
        return states(crawl_folders(self._folder))


def _report(folder: Path, form: str) -> bytes:
    """A report, made by another process: reading a large log would hold up this one."""
    words = [sys.executable, "-m", "mediacrawl", "report", str(folder.absolute()), "-o", "-"]
    # A job of scrapyd imports mediacrawl from an egg, which only this process knows.
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": path, "SCRAPY_SETTINGS_MODULE": "mediacrawl.settings"}
    try:
        done = subprocess.run(
            [*words, "--json"] if form == "json" else words,
            env=environment,
            capture_output=True,
            timeout=LONGEST,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.SubprocessError as error:
        raise OSError("the report could not be made in time") from error
    # A report of a part of the crawl has exit code 1.
    if not done.stdout:
        raise OSError(done.stderr.decode("utf-8", "replace").strip()[-300:] or "the report could not be made")
    return done.stdout


class MetricsServer(ThreadingHTTPServer):
    """Serves ``/metrics``, ``/health``, ``/report.json`` and, at ``/``, the page of the report, as of now.

    It has a thread of its own and reads the files that the crawl writes; a report is made by a process of its own. So
    it cannot hold up a crawl. Only GET and HEAD are answered. A server on loopback answers requests that name a
    loopback host only, so that no page in a browser reads it by way of a name that leads there (DNS rebinding).

    Args:
        host: address to listen on.
        port: its port; 0 takes any free one.
        folder: the state folder, or that of a fleet.

    Raises:
        OSError: it cannot listen there.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, host: str, port: int, folder: Path) -> None:
        self._free = threading.BoundedSemaphore(MOST_CLIENTS)
        self.waiting: dict[socket.socket, None] = {}
        super().__init__((host, port), _Handler)
        self.reports = Reports(folder)
        self.is_local = ip_address(str(self.server_address[0])).is_loopback
        threading.Thread(target=self.serve_forever, name="metrics", daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{self.server_address[0]!s}:{self.server_port}/"

    def close(self) -> None:
        """Stop listening."""
        self.shutdown()
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, if there are not too many. Called by the thread that accepts connections."""
        if not self._free.acquire(blocking=False):
            for slow in list(self.waiting)[:1]:
                with suppress(OSError):
                    slow.shutdown(socket.SHUT_RDWR)
            if not self._free.acquire(timeout=1.0):
                self.shutdown_request(request)
                return
        self.waiting[request] = None
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room for the next client."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.waiting.pop(request, None)
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of ours."""


class _Handler(BaseHTTPRequestHandler):
    timeout = PATIENCE
    server: MetricsServer
    server_version = "mediacrawl"
    sys_version = ""

    def handle(self) -> None:
        """Answer a request that comes in time: `timeout` is for each read of it."""
        self._over = threading.Timer(PATIENCE, self._give_up)
        self._over.daemon = True
        self._over.start()
        try:
            super().handle()
        finally:
            self._over.cancel()

    def _give_up(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def do_GET(self) -> None:
        """Answer a request."""
        self._over.cancel()
        self.server.waiting.pop(self.connection, None)
        if self.server.is_local and not _is_loopback(self.headers.get("Host", "")):
            self._answer(HTTPStatus.FORBIDDEN, "text/plain", b"this server answers to the names of loopback only\n")
            return
        reports, path = self.server.reports, self.path.partition("?")[0]
        try:
            if path == "/metrics":
                self._answer(HTTPStatus.OK, *reports.metrics())
            elif path == "/health":
                runs, sentence = reports.health()
                status = HTTPStatus.OK if runs else HTTPStatus.SERVICE_UNAVAILABLE
                self._answer(status, "text/plain; charset=utf-8", sentence.encode())
            elif path == "/report.json":
                self._answer(HTTPStatus.OK, "application/json", reports.report("json"))
            elif path == "/":
                self._answer(HTTPStatus.OK, "text/html; charset=utf-8", reports.report("html"))
            else:
                self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"/, /report.json, /metrics, /health\n")
        except OSError as error:
            if not isinstance(error, ConnectionError | TimeoutError):
                self._answer(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", f"{error}\n".encode())

    do_HEAD = do_GET  # noqa: N815

    def _answer(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Requests for metrics are not logged: there is one every few seconds."""


def _is_loopback(host: str) -> bool:
    """Whether a Host header names this machine."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() and not host.endswith("]") else host
    if name == "localhost":
        return True
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False
