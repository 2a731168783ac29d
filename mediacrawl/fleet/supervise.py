"""``python -m mediacrawl.fleet.supervise PROGRAM WORD ...``: runs a server while any process needs it.

Its standard input is a pipe that nobody writes to. When all processes at the other end are gone, also by ``kill -9``,
it stops the server. A server that dies before is started again, but not one that was told to end, nor one that dies at
its start three times in a row.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time

LOOK = 0.2
"""Seconds between two looks at the server."""
QUICK = 10.0
"""A server that lives shorter, in seconds, dies at its start."""
DEATHS = 3
"""Deaths at the start, in a row, after which it is not started again."""


def main() -> int:
    """Run the server that the command line names.

    Returns:
        An exit code: 0, it was stopped; 1, it ended by itself.
    """
    # A terminal, systemd and kill send these to a whole group; the server has to outlive those that need it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    deaths = 0
    server, began = _start(), time.monotonic()
    while not _is_over():
        code = server.poll()
        if code is None:
            continue
        deaths = deaths + 1 if time.monotonic() - began < QUICK else 0
        if code == 0 or deaths >= DEATHS:
            return 1
        server, began = _start(), time.monotonic()
    server.terminate()
    server.wait()
    return 0


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)


def _is_over() -> bool:
    readable, _, _ = select.select([0], [], [], LOOK)
    return bool(readable) and not os.read(0, 4096)


if __name__ == "__main__":
    sys.exit(main())
